"""Recognize binary files by their first bytes, and template files, such as Jinja or PHP.

Templates are recognized because in a repository of Jekyll `sitemap.xml` is a Liquid template. Read
as a sitemap, its expressions would be URLs, and a fix of them would break the site.
"""

from __future__ import annotations

import os
import re
from typing import Literal, NamedTuple

from urlset.formats.encoding import BOM
from urlset.protocol import PROLOG_LIMIT

Signature = Literal[
    "gzip", "zlib", "bzip2", "xz", "zstd", "zip", "7z", "rar", "tar",
    "parquet", "sqlite", "duckdb", "arrow", "arrow-stream", "feather-1",
]  # fmt: skip
"""Format that the first bytes of a binary file name."""

FileKind = Literal["Parquet", "DuckDB"]
"""Kind of a file that is only read by its path."""

_SIGNATURE_BYTES = 16  # they show the signature of every format but tar
_GZIP = b"\x1f\x8b"  # RFC 1952 section 2.3.1
_SIGNATURES: tuple[tuple[int, bytes, Signature], ...] = (
    # First: the checksum before it may begin like any other format.
    (8, b"DUCK", "duckdb"),  # https://duckdb.org/docs/stable/internals/storage
    (0, _GZIP, "gzip"),
    (0, b"PK\x03\x04", "zip"),
    (0, b"BZh", "bzip2"),
    (0, b"\xfd7zXZ\0", "xz"),
    (0, b"\x28\xb5\x2f\xfd", "zstd"),  # RFC 8878 section 3.1.1
    (0, b"7z\xbc\xaf\x27\x1c", "7z"),
    (0, b"Rar!", "rar"),
    (0, b"PAR1", "parquet"),  # https://parquet.apache.org/docs/file-format/
    (
        0,
        b"SQLite format 3\0",
        "sqlite",
    ),  # https://www.sqlite.org/fileformat.html#magic_header_string
    # https://arrow.apache.org/docs/format/Columnar.html#ipc-file-format
    (0, b"ARROW1", "arrow"),
    (0, b"\xff\xff\xff\xff", "arrow-stream"),
    (0, b"FEA1", "feather-1"),
    (0, b"\x78\x01", "zlib"),  # RFC 1950 section 2.2: the four levels of compression
    (0, b"\x78\x5e", "zlib"),
    (0, b"\x78\x9c", "zlib"),
    (0, b"\x78\xda", "zlib"),
    (257, b"ustar", "tar"),
)
_SIGNATURE = re.compile(
    b"|".join(b".{%d}(%s)" % (at, re.escape(magic)) for at, magic, _ in _SIGNATURES), re.DOTALL
)


def signature(head: bytes) -> Signature | None:
    r"""Return the format that the first bytes of a file name; None for text and other files.

    >>> signature(b"PAR1\x15\x04"), signature(b"<urlset>")
    ('parquet', None)
    """
    found = _SIGNATURE.match(head)
    return _SIGNATURES[found.lastindex - 1][2] if found and found.lastindex else None


def file_signature(path: str | os.PathLike[str]) -> Signature | None:
    """Return the format that the first bytes of a file name; raises as ``open`` does."""
    with open(path, "rb") as file:
        return signature(file.read(_SIGNATURE_BYTES))


def file_kind(head: bytes) -> FileKind | None:
    r"""Return the kind of a file that was decoded as text; None for other content.

    >>> file_kind(b"PAR1\0"), file_kind("\xfc2345678DUCK\0".encode()), file_kind(b"a\0")
    ('Parquet', 'DuckDB', None)
    """
    if b"\0" not in head:
        return None
    if signature(head) == "parquet":
        return "Parquet"
    # The eight bytes of a checksum before it were decoded as text, to at most three bytes each.
    return "DuckDB" if b"DUCK" in head[: 3 * 8 + 4] else None


def is_gzip(data: bytes, start: int = 0) -> bool:
    """Return whether bytes begin like gzip at an offset."""
    return data.startswith(_GZIP, start)


