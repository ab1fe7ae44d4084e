"""T: text sitemaps, of one URL on each line."""

from __future__ import annotations

from urlset.checker.rule import engine_rule, rule

__all__ = ["RULES"]

_TEXT = "https://www.sitemaps.org/protocol.html#otherformats"
_GOOGLE = "https://developers.google.com/search/docs/crawling-indexing/sitemaps/build-sitemap#text"
_GOOD = {"sitemap.txt": "https://example.com/\nhttps://example.com/about\n"}

RULES = (
    engine_rule(
        "T001",
        why="A text sitemap has URLs and nothing else: no header, no comment, no second column. "
        "Engines report each other line as an error.",
        fix_hint="Remove the line, or write a full URL that begins with https://",
        source=_TEXT,
        bad={"sitemap.txt": "# Pages of 2026\nhttps://example.com/\nhttps://example.com/about\n"},
        good=_GOOD,
        fix_safety="unsafe",
    ),
    engine_rule(
        "T002",
        why="Each line is one URL: a reader that goes by lines takes the two for a single one, "
        "which leads nowhere.",
        fix_hint="Write each URL on a line of its own",
        source=_TEXT,
        bad={"sitemap.txt": "https://example.com/ https://example.com/about\n"},
        good=_GOOD,
        fix_safety="safe",
    ),
    engine_rule(
        "T003",
        why="Careful readers skip it; simple ones report an empty URL, or one with a space.",
        fix_hint="Write one URL on each line, with nothing around it, ending in LF",
        source=_TEXT,
        bad={"sitemap.txt": "https://example.com/\n\n  https://example.com/about\n"},
        good=_GOOD,
        fix_safety="safe",
    ),
    engine_rule(
        "T004",
        why="A text sitemap is not XML and knows no entities: &amp; is a part of the URL, and the "
        "page that is asked for is another one.",
        fix_hint="Write the URL as it is, unescaped",
        source=_TEXT,
        bad={"sitemap.txt": "https://example.com/?size=1&amp;color=2\n"},
        good={"sitemap.txt": "https://example.com/?size=1&color=2\n"},
        fix_safety="safe",
    ),
    rule(
        "T005 text-extension warning",
        message="Name of a text sitemap should end in .txt, found {name}",
        view="sources",
        where="kind = 'text' AND name <> '' "
        "AND NOT regexp_matches(name, '(?i)\\.txt(\\.gz|\\.gzip)?$')",
        why="Google takes a text sitemap only by a name that ends in .txt; the protocol allows "
        "any.",
        fix_hint="Rename the file to end in .txt, also where an index or robots.txt names it",
        source=_GOOGLE,
        bad={"sitemap.csv": "https://example.com/\n"},
        good=_GOOD,
    ),
)
