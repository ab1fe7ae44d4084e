"""U: what is wrong with a URL by itself."""

from __future__ import annotations

from urlset.checker.declaring import of_engine, rule

__all__ = ["RULES"]

RULES = (
    of_engine(
        "U001",
        why="A sitemap lists whole URLs. Most readers drop a path alone; those that resolve it do "
        "not agree against what.",
        instead="Write the URL in full, with https:// and the host",
        source="https://www.sitemaps.org/protocol.html#locdef",
        bad="<url><loc>/about</loc><lastmod>2026-11-20</lastmod></url>",
        good="<url><loc>https://example.com/about</loc><lastmod>2026-11-20</lastmod></url>",
        fixing="unsafe",
    ),
    rule(
        "U004 loc-too-short info",
        says="URL has {n} characters, fewer than the 12 of the schema",
        over="urls",
        where="length(loc) < 12",
        values={"n": "length(loc)"},
        at="loc",
        why="The XML schema of the protocol wants 12 characters at least; the protocol itself "
        "does not, and https://t.co is a URL.",
        instead="Nothing, unless you validate against the schema",
        source="https://www.sitemaps.org/schemas/sitemap/0.9/sitemap.xsd",
        bad="<url><loc>http://a.io</loc><lastmod>2026-11-20</lastmod></url>",
        good="<url><loc>https://example.com/</loc><lastmod>2026-11-20</lastmod></url>",
        is_default=False,
    ),
    rule(
        "U012 loc-fragment warning",
        says="URL has a fragment (#{fragment})",
        over="urls",
        where="contains(loc, '#') AND fragment <> ''",
        at="loc",
        why="Search engines drop what comes after #, so that several entries become one, and a page "
        "that only exists behind a fragment is never found.",
        instead="Remove the fragment, and list each page once",
        source="https://developers.google.com/search/docs/crawling-indexing/url-structure",
        bad="<url><loc>https://example.com/#about</loc><lastmod>2026-11-20</lastmod></url>",
        good="<url><loc>https://example.com/about</loc><lastmod>2026-11-20</lastmod></url>",
        fixing="unsafe",
    ),
    rule(
        "U025 near-duplicate-loc info",
        says="Differs from {other} only by {what}",
        sql="""
            SELECT * FROM (
                SELECT document, "offset", line, loc,
                    first_value(loc) OVER same AS other,
                    'scheme, www, case or its end' AS what
                FROM urls
                WINDOW same AS (PARTITION BY document, twin_of(loc) ORDER BY "offset")
            ) WHERE loc <> other""",
        at="loc",
        why="Each of the two is fetched, though most servers give the same page for both.",
        instead="Keep the one that the page itself names as canonical",
        source="https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls",
        bad="<url><loc>https://example.com/a</loc><lastmod>2026-11-20</lastmod></url>\n"
        "<url><loc>https://example.com/a/</loc><lastmod>2026-11-20</lastmod></url>",
        good="<url><loc>https://example.com/a</loc><lastmod>2026-11-20</lastmod></url>\n"
        "<url><loc>https://example.com/b</loc><lastmod>2026-11-20</lastmod></url>",
    ),
)
