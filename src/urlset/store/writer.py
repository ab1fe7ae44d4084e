"""Write documents to a store while they are read, in batches of one transaction each."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from urlset.arrow import ListOf, StructOf
from urlset.arrow.streams import ColumnType, LazyStream, NumberedRows, numbered, rows_to_stream
from urlset.document import Document, locate_problems
from urlset.errors import StoreError
from urlset.interrupts import delayed_interrupts
from urlset.model import SitemapLine
from urlset.store.connection import Database, incoming, map_errors
from urlset.store.sandbox import transaction
from urlset.store.schema import TABLES
from urlset.terminal_text import printable

if TYPE_CHECKING:
    from urlset.http import Response

# DuckDB stores rows in groups of 122,880. A transaction with fewer rows is added to the last group;
# one with more rows creates groups of its own, the last of which is not full. Many of those among
# few full groups double the time to close the file and make it half as large again: hence no
# transactions of a size in between. A temporary file has them: groups of their own are written at
# once, and the last group stays in memory, from where it is moved to another file later.
GROUP = 122_880
MAX_ROWS = 500_000  # more rows would need more memory, and Ctrl-C would take longer
MAX_BYTES = 64 << 20
"""Decompressed size of the documents whose entries are buffered before a write."""

EVERY_S = 5.0
"""Seconds between commits: a power failure loses no more than this."""

_DOCUMENT_TABLES = ("sitemaps", "problems", "documents")
_URL_TABLES = ("robots", "fetches")
_KEY_COLUMNS = {"robots": "url", "fetches": "source"}  # each is the first column


class Record(Protocol):
    """Protocol of a document record; attributes with names of columns are stored."""

    @property
    def source(self) -> str | None:
        """Path or URL of the document."""


class _Batch:
    """Documents and rows that are written together.

    Attributes:
        sources: Source of each document by its number.
        entries: Entries of each document by its number, as they are to be stored.
        counts: Numbers of entries of each document.
        tables: Rows of the other tables.
        rows: Number of entries of all documents.
        bytes: Size of all documents, decompressed.
        began: Time of its first row, as :func:`time.monotonic` counts.
    """

    def __init__(self) -> None:
        self.sources: dict[int, str | None] = {}
        self.entries: dict[int, Any] = {}
        self.counts: dict[int, int] = {}
        self.tables: dict[str, list[Row]] = {name: [] for name in (*_DOCUMENT_TABLES, *_URL_TABLES)}
        self.rows = self.bytes = 0
        self.began = time.monotonic()


class StoreWriter:
    """Writer of the documents of one read into a store; a context manager.

    Each document replaces the stored document of the same ``source``. When the context ends
    without an exception, documents of the same ``root`` that were not found again are deleted,
    unless ``is_complete`` was set to False. In any case all added documents are stored.

    Into a temporary store, full batches are written by a thread, while further documents are read.
    """

    def __init__(self, database: Database, root: str | None):
        self.is_complete = True
        self._database = database
        self._root = None if root is None else printable(root)
        self._started = datetime.now(UTC)
        self._is_first = database.is_new
        last = 0
        if not self._is_first:
            with map_errors(database.path):
                query = "SELECT coalesce(max(document), 0) FROM documents"
                ((last,),) = database.connection.execute(query).fetchall()
        self._first_number = self._next_number = last + 1
        self._batch = _Batch()
        self._thread: ThreadPoolExecutor | None = None
        self._writing: Future[None] | None = None

    def __enter__(self) -> StoreWriter:
        return self

    def add(
        self, record: Record, document: Document | None, rows: NumberedRows | None = None
    ) -> int:
        """Add a document and return its number in the store.

        ``document`` is None if it was not read. ``rows`` are its filtered entries; by default all.
        """
        number = self._next_number
        self._next_number += 1
        batch = self._batch
        batch.sources[number] = record.source
        row = document_row(number, record, document, **self._common_values())
        batch.tables["documents"].append(row)
        if document is not None:
            batch.tables["sitemaps"] += sitemap_rows(number, document)
            batch.tables["problems"] += problem_rows(number, record.source, document)
            batch.entries[number] = NumberedRows(document.entries) if rows is None else rows
            batch.counts[number] = len(document.entries)
            batch.rows += len(document.entries)
            batch.bytes += document.size
        is_due = time.monotonic() - batch.began > EVERY_S
        is_limited = rows is not None and rows.row_limit.limit is not None  # it needs their count
        # A document of another store has no text; its rows can be read while that store is open.
        is_stored = document is not None and not document.text
        must_write = is_due or is_limited or is_stored
        if batch.rows >= MAX_ROWS or batch.bytes >= MAX_BYTES or must_write:
            if self._database.is_temporary and not must_write:
                self._write_in_background()
            else:
                self._end_writing()
                self._database.move_to_file()
                self.write()
        return number

    def on_response(self, response: Response) -> None:
        """Add the row of an HTTP response, and for a robots.txt its content and problems."""
        common = self._common_values()
        self._batch.tables["fetches"].append(fetch_row(response, **common))
        if is_robots(response):
            row, problems = robots_rows(response, **common)
            self._batch.tables["robots"].append(row)
            self._batch.tables["problems"] += problems

    def _common_values(self) -> dict[str, Any]:
        return {"root": self._root, "read_at": datetime.now(UTC)}

    def write(self) -> None:
        """Commit everything added so far, also when Ctrl-C interrupts it."""
        try:
            self._end_writing()
            self._write(self._batch)
        except KeyboardInterrupt:
            self._end_writing()
            self._write(self._batch)
            raise
        self._batch = _Batch()

    def _write_in_background(self) -> None:
        """Begin to write the batch, after the previous one; add further documents to another."""
        with delayed_interrupts():  # the batch is either this one or that of the thread
            self._end_writing()
            if self._thread is None:
                self._thread = ThreadPoolExecutor(1, thread_name_prefix="urlset-writer")
            full, self._batch = self._batch, _Batch()
            self._writing = self._thread.submit(self._write_to_file, full)

    def _write_to_file(self, batch: _Batch) -> None:
        self._database.move_to_file()
        self._write(batch)

    def _end_writing(self) -> None:
        """Wait until the batch that is being written is stored; raise the error of the thread."""
        if self._writing is not None:
            with delayed_interrupts():
                try:
                    self._writing.result()
                finally:
                    self._writing = None

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is not None and issubclass(kind, StoreError):
                with suppress(StoreError):  # a retry does not help: the disk is full, for example
                    self._end_writing()
                return
            self.write()
        finally:
            if self._thread is not None:
                self._thread.shutdown()
        if kind is None and self.is_complete and not self._is_first:
            with self._transaction():
                self._delete_documents(
                    "root IS NOT DISTINCT FROM ? AND document < ?", self._root, self._first_number
                )
                for table in _URL_TABLES:
                    self._delete_urls(
                        table,
                        "root IS NOT DISTINCT FROM ? AND read_at < ?",
                        self._root,
                        self._started,
                    )

    def _write(self, batch: _Batch) -> None:
        """Write the rows of a batch; may be repeated, as a document replaces its earlier rows."""
        is_new, self._database.is_new = self._database.is_new, False
        self._write_urls(batch)
        for numbers in self._partition(batch):
            with self._transaction():
                if not is_new:
                    self._delete_previous([batch.sources[number] for number in numbers], numbers)
                wanted = set(numbers)
                for name in _DOCUMENT_TABLES:
                    if rows := [row for row in batch.tables[name] if row[0] in wanted]:
                        self._insert(name, table(name, rows))
                entries = [(n, batch.entries[n]) for n in numbers if n in batch.entries]
                self._insert("entries", numbered(entries))

    def _write_urls(self, batch: _Batch) -> None:
        """Write the rows of URLs; a later response for the same URL replaces the earlier one."""
        for name in _URL_TABLES:
            rows = {row[0]: row for row in batch.tables[name]}
            if not rows:
                continue
            with self._transaction():
                self._delete_urls(name, f"{_KEY_COLUMNS[name]} = ANY(?)", list(rows))
                self._insert(name, table(name, [*rows.values()]))
                if name == "robots":
                    problems = [row for row in batch.tables["problems"] if row[0] is None]
                    self._insert("problems", table("problems", problems))

    def _partition(self, batch: _Batch) -> Iterator[list[int]]:
        """Group documents into transactions: a large document alone, small ones together."""
        numbers = sorted(batch.sources)
        counts = {number: batch.counts.get(number, 0) for number in numbers}
        if sum(counts.values()) >= (GROUP if self._database.is_temporary else 3 * GROUP):
            yield numbers
            return
        partition: list[int] = []
        rows = 0
        for number in numbers:
            if partition and rows + counts[number] >= GROUP:
                yield partition
                partition, rows = [], 0
            partition.append(number)
            rows += counts[number]
        if partition:
            yield partition

    def _insert(self, name: str, flow: LazyStream) -> None:
        connection = self._database.connection
        columns = "*"
        if name == "problems" and not self._database.has_details:
            columns = "* EXCLUDE (detail)"
        with incoming(connection, flow):
            connection.execute(f"INSERT INTO {name} SELECT {columns} FROM incoming")

    def _delete_previous(self, sources: list[str | None], numbers: list[int]) -> None:
        """Delete the rows of earlier reads of the same sources.

        An index that lists itself is found twice in one read: both rows are kept.
        """
        named = [source for source in sources if source is not None]
        is_former = "document < ? AND (source = ANY(?) OR (source IS NULL AND ?))"
        which = f"document = ANY(?) OR ({is_former})"
        self._delete_documents(which, numbers, self._first_number, named, None in sources)

    def _delete_urls(self, table: str, which: str, *values: Any) -> None:
        """Delete rows of a table by URL, with the problems of any robots.txt among them."""
        if table == "robots":
            urls = f"source IN (SELECT url FROM robots WHERE {which})"
            query = f"DELETE FROM problems WHERE document IS NULL AND {urls}"
            self._database.connection.execute(query, [*values])
        self._database.connection.execute(f"DELETE FROM {table} WHERE {which}", [*values])

    def _delete_documents(self, which: str, *values: Any) -> None:
        """Delete documents and all their rows."""
        query = f"SELECT document FROM documents WHERE {which}"
        numbers = [row[0] for row in self._database.connection.execute(query, [*values]).fetchall()]
        if numbers:
            for table in ("entries", *_DOCUMENT_TABLES):
                self._database.connection.execute(
                    f"DELETE FROM {table} WHERE document = ANY(?)", [numbers]
                )

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        with map_errors(self._database.path), transaction(self._database.connection):
            yield


Row = tuple[Any, ...]

_LINES = ListOf(StructOf(SitemapLine, (("url", "string"), ("line", "uint32"))))
_COLUMN_TYPES: dict[str, ColumnType] = {
    "VARCHAR": "string",
    "VARCHAR[]": ListOf("string"),
    "TIMESTAMPTZ": "instant",
    "DOUBLE": "number",
    "UBIGINT": "uint64",
    "UINTEGER": "uint32",
    "BOOLEAN": "flag",
    "STRUCT(url VARCHAR, line UINTEGER)[]": _LINES,
}
_COLUMNS = {
    table.name: [(column.name, _COLUMN_TYPES[column.type]) for column in table.columns]
    for table in TABLES
    if table.name != "entries"
}
_HTTP_FIELDS = "status content_type etag last_modified wire_size seconds is_from_cache".split()


def table(name: str, rows: Sequence[Row]) -> LazyStream:
    """Return rows as an Arrow stream; rows of ``problems`` have one more column, ``detail``."""
    columns = _COLUMNS[name]
    return rows_to_stream([*columns, ("detail", "string")] if name == "problems" else columns, rows)


def document_row(number: int, record: Any, document: Document | None, **more: Any) -> Row:
    """Return the row of a document, with its ``number`` in the store and ``more`` columns.

    The attributes of ``record`` have the names of columns. ``document`` is None if it was not read.
    """
    fetched = getattr(record, "fetched", None)
    values = {name: getattr(fetched, name, None) for name in _HTTP_FIELDS}
    values["document"] = number
    values["url"] = getattr(record, "base_url", None)
    values["layers"] = None if document is None else document.layers
    values["entry_count"] = getattr(record, "entries", 0)
    values["sitemap_count"] = getattr(record, "sitemaps", 0)
    return _row("documents", record, values | more)


def sitemap_rows(number: int, document: Document) -> list[Row]:
    """Return a row for each sitemap that an index lists."""
    return [(number, place, *sitemap) for place, sitemap in enumerate(document.sitemaps, 1)]


def problem_rows(number: int, source: str | None, document: Document) -> list[Row]:
    """Return a row for each problem of a document, with the entry that contains it."""
    return [
        (number, source, entry, loc, *problem) for problem, entry, loc in locate_problems(document)
    ]


def fetch_row(response: Response, **more: Any) -> Row:
    """Return the row of an HTTP response."""
    request, headers = response.request, response.headers
    values = {
        "source": request.url,
        "parent": request.parent,
        "why": "robots.txt" if is_robots(response) else request.purpose,
        "content_type": headers.get("content-type"),
        "etag": headers.get("etag"),
        "last_modified": headers.get("last-modified"),
    }
    return _row("fetches", response, values | more)


def is_robots(response: Response) -> bool:
    """Return whether a response is a robots.txt.

    Sitemaps that a robots.txt declares have the same purpose, but their requests have a token.
    """
    return response.request.purpose == "robots" and response.request.token is None


class RobotsRows(NamedTuple):
    """Row of a robots.txt, and rows of its problems."""

    robots: Row
    problems: list[Row]


def robots_rows(response: Response, **more: Any) -> RobotsRows:
    """Return the rows of the response to a request for a robots.txt."""
    from urlset.robots import robots_from_response

    robots, url = robots_from_response(response), response.request.url
    values = {
        "url": url,
        "final_url": response.url,
        "status": response.status,
        "size": len(response.body),
        "text": robots.text if robots.state == "read" else None,
        "crawl_delay_s": robots.crawl_delay_s(),
        "error": None if robots.state == "absent" else response.message,
    }
    problems = [(None, url, None, None, *problem) for problem in robots.problems]
    return RobotsRows(_row("robots", robots, values | more), problems)


def _row(name: str, record: object, values: Mapping[str, Any]) -> Row:
    """Build a row of a table from ``values``, and else from attributes of ``record``."""
    names = (column for column, _ in _COLUMNS[name])
    return tuple(values[name] if name in values else getattr(record, name, None) for name in names)
