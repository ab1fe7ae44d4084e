-- Which Sitemap lines cannot be used as they are, and why?
WITH lines AS (
    SELECT host, split_part(url, ':', 1) AS scheme, starts_with(text, chr(65279)) AS has_bom,
        trim(unnest(regexp_extract_all(text, '(?im)^\x{FEFF}?[ \t]*sitemap[ \t]*:([^\r\n#]*)', 1))) AS line
    FROM hosts WHERE state = 'read'),
judged AS (
    SELECT *, regexp_extract(line, '^https?://([^/:?#]+)', 1) AS target, CASE
        WHEN line = '' THEN 'empty'
        WHEN NOT regexp_matches(line, '(?i)^https?://') THEN 'relative'
        WHEN regexp_replace(target, '^www\.', '') <> regexp_replace(host, '^www\.', '') THEN 'other host'
        WHEN target <> host THEN 'www or not'
        WHEN split_part(line, ':', 1) <> scheme THEN 'other scheme'
        ELSE 'as it should be' END AS form
    FROM lines)
SELECT form, count(*) AS lines, count(DISTINCT host) AS hosts,
    share(count(*), sum(count(*)) OVER ()) AS of_lines
FROM judged GROUP BY form ORDER BY lines DESC, form
