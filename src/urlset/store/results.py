"""Run a query and return its result as rows, Arrow, text or JSON, beyond memory if needed."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta
from itertools import count
from typing import Any

import duckdb

from urlset.arrow import rows_of
from urlset.arrow.frames import StreamedRows
from urlset.errors import QueryError
from urlset.notebook import html_table
from urlset.store.connection import Database, literal, map_interrupts, open_cursor, run_in_thread
from urlset.store.duckdb_errors import query_error
from urlset.store.sandbox import TimeLimit, select_of, transaction
from urlset.terminal_text import pluralize

_NUMBERS = (
    "TINYINT SMALLINT INTEGER BIGINT HUGEINT UTINYINT USMALLINT UINTEGER UBIGINT UHUGEINT "
    "FLOAT DOUBLE"
).split()
_SHOWN = 10
_names = count(1)


class QueryResult(StreamedRows):
    """Result of a query: iterates over tuples and exports an Arrow stream, any number of times.

    ``len()`` counts the rows. Rows that do not fit into memory are on disk.

    Attributes:
        columns: Names of the columns, each of them unique.
        types: DuckDB types of the columns.

    >>> from urlset.store import Store
    >>> with Store.open() as store:
    ...     list(store.query("SELECT url_host('https://example.com/a') AS host"))
    [('example.com',)]
    """

    def __init__(self, connection: duckdb.DuckDBPyConnection, table: str):
        self._connection = connection
        self._table = table
        relation = self._relation("*")
        self.columns: list[str] = relation.columns
        self.types: list[str] = [str(kind) for kind in relation.types]
        weakref.finalize(self, _drop, connection, table).atexit = False

    def __repr__(self) -> str:
        shown = ", ".join(self.columns[:_SHOWN]) + ", …" * (len(self.columns) > _SHOWN)
        return f"<QueryResult with {pluralize(len(self.columns), 'column')}: {shown}>"

    def _repr_html_(self) -> str:
        """Return an HTML table of the first rows for notebooks."""
        return html_table(f"QueryResult: {pluralize(len(self), 'row')}", self.columns, self.texts())

    def __len__(self) -> int:
        cursor = open_cursor(self._connection)
        found = cursor.execute(f"SELECT count(*) FROM {self._table}").fetchone()
        return int(found[0]) if found else 0

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        spans = [n for n, kind in enumerate(self.types) if kind == "INTERVAL"]
        if not spans:
            yield from rows_of(self)
            return
        # An Arrow interval has no value in Python. As in DuckDB, a month counts as 30 days.
        values = (
            f"epoch_us(#{n})" if n - 1 in spans else f"#{n}" for n in range(1, len(self.types) + 1)
        )
        relation = self._relation(", ".join(f"{value} AS c{n}" for n, value in enumerate(values)))
        for row in rows_of(relation):
            cells = list(row)
            for n in spans:
                cells[n] = None if cells[n] is None else timedelta(microseconds=cells[n])
            yield tuple(cells)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._relation("*").__arrow_c_stream__(requested_schema)

    @property
    def are_numbers(self) -> list[bool]:
        """Return for each column whether it holds numbers."""
        return [kind in _NUMBERS or kind.startswith("DECIMAL") for kind in self.types]

    def texts(self) -> Iterator[tuple[str | None, ...]]:
        """Yield the rows as text: instants as W3C dates, lists and structs as JSON."""
        shown = [_text(f"#{n}", kind) for n, kind in enumerate(self.types, start=1)]
        relation = self._relation(", ".join(f"{text} AS c{n}" for n, text in enumerate(shown)))
        yield from rows_of(relation)  # the generator keeps self, and so the table, alive

    def objects(self) -> Iterator[str]:
        """Yield the rows as JSON objects, each on one line."""
        shown = [_json(f"#{n}", kind) for n, kind in enumerate(self.types, start=1)]
        names = (literal(name) for name in self.columns)
        pairs = ", ".join(f"{name}, {text}" for name, text in zip(names, shown, strict=True))
        for (line,) in rows_of(self._relation(f"json_object({pairs})::VARCHAR AS line")):
            yield line

    def _relation(self, expressions: str) -> Any:
        # On a cursor of its own: a connection has one open stream at a time.
        return open_cursor(self._connection).sql(f"SELECT {expressions} FROM {self._table}")


def run_query(database: Database, query: str, values: Any, *, seconds: float | None) -> QueryResult:
    """Run a SELECT statement on a sealed database to its end and return the result.

    The query is complete before a row is returned: an error is raised before the first row.

    Raises:
        QueryError: The query is not allowed, fails, or exceeds the time limit.
        StoreError: The store is closed.
    """
    connection = database.connection
    cursor = open_cursor(connection)
    table = f"results.result_{next(_names)}"
    with map_interrupts():
        try:
            statement = select_of(connection, query, hidden=database.hidden)
            cursor.execute("USE store")
            with TimeLimit(seconds).applied_to(cursor), transaction(cursor, is_read_only=True):
                run_in_thread(cursor, f"CREATE TEMP TABLE result AS\n{statement}", values)
            # A temporary table belongs to one cursor, and a cursor has one stream at a time.
            run_in_thread(cursor, f"CREATE TABLE {table} AS FROM temp.result")
            cursor.execute("DROP TABLE temp.result")
        except duckdb.Error as error:
            raise query_error(error) from error
        finally:
            cursor.close()
    return QueryResult(connection, table)


def check_query(database: Database, query: str, *, seconds: float | None) -> None:
    """Raise :class:`urlset.QueryError` if a query is not allowed or cannot be planned.

    ``seconds`` is the time limit; None for no limit. Raises StoreError if the store is closed.
    """
    connection = database.connection
    cursor = open_cursor(connection)
    try:
        statement = select_of(connection, query, hidden=database.hidden)
        cursor.execute("USE store")
        with TimeLimit(seconds).applied_to(cursor):
            # Note: EXPLAIN would also draw the plan, with every constant in it, however long.
            cursor.execute(f"PREPARE checked AS\n{statement}")
        if cursor.extract_statements(statement)[0].named_parameters:
            raise QueryError("the query cannot be answered: it has parameters without values")
    except duckdb.Error as error:
        raise query_error(error) from error
    finally:
        cursor.close()


def _text(column: str, kind: str) -> str:
    if kind == "TIMESTAMP WITH TIME ZONE":
        return _w3c(column)
    return f"{_json(column, kind)}::VARCHAR" if _is_nested(kind) else f"{column}::VARCHAR"


def _json(column: str, kind: str) -> str:
    if kind == "TIMESTAMP WITH TIME ZONE":
        return _w3c(column)
    if kind in ("FLOAT", "DOUBLE"):  # JSON has no NaN and no infinity
        return f"CASE WHEN isfinite({column}) THEN {column} END"
    return f"to_json({column})" if _is_nested(kind) else column


def _is_nested(kind: str) -> bool:
    return kind.endswith("]") or kind.startswith(("STRUCT", "MAP", "UNION"))


def _w3c(column: str) -> str:
    whole = f"strftime({column}, '%Y-%m-%dT%H:%M:%S')"
    fraction = f"rtrim(strftime({column}, '%f'), '0')"
    dot = f"CASE WHEN {fraction} = '' THEN '' ELSE '.' || {fraction} END"
    return f"CASE WHEN isfinite({column}) THEN {whole} || {dot} || 'Z' ELSE {column}::VARCHAR END"


def _drop(connection: duckdb.DuckDBPyConnection, table: str) -> None:
    with suppress(duckdb.Error):  # closed already
        connection.cursor().execute(f"DROP TABLE {table}")
