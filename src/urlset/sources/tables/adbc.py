"""The one door to ADBC: a query to a database, its rows as Arrow batches while they come."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from urlset.arrow import open_schema, open_stream
from urlset.errors import QueryError, SourceError
from urlset.sources.tables.dsn import Dsn

__all__ = ["adbc_batches", "adbc_schema"]

# The drivers that are packages of PyPI: what their URLs begin with, and their names.
_PACKAGES = {
    "postgresql": "postgresql",
    "postgres": "postgresql",
    "snowflake": "snowflake",
    "grpc": "flightsql",
    "grpc+tls": "flightsql",
    "bigquery": "bigquery",
}
# The others are shared libraries, which `dbc` installs (https://docs.columnar.tech/dbc/).
_NAMED = {"mysql": "mysql", "mariadb": "mysql", "mssql": "mssql", "sqlserver": "mssql"}
_READ_ONLY = {
    # The server itself refuses to write then, also out of a function or a WITH … DELETE.
    "postgresql": "SET default_transaction_read_only = on",
    "mysql": "SET SESSION TRANSACTION READ ONLY",
}
_IS_QUERY = ("select", "with", "table", "values", "from", "(", "--", "/*")


def adbc_batches(address: Dsn, query: str) -> Iterator[Any]:
    """The rows of a query, a batch at a time; the first one may be without rows.

    Raises :class:`urlset.SourceError` where there is no driver or no connection, and
    :class:`urlset.QueryError` for a query that cannot be answered, or that would change something.
    """
    with _statement(address, query) as (manager, statement):
        yield from _rows(manager, statement, address, query)


def adbc_schema(address: Dsn, query: str) -> Any | None:
    """Return the schema of what a query gives without running it; None if the driver cannot.

    Raises as :func:`adbc_batches`.
    """
    with _statement(address, query) as (manager, statement):
        try:
            statement.set_sql_query(query)
            return open_schema(statement.execute_schema())
        except manager.NotSupportedError:
            return None
        except manager.Error as error:
            raise _refused(address, str(error)) from None


@contextmanager
def _statement(address: Dsn, query: str) -> Iterator[tuple[Any, Any]]:
    """Open a connection that only reads; yields the driver manager and a statement."""
    if not query.lstrip().lower().startswith(_IS_QUERY):
        raise QueryError(
            f"{address.shown}: expected a query that only reads (SELECT … or WITH …), "
            f"found {query.split(maxsplit=1)[0] if query.split() else 'nothing'}"
        )
    kind, driver, manager = _driver(address)
    opened: list[Any] = []
    try:
        try:
            opened.append(manager.AdbcDatabase(driver=driver, uri=address.url))
            opened.append(manager.AdbcConnection(opened[0]))
            if kind in _READ_ONLY:
                _run(manager, opened[1], _READ_ONLY[kind])
            opened.append(manager.AdbcStatement(opened[1]))
        except manager.Error as error:
            words = address.without_secrets(str(error))
            raise SourceError(_unreached(address, kind, words)) from None
        yield manager, opened[2]
    finally:
        for handle in reversed(opened):
            handle.close()


def _rows(manager: Any, statement: Any, address: Dsn, query: str) -> Iterator[Any]:
    try:
        statement.set_sql_query(query)
        stream, _ = statement.execute_query()
        reader = open_stream(stream)
        yield reader.schema
        yield from reader
    except manager.Error as error:
        # Beware: `from None`. The driver's words may have the password in them.
        raise _refused(address, str(error)) from None
    except Exception as error:
        if type(error) is not Exception:  # arro3 raises bare ones, with the driver's words
            raise
        raise _refused(address, str(error)) from None


def _driver(address: Dsn) -> tuple[str, str, Any]:
    """The kind of a database, its driver, and the manager of drivers."""
    scheme = address.scheme
    kind = _PACKAGES.get(scheme) or _NAMED.get(scheme)
    if kind is None:
        raise SourceError(
            f"{address.shown}: expected a database that we know "
            f"(sqlite, duckdb, {', '.join([*_PACKAGES, *_NAMED])}), found {scheme!r}"
        )
    try:
        manager = import_module("adbc_driver_manager")
    except ImportError as error:
        more = f" dbc, then `dbc install {kind}`" if scheme in _NAMED else ""
        raise SourceError(
            f"{address.shown}: expected ADBC, found none; pip install 'urlset[sql]'{more}"
        ) from error
    if scheme in _NAMED:
        return kind, kind, manager
    try:
        driver = import_module(f"adbc_driver_{kind}")
    except ImportError as error:
        raise SourceError(
            f"{address.shown}: expected a driver for {scheme}, found none; "
            f"pip install adbc-driver-{kind}"
        ) from error
    return kind, driver._driver_path(), manager


def _run(manager: Any, connection: Any, statement: str) -> None:
    running = manager.AdbcStatement(connection)
    try:
        running.set_sql_query(statement)
        running.execute_update()
    finally:
        running.close()


def _unreached(address: Dsn, kind: str, words: str) -> str:
    if kind in _NAMED.values() and ("Could not load" in words or "NOT_FOUND" in words):
        return (
            f"{address.shown}: expected an ADBC driver for {kind}, found none. PyPI has no wheel "
            f"of it: `pip install dbc`, then `dbc install {kind}` puts one where it is found. "
            "Without it, export the query to CSV, TSV or Parquet and build from that file, as "
            "docs/sources.md (Query) shows"
        )
    return f"{address.shown}: expected a database that answers, found: {words}"


def _refused(address: Dsn, words: str) -> QueryError:
    said = address.without_secrets(words)
    return QueryError(f"{address.shown}: the query cannot be answered: {said}")
