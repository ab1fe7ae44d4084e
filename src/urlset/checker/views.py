"""What a rule may ask: the views over the tables of a store, with what many rules need worked out.

Every view has ``document``, the number of the document, and, where a row stands somewhere in it,
``offset`` and ``line`` of its entry. Documents of which only a part could be read (X002, X009,
X019, S001) are left out of all but ``sources``: what is wrong there comes first. A table ``marked``
is to be there already.
"""

from __future__ import annotations

from collections.abc import Iterator

from urlset.locating import IN_PACKED

__all__ = ["BROKEN", "MACROS", "VIEWS", "statements"]

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
}
"""Functions of SQL that rules may use, besides DuckDB's own."""

BROKEN = frozenset({"X002", "X009", "X019", "S001"})
"""Rules that mean that of a document only a part, or nothing, could be read."""

_BROKEN = ", ".join(f"'{code}'" for code in sorted(BROKEN))
_OF_PACKING = ", ".join(f"'{code}'" for code in sorted(IN_PACKED))
_KINDS = "('urlset', 'index', 'text', 'rss', 'atom')"
_ENTRY = 'e.document, e."offset", e.line, e.loc'
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
        SELECT {_ENTRY}, s.url AS sitemap, unnest(e.alternates, recursive := false) AS alternate,
            generate_subscripts(e.alternates, 1) AS nth
        {_FROM_ENTRIES} WHERE len(e.alternates) > 0""",
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

_KEPT = ("broken", "sources", "proofs")  # small, and asked often


def statements() -> Iterator[str]:
    """The SQL that makes them, for the connection of one check."""
    for head, body in MACROS.items():
        yield f"CREATE OR REPLACE TEMP MACRO {head} AS {body}"
    for name, body in VIEWS.items():
        kind = "TABLE" if name in _KEPT else "VIEW"
        yield f"CREATE OR REPLACE TEMP {kind} {name} AS {body}"
