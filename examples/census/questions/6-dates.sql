-- How many sitemaps with dates have only one, or one in the future?
SELECT count(*) AS sitemaps, share(count(*) FILTER (dates = 1 AND urls > 1), count(*)) AS one_date,
    share(count(*) FILTER (newest > now()), count(*)) AS in_the_future,
    share(count(*) FILTER (dated < urls), count(*)) AS some_without
FROM documents WHERE dated > 0
