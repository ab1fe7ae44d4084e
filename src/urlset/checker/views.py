"""What a rule may ask: the views over the tables of a store, with what many rules need worked out.

Every view has ``document``, the number of the document, and, where a row stands somewhere in it,
``offset`` and ``line`` of its entry. Documents of which only a part could be read (X002, X009,
X019, S001) are left out of all but ``sources``: what is wrong there comes first. A table ``marked``
is to be there already.
"""

from __future__ import annotations

from collections.abc import Iterator

from urlset.languages import LANGUAGES, REGIONS, SCRIPTS
from urlset.locating import IN_PACKED

__all__ = ["BROKEN", "MACROS", "VIEWS", "statements"]

_LOCALE = f"x-default|({'|'.join(LANGUAGES)})(-({'|'.join(SCRIPTS)}))?(-({'|'.join(REGIONS)}))?"
_DAY, _TIME = r"\d{4}-\d\d-\d\d", r"\d\d:\d\d(:\d\d(\.\d+)?)?"

MACROS = {
    "moment()": "getvariable('moment')::TIMESTAMPTZ",
    "profile()": "getvariable('profile')::VARCHAR",
    # A loc is always an absolute http(s) URL with a host: the engine reports all others.
    "scheme_of(loc)": "lower(split_part(loc, ':', 1))",
    "authority_of(loc)": "regexp_extract(loc, '^[^:]*://([^/?#]*)', 1)",
    "host_of(loc)": r"lower(regexp_extract(loc, "
    r"'^[^:]*://(?:[^/?#@]*@)?(\[[^\]]*\]|[^/?#:]*)', 1))",
    "port_of(loc)": r"regexp_extract(loc, "
    r"'^[^:]*://(?:[^/?#@]*@)?(?:\[[^\]]*\]|[^/?#:]*):([0-9]+)', 1)",
    "path_of(loc)": "coalesce(nullif(regexp_extract(loc, '^[^:]*://[^/?#]*([^?#]*)', 1), ''), '/')",
    "query_of(loc)": r"CASE WHEN contains(loc, '?') "
    r"THEN regexp_extract(loc, '^[^?#]*\?([^#]*)', 1) ELSE '' END",
    "fragment_of(loc)": "CASE WHEN contains(loc, '#') "
    "THEN regexp_extract(loc, '#(.*)$', 1) ELSE '' END",
    # Scheme, host and port, with the default port left out: what the location rule compares.
    "origin_of(loc)": "scheme_of(loc) || '://' || host_of(loc) || CASE WHEN port_of(loc) = '' OR "
    "(scheme_of(loc) || port_of(loc)) IN ('http80', 'https443') THEN '' ELSE ':' || port_of(loc) END",
    "decoded(text)": "CASE WHEN contains(text, '%') OR contains(text, '+') "
    "THEN coalesce(try(url_decode(text)), text) ELSE text END",
    "undotted(path)": r"CASE WHEN contains(path, '/.') "
    r"THEN regexp_replace(path, '/\.(/|$)', '/', 'g') ELSE path END",
    "folder_of(loc)": "regexp_extract(path_of(loc), '^.*/')",
    # The same for all URLs that RFC 3986 section 6.2.2 calls equivalent, and for those that differ
    # only in what is percent-encoded. For comparing, not for showing.
    "normal_of(loc)": r"CASE WHEN regexp_full_match(loc, 'https?://[a-z0-9.-]+/[\w~/.?=&-]*') "
    "AND NOT contains(loc, '/.') THEN loc ELSE origin_of(loc) || decoded(undotted("
    "coalesce(nullif(regexp_extract(loc, '^[^:]*://[^/?#]*([^#]*)', 1), ''), '/'))) END",
    # What is left of a URL that most servers answer like others: without scheme, www, the name of
    # an index file and a slash at the end, in lower case.
    "twin_of(loc)": r"lower(regexp_replace(regexp_replace(regexp_replace(normal_of(loc), "
    r"'^https?://(www\.)?', ''), '(?i)/(index|default)\.(html?|php|aspx?|jsp)(\?|$)', '/\3'), "
    r"'/(\?|$)', '\1'))",
    # A value as it stands in words: one line of 80 characters.
    "shown(text)": "translate(CASE WHEN length(text) > 80 THEN left(text, 80) || '…' "
    "ELSE text END, chr(9) || chr(10) || chr(13), '   ')",
    "is_web(text)": r"coalesce(regexp_matches(text, '^(?i:https?)://[^/?#\s]'), false)",
    # What is wrong with a URL that the engine takes as it is (of images, videos …), in words.
    "url_fault(text)": "CASE "
    r"WHEN regexp_full_match(text, 'https?://[a-zA-Z0-9.-]+/[\w~/.?=&%-]*') THEN NULL "
    "WHEN text IS NOT NULL AND NOT is_web(text) THEN 'is not a full http(s) URL' "
    r"WHEN regexp_matches(text, '[\s\x{A0}]') THEN 'has white space inside' "
    r"WHEN regexp_matches(text, '[<>\"{}|\\^`\x00-\x1f\x7f]') "
    "THEN 'has a character that must be percent-encoded' END",
    # For URLs that are seldom the same: most differ in their ends, which costs little to see.
    "same_url(one, other)": "CASE WHEN right(rtrim(one, '/'), 2) <> right(rtrim(other, '/'), 2) "
    "THEN false ELSE normal_of(one) = normal_of(other) END",
    # What is wrong with a date of an extension, in words; null for one that engines read: a day, or
    # a day with a time (to the minute, second or finer) and its zone.
    "w3c_fault(text)": "CASE "
    f"WHEN regexp_full_match(text, '{_DAY}(T{_TIME}(Z|[+-]\\d\\d:\\d\\d))?') THEN CASE "
    "WHEN try_cast(left(text, 10) AS DATE) IS NULL OR text < '0001' "
    r"OR regexp_matches(text, 'T(2[4-9]|[3-9]|..:[6-9]|..:..:[6-9])') THEN 'is not a real date' "
    r"WHEN regexp_matches(text, 'T.*[+-](1[5-9]|[2-9]|..:[6-9])') "
    "THEN 'has an offset that no place on Earth has' END "
    f"WHEN regexp_full_match(text, '{_DAY}[T ]{_TIME}') THEN 'has a time but no time zone' "
    f"WHEN regexp_full_match(text, '{_DAY}[T ]{_TIME} ?[+-]\\d\\d(\\d\\d)?') "
    "THEN 'has an offset that is not written +hh:mm' "
    "WHEN text IS NOT NULL THEN 'is not YYYY-MM-DD or YYYY-MM-DDThh:mm:ss+hh:mm' END",
    # The instant of such a date, a day being its midnight in UTC; null where it has a fault.
    "w3c_moment(text)": "CASE WHEN text IS NOT NULL AND w3c_fault(text) IS NULL "
    "THEN try_cast(text AS TIMESTAMPTZ) END",
    # The value of hreflang as engines compare it, and its parts.
    "tag_of(hreflang)": "lower(replace(hreflang, '_', '-'))",
    "language_of(hreflang)": "split_part(tag_of(hreflang), '-', 1)",
    "is_locale(hreflang)": f"regexp_full_match(hreflang, '(?i:{_LOCALE})')",
    "is_language(code)": f"regexp_full_match(code, '{'|'.join(LANGUAGES)}')",
    "is_script(code)": f"regexp_full_match(code, '(?i:{'|'.join(SCRIPTS)})')",
    "is_region(code)": f"regexp_full_match(code, '{'|'.join(REGIONS)}')",
}
"""Functions of SQL that rules may use, besides DuckDB's own."""

