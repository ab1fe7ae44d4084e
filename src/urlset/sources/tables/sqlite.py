"""Stream tables and queries of SQLite files, opened read-only."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any, Literal
from urllib.parse import quote

from urlset.arrow.streams import rows_to_batch
from urlset.errors import QueryError, SourceError

__all__ = ["sqlite_batches"]
"""First bytes of a file (https://www.sqlite.org/fileformat.html section 1.3)."""

BATCH_ROWS = 8_192
_STEPS = (
    10_000  # of the virtual machine, some 100 µs, after which SQLite calls the progress handler
)
_Kind = Literal["string", "integer", "number"]
_WAL = 2  # value of bytes 18 and 19 in WAL mode (section 1.3.3)
_ALLOWED = frozenset(
    (
        sqlite3.SQLITE_SELECT,
        sqlite3.SQLITE_READ,
        sqlite3.SQLITE_FUNCTION,
        sqlite3.SQLITE_RECURSIVE,
    )
)


def sqlite_batches(
    path: str,
    *,
    table: str | None = None,
    query: str | None = None,
    timeout_s: float | None = None,
    name: str | None = None,
) -> Iterator[Any]:
    """Yield the rows of a table or a query as record batches.

    The first rows decide whether a column has integers, numbers or text: SQLite allows values of
    any type in any column. The first batch may be empty.

    Args:
        path: The file.
        table: Name of the table; by default the only one.
        query: A query, instead of a table.
        timeout_s: Limit of the time of the query, in seconds.
        name: Name of the file in messages.

    Raises:
        urlset.SourceError: The file or the table cannot be read.
        urlset.QueryError: The query is invalid, would change data, or exceeds the time limit.
    """
    source_name = name or path
    connection = _open(path, source_name)
    limit = _TimeLimit(timeout_s if query is not None else None)
    with closing(connection):
        try:
            connection.set_progress_handler(limit.is_exceeded, _STEPS)
            statement = query if query is not None else _table_query(connection, table, source_name)
            connection.set_authorizer(_authorize)
            cursor = connection.execute(statement)
        except sqlite3.Warning as error:  # raised by Python 3.11 for more than one statement
            raise QueryError(f"expected one query (SELECT …), found: {error}") from error
        except sqlite3.Error as error:
            if limit.is_exceeded():
                raise _timeout_error(limit) from error
            raise _database_error(error, source_name, query) from error
        if cursor.description is None:
            raise QueryError(f"expected one query (SELECT …), found one without rows: {query!r}")
        names = [column[0] for column in cursor.description]
        if len(set(names)) < len(names):
            raise QueryError(f"expected unique column names, found {', '.join(names)}")
        yield from _batches(cursor, names, source_name, query, limit)


class _TimeLimit:
    """Limit of the seconds that SQLite works on a query; the use of rows does not count."""

    def __init__(self, seconds: float | None):
        self.seconds = seconds
        self._used = 0.0
        self._began = time.monotonic()

    def is_exceeded(self) -> bool:
        """Return whether the time limit has passed; SQLite calls it periodically during a query."""
        if self.seconds is None:
            return False
        return self._used + time.monotonic() - self._began > self.seconds

    @contextmanager
    def counted(self) -> Iterator[None]:
        """Add the time of a block to the time used."""
        self._began = time.monotonic()
        try:
            yield
        finally:
            self._used += time.monotonic() - self._began


def _open(path: str, source_name: str) -> sqlite3.Connection:
    with open(path, "rb") as file:
        head = file.read(20)
    uri = f"file:{quote(os.path.abspath(path))}?mode=ro"
    # Note: to read a file in WAL mode, SQLite creates two files next to it unless it is opened as
    # immutable. Where another process writes, these files exist already.
    if head[18:20] == bytes((_WAL, _WAL)) and not os.path.exists(f"{path}-wal"):
        uri += "&immutable=1"
    try:
        connection = sqlite3.connect(uri, uri=True, check_same_thread=False)
        connection.text_factory = _text
        connection.execute("PRAGMA query_only = ON")
    except sqlite3.Error as error:
        raise _database_error(error, source_name, None) from error
    return connection


def _text(data: bytes) -> str:
    return data.decode(errors="replace")


def _authorize(action: int, *_: Any) -> int:
    return sqlite3.SQLITE_OK if action in _ALLOWED else sqlite3.SQLITE_DENY


def _table_query(connection: sqlite3.Connection, table: str | None, source_name: str) -> str:
    found = connection.execute(
        "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') "
        "AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name"
    )
    names = [row[0] for row in found]
    shown = ", ".join(names[:10]) or "none"
    if table is not None and table not in names:
        raise SourceError(f"expected a table {table!r} in {source_name!r}, found {shown}")
    if table is None and len(names) != 1:
        raise SourceError(
            f"expected one table in {source_name!r}, found {shown}; name one, or add a query"
        )
    return 'SELECT * FROM "{}"'.format((table or names[0]).replace('"', '""'))


def _batches(
    cursor: sqlite3.Cursor, names: list[str], source_name: str, query: str | None, limit: _TimeLimit
) -> Iterator[Any]:
    kinds: list[_Kind] | None = None
    first = 1
    while True:
        try:
            with limit.counted():
                rows = cursor.fetchmany(BATCH_ROWS)
        except sqlite3.Error as error:
            if limit.is_exceeded():
                raise _timeout_error(limit) from error
            raise _database_error(error, source_name, query) from error
        if kinds is None:
            kinds = [_kind([row[n] for row in rows]) for n in range(len(names))]
        elif not rows:
            return
        columns = [
            _values([row[n] for row in rows], kind, names[n], first, source_name)
            for n, kind in enumerate(kinds)
        ]
        yield rows_to_batch([*zip(names, kinds, strict=True)], [*zip(*columns, strict=True)])
        first += len(rows)


def _kind(values: list[Any]) -> _Kind:
    types = {type(value) for value in values} - {type(None)}
    if types and types <= {int, float}:
        return "integer" if types == {int} else "number"
    return "string"


_EXPECTED_TYPES: dict[_Kind, set[type]] = {
    "string": {str},
    "integer": {int},
    "number": {int, float},
}


def _values(values: list[Any], kind: _Kind, name: str, first: int, source_name: str) -> list[Any]:
    """Return the values of a column converted to its kind; most need no conversion."""
    if {*map(type, values)} - {type(None)} <= _EXPECTED_TYPES[kind]:
        return values
    return [_value(value, kind, name, first + n, source_name) for n, value in enumerate(values)]


def _value(value: Any, kind: _Kind, name: str, row: int, source_name: str) -> Any:
    if value is None:
        return None
    if kind == "string":
        if isinstance(value, bytes):
            return value.decode(errors="replace")
        return value if isinstance(value, str) else str(value)
    if isinstance(value, int if kind == "integer" else (int, float)):
        return value
    raise SourceError(
        f"{source_name}: expected numbers in column {name!r} as in its first rows, "
        f"found {value!r} in row {row:,}; use a query with CAST({name} AS TEXT)"
    )


def _timeout_error(limit: _TimeLimit) -> QueryError:
    return QueryError(f"the query was ended: it ran longer than {limit.seconds:g} seconds")


def _database_error(
    error: sqlite3.Error, source_name: str, query: str | None
) -> SourceError | QueryError:
    # The lower byte is the code, the others are details (www.sqlite.org/rescode.html#extrc).
    code = (getattr(error, "sqlite_errorcode", None) or sqlite3.SQLITE_ERROR) & 0xFF
    if query is not None and code == sqlite3.SQLITE_AUTH:
        return QueryError(f"expected a query that only reads (SELECT …), found {query!r}")
    # An invalid file does not raise OperationalError, except if it is locked.
    is_locked = code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL)
    if query is not None and isinstance(error, sqlite3.OperationalError) and not is_locked:
        return QueryError(f"the query cannot be answered: {error}")
    return SourceError(f"expected an SQLite file, found {source_name!r}: {error}")
