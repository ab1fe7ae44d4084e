"""Detect sitemaps and tables by file name, by their first bytes and by their content.

Shared by `read`, `check`, `check --fix` and `build`. Many other files resemble sitemaps: an image
has RDF in its metadata, a manual quotes a `<urlset>`, a log lists URLs. A CSV file with URLs
would be read wrongly as a list of URLs.
"""

from __future__ import annotations

import codecs
import csv
import json
import os
import re
import sys
import zlib
from typing import Any, Literal

from urlset.document import Document
from urlset.engine.compression import GZIP
from urlset.protocol import FIND_ROOT, PROLOG_LIMIT

__all__ = [
    "SITEMAP_KINDS",
    "SniffedKind",
    "TableKind",
    "has_sitemap_ending",
    "has_sitemap_name",
    "is_sitemap",
    "rejection_reason",
    "sniff",
    "table_kind",
    "table_kind_of_document",
    "table_kind_of_file",
]

SITEMAP_KINDS = ("urlset", "index", "text", "rss", "atom")

SniffedKind = Literal["index", "sitemap"]
"""Kind of a file by its first bytes: an index, or another kind of sitemap."""

TableKind = Literal["CSV", "JSON lines", "JSON", "Arrow", "SQLite"]

# wget saves "sitemap.xml?page=2" with the query after the ending.
_ENDING = re.compile(r".*\.(?:xml|txt|rss|atom)(?:\.gz)?(?:\?.*)?", re.IGNORECASE | re.DOTALL)
_NAMED = re.compile(r".*sitemap.*\.(?:(?:xml|txt|rss|atom)(?:\.gz)?|gz)", re.IGNORECASE | re.DOTALL)
_SPACE = b" \t\r\n"
_BOM = b"\xef\xbb\xbf"
_WIDE_BOMS = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
_WIDE_STARTS = (
    (re.compile(rb"<\0[^\0]\0"), "utf-16-le"),
    (re.compile(rb"\0<\0[^\0]"), "utf-16-be"),
)
_URL = re.compile(rb"https?://\S+\s*", re.IGNORECASE)
# http://web.resource.org/rss/1.0/spec and the namespace of 0.90; other RDF is not a feed.
_RSS_1 = re.compile(rb"purl\.org/rss/|my\.netscape\.com/rdf/simple/|purl\.org/net/rss1\.1#")
_COMMENT = re.compile(rb"<!--.*?(?:-->|$)|<!\[CDATA\[.*?(?:\]\]>|$)|<\?.*?(?:\?>|$)", re.DOTALL)
_TAG = re.compile(rb"<(/?)([A-Za-z_][-.:\w]*)[^<>]*?(/?)>")
_VOID = frozenset(b"br hr img meta link input p li".split())  # HTML allows these without an end tag
_TABLE_HEAD = 65_536
_MAGIC: dict[bytes, TableKind] = {
    b"SQLite format 3\0": "SQLite",  # https://www.sqlite.org/fileformat.html#magic_header_string
    b"ARROW1": "Arrow",  # https://arrow.apache.org/docs/format/Columnar.html#ipc-file-format
    b"\xff\xff\xff\xff": "Arrow",
}
_SUFFIXES: dict[str, TableKind] = {
    ".csv": "CSV",
    ".tsv": "CSV",
    ".jsonl": "JSON lines",
    ".ndjson": "JSON lines",
}


def has_sitemap_ending(name: str) -> bool:
    """Return whether a file of a folder may be a sitemap by its ending.

    >>> has_sitemap_ending("pages.XML.gz"), has_sitemap_ending("photo.svg")
    (True, False)
    """
    return _ENDING.fullmatch(name) is not None or has_sitemap_name(name)


def has_sitemap_name(name: str) -> bool:
    """Return whether a file is named like a sitemap; if it is not one, that is an error.

    Other files that are not sitemaps are ignored.

    >>> has_sitemap_name("post-sitemap2.xml"), has_sitemap_name("sitemap.png")
    (True, False)
    """
    return _NAMED.fullmatch(name) is not None


def sniff(head: bytes) -> SniffedKind | None:
    r"""Return the possible kind of a file by its first bytes; None if it is not a sitemap.

    A sitemap starts, after byte order marks and white space, with markup that contains a root
    element; or most of its lines are URLs.

    >>> sniff(b"https://e.com/\nhttps://e.com/a\n"), sniff(b"%PDF-1.7 <rdf:RDF>")
    ('sitemap', None)
    """
    text = _decoded_head(head)
    if not text.startswith(b"<"):
        return "sitemap" if _is_list(text) else None
    root = FIND_ROOT.search(text)
    if root is None:
        return None
    return "index" if root[0].lower().endswith(b"sitemapindex") else "sitemap"


def rejection_reason(document: Document) -> str | None:
    """Return why the content of a document is not a sitemap; None for a sitemap, even a bad one.

    >>> from urlset import parse
    >>> image = b'<svg><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"/></svg>'
    >>> rejection_reason(parse(image))
    'it is RDF, but not RSS'
    """
    text = document.text
    if document.kind == "text":
        if b"\0" in text:
            return "it contains NUL bytes"
        if table_kind_of_document(document) is not None:
            return "it is a table"
        strays = sum(problem.code == "T001" for problem in document.problems)
        strays += document.omitted.get("text-not-a-url", 0)
        if len(document.entries) <= strays:
            return "most of its lines are not URLs"
        return None
    if document.kind not in SITEMAP_KINDS:
        return "its root is not that of a sitemap, an index or a feed"
    if not _may_have_leading_text(document.source) and not _skip_space(text).startswith(b"<"):
        return "there is text before its root"
    root = FIND_ROOT.search(text)
    if root is not None and root[0].lower().endswith(b"rdf") and not _RSS_1.search(text):
        return "it is RDF, but not RSS"
    if root is not None and (outer := _enclosing(text, root.start())):
        return f"its root is inside <{outer}>"
    return None


