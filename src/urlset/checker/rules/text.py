"""T: text sitemaps, of one URL on each line."""

from __future__ import annotations

from urlset.checker.rule import of_engine, rule

__all__ = ["RULES"]

_TEXT = "https://www.sitemaps.org/protocol.html#otherformats"
_GOOGLE = "https://developers.google.com/search/docs/crawling-indexing/sitemaps/build-sitemap#text"
_GOOD = {"sitemap.txt": "https://example.com/\nhttps://example.com/about\n"}

RULES = (
    of_engine(
        "T001",
        why="A text sitemap has URLs and nothing else: no header, no comment, no second column. "
        "Engines report each other line as an error.",
        instead="Remove the line, or write a full URL that begins with https://",
        source=_TEXT,
        bad={"sitemap.txt": "# Pages of 2026\nhttps://example.com/\nhttps://example.com/about\n"},
        good=_GOOD,
        fixing="unsafe",
    ),
    of_engine(
        "T002",
        why="Each line is one URL: a reader that goes by lines takes the two for a single one, "
        "which leads nowhere.",
        instead="Write each URL on a line of its own",
        source=_TEXT,
        bad={"sitemap.txt": "https://example.com/ https://example.com/about\n"},
        good=_GOOD,
        fixing="safe",
    ),
    of_engine(
        "T003",
        why="Careful readers skip it; simple ones report an empty URL, or one with a space.",
        instead="Write one URL on each line, with nothing around it, ending in LF",
        source=_TEXT,
        bad={"sitemap.txt": "https://example.com/\n\n  https://example.com/about\n"},
        good=_GOOD,
        fixing="safe",
    ),
    of_engine(
        "T004",
        why="A text sitemap is not XML and knows no entities: &amp; is a part of the URL, and the "
        "page that is asked for is another one.",
        instead="Write the URL as it is, unescaped",
        source=_TEXT,
        bad={"sitemap.txt": "https://example.com/?size=1&amp;color=2\n"},
        good={"sitemap.txt": "https://example.com/?size=1&color=2\n"},
        fixing="safe",
    ),
    rule(
        "T005 text-extension warning",
        says="Name of a text sitemap should end in .txt, found {name}",
        over="sources",
        where="kind = 'text' AND name <> '' "
        "AND NOT regexp_matches(name, '(?i)\\.txt(\\.gz|\\.gzip)?$')",
        why="Google takes a text sitemap only by a name that ends in .txt; the protocol allows "
        "any.",
        instead="Rename the file to end in .txt, also where an index or robots.txt names it",
        source=_GOOGLE,
        bad={"sitemap.csv": "https://example.com/\n"},
        good=_GOOD,
    ),
)
