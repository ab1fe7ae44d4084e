"""X: what a file is packed in."""

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
_DAMAGED = _PACKED[:-8] + bytes(4) + _PACKED[-4:]  # the sum at the end is wrong

RULES = (
    engine_rule(
        "X025",
        why="Most programs give up at the damage, and some drop what they had unpacked before it. "
        "What comes behind it nobody reads.",
        fix_hint="Compress the file again, and move it into place only when it is whole",
        source=_ERRORS,
        bad={"sitemap.xml.gz": _DAMAGED},
        good=_GOOD,
        fix_safety="unsafe",
    ),
    engine_rule(
        "X026",
        why="What follows the gzip stream is not a part of the sitemap; some programs refuse the "
        "file for it.",
        fix_hint="Compress the file again; nothing may follow the stream",
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
                -- What the server packed on its way (Content-Encoding) may be the file itself.
                AND (layers > 0 OR coalesce(wire_size >= packed_size, true))
                AND document NOT IN (  -- packed with something else
                    SELECT document FROM problems WHERE code = 'X029' AND document IS NOT NULL
                )""",
        why="Engines look at the first bytes, but many tools, and many servers, go by the name: "
        "they unpack what is not packed, or do not unpack what is.",
        fix_hint="Give a gzip file a name that ends in .gz, and no other file",
        source=_FAQ,
        bad={"sitemap.xml.gz": _PLAIN},
        good=_GOOD,
        fix_safety="safe",
    ),
    engine_rule(
        "X028",
        why="Readers unpack once and find gzip instead of XML. Mostly the file was compressed when "
        "it was written, and again by the server on its way.",
        fix_hint="Compress once; a server that compresses .gz files on their way does it twice",
        source=_ERRORS,
        bad={"sitemap.xml.gz": gzip.compress(_PACKED, mtime=0)},
        good=_GOOD,
        fix_safety="safe",
    ),
    engine_rule(
        "X029",
        why="Engines unpack gzip and nothing else: no URL of this file is read.",
        fix_hint="Compress with gzip, or not at all",
        source=_FAQ,
        bad={"sitemap.xml.bz2": bz2.compress(_PLAIN)},
        good=_GOOD,
        fix_safety="safe",
    ),
)
