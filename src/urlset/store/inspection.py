"""Inspect DuckDB files of unknown origin before their tables are used.

The inspection runs in a cursor of its own, whose current database is in memory. In the database of
the file, a macro ``list`` or ``duckdb_functions`` of the file would replace that of DuckDB.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import duckdb

from urlset.errors import StoreError
from urlset.store.schema import TABLES, VIEWS, StoreSchema, added_schemas, statements

CLOSED: dict[str, str | bool | int | float | list[str]] = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "allow_persistent_secrets": "false",
}
"""Settings of each connection: nothing is downloaded, nor loaded from the home folder."""

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
_KNOWN_FILES = (
    (
        {"announcements", "settings"},
        "the record of announcements",
        "; only `urlset submit` reads it",
    ),
    (
        {"files", "indexes", "orphans", "settings", "urls"},
        "the ledger of `urlset build`",
        "; to read what was published, name the folder of the sitemaps",
    ),
    ({"urlset_store"}, "a urlset store", ""),
)
"""Tables of DuckDB files that urlset writes, what the file is, and advice to those who read it."""
_SHADOWS = """
    SELECT table_name FROM (
        SELECT table_name FROM duckdb_tables() WHERE database_name = '{0}'
        UNION ALL SELECT view_name FROM duckdb_views() WHERE database_name = '{0}' AND NOT internal)
    WHERE lower(table_name) IN (SELECT lower(view_name) FROM duckdb_views() WHERE internal)
    UNION SELECT schema_name FROM duckdb_schemas() WHERE database_name = '{0}' AND NOT internal
    AND lower(schema_name) IN (SELECT lower(database_name) FROM duckdb_databases())"""
_TABLES = "SELECT table_name FROM duckdb_tables() WHERE database_name = '{}'"
_FUNCTIONS = "SELECT DISTINCT lower(function_name) FROM duckdb_functions() WHERE internal"
_REQUIRED = {
    "documents": "document entry_count sitemap_count problem_count unreadable_count",
    "entries": "document entry loc",
    "sitemaps": "document sitemap loc",
    "problems": "rule code level message offset end line column",
}
"""Columns that have a value in each row. DuckDB knows from its statistics whether one has none."""

_MISSING = " UNION ALL ".join(
    f"SELECT '{table}', '{name}' FROM {{0}}.main.{table} WHERE \"{name}\" IS NULL"
    for table, names in _REQUIRED.items()
    for name in names.split()
)
_MISSING_KIND = (
    "SELECT 'documents', 'kind' FROM {0}.main.documents "
    "WHERE kind IS NULL AND (entry_count > 0 OR sitemap_count > 0)"
)
_COLUMNS = """
    SELECT table_name, list(column_name || ' ' || data_type ORDER BY column_index)
    FROM duckdb_columns() WHERE database_name = '{0}' AND schema_name = 'main' AND NOT internal
    GROUP BY table_name"""


Objects = dict[tuple[str, str, str], str]
"""Text of each view, macro, trigger … of a database, by its kind, schema and name."""


def has_tables(connection: duckdb.DuckDBPyConnection, database: str) -> bool:
    """Return whether a database has tables; this is quick, other than :func:`objects_of`."""
    return bool(_rows(connection, f"{_TABLES.format(database)} LIMIT 1"))


def objects_of(connection: duckdb.DuckDBPyConnection, database: str) -> Objects:
    """Return the objects of a database other than tables.

    It lists all functions of DuckDB: 15 ms, which is more than the rest of an inspection.
    """
    rows = _rows(connection, _OBJECTS.format(database))
    return {(kind, schema, name): text for kind, schema, name, text in rows}


def version_of(
    connection: duckdb.DuckDBPyConnection, database: str, objects: Objects
) -> list[Any] | None:
    """Return the version that a store states, in a list; None if the file is no store.

    It is read from a stored table: a view of that name would run SQL of the file.
    """
    columns = dict(_rows(connection, _COLUMNS.format(database)))
    others = {name for _, _, name in objects}
    is_table = "urlset_store" in _table_names(connection, database)
    if not is_table or "urlset_store.version" in others:
        return None
    if "version UINTEGER" not in columns["urlset_store"]:
        return None
    rows = _rows(connection, f"SELECT version FROM {database}.main.urlset_store LIMIT 1")
    return [row[0] for row in rows]


def described(
    connection: duckdb.DuckDBPyConnection, database: str, path: str, *, is_read: bool = True
) -> str:
    """Describe another DuckDB file than expected: by who wrote it, or by its tables.

    ``is_read`` is whether it was to be read, not to be written. The description ends with the path
    and, then, with advice.
    """
    tables = sorted(_table_names(connection, database))
    for names, text, advice in _KNOWN_FILES:
        if names <= set(tables):
            return f"{text}: {path!r}{advice if is_read else ''}"
    if tables:
        return f"a DuckDB file with other tables ({', '.join(tables[:5])}): {path!r}"
    return f"a DuckDB file with no tables: {path!r}"


class FileKind(NamedTuple):
    """Kind of a DuckDB file that urlset writes.

    Attributes:
        noun: What it is, for messages.
        schema: How the names of its schemas begin.
        table: Table that is created first in each of its schemas.
        advice: What to do with a file of another kind, for messages.
    """

    noun: str
    schema: str
    table: str
    advice: str = "name another file"


def expect_kind(
    connection: duckdb.DuckDBPyConnection, database: str, path: str, kind: FileKind
) -> None:
    """Raise :class:`urlset.StoreError` for a file with tables, and none of its kind.

    Tables of urlset must not be added to a file of another program, or for another purpose.
    """
    tables = _rows(
        connection,
        f"SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = '{database}'",
    )
    is_own = any(schema.startswith(kind.schema) and table == kind.table for schema, table in tables)
    if tables and not is_own:
        found = described(connection, database, path, is_read=False)
        raise StoreError(
            f"expected {kind.noun}, found {found}; {kind.advice}", failure="other-file"
        )


def expect_plain_tables(connection: duckdb.DuckDBPyConnection, database: str, path: str) -> None:
    """Raise :class:`urlset.StoreError` for a file with anything but tables with stored rows.

    DuckDB would run a view, macro, trigger or computed column when a table is read or written.
    """
    for kind, _, name in objects_of(connection, database):
        raise StoreError(
            f"expected a file with tables only, found a {kind} {name!r} in {path!r}, which "
            "urlset did not create; remove it",
            failure="other-file",
        )


def expect_values(connection: duckdb.DuckDBPyConnection, database: str, path: str) -> None:
    """Raise :class:`urlset.StoreError` if a store lacks a value that urlset always writes."""
    query = f"{_MISSING} UNION ALL {_MISSING_KIND} LIMIT 1".format(database)
    for table, name in _rows(connection, query):
        raise StoreError(
            f"expected a urlset store, found a row without {name} in the table {table} of "
            f"{path!r}; read the sitemaps again into a new file"
        )


def columns_of(connection: duckdb.DuckDBPyConnection, database: str) -> dict[str, list[str]]:
    """Return the column names of the tables and views of a database, by name of the table."""
    return dict(
        _rows(
            connection,
            "SELECT table_name, list(column_name) FROM duckdb_columns() "
            f"WHERE database_name = '{database}' AND schema_name = 'main' AND NOT internal "
            "GROUP BY table_name",
        )
    )


def unknown_objects(
    connection: duckdb.DuckDBPyConnection, database: str, path: str, found: Objects
) -> frozenset[str]:
    """Return the names, in lower case, of views and macros that urlset did not create.

    Raises StoreError if a table, view or macro of the store differs from that of urlset, or the
    file has a trigger, a type or a computed column. ``found`` is from :func:`objects_of`.
    """
    found_columns = dict(_rows(connection, _COLUMNS.format(database)))
    added = tuple(s for s in added_schemas() if s.is_inspected and s.is_in(found_columns))
    ours, columns = _expected(duckdb.__version__, added)
    changed = [key[2] for key, text in ours.items() if found.get(key) != text]
    changed += [
        table.name for table in TABLES if found_columns.get(table.name) != columns[table.name]
    ]
    macros = {name for kind, _, name in found.keys() - ours.keys() if kind == "macro"}
    changed += _shadows(connection, database, macros)
    names = {view.name for view in VIEWS} | {table.name for table in TABLES}
    optional = [table for schema in added for table in schema.tables]
    # Columns may be missing: an earlier version created the tables.
    changed += [
        table.name
        for table in optional
        if not {*found_columns.get(table.name, ["?"])} <= {*columns[table.name]}
    ]
    names |= {table.name for table in optional}
    for schema in added:
        names |= {view.name for view in schema.views}
        names.discard(schema.replaced_view or "")
    changed += [
        name
        for kind, _, name in found.keys() - ours.keys()
        if kind in ("trigger", "computed column", "type") or name.lower() in names
    ]
    if changed:
        raise StoreError(
            f"expected a urlset store, found that {', '.join(sorted(set(changed))[:5])} in "
            f"{path!r} differs from what urlset creates; read the sitemaps again into a new file"
        )
    return frozenset(name.lower() for _, _, name in found.keys() - ours.keys())


@cache
def _expected(
    _version: str, added: tuple[StoreSchema, ...]
) -> tuple[Objects, dict[str, list[str]]]:
    """Return the views, macros and columns of an empty store, as DuckDB prints them."""
    with duckdb.connect(config=CLOSED) as connection:
        connection.execute("ATTACH ':memory:' AS expected")
        connection.execute("USE expected")
        further = [statement for schema in added for statement in schema.statements({})]
        for statement in (*statements(with_comments=False), *further):
            connection.execute(statement)
        columns = _rows(connection, _COLUMNS.format("expected"))
        return objects_of(connection, "expected"), dict(columns)


def _shadows(connection: duckdb.DuckDBPyConnection, database: str, macros: set[str]) -> list[str]:
    """Return the objects of a database that have the name of a function or view of DuckDB.

    Where the database is the current one, SQL would use them instead. So is a schema with the name
    of a database. ``macros`` are those that urlset did not create.
    """
    names = {name for (name,) in _rows(connection, _SHADOWS.format(database))}
    if macros:
        functions = {name for (name,) in _rows(connection, _FUNCTIONS)}
        names |= {name for name in macros if name.lower() in functions}
    return sorted(names)


def _table_names(connection: duckdb.DuckDBPyConnection, database: str) -> set[str]:
    return {name for (name,) in _rows(connection, _TABLES.format(database))}


def _rows(connection: duckdb.DuckDBPyConnection, query: str) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        return cursor.execute(query).fetchall()
