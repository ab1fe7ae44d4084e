"""Rules about the bytes of a file: empty files, encoding and byte order marks (group X)."""

from __future__ import annotations

from urlset.checker.examples import PAGE, whole
from urlset.checker.rule import engine_rule

__all__ = ["RULES"]

_PROTOCOL = "https://www.sitemaps.org/protocol.html"
_ESCAPING = f"{_PROTOCOL}#escaping"
_XML = "https://www.w3.org/TR/xml/"
_NOTED = f"<!-- café -->\n{PAGE}"

RULES = (
    engine_rule(
        "X001",
        why="Search engines read nothing and report an error. Usually the program that writes the "
        "sitemap failed or found nothing to list.",
        fix_hint="Write the sitemap again, and find out why it was empty",
        source="https://support.google.com/webmasters/answer/7451001",
        bad=b"",
        good=PAGE,
    ),
    engine_rule(
        "X005",
        why="XML does not allow control characters, not even as &#1;. Strict readers reject the "
        "whole file because of one. They come from databases, and from files padded with NUL. A "
        "file with NUL bytes is never fixed.",
        fix_hint="Remove the character",
        source=f"{_XML}#charsets",
        bad=whole(f"{PAGE}\x0b").encode(),
        good=whole().encode(),
        fix_safety="safe",
    ),
    engine_rule(
        "X010",
        why="A sitemap must be UTF-8. Invalid bytes cause a wrong URL, or readers reject the whole "
        "file. The intended characters are unknown, so such a file is never fixed.",
        fix_hint="Write the file as UTF-8",
        source=_ESCAPING,
        bad=whole(_NOTED).encode("latin-1"),
        good=whole(_NOTED).encode(),
    ),
    engine_rule(
        "X011",
        why="A sitemap must be UTF-8. Search engines that ignore the declaration read other "
        "encodings as UTF-8 and get wrong URLs. If all characters are ASCII, only the declaration "
        "is wrong.",
        fix_hint="Write the file as UTF-8, and declare UTF-8 or no encoding",
        source=_ESCAPING,
        bad=whole(_NOTED, declaration='encoding="ISO-8859-1"').encode("latin-1"),
        good=whole(_NOTED).encode(),
        fix_safety="safe",
    ),
    engine_rule(
        "X012",
        why="Readers that trust the declaration decode the bytes incorrectly or reject the file. "
        "If the encoding is unknown, no URL is taken from text that is not ASCII.",
        fix_hint="Declare the encoding that the bytes have; UTF-8 needs no declaration",
        source=f"{_XML}#charencoding",
        bad=whole(declaration='encoding="UTF-16"').encode(),
        good=whole().encode(),
        fix_safety="safe",
    ),
    engine_rule(
        "X013",
        why="A byte order mark is allowed, but readers of sitemaps do not need it. Some tools "
        "treat it as part of the first line, especially in text sitemaps.",
        fix_hint="Save the file without a byte order mark",
        source=f"{_XML}#charencoding",
        bad=b"\xef\xbb\xbf" + whole().encode(),
        good=whole().encode(),
        fix_safety="safe",
    ),
    engine_rule(
        "X014",
        why="After the first position it is an invisible character and not a byte order mark. XML "
        "parsers reject the file. It comes from concatenated files.",
        fix_hint="Remove the character",
        source=f"{_XML}#charencoding",
        bad=b"\n\xef\xbb\xbf" + whole().partition("\n")[2].encode(),
        good=whole().partition("\n")[2].encode(),
        fix_safety="safe",
    ),
)
