"""Fills a store while documents are read: batch after batch, each in a transaction of its own."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol

import duckdb

from urlset.arrow.streams import LazyStream, NumberedRows, numbered
from urlset.document import Document
from urlset.errors import StoreError
from urlset.store.connection import map_errors, reraise_stream_error
from urlset.store.database import Database
from urlset.store.rows import (
    Row,
    document_row,
    fetch_row,
    is_robots,
    problem_rows,
    robots_rows,
    sitemap_rows,
    table,
)

if TYPE_CHECKING:
    from urlset.http import Response

__all__ = ["Record", "StoreWriter"]

# DuckDB keeps rows in groups of 122,880. A transaction of fewer is added to the last group; one of
# more makes groups of its own, of which the last is not full. Where those are many, among few that
# are, closing the file takes as long again, and it is half as large again: hence nothing between.
GROUP = 122_880
MAX_ROWS = 500_000  # more: what is held back, and the time that Ctrl-C takes
MAX_BYTES = 64 << 20
"""Of documents, unpacked, of which the entries are held back until then."""

EVERY_S = 5.0
"""Seconds after which what was read is committed anyway: no more is lost when the lights go out."""

_OF_DOCUMENTS = ("sitemaps", "problems", "documents")
_OF_URLS = ("robots", "fetches")
_NAMES = {"robots": "url", "fetches": "source"}  # each is the first column


class Record(Protocol):
    """What a reading remembers of a document; a store takes what else its tables have."""

    @property
    def source(self) -> str | None:
        """Its path or URL."""


class StoreWriter:
    """One reading on its way into a store; a context manager.

    Each document replaces what the store had under the same ``source``. When the context ends
    well, documents of the same ``root`` that were not met again go, too, unless ``is_whole`` was
    set to False. However it ends, all that was added is in the store.
    """

    def __init__(self, home: Database, root: str | None):
        self.is_complete = True
        self._home = home
        self._root = root
        self._began = datetime.now(UTC)
        self._is_first = home.is_new
        self._first = self._next = 1 if self._is_first else _last_document(home) + 1
        self._begin()

    def __enter__(self) -> StoreWriter:
        return self

    def add(
        self, record: Record, document: Document | None, rows: NumberedRows | None = None
    ) -> int:
        """Take a document, and number it; ``rows`` are its wanted entries, by default all."""
        number = self._next
        self._next += 1
        self._sources[number] = record.source
        row = document_row(number, record, document, **self._common())
        self._plain["documents"].append(row)
        if document is not None:
            self._plain["sitemaps"] += sitemap_rows(number, document)
            self._plain["problems"] += problem_rows(number, record.source, document)
            self._entries[number] = NumberedRows(document.entries) if rows is None else rows
            self._counts[number] = len(document.entries)
            self._rows += len(document.entries)
            self._bytes += document.size
        is_time = time.monotonic() - self._begun_at > EVERY_S
        is_limited = rows is not None and rows.row_limit.limit is not None  # they are to be counted
        # What was stored has no text, and its rows are there as long as that store is open.
        is_elsewhere = document is not None and not document.text
        is_now = is_time or is_limited or is_elsewhere
        if self._rows >= MAX_ROWS or self._bytes >= MAX_BYTES or is_now:
            self._home.make_room()
            self.write()
        return number

    def on_response(self, response: Response) -> None:
        """Take what came over HTTP, whatever it is; of a robots.txt also what it says."""
        common = self._common()
        self._plain["fetches"].append(fetch_row(response, **common))
        if is_robots(response):
            row, problems = robots_rows(response, **common)
            self._plain["robots"].append(row)
            self._plain["problems"] += problems

    def _common(self) -> dict[str, Any]:
        return {"root": self._root, "read_at": datetime.now(UTC)}

    def write(self) -> None:
        """Commit what was added so far; where Ctrl-C comes in between, that is done first."""
        try:
            self._write()
        except KeyboardInterrupt:
            self._write()
            raise
        self._begin()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is not None and issubclass(kind, StoreError):
            return  # it is full, or gone: once more is no better
        self.write()
        if kind is None and self.is_complete and not self._is_first:
            with self._transaction():
                self._forget(
                    "root IS NOT DISTINCT FROM ? AND document < ?", self._root, self._first
                )
                for table in _OF_URLS:
                    self._forget_urls(
                        table,
                        "root IS NOT DISTINCT FROM ? AND read_at < ?",
                        self._root,
                        self._began,
                    )

    def _begin(self) -> None:
        """Have nothing that is not written."""
        self._sources: dict[int, str | None] = {}
        self._entries: dict[int, Any] = {}
        self._counts: dict[int, int] = {}
        self._plain: dict[str, list[Row]] = {name: [] for name in (*_OF_DOCUMENTS, *_OF_URLS)}
        self._rows = self._bytes = 0
        self._begun_at = time.monotonic()

    def _write(self) -> None:
        """Write all that is pending. Can be done again: a document replaces itself, too."""
        is_new, self._home.is_new = self._home.is_new, False
        self._write_urls()
        for numbers in self._portions(sorted(self._sources)):
            with self._transaction():
                if not is_new:
                    self._forget_former(numbers)
                wanted = set(numbers)
                for name in _OF_DOCUMENTS:
                    if rows := [row for row in self._plain[name] if row[0] in wanted]:
                        self._insert(name, table(name, rows))
                entries = [(n, self._entries[n]) for n in numbers if n in self._entries]
                self._insert("entries", numbered(entries))

    def _write_urls(self) -> None:
        """Write what came of URLs; a later answer for the same one is put in place of the first."""
        for name in _OF_URLS:
            rows = {row[0]: row for row in self._plain[name]}
            if not rows:
                continue
            with self._transaction():
                self._forget_urls(name, f"{_NAMES[name]} = ANY(?)", list(rows))
                self._insert(name, table(name, [*rows.values()]))
                if name == "robots":
                    said = [row for row in self._plain["problems"] if row[0] is None]
                    self._insert("problems", table("problems", said))

    def _portions(self, numbers: list[int]) -> Iterator[list[int]]:
        """Share documents out to transactions: one of many rows, or several of few."""
        counts = {number: self._counts.get(number, 0) for number in numbers}
        if sum(counts.values()) >= 3 * GROUP:
            yield numbers
            return
        portion: list[int] = []
        rows = 0
        for number in numbers:
            if portion and rows + counts[number] >= GROUP:
                yield portion
                portion, rows = [], 0
            portion.append(number)
            rows += counts[number]
        if portion:
            yield portion

    def _insert(self, name: str, flow: LazyStream) -> None:
        connection = self._home.connection
        connection.register("incoming", flow)
        columns = "*"
        if name == "problems" and not self._home.has_details:
            columns = "* EXCLUDE (detail)"
        try:
            with reraise_stream_error(flow):
                connection.execute(f"INSERT INTO {name} SELECT {columns} FROM incoming")
        finally:
            with suppress(duckdb.Error):  # the transaction may be over
                connection.unregister("incoming")

    def _forget_former(self, numbers: list[int]) -> None:
        """Take out what earlier readings had of the sources of these documents.

        An index that lists itself is met twice in one reading: both rows are told.
        """
        sources = [self._sources[number] for number in numbers]
        named = [source for source in sources if source is not None]
        is_former = "document < ? AND (source = ANY(?) OR (source IS NULL AND ?))"
        which = f"document = ANY(?) OR ({is_former})"
        self._forget(which, numbers, self._first, named, None in sources)

    def _forget_urls(self, table: str, which: str, *values: Any) -> None:
        """Take out what came of URLs, and what a robots.txt of them said."""
        if table == "robots":
            urls = f"source IN (SELECT url FROM robots WHERE {which})"
            query = f"DELETE FROM problems WHERE document IS NULL AND {urls}"
            self._home.connection.execute(query, [*values])
        self._home.connection.execute(f"DELETE FROM {table} WHERE {which}", [*values])

    def _forget(self, which: str, *values: Any) -> None:
        """Take documents out, with all that stands in them."""
        query = f"SELECT document FROM documents WHERE {which}"
        numbers = [row[0] for row in self._home.connection.execute(query, [*values]).fetchall()]
        if numbers:
            for table in ("entries", *_OF_DOCUMENTS):
                self._home.connection.execute(
                    f"DELETE FROM {table} WHERE document = ANY(?)", [numbers]
                )

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with map_errors(self._home.path):
            self._home.connection.execute("BEGIN")
            try:
                yield
                self._home.connection.execute("COMMIT")
            except BaseException:
                with suppress(duckdb.Error):
                    self._home.connection.execute("ROLLBACK")
                raise


def _last_document(home: Database) -> int:
    """The highest number that a document has; 0 where there is none."""
    with map_errors(home.path):
        found = home.connection.execute("SELECT max(document) FROM documents").fetchone()
    return int(found[0] or 0) if found else 0
