"""Rules about URLs outside the host or folder of their sitemap (group U).

Cross-submission through robots.txt is considered. At most one of U028, U029 and U030 reports an
entry. They need the URL of the sitemap; without it, U026 and U027 compare the entries with each
other.
"""

from __future__ import annotations

from urlset.checker.examples import entry
from urlset.checker.rule import rule

__all__ = ["RULES"]

_LOCATION = "https://www.sitemaps.org/protocol.html#location"
# A feed of links to other sites is usually not meant as a sitemap.
_LEVEL = "CASE WHEN kind IN ('rss', 'atom') THEN 'warning' ELSE 'error' END"

RULES = (
    rule(
        "U026 mixed-hosts error",
        message="URLs of {n:,} hosts in one sitemap: {examples}",
        requires_rows="site_mixes",
        sql=f"""
            WITH hosts AS (
                SELECT document, kind, host, sum(urls)::BIGINT AS urls,
                    arg_min(first, first.place) AS first
                FROM site_mixes GROUP BY ALL),
            ranked AS (
                SELECT *, row_number() OVER (
                    PARTITION BY document ORDER BY urls DESC, first.place) AS rank
                FROM hosts),
            conflicts AS (
                SELECT document, kind, count(*) AS n, arg_min(first, rank) FILTER (rank = 2) AS odd,
                    string_agg(format('{{}} ({{:,}})', host, urls), ', ' ORDER BY rank)
                        FILTER (rank <= 3) AS examples
                FROM ranked GROUP BY ALL HAVING count(*) > 1)
            SELECT document, odd.place AS "offset", odd.line AS line, odd.loc AS loc, n,
                examples || CASE WHEN n > 3 THEN ' …' ELSE '' END AS examples, {_LEVEL} AS level
            FROM conflicts""",
        element="loc",
        why="A sitemap may only list URLs of its own host, or of a host whose robots.txt declares "
        "it. URLs of other hosts are dropped. A name with www. is another host.",
        fix_hint="Write one sitemap for each host, or correct the host",
        source=_LOCATION,
        bad={
            "file:///srv/www/sitemap.xml": entry("https://example.com/")
            + entry("https://blog.example.com/")
        },
        good={
            "file:///srv/www/sitemap.xml": entry("https://example.com/")
            + entry("https://example.com/blog")
        },
    ),
    rule(
        "U027 mixed-schemes warning",
        message="Both http and https URLs: {n:,} of {total:,} are {scheme}",
        requires_rows="site_mixes url_scopes",
        sql="""
            WITH schemes AS (
                SELECT document, scheme, sum(urls)::BIGINT AS n,
                    arg_min(first, first.place) AS first
                FROM (SELECT document, scheme, urls, first FROM site_mixes
                    UNION ALL SELECT document, scheme, 1,
                        {'place': "offset", 'line': line, 'loc': loc}
                    FROM url_scopes WHERE scope = 'in') GROUP BY ALL)
            SELECT document, s.n AS n, scheme, total,
                first.place AS "offset", first.line AS line, first.loc AS loc
            FROM schemes s JOIN (
                SELECT document, sum(n)::BIGINT AS total, arg_min(scheme, (n, scheme)) AS scheme
                FROM schemes GROUP BY document HAVING count(*) > 1) USING (document, scheme)""",
        element="loc",
        why="Each page has one URL, and http usually redirects to https. Search engines spend a "
        "request on each redirect and keep the URL of the target.",
        fix_hint="List https URLs only",
        source="https://developers.google.com/search/docs/crawling-indexing/"
        "consolidate-duplicate-urls",
        bad={
            "file:///srv/www/sitemap.xml": entry("https://example.com/")
            + entry("http://example.com/about")
        },
        good={
            "file:///srv/www/sitemap.xml": entry("https://example.com/")
            + entry("https://example.com/about")
        },
        fix_safety="unsafe",
    ),
    rule(
        "U028 out-of-scope-host error",
        message="URL is on {origin}, the sitemap is on {sitemap_origin}",
        view="url_scopes",
        # If the robots.txt of the host is known, R012 reports it once.
        where="scope = 'host' AND (host = sitemap_host "
        "OR host NOT IN (SELECT host FROM known_robots))",
        values={"origin": "origin_of(loc)"},
        level_sql=_LEVEL,
        element="loc",
        why="A sitemap may only list URLs of its own scheme, host and port, or of a host whose "
        "robots.txt declares it. Search engines drop all other URLs.",
        fix_hint="Move the entry to a sitemap on its own host, or declare this sitemap in the "
        "robots.txt of that host",
        source=_LOCATION,
        bad=entry("https://shop.example.com/about"),
        good={
            "sitemap.xml": entry("https://shop.example.com/about"),
            "https://shop.example.com/robots.txt": b"User-agent: *\nAllow: /\n"
            b"Sitemap: https://example.com/sitemap.xml\n",
        },
        needs=("place",),
    ),
    rule(
        "U029 out-of-scope-path error",
        message="Outside of {folder}, the folder of the sitemap: {what}",
        requires_rows="url_scopes",
        view="url_scopes",
        where="scope = 'path' AND NOT is_proven",
        values={"folder": "sitemap_folder", "what": "path"},
        element="loc",
        why="A sitemap lists what is in its own folder and below, unless the robots.txt of the "
        "host declares it. Search engines ignore other URLs.",
        fix_hint="Move the sitemap to the common parent folder of its pages",
        source=_LOCATION,
        bad={"shop/sitemap.xml": entry("https://example.com/about")},
        good={"shop/sitemap.xml": entry("https://example.com/shop/about")},
        needs=("place",),
    ),
    rule(
        "U030 http-on-https-site warning",
        message="http URL in an https sitemap",
        view="url_scopes",
        where="scope = 'http'",
        element="loc",
        why="A sitemap may not list URLs of another scheme. If http redirects to https, each page "
        "costs an additional request, and search engines keep the https URL.",
        fix_hint="Write https://",
        source=_LOCATION,
        bad=entry("http://example.com/about"),
        good=entry("https://example.com/about"),
        needs=("place",),
        fix_safety="unsafe",
    ),
)
