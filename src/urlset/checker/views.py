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
    COMMON_LOC,
    ENTRY_COLUMNS,
    FROM_ENTRIES,
    IS_PLAIN,
    MACROS,
    OUTSIDE_CANDIDATES,
    PARAMETERIZED,
    split_url_sql,
)
from urlset.checker.site_views import SITE_VIEWS
from urlset.document import IN_PACKED
from urlset.formats.compression import ZLIB_HEADER
from urlset.registry import provided

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
    # Locs that are not of the most common form, with the number of the entry, if it is a page.
    "uncommon_locs": f"""
        FROM (SELECT document, entry, "offset", line, loc FROM entries
            UNION ALL SELECT document, NULL, "offset", line, loc FROM sitemaps)
        WHERE NOT regexp_full_match(loc, '{COMMON_LOC}')""",
    # Locs that are not plain: their spelling may be wrong, or they may not be pages. Rules about
    # rare locs query this view, because most sites have none. See PLAIN_LOC.
    "unusual_locs": f"""
        SELECT document, "offset", line, loc FROM uncommon_locs WHERE NOT ({IS_PLAIN})""",
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
    # Number of URLs per site in each document with several entries whose own URL is unknown.
    "site_mixes": """
        SELECT document, kind, scheme, host_of(first.loc) AS host, urls, first
        FROM (SELECT s.document, s.kind, lower(split_part(e.loc, ':', 1)) AS scheme,
                split_part(e.loc, '/', 3) AS authority, count(*) AS urls,
                arg_min({'start': e."offset", 'line': e.line, 'loc': e.loc}, e."offset") AS first
            FROM entries e JOIN readable s ON s.document = e.document
            WHERE s.url IS NULL AND s.entry_count IS DISTINCT FROM 1 GROUP BY ALL)""",
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
                AND document >= coalesce(getvariable('first_document'), 0)
                AND document <= coalesce(getvariable('last_document'), 4294967295)
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
    **SITE_VIEWS,
    **{name: query for added in provided("RULE_VIEWS") for name, query in added.views.items()},
}
"""SQL of the views by name, in the order of creation."""

MATERIALIZED = frozenset(
    "broken sources totals style_mixes clustered_dates generation_times declaring_hosts "
    "hreflang_sets suspect_links outside_candidates url_scopes site_mixes uncommon_locs "
    "unusual_locs complex_locs duplicate_keys alike_keys repeated_keys duplicates "
    "unlisted_feeds".split()
).union(*(added.materialized for added in provided("RULE_VIEWS")))
"""Views that are created as tables, because they are queried often or are slow."""

BY_DOCUMENT = frozenset({"clustered_dates"})
"""Tables that are created for some documents at a time, between the variables ``first_document``
and ``last_document``: their query keeps all rows of a document in memory."""

PROBES = {
    "uncommon_locs": ("unusual_locs", "complex_locs"),
    "unusual_locs": ("unusual_urls",),
    "outside_candidates": ("url_scopes",),
    "complex_locs": ("complex_keys",),
    "alike_keys": ("duplicates",),
}
"""Cheap tables, and the views that are empty if the table is. Most sites have no rows there. A
table follows those that it depends on."""

FIRST = frozenset({"uncommon_locs", "unusual_locs", "complex_locs"})
"""Probes that are created alone: the slowest views, of :data:`SLOWEST`, wait for their counts."""

EMPTY_TABLES = {
    "broken": "document UINTEGER, is_packed BOOLEAN, is_rootless BOOLEAN",
    "unusual_urls": 'document UINTEGER, "offset" UBIGINT, line UINTEGER, loc VARCHAR, '
    "kind VARCHAR, sitemap VARCHAR, path VARCHAR",
    "declaring_hosts": "document UINTEGER, host VARCHAR",
    "unlisted_feeds": "document UINTEGER",
    "url_scopes": 'document UINTEGER, "offset" UBIGINT, line UINTEGER, loc VARCHAR, kind VARCHAR, '
    "scheme VARCHAR, host VARCHAR, sitemap_host VARCHAR, scope VARCHAR",
    "unusual_locs": 'document UINTEGER, "offset" UBIGINT, line UINTEGER, loc VARCHAR',
    "complex_locs": "document UINTEGER, entry UINTEGER",
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


def view_script(
    texts: Iterable[str], *, omitted: Container[str] = (), is_ascii: bool = True
) -> str:
    """Return SQL statements that create temporary macros and views which the queries use.

    They are for DuckDB with the file of a store. ``omitted`` are names that are not created.
    """
    statements = []
    for name, statement in creation_order(texts, (), is_ascii=is_ascii):
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
