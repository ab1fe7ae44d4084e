"""Live rules about what pages declare: noindex, canonical, hreflang; the truth of lastmod (N…).

A link is mutual if its target links back in any of the three places.

The witnesses are the header Last-Modified, the date on the page, and the content of the page at the
previous audit.
"""

from __future__ import annotations

from functools import partial

from urlset.checker.examples import (
    HOME,
    ExampleResponse,
    Piece,
    entry,
    hreflang,
    page,
    redirect,
    site,
)
from urlset.checker.rule import rule

_ROBOTS = "https://developers.google.com/search/docs/crawling-indexing/robots-meta-tag"
_CANONICAL = (
    "https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls"
)
_SELF = f'<link rel="canonical" href="{HOME}tea">'
_GOOD = site(tea=page("Tea", _SELF))
_TO = {"page": "preview(loc)", "target": "preview(canonical)"}


def _canonical(path: str) -> str:
    return f'<link rel="canonical" href="{HOME}{path}">'


_HREFLANG_SOURCE = (
    "https://developers.google.com/search/docs/specialty/international/localized-versions"
)
_BOTH = hreflang("en=tea", "de=tee")
_GOOD_HREFLANG = site(tea=page("Tea", _BOTH), tee=page("Tee", _BOTH))
_ENTRY = (
    "<url><loc>https://example.com/{}</loc><lastmod>2026-11-20T08:00:00Z</lastmod>"
    '<xhtml:link rel="alternate" hreflang="en" href="https://example.com/tea"/>'
    '<xhtml:link rel="alternate" hreflang="de" href="https://example.com/tee"/></url>'
)
_THREE = hreflang("en=tea", "de=tee", "fr=the")

_LASTMOD_SOURCE = (
    "https://developers.google.com/search/docs/crawling-indexing/sitemaps/build-sitemap"
)


def _dated(title: str, date: str) -> Piece:
    return page(title, f'<meta property="article:modified_time" content="{date}">')


def _section(date: str, lastmod: str) -> dict[str, Piece]:
    names = [f"blog/{kind}" for kind in ("black", "green", "white", "red", "yellow")]
    return _site(names, date, lastmod)


def _site(names: list[str], date: str, lastmod: str) -> dict[str, Piece]:
    listed = "".join(entry(f"{HOME}{name}", lastmod=lastmod) for name in names)
    return {"sitemap.xml": listed, **{name: _dated(name, date) for name in names}}


_NEW, _OLD = "2026-11-20T08:00:00Z", "2026-03-01T08:00:00Z"

_rule = partial(rule, source=_CANONICAL, needs=("live",), good=_GOOD)

