"""The reference engine: the contract of :mod:`urlset.engine` in plain Python, to be read."""

from __future__ import annotations

import gzip as _gzip
import zlib
from collections.abc import Sequence
from typing import Any, NamedTuple

from urlset.engine import Mark, OffsetRun
from urlset.engine.reference.context import Context
from urlset.engine.reference.document import read_document
from urlset.engine.reference.logs import aggregate_log
from urlset.engine.reference.render import Columns, Renderer, Seen
from urlset.engine.reference.rows import Rows
from urlset.model import Entry, Kind, Sitemap

__all__ = [
    "aggregate_log",
    "columns",
    "given_columns",
    "gunzip",
    "gzip",
    "is_utf8",
    "name",
    "parse",
    "renderer",
    "seen",
    "uncertain_rows",
]

name = "reference"


class Parsed(NamedTuple):
    """What one document says."""

    kind: Kind
    entries: Rows
    sitemaps: list[Sitemap]
    marks: list[Mark]
    omitted: dict[str, int]


def parse(text: bytes, base: str | None, source: str | None, runs: list[OffsetRun]) -> Parsed:
    """Read UTF-8 text of any format. Never raises."""
    context = Context(text, base, source, runs)
    kind = read_document(context)
    return Parsed(
        kind, Rows(context.entries), context.sitemaps, context.all_marks(), context.omitted
    )


def is_utf8(data: bytes) -> bool:
    """Tell whether bytes are valid UTF-8."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def gunzip(data: bytes, limit: int) -> bytes | None:
    """Unpack flawless gzip of at most ``limit`` bytes, else None."""
    pieces: list[bytes] = []
    view = memoryview(data)
    size = position = 0
    while position < len(data):
        unpacker, step = zlib.decompressobj(31), _STEP
        while not unpacker.eof:
            given = view[position : position + step]
            try:
                pieces.append(unpacker.decompress(given, limit - size + 1))
            except zlib.error:
                return None
            size += len(pieces[-1])
            if size > limit or not given:
                return None
            position += len(given) - len(unpacker.unused_data)
            step *= 2
    return b"".join(pieces) if pieces else None


# Bytes, and growing: zlib copies what stands behind a member, and there may be many members.
_STEP = 1 << 10


def gzip(data: bytes) -> bytes:
    """Pack; the same bytes give the same bytes, without a time stamp."""
    return _gzip.compress(data, compresslevel=6, mtime=0)


def columns(entries: object) -> Columns:
    """Take a list of entries, or anything with ``__arrow_c_stream__`` and our schema."""
    return Columns.of(entries)


def given_columns(rows: Sequence[Any]) -> Columns:
    """Take rows as a caller gave them: here, none of them without a conversion."""
    return Columns([Entry("")] * len(rows))


def uncertain_rows(columns: Columns, is_text: bool) -> Sequence[int]:  # noqa: ARG001 - the contract
    """The rows that have to be validated: here, all of them."""
    return range(len(columns))


def seen() -> Seen:
    """Begin a set of URLs."""
    return Seen()


def renderer(
    kind: str, max_urls: int, max_bytes: int, max_news: int, stylesheet: str | None = None
) -> Renderer:
    """Begin a document: ``kind`` is ``urlset`` or ``text``."""
    return Renderer(kind, max_urls, max_bytes, max_news, stylesheet)
