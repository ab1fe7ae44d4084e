"""Read documents and their entries back from a store."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from functools import partial
from typing import Any, NamedTuple

import duckdb

from urlset.arrow import batches_to_entries, rows_of
from urlset.arrow.frames import IndexedRows
from urlset.arrow.streams import as_entries
from urlset.model import Entry, Problem, Sitemap
from urlset.store.connection import map_errors

__all__ = ["StoredDocument", "StoredRows", "documents"]

_COLUMNS = (
    "document source parent kind size packed_size layers encoding entry_count sitemap_count "
    "problem_count error how depth declared_by disallowed_by lastmod same_as skipped loc url"
).split()
_ENTRY = ", ".join(f'"{name}"' for name in Entry._fields)


class StoredRows(IndexedRows):
    """Entries on disk: iterable, with a length, exported as an Arrow stream."""

    def __init__(
        self, relation: Callable[[], Any], count: int, source: str | None = None, path: str = ""
    ):
        self._path = path or source or ""
        self._relation = relation
        self._count = count
        self._source = source

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Entry]:
        with map_errors(self._path):
            for batch in batches_to_entries(as_entries(self._relation(), self._source)):
                yield from batch

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        flow = as_entries(self._relation(), self._source)
        return flow.__arrow_c_stream__(requested_schema)


class StoredDocument(NamedTuple):
    """Document of a store; ``entries`` are the stored ones of ``entry_count`` entries."""

    document: int
    source: str | None
    parent: str | None
    kind: Any
    size: int
    packed_size: int
    layers: int
    encoding: str | None
    entry_count: int
    sitemap_count: int
    problem_count: int
    error: str | None
    how: str
    depth: int
    declared_by: str | None
    disallowed_by: str | None
    lastmod: datetime | None
    same_as: str | None
    skipped: str | None
    loc: str | None
    url: str | None
    entries: StoredRows
    sitemaps: list[Sitemap]
    problems: list[Problem]


def documents(connection: duckdb.DuckDBPyConnection, path: str) -> Iterator[StoredDocument]:
    """Yield the documents of a store in reading order.

    Raises:
        StoreError: The file cannot be read, also during iteration: it may be truncated anywhere.
    """
    with map_errors(path):
        yield from _documents(connection, path)


def _documents(connection: duckdb.DuckDBPyConnection, path: str) -> Iterator[StoredDocument]:
    def query(text: str) -> Any:
        with map_errors(path):
            cursor = connection.cursor()
            cursor.execute("USE store")
            return cursor.sql(text)

    def of_document(table: str, make: type[Any], number: int) -> list[Any]:
        names = ", ".join(f'"{name}"' for name in make._fields if name != "detail")
        stream = query(f"SELECT {names} FROM {table} WHERE document = {number}")
        return [make(*row) for row in rows_of(stream)]

    counts = dict(query("SELECT document, count(*) FROM entries GROUP BY ALL").fetchall())
    for row in rows_of(query(f"SELECT {', '.join(_COLUMNS)} FROM documents ORDER BY document")):
        number, has_sitemaps, has_problems = row[0], row[9], row[10]
        text = f"SELECT {_ENTRY} FROM entries WHERE document = {number}"
        rows = StoredRows(partial(query, text), counts.get(number, 0), path=path)
        sitemaps = of_document("sitemaps", Sitemap, number) if has_sitemaps else []
        problems = of_document("problems", Problem, number) if has_problems else []
        yield StoredDocument._make((*row, rows, sitemaps, problems))
