"""Rules about sitemaps in other formats: text (group T), RSS and Atom feeds (group F)."""

from __future__ import annotations

from functools import partial

from urlset.checker.examples import entry
from urlset.checker.rule import engine_rule, rule

_OTHER_FORMATS = "https://www.sitemaps.org/protocol.html#otherformats"
_GOOGLE_TEXT = (
    "https://developers.google.com/search/docs/crawling-indexing/sitemaps/build-sitemap#text"
)
_GOOD_TEXT = {"sitemap.txt": "https://example.com/\nhttps://example.com/about\n"}

_text_rule = partial(engine_rule, source=_OTHER_FORMATS, good=_GOOD_TEXT)

_TEXT_RULES = (
    _text_rule(
        "T001",
        why="A text sitemap contains only URLs: no header, no comment, no second column. Search "
        "engines report every other line as an error.",
        fix_hint="Remove the line, or write a full URL that begins with https://",
        bad={"sitemap.txt": "# Pages of 2026\nhttps://example.com/\nhttps://example.com/about\n"},
    ),
    _text_rule(
        "T002",
        why="Each line is one URL. A reader treats the two as a single, invalid URL.",
        fix_hint="Write each URL on its own line",
        bad={"sitemap.txt": "https://example.com/ https://example.com/about\n"},
    ),
    _text_rule(
        "T003",
        why="Tolerant readers skip it. Simple ones report an empty URL, or one with a space.",
        fix_hint="Write one URL on each line, with nothing around it, and end lines with LF",
        bad={"sitemap.txt": "https://example.com/\n\n  https://example.com/about\n"},
    ),
    _text_rule(
        "T004",
        why="A text sitemap is not XML and has no entities. &amp; is part of the URL, so another "
        "page is requested.",
        fix_hint="Write the URL without escaping",
        bad={"sitemap.txt": "https://example.com/?size=1&amp;color=2\n"},
        good={"sitemap.txt": "https://example.com/?size=1&color=2\n"},
    ),
    rule(
        "T005 text-extension warning",
        message="Name of a text sitemap should end in .txt, found {name}",
        requires_rows="texts",
        view="sources",
        where="kind = 'text' AND name <> '' "
        "AND NOT regexp_matches(name, '(?i)\\.txt(\\.gz|\\.gzip)?$')",
        why="Google accepts a text sitemap only if its name ends with .txt. The protocol allows "
        "any name.",
        fix_hint="Rename the file to end with .txt, and update the index or robots.txt that names "
        "it",
        source=_GOOGLE_TEXT,
        bad={"sitemap.csv": "https://example.com/\n"},
        good=_GOOD_TEXT,
    ),
)


_GOOGLE = "https://developers.google.com/search/docs/crawling-indexing/sitemaps/build-sitemap#rss"
_RSS = "https://www.rssboard.org/rss-specification"

_HEAD = "<channel>\n<title>News</title>\n<link>https://example.com/</link>\n"
_LINK = "<link>https://example.com/a</link>"
_ROBOTS = "Sitemap: https://example.com/feed.xml\n"
_DATE = "<pubDate>Fri, 20 Nov 2026 08:00:00 GMT</pubDate>"


def _rss(item: str, version: str = "2.0") -> str:
    return f'<rss version="{version}">{_HEAD}<item>{item}</item>\n</channel></rss>'


_GOOD = {"feed.xml": _rss(_LINK + _DATE)}

_feed_rule = partial(engine_rule, good=_GOOD)

_FEED_RULES = (
    _feed_rule(
        "F001",
        why="Google accepts RSS 2.0 and Atom 1.0 as sitemaps, Bing also Atom 0.3. How search "
        "engines treat older formats is not documented.",
        fix_hint="Use RSS 2.0 or Atom 1.0",
        source=_GOOGLE,
        bad={"feed.xml": _rss(_LINK + _DATE, "0.91")},
    ),
    _feed_rule(
        "F002",
        why="Search engines read the URL of an item from its link. An item without one lists "
        "nothing.",
        fix_hint="Add a <link> to the item",
        source=_OTHER_FORMATS,
        bad={"feed.xml": _rss("<title>An article</title>" + _DATE)},
    ),
    _feed_rule(
        "F003",
        why="The date shows search engines whether a page has changed since the last visit. An "
        "invalid date is ignored.",
        fix_hint="Write the date in the form of the feed format: RFC 822 in RSS, RFC 3339 in Atom",
        source=_RSS,
        bad={"feed.xml": _rss(_LINK + "<pubDate>yesterday</pubDate>")},
    ),
    rule(
        "F004 feed-only-recent info",
        partition="all",
        message="All sitemaps of the site are feeds, which list only recent URLs",
        requires_rows="robots",
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
        bad={"robots.txt": _ROBOTS, **_GOOD},
        good={
            "robots.txt": f"{_ROBOTS}Sitemap: https://example.com/sitemap.xml\n",
            "sitemap.xml": entry("https://example.com/a"),
            **_GOOD,
        },
    ),
)

RULES = (*_TEXT_RULES, *_FEED_RULES)
