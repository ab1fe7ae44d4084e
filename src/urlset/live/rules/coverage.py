"""Live rules about listed, linked and visited URLs (groups P and N)."""

from __future__ import annotations

from functools import partial

from urlset.checker.examples import Many, page, site
from urlset.checker.rule import rule

_SOURCE = "https://developers.google.com/search/docs/crawling-indexing/sitemaps/overview"
_LINKS = '<a href="/tea">Tea</a> <a href="/coffee">Coffee</a>'
_PAGES = {"tea": page("Tea"), "coffee": page("Coffee")}
_LOG = '192.0.2.1 - - [20/Nov/2026:08:00:00 +0000] "GET {} HTTP/1.1" 200 900 "-" "-"\n'
_VISITS = _LOG.format("/tea") + _LOG.format("/coffee")
_SHOP = {f"shop/{n}": page(f"Tea {n}") for n in range(1, 41)}
_LISTED = "<url><loc>https://example.com/shop/{n}</loc><lastmod>2026-11-20</lastmod></url>"

SLOW_PAGE_S = 5
"""Seconds to the first byte after which a single page is reported."""

_rule = partial(rule, source=_SOURCE, needs=("live",))

RULES = (
    _rule(
        "P502 url-count-drop warning",
        heading="Many fewer URLs than at the previous audit",
        message="{percent:.0f} % fewer URLs than at the previous audit: {now:,} instead of "
        "{previous:,}",
        sql="""
            SELECT previous, now, 100.0 * (previous - now) / previous AS percent
            FROM (SELECT count(*) AS previous FROM previous_listing),
                (SELECT count(*) AS now FROM listed_urls)
            WHERE previous >= 10 AND now < previous * 0.7""",
        why="A generator that stops early or loses its database writes a short sitemap. Search "
        "engines then forget the missing pages.",
        fix_hint="Compare the list with the previous one, and repair the generator if pages are "
        "missing",
        source="https://blogs.bing.com/webmaster/2016",
        bad={
            "before:sitemap.xml": (Many(_LISTED, 40),),
            "sitemap.xml": (Many(_LISTED, 20),),
            **_SHOP,
        },
        good={
            "before:sitemap.xml": (Many(_LISTED, 40),),
            "sitemap.xml": (Many(_LISTED, 39),),
            **_SHOP,
        },
        basis="complete",
    ),
    _rule(
        "P503 not-in-sitemap info",
        heading="Linked pages that are in no sitemap",
        message="Indexable page {page} is in no sitemap; first link: {referrer}",
        sql="""
            SELECT p.url AS source, p.url AS loc, f.referrer FROM live_pages p
            LEFT JOIN frontier f ON f.url = p.url
            WHERE p.verdict = 'ok' AND p.is_indexable AND p.is_linked AND p.is_html
                AND p.page_key NOT IN (SELECT page_key FROM listed_urls)
                AND host_of(p.url) IN (SELECT host_of(loc) FROM listed_urls)
                AND NOT EXISTS (SELECT 1 FROM sources WHERE NOT is_readable AND same_as IS NULL)""",
        values={"page": "preview(loc)", "referrer": "coalesce(preview(referrer), 'unknown')"},
        why="Search engines find the page only by links, later than the listed ones, and do not "
        "know when it changes.",
        fix_hint="List the page, or mark it with noindex if it should not be found",
        bad={**site("", "tea", **_PAGES), "": page("Shop", body=_LINKS)},
        good={**site("", "tea", "coffee", **_PAGES), "": page("Shop", body=_LINKS)},
    ),
    _rule(
        "P504 orphan-url info",
        heading="Listed pages without a link to them",
        message="No page {links} to {page}{instead}{unread}",
        sql="""
            SELECT l.document, l."offset", l.line, l.loc, c.linked_by, is_crawl_complete, u.n,
                if(is_crawl_complete, 'complete', 'unknown') AS basis
            FROM listed_pages l CROSS JOIN audit_run CROSS JOIN (
                SELECT count(*) AS n FROM live_pages
                WHERE verdict IN ('unknown', 'server-error', 'unreachable', 'disallowed')) u
            LEFT JOIN link_classes c ON c.page_key = l.page_key
            WHERE (is_crawl_complete OR is_crawl_over) AND l.verdict = 'ok' AND l.is_indexable
                AND path_of(l.url) <> '/'
                AND (l.refresh IS NULL OR normal_of(l.refresh) = l.key)
                AND l.page_key NOT IN (SELECT target_key FROM live_links)""",
        # Links of the head lead search engines to the page, but no reader.
        values={
            "page": "preview(loc)",
            "links": "if(is_crawl_complete, 'links', 'is seen to link')",
            "unread": "if(is_crawl_complete, '', printf('; %d URL%s not read, and may link to it', "
            "n, if(n = 1, ' was', 's were')))",
            "instead": "CASE linked_by WHEN 'hreflang' THEN '; only hreflang names it' "
            "WHEN 'pagination' THEN '; only rel=\"next\" or rel=\"prev\" of a head names it' "
            "ELSE '' END",
        },
        why="Readers cannot reach the page, and search engines consider it unimportant. With the "
        "basis complete, no link was missed. If robots.txt disallows some pages, or some fail, the "
        "basis is unknown: one of them may have the link. Links that scripts add are not seen. "
        "A page that redirects by meta refresh is reported as that (N125).",
        fix_hint="Link to the page from a page of its subject, or remove it",
        bad={
            **site("", "tea", "coffee", **_PAGES),
            "": page("Shop", body='<a href="/tea">Tea</a>'),
        },
        good={**site("", "tea", "coffee", **_PAGES), "": page("Shop", body=_LINKS)},
        basis="complete",
    ),
    _rule(
        "N126 visited-not-listed info",
        heading="Visited pages that are in no sitemap",
        message="{page} is visited according to the logs, but in no sitemap",
        # Pages that the audit found to be no page, noindex or a duplicate are meant to be missing.
        sql="""
            SELECT v.url AS source, v.url AS loc
            FROM log_urls v JOIN live_pages p ON p.key = normal_of(v.url)
            WHERE p.page_key NOT IN (SELECT page_key FROM listed_urls)
                AND p.verdict = 'ok' AND p.is_indexable AND p.is_html
                AND NOT EXISTS (SELECT 1 FROM sources WHERE NOT is_readable AND same_as IS NULL)""",
        values={"page": "preview(loc)"},
        why="People or search engines request the page, so it matters, but the sitemap does not "
        "list it.",
        added="Visits show pages that neither links nor sitemaps have.",
        fix_hint="List the page, or mark it with noindex if it should not be found",
        bad={**site("tea", **_PAGES), "access.log": _VISITS},
        good={**site("tea", "coffee", **_PAGES), "access.log": _VISITS},
    ),
    _rule(
        "N128 duplicate-content warning",
        heading="Listed pages with equal content",
        message="{page} has the same content as {original}",
        view="duplicate_pages",
        where="nth > 1",
        values={"page": "preview(loc)", "original": "preview(original)"},
        why="Search engines choose one of several equal pages, and it may be another one than you "
        "expect. The others cost visits.",
        added="Search engines choose one of them.",
        fix_hint="List one of the URLs, and name it as the canonical URL of the others",
        source="https://developers.google.com/search/docs/crawling-indexing/"
        "consolidate-duplicate-urls",
        bad=site("tea", "tea-2", tea=page("Tea"), **{"tea-2": page("Tea")}),
        good=site("tea", "coffee", **_PAGES),
    ),
    _rule(
        "N129 slow-section info",
        heading="Slow sections",
        message="Section {section}: one response in ten takes longer than {p90:.1f} s "
        "({pages:,} pages)",
        sql="""
            SELECT section, loc, pages, p90, document,
                if(is_sampled, 'sampled', 'complete') AS basis
            FROM section_times, audit_run WHERE pages >= 10 AND p90 > 2""",
        why="Search engines crawl a slow site less, so changes are found later.",
        added="Search engines visit slow sites less often.",
        fix_hint="Cache the pages of this section, or make them faster",
        source="https://developers.google.com/search/docs/crawling-indexing/"
        "large-site-managing-crawl-budget",
        bad={
            "sitemap.xml": (Many(_LISTED, 10),),
            **{f"shop/{n}": page(f"Tea {n}", x_seconds="3") for n in range(1, 11)},
        },
        good={
            "sitemap.xml": (Many(_LISTED, 10),),
            **{f"shop/{n}": page(f"Tea {n}", x_seconds="0.1") for n in range(1, 11)},
        },
    ),
    _rule(
        "N130 url-slow warning",
        heading="Listed pages that are very slow",
        message="{page}: the first byte takes {wait:.1f} s",
        # A section that is slow as a whole is one finding of slow-section.
        sql=f"""
            SELECT *, coalesce(first_byte_s, seconds) AS wait FROM listed_pages
            WHERE verdict = 'ok' AND coalesce(first_byte_s, seconds) > {SLOW_PAGE_S}
                AND NOT coalesce(is_from_cache, false) AND section NOT IN (
                    SELECT section FROM section_times WHERE pages >= 10 AND p90 > 2)""",
        values={"page": "preview(loc)"},
        why="Readers leave before the page appears, and search engines crawl a slow site less. "
        "Over 1.8 s to the first byte is poor according to web.dev. A page is visited once, and "
        f"one response may be slow by chance, so the limit here is {SLOW_PAGE_S} s.",
        added="N129 reports sections; one page that a reader waits for is a fault, too.",
        fix_hint="Find out what the server waits for, cache the page, or make it faster",
        source="https://web.dev/articles/ttfb",
        bad=site("tea", "coffee", tea=page("Tea", x_seconds="9"), coffee=page("Coffee")),
        good=site("tea", "coffee", tea=page("Tea", x_seconds="4"), coffee=page("Coffee")),
    ),
    _rule(
        "N131 broken-link info",
        heading="Links to pages that do not exist",
        message="{page} returns HTTP {final_status}; pages that link to it: {n:,}, such as "
        "{referrer}",
        # Listed pages that do not exist are findings of url-client-error.
        sql="""
            SELECT p.url AS source, p.url AS loc, p.final_status, count(DISTINCT l.url) AS n,
                min(l.url) AS referrer
            FROM live_pages p JOIN links l ON l.target = p.url AND l.kind = 'a' AND l.url <> p.url
            WHERE p.verdict IN ('gone', 'client-error')
                AND p.page_key NOT IN (SELECT page_key FROM listed_urls)
                AND host_of(p.url) IN (SELECT host_of(loc) FROM listed_urls)
            GROUP BY p.url, p.final_status""",
        values={"page": "preview(loc)", "referrer": "preview(referrer)"},
        why="Readers who follow the link see an error, and search engines request the page in "
        "vain.",
        added="N102 reports listed pages only; a reader follows links.",
        fix_hint="Correct or remove the links, or redirect the URL to the page that replaces it",
        source="https://developers.google.com/search/docs/crawling-indexing/http-network-errors",
        bad={
            **site("", "tea", tea=page("Tea")),
            "": page("Shop", body='<a href="/tea">Tea</a> <a href="/gone">Gone</a>'),
        },
        good={**site("", "tea", tea=page("Tea")), "": page("Shop", body='<a href="/tea">Tea</a>')},
    ),
)
