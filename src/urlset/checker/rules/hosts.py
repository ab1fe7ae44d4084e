"""Rules about hosts, ports and credentials in URLs, and URLs outside their scope (codes U…)."""

from __future__ import annotations

from functools import partial

from urlset.checker.examples import entry
from urlset.checker.rule import rule

# RFC 2606, 6761, 6762, 8375, and the ICANN resolutions on home, corp and internal; example.com,
# example.net and example.org are left out, since they stand for any site.
_ENDINGS = (
    "localhost|localdomain|local|internal|intranet|private|lan|home|corp|home\\.arpa|test|"
    "example|invalid"
)
# RFC 6890: what is not routed.
_ADDRESSES = (
    r"(?:0|10|127|22[4-9]|2[34]\d|25[0-5])\.|169\.254\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|"
    r"100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.|192\.0\.[02]\.|198\.1[89]\.|198\.51\.100\.|"
    r"203\.0\.113\."
)
_IS_DEFAULT_PORT = "scheme || ltrim(port, '0') IN ('http80', 'https443')"
_IS_NOT_PUBLIC = (
    "(NOT contains(rtrim(host, '.'), '.') AND NOT starts_with(host, '[') "
    f"OR regexp_matches(host, '\\.(?:{_ENDINGS})\\.?$') "
    f"OR regexp_matches(host, '^(?:{_ADDRESSES})[0-9.]+$') "
    "OR regexp_matches(host, '^\\[(?:::1?|f[cd].*|fe[89ab].*|2001:0?db8.*|"
    "::ffff:(?:10|127|192\\.168)\\..*)\\]$'))"
)

_LOCATION = "https://www.sitemaps.org/protocol.html#location"
_PUNYCODE = "https://xn--bcher-kva.example.com/"
# A feed of links to other sites is usually not meant as a sitemap.
_LEVEL = "CASE WHEN kind IN ('rss', 'atom') THEN 'warning' ELSE 'error' END"


def _file(*locs: str) -> dict[str, str]:
    """Return a sitemap in a file, whose URL is unknown."""
    return {"file:///srv/www/sitemap.xml": "".join(map(entry, locs))}


_rule = partial(rule, source=_LOCATION, element="loc")
_scope_rule = partial(_rule, view="url_scopes", partition="scope", needs=("location",))

