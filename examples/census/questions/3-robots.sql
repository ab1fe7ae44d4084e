-- What is the answer to a request for robots.txt?
SELECT status, state, count(*) AS hosts, share(count(*), sum(count(*)) OVER ()) AS of_hosts,
    count(*) FILTER (size > 512000) AS over_500_kib
FROM hosts GROUP BY ALL ORDER BY hosts DESC, status
