-- Which rules do sitemaps break most often?
SELECT code, min(level) AS level, count(DISTINCT source) AS sitemaps,
    share(count(DISTINCT source), (SELECT count(*) FROM documents)) AS of_sitemaps,
    sum(findings)::BIGINT AS findings
FROM problems GROUP BY code ORDER BY sitemaps DESC, code LIMIT 20
