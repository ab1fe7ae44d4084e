"""Temporary DuckDB database for the tables of one job, with an attached permanent file."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import closing, contextmanager, suppress
from typing import Any, TypeVar

import duckdb

from urlset.arrow import batches, open_stream, rows_of
from urlset.errors import StoreError
from urlset.result import Closing
from urlset.store.connection import (
    attach_read_only,
    connect,
    copy_database,
    expect_accessible,
    expect_utf8,
    is_database,
    literal,
    map_errors,
    run_in_thread,
)
from urlset.store.inspection import FileKind, expect_kind, expect_plain_tables
from urlset.store.session import Session, Values
from urlset.temp_files import LockedTempDir

_NO_CHECKPOINT = "SET GLOBAL checkpoint_threshold = '1TB'"
_SETTINGS = (
    "SET GLOBAL threads = 2",
    # Temporary data needs no checkpoint; the attached file is checkpointed explicitly.
    "PRAGMA disable_checkpoint_on_shutdown",
    _NO_CHECKPOINT,
    "SET GLOBAL preserve_insertion_order = true",
)


T = TypeVar("T")

SCRATCH_MB = 300
"""Memory limit of DuckDB in a temporary database, in megabytes, unless another one is given."""


class ScratchReader(Session):
    """Queries of a temporary database."""

    def rows(self, query: str, values: Values = ()) -> list[tuple[Any, ...]]:
        """Return all rows of a query as a list; for queries with few rows."""
        with map_errors(self._path):
            # Not fetchall: it needs a time zone library for instants.
            return list(rows_of(self._cursor.sql(query, params=values)))

    def fetch_one(self, query: str, values: Values = ()) -> tuple[Any, ...]:
        """Return the only row of a query."""
        (row,) = self.rows(query, values)
        return row


def _run_and_commit(function: Callable[[ScratchReader], T], reader: ScratchReader) -> T:
    result = function(reader)
    reader.run("COMMIT")  # an open transaction would prevent a checkpoint
    return result


class ScratchDatabase(Closing, ScratchReader):
    """Temporary DuckDB database for one job; a context manager.

    Data beyond the memory limit is written to a temporary folder.

    Args:
        memory: Memory limit of DuckDB in megabytes.
        is_on_disk: Whether the tables are in a temporary file, compressed, instead of in memory.

    Raises:
        StoreError: DuckDB cannot do what is asked; so does every method.

    >>> with ScratchDatabase() as bench:
    ...     count = bench.run("CREATE TABLE numbers AS SELECT * FROM range(3) t(n)")
    ...     bench.fetch_one("SELECT max(n) FROM numbers")
    (2,)
    """

    def __init__(self, *, memory: int = SCRATCH_MB, is_on_disk: bool = False):
        self._folder = LockedTempDir()
        self.path: str = os.path.join(self._folder.path, "spill")
        self._tidied: str | None = None
        super().__init__(connect(self.path), self.path)
        try:
            self.limit_memory(memory)
            for setting in _SETTINGS:
                self.run(setting)
            file = os.path.join(self._folder.path, "work.duckdb")
            # The file is never opened again: no log is needed.
            form = f"{literal(file)} AS work (RECOVERY_MODE NO_WAL_WRITES)"
            self.run(f"ATTACH {form}" if is_on_disk else "ATTACH ':memory:' AS work")
            self.run("USE work")
        except BaseException:
            self.close()
            raise

    def attach(self, path: str, name: str, kind: FileKind) -> None:
        """Attach a permanent file under a name; create the file if it is missing.

        While one process has the file open, no other process can open it.
        """
        expect_accessible(path, read_only=False, noun=kind.noun)
        self._attach_file(path, name, kind, path)
        self._tidied = name

    def _attach_file(self, path: str, name: str, kind: FileKind | None, shown: str) -> None:
        expect_utf8(path)
        if os.path.isfile(path) and not os.path.getsize(path):
            os.unlink(path)  # left by a full disk; DuckDB would report it as damaged
        if os.path.exists(path) and not is_database(path):
            raise StoreError(
                f"expected a DuckDB file, found another kind of file: {shown!r}; "
                "name another one, or remove it",
                failure="other-file",
            )
        is_new = not (os.path.exists(path) or os.path.exists(f"{path}.wal"))
        with map_errors(shown):
            self._cursor.execute(f"ATTACH {literal(os.path.abspath(path))} AS {name}")
            if not is_new:
                if kind is not None:
                    expect_kind(self._cursor, name, shown, kind)
                expect_plain_tables(self._cursor, name, shown)
        self._path = path

    def attach_copy(self, path: str, name: str, kind: FileKind | None = None) -> None:
        """Attach a temporary copy of a file under a name; changes to it are discarded."""
        expect_accessible(path, read_only=True, noun="a DuckDB file" if kind is None else kind.noun)
        copy = os.path.join(self._folder.path, f"{name}.duckdb")
        self._attach_file(copy_database(path, copy), name, kind, path)

    def attach_store(self, path: str, name: str, *, is_own: bool = False) -> frozenset[str]:
        """Attach a store under a name, for reading only; ``is_own`` if this process created it.

        Return the names of its tables that hold pages, links and crawls; empty without a crawl.
        """
        try:
            return attach_read_only(self._cursor, path, name, is_own=is_own)
        finally:
            self.run("USE work")

    def run_long(self, statement: str) -> None:
        """Run a statement in a thread, so that Ctrl-C ends it: DuckDB ignores it otherwise."""
        with map_errors(self._path):
            run_in_thread(self._cursor, statement)

    def stream(self, query: str) -> Any:
        """Return the rows of a query as an object with ``__arrow_c_stream__``, for one use."""
        with map_errors(self._path):
            cursor = self._cursor.cursor()
            cursor.execute("USE work")
            return cursor.sql(query)

    def insert_rows(self, table: str, rows: Sequence[Sequence[Any]]) -> None:
        """Append rows to a table, each with the values of all columns.

        Uses one statement for all rows: a statement per row takes a millisecond.
        """
        if not rows:
            return
        texts = [
            [None if v is None else str(v) for v in column] for column in zip(*rows, strict=True)
        ]
        columns = {f"c{n}": batches.text_array(column) for n, column in enumerate(texts)}
        batch = batches.as_table(batches.batch_of(columns))
        self.insert(f"INSERT INTO {table} SELECT * FROM incoming", batch)

    def batches(self, query: str, values: Values = ()) -> Iterator[Any]:
        """Yield the rows of a query as Arrow batches; other queries may run meanwhile."""
        with map_errors(self._path):
            cursor = self._cursor.cursor()
            try:
                cursor.execute("USE work")
                yield from open_stream(cursor.sql(query, params=values))
            finally:
                cursor.close()

    @contextmanager
    def in_background(self, function: Callable[[ScratchReader], T]) -> Iterator[Future[T]]:
        """Run queries in a thread during a ``with`` block, with the data from before the block.

        Yield the result of the function, which writes nothing. If the block ends by an error, the
        queries are interrupted.
        """
        with closing(self._cursor.cursor()) as cursor:
            reader = ScratchReader(cursor, self._path)
            reader.run("USE work")
            reader.run("BEGIN")
            reader.rows("FROM duckdb_schemas()")  # begins the transaction in each database
            with ThreadPoolExecutor(1, thread_name_prefix="urlset-queries") as pool:
                job = pool.submit(_run_and_commit, function, reader)
                try:
                    yield job
                except BaseException:
                    while not job.done():  # a query that is about to begin is not interrupted
                        cursor.interrupt()
                        wait([job], timeout=0.05)
                    raise

    @contextmanager
    def unordered(self) -> Iterator[None]:
        """Allow inserts in a ``with`` block to change the row order, where it does not matter."""
        restore = "SET GLOBAL preserve_insertion_order = true"
        self.run("SET GLOBAL preserve_insertion_order = false")
        try:
            yield
        except BaseException:
            with suppress(StoreError):  # of an aborted transaction; the original error is the cause
                self.run(restore)
            raise
        self.run(restore)

    @contextmanager
    def large_transaction(self) -> Iterator[None]:
        """Run a ``with`` block in a transaction that may write many rows to one database.

        More than 1 MB is written to the file at once, and not to its log file first.
        """
        try:
            with self.transaction():
                yield
                self.run("SET GLOBAL checkpoint_threshold = '1MB'")
        finally:
            with suppress(StoreError):  # the connection is invalid after some errors
                self.run(_NO_CHECKPOINT)

    def close(self) -> None:
        """Checkpoint the attached file, and delete all temporary tables."""
        with suppress(duckdb.Error):  # on a full disk the log file stays
            if self._tidied is not None:
                self._cursor.execute(f"CHECKPOINT {self._tidied}")
        with suppress(duckdb.Error):
            self._cursor.close()
        self._folder.close()
