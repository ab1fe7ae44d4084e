"""The native engine: the contract of :mod:`urlset.engine` in Rust, ``_native``, in a thin coat."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import chain
from typing import Any, NamedTuple, cast

from urlset.arrow import batches_to_entries, is_arrow
from urlset.arrow.frames import IndexedRows
from urlset.dates import format_date
from urlset.engine import Mark, OffsetRun, _native
from urlset.engine._native import (
    Columns,
    Renderer,
    UrlHashes,
    aggregate_log,
    gunzip,
    gzip,
    is_utf8,
    uncertain_rows,
)
from urlset.engine.reference.rows import Rows as ListedRows
from urlset.model import Alternate, Entry, Image, Kind, Sitemap

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

name = "native"


class Rows(IndexedRows):
    """The entries of one document: columns, of which rows are made when somebody asks."""

    __slots__ = ("columns", "source")

    def __init__(self, columns: Columns, source: str | None):
        self.columns = columns
        self.source = source

    def __len__(self) -> int:
        return len(self.columns)

    def __iter__(self) -> Iterator[Entry]:
        return self.columns.rows(self.source)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.columns.arrow_c_stream(self.source)

    def __reduce__(self) -> tuple[type[ListedRows], tuple[list[Entry]]]:
        """Pickle the entries; columns of Rust cannot be pickled."""
        return ListedRows, (list(self),)


class Parsed(NamedTuple):
    """What one document says."""

    kind: Kind
    entries: Rows
    sitemaps: list[Sitemap]
    marks: list[Mark]
    omitted: dict[str, int]


def parse(text: bytes, base: str | None, source: str | None, runs: list[OffsetRun]) -> Parsed:
    """Read UTF-8 text of any format. Never raises."""
    kind, found, sitemaps, marks, omitted = _native.parse(text, base, source, runs)
    return Parsed(
        cast(Kind, kind),
        Rows(found, source),
        [Sitemap._make(row) for row in sitemaps],
        [Mark._make(row) for row in marks],
        omitted,
    )


def columns(entries: Any) -> Columns:
    """Take a list of entries, or anything with ``__arrow_c_stream__`` and our schema."""
    if isinstance(entries, Rows):
        return entries.columns
    if is_arrow(entries):
        found = _native.columns_from_arrow(entries.__arrow_c_stream__())
        if isinstance(found, Columns):
            return found
        entries = chain.from_iterable(batches_to_entries(_Stream(found)))
    return _native.columns_from_rows(entries, format_date)


def given_columns(rows: Sequence[Any]) -> Columns:
    """Take rows as a caller gave them; one that needs a conversion has an empty URL."""
    return _native.columns_from_user_rows(list(rows), _CLASSES)


_CLASSES = (Entry, Image, Alternate, datetime, UTC)


def seen() -> UrlHashes:
    """Begin a set of URLs."""
    return UrlHashes()


class _Stream:
    """An Arrow stream that somebody looked at, and that can still be read once."""

    def __init__(self, capsule: object):
        self.capsule = capsule

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.capsule


def renderer(
    kind: str, max_urls: int, max_bytes: int, max_news: int, stylesheet: str | None = None
) -> Renderer:
    """Begin a document: ``kind`` is ``urlset`` or ``text``."""
    return Renderer(kind, max_urls, max_bytes, max_news, stylesheet)