def is_sitemap(document: Document, *, is_guess: bool) -> bool:
    """Return whether a document is a sitemap.

    A document of a known kind that the user or an index named is always one. If ``is_guess`` is
    set, the document was only found, and its whole content must be that of a sitemap.
    """
    return rejection_reason(document) is None if is_guess else document.kind in SITEMAP_KINDS


def table_kind(head: bytes, name: str = "") -> TableKind | None:
    r"""Return the kind of the table that starts with ``head``; None if it is not a table.

    The first line of CSV has several names with ``loc`` or ``url`` among them. The first line of
    JSON lines is an object with one of these keys. If the content is ambiguous, the ending of
    ``name`` decides, unless the first line is a URL.

    >>> table_kind(b"loc,lastmod\nhttps://example.com/,2026-01-31\n")
    'CSV'
    >>> table_kind(b"https://example.com/a\n", "urls.csv")
    """
    for magic, kind in _MAGIC.items():
        if head.startswith(magic):
            return kind
    line = _first_line(head)
    if not line or line.startswith(("<", "#")) or line.lower().startswith(("http:", "https:")):
        return None
    if line.startswith("{"):
        return "JSON lines" if _names_a_url(line) else None
    if line.startswith("["):
        return "JSON" if re.fullmatch(r"\[\s*(?:\{.*)?", line) else None
    by_name = _SUFFIXES.get(os.path.splitext(name.lower().removesuffix(".gz"))[1])
    return "CSV" if by_name is None and _is_header(line) else by_name


def table_kind_of_file(source: str) -> TableKind | None:
    """Return the kind of table in a file or on stdin (``-``), which is not consumed; or None."""
    try:
        if source == "-":
            return table_kind(_decompressed(_peek(sys.stdin.buffer)))
        if not os.path.isfile(source):
            return None
        with open(source, "rb") as file:
            return table_kind(_decompressed(file.read(_TABLE_HEAD)), source)
    except (OSError, ValueError):
        return None  # reading it reports the error


def table_kind_of_document(document: Document) -> TableKind | None:
    """Return the kind of table that was parsed as text or as an unknown document; or None."""
    if document.kind not in ("text", "unknown"):
        return None
    return table_kind(document.text[:_TABLE_HEAD])


def _decoded_head(head: bytes) -> bytes:
    """Decompress and decode the first bytes; remove leading white space and byte order marks."""
    if head.startswith(GZIP):
        try:
            head = zlib.decompressobj(31).decompress(head, PROLOG_LIMIT)
        except zlib.error:
            return b""
    codec = _WIDE_BOMS.get(head[:2]) or next((c for p, c in _WIDE_STARTS if p.match(head)), None)
    if codec is not None:
        head = head.decode(codec, errors="ignore").encode(errors="ignore")
    return _skip_space(head)


def _skip_space(text: bytes) -> bytes:
    """Remove leading white space and byte order marks."""
    head = text[:PROLOG_LIMIT]
    while (rest := head.lstrip(_SPACE).removeprefix(_BOM)) != head:
        head = rest
    return head


def _may_have_leading_text(source: str | None) -> bool:
    """Return whether text before the root, such as a warning of a program, is ignored."""
    return source in (None, "-") or has_sitemap_name(re.split(r"[/\\]", source or "")[-1])


def _is_list(text: bytes) -> bool:
    if b"\0" in text:
        return False
    lines = [line for line in text.splitlines() if line.strip()]
    urls = sum(_URL.match(line.lstrip()) is not None for line in lines)
    return 2 * urls > len(lines)


def _enclosing(text: bytes, start: int) -> str | None:
    """Return the name of the element that encloses the root at ``start``, if any.

    Images and manuals have one. Markup that a server wrote before a sitemap
    (``<b>Warning</b>``) ends before the root.
    """
    stack: list[bytes] = []
    for tag in _TAG.finditer(_COMMENT.sub(b"", text[:start])):
        is_end, name, is_empty = tag[1], tag[2].lower(), tag[3]
        if is_end and name in stack:
            del stack[stack.index(name) :]
        elif not is_end and not is_empty and name not in _VOID:
            stack.append(name)
    lowered = text[start:].lower() if stack else b""
    outer = next((name for name in stack if b"</" + name in lowered), None)
    return None if outer is None else outer.decode(errors="replace")


def _peek(stream: Any) -> bytes:
    """Return the first bytes of a stream without consuming them; empty if that is impossible."""
    if hasattr(stream, "peek"):
        return bytes(stream.peek(_TABLE_HEAD))
    if not stream.seekable():
        return b""
    start = stream.tell()
    head: bytes = stream.read(_TABLE_HEAD)
    stream.seek(start)
    return head


def _decompressed(head: bytes) -> bytes:
    if not head.startswith(GZIP):
        return head
    try:
        return zlib.decompressobj(31).decompress(head, _TABLE_HEAD)
    except zlib.error:
        return b""


def _first_line(head: bytes) -> str:
    is_wide = head[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
    text = head.decode("utf-16" if is_wide else "utf-8-sig", errors="replace").lstrip()
    return text.partition("\n")[0].strip()


def _names_a_url(line: str) -> bool:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(row, dict) and ("loc" in row or "url" in row)


def _is_header(line: str) -> bool:
    for delimiter in ",;\t|":
        try:
            cells = next(csv.reader([line], delimiter=delimiter), [])
        except csv.Error:
            continue
        if len(cells) > 1 and {"loc", "url"} & {cell.strip().lower() for cell in cells}:
            return True
    return False
