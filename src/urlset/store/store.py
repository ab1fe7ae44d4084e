"""Store of read results: tables in one DuckDB file that SQL can query."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from datetime import datetime
from functools import partial
from typing import Any, ClassVar, NamedTuple, cast

import duckdb

from urlset.arrow import batches_to_entries, rows_of
from urlset.arrow.frames import IndexedRows
from urlset.arrow.streams import as_entries
from urlset.errors import StoreError
from urlset.model import Entry, Problem, Sitemap
from urlset.registry import provided
from urlset.result import Closing
from urlset.store.connection import Database, expect_folder, map_errors
from urlset.store.inspection import columns_of
from urlset.store.results import QueryResult, check_query, run_query
from urlset.store.sandbox import QUERY_S, transaction
from urlset.store.schema import StoreSchema
from urlset.store.session import StoreSession
from urlset.store.writer import StoreWriter

_ahead: list[Database] = []


def open_ahead() -> None:
    """Open the database of the next :meth:`Store.with_details` in another thread.

    That takes 30 ms, in which the caller can import what uses it.
    """
    if not _ahead:
        _ahead.append(Database(None, has_details=True))


def create_for_run(path: str) -> Store:
    """Create a store file that only this run reads: its tables have no comments."""
    return Store(path, database=Database(path, with_comments=False))


class Store(Closing):
    """Read results in a DuckDB file; open one with :meth:`open`. A context manager.

    :data:`urlset.store.TABLES` describes the tables and columns. A store holds the latest read of
    each document. ``path`` is None for a temporary store, which is deleted when it is closed.

    >>> import urlset
    >>> with Store.open() as store:
    ...     store.fill(urlset.read(b"https://example.com/ https://example.com/a"))
    ...     list(store.query("SELECT count(*), count(DISTINCT url_host(loc)) FROM entries"))
    [(2, 1)]
    """

    def __init__(
        self,
        path: str | None,
        *,
        read_only: bool = False,
        is_copy: bool = False,
        database: Database | None = None,
    ):
        self.path = None if is_copy else path
        self._database = database or Database(path, read_only=read_only, is_copy=is_copy)

    @classmethod
    def open(cls, path: str | os.PathLike[str] | None = None, *, read_only: bool = False) -> Store:
        """Open a store file, create it if it is missing, or create a temporary store.

        While one process has the file open for writing, no other process can open it. Several
        processes can open it with ``read_only``.

        Args:
            path: Path of the file; None for a temporary store, deleted when it is closed.
            read_only: Whether to open an existing file for reading only.

        Raises:
            StoreError: The file cannot be opened, or is not a urlset store.
        """
        return cls(None if path is None else os.fspath(path), read_only=read_only)

    @classmethod
    def open_copy(cls, path: str | os.PathLike[str]) -> Store:
        """Open a temporary copy of a store file, so that no change is kept.

        If the file is missing, the store is empty.

        Raises:
            StoreError: The file cannot be read, is used by another process, or is not a store; or
                it is missing and could not be created.
        """
        name = os.fspath(path)
        if not os.path.lexists(name):
            expect_folder(name)
            return cls.open()
        with cls.open(name, read_only=True):  # no other process changes it meanwhile
            return cls(name, is_copy=True)

    @classmethod
    def with_details(cls) -> Store:
        """Open a temporary store whose table ``problems`` also has a column ``detail``."""
        with suppress(IndexError):
            return cls(None, database=_ahead.pop())
        return cls(None, database=Database(None, has_details=True))

    def fill(self, entries: Any, *, root: str | None = None) -> None:
        """Store the entries of a result of :func:`urlset.read`: those that pass its filters.

        Each document replaces the stored document of the same ``source``. Documents that were
        found from this source before, and are no longer found, are deleted. After an early end
        (Ctrl-C) the documents read so far are stored.

        Args:
            entries: Result of :func:`urlset.read`.
            root: Name of the source in the column ``root``; by default the source given to
                :func:`urlset.read`.
        """
        with self.writer(root if root is not None else entries.source) as writer:
            writer.is_complete = not entries.is_limited
            with closing(entries.batches(writer.on_response)) as batches:
                for record, document, rows in batches:
                    writer.add(record, document, rows)

    def writer(self, root: str | None) -> StoreWriter:
        """Return a writer that adds the documents of one read; a context manager."""
        return StoreWriter(self._database, root)

    def query(
        self,
        query: str,
        values: Sequence[Any] | Mapping[str, Any] | None = None,
        *,
        timeout_s: float | None = QUERY_S,
    ) -> QueryResult:
        """Run one query (SELECT, FROM, DESCRIBE …) to its end and return the result.

        The query runs in a read-only transaction. It can read the tables of the store, but no
        files, network or extensions.

        Args:
            query: SQL text.
            values: Values of its parameters (``?`` or ``$name``).
            timeout_s: Time limit in seconds; None for no limit.

        Raises:
            QueryError: The query is not allowed, fails, or exceeds the time limit; raised before
                the first row.
            StoreError: The store is closed.
        """
        self._database.seal()
        return run_query(self._database, query, values, seconds=timeout_s)

    def head(self, count: int = 10) -> QueryResult:
        """Return the first entries, as :meth:`query` returns rows."""
        return self.query("SELECT * FROM entries LIMIT ?", [max(0, count)])

    def seal(self) -> None:
        """Permanently restrict all later statements to the tables of the store."""
        self._database.seal()

    def session(self) -> StoreSession:
        """Return a session for trusted queries, with temporary tables and views."""
        database = self._database
        return StoreSession(database.connection, database.path, is_sealed=database.is_sealed)

    def add(self, schema: StoreSchema) -> None:
        """Create the tables and views of a schema that are missing."""
        self._database.move_to_file()
        self._database.is_new = False
        connection = self._database.connection
        with map_errors(self._database.path):
            existing = columns_of(connection, "store")
            if not schema.is_in(existing) and schema.replaced_view is not None:
                existing.pop(schema.replaced_view, None)
            with transaction(connection):
                for statement in schema.statements(existing):
                    connection.execute(statement)

    def has(self, schema: StoreSchema) -> bool:
        """Return whether the store has the tables of a schema."""
        with map_errors(self._database.path):
            return schema.is_in(columns_of(self._database.connection, "store"))

    @property
    def document_writer(self) -> Callable[[str, str], None] | None:
        """What writes documents for a store that has none, such as one of snapshots, or None.

        It takes the path of the store and that of a new store.
        """
        with map_errors(self._database.path):
            connection = self._database.connection
            existing = columns_of(connection, "store")

            def has_rows(table: str) -> bool:
                return (
                    connection.execute(f"SELECT 1 FROM store.{table} LIMIT 1").fetchone()
                    is not None
                )

            if has_rows("documents"):
                return None
            for writers in provided("DOCUMENT_WRITERS"):
                for table, write in writers.items():
                    if table in existing and has_rows(table):
                        return cast("Callable[[str, str], None]", write)
        return None

    def check(self, query: str, *, timeout_s: float | None = QUERY_S) -> None:
        """Raise :class:`urlset.QueryError` if a query could not be run, or planned in time."""
        check_query(self._database, query, seconds=timeout_s)

    def documents(self) -> Iterator[StoredDocument]:
        """Yield the documents in reading order, each with its entries."""
        return documents(self._database.connection, self._database.path)

    def close(self) -> None:
        """Close the file, and delete a temporary store; does nothing the second time."""
        self._database.close()

    def __repr__(self) -> str:
        return f"<Store {self.path or 'temporary'}>"


_COLUMNS = (
    "document source parent kind size packed_size layers encoding entry_count sitemap_count "
    "problem_count unreadable_count error failure how depth declared_by disallowed_by lastmod "
    "same_as skipped loc url"
).split()
_ENTRY = ", ".join(f'"{name}"' for name in Entry._fields)


class StoredRows(IndexedRows):
    """Entries on disk: an iterable with a length, which also exports an Arrow stream."""

    is_in_memory: ClassVar[bool] = False

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
            batches = batches_to_entries(as_entries(self._relation(), self._source))
            while (batch := self._next(batches)) is not None:
                yield from batch

    def _next(self, batches: Iterator[list[Entry]]) -> list[Entry] | None:
        """Return the next batch; a file of another program may have dates that Python has not."""
        try:
            return next(batches, None)
        except ValueError as error:
            raise StoreError(f"cannot read the entries of {self._path!r}: {error}") from error

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
    layers: int | None
    encoding: str | None
    entry_count: int
    sitemap_count: int
    problem_count: int
    unreadable_count: int
    error: str | None
    failure: Any
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

    Raises StoreError also during iteration: the file may be truncated anywhere.
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
