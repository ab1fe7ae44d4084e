"""What a rule may ask: the views over the tables of a store, with what many rules need worked out.

Every view has ``document``, the number of the document, and, where a row stands somewhere in it,
``offset`` and ``line`` of its entry. Documents of which only a part could be read (X002, X009,
X019, S001) are left out of all but ``sources``: what is wrong there comes first. A table ``marked``
is to be there already.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from urlset.checker.macros import MACROS
from urlset.locating import IN_PACKED

__all__ = ["BROKEN", "KEPT", "VIEWS", "mentioned", "statements"]

BROKEN = frozenset({"X002", "X009", "X019", "S001"})
"""Rules that mean that of a document only a part, or nothing, could be read."""

_BROKEN = ", ".join(f"'{code}'" for code in sorted(BROKEN))
_OF_PACKING = ", ".join(f"'{code}'" for code in sorted(IN_PACKED))
_KINDS = "('urlset', 'index', 'text', 'rss', 'atom')"
_IS_PLAIN = (
    r"regexp_full_match(loc, 'https?://([a-z0-9-]+\.)+[a-z][a-z0-9-]*/([\w~-]+/)*"
    r"([\w~-]+(\.html?|\.php|\.aspx?)?)?(\?[\w=&~-]*)?') "
    r"AND NOT regexp_matches(loc, '\.(localhost|localdomain|local|internal|intranet|private|lan|"
    r"home|corp|arpa|test|example|invalid)/|[/=](undefined|null|NaN|__[a-z]+__)([/?&]|$)')"
)
_LOCS = """(SELECT document, "offset", line, loc FROM entries
    UNION ALL SELECT document, "offset", line, loc FROM sitemaps)"""
_OUTSIDE = """(
    SELECT e.document, e."offset", e.line, e.loc, s.kind, s.url AS sitemap,
        s.host AS sitemap_host, s.origin AS sitemap_origin, s.folder AS sitemap_folder
    FROM entries e JOIN sound s ON s.document = e.document
    WHERE NOT starts_with(e.loc, s.origin || s.folder))"""


def _parted(table: str) -> str:
    """The rows of a table with the parts of their loc; each part is worked out once."""
    return rf"""
        SELECT *, lower(CASE WHEN contains(authority, '@') OR contains(authority, '[')
                THEN regexp_extract(authority, '^(?:.*@)?(\[[^\]]*\]|[^:]*)', 1)
                ELSE split_part(authority, ':', 1) END) AS host,
            CASE WHEN contains(authority, ':')
                THEN regexp_extract(authority, ':([0-9]+)$', 1) ELSE '' END AS port,
            coalesce(nullif(split_part(split_part(rest, '#', 1), '?', 1), ''), '/') AS path,
            CASE WHEN contains(rest, '?')
                THEN regexp_extract(rest, '^[^?#]*\?([^#]*)', 1) ELSE '' END AS query,
            CASE WHEN contains(rest, '#')
                THEN regexp_extract(rest, '#(.*)$', 1) ELSE '' END AS fragment
        FROM (SELECT *, substr(tail, length(authority) + 1) AS rest
            FROM (SELECT *, lower(split_part(loc, ':', 1)) AS scheme,
                    split_part(split_part(split_part(loc, '/', 3), '?', 1), '#', 1) AS authority,
                    substr(loc, length(split_part(loc, '/', 1)) + 3) AS tail
                FROM {table}))"""


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
        FROM (SELECT * REPLACE (
            CASE WHEN regexp_matches(url, '(?i)^https?://') THEN url END AS url) FROM documents)""",
    "sound": "SELECT * FROM sources WHERE is_sound",
    # What the markup tells, a fact in each row: see urlset.checker.markup.
    "markup": "SELECT m.*, s.kind FROM marked m JOIN sound s ON s.document = m.document",
    # Every entry, with the parts of its loc, and of the URL of its sitemap where that is known.
    "urls": f"""
        SELECT e.*, s.kind, s.url AS sitemap, s.scheme AS sitemap_scheme, s.host AS sitemap_host,
            s.origin AS sitemap_origin, s.folder AS sitemap_folder
        FROM ({_parted("entries")}) e JOIN sound s ON s.document = e.document""",
    # Every child that an index lists.
    "listed": f"""
        SELECT c.* EXCLUDE (sitemap), c.sitemap AS number, s.url AS sitemap,
            s.host AS sitemap_host, s.origin AS sitemap_origin,
            s.folder AS sitemap_folder
        FROM ({_parted("sitemaps")}) c JOIN sound s ON s.document = c.document""",
    # Both: every loc, of a page or of a child (then kind is 'index').
    "locs": f"""
        SELECT l.*, s.kind, s.url AS sitemap, s.scheme AS sitemap_scheme, s.host AS sitemap_host,
            s.origin AS sitemap_origin
        FROM ({_parted(_LOCS)}) l
        JOIN sound s ON s.document = l.document""",
    # Those of them that are not plain: whose spelling may be wrong, or may be no page's. Rules that
    # concern few locs ask here, for most sites have none; a plain one is http(s), has a public host
    # of letters in lower case, and nothing behind it that would have to be encoded.
    "odd": f"""
        SELECT l.*, s.kind, s.url AS sitemap, s.scheme AS sitemap_scheme, s.host AS sitemap_host,
            s.origin AS sitemap_origin
        FROM ({_parted(f"(FROM {_LOCS} WHERE NOT ({_IS_PLAIN}))")}) l
        JOIN sound s ON s.document = l.document""",
    # Those that have parameters.
    "asking": f"""
        SELECT l.*, s.kind, s.url AS sitemap, s.origin AS sitemap_origin
        FROM ({_parted(f"(FROM {_LOCS} WHERE regexp_matches(loc, '[?;(]'))")}) l
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
        SELECT l.*, s.kind, length(lastmod_text) > 10 AS has_time
        FROM (SELECT document, "offset", line, loc, lastmod, lastmod_text FROM entries
            UNION ALL SELECT document, "offset", line, loc, lastmod, lastmod_text FROM sitemaps) l
        JOIN sound s ON s.document = l.document
        WHERE lastmod_text IS NOT NULL""",
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
        WITH RECURSIVE named(document, url) AS (
            SELECT document, normal_of(url) FROM sources WHERE url IS NOT NULL
            UNION SELECT document, normal_of(loc) FROM sources WHERE loc IS NOT NULL
            UNION SELECT document, normal_of(source) FROM sources WHERE source ILIKE 'http%'),
        above(document, url) AS (
            SELECT document, url FROM named
            UNION
            SELECT a.document, n.url FROM above a
            JOIN sitemaps c ON normal_of(c.loc) = a.url JOIN named n ON n.document = c.document)
        SELECT a.document, d.host FROM above a JOIN declared d ON normal_of(d.loc) = a.url
        UNION SELECT document, host_of(declared_by) FROM sources WHERE declared_by IS NOT NULL""",
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
    # Every entry that is not plainly below its sitemap, and how its loc stands to the URL of that:
    # on another `host` (or port, or scheme), `http` where only the scheme is behind, beside the
    # folder: `path`, or `in` all the same, where its host declares the sitemap (`is_proven`).
    "strays": f"""
        SELECT u.*, p.host IS NOT NULL AS is_proven, CASE
            WHEN origin_of(loc) = sitemap_origin THEN CASE
                WHEN starts_with(decoded(path), decoded(sitemap_folder)) THEN 'in'
                ELSE 'path' END
            WHEN 'http:' || substr(sitemap_origin, 7) = origin_of(loc) THEN 'http'
            WHEN p.host IS NOT NULL THEN 'in'
            -- An international name cannot be compared with its form in ASCII.
            WHEN strlen(u.host) > length(u.host) AND contains(sitemap_host, 'xn--') THEN NULL
            WHEN strlen(sitemap_host) > length(sitemap_host) AND contains(u.host, 'xn--') THEN NULL
            ELSE 'host' END AS scope
        FROM ({_parted(_OUTSIDE)}) u
        LEFT JOIN proofs p ON p.document = u.document AND p.host = u.host""",
    # The hash of what is left of each loc without what makes no difference to most servers.
    "twins": """
        SELECT document, "offset", hash(CASE WHEN is_simple
            THEN CASE WHEN suffix(bare, '/') THEN left(bare, length(bare) - 1) ELSE bare END
            ELSE twin_of(loc) END) AS twin
        FROM (SELECT document, "offset", loc, substr(lower(loc), CASE
                    WHEN starts_with(loc, 'https://www.') THEN 13
                    WHEN starts_with(loc, 'http://www.') THEN 12
                    WHEN starts_with(loc, 'https://') THEN 9 ELSE 8 END) AS bare,
                NOT regexp_matches(substr(loc, 9),
                    '[%+#@:]|/[.?]|/(?i:index|default)[.]') AS is_simple
            FROM entries)""",
    # Every entry that has a twin anywhere, with a hash of each thing that is said of it.
    "alike": """
        SELECT e.document, e."offset", e.line, e.loc, twin_of(e.loc) AS twin, s.kind,
            e.lastmod, e.lastmod_text, hash(e.changefreq) AS changefreq,
            hash(e.priority) AS priority, hash(e.images) AS images, hash(e.videos) AS videos,
            hash(e.news) AS news, hash(e.alternates) AS alternates, hash(e.extra) AS extra
        FROM entries e JOIN sound s ON s.document = e.document
        JOIN (SELECT document, "offset" FROM twins WHERE twin IN (
                SELECT twin FROM twins GROUP BY twin HAVING count(*) > 1)) t
            ON e.document = t.document AND e."offset" = t."offset" """,
}
"""The views by name, in the order in which they are made."""

KEPT = (
    "broken",
    "sources",
    "proofs",
    "versions",
    "doubtful",
    "strays",
    "mixtures",
    "alike",
)  # asked often, or dear


_WORD = re.compile(r"[a-z_]+")


def mentioned(texts: Iterable[str]) -> set[str]:
    """The views that SQL mentions, and those that these are made of."""
    found: set[str] = set()
    waiting = [name for text in texts for name in _WORD.findall(text) if name in VIEWS]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += [other for other in _WORD.findall(VIEWS[name]) if other in VIEWS]
    return found


def statements(texts: Iterable[str]) -> Iterator[str]:
    """The SQL that makes what queries mention, for the connection of one check."""
    for head, body in MACROS.items():
        yield f"CREATE OR REPLACE TEMP MACRO {head} AS {body}"
    needed = mentioned(texts)
    for name, body in VIEWS.items():
        if name in needed:
            kind = "TABLE" if name in KEPT else "VIEW"
            yield f"CREATE OR REPLACE TEMP {kind} {name} AS {body}"
