-- Why can sitemaps not be read?
SELECT regexp_replace(error, '[0-9]{4,}', 'N', 'g') AS error, count(*) AS sitemaps
FROM documents WHERE error IS NOT NULL GROUP BY ALL ORDER BY sitemaps DESC, error LIMIT 20
