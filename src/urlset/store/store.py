"""Store of read results: tables in one DuckDB file that SQL can query."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import closing
from types import TracebackType
from typing import Any

from urlset.store.connection import map_errors
from urlset.store.database import Database
from urlset.store.history_schema import HISTORY_TABLES, history_statements
from urlset.store.inspection import columns_of
from urlset.store.live_schema import LIVE_TABLES, REPLACED_VIEW, live_statements
from urlset.store.reader import StoredDocument, documents
from urlset.store.results import QueryResult, check_query, run_query
from urlset.store.sandbox import QUERY_S
from urlset.store.session import StoreSession
from urlset.store.writer import StoreWriter

__all__ = ["Store"]


class Store:
    """Read results in a DuckDB file; open one with :meth:`open`. A context manager.

    :data:`urlset.store.TABLES` describes the tables and columns. A store holds the latest read of
    each document. ``path`` is None for a temporary store, which is deleted when it is closed.

    >>> import urlset
    >>> with Store.open() as store:
    ...     store.fill(urlset.read(b"https://example.com/ https://example.com/a"))
    ...     list(store.query("SELECT count(*), count(DISTINCT url_host(loc)) FROM entries"))
    [(2, 1)]
    """

    def __init__(self, path: str | None, *, read_only: bool = False, has_details: bool = False):
        self.path = path
        self._database = Database(path, read_only=read_only, has_details=has_details)

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
    def with_details(cls) -> Store:
        """Open a temporary store whose table ``problems`` also has a column ``detail``."""
        return cls(None, has_details=True)

    def fill(self, entries: Any, *, root: str | None = None) -> None:
        """Store the entries that :func:`urlset.read` returned, after its filters.

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
        database = self._database
        database.seal()
        return run_query(
            database.connection, query, values, seconds=timeout_s, hidden=database.hidden
        )

    def seal(self) -> None:
        """Permanently restrict all later statements to the tables of the store."""
        self._database.seal()

    def session(self) -> StoreSession:
        """Return a session for trusted queries, with temporary tables and views."""
        database = self._database
        return StoreSession(database.connection, database.path, is_sealed=database.is_sealed)

    def add_live_tables(self) -> None:
        """Create the tables of crawls and audits (:data:`urlset.store.LIVE_TABLES`) if missing.

        The view ``links`` of hreflang links in sitemaps is replaced by the table ``links``.
        """
        self._add_tables(live_statements, REPLACED_VIEW)

    def add_history_tables(self) -> None:
        """Create the tables of a watch (:data:`urlset.store.HISTORY_TABLES`) if missing."""
        self._add_tables(history_statements)

    def _add_tables(
        self,
        statements_for: Callable[[Mapping[str, Collection[str]]], Iterator[str]],
        replaced_view: str | None = None,
    ) -> None:
        """Run the statements for missing tables; ``replaced_view`` has the name of one of them."""
        self._database.move_to_file()
        self._database.is_new = False
        connection = self._database.connection
        with map_errors(self._database.path):
            existing = columns_of(connection, "store")
            if LIVE_TABLES[0].name not in existing and replaced_view is not None:
                existing.pop(replaced_view, None)
            connection.execute("BEGIN")
            try:
                for statement in statements_for(existing):
                    connection.execute(statement)
            except BaseException:
                connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")

    @property
    def has_live_tables(self) -> bool:
        """Whether the store has the tables of crawls and audits."""
        with map_errors(self._database.path):
            return LIVE_TABLES[0].name in columns_of(self._database.connection, "store")

    @property
    def has_history_tables(self) -> bool:
        """Whether the store has the tables of a watch."""
        with map_errors(self._database.path):
            return HISTORY_TABLES[0].name in columns_of(self._database.connection, "store")

    def check(self, query: str) -> None:
        """Raise :class:`urlset.QueryError` if a query could not be run."""
        check_query(self._database.connection, query, hidden=self._database.hidden)

    def documents(self) -> Iterator[StoredDocument]:
        """Yield the documents in reading order, each with its entries."""
        return documents(self._database.connection, self._database.path)

    def close(self) -> None:
        """Close the file, and delete a temporary store; does nothing the second time."""
        self._database.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Store {self.path or 'temporary'}>"
