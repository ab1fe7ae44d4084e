"""SQL views that rules query: the tables of a store with columns that many rules need.

Every view has ``document``, the number of the document. If its rows are about entries, it also has
``offset`` and ``line`` of the entry. Documents that could only be read in part (X002, X009, X019,
S001) are excluded from all views but ``sources``: their own findings come first. The tables
``markup_facts`` and ``failures`` must exist before the views.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator
from functools import lru_cache
from inspect import cleandoc

from urlset.checker.macros import (
    ALL_LOCS,
    ASCII_HOSTS,
    ENTRY_COLUMNS,
    FROM_ENTRIES,
    IS_PLAIN,
    MACROS,
    OUTSIDE_CANDIDATES,
    PARAMETERIZED,
    split_url_sql,
)
from urlset.document import IN_PACKED
from urlset.formats.compression import ZLIB_HEADER
from urlset.registry import provided

_SITE_VIEWS = {
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
            WHERE target <> page),
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
            l.host IN (SELECT DISTINCT host FROM urls) AS is_covered,
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
    "complex_locs": r"""
        SELECT document, entry FROM entries WHERE regexp_matches(substr(loc, 9),
            '[%+#@:]|/[.?]|/(?i:index|default)[.]')""",
    "complex_keys": """
        SELECT document, entry, text_hash(duplicate_key(loc)) AS dup_key
        FROM entries SEMI JOIN complex_locs USING (document, entry)""",
    # Hash of each loc without the differences that most servers ignore.
    "duplicate_keys": """
        SELECT document, entry, text_hash(
            CASE WHEN suffix(short, '/') THEN left(short, length(short) - 1) ELSE short END
            ) AS dup_key
        FROM (SELECT document, entry, substr(lower(loc), CASE
                    WHEN starts_with(loc, 'https://www.') THEN 13
                    WHEN starts_with(loc, 'http://www.') THEN 12
                    WHEN starts_with(loc, 'https://') THEN 9 ELSE 8 END) AS short
            FROM entries ANTI JOIN complex_locs USING (document, entry))
        UNION ALL FROM complex_keys""",
    # Positions of the entries that share their hash with another entry.
    "repeated_keys": """
        SELECT document, entry FROM duplicate_keys WHERE dup_key IN (
            SELECT dup_key FROM duplicate_keys GROUP BY dup_key HAVING count(*) > 1)""",
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
}
"""Views about relations between documents: hreflang, declarations, nested indexes, duplicates.