RULES = (
    _rule(
        "U009 loc-idn-host warning",
        message="Host {name} is not ASCII; write its punycode form (xn--…)",
        view="unusual_urls",
        # `host` itself is the form in ASCII.
        where="strlen(authority) > length(authority)",
        values={"name": "regexp_extract(lower(authority), '^(?:.*@)?([^:]*)', 1)"},
        why="DNS looks up names in ASCII. Readers that do not convert international names cannot "
        "find the host, and treat the two forms as two hosts.",
        fix_hint="Write the host in punycode",
        source="https://www.rfc-editor.org/rfc/rfc5891",
        bad={f"{_PUNYCODE}sitemap.xml": entry("https://bücher.example.com/")},
        good={f"{_PUNYCODE}sitemap.xml": entry(_PUNYCODE)},
    ),
    _rule(
        "U013 loc-credentials error",
        message='URL contains user information ("{user}" before the @)',
        view="unusual_urls",
        where="contains(loc, '@') AND contains(authority_of(loc), '@')",
        values={"user": "regexp_extract(authority_of(loc), '^[^:@]*')"},
        why="Everyone who reads the sitemap sees the name and the password. Crawlers do not send "
        "them and cannot fetch the page.",
        fix_hint="Remove the text before the @, and change the password",
        source="https://www.rfc-editor.org/rfc/rfc3986#section-3.2.1",
        bad=entry("https://editor:secret@example.com/draft"),
        good=entry("https://example.com/draft"),
    ),
    _rule(
        "U014 loc-port info",
        message="Port {port} is {reason}",
        view="unusual_urls",
        # If the URL of the sitemap is known, it has the same port, or U028 reports it.
        where=f"port <> '' AND ({_IS_DEFAULT_PORT} OR (sitemap IS NULL AND NOT {_IS_NOT_PUBLIC}))",
        values={
            "reason": f"CASE WHEN {_IS_DEFAULT_PORT} "
            "THEN 'the default port of ' || scheme ELSE 'not the default port of ' || scheme END"
        },
        why="A default port is redundant and creates a second spelling of each URL. Another port "
        "usually belongs to a server that is not public.",
        fix_hint="Remove the port",
        source="https://www.rfc-editor.org/rfc/rfc3986#section-6.2.3",
        bad=entry("https://example.com:443/about"),
        good=entry("https://example.com/about"),
    ),
    _rule(
        "U016 loc-nonpublic-host warning",
        message="Host {host} is not public; URLs with it: {n:,}",
        # If the URL of the sitemap is known, it has the same host, or U028 reports it.
        requires_rows="unusual_urls",
        sql=f"""
            SELECT document, host, count(*) AS n, min("offset") AS "offset",
                arg_min(line, "offset") AS line, arg_min(loc, "offset") AS loc
            FROM unusual_urls WHERE sitemap IS NULL AND {_IS_NOT_PUBLIC} GROUP BY document, host""",
        why="The page cannot be fetched from outside your network. Usually the sitemap was "
        "generated on a development machine.",
        fix_hint="Generate the sitemap with the base URL of the public site",
        source="https://www.rfc-editor.org/rfc/rfc6761",
        bad=_file("http://localhost:3000/about"),
        good=_file("https://example.com/about"),
    ),
    _rule(
        "U026 mixed-hosts error",
        message="URLs of {n:,} hosts in one sitemap: {examples}",
        requires_rows="site_mixes",
        sql=f"""
            WITH hosts AS (
                SELECT document, kind, host, sum(urls)::BIGINT AS urls,
                    arg_min(first, first.start) AS first
                FROM site_mixes GROUP BY ALL),
            ranked AS (
                SELECT *, row_number() OVER (
                    PARTITION BY document ORDER BY urls DESC, first.start) AS rank
                FROM hosts),
            conflicts AS (
                SELECT document, kind, count(*) AS n, arg_min(first, rank) FILTER (rank = 2) AS odd,
                    string_agg(format('{{}} ({{:,}})', host, urls), ', ' ORDER BY rank)
                        FILTER (rank <= 3) AS examples
                FROM ranked GROUP BY ALL HAVING count(*) > 1)
            SELECT document, odd.start AS "offset", odd.line AS line, odd.loc AS loc, n,
                examples || CASE WHEN n > 3 THEN ' …' ELSE '' END AS examples, {_LEVEL} AS level
            FROM conflicts""",
        why="A sitemap may only list URLs of its own host, or of a host whose robots.txt declares "
        "it. URLs of other hosts are dropped. A name with www. is another host.",
        fix_hint="Write one sitemap for each host, or correct the host",
        bad=_file("https://example.com/", "https://blog.example.com/"),
        good=_file("https://example.com/", "https://example.com/blog"),
    ),
    _rule(
        "U027 mixed-schemes warning",
        partition="scope",
        message="Both http and https URLs: {n:,} of {total:,} are {scheme}",
        requires_rows="site_mixes url_scopes",
        sql="""
            WITH schemes AS (
                SELECT document, scheme, sum(urls)::BIGINT AS n,
                    arg_min(first, first.start) AS first
                FROM (SELECT document, scheme, urls, first FROM site_mixes
                    UNION ALL SELECT document, scheme, 1,
                        {'start': "offset", 'line': line, 'loc': loc}
                    FROM url_scopes WHERE scope = 'in') GROUP BY ALL)
            SELECT document, s.n AS n, scheme, total,
                first.start AS "offset", first.line AS line, first.loc AS loc
            FROM schemes s JOIN (
                SELECT document, sum(n)::BIGINT AS total, arg_min(scheme, (n, scheme)) AS scheme
                FROM schemes GROUP BY document HAVING count(*) > 1) USING (document, scheme)""",
        why="Each page has one URL, and http usually redirects to https. Search engines spend a "
        "request on each redirect and keep the URL of the target.",
        fix_hint="List https URLs only",
        source="https://developers.google.com/search/docs/crawling-indexing/"
        "consolidate-duplicate-urls",
        bad=_file("https://example.com/", "http://example.com/about"),
        good=_file("https://example.com/", "https://example.com/about"),
    ),
    _scope_rule(
        "U028 out-of-scope-host error",
        heading="Listed URLs of another host",
        message="URL is on {origin}, the sitemap is on {sitemap_origin}",
        # If the robots.txt of the host is known, R012 reports it once.
        where="scope = 'host' AND (host = sitemap_host "
        "OR host NOT IN (SELECT host FROM known_robots))",
        values={"origin": "origin_of(loc)"},
        level_sql=_LEVEL,
        why="A sitemap may only list URLs of its own scheme, host and port, or of a host whose "
        "robots.txt declares it. Search engines drop all other URLs.",
        fix_hint="Move the entry to a sitemap on its own host, or declare this sitemap in the "
        "robots.txt of that host",
        bad=entry("https://shop.example.com/about"),
        good={
            "sitemap.xml": entry("https://shop.example.com/about"),
            "https://shop.example.com/robots.txt": b"User-agent: *\nAllow: /\n"
            b"Sitemap: https://example.com/sitemap.xml\n",
        },
    ),
    _scope_rule(
        "U029 out-of-scope-path error",
        message="Outside of {folder}, the folder of the sitemap: {path}",
        requires_rows="url_scopes",
        where="scope = 'path' AND NOT is_proven",
        values={"folder": "sitemap_folder", "path": "path"},
        why="A sitemap lists what is in its own folder and below, unless the robots.txt of the "
        "host declares it. Search engines ignore other URLs.",
        fix_hint="Move the sitemap to the common parent folder of its pages",
        bad={"shop/sitemap.xml": entry("https://example.com/about")},
        good={"shop/sitemap.xml": entry("https://example.com/shop/about")},
    ),
    _scope_rule(
        "U030 http-on-https-site warning",
        message="http URL in an https sitemap",
        where="scope = 'http'",
        why="A sitemap may not list URLs of another scheme. If http redirects to https, each page "
        "costs an additional request, and search engines keep the https URL.",
        fix_hint="Write https://",
        bad=entry("http://example.com/about"),
        good=entry("https://example.com/about"),
    ),
)
