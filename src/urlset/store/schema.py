"""Schema of the store: its tables, views and SQL macros, and the statements that create them.

Columns of entries, documents, sitemaps and problems come from :mod:`urlset.fields`; other columns
are declared here. The descriptions are also stored in the file, as comments that
``duckdb_columns()`` shows.
"""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Iterator, Mapping
from typing import NamedTuple

from urlset.fields import (
    DOCUMENT,
    ENTRY,
    PROBLEM,
    RECORDS,
    SITEMAP,
    STORE_VERSION,
    Field,
    RecordSchema,
)
from urlset.registry import provided
from urlset.store.sections import FIRST_FOLDER


class Column(NamedTuple):
    """Column: name, DuckDB type, and description."""

    name: str
    type: str
    doc: str


class TableSchema(NamedTuple):
    """Table: name, description of a row, and columns."""

    name: str
    doc: str
    columns: tuple[Column, ...]

    @classmethod
    def of(cls, name: str, doc: str, columns: str) -> TableSchema:
        """Create a table schema from lines of three cells, separated by ``|``.

        >>> TableSchema.of("tea", "A cup.", "kind | VARCHAR | What is in it.").columns[0].type
        'VARCHAR'
        """
        cells = (line.split("|") for line in columns.strip().splitlines())
        return cls(name, doc, tuple(Column(*(cell.strip() for cell in row)) for row in cells))


_SQL_TYPES: dict[str, str] = {
    "string": "VARCHAR",
    "instant": "TIMESTAMPTZ",
    "number": "DOUBLE",
    "integer": "BIGINT",
    "uint64": "UBIGINT",
    "uint32": "UINTEGER",
    "flag": "BOOLEAN",
}


def _sql_type(field: Field) -> str:
    """Return the SQL type of a field; a record is a struct of its fields."""
    made = _SQL_TYPES.get(field.type)
    if made is None:
        inner = (f"{part.name} {_sql_type(part)}" for part in RECORDS[field.type].fields)
        made = f"STRUCT({', '.join(inner)})"
    return f"{made}[]" if field.is_list else made


def _columns(record: RecordSchema) -> str:
    """Return the fields of a record as lines of :meth:`TableSchema.of`."""
    return "\n".join(f"{f.name} | {_sql_type(f)} | {f.meaning}" for f in record.fields)


SITEMAPS = "STRUCT(url VARCHAR, line UINTEGER)[]"

