"""A store: what readings found, as tables in one file that any query can be put to."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from types import TracebackType
from typing import Any

from urlset.store.database import Database
from urlset.store.reader import StoredDocument, documents
from urlset.store.results import QueryResult, answer, check
from urlset.store.sandbox import QUERY_S
from urlset.store.session import StoreSession
from urlset.store.writer import StoreWriter

__all__ = ["Store"]


class Store:
    """Readings in a DuckDB file; made by :meth:`open`, a context manager.

    The tables and their columns are in :data:`urlset.store.TABLES`. A store holds the latest
    reading of each document. ``path`` is None for one that goes when it is closed.

    >>> import urlset
    >>> with Store.open() as store:
    ...     store.fill(urlset.read(b"https://example.com/ https://example.com/a"))
    ...     list(store.query("SELECT count(*), count(DISTINCT url_host(loc)) FROM entries"))
    [(2, 1)]
    """

    def __init__(self, path: str | None, *, read_only: bool = False, has_details: bool = False):
        self.path = path
        self._home = Database(path, read_only=read_only, has_details=has_details)

    @classmethod
    def open(cls, path: str | os.PathLike[str] | None = None, *, read_only: bool = False) -> Store:
        """Open a store, or make one; without a path one that lies on the disk until it is closed.

        While one process has it open for writing, no other can open it; for reading only, many
        can. Raises :class:`urlset.StoreError`.
        """
        return cls(None if path is None else os.fspath(path), read_only=read_only)

    @classmethod
    def with_details(cls) -> Store:
        """Open a temporary store whose table ``problems`` also has a column ``detail``."""
        return cls(None, has_details=True)

    def fill(self, entries: Any, *, root: str | None = None) -> None:
        """Read all that :func:`urlset.read` gave into the store, as far as it is wanted.

        Each document replaces what the store had under the same ``source``; documents that this
        source led to at an earlier time, and does no more, go. Where it ends early (by Ctrl-C),
        what was read so far is in the store. ``root`` is how the source is called there, by
        default as it was named to :func:`urlset.read`.
        """
        with self.writer(root if root is not None else entries.source) as filling:
            filling.is_complete = not entries.is_limited
            with closing(entries.batches(filling.on_response)) as portions:
                for record, document, rows in portions:
                    filling.add(record, document, rows)

    def writer(self, root: str | None) -> StoreWriter:
        """Begin a reading that is added document by document."""
        return StoreWriter(self._home, root)

    def query(
        self,
        query: str,
        values: Sequence[Any] | Mapping[str, Any] | None = None,
        *,
        timeout_s: float | None = QUERY_S,
    ) -> QueryResult:
        """Run one query (SELECT, FROM, DESCRIBE …) to its end; ``values`` are for its ``?``.

        It runs in a read-only transaction that reaches the tables of the store, but no files, no
        network and no extensions, for at most ``timeout_s`` seconds (None for no limit).
        Raises :class:`urlset.QueryError` before any row is given.
        """
        home = self._home
        home.seal()
        return answer(home.connection, query, values, seconds=timeout_s, hidden=home.hidden)

    def session(self) -> StoreSession:
        """Begin to put many queries of our own, with views and tables that go afterwards."""
        home = self._home
        return StoreSession(home.connection, home.path, is_sealed=home.is_sealed)

    def check(self, query: str) -> None:
        """Raise :class:`urlset.QueryError` where a query could not be run."""
        check(self._home.connection, query, hidden=self._home.hidden)

    def documents(self) -> Iterator[StoredDocument]:
        """The documents in the order of their reading, each with its entries."""
        return documents(self._home.connection, self._home.path)

    def close(self) -> None:
        """Close the file; a store without a path goes. Does nothing the second time."""
        self._home.close()

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
        return f"<Store {self.path or 'until it is closed'}>"