They are created after the other views, which they query."""
"""SQL of the views by name, in the order of creation."""


BROKEN = frozenset({"X002", "X009", "X019", "X031", "S001"})
"""Codes of problems after which only a part of the document, or nothing, could be read."""

_BROKEN = ", ".join(f"'{code}'" for code in sorted(BROKEN))
_CONTAINER_CODES = ", ".join(f"'{code}'" for code in sorted(IN_PACKED))
_KINDS = "('urlset', 'index', 'text', 'rss', 'atom')"
VIEWS = {
    # Documents that could only be read in part, or that are in an archive. A zlib stream is
    # decompressed: its problem covers only the bytes of its header.
    "broken": f"""
        SELECT document, bool_or(code = 'X029') AS is_packed, bool_or(code = 'S001') AS is_rootless
        FROM problems
        WHERE document IS NOT NULL AND (
            code IN ({_BROKEN}) OR (code = 'X029' AND "end" > {ZLIB_HEADER}))
        GROUP BY document""",
    # Problems that the engine reports, without consequences of a broken document, or of entries
    # that have no URL.
    "reported": f"""
        SELECT p.* FROM problems p LEFT JOIN broken b ON b.document = p.document
        WHERE (b.document IS NULL OR p.code IN ({_CONTAINER_CODES})
            OR (NOT b.is_packed AND (starts_with(p.code, 'X') OR p.code = 'S001')
                AND NOT (b.is_rootless AND p.code = 'X024')))
            AND NOT (p.code IN ('S021', 'I005') AND coalesce(p.document IN (
                SELECT document FROM problems WHERE document IS NOT NULL
                AND code IN ('U001', 'U002', 'U015', 'S007')), false))""",
    # Every document, including those that could not be read; `name` is the file name in lower
    # case, or empty.
    "sources": f"""
        SELECT *, coalesce(kind IN {_KINDS}, false)
                AND document NOT IN (SELECT document FROM broken) AS is_readable,
            scheme_of(url) AS scheme, host_of(url) AS host, origin_of(url) AS origin,
            folder_of(url) AS folder,
            lower(regexp_extract(CASE WHEN source IS NULL OR source = '-' THEN ''
                WHEN regexp_matches(source, '(?i)^https?://') THEN path_of(source)
                ELSE source END, '[^/\\\\]*$')) AS name
        FROM (SELECT * REPLACE (
            CASE WHEN regexp_matches(url, '(?i)^https?://') THEN url END AS url) FROM documents)""",
    "readable": "SELECT * FROM sources WHERE is_readable",
    # Facts of the markup, one in each row; see urlset.checker.markup_facts.
    "markup": "SELECT m.*, s.kind FROM markup_facts m JOIN readable s ON s.document = m.document",
    # Every entry, with the parts of its loc and of the URL of its sitemap, if known.
    "urls": f"""
        SELECT e.*, s.kind, s.url AS sitemap, s.scheme AS sitemap_scheme, s.host AS sitemap_host,
            s.origin AS sitemap_origin, s.folder AS sitemap_folder
        FROM ({split_url_sql("entries")}) e JOIN readable s ON s.document = e.document""",
    # Entries with extensions that have no column.
    "extended": "SELECT * FROM urls WHERE extra IS NOT NULL",
    # Every child of an index.
    "listed": f"""
        SELECT c.* EXCLUDE (sitemap), c.sitemap AS number, s.url AS sitemap,
            s.host AS sitemap_host, s.origin AS sitemap_origin,
            s.folder AS sitemap_folder
        FROM ({split_url_sql("sitemaps")}) c JOIN readable s ON s.document = c.document""",
    # Every loc, of a page or of a child of an index (kind is 'index').
    "locs": f"""
        SELECT l.*, s.kind, s.url AS sitemap, s.scheme AS sitemap_scheme, s.host AS sitemap_host,
            s.origin AS sitemap_origin
        FROM ({split_url_sql(ALL_LOCS)}) l
        JOIN readable s ON s.document = l.document""",
    # Locs that are not plain: their spelling may be wrong, or they may not be pages. Rules about
    # rare locs query this view, because most sites have none. See PLAIN_LOC.
    "unusual_locs": f"FROM {ALL_LOCS} WHERE NOT ({IS_PLAIN})",
    "unusual_urls": f"""
        SELECT l.*, s.kind, s.url AS sitemap, s.scheme AS sitemap_scheme, s.host AS sitemap_host,
            s.origin AS sitemap_origin
        FROM ({split_url_sql("unusual_locs")}) l JOIN readable s ON s.document = l.document""",
    # Entries whose loc does not begin with the folder of their sitemap; most sites have none.
    "outside_candidates": OUTSIDE_CANDIDATES,
    # Locs with parameters.
    "parameterized": f"""
        SELECT l.*, s.kind, s.url AS sitemap, s.origin AS sitemap_origin
        FROM ({split_url_sql(PARAMETERIZED)}) l
        JOIN readable s ON s.document = l.document""",
    # Number of URLs per site in each document whose own URL is unknown.
    "site_mixes": """
        SELECT document, kind, scheme, host_of(first.loc) AS host, urls, first
        FROM (SELECT s.document, s.kind, lower(split_part(e.loc, ':', 1)) AS scheme,
                split_part(e.loc, '/', 3) AS authority, count(*) AS urls,
                arg_min({'start': e."offset", 'line': e.line, 'loc': e.loc}, e."offset") AS first
            FROM entries e JOIN readable s ON s.document = e.document
            WHERE s.url IS NULL GROUP BY ALL)""",
    # Every lastmod, of a page or of a child; `lastmod` is NULL if the text is not a date.
    "lastmods": """
        SELECT l.*, s.kind, length(lastmod_text) > 10
                AND substr(lastmod_text, 11, 1) NOT IN ('+', '-', 'Z') AS has_time
        FROM (SELECT document, "offset", line, loc, lastmod, lastmod_text FROM entries
            UNION ALL SELECT document, "offset", line, loc, lastmod, lastmod_text FROM sitemaps) l
        JOIN readable s ON s.document = l.document
        WHERE lastmod_text IS NOT NULL""",
    # Counts per document: its entries, those with a lastmod and so on, and locs that end with a
    # slash; and whether the first segment of a path has capitals.
    "totals": """
        SELECT document, count(*) AS n, count(lastmod_text) AS lastmods,
            count(changefreq) AS changefreqs, count(priority) AS priorities,
            count_if(ends_with(loc, '/')) AS slashes,
            bool_or(CASE WHEN loc = lower(loc) THEN false
                ELSE split_part(loc, '/', 4) <> lower(split_part(loc, '/', 4)) END) AS is_upper
        FROM entries SEMI JOIN readable USING (document) GROUP BY document""",
    # Documents that may mix two styles of URLs.
    "style_mixes": """
        FROM totals
        WHERE n >= 20 AND (least(slashes, n - slashes) >= n * 0.05 OR is_upper)""",
    # Documents with most dates near the median, with all dates in microseconds: only these can
    # have 95 % of their dates within one minute.
    "clustered_dates": """
        SELECT * FROM (
            SELECT document, count(*) AS n, (95 * count(*) + 99) // 100 AS most,
                list(epoch_us(lastmod)) AS all_, quantile_disc(epoch_us(lastmod), 0.5) AS middle,
                bool_or(has_time) AS has_time
            FROM lastmods WHERE kind <> 'index' AND lastmod IS NOT NULL
            GROUP BY document HAVING count(*) >= 10)
        WHERE len(list_filter(all_, lambda t: abs(t - middle) <= 60000000)) >= most""",
    # Possible times at which a document was generated, with their origin. A date without a time is
    # not precise enough; midnight in an index is most likely such a date.
    "generation_times": """
        SELECT document, generation FROM (SELECT document, unnest([
            {'at': epoch(try_strptime(last_modified, '%a, %d %b %Y %H:%M:%S GMT')),
                'origin': 'Last-Modified of the file'},
            {'at': CASE WHEN status IS NOT NULL AND NOT coalesce(is_from_cache, false)
                THEN epoch(read_at) END, 'origin': 'the time of the request'},
            {'at': CASE WHEN epoch(lastmod) % 86400 <> 0 THEN epoch(lastmod) END,
                'origin': 'lastmod of the file in its index'}]) AS generation
            FROM readable WHERE kind <> 'index')
        WHERE generation.at IS NOT NULL""",
    # Every image, video, article and alternate as a struct; `nth` is its number in the entry.
    "images": f"""
        SELECT {ENTRY_COLUMNS}, s.url AS sitemap, unnest(e.images, recursive := false) AS image,
            generate_subscripts(e.images, 1) AS nth
        {FROM_ENTRIES} WHERE len(e.images) > 0""",
    "videos": f"""
        SELECT {ENTRY_COLUMNS}, s.url AS sitemap, unnest(e.videos, recursive := false) AS video,
            generate_subscripts(e.videos, 1) AS nth
        {FROM_ENTRIES} WHERE len(e.videos) > 0""",
    "articles": f"""
        SELECT {ENTRY_COLUMNS}, s.url AS sitemap, e.news
        {FROM_ENTRIES} WHERE e.news IS NOT NULL""",
    "alternates": f"""
        SELECT *, alternate.hreflang AS hreflang, alternate.href AS href,
            is_locale(alternate.hreflang) AS is_locale
        FROM (SELECT {ENTRY_COLUMNS}, s.url AS sitemap,
                unnest(e.alternates, recursive := false) AS alternate,
                generate_subscripts(e.alternates, 1) AS nth
            {FROM_ENTRIES} WHERE len(e.alternates) > 0)""",
    # Every Sitemap line of a robots.txt.
    "declared": """
        SELECT url AS source, host_of(url) AS host, sitemap.url AS loc, sitemap.line AS line
        FROM (SELECT url, unnest(sitemaps) AS sitemap FROM robots)""",
    # Every document that could not be read, with the place that names it: in an index, or in a
    # robots.txt (then `document` is NULL and `source` its URL). `loc` is the URL of the document.
    "failed": """
        SELECT CASE WHEN d.source IS NULL THEN coalesce(i.document, f.document) END AS document,
            d.source, i."offset", coalesce(i.line, d.line) AS line, f.loc, f.failure, f.error
        FROM failures f
        LEFT JOIN (SELECT loc, source, min(document) AS document, min("offset") AS "offset",
                min(line) AS line
            FROM sitemaps GROUP BY loc, source) i
            ON f.how = 'index' AND i.loc = f.loc AND i.source IS NOT DISTINCT FROM f.parent
        LEFT JOIN (SELECT loc, source, min(line) AS line FROM declared GROUP BY loc, source) d
            ON f.how = 'robots' AND d.loc = f.loc AND d.source = f.parent
        WHERE NOT (f.how = 'robots' AND f.parent IS NULL)""",
    **_SITE_VIEWS,
    **{name: query for added in provided("RULE_VIEWS") for name, query in added.views.items()},
}
"""SQL of the views by name, in the order of creation."""

MATERIALIZED = frozenset(
    "broken sources totals style_mixes clustered_dates generation_times declaring_hosts "
    "hreflang_sets suspect_links outside_candidates url_scopes site_mixes unusual_locs "
    "complex_locs duplicate_keys repeated_keys duplicates unlisted_feeds".split()
).union(*(added.materialized for added in provided("RULE_VIEWS")))
"""Views that are created as tables, because they are queried often or are slow."""

PROBES = {
    "unusual_locs": "unusual_urls",
    "outside_candidates": "url_scopes",
    "complex_locs": "complex_keys",
    "repeated_keys": "duplicates",
}
"""Cheap tables, and the view that is empty if the table is. Most sites have no rows there."""

EMPTY_TABLES = {
    "unusual_urls": 'document UINTEGER, "offset" UBIGINT, line UINTEGER, loc VARCHAR, '
    "kind VARCHAR, sitemap VARCHAR, path VARCHAR",
    "declaring_hosts": "document UINTEGER, host VARCHAR",
    "unlisted_feeds": "document UINTEGER",
    "url_scopes": 'document UINTEGER, "offset" UBIGINT, line UINTEGER, loc VARCHAR, kind VARCHAR, '
    "scheme VARCHAR, host VARCHAR, sitemap_host VARCHAR, scope VARCHAR",
    "complex_keys": "document UINTEGER, entry UINTEGER, dup_key UBIGINT",
}
"""Views that are slow to plan, with the columns that rules read. If a view is known to be empty, an
empty table replaces it."""

SLOWEST = ("duplicate_keys", "declaring_hosts")
"""Views that take longest to create."""

MAX_UNUSUAL_ROWS = 200_000
"""Up to this number of rows, ``unusual_urls`` is a table, so its columns are computed once."""

_WORD = re.compile(r"(?<![\w'])[a-z_][a-z_0-9]*(?![\w'])")
"""Name, keyword or function in SQL, but no literal of one word, such as ``'images'``."""


def creation_order(
    texts: Iterable[str],
    materialized: Container[str] = MATERIALIZED,
    *,
    is_ascii: bool = True,
    empty: Container[str] = (),
) -> Iterator[tuple[str, str]]:
    """Yield each macro and view that the queries use, with the SQL that creates it.

    ``materialized`` are the views to create as tables. Without ``is_ascii`` the macros compare
    international host names by their ASCII form. For ``empty``, of :data:`EMPTY_TABLES`, an empty
    table is created, without the names that only their SQL uses.
    """
    found = used_names(texts, empty)
    created: set[str] = set()
    for name in _BODIES:
        if name not in found:
            continue
        # DuckDB creates a macro only after the views that it uses.
        for view in _VIEWS_OF_MACROS.get(name, ()):
            yield view, _view_statement(view, materialized, empty)
            created.add(view)
        head = _HEADS[name]
        body = _BODIES[name] if is_ascii else ASCII_HOSTS.get(head, _BODIES[name])
        yield name, f"CREATE MACRO {head} AS {body}"
    for name in VIEWS:
        if name in found and name not in created:
            yield name, _view_statement(name, materialized, empty)


def _view_statement(name: str, materialized: Container[str], empty: Container[str]) -> str:
    if name in empty:
        return f"CREATE TABLE {name} ({EMPTY_TABLES[name]})"
    kind = "TABLE" if name in materialized else "VIEW"
    return f"CREATE {kind} {name} AS {VIEWS[name]}"


def view_script(texts: Iterable[str], *, omitted: Container[str] = ()) -> str:
    """Return SQL statements that create temporary macros and views which the queries use.

    They are for DuckDB with the file of a store. ``omitted`` are names that are not created.
    """
    statements = []
    for name, statement in creation_order(texts, ()):
        if name not in omitted:
            kind, _, rest = statement.removeprefix("CREATE ").partition(" ")
            statements.append(f"CREATE OR REPLACE TEMP {kind} {cleandoc(rest)};")
    return "\n".join(statements)


_HEADS = {head.partition("(")[0]: head for head in MACROS}
_BODIES = {name: MACROS[head] for name, head in _HEADS.items()}
_SQL = _BODIES | VIEWS


def used_names(texts: Iterable[str], leaves: Container[str] = ()) -> set[str]:
    """Return the macros and views that SQL uses, also through others that are not ``leaves``."""
    found: set[str] = set()
    pending = list(texts)
    while pending:
        new = names_in(pending.pop()) - found
        found |= new
        pending += [_SQL[name] for name in new if name not in leaves]
    return found


@lru_cache(2_000)
def names_in(text: str) -> frozenset[str]:
    """Return the macros and views that SQL uses directly; cached, as the same texts recur."""
    return frozenset(_WORD.findall(text.lower())) & _SQL.keys()


_VIEWS_OF_MACROS = {
    name: [view for view in VIEWS if view in names]
    for name, body in _BODIES.items()
    if (names := names_in(body)) & VIEWS.keys()
}
