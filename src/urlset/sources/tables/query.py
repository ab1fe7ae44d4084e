"""Source that runs a query in a database: PostgreSQL, SQLite, DuckDB, or another ADBC driver."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from urlset.arrow.ipc import table_of
from urlset.errors import QueryError
from urlset.sources.candidates import SourceType
from urlset.sources.tables.adbc import adbc_batches, adbc_schema
from urlset.sources.tables.column_plan import parse_mapping
from urlset.sources.tables.dsn import Dsn
from urlset.sources.tables.table import Table, map_batches
from urlset.store import QUERY_S

__all__ = ["Query"]


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
        self.name = name or self._dsn.shown
        self.failures: list[str] = []
        self.notes: list[str] = []
        self._sql = sql
        self._mapping = parse_mapping(mapping) if isinstance(mapping, str) else mapping or {}
        self._keep = keep
        self._timeout_s = timeout_s

    def check(self) -> None:
        """Raise what :meth:`batches` would raise before the first row, if the driver can."""
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
        duplicates = [name for name in schema.names if schema.names.count(name) > 1]
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
