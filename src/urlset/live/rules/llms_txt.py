"""Live rules about the links of the llms.txt of a site (codes M007 to M010)."""

from __future__ import annotations

from functools import partial

from urlset.checker.examples import ExampleResponse, Piece, page, redirect, site
from urlset.checker.rule import rule
from urlset.live.rules.status import DEAD_END, IS_DEAD_END, TO

_SOURCE = "https://llmstxt.org/"
_URL = {"page": "preview(loc)"}
_PAGES = {"tea": page("Tea"), "coffee": page("Coffee")}


def _llms_txt(*paths: str) -> Piece:
    links = "".join(f"- [{path.title()}](https://example.com/{path})\n" for path in paths)
    return ExampleResponse(
        f"# Shop\n\n## Drinks\n\n{links}", headers=(("content-type", "text/plain"),)
    )


_BOTH = {"llms.txt": _llms_txt("tea", "coffee")}
_GOOD = {**site(**_PAGES), **_BOTH}

_rule = partial(
    rule, source=_SOURCE, view="llms_txt_pages", needs=("live",), values=_URL, good=_GOOD
)

RULES = (
    _rule(
        "M007 llms-txt-dead-link error",
        heading="llms.txt links to pages that do not exist",
        message="llms.txt links to {page}, which {fault}",
        where="verdict IN ('gone', 'client-error', 'server-error', 'unreachable', 'soft-404', "
        "'redirect-loop')",
        why="A program that reads the file requests the page and gets an error. A language model "
        "may still name the URL to people.",
        added="Readers of the file get nothing.",
        fix_hint="Restore the page, or remove the link",
        bad={**site("tea", **_PAGES), "llms.txt": _llms_txt("tea", "cocoa")},
    ),
    _rule(
        "M008 llms-txt-redirect warning",
        heading="llms.txt links to redirects",
        message="llms.txt links to {page}, which redirects to {target} (HTTP {status}){outcome}",
        where=f"verdict = 'redirect' AND (is_own OR {IS_DEAD_END})",
        values=TO,
        level_sql=DEAD_END,
        why="Each program that reads the file makes a request in vain, and some follow no "
        "redirects. The old URL fails when the redirect is removed.",
        added="As N101, for another list of the site.",
        fix_hint="Link to the URL to which it redirects, or remove the link",
        bad={
            **site("tea", "coffee", **_PAGES, **{"old-tea": redirect("/tea")}),
            "llms.txt": _llms_txt("old-tea", "coffee"),
        },
    ),
    _rule(
        "M009 llms-txt-link-not-indexable warning",
        heading="llms.txt links to pages that may not be indexed",
        message="llms.txt links to {page}, {reason}",
        where="is_own AND (verdict = 'disallowed' OR verdict = 'ok' AND is_html "
        "AND (is_noindex OR canonical_key <> key))",
        values={
            "page": "preview(loc)",
            "reason": "CASE WHEN verdict = 'disallowed' THEN 'which robots.txt disallows' "
            "WHEN is_noindex THEN 'which is noindex' "
            "ELSE 'whose canonical URL is ' || preview(canonical) END",
        },
        why="The file recommends a page that the site hides, or names by another URL elsewhere. "
        "Programs that obey robots.txt cannot read a disallowed page. Files that are not HTML, "
        "such as Markdown versions of pages, may be noindex.",
        added="The site recommends a page that it hides elsewhere.",
        fix_hint="Allow the page, link to its canonical URL, or remove the link",
        bad={
            **site("tea", **_PAGES),
            "coffee": page("Coffee", '<meta name="robots" content="noindex">'),
            **_BOTH,
        },
    ),
    _rule(
        "M010 llms-txt-not-in-sitemap info",
        heading="llms.txt links to pages that are in no sitemap",
        message="llms.txt links to {page}, an indexable page that is in no sitemap",
        view=None,
        # Nothing is said if a sitemap, or a part of one, could not be read.
        sql="""
            SELECT source, line, loc FROM llms_txt_pages
            WHERE is_own AND verdict = 'ok' AND is_html AND is_indexable
                AND page_key NOT IN (SELECT page_key FROM listed_urls)
                AND NOT EXISTS (SELECT 1 FROM sources WHERE NOT is_readable AND same_as IS NULL)
                AND NOT EXISTS (SELECT 1 FROM problems WHERE code IN ('X009', 'X025', 'L009'))""",
        why="The page matters enough for the llms.txt, but search engines do not learn from the "
        "sitemap that it exists or changes.",
        added="Two lists of one site disagree.",
        fix_hint="List the page in a sitemap",
        source="https://developers.google.com/search/docs/crawling-indexing/sitemaps/overview",
        bad={**site("tea", **_PAGES), **_BOTH},
    ),
)
