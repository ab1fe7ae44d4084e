"""Sessions: SQL statements of urlset in sequence, with temporary tables and views."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import duckdb

from urlset.arrow import open_stream
from urlset.arrow.streams import LazyStream
from urlset.errors import StoreError
from urlset.interrupts import delayed_interrupts
from urlset.store.connection import incoming, map_errors, open_cursor
from urlset.store.sandbox import TimeLimit, condition_of, seal, select_of, transaction

SESSION_MB = 1_200
"""Memory limit of DuckDB in a session on a store, in megabytes."""

_BATCH = 10_000


Values = Sequence[Any] | dict[str, Any]
"""Values of the parameters of a statement, in their order or by name."""


class Session:
    """SQL statements in sequence on one connection of DuckDB, which is for this session alone.

    Methods raise :class:`urlset.StoreError` for errors of DuckDB, which name ``path``.
    """

    def __init__(self, connection: duckdb.DuckDBPyConnection, path: str):
        self._cursor = connection
        self._path = path

    def run(self, statement: str, values: Values = ()) -> int:
        """Run a statement without a result; return the number of rows that it wrote.

        ``values`` are those of its parameters: of each ``?``, or by name, such as ``$url``.
        """
        with map_errors(self._path):
            found = self._cursor.execute(statement, values).fetchone()
        return int(found[0]) if found else 0

    def limit_memory(self, memory: int) -> None:
        """Change the memory limit of DuckDB, in megabytes; not possible in a sealed session."""
        self.run(f"SET GLOBAL memory_limit = '{memory}MB'")

    def insert(self, statement: str, batch: Any) -> int:
        """Run a statement that reads an Arrow object as ``incoming``; return the rows written."""
        with map_errors(self._path), incoming(self._cursor, batch):
            found = self._cursor.execute(statement).fetchone()
        return int(found[0]) if found else 0

    def columns(self, query: str) -> list[str]:
        """Return the column names of a query."""
        with map_errors(self._path):
            self._cursor.execute(f"SELECT * FROM ({query}) LIMIT 0")
        return [column[0] for column in self._cursor.description or ()]

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Run a ``with`` block in a transaction, which may write to one database only."""
        self.run("BEGIN")
        try:
            yield
        except BaseException:
            with suppress(Exception):  # the original error is more useful
                self._cursor.execute("ROLLBACK")
            raise
        self.run("COMMIT")


class StoreSession(Session):
    """Connection to an open store for a sequence of queries; a context manager.

    Everything created in the session is temporary: tables, views and macros in the database
    ``scratch``, which clones share, and TEMP objects, which belong to one connection.
    """

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        path: str,
        *,
        is_clone: bool = False,
        is_sealed: bool = False,
    ):
        self._connection = connection
        super().__init__(open_cursor(connection), path)
        self._is_clone = is_clone
        self._is_sealed = is_sealed
        if not is_clone:
            self.run("ATTACH ':memory:' AS scratch")
        if not is_clone and not is_sealed:
            self.run("RESET GLOBAL threads")
            self.limit_memory(SESSION_MB)
        self.run("SET search_path = 'scratch,store'")  # new objects are created in the first

    def clone(self) -> StoreSession:
        """Return another connection to the same databases, for use in another thread."""
        return StoreSession(self._connection, self._path, is_clone=True)

    @property
    def is_sealed(self) -> bool:
        """Whether later statements are restricted."""
        return self._is_sealed

    def seal(self) -> None:
        """Permanently restrict all later statements to the tables of the databases.

        Data beyond the memory limit may use half of the free disk space. Does nothing if the store
        is sealed.
        """
        if self._is_sealed:
            return
        with map_errors(self._path):
            found = self._cursor.execute("SELECT current_setting('temp_directory')").fetchone()
            seal(self._cursor, spill=found[0] if found else None)

    def verified(self, query: str) -> str:
        """Verify an untrusted query and return it; raise QueryError if it is not allowed."""
        return select_of(self._cursor, query)

    def verified_condition(self, text: str) -> str:
        """Verify an untrusted condition as :meth:`verified` does; return it in parentheses."""
        return condition_of(self._cursor, text)

    def materialize(self, table: str, query: str, *, seconds: float | None) -> int:
        """Create a TEMP table from a verified, untrusted query; return the number of rows.

        Raises QueryError if the query exceeds the time limit of ``seconds``.
        """
        cursor = self._cursor
        with (
            map_errors(self._path),
            TimeLimit(seconds).applied_to(cursor),
            transaction(cursor, is_read_only=True),
        ):
            cursor.execute(f"CREATE OR REPLACE TEMP TABLE {table} AS {query}")
            found = cursor.execute(f"SELECT count(*) FROM temp.{table}").fetchone()
        return int(found[0]) if found else 0

    @contextmanager
    def limited(self, seconds: float | None) -> Iterator[None]:
        """Limit the time of the statements in a ``with`` block; None for no limit.

        Raises QueryError if a statement was interrupted.
        """
        with TimeLimit(seconds).applied_to(self._cursor):
            yield

    def rows(self, query: str, values: Values = ()) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of a query; consume all of them before the next query."""
        with map_errors(self._path):
            self._cursor.execute(query, values)
        while True:
            with map_errors(self._path):  # without the `yield`: only DuckDB's errors are mapped
                rows = self._cursor.fetchmany(_BATCH)
            if not rows:
                return
            yield from rows

    def batches(self, query: str) -> tuple[Any, list[Any]]:
        """Return the schema and all rows of a query as Arrow batches."""
        with map_errors(self._path):
            reader = open_stream(self._cursor.sql(query))
            return reader.schema, list(reader)

    def load(self, name: str, flow: LazyStream) -> None:
        """Create a table from an Arrow stream, for the lifetime of the session."""
        with map_errors(self._path), incoming(self._cursor, flow):
            self._cursor.execute(f"CREATE OR REPLACE TABLE {name} AS SELECT * FROM incoming")

    def rows_for(self, query: str, batch: Any) -> list[tuple[Any, ...]]:
        """Return the rows of a query that reads an Arrow object as ``incoming``."""
        with map_errors(self._path), incoming(self._cursor, batch):
            return self._cursor.execute(query).fetchall()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Run a ``with`` block in a transaction, which may write to one database only.

        Ctrl-C takes effect after the transaction. DuckDB makes a part of it an error of a
        statement otherwise, and the error of the next statement would hide the interruption.
        """
        with delayed_interrupts(), super().transaction():
            yield

    def __enter__(self) -> StoreSession:
        return self

    def __exit__(self, *_: object) -> None:
        if not self._is_clone:
            with suppress(StoreError):
                self.run("USE store")
                self.run("DETACH scratch")
        self._cursor.close()
