"""Live rules about hreflang in HTML, headers and sitemaps, and the pages they name (codes N…).

A link is mutual if its target links back in any of the three places.
"""

from __future__ import annotations

from urlset.checker.examples import hreflang, page, redirect, site
from urlset.checker.rule import rule

__all__ = ["RULES"]

_SOURCE = "https://developers.google.com/search/docs/specialty/international/localized-versions"
_BOTH = hreflang("en=tea", "de=tee")
_GOOD = site(tea=page("Tea", _BOTH), tee=page("Tee", _BOTH))
_ENTRY = (
    "<url><loc>https://example.com/{}</loc><lastmod>2026-11-20T08:00:00Z</lastmod>"
    '<xhtml:link rel="alternate" hreflang="en" href="https://example.com/tea"/>'
    '<xhtml:link rel="alternate" hreflang="de" href="https://example.com/tee"/></url>'
)
_THREE = hreflang("en=tea", "de=tee", "fr=the")

RULES = (
    rule(
        "N111 hreflang-target-bad warning",
        message='Alternate {other} ("{lang}") {fault}; pages that list it: {n}',
        sql="""
            SELECT t.fault, count(DISTINCT a.key) AS n, unnest(min_by({'document': l.document,
                    'offset': l."offset", 'line': l.line, 'loc': l.loc, 'href': a.href,
                    'tag': a.tag}, (l.document, l.entry)))
            FROM live_alternates a
            JOIN live_pages t ON t.key = a.href_key AND t.fault IS NOT NULL
            JOIN listed_urls l ON l.key = a.key
            WHERE a.href_key <> a.key AND a.tag <> 'x-default'
            GROUP BY a.href_key, t.fault""",
        values={"other": "preview(href)", "lang": "preview(tag)"},
        why="Search engines ignore a version that does not return a page, redirects, or may not "
        "be indexed. Readers of that language are sent to it all the same.",
        fix_hint="Name the final, indexable URL of the version, or remove the link",
        source=_SOURCE,
        bad=site(
            "tea",
            "tee",
            tea=page("Tea", _THREE),
            tee=page("Tee", _THREE),
            the=redirect("/tea"),
        ),
        good=_GOOD,
        needs=("live",),
    ),
    rule(
        "N112 hreflang-html-conflict warning",
        message="{page}: the page links to other versions than its entry in the sitemap; "
        "only the page: {page_only}; only the sitemap: {sitemap_only}",
        sql="""
            SELECT l.document, l."offset", l.line, l.loc,
                list_filter(h.pairs, lambda p: NOT list_contains(s.pairs, p)) AS on_page,
                list_filter(s.pairs, lambda p: NOT list_contains(h.pairs, p)) AS in_sitemap
            FROM listed_urls l
            JOIN (SELECT key, list_sort(list(DISTINCT tag || ' ' || href_key)) AS pairs
                FROM live_alternates WHERE origin <> 'sitemap' GROUP BY key) h ON h.key = l.key
            JOIN (SELECT key, list_sort(list(DISTINCT tag || ' ' || href_key)) AS pairs
                FROM live_alternates WHERE origin = 'sitemap' GROUP BY key) s ON s.key = l.key
            WHERE h.pairs <> s.pairs""",
        values={
            "page": "preview(loc)",
            "page_only": "coalesce(preview(nullif(array_to_string(on_page, ', '), '')), 'none')",
            "sitemap_only": "coalesce(preview(nullif(array_to_string(in_sitemap, ', '), '')), "
            "'none')",
        },
        why="Google recommends one method for hreflang, since two must be kept equal. If they "
        "differ, the links of both may be ignored.",
        fix_hint="Use one method: HTML, headers or the sitemap",
        source=_SOURCE,
        bad={
            "sitemap.xml": _ENTRY.format("tea") + _ENTRY.format("tee"),
            "tea": page("Tea", hreflang("en=tea", "de-AT=tee")),
            "tee": page("Tee", _BOTH),
        },
        good={
            "sitemap.xml": _ENTRY.format("tea") + _ENTRY.format("tee"),
            "tea": page("Tea", _BOTH),
            "tee": page("Tee", _BOTH),
        },
        needs=("live",),
        is_default=False,
    ),
    rule(
        "N124 hreflang-html-no-return error",
        message='{page} lists {other} as "{lang}", which does not list this page in return',
        # Links of a sitemap to listed pages are judged by hreflang-no-return-link without requests.
        # A script may add the link to a page that has few links: then the basis is unknown.
        sql="""
            SELECT l.document, l."offset", l.line, l.loc, min(a.href) AS href, min(a.tag) AS tag,
                CASE WHEN bool_and(a.tag = 'x-default') OR bool_or(t.is_script_built)
                    THEN 'warning' ELSE 'error' END AS level,
                if(bool_or(t.is_script_built), 'unknown', 'observed') AS basis
            FROM live_alternates a
            JOIN live_pages t ON t.key = a.href_key AND t.verdict = 'ok' AND t.fault IS NULL
            JOIN listed_urls l ON l.key = a.key
            JOIN live_pages p ON p.key = a.key AND p.fault IS NULL
            WHERE a.href_key <> a.key AND a.origin <> 'sitemap' AND NOT EXISTS (
                SELECT 1 FROM live_alternates b WHERE b.key = a.href_key AND b.href_key = a.key)
            GROUP BY l.document, l."offset", l.line, l.loc, a.href_key""",
        values={"page": "preview(loc)", "other": "preview(href)", "lang": "preview(tag)"},
        why="Any site can claim that a foreign page is a version of its own page. Search engines "
        "accept two pages as versions of each other only if each lists the other.",
        fix_hint="List all versions, with the same links, on each of them",
        source=_SOURCE,
        bad=site(tea=page("Tea", _BOTH), tee=page("Tee")),
        good=_GOOD,
        needs=("live",),
    ),
)
