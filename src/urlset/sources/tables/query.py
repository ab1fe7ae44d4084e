"""Source that runs a query in a database: PostgreSQL, SQLite, DuckDB, or another ADBC driver."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from typing import Any, ClassVar
from urllib.parse import parse_qsl, unquote

from urlset.arrow import open_schema, open_stream
from urlset.arrow.streams import table_of
from urlset.errors import QueryError, SourceError
from urlset.sources.candidates import SourceType
from urlset.sources.tables.column_plan import parse_mapping
from urlset.sources.tables.table import Table, map_batches
from urlset.store import QUERY_S


class Query:
    """The rows of a query as candidates, streamed from the database.

    ``connection`` is a URL: ``postgresql://user@host/name``, ``sqlite:///pages.db``,
    ``duckdb:///pages.duckdb`` (four slashes for an absolute path), ``mysql://…``; or ``env:NAME``,
    for the URL in an environment variable. ``mapping`` and ``keep`` are those of
    :class:`urlset.sources.Table`. The query is run read-only. Neither ``name`` nor any message
    contains the password. A query of a SQLite or DuckDB file may take ``timeout_s`` seconds (None
    for no limit); a server applies its own settings.

    The drivers are those of ADBC. For PostgreSQL, Snowflake, BigQuery and Flight SQL they are PyPI
    packages (``adbc-driver-postgresql`` is a dependency of ``urlset[sql]``). MySQL, MariaDB and SQL
    Server have none there: ``pip install 'urlset[sql]' dbc`` and ``dbc install mysql`` (or
    ``mssql``) install the driver. Without a driver, the client of the database can export a file
    with tabs between the cells, which any build reads. Times without a zone are in the zone of the
    session, so the command sets it:

    ``mysql --batch --init-command="SET time_zone = '+00:00'" --execute="SELECT url AS loc,
    ifnull(date_format(updated_at, '%Y-%m-%dT%TZ'), '') AS lastmod FROM page" shop > pages.tsv``

    or DuckDB, with its extension, writes a Parquet file:
    ``duckdb -c "INSTALL mysql; LOAD mysql; ATTACH 'host=db.example user=ann database=shop' AS shop
    (TYPE mysql, READ_ONLY); COPY (SELECT url AS loc FROM shop.page) TO 'pages.parquet'"``.

    Raises :class:`urlset.SourceError` if there is no driver or no connection, and
    :class:`urlset.QueryError` if the query fails.

    >>> Query("postgresql://ann:secret@db.example/shop", "SELECT url FROM pages").name
    'postgresql://ann@db.example/shop'
    """

    source_type: ClassVar[SourceType] = "query"

    def __init__(
        self,
        connection: str,
        sql: str,
        *,
        mapping: Mapping[str, str] | str | None = None,
        keep: Sequence[str] = (),
        name: str | None = None,
        environment: Mapping[str, str] = os.environ,
        timeout_s: float | None = QUERY_S,
    ):
        self._dsn = Dsn(connection, environment)
        self.name: str = name or self._dsn.shown
        self.failures: list[str] = []
        self.notes: list[str] = []
        self._sql = sql
        self._mapping = parse_mapping(mapping) if isinstance(mapping, str) else mapping or {}
        self._keep = keep
        self._timeout_s = timeout_s

    def check(self) -> None:
        """Check the query without reading rows, if the driver can; raise its errors."""
        if self._dsn.scheme in ("sqlite", "duckdb"):
            self._table().check()
            return
        schema = adbc_schema(self._dsn, self._sql)
        if schema is not None:
            self._expect_different_names(schema)
            empty = table_of(schema)
            list(map_batches((), self.name, self._mapping, self._keep, empty=empty, notes=[]))

    def batches(self) -> Iterator[Any]:
        """Yield record batches with columns of candidates."""
        if self._dsn.scheme in ("sqlite", "duckdb"):
            file = self._table()
            file.notes = self.notes
            yield from file.batches()
            return
        rows = adbc_batches(self._dsn, self._sql)
        schema = next(rows)
        self._expect_different_names(schema)
        empty = table_of(schema)
        try:
            yield from map_batches(
                rows, self.name, self._mapping, self._keep, empty=empty, notes=self.notes
            )
        finally:
            rows.close()  # type: ignore[attr-defined] # a generator

    def _expect_different_names(self, schema: Any) -> None:
        duplicates = [name for name, count in Counter(schema.names).items() if count > 1]
        if duplicates:
            raise QueryError(
                f"{self.name}: expected unique column names, found {duplicates[0]!r} twice"
            )

    def _table(self) -> Table:
        return Table(
            self._dsn.path,
            mapping=self._mapping,
            keep=self._keep,
            query=self._sql,
            form="sqlite" if self._dsn.scheme == "sqlite" else "duckdb",
            name=self.name,
            query_timeout_s=self._timeout_s,
        )


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

    Raises SourceError without a driver or a connection, QueryError if the query fails or changes
    data.
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
    """Import the ADBC driver for a database; return the kind, the driver and the manager."""
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


_URL = re.compile(r"(?P<scheme>[A-Za-z][A-Za-z0-9+.-]*)://(?P<rest>.*)", re.DOTALL)
_PUBLIC = ("dbname", "host", "port", "sslmode", "user", "application_name", "connect_timeout")

_DIALECTS = ("postgresql", "postgres", "mysql", "mariadb", "mssql", "sqlite", "snowflake")


class Dsn:
    """URL of a database, or ``env:NAME`` for the URL in an environment variable.

    Attributes:
        url: The complete URL, for the driver only. The driver in a URL of SQLAlchemy
            (``postgresql+psycopg://``) is removed.
        shown: The URL for messages: without password, and without the part after ``?``; or
            ``env:NAME``.
        scheme: The scheme of the URL, in lower case.
        path: The path of the file, of SQLite and DuckDB.

    Raises:
        urlset.SourceError: The text is neither, or the variable is empty.

    >>> Dsn("postgresql://ann:secret@db.example/shop?sslmode=require").shown
    'postgresql://ann@db.example/shop'
    """

    def __init__(self, text: str, environment: Mapping[str, str] = os.environ):
        self._text = text
        name = text.removeprefix("env:") if text.startswith("env:") else None
        url = text if name is None else environment.get(name, "")
        found = _URL.fullmatch(url.strip())
        if name is not None and not url:
            raise SourceError(
                f"expected the URL of a database in the variable {name}, found nothing there"
            )
        where = "" if name is None else f" in the variable {name}"
        if found is None:
            raise SourceError(
                f"expected the URL of a database (postgresql://user@host/name){where}, "
                "found other text"
            )
        # SQLAlchemy names the driver, too: postgresql+psycopg://, mysql+pymysql://.
        scheme, plus, driver = found["scheme"].lower().partition("+")
        is_dialect = plus and scheme in _DIALECTS
        self.scheme: str = scheme if is_dialect else scheme + plus + driver
        self.url: str = f"{scheme}://{found['rest']}" if is_dialect else url.strip()
        authority, _, query = found["rest"].partition("?")
        account, at, host = authority.rpartition("@")
        user, _, password = account.partition(":")
        is_ambiguous = "@" in query and re.search(r":\D*\Z", authority) is not None
        if is_ambiguous or re.search(r"[@/#\[\]]", account):
            # A driver would read a part of the password as the host, and show it in its errors.
            raise SourceError(
                "expected the URL of a database with a percent-encoded password "
                f"(@ as %40, / as %2F, ? as %3F), found one that is not encoded{where}"
            )
        self.path: str = host.partition("/")[2] if self.scheme in ("sqlite", "duckdb") else ""
        url_shown = f"{self.scheme}://{user}{at}{host}"
        self.shown: str = url_shown if name is None else text
        secrets = {password, unquote(password)}
        for key, value in parse_qsl(query, keep_blank_values=True):
            if key.lower() not in _PUBLIC:
                secrets |= {value}
        self._secrets = sorted((part for part in secrets if part), key=len, reverse=True)

    def __repr__(self) -> str:
        return f"Dsn({self.shown!r})"

    def without_secrets(self, message: str) -> str:
        """Return a message of the driver on one line, without the URL and its secrets."""
        for secret in (self._text, self.url, *self._secrets):
            message = message.replace(secret, "…")
        return " ".join(message.split())
