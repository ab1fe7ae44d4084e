"""Fills a store while documents are read: batch after batch, each in a transaction of its own."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from types import TracebackType
from typing import Any, Protocol

import duckdb

from urlset.arrow import ListOf
from urlset.arrow.streams import Flow, Kind, numbered, rows_to_flow
from urlset.document import Document
from urlset.errors import StoreError
from urlset.store.connecting import first_of, told
from urlset.store.schema import TABLES

__all__ = ["Filling", "Record"]

# DuckDB keeps rows in groups of 122,880. A transaction of fewer is added to the last group; one of
# more makes groups of its own, of which the last is not full. Where those are many, among few that
# are, closing the file takes as long again and leaves it half as large again: hence nothing between.
GROUP = 122_880
MAX_ROWS = 500_000  # more: what is held back, and the time that Ctrl-C takes
MAX_BYTES = 64 << 20
"""Of documents, unpacked, of which the entries are held back until then."""

EVERY_S = 5.0
"""Seconds after which what was read is committed anyway: no more is lost when the lights go out."""

_KINDS: dict[str, Kind] = {
    "VARCHAR": "string",
    "VARCHAR[]": ListOf("string"),
    "TIMESTAMPTZ": "instant",
    "DOUBLE": "number",
    "UBIGINT": "offset",
    "UINTEGER": "line",
    "BOOLEAN": "flag",
}
_OF_DOCUMENTS = ("sitemaps", "problems", "fetches", "documents")
_PLAIN = {
    table.name: [(column.name, _KINDS[column.type]) for column in table.columns]
    for table in TABLES
    if table.name != "entries"
}


class Record(Protocol):
    """What a reading remembers of a document; a store takes what else its tables have."""

    @property
    def source(self) -> str | None:
        """Its path or URL."""


class Filling:
    """One reading on its way into a store; a context manager.

    Each document replaces what the store had under the same ``source``. When the context ends
    well, documents of the same ``root`` that were not met again go, too, unless ``is_whole`` was
    set to False. However it ends, all that was added is in the store.
    """

    def __init__(self, connection: duckdb.DuckDBPyConnection, path: str, root: str | None):
        self.is_whole = True
        self._connection = connection
        self._path = path
        self._root = root
        self._started = datetime.now(UTC)
        with told(path):
            found = connection.execute("SELECT max(document) FROM documents").fetchone()
        self._first = self._next = ((found and found[0]) or 0) + 1
        self._begin()

    def __enter__(self) -> Filling:
        return self

    def add(self, record: Record, document: Document | None, rows: Any = None) -> None:
        """Take a document; ``rows`` is a stream of its entries, by default of all."""
        number = self._numbers[record.source] = self._next
        self._next += 1
        layers = None
        if document is not None:
            layers = document.layers
            self._entries[number] = document.entries if rows is None else rows
            self._plain["sitemaps"] += [(number, *row) for row in document.sitemaps]
            self._plain["problems"] += [
                (number, record.source, *problem) for problem in document.problems
            ]
            self._counts[number] = len(document.entries)
            self._rows += len(document.entries)
            self._bytes += document.size
        self._put(
            "documents",
            record,
            document=number,
            root=self._root,
            layers=layers,
            entry_count=getattr(record, "entries", 0),
            sitemap_count=getattr(record, "sitemaps", 0),
            read_at=datetime.now(UTC),
        )
        fetched = getattr(record, "fetched", None)
        if fetched is not None:
            self._put("fetches", fetched, document=number, source=record.source)
        is_time = time.monotonic() - self._begun_at > EVERY_S
        if self._rows >= MAX_ROWS or self._bytes >= MAX_BYTES or is_time:
            self.write()

    def add_robots(
        self, url: str, state: str, sitemaps: Sequence[str] = (), crawl_delay_s: float = 0.0
    ) -> None:
        """Take a robots.txt; it replaces what the store had of the same ``url``."""
        row = (url, self._root, state, tuple(sitemaps), crawl_delay_s, datetime.now(UTC))
        self._robots[url] = row

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
        if kind is None and self.is_whole:
            with self._transaction():
                self._forget(
                    "root IS NOT DISTINCT FROM ? AND document < ?", self._root, self._first
                )
                self._connection.execute(
                    "DELETE FROM robots WHERE root IS NOT DISTINCT FROM ? AND read_at < ?",
                    [self._root, self._started],
                )

    def _begin(self) -> None:
        """Have nothing that is not written."""
        self._numbers: dict[str | None, int] = {}
        self._entries: dict[int, Any] = {}
        self._counts: dict[int, int] = {}
        self._plain: dict[str, list[tuple[Any, ...]]] = {name: [] for name in _OF_DOCUMENTS}
        self._robots: dict[str, tuple[Any, ...]] = {}
        self._rows = self._bytes = 0
        self._begun_at = time.monotonic()

    def _put(self, table: str, facts: object, **more: Any) -> None:
        """Make a row of what an object has under the names of the columns."""
        names = (name for name, _ in _PLAIN[table])
        row = tuple(more[name] if name in more else getattr(facts, name, None) for name in names)
        self._plain[table].append(row)

    def _write(self) -> None:
        """Write all that is pending. Can be done again: a document replaces itself, too."""
        pending = {number: source for source, number in self._numbers.items()}  # the latter of two
        if self._robots:
            with self._transaction():
                query = "DELETE FROM robots WHERE url = ANY(?)"
                self._connection.execute(query, [list(self._robots)])
                self._insert("robots", rows_to_flow(_PLAIN["robots"], [*self._robots.values()]))
        for numbers in self._portions(sorted(pending)):
            sources = [pending[number] for number in numbers]
            named = [source for source in sources if source is not None]
            with self._transaction():
                self._forget("source = ANY(?) OR (source IS NULL AND ?)", named, None in sources)
                wanted = set(numbers)
                for table in _OF_DOCUMENTS:
                    rows = [row for row in self._plain[table] if row[0] in wanted]
                    self._insert(table, rows_to_flow(_PLAIN[table], rows))
                entries = [(n, self._entries[n]) for n in numbers if n in self._entries]
                self._insert("entries", numbered(entries))

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

    def _insert(self, table: str, flow: Flow) -> None:
        self._connection.register("incoming", flow)
        try:
            with first_of(flow):
                self._connection.execute(f"INSERT INTO {table} SELECT * FROM incoming")
        finally:
            with suppress(duckdb.Error):  # the transaction may be over
                self._connection.unregister("incoming")

    def _forget(self, which: str, *values: Any) -> None:
        """Take documents out, with all that stands in them."""
        query = f"SELECT document FROM documents WHERE {which}"
        numbers = [row[0] for row in self._connection.execute(query, [*values]).fetchall()]
        if numbers:
            for table in ("entries", *_OF_DOCUMENTS):
                self._connection.execute(f"DELETE FROM {table} WHERE document = ANY(?)", [numbers])

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with told(self._path):
            self._connection.execute("BEGIN")
            try:
                yield
                self._connection.execute("COMMIT")
            except BaseException:
                with suppress(duckdb.Error):
                    self._connection.execute("ROLLBACK")
                raise