TABLES = (
    TableSchema.of(
        "documents",
        "One row per document found, including documents that could not be read.",
        _columns(DOCUMENT),
    ),
    TableSchema.of(
        "entries",
        "One row per URL that a document lists, in document order; `document` and `entry` identify a row.",
        f"""
        document       | UINTEGER    | number of the document that lists it
        entry          | UINTEGER    | number of the entry in the document, from 1; filtered entries are counted
        {_columns(ENTRY)}
        """,
    ),
    TableSchema.of(
        "sitemaps",
        "One row per sitemap that an index lists, in index order; `document` and `sitemap` identify a row.",
        f"""
        document       | UINTEGER    | number of the index document
        sitemap        | UINTEGER    | number of the sitemap in the index, from 1
        {_columns(SITEMAP)}
        """,
    ),
    TableSchema.of(
        "problems",
        "One row per problem that was repaired or skipped when a document or a robots.txt was read.",
        f"""
        document       | UINTEGER    | number of the document; null for a robots.txt
        source         | VARCHAR     | path or URL of the document
        entry          | UINTEGER    | number of the entry that contains it; null if it is outside of entries
        loc            | VARCHAR     | URL of that entry
        {_columns(PROBLEM)}
        """,
    ),
    TableSchema.of(
        "robots",
        "One row per robots.txt that was requested.",
        f"""
        url            | VARCHAR     | URL that was requested
        final_url      | VARCHAR     | URL after redirects
        root           | VARCHAR     | the source given to `read` from which this was found
        state          | VARCHAR     | read, absent or refused (such as 403; everything is allowed) or unreachable (everything is disallowed)
        status         | UINTEGER    | HTTP status; null if there was no response
        size           | UBIGINT     | size in bytes
        text           | VARCHAR     | text that search engines read: the first 512,000 bytes
        sitemaps       | {SITEMAPS} | sitemaps that it declares, as absolute URLs, each with its line, from 1
        crawl_delay_s  | DOUBLE      | crawl delay for this client in seconds; 0 if there is none
        error          | VARCHAR     | why it was not read, or not completely; null if it was
        read_at        | TIMESTAMPTZ | time of reading
        """,
    ),
    TableSchema.of(
        "fetches",
        "One row per URL requested over HTTP: documents, robots.txt, home page, and well-known locations.",
        """
        source         | VARCHAR     | URL that was requested
        root           | VARCHAR     | the source given to `read` from which this was found
        parent         | VARCHAR     | source of the document that names it
        why            | VARCHAR     | robots.txt or home; for a possible sitemap, how it was found: given, robots, link, well-known, feed or index
        url            | VARCHAR     | the final URL
        redirects      | VARCHAR[]   | the URLs before the final one
        status         | UINTEGER    | HTTP status; null if there was no response
        wire_size      | UBIGINT     | bytes of the body that were transferred
        is_whole       | BOOLEAN     | false if a part is missing
        is_from_cache  | BOOLEAN     | whether the copy in `--cache` was still current
        attempts       | UINTEGER    | number of attempts
        started        | TIMESTAMPTZ | start of the last attempt
        seconds        | DOUBLE      | duration of the last attempt
        first_byte_s   | DOUBLE      | seconds until the response headers arrived
        content_type   | VARCHAR     | header of that name
        etag           | VARCHAR     | header of that name
        last_modified  | VARCHAR     | header of that name
        error          | VARCHAR     | kind of failure, such as timeout or status; null if there was none
        message        | VARCHAR     | description of the failure
        read_at        | TIMESTAMPTZ | time of the response
        """,
    ),
)


class View(NamedTuple):
    """Named view: name, description, and query."""

    name: str
    doc: str
    query: str


class StoreSchema(NamedTuple):
    """Tables and views that a verb adds to a store; :mod:`urlset.registry` has all of them.

    Attributes:
        tables: The tables. A store has the schema if it has the first one.
        views: The views.
        replaced_view: View of a store without the schema whose name one of the tables takes.
        is_inspected: Whether a store is refused if one of the tables has other columns.
    """

    tables: tuple[TableSchema, ...]
    views: tuple[View, ...] = ()
    replaced_view: str | None = None
    is_inspected: bool = True

    def is_in(self, existing: Container[str]) -> bool:
        """Return whether a store with tables of these names has the schema."""
        return self.tables[0].name in existing

    def statements(self, existing: Mapping[str, Collection[str]]) -> Iterator[str]:
        """Yield the SQL statements that add missing tables, columns and views to a store.

        ``existing`` has the names of columns by table of the store.
        """
        is_new = not self.is_in(existing)
        if is_new and self.replaced_view is not None:
            yield f"DROP VIEW IF EXISTS {self.replaced_view}"
        yield from addition_statements(self.tables, existing)
        if is_new:
            yield from view_statements(self.views)


def added_schemas() -> tuple[StoreSchema, ...]:
    """Return the schemas that packages above this one add to stores."""
    return tuple(schema for schemas in provided("STORE_SCHEMAS") for schema in schemas)


class Macro(NamedTuple):
    """SQL macro that every store contains: name with parameters, body, and description."""

    head: str
    body: str
    doc: str


VIEWS = (
    View(
        "children",
        "Each sitemap that an index lists, with the document read from it.",
        "SELECT sitemaps.*, documents.document AS child, documents.kind, documents.entry_count, "
        "documents.error, documents.skipped, documents.same_as FROM sitemaps "
        "LEFT JOIN documents ON documents.loc = sitemaps.loc",
    ),
    View(
        "links",
        "Each alternate version of a page (hreflang) that an entry lists.",
        'SELECT document, entry, loc, source, "offset", line, '
        "unnest(alternates, max_depth := 2) FROM entries WHERE len(alternates) > 0",
    ),
)

