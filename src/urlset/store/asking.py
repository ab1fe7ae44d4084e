"""Puts many queries of our own to a store, one after another: views, variables, tables that go."""

from __future__ import annotations

from collections.abc import Iterator
from types import TracebackType
from typing import Any

import duckdb

from urlset.arrow.streams import Flow
from urlset.store.connecting import first_of, told

__all__ = ["Asking"]

_ROOM = "SET GLOBAL memory_limit = '1200MB'"
_BATCH = 10_000


class Asking:
    """A connection of its own to an open store; a context manager.

    What is made TEMP here goes with it. Values in statements are quoted by whoever writes them
    (:func:`urlset.store.quoted`). What cannot be done raises :class:`urlset.StoreError`.
    """

    def __init__(self, connection: duckdb.DuckDBPyConnection, path: str):
        self._cursor = connection.cursor()
        self._path = path
        self.run("USE store")
        self.run("RESET GLOBAL threads")
        self.run(_ROOM)

    def run(self, statement: str) -> int:
        """Run a statement that gives nothing; tells how many rows it has put somewhere."""
        with told(self._path):
            found = self._cursor.execute(statement).fetchone()
        return int(found[0]) if found else 0

    def rows(self, query: str) -> Iterator[tuple[Any, ...]]:
        """The rows of a query; all of them are to be taken before the next one is put."""
        with told(self._path):
            self._cursor.execute(query)
        while rows := self._cursor.fetchmany(_BATCH):
            yield from rows

    def columns(self, query: str) -> list[str]:
        """The names of the columns that a query would give."""
        with told(self._path):
            self._cursor.execute(f"SELECT * FROM ({query}) LIMIT 0")
        return [column[0] for column in self._cursor.description or ()]

    def bring(self, name: str, flow: Flow) -> None:
        """Make a table of a stream, for as long as this is open."""
        with told(self._path):
            self._cursor.register("brought", flow)
            try:
                with first_of(flow):
                    query = f"CREATE OR REPLACE TEMP TABLE {name} AS SELECT * FROM brought"
                    self._cursor.execute(query)
            finally:
                self._cursor.unregister("brought")

    def __enter__(self) -> Asking:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._cursor.close()