BROKEN = frozenset({"X002", "X009", "X019", "S001"})
"""Rules that mean that of a document only a part, or nothing, could be read."""

_BROKEN = ", ".join(f"'{code}'" for code in sorted(BROKEN))
_OF_PACKING = ", ".join(f"'{code}'" for code in sorted(IN_PACKED))
_KINDS = "('urlset', 'index', 'text', 'rss', 'atom')"
_ENTRY = 'e.document, e.entry, e."offset", e.line, e.loc'
_FROM_ENTRIES = "FROM entries e JOIN sound s ON s.document = e.document"

VIEWS = {
    # Documents of which only a part could be read, or that were packed with what nobody unpacks
    # (zlib is unpacked).
    "broken": f"""
        SELECT document, bool_or(code = 'X029') AS is_packed, bool_or(code = 'S001') AS is_rootless
        FROM problems
        WHERE document IS NOT NULL AND (
            code IN ({_BROKEN}) OR (code = 'X029' AND NOT starts_with(message, 'A zlib')))
        GROUP BY document""",
    # What the engine has told, without what follows from a document being broken.
    "told": f"""
        SELECT p.* FROM problems p LEFT JOIN broken b ON b.document = p.document
        WHERE b.document IS NULL OR p.code IN ({_OF_PACKING})
            OR (NOT b.is_packed AND (starts_with(p.code, 'X') OR p.code = 'S001')
                AND NOT (b.is_rootless AND p.code = 'X024'))""",
    # Every document that was met, also one that could not be read; `name` is that of the file, in
    # lower case, and empty where there is none.
    "sources": f"""
        SELECT *, kind IN {_KINDS} AND document NOT IN (SELECT document FROM broken) AS is_sound,
            scheme_of(url) AS scheme, host_of(url) AS host, origin_of(url) AS origin,
            folder_of(url) AS folder,
            lower(regexp_extract(CASE WHEN source IS NULL OR source = '-' THEN ''
                WHEN regexp_matches(source, '(?i)^https?://') THEN path_of(source)
                ELSE source END, '[^/\\\\]*$')) AS name
        FROM documents""",
    "sound": "SELECT * FROM sources WHERE is_sound",
    # What the markup tells, a fact in each row: see urlset.checker.markup.
    "markup": "SELECT m.*, s.kind FROM marked m JOIN sound s ON s.document = m.document",
    # Every entry, with the parts of its loc, and of the URL of its sitemap where that is known.
    "urls": f"""
        SELECT e.*, s.kind, s.url AS sitemap, s.scheme AS sitemap_scheme, s.host AS sitemap_host,
            s.origin AS sitemap_origin, s.folder AS sitemap_folder,
            scheme_of(e.loc) AS scheme, host_of(e.loc) AS host, port_of(e.loc) AS port,
            path_of(e.loc) AS path, query_of(e.loc) AS query, fragment_of(e.loc) AS fragment
        {_FROM_ENTRIES}""",
    # Every child that an index lists.
    "listed": """
        SELECT c.* EXCLUDE (sitemap), c.sitemap AS number, s.url AS sitemap,
            s.host AS sitemap_host, s.origin AS sitemap_origin,
            s.folder AS sitemap_folder, host_of(c.loc) AS host, path_of(c.loc) AS path
        FROM sitemaps c JOIN sound s ON s.document = c.document""",
    # Every image, video, article and alternate, as a struct; the nth of its entry.
    "images": f"""
        SELECT {_ENTRY}, s.url AS sitemap, unnest(e.images, recursive := false) AS image,
            generate_subscripts(e.images, 1) AS nth
        {_FROM_ENTRIES} WHERE len(e.images) > 0""",
    "videos": f"""
        SELECT {_ENTRY}, s.url AS sitemap, unnest(e.videos, recursive := false) AS video,
            generate_subscripts(e.videos, 1) AS nth
        {_FROM_ENTRIES} WHERE len(e.videos) > 0""",
    "articles": f"""
        SELECT {_ENTRY}, s.url AS sitemap, e.news
        {_FROM_ENTRIES} WHERE e.news IS NOT NULL""",
    "alternates": f"""
        SELECT *, alternate.hreflang AS hreflang, alternate.href AS href,
            is_locale(alternate.hreflang) AS is_locale
        FROM (SELECT {_ENTRY}, s.url AS sitemap,
                unnest(e.alternates, recursive := false) AS alternate,
                generate_subscripts(e.alternates, 1) AS nth
            {_FROM_ENTRIES} WHERE len(e.alternates) > 0)""",
    # Every entry that lists versions of its page in other languages, with the hashes of their URLs.
    # Hashes, for there may be a hundred million of them; that two URLs of ten million have the same
    # one is as likely as one in 300,000.
    "versions": f"""
        SELECT document, entry, "offset", line, here, theres,
            list_contains(theres, here) AS has_self,
            len(list_distinct(theres)) AS size, hash(list_sort(list_distinct(theres))) AS urls_key,
            hash(list_sort(list_distinct(pairs))) AS pairs_key,
            len(list_filter(tags, lambda t: t IS NOT NULL)) AS link_count,
            len(list_filter(theres, lambda t: t IS NOT NULL)) AS url_count,
            len(list_distinct(pairs)) AS pair_count, len(list_distinct(tags)) AS tag_count,
            list_contains(tags, hash('x-default')) AS has_default
        FROM (SELECT *, list_transform(theres, lambda t, i:
                CASE WHEN t IS NOT NULL THEN hash(t, tags[i]) END) AS pairs
            FROM (SELECT {_ENTRY}, hash(normal_of(e.loc)) AS here,
                    list_transform(e.alternates, lambda a:
                        CASE WHEN a.hreflang IS NOT NULL AND a.media IS NULL AND is_web(a.href)
                        THEN hash(normal_of(a.href)) END) AS theres,
                    list_transform(e.alternates, lambda a:
                        CASE WHEN a.hreflang IS NOT NULL AND a.media IS NULL
                        THEN hash(tag_of(a.hreflang)) END) AS tags
                {_FROM_ENTRIES} WHERE len(e.alternates) > 0))
        WHERE link_count > 0""",
    # Every link to another version that is not as it should be: all versions listed, each with the
    # same links. Most sites have none, for clusters that are whole are left out first.
    "doubtful": """
        WITH whole AS (
            SELECT pairs_key FROM (SELECT DISTINCT pairs_key, here, size, has_self FROM versions)
            GROUP BY pairs_key HAVING count(*) = any_value(size) AND bool_and(has_self)),
        links AS (
            SELECT * FROM (
                SELECT v.document, v.entry, v."offset", v.line, v.here, v.urls_key, v.size,
                    unnest(v.theres) AS there, generate_subscripts(v.theres, 1) AS nth,
                    unnest(list_transform(e.alternates, lambda a: tag_of(a.hreflang))) AS tag,
                    unnest(list_transform(e.alternates, lambda a: host_of(a.href))) AS host
                FROM versions v ANTI JOIN whole w USING (pairs_key)
                JOIN entries e ON e.document = v.document AND e.entry = v.entry)
            WHERE there <> here),
        targets AS (
            SELECT v.* FROM versions v
            SEMI JOIN (SELECT DISTINCT there FROM links) l ON l.there = v.here),
        answers AS (
            SELECT v.here, unnest(v.theres) AS there,
                unnest(list_transform(e.alternates, lambda a: tag_of(a.hreflang))) AS tag
            FROM targets v JOIN entries e ON e.document = v.document AND e.entry = v.entry),
        returned AS (SELECT DISTINCT here, there FROM answers),
        alike AS (SELECT DISTINCT here, urls_key FROM targets),
        own AS (
            SELECT here, list_sort(list(DISTINCT tag)) AS tags FROM answers
            WHERE here = there AND tag <> 'x-default' GROUP BY here)
        SELECT l.* EXCLUDE (host), own.tags AS own_tags,
            l.there IN (SELECT hash(normal_of(loc)) FROM urls WHERE kind = 'urlset') AS is_listed,
            l.host IN (SELECT DISTINCT host FROM urls) AS is_covered,
            r.here IS NOT NULL AS is_returned, k.here IS NOT NULL AS is_alike,
            l.tag <> 'x-default' AND NOT list_contains(own.tags, l.tag) AS is_contradicted
        FROM links l
        LEFT JOIN returned r ON r.here = l.there AND r.there = l.here
        LEFT JOIN alike k ON k.here = l.there AND k.urls_key = l.urls_key
        LEFT JOIN own ON own.here = l.there
        WHERE is_contradicted OR NOT (is_returned AND is_alike) AND is_listed
            OR is_covered AND NOT is_listed""",
    # The same, with the words of the link.
    "crossings": """
        SELECT d.*, e.loc, e.alternates[d.nth].href AS href,
            e.alternates[d.nth].hreflang AS hreflang
        FROM doubtful d JOIN entries e ON e.document = d.document AND e.entry = d.entry""",
    # Every sitemap that a robots.txt declares, once for each line.
    "declared": """
        SELECT url AS source, host_of(url) AS host, sitemap.url AS loc, sitemap.line AS line
        FROM (SELECT url, unnest(sitemaps) AS sitemap FROM robots)""",
    # Which hosts declare a document, or an index above it, in their robots.txt.
    "proofs": """
        WITH RECURSIVE above(document, url) AS (
            SELECT document, url FROM sources WHERE url IS NOT NULL
            UNION
            SELECT a.document, p.url FROM above a
            JOIN sitemaps c ON c.loc = a.url JOIN sources p ON p.document = c.document)
        SELECT DISTINCT a.document, d.host FROM above a JOIN declared d ON d.loc = a.url""",
    # The hosts of which it is known what they declare: they have a robots.txt, or surely none.
    "answered": """
        SELECT DISTINCT host_of(url) AS host FROM robots WHERE state IN ('read', 'absent')""",
    # The documents that were read, by each URL that leads to them, as `normal_of` has it.
    "reached": """
        SELECT DISTINCT normal_of(address) AS address, document FROM (
            SELECT unnest([url, loc]) AS address, document FROM sources WHERE kind IS NOT NULL
            UNION ALL
            SELECT d.loc, s.document FROM sources d JOIN sources s ON s.source = d.same_as
            WHERE s.kind IS NOT NULL)
        WHERE address IS NOT NULL""",
    # Every index that an index lists; `way` leads back from it, by way of at most ten others.
    "nestings": """
        WITH RECURSIVE edges AS (
            SELECT c.document, c."offset", c.line, c.loc, s.document AS child
            FROM listed c JOIN reached r ON r.address = normal_of(c.loc)
            JOIN sound s ON s.document = r.document AND s.kind = 'index'),
        ways(start, node, way) USING KEY (start, node) AS (
            SELECT DISTINCT document, child, [document, child] FROM edges WHERE child <> document
            UNION
            SELECT w.start, e.child, list_append(w.way, e.child) FROM ways w
            JOIN edges e ON e.document = w.node
            WHERE len(w.way) < 11 AND NOT EXISTS (
                SELECT 1 FROM recurring.ways r WHERE r.start = w.start AND r.node = e.child))
        SELECT e.*, w.way FROM edges e
        LEFT JOIN ways w ON w.start = e.child AND w.node = e.document""",
}
"""The views by name, in the order in which they are made."""

_KEPT = ("broken", "sources", "proofs", "versions", "doubtful")  # asked often, or dear


def statements() -> Iterator[str]:
    """The SQL that makes them, for the connection of one check."""
    for head, body in MACROS.items():
        yield f"CREATE OR REPLACE TEMP MACRO {head} AS {body}"
    for name, body in VIEWS.items():
        kind = "TABLE" if name in _KEPT else "VIEW"
        yield f"CREATE OR REPLACE TEMP {kind} {name} AS {body}"
