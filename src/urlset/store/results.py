"""Answers a query: as rows, as Arrow, or in columns of text, each out of core."""

from __future__ import annotations

import weakref
from collections.abc import Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import count
from typing import Any

import duckdb

from urlset.arrow import rows_of
from urlset.store.connection import literal
from urlset.store.duckdb_errors import query_error
from urlset.store.sandbox import TimeLimit, read_only
from urlset.store.statement import select_of

__all__ = ["QueryResult", "answer", "check"]

_NUMBERS = (
    "TINYINT SMALLINT INTEGER BIGINT HUGEINT UTINYINT USMALLINT UINTEGER UBIGINT UHUGEINT "
    "FLOAT DOUBLE"
).split()
_names = count(1)


class QueryResult:
    """The rows that a query gave: iterates as tuples, and is an Arrow stream, as often as wanted.

    ``columns`` are the names of its columns, no two of them alike, ``types`` their types in
    DuckDB; ``len()`` counts the rows. Rows that do not fit into memory lie on the disk.

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
        self.types = [str(kind) for kind in relation.types]
        weakref.finalize(self, _drop, connection, table).atexit = False

    def __len__(self) -> int:
        found = self._connection.cursor().execute(f"SELECT count(*) FROM {self._table}").fetchone()
        return int(found[0]) if found else 0

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        yield from rows_of(self)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._relation("*").__arrow_c_stream__(requested_schema)

    @property
    def are_numbers(self) -> list[bool]:
        """Tell for each column whether it holds numbers."""
        return [kind in _NUMBERS or kind.startswith("DECIMAL") for kind in self.types]

    def texts(self) -> Iterator[tuple[str | None, ...]]:
        """The rows as text: instants as W3C has them, lists and structs as JSON."""
        shown = [_text(f"#{n}", kind) for n, kind in enumerate(self.types, start=1)]
        relation = self._relation(", ".join(f"{text} AS c{n}" for n, text in enumerate(shown)))
        yield from rows_of(relation)  # not given away: the table goes with this answer

    def objects(self) -> Iterator[str]:
        """The rows as objects of JSON, each on one line."""
        shown = [_json(f"#{n}", kind) for n, kind in enumerate(self.types, start=1)]
        names = (literal(name) for name in self.columns)
        pairs = ", ".join(f"{name}, {text}" for name, text in zip(names, shown, strict=True))
        for (line,) in rows_of(self._relation(f"json_object({pairs})::VARCHAR AS line")):
            yield line

    def _relation(self, expressions: str) -> Any:
        # On a cursor of its own: a connection gives one stream at a time.
        return self._connection.cursor().sql(f"SELECT {expressions} FROM {self._table}")


def answer(
    connection: duckdb.DuckDBPyConnection,
    query: str,
    values: Any = None,
    *,
    seconds: float | None = None,
    hidden: Collection[str] = (),
) -> QueryResult:
    """Run a query to its end; raises :class:`urlset.QueryError`.

    All of it is run before anything is given: an error comes before the first row. The connection
    is sealed already (:func:`urlset.store.sandbox.seal`); ``seconds`` is the time limit.
    """
    statement = select_of(connection, query, hidden=hidden)
    table = f"answers.answer_{next(_names)}"
    cursor = connection.cursor()
    try:
        cursor.execute("USE store")
        with TimeLimit(seconds).applied_to(cursor), read_only(cursor):
            _run(cursor, f"CREATE TEMP TABLE answer AS\n{statement}", values)
        # A temporary table belongs to one cursor, and a cursor has one stream at a time.
        _run(cursor, f"CREATE TABLE {table} AS FROM temp.answer", None)
        cursor.execute("DROP TABLE temp.answer")
    except duckdb.Error as error:
        raise query_error(error) from error
    finally:
        cursor.close()
    return QueryResult(connection, table)


def check(
    connection: duckdb.DuckDBPyConnection, query: str, *, hidden: Collection[str] = ()
) -> None:
    """Tell whether a query can be run at all; raises :class:`urlset.QueryError`."""
    statement = select_of(connection, query, hidden=hidden)
    cursor = connection.cursor()
    try:
        cursor.execute("USE store")
        cursor.execute(f"EXPLAIN CREATE TEMP TABLE answer AS\n{statement}")
    except duckdb.Error as error:
        raise query_error(error) from error
    finally:
        cursor.close()


def _run(cursor: duckdb.DuckDBPyConnection, statement: str, values: Any) -> None:
    """Run a statement so that Ctrl-C ends it: DuckDB does not hear it while its threads work."""
    with ThreadPoolExecutor(1) as pool:
        job = pool.submit(cursor.execute, statement, values)
        try:
            job.result()
        except KeyboardInterrupt:
            cursor.interrupt()
            raise


def _text(column: str, kind: str) -> str:
    if kind == "TIMESTAMP WITH TIME ZONE":
        return _w3c(column)
    return f"{_json(column, kind)}::VARCHAR" if _is_nested(kind) else f"{column}::VARCHAR"


def _json(column: str, kind: str) -> str:
    if kind == "TIMESTAMP WITH TIME ZONE":
        return _w3c(column)
    if kind in ("FLOAT", "DOUBLE"):  # JSON has no words for NaN and infinity
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
