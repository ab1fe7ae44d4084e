"""Fills a store while documents are read: batch after batch, each in a transaction of its own."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol

import duckdb

from urlset.arrow import ListOf, StructOf
from urlset.arrow.streams import Counted, Flow, Kind, numbered, rows_to_flow
from urlset.document import Document
from urlset.errors import StoreError
from urlset.locating import located
from urlset.robots import SitemapLine, robots_of
from urlset.store.connecting import first_of, told
from urlset.store.tables import TABLES

if TYPE_CHECKING:
    from urlset.fetcher import Response

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

_LINES = "STRUCT(url VARCHAR, line UINTEGER)[]"
_KINDS: dict[str, Kind] = {
    "VARCHAR": "string",
    "VARCHAR[]": ListOf("string"),
    "TIMESTAMPTZ": "instant",
    "DOUBLE": "number",
    "UBIGINT": "offset",
    "UINTEGER": "line",
    "BOOLEAN": "flag",
    _LINES: ListOf(StructOf(SitemapLine, (("url", "string"), ("line", "line")))),
}
_PLAIN = {
    table.name: [(column.name, _KINDS[column.type]) for column in table.columns]
    for table in TABLES
    if table.name != "entries"
}
_HEADERS = {"content_type": None, "etag": None, "last_modified": None}
_OF_DOCUMENTS = ("sitemaps", "problems", "documents")
_OF_URLS = {"robots": "url", "fetches": "source"}
"""Tables of what is no document, each with the column that names it."""


class Record(Protocol):
    """What a reading remembers of a document; a store takes what else its tables have."""

    @property
    def source(self) -> str | None:
        """Its path or URL."""


class _Facts:
    """What the columns of documents are called in a record, and in how it came."""

    def __init__(self, record: Any):
        fetched = getattr(record, "fetched", None)
        self.url = getattr(record, "base", None)
        self.entry_count = getattr(record, "entries", 0)
        self.sitemap_count = getattr(record, "sitemaps", 0)
        self._both = (record, fetched)

    def __getattr__(self, name: str) -> Any:
        return next((getattr(part, name) for part in self._both if hasattr(part, name)), None)


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
        self._began = datetime.now(UTC)
        with told(path):
            found = connection.execute("SELECT max(document) FROM documents").fetchone()
        self._first = self._next = ((found and found[0]) or 0) + 1
        self._begin()

    def __enter__(self) -> Filling:
        return self

    def add(self, record: Record, document: Document | None, rows: Counted | None = None) -> None:
        """Take a document; ``rows`` are its wanted entries, by default all of them."""
        number = self._numbers[record.source] = self._next
        self._next += 1
        self._put("documents", _Facts(record), document=number, **self._of(document))
        if document is not None:
            self._take(number, record.source, document, rows or Counted(document.entries))
        is_time = time.monotonic() - self._begun_at > EVERY_S
        is_limited = rows is not None and rows.tally.limit is not None  # they are to be counted
        if self._rows >= MAX_ROWS or self._bytes >= MAX_BYTES or is_time or is_limited:
            self.write()

    def hear(self, response: Response) -> None:
        """Take what came over HTTP, whatever it is; of a robots.txt also what it says."""
        request = response.request
        common = {"root": self._root, "read_at": datetime.now(UTC)}
        headers = {name.replace("-", "_"): value for name, value in response.headers.items()}
        facts: dict[str, Any] = {
            "source": request.url,
            "parent": request.parent,
            "why": request.why,
        }
        self._put("fetches", response, **{**_HEADERS, **headers, **facts, **common})
        if request.why != "robots":
            return
        robots = robots_of(response)
        facts = {"url": request.url, "final_url": response.url, "status": response.status}
        facts["error"] = None if robots.state == "absent" else response.message
        delay, size = robots.crawl_delay_s(), len(response.body)
        self._put("robots", robots, **facts, **common, size=size, crawl_delay_s=delay)
        self._plain["problems"] += [
            (None, request.url, None, None, *problem) for problem in robots.problems
        ]

    def _of(self, document: Document | None) -> dict[str, Any]:
        layers = None if document is None else document.layers
        return {"root": self._root, "layers": layers, "read_at": datetime.now(UTC)}

    def _take(self, number: int, source: str | None, document: Document, rows: Counted) -> None:
        """Hold what stands in a document until it is written."""
        self._entries[number] = rows
        self._plain["sitemaps"] += [
            (number, place, *sitemap) for place, sitemap in enumerate(document.sitemaps, 1)
        ]
        self._plain["problems"] += [
            (number, source, entry, loc, *problem) for problem, entry, loc in located(document)
        ]
        self._counts[number] = len(document.entries)
        self._rows += len(document.entries)
        self._bytes += document.size

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
                for table in _OF_URLS:
                    self._forget_urls(
                        table,
                        "root IS NOT DISTINCT FROM ? AND read_at < ?",
                        self._root,
                        self._began,
                    )

    def _begin(self) -> None:
        """Have nothing that is not written."""
        self._numbers: dict[str | None, int] = {}
        self._entries: dict[int, Any] = {}
        self._counts: dict[int, int] = {}
        self._plain: dict[str, list[tuple[Any, ...]]] = {name: [] for name in _PLAIN}
        self._rows = self._bytes = 0
        self._begun_at = time.monotonic()

    def _put(self, table: str, facts: object, **more: Any) -> None:
        """Make a row of what an object has under the names of the columns."""
        names = [name for name, _ in _PLAIN[table]]
        row = tuple(more[name] if name in more else getattr(facts, name, None) for name in names)
        self._plain[table].append(row)

    def _write(self) -> None:
        """Write all that is pending. Can be done again: a document replaces itself, too."""
        pending = {number: source for source, number in self._numbers.items()}  # the latter of two
        self._write_urls()
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

    def _write_urls(self) -> None:
        """Write what came of URLs; a later answer for the same one is put in place of the first."""
        for table, name in _OF_URLS.items():
            place = [column for column, _ in _PLAIN[table]].index(name)
            rows = {row[place]: row for row in self._plain[table]}
            if not rows:
                continue
            with self._transaction():
                self._forget_urls(table, f"{name} = ANY(?)", list(rows))
                self._insert(table, rows_to_flow(_PLAIN[table], [*rows.values()]))
                if table == "robots":
                    said = [row for row in self._plain["problems"] if row[1] in rows and not row[0]]
                    self._insert("problems", rows_to_flow(_PLAIN["problems"], said))

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

    def _forget_urls(self, table: str, which: str, *values: Any) -> None:
        """Take out what came of URLs, and what a robots.txt of them said."""
        if table == "robots":
            urls = f"source IN (SELECT url FROM robots WHERE {which})"
            query = f"DELETE FROM problems WHERE document IS NULL AND {urls}"
            self._connection.execute(query, [*values])
        self._connection.execute(f"DELETE FROM {table} WHERE {which}", [*values])

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
