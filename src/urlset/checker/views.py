"""What a rule may ask: the views over the tables of a store, with what many rules need worked out.

Every view has ``document``, the number of the document, and, where a row stands somewhere in it,
``offset`` and ``line`` of its entry. Documents of which only a part could be read (X002, X009,
X019, S001) are left out of all but ``sources``: what is wrong there comes first. A table ``marked``
is to be there already.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping
from functools import lru_cache

from urlset.checker.macros import ASCII_HOSTS, MACROS
from urlset.checker.site_views import VIEWS_OF_SETS
from urlset.checker.url_columns import (
    ASKING,
    ENTRY,
    FROM_ENTRIES,
    IS_PLAIN,
    LOCS,
    OUTSIDE,
    split_url_sql,
)
from urlset.engine.compression import ZLIB_HEADER
from urlset.entry_spans import IN_PACKED

__all__ = ["BROKEN", "FEW", "FIRST", "KEPT", "LONGEST", "VIEWS", "making", "named"]

BROKEN = frozenset({"X002", "X009", "X019", "X031", "S001"})
"""Rules that mean that of a document only a part, or nothing, could be read."""

_BROKEN = ", ".join(f"'{code}'" for code in sorted(BROKEN))
_OF_PACKING = ", ".join(f"'{code}'" for code in sorted(IN_PACKED))
_KINDS = "('urlset', 'index', 'text', 'rss', 'atom')"
VIEWS = {
    # Documents of which only a part could be read, or that are in an archive. A zlib stream is
    # unpacked: its problem covers the bytes of its header only.
    "broken": f"""
        SELECT document, bool_or(code = 'X029') AS is_packed, bool_or(code = 'S001') AS is_rootless
        FROM problems
        WHERE document IS NOT NULL AND (
            code IN ({_BROKEN}) OR (code = 'X029' AND "end" > {ZLIB_HEADER}))
        GROUP BY document""",
    # What the engine has told, without what follows from a document being broken, or from all of
    # its entries being without a URL.
    "told": f"""
        SELECT p.* FROM problems p LEFT JOIN broken b ON b.document = p.document
        WHERE (b.document IS NULL OR p.code IN ({_OF_PACKING})
            OR (NOT b.is_packed AND (starts_with(p.code, 'X') OR p.code = 'S001')
                AND NOT (b.is_rootless AND p.code = 'X024')))
            AND NOT (p.code IN ('S021', 'I005') AND coalesce(p.document IN (
                SELECT document FROM problems WHERE document IS NOT NULL
                AND code IN ('U001', 'U002', 'U015', 'S007')), false))""",
    # Every document that was met, also one that could not be read; `name` is that of the file, in
    # lower case, and empty where there is none.
    "sources": f"""
        SELECT *, kind IN {_KINDS} AND document NOT IN (SELECT document FROM broken) AS is_sound,
            scheme_of(url) AS scheme, host_of(url) AS host, origin_of(url) AS origin,
            folder_of(url) AS folder,
            lower(regexp_extract(CASE WHEN source IS NULL OR source = '-' THEN ''
                WHEN regexp_matches(source, '(?i)^https?://') THEN path_of(source)
                ELSE source END, '[^/\\\\]*$')) AS name
        FROM (SELECT * REPLACE (
            CASE WHEN regexp_matches(url, '(?i)^https?://') THEN url END AS url) FROM documents)""",
    "sound": "SELECT * FROM sources WHERE is_sound",
    # What the markup tells, a fact in each row: see urlset.checker.markup_facts.
    "markup": "SELECT m.*, s.kind FROM marked m JOIN sound s ON s.document = m.document",
    # Every entry, with the parts of its loc, and of the URL of its sitemap where that is known.
    "urls": f"""
        SELECT e.*, s.kind, s.url AS sitemap, s.scheme AS sitemap_scheme, s.host AS sitemap_host,
            s.origin AS sitemap_origin, s.folder AS sitemap_folder
        FROM ({split_url_sql("entries")}) e JOIN sound s ON s.document = e.document""",
    # Those of them that have extensions without a column.
    "extended": "SELECT * FROM urls WHERE extra IS NOT NULL",
    # Every child that an index lists.
    "listed": f"""
        SELECT c.* EXCLUDE (sitemap), c.sitemap AS number, s.url AS sitemap,
            s.host AS sitemap_host, s.origin AS sitemap_origin,
            s.folder AS sitemap_folder
        FROM ({split_url_sql("sitemaps")}) c JOIN sound s ON s.document = c.document""",
    # Both: every loc, of a page or of a child (then kind is 'index').
    "locs": f"""
        SELECT l.*, s.kind, s.url AS sitemap, s.scheme AS sitemap_scheme, s.host AS sitemap_host,
            s.origin AS sitemap_origin
        FROM ({split_url_sql(LOCS)}) l
        JOIN sound s ON s.document = l.document""",
    # Those of them that are not plain: whose spelling may be wrong, or may be no page's. Rules that
    # concern few locs ask here, for most sites have none; a plain one is http(s), has a public host
    # of letters in lower case, and nothing behind it that would have to be encoded.
    "odd_ones": f"FROM {LOCS} WHERE NOT ({IS_PLAIN})",
    "odd": f"""
        SELECT l.*, s.kind, s.url AS sitemap, s.scheme AS sitemap_scheme, s.host AS sitemap_host,
            s.origin AS sitemap_origin
        FROM ({split_url_sql("odd_ones")}) l JOIN sound s ON s.document = l.document""",
    # Entries that are not plainly below their sitemap; most sites have none.
    "outsiders": OUTSIDE,
    # Those that have parameters.
    "asking": f"""
        SELECT l.*, s.kind, s.url AS sitemap, s.origin AS sitemap_origin
        FROM ({split_url_sql(ASKING)}) l
        JOIN sound s ON s.document = l.document""",
    # What documents list of each site, where the URL of the document is not known.
    "mixtures": """
        SELECT document, kind, scheme, host_of(first.loc) AS host, urls, first
        FROM (SELECT s.document, s.kind, lower(split_part(e.loc, ':', 1)) AS scheme,
                split_part(e.loc, '/', 3) AS authority, count(*) AS urls,
                arg_min({'place': e."offset", 'line': e.line, 'loc': e.loc}, e."offset") AS first
            FROM entries e JOIN sound s ON s.document = e.document
            WHERE s.url IS NULL GROUP BY ALL)""",
    # Every lastmod, of a page or of a child; `lastmod` is NULL where the text is no date.
    "lastmods": """
        SELECT l.*, s.kind, length(lastmod_text) > 10
                AND substr(lastmod_text, 11, 1) NOT IN ('+', '-', 'Z') AS has_time
        FROM (SELECT document, "offset", line, loc, lastmod, lastmod_text FROM entries
            UNION ALL SELECT document, "offset", line, loc, lastmod, lastmod_text FROM sitemaps) l
        JOIN sound s ON s.document = l.document
        WHERE lastmod_text IS NOT NULL""",
    # What each document has of what: its entries, how many of them have a lastmod and so on, how
    # many locs end in a slash, and whether the first segment of a path has capitals.
    "totals": """
        SELECT document, count(*) AS n, count(lastmod_text) AS lastmods,
            count(changefreq) AS changefreqs, count(priority) AS priorities,
            count_if(ends_with(loc, '/')) AS slashes,
            bool_or(CASE WHEN loc = lower(loc) THEN false
                ELSE split_part(loc, '/', 4) <> lower(split_part(loc, '/', 4)) END) AS is_upper
        FROM entries SEMI JOIN sound USING (document) GROUP BY document""",
    # Those of them in which a style of URLs may be mixed.
    "mixed": """
        FROM totals
        WHERE n >= 20 AND (least(slashes, n - slashes) >= n * 0.05 OR is_upper)""",
    # Documents most of whose dates lie near the middle one, with all of them, in microseconds: only
    # there may 95 % lie within one minute, wherever that is.
    "crowded": """
        SELECT * FROM (
            SELECT document, count(*) AS n, (95 * count(*) + 99) // 100 AS most,
                list(epoch_us(lastmod)) AS all_, quantile_disc(epoch_us(lastmod), 0.5) AS middle,
                bool_or(has_time) AS has_time
            FROM lastmods WHERE kind <> 'index' AND lastmod IS NOT NULL
            GROUP BY document HAVING count(*) >= 10)
        WHERE len(list_filter(all_, lambda t: abs(t - middle) <= 60000000)) >= most""",
    # When a document may have been generated, as far as that is known, and whence. A date alone
    # cannot tell minutes; of an index, midnight is most likely one.
    "generated": """
        SELECT document, moment FROM (SELECT document, unnest([
            {'at': epoch(try_strptime(last_modified, '%a, %d %b %Y %H:%M:%S GMT')),
                'what': 'Last-Modified of the file'},
            {'at': CASE WHEN status IS NOT NULL AND NOT coalesce(is_from_cache, false)
                THEN epoch(read_at) END, 'what': 'the time of the request'},
            {'at': CASE WHEN epoch(lastmod) % 86400 <> 0 THEN epoch(lastmod) END,
                'what': 'lastmod of the file in its index'}]) AS moment
            FROM sound WHERE kind <> 'index')
        WHERE moment.at IS NOT NULL""",
    # Every image, video, article and alternate, as a struct; the nth of its entry.
    "images": f"""
        SELECT {ENTRY}, s.url AS sitemap, unnest(e.images, recursive := false) AS image,
            generate_subscripts(e.images, 1) AS nth
        {FROM_ENTRIES} WHERE len(e.images) > 0""",
    "videos": f"""
        SELECT {ENTRY}, s.url AS sitemap, unnest(e.videos, recursive := false) AS video,
            generate_subscripts(e.videos, 1) AS nth
        {FROM_ENTRIES} WHERE len(e.videos) > 0""",
    "articles": f"""
        SELECT {ENTRY}, s.url AS sitemap, e.news
        {FROM_ENTRIES} WHERE e.news IS NOT NULL""",
    "alternates": f"""
        SELECT *, alternate.hreflang AS hreflang, alternate.href AS href,
            is_locale(alternate.hreflang) AS is_locale
        FROM (SELECT {ENTRY}, s.url AS sitemap,
                unnest(e.alternates, recursive := false) AS alternate,
                generate_subscripts(e.alternates, 1) AS nth
            {FROM_ENTRIES} WHERE len(e.alternates) > 0)""",
    # Every sitemap that a robots.txt declares, once for each line.
    "declared": """
        SELECT url AS source, host_of(url) AS host, sitemap.url AS loc, sitemap.line AS line
        FROM (SELECT url, unnest(sitemaps) AS sitemap FROM robots)""",
    # Every document that could not be read, with the place where it is named: in an index, or in a
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
    **VIEWS_OF_SETS,
}
"""The views by name, in the order in which they are made."""

KEPT = frozenset(
    "broken sources totals mixed crowded generated proofs versions doubtful outsiders strays "
    "mixtures odd_ones twins repeated alike loose_feeds".split()
)
"""Those that are tables, for they are asked often, or dear."""

FIRST = {"odd_ones": "odd", "outsiders": "strays", "mixtures": "mixtures", "repeated": "alike"}
"""Those that tell soon whether another one has rows; most sites have none, and it is dear to plan
what nothing comes of."""

LONGEST = ("twins", "proofs")
"""Those that take longest to make."""

FEW = 200_000
"""Rows of ``odd_ones`` that may be kept with all their parts, so that these are worked out once."""

_WORD = re.compile(r"[a-z_][a-z_0-9]*")


def making(
    texts: Iterable[str], kept: Container[str] = KEPT, *, is_ascii: bool = True
) -> Iterator[tuple[str, str]]:
    """The names of macros and views that queries mention, each with the SQL that makes it.

    It is for the connections of one check; ``kept`` are those that are to be tables. Without
    ``is_ascii`` the macros compare international names of hosts with their form in ASCII.
    """
    texts = list(texts)
    wanted = _reached(texts, VIEWS)
    views = [(name, body) for name, body in VIEWS.items() if name in wanted]
    called = _reached([*texts, *(body for _, body in views)], _BODIES)
    for name in _BODIES:
        if name in called:
            head = _HEADS[name]
            body = _BODIES[name] if is_ascii else ASCII_HOSTS.get(head, _BODIES[name])
            yield name, f"CREATE MACRO {head} AS {body}"
    for name, body in views:
        kind = "TABLE" if name in kept else "VIEW"
        yield name, f"CREATE {kind} {name} AS {body}"


_HEADS = {head.partition("(")[0]: head for head in MACROS}
_BODIES = {name: MACROS[head] for name, head in _HEADS.items()}


def _reached(texts: Iterable[str], bodies: Mapping[str, str]) -> set[str]:
    """The names of what texts mention, and of what that is made of."""
    found: set[str] = set()
    waiting = list(texts)
    while waiting:
        new = (_words(waiting.pop()) & bodies.keys()) - found
        found |= new
        waiting += [bodies[name] for name in new]
    return found


def named(texts: Iterable[str]) -> set[str]:
    """The macros and views that SQL names itself."""
    return {word for text in texts for word in _words(text) if word in _BODIES or word in VIEWS}


@lru_cache(2_000)
def _words(text: str) -> frozenset[str]:
    """The words of SQL: that of rules and views, few texts that are looked into again and again."""
    return frozenset(_WORD.findall(text.lower()))
