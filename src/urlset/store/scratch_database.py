"""A workbench: tables that go when the work is done, beside one file of ours that stays."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from types import TracebackType
from typing import Any

import duckdb

from urlset.arrow import batches, open_stream, rows_of
from urlset.errors import StoreError
from urlset.store.connection import connect, expect_own_file, is_database, literal, map_errors
from urlset.store.inspection import expect_plain_tables
from urlset.tempdirs import LockedTempDir

__all__ = ["ScratchDatabase"]

_SETTINGS = (
    "SET GLOBAL threads = 2",
    # What goes anyway need not be tidied up; only what stays is checkpointed, by hand.
    "PRAGMA disable_checkpoint_on_shutdown",
    "SET GLOBAL checkpoint_threshold = '1TB'",
    "SET GLOBAL preserve_insertion_order = true",
)


class ScratchDatabase:
    """A DuckDB for one job: tables of the job, in memory that goes with it.

    A context manager. ``memory`` is what DuckDB may take, in megabytes; what has no room there
    lies on the disk, in a folder that goes, too. What cannot be done raises
    :class:`urlset.StoreError`.

    >>> with ScratchDatabase() as bench:
    ...     bench.run("CREATE TABLE numbers AS SELECT * FROM range(3) t(n)")
    ...     bench.fetch_one("SELECT max(n) FROM numbers")
    (2,)
    """

    def __init__(self, *, memory: int = 300):
        self._folder = LockedTempDir()
        self.path = os.path.join(self._folder.path, "spill")
        self._kept: str | None = None
        self._tidied: str | None = None
        self._connection = connect(self.path)
        try:
            for setting in (f"SET GLOBAL memory_limit = '{memory}MB'", *_SETTINGS):
                self.run(setting)
            self.run("ATTACH ':memory:' AS work")
            self.run("USE work")
        except BaseException:
            self.close()
            raise

    def attach(self, path: str, name: str) -> None:
        """Open a file that stays under a name, made where there is none.

        While one process has it open, no other can.
        """
        expect_own_file(path)
        self._attach_file(path, name)
        self._tidied = name

    def _attach_file(self, path: str, name: str) -> None:
        if os.path.isfile(path) and not os.path.getsize(path):
            os.unlink(path)  # what a full disk leaves: DuckDB would take it for damaged
        if os.path.exists(path) and not is_database(path):
            raise StoreError(
                f"expected a DuckDB file, found another kind of file: {path!r}; "
                "name another one, or remove it",
                failure="other-file",
            )
        with map_errors(path):
            self._connection.execute(f"ATTACH {literal(os.path.abspath(path))} AS {name}")
            expect_plain_tables(self._connection, name, path)
        self._kept = path

    def attach_copy(self, path: str, name: str) -> None:
        """Open a copy of a file under a name: what is changed in it is forgotten."""
        copy = os.path.join(self._folder.path, f"{name}.duckdb")
        # What a killed process has committed stands in the second file.
        for ending in ("", ".wal"):
            if os.path.exists(path + ending):
                shutil.copyfile(path + ending, copy + ending)
        self._attach_file(copy, name)

    def run(self, statement: str, values: Sequence[Any] = ()) -> None:
        """Run a statement; ``values`` are for its ``?``."""
        with map_errors(self._kept or self.path):
            self._connection.execute(statement, list(values))

    def rows(self, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """All rows of a query, for those that have few."""
        with map_errors(self._kept or self.path):
            # Not fetchall: for instants it would want a library of time zones.
            return list(rows_of(self._connection.sql(query, params=list(values))))

    def fetch_one(self, query: str, values: Sequence[Any] = ()) -> tuple[Any, ...]:
        """The only row of a query."""
        (row,) = self.rows(query, values)
        return row

    def columns(self, table: str) -> list[str]:
        """The names of the columns of a table."""
        return [str(row[0]) for row in self.rows(f"DESCRIBE {table}")]

    def insert(self, batch: Any, statement: str) -> None:
        """Run a statement that reads ``batch``: anything that speaks Arrow, under that name."""
        with map_errors(self._kept or self.path):
            self._connection.register("batch", batch)
            try:
                self._connection.execute(statement)
            finally:
                self._connection.unregister("batch")

    def insert_rows(self, table: str, rows: Sequence[Sequence[Any]]) -> None:
        """Append rows, each with the values of all columns, to a table.

        All of them by one statement: one for each takes a millisecond.
        """
        if not rows:
            return
        texts = [
            [None if v is None else str(v) for v in column] for column in zip(*rows, strict=True)
        ]
        columns = {f"c{n}": batches.text_array(column) for n, column in enumerate(texts)}
        batch = batches.as_table(batches.batch_of(columns))
        self.insert(batch, f"INSERT INTO {table} SELECT * FROM batch")

    def batches(self, query: str, values: Sequence[Any] = ()) -> Iterator[Any]:
        """The rows of a query as Arrow batches, while others are put: also from a thread."""
        with map_errors(self._kept or self.path):
            cursor = self._connection.cursor()
            try:
                cursor.execute("USE work")
                yield from open_stream(cursor.sql(query, params=list(values)))
            finally:
                cursor.close()

    @contextmanager
    def unordered(self) -> Iterator[None]:
        """What is inserted meanwhile may lie in any order: where it has none, or is numbered."""
        self.run("SET GLOBAL preserve_insertion_order = false")
        try:
            yield
        finally:
            self.run("SET GLOBAL preserve_insertion_order = true")

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All of it or nothing; it may write into one of the files only."""
        self.run("BEGIN")
        try:
            yield
        except BaseException:
            with suppress(Exception):  # the error that is on its way says more
                self._connection.execute("ROLLBACK")
            raise
        self.run("COMMIT")

    def close(self) -> None:
        """Close it; its tables go, and the log of the file that stays is written into it."""
        with suppress(duckdb.Error):  # where there is no room for that, the log stays
            if self._tidied is not None:
                self._connection.execute(f"CHECKPOINT {self._tidied}")
        with suppress(duckdb.Error):
            self._connection.close()
        self._folder.close()

    def __enter__(self) -> ScratchDatabase:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
