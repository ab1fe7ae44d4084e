"""Where a store lives: in a file that stays, or, until it is closed, in memory or on the disk."""

from __future__ import annotations

import os
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress

import duckdb

from urlset.store.connection import attach, attach_temporary, connect, map_errors
from urlset.store.sandbox import seal
from urlset.tempdirs import LockedTempDir

__all__ = ["Database"]


class Database:
    """The DuckDB of a store; without a ``path`` it goes when it is closed.

    Such a one is opened beside other work, and whoever asks for its ``connection`` first waits for
    it. ``is_new`` tells that nothing was written to it yet, which spares looking for it.
    ``has_details`` says that its problems are stored with their details.
    """

    def __init__(self, path: str | None, *, read_only: bool = False, has_details: bool = False):
        # Not beside a store that is only read: its folder may be, too.
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
            self._opened = _beside(spill, self.has_details)
            return
        self._opened = Future()
        self._opened.set_result(connect(spill))
        try:
            self.hidden = attach(self.connection, self.path, read_only=read_only)
        except BaseException:
            self.close()
            raise

    @property
    def connection(self) -> duckdb.DuckDBPyConnection:
        """The connection; it is for one thread at a time, and its cursors for others."""
        return self._opened.result()

    def make_room(self) -> None:
        """Be ready for more than memory is to hold.

        What has no path, and nothing in it yet, is from here on in a file.
        """
        if self.is_new and not self.is_sealed:
            with map_errors(self.path):
                self.connection.execute("USE answers")
                self.connection.execute("DETACH store")
                attach_temporary(self.connection, self.path, has_details=self.has_details)

    def seal(self) -> None:
        """Make only the tables reachable, before untrusted SQL is run.

        No file can be attached afterwards, so a store without a path is moved to its file first.
        A query may take every core and four fifths of the memory, as DuckDB does by default.
        """
        if self.is_sealed:
            return
        self.make_room()
        with map_errors(self.path):
            self.connection.execute("RESET GLOBAL memory_limit")
            self.connection.execute("RESET GLOBAL threads")
            seal(self.connection, spill=self._spill)
        self.is_sealed = True

    def close(self) -> None:
        """Close it, and take away what is not kept. Does nothing the second time."""
        with suppress(duckdb.Error):
            self.connection.close()
        if self._folder is not None:
            self._folder.close()


def _beside(spill: str, has_details: bool) -> Future[duckdb.DuckDBPyConnection]:
    """Open a store in memory beside other work: it is 50 ms, in which 50,000 URLs are read."""
    pool = ThreadPoolExecutor(1, thread_name_prefix="urlset-store")
    try:
        return pool.submit(_opened, spill, has_details)
    finally:
        pool.shutdown(wait=False)


def _opened(spill: str, has_details: bool) -> duckdb.DuckDBPyConnection:
    connection = connect(spill)
    connection.execute("ATTACH ':memory:' AS answers")
    attach_temporary(connection, None, has_details=has_details)
    return connection