RULES = (
    _rule(
        "N105 url-noindex error",
        heading="Listed pages that forbid indexing (noindex)",
        message="{page} forbids indexing: {directives} ({origin})",
        view="listed_pages",
        where="verdict = 'ok' AND is_noindex",
        values={
            "page": "preview(loc)",
            "directives": "preview(array_to_string(robots, ', '))",
            "origin": "coalesce(CASE robots_from WHEN 'header' THEN 'X-Robots-Tag' "
            "WHEN 'meta' THEN 'robots meta tag' ELSE 'meta tag and X-Robots-Tag' END, 'robots')",
        },
        why="The sitemap asks search engines to index the page, and the page forbids it. They obey "
        "the page.",
        fix_hint="Remove noindex from the page or from its headers, or remove the entry",
        source=_ROBOTS,
        bad=site(
            "tea",
            "cart",
            tea=page("Tea"),
            cart=page("Cart", '<meta name="robots" content="noindex">'),
        ),
    ),
    _rule(
        "N106 url-canonicalised error",
        heading="Listed pages that name another canonical URL",
        message="{page} names {target} as its canonical URL",
        view="listed_canonicals",
        where="NOT is_scheme_only AND target_fault IS NULL AND is_chain IS NOT TRUE",
        values=_TO,
        why="The page says that another URL is the one to index. A sitemap should list only "
        "canonical URLs; contradicting signals make search engines ignore both.",
        fix_hint="List the canonical URL, or correct the canonical of the page",
        bad=site("tea", "tea-sale", tea=page("Tea"), **{"tea-sale": page("Sale", _SELF)}),
    ),
    _rule(
        "N119 canonical-chain error",
        heading="Canonical URLs that lead to another URL",
        message="{page} names {target} as its canonical URL, which leads to {last}",
        view="listed_canonicals",
        where="NOT is_scheme_only AND (target_verdict = 'redirect' OR is_chain)",
        values={
            **_TO,
            "last": "preview(CASE WHEN target_verdict = 'redirect' THEN target_url "
            "ELSE target_canonical END)",
        },
        why="A canonical URL that redirects, or that has another canonical URL itself, is a "
        "contradiction. Search engines then choose a URL themselves.",
        added="N106 asks to list the canonical URL, which would be wrong here.",
        fix_hint="Name the last URL of the chain as canonical, and list that URL",
        bad=site(
            "tea",
            "tea-sale",
            tea=page("Tea"),
            **{"tea-sale": page("Sale", _canonical("teas")), "teas": redirect("/tea")},
        ),
    ),
    _rule(
        "N120 canonical-to-error error",
        heading="Canonical URLs that cannot be indexed",
        message="{page} names {target} as its canonical URL, which {fault}",
        view="listed_canonicals",
        where="NOT is_scheme_only AND target_fault IS NOT NULL AND target_verdict <> 'redirect' "
        "AND is_chain IS NOT TRUE",
        values={**_TO, "fault": "preview(target_fault)"},
        why="The page asks search engines to index a URL that they cannot index. They may drop "
        "both.",
        added="As N119.",
        fix_hint="Name a URL that can be indexed as canonical, for most pages their own",
        bad=site("tea", "tea-sale", tea=page("Tea"), **{"tea-sale": page("S", _canonical("gone"))}),
    ),
    _rule(
        "N121 several-canonicals error",
        heading="Pages with several canonical URLs",
        message="{page} names {n} different canonical URLs: {urls}",
        sql="""
            SELECT *, len(named) AS n FROM (
                SELECT *, list_distinct(list_transform(
                    list_filter(canonicals, lambda c: c.origin <> 'body'),
                    lambda c: c.url)) AS named
                FROM listed_pages WHERE verdict = 'ok' AND len(canonicals) > 1)
            WHERE len(named) > 1""",
        values={"page": "preview(loc)", "urls": "preview(array_to_string(list_sort(named), ', '))"},
        why="If a page, or a page and its headers, name several canonical URLs, search engines "
        "ignore all of them.",
        added="Search engines ignore all of them.",
        fix_hint="Keep one canonical, the URL that the sitemap lists",
        bad=site(tea=page("Tea", f"{_SELF}\n{_canonical('teas')}"), teas=page("Teas")),
    ),
    _rule(
        "N122 canonical-in-body warning",
        heading="Canonical URLs in the body of the page",
        message="{page} names its canonical URL in the body, where it has no effect",
        view="listed_pages",
        where="verdict = 'ok' AND len(list_filter(canonicals, lambda c: c.origin = 'body')) > 0",
        values={"page": "preview(loc)"},
        why="Search engines accept rel=canonical only in the head. An element such as div or img "
        "ends the head, so that links after it are in the body.",
        added="Search engines ignore it.",
        fix_hint="Move the link to the head, before any element that belongs to the body",
        bad=site(tea=ExampleResponse(f"<!DOCTYPE html><title>Tea</title><p>Tea</p>\n{_SELF}")),
    ),
    _rule(
        "N123 mixed-protocol-canonical warning",
        heading="Canonical URLs with the other scheme, http or https",
        message="{page} names the {scheme} version of itself as its canonical URL",
        view="listed_canonicals",
        where="is_scheme_only",
        values={"page": "preview(loc)", "scheme": "scheme_of(canonical)"},
        why="The sitemap and the page disagree about http and https. Search engines see two "
        "versions of each page.",
        added="The cause is one setting of the site, not the page.",
        fix_hint="Use https in the canonical and in the sitemap",
        bad=site(tea=page("Tea", _SELF.replace("https", "http"))),
    ),
    _rule(
        "N111 hreflang-target-bad warning",
        heading="Language links to pages that cannot be shown",
        message='Alternate {other} ("{lang}") {fault}; pages that list it: {n}',
        sql="""
            SELECT t.fault, count(DISTINCT a.key) AS n, unnest(min_by({'document': l.document,
                    'offset': l."offset", 'line': l.line, 'loc': l.loc, 'href': a.href,
                    'tag': a.tag}, (l.document, l.entry)))
            FROM live_alternates a
            JOIN live_pages t ON t.key = a.href_key AND t.fault IS NOT NULL
            JOIN audited_urls l ON l.key = a.key
            WHERE a.href_key <> a.key AND a.tag <> 'x-default'
            GROUP BY a.href_key, t.fault""",
        values={"other": "preview(href)", "lang": "preview(tag)"},
        why="Search engines ignore a version that does not return a page, redirects, or may not "
        "be indexed. Readers of that language are sent to it all the same.",
        fix_hint="Name the final, indexable URL of the version, or remove the link",
        source=_HREFLANG_SOURCE,
        bad=site(
            "tea", "tee", tea=page("Tea", _THREE), tee=page("Tee", _THREE), the=redirect("/tea")
        ),
        good=_GOOD_HREFLANG,
    ),
    _rule(
        "N112 hreflang-html-conflict warning",
        heading="Language links that differ between page and sitemap",
        message="{page}: the page links to other versions than its entry in the sitemap; "
        "only the page: {page_only}; only the sitemap: {sitemap_only}",
        sql="""
            SELECT l.document, l."offset", l.line, l.loc,
                list_filter(h.pairs, lambda p: NOT list_contains(s.pairs, p)) AS on_page,
                list_filter(s.pairs, lambda p: NOT list_contains(h.pairs, p)) AS in_sitemap
            FROM audited_urls l
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
        source=_HREFLANG_SOURCE,
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
        is_default=False,
    ),
    _rule(
        "N124 hreflang-html-no-return error",
        heading="Language links of pages that are not returned",
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
            JOIN audited_urls l ON l.key = a.key
            JOIN live_pages p ON p.key = a.key AND p.fault IS NULL
            WHERE a.href_key <> a.key AND a.origin <> 'sitemap' AND NOT EXISTS (
                SELECT 1 FROM live_alternates b WHERE b.key = a.href_key AND b.href_key = a.key)
            GROUP BY l.document, l."offset", l.line, l.loc, a.href_key""",
        values={"page": "preview(loc)", "other": "preview(href)", "lang": "preview(tag)"},
        why="Any site can claim that a foreign page is a version of its own page. Search engines "
        "accept two pages as versions of each other only if each lists the other.",
        added="H501 sees only the links in sitemaps.",
        fix_hint="List all versions, with the same links, on each of them",
        source=_HREFLANG_SOURCE,
        bad=site(tea=page("Tea", _BOTH), tee=page("Tee")),
        good=_GOOD_HREFLANG,
    ),
    _rule(
        "N110 lastmod-disagrees warning",
        heading="Dates that do not agree with their pages",
        message="{page}: lastmod is {listed}, {witness} says {date}",
        # D007 reports dates in the future.
        sql="""
            SELECT *, page_s IS NOT NULL AS is_page FROM lastmod_trials
            WHERE trial IN ('late', 'early', 'invented')
                AND abs(coalesce(page_s, header_s) - listed_s) > 86400
                AND (listed_s > epoch(check_time()) + 86400) IS NOT TRUE""",
        values={
            "page": "preview(loc)",
            "listed": "preview(listed_text)",
            "witness": "if(is_page, 'the page', 'Last-Modified')",
            "date": "preview(if(is_page, page_text, last_modified))",
        },
        why="Google uses lastmod only if it is consistently and verifiably accurate, for instance "
        "by comparing it with the page.",
        fix_hint="Write the date of the last significant change of the page to lastmod",
        source=_LASTMOD_SOURCE,
        bad=_site(["tea"], _OLD, _NEW),
        good=_site(["tea"], _NEW, _NEW),
    ),
    _rule(
        "N127 lastmod-untruthful warning",
        heading="Sections whose dates are not true",
        message="Section {section}: {truthful:,} of {dates:,} lastmod dates are truthful; "
        "{late:,} are too old, {early:,} too new, {invented:,} changed without the page",
        sql="""
            SELECT *, if(is_sampled, 'sampled', 'complete') AS basis
            FROM lastmod_sections, audit_run WHERE dates >= 5 AND truthful < dates * 0.8""",
        why="Google uses lastmod only if it is consistently and verifiably accurate. A section "
        "with many wrong dates loses the trust in the right ones, too.",
        added="Google trusts the dates of a site or does not; N110 reports single dates.",
        fix_hint="Write lastmod only when the content changes, from the date of the content and "
        "not of the build",
        source=_LASTMOD_SOURCE,
        bad=_section(_OLD, _NEW),
        good=_section(_NEW, _NEW),
    ),
)
