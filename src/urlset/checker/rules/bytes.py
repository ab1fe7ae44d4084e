"""Rules about the bytes of a file: encoding, byte order marks, compression (codes X…)."""

from __future__ import annotations

import bz2
import gzip

from urlset.checker.examples import PAGE, whole
from urlset.checker.rule import engine_rule, rule

__all__ = ["RULES"]

_PROTOCOL = "https://www.sitemaps.org/protocol.html"
_ESCAPING = f"{_PROTOCOL}#escaping"
_XML = "https://www.w3.org/TR/xml/"
_NOTED = f"<!-- café -->\n{PAGE}"

_FAQ = "https://www.sitemaps.org/faq.html#faq_sitemap_size"
_GZIP = "https://www.rfc-editor.org/rfc/rfc1952"
_ERRORS = "https://support.google.com/webmasters/answer/7451001"

_PLAIN = whole().encode()
_PACKED = gzip.compress(_PLAIN, mtime=0)
_GOOD = {"sitemap.xml.gz": _PACKED}
_DAMAGED = _PACKED[:-8] + bytes(4) + _PACKED[-4:]  # the checksum at the end is wrong

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
    engine_rule(
        "X025",
        why="Most programs stop at the damage, and some drop what they decompressed before it. The "
        "data after it is lost.",
        fix_hint="Compress the file again, and publish it only when it is complete",
        source=_ERRORS,
        bad={"sitemap.xml.gz": _DAMAGED},
        good=_GOOD,
        fix_safety="unsafe",
    ),
    engine_rule(
        "X026",
        why="Data after the gzip stream is not part of the sitemap. Some programs reject the file "
        "because of it.",
        fix_hint="Compress the file again, without data after the stream",
        source=_GZIP,
        bad={"sitemap.xml.gz": _PACKED + b"<!-- cached -->"},
        good=_GOOD,
        fix_safety="unsafe",
    ),
    rule(
        "X027 gz-name-mismatch warning",
        message="{description}",
        sql="""
            SELECT document, name,
                CASE WHEN layers = 0 THEN 'Name ' || name || ' ends in .gz but the file is not gzip'
                    ELSE 'File is gzip but its name ' || name || ' does not end in .gz'
                END AS description,
                CASE WHEN layers = 0 THEN 'warning' ELSE 'info' END AS level
            FROM sources
            WHERE kind IN ('urlset', 'index', 'text', 'rss', 'atom') AND name <> ''
                AND (layers > 0) <> (ends_with(name, '.gz') OR ends_with(name, '.gzip'))
                -- A server may compress the file itself (Content-Encoding).
                AND (layers > 0 OR coalesce(wire_size >= packed_size, true))
                AND document NOT IN (  -- compressed in another format
                    SELECT document FROM problems WHERE code = 'X029' AND document IS NOT NULL
                )""",
        why="Search engines look at the first bytes, but many tools and servers rely on the name: "
        "they decompress a file that is not compressed, or fail to decompress one that is.",
        fix_hint="Use a name that ends with .gz for gzip files only",
        source=_FAQ,
        bad={"sitemap.xml.gz": _PLAIN},
        good=_GOOD,
        fix_safety="safe",
    ),
    engine_rule(
        "X028",
        why="Readers decompress once and find gzip instead of XML. Usually the file was compressed "
        "when it was written and again by the server.",
        fix_hint="Compress once, and exclude .gz files from compression by the server",
        source=_ERRORS,
        bad={"sitemap.xml.gz": gzip.compress(_PACKED, mtime=0)},
        good=_GOOD,
        fix_safety="safe",
    ),
    engine_rule(
        "X029",
        why="Search engines decompress gzip only, so no URL of this file is read.",
        fix_hint="Compress the file with gzip, or not at all",
        source=_FAQ,
        bad={"sitemap.xml.bz2": bz2.compress(_PLAIN)},
        good=_GOOD,
        fix_safety="safe",
    ),
)
