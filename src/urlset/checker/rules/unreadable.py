"""Rules about sitemaps that could not be fetched or read completely (codes N…, and R015)."""

from __future__ import annotations

from functools import partial

from urlset.checker.examples import PAGE, ExampleResponse, index_of
from urlset.checker.rule import rule

_HTTP = "https://www.rfc-editor.org/rfc/rfc9110"
_GOOGLE = "https://support.google.com/webmasters/answer/7451001"
_PROTOCOL = "https://www.sitemaps.org/protocol.html"
_ROBOTS = "Sitemap: https://example.com/sitemap-index.xml"
_GOOD = {
    "robots.txt": _ROBOTS,
    "sitemap-index.xml": index_of("pages.xml", "blog.xml"),
    "pages.xml": PAGE,
    "blog.xml": PAGE.replace("com/", "com/blog"),
}
_HTML = "<!DOCTYPE html><html><title>Example</title></html>"


def _bad(answer: ExampleResponse) -> dict[str, str | ExampleResponse]:
    return {**_GOOD, "blog.xml": answer}


_rule = partial(rule, partition="all", source=_GOOGLE, element="loc", good=_GOOD)
_failure_rule = partial(_rule, view="failed", message="{loc}: {error}")

RULES = (
    _failure_rule(
        "N001 sitemap-http-error error",
        heading="Sitemaps that return an HTTP error",
        where="failure = 'status'",
        why="A response with a status other than 200 is not a sitemap. Search engines report the "
        "error and do not find its URLs.",
        fix_hint="Publish the sitemap at this URL, or remove the URL from the document that names "
        "it",
        bad=_bad(ExampleResponse(status=404)),
    ),
    _rule(
        "N003 sitemap-unreachable error",
        heading="Sitemaps that cannot be requested",
        message="{description}",
        # The children of an index on stdin are not read: one finding for all of them.
        sql="""
            SELECT document, source, "offset", line, loc, loc || ': ' || error AS description,
                'error' AS level
            FROM failed WHERE failure IN ('unreachable', 'unreadable')
            UNION ALL
            SELECT document, NULL, NULL, NULL, NULL,
                format('{:,} of its sitemaps were not checked: {}', count(*), min(error)), 'info'
            FROM failed WHERE failure = 'stream' GROUP BY document""",
        requires_rows="failed",
        why="A sitemap that cannot be opened is not read: no address, no connection, no response "
        "in time, no permission. Search engines retry for some time, then drop the sitemap.",
        fix_hint="Make the sitemap readable at this location, or remove it from the document that "
        "names it",
        bad=_bad(ExampleResponse(error="timeout")),
    ),
    _failure_rule(
        "N007 sitemap-soft-404 error",
        heading="Sitemaps that are error pages with status 200",
        where="failure = 'same-answer'",
        why="The server returns the same page for every URL, as if each existed. Search engines "
        "read a page where they expect a sitemap.",
        fix_hint="Publish the sitemap, or respond with status 404",
        bad={
            **_GOOD,
            "robots.txt": f"{_ROBOTS}\nSitemap: https://example.com/old-sitemap.xml\n"
            "Sitemap: https://example.com/news-sitemap.xml",
            "old-sitemap.xml": ExampleResponse(_HTML),
            "news-sitemap.xml": ExampleResponse(_HTML),
        },
    ),
    _failure_rule(
        "N008 sitemap-truncated-transfer error",
        heading="Sitemaps whose transfer is cut off",
        where="failure = 'incomplete'",
        why="Only a part was received, so the other URLs are missing. Search engines reject the "
        "file, or treat the part as the complete sitemap.",
        fix_hint="Find out why the server ends the transfer early: a time limit, memory, a proxy",
        source=_HTTP,
        bad=_bad(ExampleResponse(PAGE, error="cut")),
    ),
    _failure_rule(
        "N012 sitemap-auth error",
        heading="Sitemaps that require a login",
        where="failure = 'refused'",
        why="The sitemap is behind a login or a firewall. Search engines have no password, and "
        "firewalls block many of them.",
        fix_hint="Allow access without a login; to check a protected site, pass its login",
        bad=_bad(ExampleResponse(status=403)),
    ),
    _rule(
        "R015 robots-unreachable error",
        message="robots.txt: {error}",
        # One that is too long is reported by R006.
        requires_rows="robots",
        sql="""
            SELECT url AS source, error FROM robots
            WHERE error IS NOT NULL AND state NOT IN ('absent', 'refused') AND size <= 512000""",
        needs=("robots",),
        why="While robots.txt has a server error or does not respond, crawlers treat the whole "
        "site as disallowed. They also do not find the sitemaps that it declares.",
        fix_hint="Serve robots.txt with status 200, or with 404 if there is none",
        source="https://www.rfc-editor.org/rfc/rfc9309#section-2.3.1.4",
        bad={"robots.txt": ExampleResponse(status=503), "sitemap.xml": PAGE},
        good={"robots.txt": "Sitemap: https://example.com/sitemap.xml", "sitemap.xml": PAGE},
        element=None,
    ),
)
