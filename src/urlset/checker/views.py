"""What a rule may ask: the views over the tables of a store, with what many rules need worked out.

Every view has ``document``, the number of the document, and, where a row stands somewhere in it,
``offset`` and ``line`` of its entry. Documents of which only a part could be read (X002, X009,
X019, S001) are left out of all but ``sources``: what is wrong there comes first.
"""

from __future__ import annotations

from collections.abc import Iterator

__all__ = ["MACROS", "VIEWS", "statements"]

MACROS = {
    "moment()": "getvariable('moment')::TIMESTAMPTZ",
    "profile()": "getvariable('profile')::VARCHAR",
    # A loc is always an absolute http(s) URL with a host: the engine reports all others.
    "scheme_of(loc)": "lower(split_part(loc, ':', 1))",
    "authority_of(loc)": "split_part(split_part(split_part(loc, '/', 3), '?', 1), '#', 1)",
    # Beware: regular expressions are ten times as slow as the functions before them.
    "host_of(loc)": "lower(CASE WHEN contains(authority_of(loc), '@') OR "
    "contains(authority_of(loc), '[') THEN regexp_extract(loc, "
    r"'^[^:]*://(?:[^/?#@]*@)?(\[[^\]]*\]|[^/?#:]*)', 1) "
    "ELSE split_part(authority_of(loc), ':', 1) END)",
    "port_of(loc)": "CASE WHEN contains(authority_of(loc), ':') THEN regexp_extract(loc, "
    r"'^[^:]*://(?:[^/?#@]*@)?(?:\[[^\]]*\]|[^/?#:\[]*):([0-9]+)', 1) ELSE '' END",
    # All that follows the host: path, query and fragment.
    "rest_of(loc)": "substr(loc, length(split_part(loc, '/', 1)) + 3 + length(authority_of(loc)))",
    "path_of(loc)": "coalesce(nullif("
    "split_part(split_part(rest_of(loc), '#', 1), '?', 1), ''), '/')",
    "query_of(loc)": r"CASE WHEN contains(loc, '?') "
    r"THEN regexp_extract(loc, '^[^?#]*\?([^#]*)', 1) ELSE '' END",
    "fragment_of(loc)": "CASE WHEN contains(loc, '#') "
    "THEN regexp_extract(loc, '#(.*)$', 1) ELSE '' END",
    # Scheme, host and port, with the default port left out: what the location rule compares.
    "origin_of(loc)": "scheme_of(loc) || '://' || host_of(loc) || CASE WHEN port_of(loc) = '' OR "
    "(scheme_of(loc) || port_of(loc)) IN ('http80', 'https443') THEN '' "
    "ELSE ':' || port_of(loc) END",
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
    # What RFC 3986 section 6.2.2 makes of a path or a query: for showing.
    "tidied(text)": "CASE WHEN contains(text, '%') THEN substr(list_reduce(list_transform("
    r"string_split('%' || text, '%'), lambda p: CASE "
    r"WHEN regexp_matches(p, '^(2[DEde]|3\d|4[1-9A-Fa-f]|5[\dAFaf]|6[1-9A-Fa-f]|7[\dAEae])') "
    r"THEN '!' || coalesce(try(decode(unhex(p[:2]))), '') || p[3:] "
    r"WHEN regexp_matches(p, '^[0-9A-Fa-f]{2}') THEN '%' || upper(p[:2]) || p[3:] "
    r"ELSE '%' || p END), lambda a, p: "
    r"a || CASE WHEN starts_with(p, '!') THEN p[2:] ELSE p END), 3) ELSE text END",
    # What is left of a URL that most servers answer like others: without scheme, www, the name of
    # an index file and a slash at the end; for `twin_of`, in lower case.
    # Beware: a macro puts its argument wherever it uses it; a lambda works it out once.
    "bare(loc)": r"list_transform([loc], lambda t: regexp_replace("
    r"CASE WHEN contains(lower(t), '/index.') OR contains(lower(t), '/default.') "
    r"THEN regexp_replace(t, '(?i)/(index|default)\.(html?|php|aspx?|jsp)(\?|$)', '/\3') "
    r"ELSE t END, '^https?://(www\.)?', ''))[1]",
    "unslashed(text)": r"list_transform([text], lambda t: CASE WHEN suffix(t, '/') THEN t[:-2] "
    r"WHEN contains(t, '/?') THEN regexp_replace(t, '/(\?|$)', '\1') ELSE t END)[1]",
    "is_plain(loc)": "NOT regexp_matches(substr(loc, 7), '[%+#@:]|/[.]')",
    "twin_of(loc)": "unslashed(bare(lower(CASE WHEN is_plain(loc) THEN loc "
    "ELSE normal_of(loc) END)))",
}
"""Functions of SQL that rules may use, besides DuckDB's own."""

