"""Read entries of a Parquet file, of urlset or of another program, with what it cannot use."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import duckdb

from urlset.arrow import open_stream
from urlset.arrow.streams import LazyStream, as_entries
from urlset.errors import SourceError
from urlset.store.connection import connect
from urlset.store.duckdb_errors import file_reason, first_line
from urlset.store.external import identifier, pattern_of
from urlset.store.schema import TABLES
from urlset.store.store import StoredRows

_ENTRIES = next(table for table in TABLES if table.name == "entries")

_INSTANTS = ("DATE", "TIMESTAMP")
"""How the types of dates begin that are converted without a loss."""

_ADVICE = "`urlset build` converts such columns"


class ParquetEntries(NamedTuple):
    """Rows of a Parquet file that have a URL, and the number of the others."""

    rows: StoredRows
    dropped: int


def parquet_entries(path: str) -> ParquetEntries:
    """Return the entries of a Parquet file with a column ``loc`` or ``url``, read on iteration.

    A file that another program wrote, with types that are converted row by row, is read once here,
    so that all its rows can be converted later. Rows without a URL, or with a blank one, are left
    out.

    Raises SourceError if the file cannot be read, has no such column, or has values that are none
    of an entry.
    """
    connection = connect()
    query = f"FROM read_parquet({pattern_of(path)}, hive_partitioning = false)"
    dropped = 0
    try:
        columns = _types(connection, query)
        if "loc" not in columns and "url" not in columns:
            raise SourceError(
                f"expected a column loc or url in {path!r}, found {', '.join([*columns][:10])}"
            )
        expected = _entry_columns()
        if columns != expected:
            url = identifier("loc" if "loc" in columns else "url")
            filled = f"coalesce(trim({url}::VARCHAR, E' \\t\\r\\n') <> '', false)"
            date = identifier("lastmod") if "lastmod" in columns else "NULL"
            [(dropped, dates)] = connection.execute(
                f"SELECT count(*) FILTER (NOT {filled}), count({date}) {query}"
            ).fetchall()
            if dates:
                _expect_dates(columns["lastmod"], path)
            query += f" WHERE {filled}" if dropped else ""
        [(count,)] = connection.execute(f"SELECT count(*) {query}").fetchall()
    except duckdb.Error as error:
        raise SourceError(
            f"expected a Parquet file, found {path!r}: {first_line(error)}"
        ) from error
    rows = StoredRows(lambda: connection.cursor().sql(query), count, path)
    if _may_fail(columns, expected):
        _expect_values(as_entries(connection.cursor().sql(query)), path)
    return ParquetEntries(rows, dropped)


def parquet_columns(path: str) -> dict[str, str]:
    """Return names and DuckDB types of the columns of a Parquet file; none if it is unreadable."""
    query = f"FROM read_parquet({pattern_of(path)}, hive_partitioning = false)"
    with connect() as connection:
        try:
            return _types(connection, query)
        except duckdb.Error:
            return {}  # reading it reports the error


def is_entry_parquet(path: str) -> bool:
    """Return whether a Parquet file has the columns of ``entries``, as urlset writes it."""
    return has_entry_columns(parquet_columns(path))


def has_entry_columns(columns: Mapping[str, str]) -> bool:
    """Return whether columns, with their DuckDB types, are those that urlset writes."""
    return columns == _entry_columns()


def _entry_columns() -> dict[str, str]:
    """Return names and DuckDB types of the columns that urlset writes."""
    keys = ("document", "entry")
    casts = ", ".join(
        f'NULL::{column.type} AS "{column.name}"'
        for column in _ENTRIES.columns
        if column.name not in keys
    )
    with connect() as connection:
        return _types(connection, f"SELECT {casts}")


def _may_fail(columns: Mapping[str, str], expected: Mapping[str, str]) -> bool:
    """Return whether a value of some column may be none of an entry."""
    return any(
        kind != expected.get(name, kind) and not (name == "lastmod" and kind.startswith(_INSTANTS))
        for name, kind in columns.items()
    )


def _types(connection: duckdb.DuckDBPyConnection, query: str) -> dict[str, str]:
    return {row[0]: row[1] for row in connection.execute(f"DESCRIBE {query}").fetchall()}


def _expect_dates(kind: str, path: str) -> None:
    """Raise SourceError for numbers as dates: they would be taken for microseconds."""
    if kind != "VARCHAR" and not kind.startswith(_INSTANTS):
        raise SourceError(
            f"expected dates or text in the column lastmod of {path!r}, found {kind}; cast it first"
        )


def _expect_values(flow: LazyStream, path: str) -> None:
    """Raise SourceError if a row cannot be converted to an entry."""
    try:
        for _ in open_stream(flow):
            pass
    except Exception as error:
        found = flow.failure
        if type(error) is not Exception and found is None:  # arro3 raises bare ones
            raise
        words = file_reason(error) if found is None else str(found)
        raise SourceError(f"cannot read the entries of {path!r}: {words}; {_ADVICE}") from error
