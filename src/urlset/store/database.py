"""DuckDB database of a store: a permanent file, or a temporary one that is deleted on close."""

from __future__ import annotations

import os
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress

import duckdb

from urlset.store.connection import attach, attach_temporary, connect, map_errors, map_interrupts
from urlset.store.sandbox import seal
from urlset.tempdirs import LockedTempDir

__all__ = ["Database"]


class Database:
    """Database of a store; without a ``path`` it is temporary and deleted on close.

    A temporary database opens in a background thread; the first access to ``connection`` waits
    for it.

    Attributes:
        path: Path of the file.
        is_new: Whether nothing was written yet, so that there is nothing to search or replace.
        has_details: Whether problems are stored with their details.
        is_sealed: Whether :meth:`seal` was called.
        hidden: Names of views and macros in the file that urlset did not create.
    """

    def __init__(self, path: str | None, *, read_only: bool = False, has_details: bool = False):
        # Not in the folder of a read-only store: it may be read-only, too.
        self._folder = LockedTempDir() if path is None or read_only else None
        inside = self._folder.path if self._folder else ""
        self.path = path or os.path.join(inside, "store.duckdb")
        self.is_new = path is None
        self.has_details = has_details and path is None
        self.is_sealed = False
        self.hidden: frozenset[str] = frozenset()
        spill = os.path.join(inside, "spill") if inside else f"{self.path}.tmp"
        self._spill = spill
        if path is None:
            self._future = _open_in_background(spill, self.has_details)
            return
        self._future = Future()
        with map_interrupts():
            self._future.set_result(connect(spill))
        try:
            self.hidden = attach(self.connection, self.path, read_only=read_only)
        except BaseException:
            self.close()
            raise

    @property
    def connection(self) -> duckdb.DuckDBPyConnection:
        """The connection, for one thread at a time; other threads use cursors of it."""
        return self._future.result()

    def move_to_file(self) -> None:
        """Move an empty temporary store to a file, before more data than memory holds is added."""
        if self.is_new and not self.is_sealed:
            with map_errors(self.path):
                self.connection.execute("USE results")
                self.connection.execute("DETACH store")
                attach_temporary(self.connection, self.path, has_details=self.has_details)

    def seal(self) -> None:
        """Restrict the connection to its tables, before untrusted SQL is run.

        No file can be attached afterwards, so a temporary store is moved to its file first.
        A query may use every core and four fifths of the memory, the defaults of DuckDB.
        """
        if self.is_sealed:
            return
        self.move_to_file()
        with map_errors(self.path):
            self.connection.execute("RESET GLOBAL memory_limit")
            self.connection.execute("RESET GLOBAL threads")
            seal(self.connection, spill=self._spill)
        self.is_sealed = True

    def close(self) -> None:
        """Close the database and delete temporary files; does nothing the second time."""
        with suppress(duckdb.Error):
            self.connection.close()
        if self._folder is not None:
            self._folder.close()


def _open_in_background(spill: str, has_details: bool) -> Future[duckdb.DuckDBPyConnection]:
    """Open an in-memory store in a thread: it takes 50 ms, in which 50,000 URLs can be read."""
    pool = ThreadPoolExecutor(1, thread_name_prefix="urlset-store")
    try:
        return pool.submit(_open, spill, has_details)
    finally:
        pool.shutdown(wait=False)


def _open(spill: str, has_details: bool) -> duckdb.DuckDBPyConnection:
    connection = connect(spill)
    connection.execute("ATTACH ':memory:' AS results")
    attach_temporary(connection, None, has_details=has_details)
    return connection
