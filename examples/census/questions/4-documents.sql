-- How many sitemaps can be read, and how large are they?
SELECT coalesce(kind, 'not read') AS kind, count(*) AS documents,
    share(count(*) FILTER (error IS NOT NULL), count(*)) AS with_error,
    share(count(*) FILTER (packed_size < size), count(*)) AS compressed,
    median(urls)::BIGINT AS median_urls, max(urls) AS most_urls,
    count(*) FILTER (urls > 50000 OR size > 52428800) AS over_a_limit
FROM documents GROUP BY ALL ORDER BY documents DESC, kind
