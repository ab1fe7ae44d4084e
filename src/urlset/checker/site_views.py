"""SQL views about relations between documents: hreflang, declarations, nested indexes, duplicates.

They query the views of :mod:`urlset.checker.views`, which has all of them.
"""

from __future__ import annotations

from urlset.checker.macros import ENTRY_COLUMNS, FROM_ENTRIES, IS_COMPLEX, split_url_sql


def roles_sql(documents: str) -> str:
    """Return SQL of what the pages in some documents have in common, and those documents."""
    return f"""
        SELECT d.document, CASE WHEN bool_and(e.news IS NOT NULL) THEN 'news'
            WHEN bool_and(len(e.videos) > 0) THEN 'videos'
            WHEN bool_and(len(e.images) > 0) AND contains(any_value(d.name), 'image')
            THEN 'images' ELSE 'pages' END AS role
        FROM readable d JOIN entries e ON e.document = d.document
        WHERE d.kind IN ('urlset', 'text') AND d.document IN ({documents})
        GROUP BY d.document"""


SITE_VIEWS = {
    # Every entry with hreflang links, with the hashes of their URLs: there may be a hundred million
    # of them. The probability that two of ten million URLs share a hash is one in 300,000.
    # `urls_key` and `size` include the page itself.
    "hreflang_sets": f"""
        SELECT document, entry, "offset", line, page, targets,
            list_contains(targets, page) AS has_self,
            len(list_distinct(all_urls)) AS size,
            hash(list_sort(list_distinct(all_urls))) AS urls_key,
            hash(list_sort(list_distinct(pairs))) AS pairs_key,
            len(list_filter(tags, lambda t: t IS NOT NULL)) AS link_count,
            len(list_filter(targets, lambda t: t IS NOT NULL)) AS url_count,
            len(list_distinct(pairs)) AS pair_count, len(list_distinct(tags)) AS tag_count,
            list_contains(tags, text_hash('x-default')) AS has_default
        FROM (SELECT *, list_append(targets, page) AS all_urls
            -- Each list is computed from one other list: a lambda over two lists copies the second
            -- for every element of the first.
            FROM (SELECT * EXCLUDE (links), list_transform(links, lambda l: l.target) AS targets,
                    list_transform(links, lambda l: l.tag) AS tags,
                    list_transform(links, lambda l:
                        CASE WHEN l.target IS NOT NULL THEN hash(l.target, l.tag) END) AS pairs
                FROM (SELECT {ENTRY_COLUMNS}, text_hash(normal_of(e.loc)) AS page,
                        list_transform(e.alternates, lambda a: {{
                            'target': CASE WHEN a.hreflang IS NOT NULL AND a.media IS NULL
                                AND is_web(a.href) THEN text_hash(normal_of(a.href)) END,
                            'tag': CASE WHEN a.hreflang IS NOT NULL AND a.media IS NULL
                                THEN text_hash(tag_of(a.hreflang)) END}}) AS links
                    {FROM_ENTRIES} WHERE len(e.alternates) > 0)))
        WHERE link_count > 0""",
    # Hosts of all pages that are listed.
    "listed_hosts": "SELECT DISTINCT host FROM urls",
    # Every hreflang link that is not mutual, or whose target is unlisted or lists other URLs. Most
    # sites have none: complete clusters, with all pages and the same links, are excluded first.
    "suspect_links": """
        WITH complete AS (
            SELECT pairs_key FROM (
                SELECT DISTINCT pairs_key, page, size, has_self FROM hreflang_sets)
            GROUP BY pairs_key HAVING count(*) = any_value(size) AND bool_and(has_self)),
        links AS (
            SELECT * FROM (
                SELECT v.document, v.entry, v."offset", v.line, v.page, v.urls_key, v.size,
                    unnest(v.targets) AS target, generate_subscripts(v.targets, 1) AS nth,
                    unnest(list_transform(e.alternates, lambda a: tag_of(a.hreflang))) AS tag,
                    unnest(list_transform(e.alternates, lambda a: host_of(a.href))) AS host
                FROM hreflang_sets v ANTI JOIN complete w USING (pairs_key)
                JOIN entries e ON e.document = v.document AND e.entry = v.entry)
            WHERE target <> page AND (in_bucket(target) OR in_bucket(page))),
        target_sets AS (
            SELECT v.* FROM hreflang_sets v
            SEMI JOIN (SELECT DISTINCT target FROM links) l ON l.target = v.page),
        answers AS (
            SELECT v.page, unnest(v.targets) AS target,
                unnest(list_transform(e.alternates, lambda a: tag_of(a.hreflang))) AS tag
            FROM target_sets v JOIN entries e ON e.document = v.document AND e.entry = v.entry),
        returned AS (SELECT DISTINCT page, target FROM answers),
        same_lists AS (SELECT DISTINCT page, urls_key FROM target_sets),
        own_tag AS (
            SELECT DISTINCT page, tag FROM answers WHERE page = target AND tag <> 'x-default'),
        own AS (  -- at most nine, for the message
            SELECT page, list_sort(list(tag ORDER BY tag)[:9]) AS tags FROM own_tag GROUP BY page)
        SELECT l.* EXCLUDE (host), own.tags AS own_tags,
            l.target IN (
                SELECT text_hash(normal_of(loc)) FROM urls WHERE kind = 'urlset') AS is_listed,
            l.host IN (FROM listed_hosts) AS is_covered,
            r.page IS NOT NULL AS is_returned, k.page IS NOT NULL AS is_alike,
            l.tag <> 'x-default' AND own.page IS NOT NULL AND o.page IS NULL AS is_contradicted
        FROM links l
        LEFT JOIN returned r ON r.page = l.target AND r.target = l.page
        LEFT JOIN same_lists k ON k.page = l.target AND k.urls_key = l.urls_key
        LEFT JOIN own ON own.page = l.target
        LEFT JOIN own_tag o ON o.page = l.target AND o.tag = l.tag
        WHERE is_contradicted OR NOT (is_returned AND is_alike) AND is_listed
            OR is_covered AND NOT is_listed""",
    # The same links, with their href and hreflang.
    "suspect_link_details": """
        SELECT d.*, a.loc, a.alternate.href AS href, a.alternate.hreflang AS hreflang
        FROM suspect_links d JOIN (
            SELECT e.document, e.entry, e.loc,
                unnest(e.alternates, recursive := false) AS alternate,
                generate_subscripts(e.alternates, 1) AS nth
            FROM entries e SEMI JOIN suspect_links USING (document, entry)) a
        ON a.document = d.document AND a.entry = d.entry AND a.nth = d.nth""",
    # Hosts whose robots.txt declares a document or an index above it.
    "declaring_hosts": """
        WITH RECURSIVE named(document, url) AS (
            -- Planning `normal_of` takes 10 ms, so it is used once.
            SELECT DISTINCT document, normal_of(address) FROM (
                SELECT document,
                    unnest([url, loc, if(source ILIKE 'http%', source, NULL)]) AS address
                FROM sources)
            WHERE address IS NOT NULL),
        above(document, url) AS (
            SELECT document, url FROM named
            UNION
            SELECT a.document, n.url FROM above a
            JOIN sitemaps c ON normal_of(c.loc) = a.url JOIN named n ON n.document = c.document)
        SELECT a.document, d.host FROM above a JOIN declared d ON normal_of(d.loc) = a.url
        UNION SELECT document, host_of(declared_by) FROM sources WHERE declared_by IS NOT NULL""",
    # Hosts whose declarations are known: they have a robots.txt, or certainly none.
    "known_robots": """
        SELECT DISTINCT host_of(url) AS host FROM robots WHERE state IN ('read', 'absent')""",
    # Documents that were read, by each URL that leads to them, in the form of `normal_of`.
    "document_urls": """
        SELECT DISTINCT normal_of(address) AS address, document FROM (
            SELECT unnest([url, loc]) AS address, document FROM sources WHERE kind IS NOT NULL
            UNION ALL
            SELECT d.loc, s.document FROM sources d JOIN sources s ON s.source = d.same_as
            WHERE s.kind IS NOT NULL)
        WHERE address IS NOT NULL""",
    # Every index that an index lists; `way` is a path back from it through at most ten others.
    "nested_indexes": """
        WITH RECURSIVE edges AS (
            SELECT c.document, c."offset", c.line, c.loc, s.document AS child
            FROM listed c JOIN document_urls r ON r.address = normal_of(c.loc)
            JOIN readable s ON s.document = r.document AND s.kind = 'index'),
        ways(start, node, way) USING KEY (start, node) AS (
            SELECT DISTINCT document, child, [document, child] FROM edges WHERE child <> document
            UNION
            SELECT w.start, e.child, list_append(w.way, e.child) FROM ways w
            JOIN edges e ON e.document = w.node
            WHERE len(w.way) < 11 AND NOT EXISTS (
                SELECT 1 FROM recurring.ways r WHERE r.start = w.start AND r.node = e.child))
        SELECT e.*, w.way FROM edges e
        LEFT JOIN ways w ON w.start = e.child AND w.node = e.document""",
    # Feeds in a folder that no index or robots.txt names: they are meant for feed readers.
    "unlisted_feeds": """
        SELECT document FROM readable
        WHERE kind IN ('rss', 'atom') AND how = 'folder' AND loc IS NULL AND url IS NOT NULL
            AND document NOT IN (SELECT document FROM declaring_hosts)
            AND normal_of(url) NOT IN (SELECT normal_of(loc) FROM sitemaps)""",
    # Every entry whose loc does not begin with the folder of its sitemap. `scope` is `host` (other
    # host, port or scheme), `http` (only the scheme differs), `path` (other folder) or `in` (inside
    # the folder, or its host declares the sitemap: `is_proven`). For `unlisted_feeds` only the
    # scheme is compared.
    "url_scopes": f"""
        SELECT u.*, p.host IS NOT NULL AS is_proven, CASE
            WHEN origin_of(loc) = sitemap_origin THEN CASE
                WHEN starts_with(percent_decoded(path), percent_decoded(sitemap_folder)) THEN 'in'
                WHEN f.document IS NULL THEN 'path' END
            WHEN 'http:' || substr(sitemap_origin, 7) = origin_of(loc) THEN 'http'
            WHEN p.host IS NOT NULL THEN 'in'
            WHEN f.document IS NOT NULL THEN NULL
            -- An international name cannot be compared with its form in ASCII.
            WHEN strlen(u.host) > length(u.host) AND contains(sitemap_host, 'xn--') THEN NULL
            WHEN strlen(sitemap_host) > length(sitemap_host) AND contains(u.host, 'xn--') THEN NULL
            ELSE 'host' END AS scope
        FROM ({split_url_sql("outside_candidates")}) u
        LEFT JOIN declaring_hosts p ON p.document = u.document AND p.host = u.host
        LEFT JOIN unlisted_feeds f ON f.document = u.document""",
    # Entries whose loc has a part that `duplicate_key` normalizes; most sites have none.
    "complex_locs": f"""
        SELECT document, entry FROM uncommon_locs WHERE entry IS NOT NULL AND {IS_COMPLEX}""",
    "complex_keys": """
        SELECT document, entry, hash(duplicate_key(loc)) AS dup_key
        FROM entries SEMI JOIN complex_locs USING (document, entry)""",
    # Hash of each loc without the differences that most servers ignore. `hash` maps some different
    # texts to one number, and takes half of the time of `text_hash`.
    "duplicate_keys": """
        SELECT document, entry, hash(
            CASE WHEN suffix(short, '/') THEN left(short, length(short) - 1) ELSE short END
            ) AS dup_key
        FROM (SELECT document, entry, substr(lower(loc), CASE
                    WHEN starts_with(loc, 'https://www.') THEN 13
                    WHEN starts_with(loc, 'http://www.') THEN 12
                    WHEN starts_with(loc, 'https://') THEN 9 ELSE 8 END) AS short
            FROM entries ANTI JOIN complex_locs USING (document, entry))
        UNION ALL FROM complex_keys""",
    # Positions of the entries that share their hash with another entry; most sites have none.
    "alike_keys": """
        SELECT document, entry FROM duplicate_keys WHERE dup_key IN (
            SELECT dup_key FROM duplicate_keys GROUP BY dup_key HAVING count(*) > 1)""",
    # Positions of those that also share the hash which identifies a text.
    "repeated_keys": """
        WITH keys AS MATERIALIZED (
            SELECT document, entry, text_hash(duplicate_key(loc)) AS dup_key
            FROM entries SEMI JOIN alike_keys USING (document, entry))
        SELECT document, entry FROM keys WHERE dup_key IN (
            SELECT dup_key FROM keys GROUP BY dup_key HAVING count(*) > 1)""",
    # Every entry with a duplicate anywhere, with a hash of each of its values.
    "duplicates": """
        SELECT e.document, e."offset", e.line, e.loc, duplicate_key(e.loc) AS dup_key,
            without_slash(canonical_guess(normal_of(e.loc))) AS spelled, s.kind,
            e.lastmod, e.lastmod_text, text_hash(e.changefreq) AS changefreq,
            hash(e.priority) AS priority, text_hash(e.images::VARCHAR) AS images,
            text_hash(e.videos::VARCHAR) AS videos, text_hash(e.news::VARCHAR) AS news,
            text_hash(e.alternates::VARCHAR) AS alternates, text_hash(e.extra::VARCHAR) AS extra
        FROM entries e JOIN readable s ON s.document = e.document
        JOIN repeated_keys r ON e.document = r.document AND e.entry = r.entry""",
    "document_roles": roles_sql("SELECT document FROM duplicates"),
    # The newest date in each sitemap, of several wordings the last in the order of text.
    # D007 reports dates in the future.
    "newest_dates": """
        SELECT document, max(since) AS newest,
            arg_max(lastmod_text, (since, lastmod_text)) AS newest_text
        FROM (SELECT document, lastmod_text, earliest(lastmod, lastmod_text) AS since
            FROM entries WHERE lastmod <= check_time())
        GROUP BY document""",
}
"""Views about relations between documents: hreflang, declarations, nested indexes, duplicates.

They are created after the other views, which they query."""
