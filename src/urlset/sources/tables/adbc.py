"""Run a query in a database through ADBC, and stream its rows as Arrow batches."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from urlset.arrow import open_schema, open_stream
from urlset.errors import QueryError, SourceError
from urlset.sources.tables.dsn import Dsn

__all__ = ["adbc_batches", "adbc_schema"]

# Drivers that are PyPI packages, by the scheme of their URLs.
_PACKAGES = {
    "postgresql": "postgresql",
    "postgres": "postgresql",
    "snowflake": "snowflake",
    "grpc": "flightsql",
    "grpc+tls": "flightsql",
    "bigquery": "bigquery",
}
# Other drivers are shared libraries, which `dbc` installs (https://docs.columnar.tech/dbc/).
_DBC_DRIVERS = {"mysql": "mysql", "mariadb": "mysql", "mssql": "mssql", "sqlserver": "mssql"}
_READ_ONLY = {
    # The server itself then refuses to write, also in a function or a WITH … DELETE.
    "postgresql": "SET default_transaction_read_only = on",
    "mysql": "SET SESSION TRANSACTION READ ONLY",
}
_QUERY_STARTS = ("select", "with", "table", "values", "from", "(", "--", "/*")


def adbc_batches(dsn: Dsn, query: str) -> Iterator[Any]:
    """Yield the schema of a query, then its rows in batches.

    Raises:
        urlset.SourceError: There is no driver or no connection.
        urlset.QueryError: The query fails, or would change data.
    """
    with _statement(dsn, query) as (manager, statement):
        yield from _query_batches(manager, statement, dsn, query)


def adbc_schema(dsn: Dsn, query: str) -> Any | None:
    """Return the schema of the result of a query without running it; None if unsupported.

    Raises as :func:`adbc_batches`.
    """
    with _statement(dsn, query) as (manager, statement):
        try:
            statement.set_sql_query(query)
            return open_schema(statement.execute_schema())
        except manager.NotSupportedError:
            return None
        except manager.Error as error:
            raise _query_error(dsn, str(error)) from None


@contextmanager
def _statement(dsn: Dsn, query: str) -> Iterator[tuple[Any, Any]]:
    """Open a read-only connection; yield the driver manager and a statement."""
    if not query.lstrip().lower().startswith(_QUERY_STARTS):
        raise QueryError(
            f"{dsn.shown}: expected a query that only reads (SELECT … or WITH …), "
            f"found {query.split(maxsplit=1)[0] if query.split() else 'nothing'}"
        )
    kind, driver, manager = _driver(dsn)
    opened: list[Any] = []
    try:
        try:
            opened.append(manager.AdbcDatabase(driver=driver, uri=dsn.url))
            opened.append(manager.AdbcConnection(opened[0]))
            if kind in _READ_ONLY:
                _run(manager, opened[1], _READ_ONLY[kind])
            opened.append(manager.AdbcStatement(opened[1]))
        except manager.Error as error:
            message = dsn.without_secrets(str(error))
            raise SourceError(_connection_error(dsn, kind, message)) from None
        yield manager, opened[2]
    finally:
        for handle in reversed(opened):
            handle.close()


def _query_batches(manager: Any, statement: Any, dsn: Dsn, query: str) -> Iterator[Any]:
    try:
        statement.set_sql_query(query)
        stream, _ = statement.execute_query()
        reader = open_stream(stream)
        yield reader.schema
        yield from reader
    except manager.Error as error:
        # Note: `from None`, because the message of the driver may contain the password.
        raise _query_error(dsn, str(error)) from None
    except Exception as error:
        if type(error) is not Exception:  # arro3 raises bare ones, with the message of the driver
            raise
        raise _query_error(dsn, str(error)) from None


def _driver(dsn: Dsn) -> tuple[str, str, Any]:
    """Return the kind of a database, its driver, and the driver manager."""
    scheme = dsn.scheme
    kind = _PACKAGES.get(scheme) or _DBC_DRIVERS.get(scheme)
    if kind is None:
        raise SourceError(
            f"{dsn.shown}: expected a supported database "
            f"(sqlite, duckdb, {', '.join([*_PACKAGES, *_DBC_DRIVERS])}), found {scheme!r}"
        )
    try:
        manager = import_module("adbc_driver_manager")
    except ImportError as error:
        more = f" dbc, then `dbc install {kind}`" if scheme in _DBC_DRIVERS else ""
        raise SourceError(
            f"{dsn.shown}: expected ADBC, found none; pip install 'urlset[sql]'{more}"
        ) from error
    if scheme in _DBC_DRIVERS:
        return kind, kind, manager
    try:
        driver = import_module(f"adbc_driver_{kind}")
    except ImportError as error:
        raise SourceError(
            f"{dsn.shown}: expected a driver for {scheme}, found none; "
            f"pip install adbc-driver-{kind}"
        ) from error
    return kind, driver._driver_path(), manager


def _run(manager: Any, connection: Any, statement: str) -> None:
    command = manager.AdbcStatement(connection)
    try:
        command.set_sql_query(statement)
        command.execute_update()
    finally:
        command.close()


def _connection_error(dsn: Dsn, kind: str, message: str) -> str:
    if kind in _DBC_DRIVERS.values() and ("Could not load" in message or "NOT_FOUND" in message):
        return (
            f"{dsn.shown}: expected an ADBC driver for {kind}, found none. PyPI has no wheel "
            f"of it: `pip install dbc`, then `dbc install {kind}` installs one. "
            "Without it, export the query to CSV, TSV or Parquet and build from that file, as "
            "docs/sources.md (Query) shows"
        )
    return f"{dsn.shown}: cannot connect to the database: {message}"


def _query_error(dsn: Dsn, message: str) -> QueryError:
    message = dsn.without_secrets(message)
    return QueryError(f"{dsn.shown}: the query cannot be answered: {message}")
