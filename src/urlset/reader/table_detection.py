"""Tells tables from sitemaps by how they begin: a list of URLs that is CSV would be read wrong."""

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

__all__ = ["TableKind", "is_table", "table_kind", "table_kind_of_file"]

TableKind = Literal["CSV", "JSON lines", "JSON", "Arrow", "SQLite"]

_HEAD = 65_536
_GZIP = b"\x1f\x8b"
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


def table_kind(head: bytes, name: str = "") -> TableKind | None:
    r"""Tell which kind of table begins with ``head``; None for what is a sitemap, or nothing.

    CSV has ``loc`` or ``url`` among several names in its first line, JSON lines an object there
    that has one of them. The ending of the ``name`` decides for what may be either, unless the
    first line is a URL.

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
    told = _SUFFIXES.get(os.path.splitext(name.lower().removesuffix(".gz"))[1])
    return "CSV" if told is None and _is_header(line) else told


def table_kind_of_file(source: str) -> TableKind | None:
    """Tell which kind of table a file is, or what comes on stdin (``-``), which it leaves there."""
    try:
        if source == "-":
            return table_kind(_unpacked(_ahead(sys.stdin.buffer)))
        if not os.path.isfile(source):
            return None
        with open(source, "rb") as file:
            return table_kind(_unpacked(file.read(_HEAD)), source)
    except (OSError, ValueError):
        return None  # it is told by whoever reads it


def is_table(document: Document) -> TableKind | None:
    """Tell which kind of table was taken for a document of text, or of nothing known."""
    if document.kind not in ("text", "unknown"):
        return None
    return table_kind(document.text[:_HEAD])


def _ahead(stream: Any) -> bytes:
    """How a stream begins; it is not gone."""
    if hasattr(stream, "peek"):
        return bytes(stream.peek(_HEAD))
    if not stream.seekable():
        return b""
    start = stream.tell()
    head: bytes = stream.read(_HEAD)
    stream.seek(start)
    return head


def _unpacked(head: bytes) -> bytes:
    if not head.startswith(_GZIP):
        return head
    try:
        return zlib.decompressobj(31).decompress(head, _HEAD)
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
