"""Rules about RSS and Atom feeds as sitemaps (codes F…)."""

from __future__ import annotations

from urlset.checker.rule import engine_rule, rule

__all__ = ["RULES"]

_FEEDS = "https://www.sitemaps.org/protocol.html#otherformats"
_GOOGLE = "https://developers.google.com/search/docs/crawling-indexing/sitemaps/build-sitemap#rss"
_RSS = "https://www.rssboard.org/rss-specification"

_HEAD = "<channel>\n<title>News</title>\n<link>https://example.com/</link>\n"
_LINK = "<link>https://example.com/a</link>"
_DATE = "<pubDate>Fri, 20 Nov 2026 08:00:00 GMT</pubDate>"


def _rss(item: str, version: str = "2.0") -> str:
    return f'<rss version="{version}">{_HEAD}<item>{item}</item>\n</channel></rss>'


_GOOD = {"feed.xml": _rss(_LINK + _DATE)}

RULES = (
    engine_rule(
        "F001",
        why="Google accepts RSS 2.0 and Atom 1.0 as sitemaps, Bing also Atom 0.3. How search "
        "engines treat older formats is not documented.",
        fix_hint="Use RSS 2.0 or Atom 1.0",
        source=_GOOGLE,
        bad={"feed.xml": _rss(_LINK + _DATE, "0.91")},
        good=_GOOD,
    ),
    engine_rule(
        "F002",
        why="Search engines read the URL of an item from its link. An item without one lists "
        "nothing.",
        fix_hint="Add a <link> to the item",
        source=_FEEDS,
        bad={"feed.xml": _rss("<title>An article</title>" + _DATE)},
        good=_GOOD,
        fix_safety="unsafe",
    ),
    engine_rule(
        "F003",
        why="The date shows search engines whether a page has changed since the last visit. An "
        "invalid date is ignored.",
        fix_hint="Write the date in the form of the feed format: RFC 822 in RSS, RFC 3339 in Atom",
        source=_RSS,
        bad={"feed.xml": _rss(_LINK + "<pubDate>yesterday</pubDate>")},
        good=_GOOD,
        fix_safety="safe",
    ),
    rule(
        "F004 feed-only-recent info",
        message="All sitemaps of the site are feeds, which list only recent URLs",
        sql="""
            SELECT min(document) AS document FROM sources
            WHERE same_as IS NULL
            HAVING bool_and(coalesce(kind IN ('rss', 'atom'), false))
                AND (SELECT count(*) FROM robots) > 0""",
        needs=("robots", "set"),
        why="A feed lists the latest pages. Search engines find new pages within minutes, but not "
        "the pages that are no longer in the feed.",
        fix_hint="Publish a sitemap of all pages as well, and keep the feed for new pages",
        source=_GOOGLE,
        bad={"robots.txt": "Sitemap: https://example.com/feed.xml\n", **_GOOD},
        good={
            "robots.txt": "Sitemap: https://example.com/feed.xml\n"
            "Sitemap: https://example.com/sitemap.xml\n",
            "sitemap.xml": "<url><loc>https://example.com/a</loc>"
            "<lastmod>2026-11-20T08:00:00Z</lastmod></url>",
            **_GOOD,
        },
    ),
)
