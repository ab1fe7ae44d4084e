"""N: sitemaps that could not be read, or only in part, and why."""

from __future__ import annotations

from urlset.checker.examples import ExampleResponse
from urlset.checker.rule import rule

__all__ = ["RULES"]

_HTTP = "https://www.rfc-editor.org/rfc/rfc9110"
_GOOGLE = "https://support.google.com/webmasters/answer/7451001"
_PROTOCOL = "https://www.sitemaps.org/protocol.html"
_PAGE = "<url><loc>https://example.com/</loc><lastmod>2026-11-20T08:00:00Z</lastmod></url>"
_ROBOTS = "Sitemap: https://example.com/sitemap-index.xml"
_INDEX = "".join(
    f"<sitemap><loc>https://example.com/{name}.xml</loc>"
    "<lastmod>2026-11-20T08:00:00Z</lastmod></sitemap>\n"
    for name in ("pages", "blog")
)
_GOOD = {
    "robots.txt": _ROBOTS,
    "sitemap-index.xml": _INDEX,
    "pages.xml": _PAGE,
    "blog.xml": _PAGE.replace("com/", "com/blog"),
}
_HTML = "<!DOCTYPE html><html><title>Example</title></html>"


def _bad(answer: ExampleResponse) -> dict[str, str | ExampleResponse]:
    return {**_GOOD, "blog.xml": answer}


RULES = (
    rule(
        "N001 sitemap-http-error error",
        message="{loc}: {error}",
        view="failed",
        where="failure = 'status'",
        element="loc",
        why="A server that answers with another status than 200 gives no sitemap: engines report "
        "the error, and its URLs are not found.",
        fix_hint="Publish the sitemap at this URL, or remove the URL from what names it",
        source=_GOOGLE,
        bad=_bad(ExampleResponse(status=404)),
        good=_GOOD,
    ),
    rule(
        "N003 sitemap-unreachable error",
        message="{words}",
        # Of an index on stdin the children are not looked for: one remark for all of them.
        sql="""
            SELECT document, source, "offset", line, loc, loc || ': ' || error AS words,
                'error' AS level
            FROM failed WHERE failure IN ('unreachable', 'unreadable')
            UNION ALL
            SELECT document, NULL, NULL, NULL, NULL,
                format('{:,} of its sitemaps were not checked: {}', count(*), min(error)), 'info'
            FROM failed WHERE failure = 'stream' GROUP BY document""",
        requires_rows="failed",
        element="loc",
        why="What cannot be opened is not read: no address, no connection, no answer in time, no "
        "permission. Engines try again for a while, then drop the sitemap.",
        fix_hint="Make it readable at this place, or remove it from what names it",
        source=_GOOGLE,
        bad=_bad(ExampleResponse(error="timeout")),
        good=_GOOD,
    ),
    rule(
        "N007 sitemap-soft-404 error",
        message="{loc}: {error}",
        view="failed",
        where="failure = 'same-answer'",
        element="loc",
        why="A server that gives one page for every URL that does not exist says that all of them "
        "do. Engines read a page where they expect a sitemap.",
        fix_hint="Publish the sitemap, or answer with 404",
        source=_GOOGLE,
        bad={
            "robots.txt": f"{_ROBOTS}\nSitemap: https://example.com/old-sitemap.xml\n"
            "Sitemap: https://example.com/news-sitemap.xml",
            "sitemap-index.xml": _INDEX,
            "pages.xml": _PAGE,
            "blog.xml": _PAGE.replace("com/", "com/blog"),
            "old-sitemap.xml": ExampleResponse(_HTML),
            "news-sitemap.xml": ExampleResponse(_HTML),
        },
        good=_GOOD,
    ),
    rule(
        "N008 sitemap-truncated-transfer error",
        message="{loc}: {error}",
        view="failed",
        where="failure = 'incomplete'",
        element="loc",
        why="Only a part arrived, and the rest of the URLs is missing. Engines reject the file, or "
        "take it for all there is.",
        fix_hint="See why the server ends the transfer early: a time limit, memory, a proxy",
        source=_HTTP,
        bad=_bad(ExampleResponse(_PAGE, error="cut")),
        good=_GOOD,
    ),
    rule(
        "N012 sitemap-auth error",
        message="{loc}: {error}",
        view="failed",
        where="failure = 'refused'",
        element="loc",
        why="A login or a firewall stands before the sitemap. Engines have no password, and many "
        "do not come through a firewall either.",
        fix_hint="Let everybody fetch it without a login; for a site behind one, see --auth-file",
        source=_GOOGLE,
        bad=_bad(ExampleResponse(status=403)),
        good=_GOOD,
    ),
    rule(
        "R015 robots-unreachable error",
        message="robots.txt: {error}",
        # One that is too long is reported by R006.
        sql="""
            SELECT url AS source, error FROM robots
            WHERE error IS NOT NULL AND state <> 'absent' AND size <= 512000""",
        needs=("robots",),
        why="While robots.txt answers with a server error, or not at all, crawlers take the whole "
        "site as disallowed; and the sitemaps that it declares are not found.",
        fix_hint="Serve robots.txt with status 200, or with 404 if there is none",
        source="https://www.rfc-editor.org/rfc/rfc9309#section-2.3.1.4",
        bad={"robots.txt": ExampleResponse(status=503), "sitemap.xml": _PAGE},
        good={"robots.txt": "Sitemap: https://example.com/sitemap.xml", "sitemap.xml": _PAGE},
    ),
)