_ORIGIN = r"^[a-zA-Z][a-zA-Z0-9+.-]*://"

MACROS = (
    Macro(
        "url_host(loc)",
        rf"lower(nullif(regexp_extract(loc, "
        rf"'{_ORIGIN}(?:[^/?#]*@)?(\[[^\]/?#]*\]|[^/?#:]*)', 1), ''))",
        "host in lower case, without user and port",
    ),
    Macro(
        "url_path(loc)",
        f"CASE WHEN regexp_matches(loc, '{_ORIGIN}') THEN "
        f"coalesce(nullif(regexp_extract(loc, '{_ORIGIN}[^/?#]*([^?#]*)', 1), ''), '/') END",
        "path; `/` if it is empty",
    ),
    Macro(
        "url_section(loc)",
        f"CASE WHEN regexp_matches(loc, '{_ORIGIN}') THEN {FIRST_FOLDER} END",
        "section: the first folder of the path, `/blog/` of `/blog/rye`; `/` for files at the root",
    ),
    Macro(
        "url_folder(loc)",
        f"nullif(regexp_extract(loc, '{_ORIGIN}[^/?#]*') || coalesce(nullif("
        f"regexp_extract(loc, '{_ORIGIN}[^/?#]*(/(?:[^?#]*/)?)', 1), ''), '/'), '/')",
        "URL up to the last `/` of the path; a sitemap may list URLs below its folder",
    ),
    Macro(
        "url_query(loc)",
        r"nullif(regexp_extract(loc, '^[^?#]*\?([^#]*)', 1), '')",
        "query, without its `?`",
    ),
)


def statements(*, with_comments: bool = True) -> Iterator[str]:
    """Yield the SQL statements that create an empty store.

    Comments take four fifths of the time; ``with_comments=False`` skips them.
    """
    macros = [f"CREATE MACRO {macro.head} AS {macro.body}" for macro in MACROS]
    for statement in (*addition_statements(TABLES, {}), *macros, *view_statements(VIEWS)):
        if with_comments or not statement.startswith("COMMENT"):
            yield statement
    # Last, in one transaction with all others: a file that has this table is a complete store.
    yield "CREATE TABLE urlset_store (version UINTEGER)"
    yield f"INSERT INTO urlset_store VALUES ({STORE_VERSION})"


def addition_statements(
    tables: Iterable[TableSchema], existing: Mapping[str, Collection[str]]
) -> Iterator[str]:
    """Yield the SQL statements that add missing tables and columns to a store.

    ``existing`` has the names of columns by table of the store.
    """
    for table in tables:
        columns = ", ".join(f'"{column.name}" {column.type}' for column in table.columns)
        if table.name not in existing:
            yield f"CREATE TABLE {table.name} ({columns})"
            yield f"COMMENT ON TABLE {table.name} IS {quoted_text(table.doc)}"
        for column in table.columns:
            if column.name in existing.get(table.name, ()):
                continue
            if table.name in existing:  # created by an earlier version
                yield f'ALTER TABLE {table.name} ADD COLUMN "{column.name}" {column.type}'
            text = quoted_text(column.doc)
            yield f'COMMENT ON COLUMN {table.name}."{column.name}" IS {text}'


def view_statements(views: Iterable[View]) -> Iterator[str]:
    """Yield the SQL statements that create views with their comments."""
    for view in views:
        yield f"CREATE VIEW {view.name} AS {view.query}"
        yield f"COMMENT ON VIEW {view.name} IS {quoted_text(view.doc)}"


def quoted_text(text: str) -> str:
    """Return text as an SQL string literal."""
    return "'" + text.replace("'", "''") + "'"
