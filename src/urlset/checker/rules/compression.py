"""Rules about compression: damaged, misnamed and unsupported formats (group X)."""

from __future__ import annotations

import bz2
import gzip

from urlset.checker.examples import whole
from urlset.checker.rule import engine_rule, rule

__all__ = ["RULES"]

_FAQ = "https://www.sitemaps.org/faq.html#faq_sitemap_size"
_GZIP = "https://www.rfc-editor.org/rfc/rfc1952"
_ERRORS = "https://support.google.com/webmasters/answer/7451001"

_PLAIN = whole().encode()
_PACKED = gzip.compress(_PLAIN, mtime=0)
_GOOD = {"sitemap.xml.gz": _PACKED}
_DAMAGED = _PACKED[:-8] + bytes(4) + _PACKED[-4:]  # the checksum at the end is wrong

RULES = (
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
        message="{words}",
        sql="""
            SELECT document, name,
                CASE WHEN layers = 0 THEN 'Name ' || name || ' ends in .gz but the file is not gzip'
                    ELSE 'File is gzip but its name ' || name || ' does not end in .gz'
                END AS words,
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
