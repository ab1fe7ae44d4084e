"""Rules about text sitemaps, which have one URL on each line (codes T…)."""

from __future__ import annotations

from urlset.checker.rule import engine_rule, rule

__all__ = ["RULES"]

_TEXT = "https://www.sitemaps.org/protocol.html#otherformats"
_GOOGLE = "https://developers.google.com/search/docs/crawling-indexing/sitemaps/build-sitemap#text"
_GOOD = {"sitemap.txt": "https://example.com/\nhttps://example.com/about\n"}

RULES = (
    engine_rule(
        "T001",
        why="A text sitemap contains only URLs: no header, no comment, no second column. Search "
        "engines report every other line as an error.",
        fix_hint="Remove the line, or write a full URL that begins with https://",
        source=_TEXT,
        bad={"sitemap.txt": "# Pages of 2026\nhttps://example.com/\nhttps://example.com/about\n"},
        good=_GOOD,
        fix_safety="unsafe",
    ),
    engine_rule(
        "T002",
        why="Each line is one URL. A reader treats the two as a single, invalid URL.",
        fix_hint="Write each URL on its own line",
        source=_TEXT,
        bad={"sitemap.txt": "https://example.com/ https://example.com/about\n"},
        good=_GOOD,
        fix_safety="safe",
    ),
    engine_rule(
        "T003",
        why="Tolerant readers skip it. Simple ones report an empty URL, or one with a space.",
        fix_hint="Write one URL on each line, with nothing around it, and end lines with LF",
        source=_TEXT,
        bad={"sitemap.txt": "https://example.com/\n\n  https://example.com/about\n"},
        good=_GOOD,
        fix_safety="safe",
    ),
    engine_rule(
        "T004",
        why="A text sitemap is not XML and has no entities. &amp; is part of the URL, so another "
        "page is requested.",
        fix_hint="Write the URL without escaping",
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
        why="Google accepts a text sitemap only if its name ends with .txt. The protocol allows "
        "any name.",
        fix_hint="Rename the file to end with .txt, and update the index or robots.txt that names "
        "it",
        source=_GOOGLE,
        bad={"sitemap.csv": "https://example.com/\n"},
        good=_GOOD,
    ),
)
