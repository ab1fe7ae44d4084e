"""Inspect DuckDB files of unknown origin before their tables are used."""

from __future__ import annotations

from functools import cache

import duckdb

from urlset.errors import StoreError
from urlset.store.history_schema import HISTORY_TABLES
from urlset.store.live_schema import LIVE_TABLES, LIVE_VIEWS, REPLACED_VIEW, live_statements
from urlset.store.schema import TABLES, VIEWS, addition_statements, statements

__all__ = ["columns_of", "expect_plain_tables", "unknown_objects"]

_OBJECTS = """
    SELECT 'view' AS kind, schema_name, view_name AS name, sql AS text
    FROM duckdb_views() WHERE database_name = '{0}' AND NOT internal
    UNION ALL SELECT 'macro', schema_name, function_name,
        concat_ws(' ', function_type, parameters, macro_definition)
    FROM duckdb_functions() WHERE database_name = '{0}' AND NOT internal
    UNION ALL SELECT 'trigger', schema_name, trigger_name, sql
    FROM duckdb_triggers() WHERE database_name = '{0}'
    UNION ALL SELECT 'computed column', schema_name, table_name || '.' || column_name, ''
    FROM duckdb_columns() WHERE database_name = '{0}' AND NOT internal
    AND column_default IS NOT NULL AND table_name NOT IN (
        SELECT view_name FROM duckdb_views() WHERE database_name = '{0}')
    UNION ALL SELECT 'type', schema_name, type_name, '' FROM duckdb_types()
    WHERE database_name = '{0}' AND NOT internal
    ORDER BY ALL"""
_COLUMNS = """
    SELECT table_name, list(column_name || ' ' || data_type ORDER BY column_index)
    FROM duckdb_columns() WHERE database_name = '{0}' AND schema_name = 'main' AND NOT internal
    GROUP BY table_name"""


def expect_plain_tables(connection: duckdb.DuckDBPyConnection, database: str, path: str) -> None:
    """Raise :class:`urlset.StoreError` for a file with anything but tables with stored rows.

    DuckDB would run a view, macro, trigger or computed column when a table is read or written.
    """
    for kind, _, name, _ in connection.execute(_OBJECTS.format(database)).fetchall():
        raise StoreError(
            f"expected a file with tables only, found a {kind} {name!r} in {path!r}, which "
            "urlset did not create; remove it",
            failure="other-file",
        )


def columns_of(connection: duckdb.DuckDBPyConnection, database: str) -> dict[str, list[str]]:
    """Return the column names of the tables and views of a database, by name of the table."""
    return dict(
        connection.execute(
            "SELECT table_name, list(column_name) FROM duckdb_columns() WHERE database_name = ? "
            "AND schema_name = 'main' AND NOT internal GROUP BY table_name",
            [database],
        ).fetchall()
    )


def unknown_objects(
    connection: duckdb.DuckDBPyConnection, database: str, path: str
) -> frozenset[str]:
    """Return the names, in lower case, of views and macros that urlset did not create.

    Raises:
        StoreError: A table, view or macro of the store differs from that of urlset, or the file
            has a trigger, a type or a computed column.
    """
    found = _objects(connection, database)
    found_columns = dict(connection.execute(_COLUMNS.format(database)).fetchall())
    is_live = LIVE_TABLES[0].name in found_columns
    has_history = HISTORY_TABLES[0].name in found_columns
    ours, columns = _expected(duckdb.__version__, is_live=is_live, has_history=has_history)
    changed = [key[2] for key, text in ours.items() if found.get(key) != text]
    changed += [
        table.name for table in TABLES if found_columns.get(table.name) != columns[table.name]
    ]
    names = {view.name for view in VIEWS} | {table.name for table in TABLES}
    optional = (*(LIVE_TABLES if is_live else ()), *(HISTORY_TABLES if has_history else ()))
    # Columns may be missing: an earlier version created the tables.
    changed += [
        table.name
        for table in optional
        if not {*found_columns.get(table.name, ["?"])} <= {*columns[table.name]}
    ]
    names |= {table.name for table in optional}
    if is_live:
        names |= {view.name for view in LIVE_VIEWS}
        names.discard(REPLACED_VIEW)
    changed += [
        name for kind, _, name in found.keys() - ours.keys() if _is_in_the_way(kind, name, names)
    ]
    if changed:
        raise StoreError(
            f"expected a urlset store, found that {', '.join(sorted(set(changed))[:5])} in "
            f"{path!r} differs from what urlset creates; read the sitemaps again into a new file"
        )
    return frozenset(name.lower() for _, _, name in found.keys() - ours.keys())


@cache
def _expected(
    _version: str, *, is_live: bool, has_history: bool
) -> tuple[dict[tuple[str, str, str], str], dict[str, list[str]]]:
    """Return the views, macros and columns of an empty store, as DuckDB prints them."""
    with duckdb.connect() as connection:
        connection.execute("ATTACH ':memory:' AS expected")
        connection.execute("USE expected")
        live = live_statements({}) if is_live else ()
        history = addition_statements(HISTORY_TABLES, {}) if has_history else ()
        for statement in (*statements(with_comments=False), *live, *history):
            connection.execute(statement)
        columns = connection.execute(_COLUMNS.format("expected")).fetchall()
        return _objects(connection, "expected"), dict(columns)


def _is_in_the_way(kind: str, name: str, ours: set[str]) -> bool:
    return kind in ("trigger", "computed column", "type") or name.lower() in ours


def _objects(
    connection: duckdb.DuckDBPyConnection, database: str
) -> dict[tuple[str, str, str], str]:
    rows = connection.execute(_OBJECTS.format(database)).fetchall()
    return {(kind, schema, name): text for kind, schema, name, text in rows}