_BROKEN = "('X002', 'X009', 'X019', 'S001')"
_KINDS = "('urlset', 'index', 'text', 'rss', 'atom')"
_ENTRY = 'e.document, e."offset", e.line, e.loc'
_FROM_ENTRIES = "FROM entries e JOIN sound s ON s.document = e.document"

VIEWS = {
    # Every document that was met, also one that could not be read.
    "sources": f"""
        SELECT *, kind IN {_KINDS} AND document NOT IN (
                SELECT document FROM problems WHERE document IS NOT NULL AND code IN {_BROKEN}
            ) AS is_sound,
            scheme_of(url) AS scheme, host_of(url) AS host, origin_of(url) AS origin,
            folder_of(url) AS folder,
            lower(regexp_extract(regexp_replace(source, '[?#].*', ''), '[^/\\\\]*$')) AS name
        FROM (SELECT * REPLACE (
            CASE WHEN regexp_matches(url, '(?i)^https?://') THEN url END AS url) FROM documents)""",
    "sound": "SELECT * FROM sources WHERE is_sound",
    # Every entry, with the parts of its loc, and of the URL of its sitemap where that is known.
    "urls": f"""
        SELECT e.*, s.kind, s.url AS sitemap, s.scheme AS sitemap_scheme, s.host AS sitemap_host,
            s.origin AS sitemap_origin, s.folder AS sitemap_folder,
            scheme_of(e.loc) AS scheme, host_of(e.loc) AS host, port_of(e.loc) AS port,
            path_of(e.loc) AS path, query_of(e.loc) AS query, fragment_of(e.loc) AS fragment
        {_FROM_ENTRIES}""",
    # Every child that an index lists.
    "listed": """
        SELECT c.*, s.url AS sitemap, s.host AS sitemap_host, s.origin AS sitemap_origin,
            s.folder AS sitemap_folder, host_of(c.loc) AS host, path_of(c.loc) AS path
        FROM sitemaps c JOIN sound s ON s.document = c.document""",
    # Both: every loc, of a page or of a child (then kind is 'index').
    "locs": """
        SELECT l.*, s.kind, s.url AS sitemap, s.scheme AS sitemap_scheme, s.host AS sitemap_host,
            s.origin AS sitemap_origin, scheme_of(l.loc) AS scheme, host_of(l.loc) AS host,
            port_of(l.loc) AS port, path_of(l.loc) AS path, query_of(l.loc) AS query,
            fragment_of(l.loc) AS fragment
        FROM (SELECT document, "offset", line, loc FROM entries
            UNION ALL SELECT document, "offset", line, loc FROM sitemaps) l
        JOIN sound s ON s.document = l.document""",
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
        SELECT {_ENTRY}, s.url AS sitemap, unnest(e.alternates, recursive := false) AS alternate,
            generate_subscripts(e.alternates, 1) AS nth
        {_FROM_ENTRIES} WHERE len(e.alternates) > 0""",
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
    # Every entry that is not plainly below its sitemap, and how its loc stands to the URL of that:
    # on another `host` (or port, or scheme), `http` where only the scheme is behind, beside the
    # folder: `path`, or `in` all the same, where its host declares the sitemap (`is_proven`).
    "strays": """
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
        FROM (SELECT * FROM urls
            WHERE NOT starts_with(loc, sitemap_origin || sitemap_folder)) u
        LEFT JOIN proofs p ON p.document = u.document AND p.host = u.host""",
    # Every entry that has a twin anywhere, with a hash of each thing that is said of it.
    "alike": """
        SELECT e.document, e."offset", e.line, e.loc, twin_of(e.loc) AS twin, s.kind,
            e.lastmod, e.lastmod_text, hash(e.changefreq) AS changefreq,
            hash(e.priority) AS priority, hash(e.images) AS images, hash(e.videos) AS videos,
            hash(e.news) AS news, hash(e.alternates) AS alternates, hash(e.extra) AS extra
        FROM entries e JOIN sound s ON s.document = e.document
        WHERE hash(twin_of(e.loc)) IN (
            SELECT hash(twin_of(loc)) AS twin FROM entries GROUP BY twin HAVING count(*) > 1)""",
}
"""The views by name, in the order in which they are made."""

_KEPT = ("sources", "proofs", "alike")  # mostly small, and asked often


def statements() -> Iterator[str]:
    """The SQL that makes them, for the connection of one check."""
    for head, body in MACROS.items():
        yield f"CREATE OR REPLACE TEMP MACRO {head} AS {body}"
    for name, body in VIEWS.items():
        kind = "TABLE" if name in _KEPT else "VIEW"
        yield f"CREATE OR REPLACE TEMP {kind} {name} AS {body}"
