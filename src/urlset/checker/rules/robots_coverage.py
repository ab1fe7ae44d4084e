"""Rules that compare robots.txt with the sitemaps and their URLs (group R)."""

from __future__ import annotations

from urlset.checker.rule import rule
from urlset.reader.discovery import PATHS

__all__ = ["RULES"]

_PROTOCOL = "https://www.sitemaps.org/protocol.html#submit_robots"
_GOOGLE = "https://developers.google.com/search/docs/crawling-indexing/robots/robots_txt"
_PAGE = "<url><loc>https://example.com/</loc><lastmod>2026-11-20T08:00:00Z</lastmod></url>"
_SITEMAP = "Sitemap: https://example.com/sitemap.xml"
_GOOD = {"robots.txt": _SITEMAP, "sitemap.xml": _PAGE}

_PATHS = ", ".join(f"'{path}'" for path in PATHS)

RULES = (
    rule(
        "R009 sitemap-disallowed error",
        message="{loc} is disallowed for {agent} by {robots}",
        requires_rows="declared",
        sql="""
            SELECT document, url AS loc, robots, agent FROM disallowed WHERE entry IS NULL""",
        needs=("robots",),
        why="Crawlers do not fetch a sitemap that robots.txt disallows, so none of its URLs is "
        "found.",
        fix_hint="Allow it in robots.txt with a line such as Allow: /sitemap.xml",
        source=_GOOGLE,
        bad={
            "robots.txt": "User-agent: *\nDisallow: /*.xml$\n"
            "Sitemap: https://example.com/sitemap.xml",
            "sitemap.xml": _PAGE,
        },
        good={
            "robots.txt": "User-agent: *\nDisallow: /*.xml$\nAllow: /sitemap.xml\n"
            "Sitemap: https://example.com/sitemap.xml",
            "sitemap.xml": _PAGE,
        },
    ),
    rule(
        "R010 url-disallowed warning",
        message="{url} is disallowed for {agent} by {robots}",
        requires_rows="declared",
        sql="""
            SELECT e.document, e."offset", e.line, e.loc, d.nth, coalesce(d.url, e.loc) AS url,
                d.robots, d.agent
            FROM entries e SEMI JOIN readable s USING (document)
            JOIN disallowed d ON d.document = e.document AND d.entry = e.entry""",
        element="loc",
        needs=("robots", "set"),
        why="The sitemap lists the URL, but robots.txt disallows it. It is not fetched, and Search "
        "Console reports an error. The same applies to images and videos of a page.",
        fix_hint="Remove it from the sitemap, or allow it in robots.txt",
        source=_GOOGLE,
        bad={
            "robots.txt": f"User-agent: *\nDisallow: /cart/\n{_SITEMAP}",
            "sitemap.xml": _PAGE.replace("com/", "com/cart/"),
        },
        good={
            "robots.txt": f"User-agent: *\nDisallow: /cart/\n{_SITEMAP}",
            "sitemap.xml": _PAGE,
        },
        fix_safety="unsafe",
    ),
    rule(
        "R011 robots-sitemap-not-a-sitemap warning",
        message="{loc} is not a sitemap but {what}",
        requires_rows="declared",
        sql="""
            SELECT source, line, loc, what FROM (
                SELECT d.source, d.line, d.loc, CASE
                    WHEN path_of(d.loc) = '/robots.txt' THEN 'robots.txt itself'
                    WHEN k.kind = 'html' THEN 'an HTML page'
                    WHEN k.kind IS NULL AND path_of(d.loc) = '/' AND query_of(d.loc) = ''
                        THEN 'the home page'
                    END AS what
                FROM declared d LEFT JOIN (
                    SELECT r.address, any_value(s.kind) AS kind
                    FROM document_urls r JOIN sources s USING (document) GROUP BY r.address
                ) k ON k.address = normal_of(d.loc))
            WHERE what IS NOT NULL""",
        needs=("robots",),
        why="Search engines read the declared URL as a sitemap, find none and report an error.",
        fix_hint="Declare the URL of the sitemap itself, or remove the line",
        source=_PROTOCOL,
        bad={
            "robots.txt": f"{_SITEMAP}\nSitemap: https://example.com/",
            "sitemap.xml": _PAGE,
        },
        good=_GOOD,
    ),
    rule(
        "R012 cross-submit-unproven error",
        message="robots.txt of {host} does not declare this sitemap, which lists {n:,} of its URLs",
        requires_rows="declared",
        # Once for each host. U028 reports entries of hosts whose robots.txt is unknown.
        sql="""
            SELECT document, host, count(*) AS n, min("offset") AS "offset", min(line) AS line,
                arg_min(loc, "offset") AS loc,
                CASE WHEN kind IN ('rss', 'atom') THEN 'warning' ELSE 'error' END AS level
            FROM url_scopes WHERE scope = 'host' AND host <> sitemap_host
                AND host IN (SELECT host FROM known_robots)
            GROUP BY document, kind, host""",
        element="loc",
        needs=("place", "robots"),
        why="A sitemap may list URLs of another host if the robots.txt of that host declares it, "
        "which proves that both belong together. Otherwise search engines drop the URLs.",
        fix_hint="Add a Sitemap line with the URL of this sitemap to the robots.txt of that host",
        source="https://www.sitemaps.org/protocol.html#sitemaps_cross_submits",
        bad={
            "sitemap.xml": _PAGE.replace("//", "//shop."),
            "https://shop.example.com/robots.txt": "User-agent: *\nDisallow:",
        },
        good={
            "sitemap.xml": _PAGE.replace("//", "//shop."),
            "https://shop.example.com/robots.txt": _SITEMAP,
        },
    ),
    rule(
        "R013 sitemap-undiscoverable info",
        message="robots.txt does not declare it, and it is not at a standard location",
        # A sitemap in an index is found through it; I504 reports one that is missing there.
        requires_rows="declared",
        sql=f"""
            SELECT document FROM readable s
            WHERE host IN (SELECT host FROM known_robots)
                AND kind IN ('urlset', 'index', 'text') AND loc IS NULL
                AND how NOT IN ('link', 'feed', 'index') AND path_of(url) NOT IN ({_PATHS})
                AND document NOT IN (SELECT document FROM declaring_hosts)
                AND normal_of(url) NOT IN (SELECT normal_of(loc) FROM listed)
                AND normal_of(url) NOT IN (SELECT normal_of(loc) FROM declared)
                AND (kind = 'index' OR host NOT IN (
                    SELECT host FROM readable WHERE kind = 'index' AND host IS NOT NULL))""",
        needs=("place", "robots"),
        why="A sitemap that nothing names, at an unusual location, is only found by search engines "
        "that it was submitted to.",
        fix_hint="Declare it in robots.txt, or move it to /sitemap.xml",
        source="https://www.sitemaps.org/protocol.html#informing",
        bad={
            "robots.txt": _SITEMAP,
            "sitemap.xml": _PAGE,
            "hidden.xml": _PAGE.replace("com/", "com/hidden"),
        },
        good=_GOOD,
    ),
)
