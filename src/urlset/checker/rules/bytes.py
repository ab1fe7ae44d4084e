"""X: the bytes of a file: whether there are any, their encoding, and byte order marks."""

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
        why="An engine that fetches it learns nothing, and reports an error. Mostly the program "
        "that makes the sitemap has failed, or found nothing to list.",
        fix_hint="Write the sitemap again, and see why it was left empty",
        source="https://support.google.com/webmasters/answer/7451001",
        bad=b"",
        good=PAGE,
    ),
    engine_rule(
        "X005",
        why="XML has no place for control characters, not even as &#1;. Strict readers refuse the "
        "whole file for one of them; they come from databases, and from files padded with NUL. A "
        "file with NUL bytes is never fixed.",
        fix_hint="Remove the character",
        source=f"{_XML}#charsets",
        bad=whole(f"{PAGE}\x0b").encode(),
        good=whole().encode(),
        fix_safety="safe",
    ),
    engine_rule(
        "X010",
        why="A sitemap must be UTF-8. Bytes that are not lead to a wrong URL, or to a file that "
        "is refused as a whole. Nobody knows what they should be: such a file is never fixed.",
        fix_hint="Write the file in UTF-8",
        source=_ESCAPING,
        bad=whole(_NOTED).encode("latin-1"),
        good=whole(_NOTED).encode(),
    ),
    engine_rule(
        "X011",
        why="A sitemap must be UTF-8. Engines that do not look at the declaration read another "
        "encoding as UTF-8, and get wrong URLs. Where all is ASCII, only the declaration is wrong.",
        fix_hint="Write the file in UTF-8 and declare that, or nothing",
        source=_ESCAPING,
        bad=whole(_NOTED, declaration='encoding="ISO-8859-1"').encode("latin-1"),
        good=whole(_NOTED).encode(),
        fix_safety="safe",
    ),
    engine_rule(
        "X012",
        why="Readers that believe the declaration decode the bytes wrongly, or refuse the file. "
        "Where the encoding is not known, no URL is taken from what is not ASCII.",
        fix_hint="Let the declaration name the encoding that the bytes are in; UTF-8 needs none",
        source=f"{_XML}#charencoding",
        bad=whole(declaration='encoding="UTF-16"').encode(),
        good=whole().encode(),
        fix_safety="safe",
    ),
    engine_rule(
        "X013",
        why="It is allowed, and says nothing that a reader of sitemaps does not know. A few tools "
        "take it for a part of the first line, above all in text sitemaps.",
        fix_hint="Save the file without a byte order mark",
        source=f"{_XML}#charencoding",
        bad=b"\xef\xbb\xbf" + whole().encode(),
        good=whole().encode(),
        fix_safety="safe",
    ),
    engine_rule(
        "X014",
        why="At any place but the first it is no mark but a character, and one that nobody sees: "
        "XML parsers refuse the file. It comes from files that were pasted together.",
        fix_hint="Remove the character",
        source=f"{_XML}#charencoding",
        bad=b"\n\xef\xbb\xbf" + whole().partition("\n")[2].encode(),
        good=whole().partition("\n")[2].encode(),
        fix_safety="safe",
    ),
)
