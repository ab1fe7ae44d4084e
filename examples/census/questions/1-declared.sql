-- Which share of hosts with a robots.txt declares a sitemap, by top-level domain?
SELECT regexp_extract(host, '[^.]+$') AS tld, count(*) AS hosts,
    share(count(*) FILTER (len(sitemaps) > 0), count(*)) AS declare_one,
    round(avg(len(sitemaps)) FILTER (len(sitemaps) > 0), 1) AS sitemaps_each
FROM hosts WHERE state IN ('read', 'absent')
GROUP BY ALL ORDER BY hosts DESC, tld LIMIT 20