# https://jekyllrb.com/docs/front-matter/, https://gohugo.io/content-management/front-matter/
_FRONT_MATTER = re.compile(rb"(---|\+\+\+)[ \t]*\r?\n(?:.*\n)*?\1[ \t]*(?:\r?\n|$)")
_MARKS = (b"{{", b"{%", b"{#", b"<%", b"<?php", b"<?=")
# Statements. In a URL "{%" begins an encoded brace or quote: a statement begins with a word.
_STATEMENTS = {
    "PHP": re.compile(rb"<\?(?:php(?![\w.:-])|=)", re.IGNORECASE),
    "ASP, JSP or ERB": re.compile(rb"<%[-=@!#:]?"),
    "Liquid, Jinja or Twig": re.compile(
        rb"\{%[-+~]?\s*[A-Za-z_]\w*(?:\s|[-+~]?%\})|\{#[^#]{0,200}#\}", re.DOTALL
    ),
    "Liquid, Jinja, Go or Handlebars": re.compile(rb"\{\{"),
}
_EXPRESSION = re.compile(rb"\{\{|\{%[-+~]?\s*[A-Za-z_]|<%|<\?(?:php(?![\w.:-])|=)", re.IGNORECASE)
# Not structure: comments, sections, instructions of XML, the text of an element without
# children, and tags with their attributes.
# A name may have letters that are not ASCII, and an attribute may contain ">".
_NAME = rb"[A-Za-z_\x80-\xff][-.:\w\x80-\xff]*+"
_REST = rb"""(?:(?>(?:[^<>"']++|"[^"<]*+"|'[^'<]*+')*)>|[^<>]*+>)"""
_VALUE = re.compile(
    rb"<!--.*?(?:-->|$)|<!\[CDATA\[.*?(?:\]\]>|$)|<\?(?!(?i:php)(?![\w.:-])|=).*?(?:\?>|$)"
    rb"|<(?P<name>" + _NAME + rb")(?=[\s>])" + _REST + rb"[^<]*</(?P=name)\s*>"
    rb"|</?" + _NAME + _REST,
    re.DOTALL,
)
_LOC = re.compile(
    rb"<(?:[\w.-]+:)?(?:loc|link)(?:\s[^<>]*)?>\s*(?:<!\[CDATA\[\s*)?(.{0,40})",
    re.IGNORECASE | re.DOTALL,
)


class Template(NamedTuple):
    """Language of a template and the span of bytes that shows it."""

    language: str
    offset: int
    end: int


def find_template(text: bytes) -> Template | None:
    r"""Return the template language of a document and where it shows; None for other documents.

    One of these in its first 64 KiB: front matter at the beginning; a statement or an
    expression between elements, not in the text of one or in a comment; or
    expressions with which most of the locs begin. An expression inside of a loc (``https://
    example.com/{{slug}}``) does not make a template: it is an invalid URL of a sitemap.

    >>> find_template(b"---\nlayout: null\n---\n<urlset></urlset>").language
    'front matter'
    >>> find_template(b"<urlset><url><loc>https://e.com/{{slug}}</loc></url></urlset>")
    """
    head = text[:PROLOG_LIMIT]
    start = len(head) - len(head.removeprefix(BOM).lstrip())
    if _FRONT_MATTER.match(head, start):
        return Template("front matter", start, start + 3)
    # A byte is found faster than two. An XML declaration has two question marks.
    declared = 2 * head.startswith(b"<?xml", start)
    if b"{" not in head and b"%" not in head and head.count(b"?") <= declared:
        return None
    if not any(mark in head for mark in _MARKS):
        return None
    if not head.startswith((b"<", b"{{", b"{%", b"{#"), start):
        return None
    return _between_elements(head) or _instead_of_urls(head)


def _between_elements(head: bytes) -> Template | None:
    """Return the first template statement between elements, or None."""
    structure = _VALUE.sub(lambda found: b" " * len(found[0]), head)
    found = [
        Template(language, match.start(), match.end())
        for language, pattern in _STATEMENTS.items()
        if (match := pattern.search(structure)) is not None
    ]
    return min(found, key=lambda template: template.offset, default=None)


def _instead_of_urls(head: bytes) -> Template | None:
    """Return the first template expression in a loc if most locs begin with one, or None."""
    locs = list(_LOC.finditer(head))
    begun = [match for loc in locs if (match := _EXPRESSION.match(head, loc.start(1)))]
    if not begun or 2 * len(begun) <= len(locs):
        return None
    return Template("expressions for URLs", *begun[0].span())
