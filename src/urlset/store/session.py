"""Puts many queries of our own to a store, one after another: views, variables, tables that go."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from types import TracebackType
from typing import Any

import duckdb

from urlset.arrow.streams import LazyStream
from urlset.errors import StoreError
from urlset.store.connection import map_errors, reraise_stream_error
from urlset.store.sandbox import TimeLimit, read_only, seal
from urlset.store.statement import condition_of, select_of

__all__ = ["StoreSession"]

_ROOM = "SET GLOBAL memory_limit = '1200MB'"
_BATCH = 10_000


class StoreSession:
    """A connection of its own to an open store; a context manager.

    What is made here goes with it: tables, views and macros in ``desk``, which :meth:`beside`
    shares, and what is TEMP, which is for one connection alone. Values in statements are quoted by
    whoever writes them (:func:`urlset.store.quoted`). What cannot be done raises
    :class:`urlset.StoreError`.
    """

    def __init__(
        self,
        connection: duckdb.DuckDBPyConnection,
        path: str,
        *,
        is_beside: bool = False,
        is_sealed: bool = False,
    ):
        self._connection = connection
        self._cursor = connection.cursor()
        self._path = path
        self._is_beside = is_beside
        if not is_beside:
            self.run("ATTACH ':memory:' AS desk")
        if not is_beside and not is_sealed:
            self.run("RESET GLOBAL threads")
            self.run(_ROOM)
        self.run("SET search_path = 'desk,store'")  # what is made goes to the first of them

    def clone(self) -> StoreSession:
        """Another connection to the same, to be used by a thread beside this one."""
        return StoreSession(self._connection, self._path, is_beside=True)

    def run(self, statement: str) -> int:
        """Run a statement that gives nothing; tells how many rows it has put somewhere."""
        with map_errors(self._path):
            found = self._cursor.execute(statement).fetchone()
        return int(found[0]) if found else 0

    def seal(self) -> None:
        """Leave nothing but the tables within reach of all that is run from here on, for good.

        What this connection makes may take half of the free disk space where memory is short.
        """
        with map_errors(self._path):
            found = self._cursor.execute("SELECT current_setting('temp_directory')").fetchone()
            seal(self._cursor, spill=found[0] if found else None)

    def verified(self, query: str) -> str:
        """Return an untrusted query; raises :class:`urlset.QueryError` if it may not run."""
        return select_of(self._cursor, query)

    def verified_condition(self, text: str) -> str:
        """Return an untrusted condition in parentheses; raises as :meth:`verified` does."""
        return condition_of(self._cursor, text)

    def materialize(self, table: str, query: str, *, seconds: float | None) -> int:
        """Make a temporary table of a verified, untrusted query; return its rows.

        Raises :class:`urlset.QueryError` where it runs longer than the time limit.
        """
        cursor = self._cursor
        with map_errors(self._path), TimeLimit(seconds).applied_to(cursor), read_only(cursor):
            cursor.execute(f"CREATE OR REPLACE TEMP TABLE {table} AS {query}")
            found = cursor.execute(f"SELECT count(*) FROM temp.{table}").fetchone()
        return int(found[0]) if found else 0

    def rows(self, query: str) -> Iterator[tuple[Any, ...]]:
        """The rows of a query; all of them are to be taken before the next one is put."""
        with map_errors(self._path):
            self._cursor.execute(query)
        while rows := self._cursor.fetchmany(_BATCH):
            yield from rows

    def columns(self, query: str) -> list[str]:
        """The names of the columns that a query would give."""
        with map_errors(self._path):
            self._cursor.execute(f"SELECT * FROM ({query}) LIMIT 0")
        return [column[0] for column in self._cursor.description or ()]

    def load(self, name: str, flow: LazyStream) -> None:
        """Make a table of a stream, for as long as this is open."""
        with map_errors(self._path):
            self._cursor.register("brought", flow)
            try:
                with reraise_stream_error(flow):
                    query = f"CREATE OR REPLACE TABLE {name} AS SELECT * FROM brought"
                    self._cursor.execute(query)
            finally:
                self._cursor.unregister("brought")

    def __enter__(self) -> StoreSession:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if not self._is_beside:
            with suppress(StoreError):
                self.run("USE store")
                self.run("DETACH desk")
        self._cursor.close()
