"""What an empty store is made of: the tables, and what is asked of them often.

The words stand in the file itself, too, as comments that ``duckdb_columns()`` shows.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from urlset.store.tables import TABLES, VERSION

__all__ = ["MACROS", "VIEWS", "Macro", "View", "statements"]


class View(NamedTuple):
    """A query that is asked often, under a name of its own."""

    name: str
    doc: str
    query: str


class Macro(NamedTuple):
    """A function in SQL that a store brings along: its name with parameters, and its body."""

    head: str
    body: str
    doc: str


VIEWS = (
    View(
        "children",
        "Each sitemap that an index lists, with the document that came of it.",
        "SELECT sitemaps.*, documents.document AS child, documents.kind, documents.entry_count, "
        "documents.error, documents.skipped, documents.same_as FROM sitemaps "
        "LEFT JOIN documents ON documents.loc = sitemaps.loc",
    ),
    View(
        "links",
        "Each other version of a page (hreflang) that an entry names.",
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
        "path, `/` where it is empty",
    ),
    Macro(
        "url_section(loc)",
        f"nullif(regexp_extract(loc, '{_ORIGIN}[^/?#]*/([^/?#]*)', 1), '')",
        "first part of the path: `blog` of `/blog/rye`; null for the home page",
    ),
    Macro(
        "url_folder(loc)",
        f"nullif(regexp_extract(loc, '{_ORIGIN}[^/?#]*') || coalesce(nullif("
        f"regexp_extract(loc, '{_ORIGIN}[^/?#]*(/(?:[^?#]*/)?)', 1), ''), '/'), '/')",
        "all up to the last `/` of the path: below it lies what a sitemap may list",
    ),
    Macro(
        "url_query(loc)",
        r"nullif(regexp_extract(loc, '^[^?#]*\?([^#]*)', 1), '')",
        "query, without its `?`",
    ),
)


def statements(*, with_comments: bool = True) -> Iterator[str]:
    """The SQL that makes an empty store; comments take four fifths of the time."""
    return (s for s in _statements() if with_comments or not s.startswith("COMMENT"))


def _statements() -> Iterator[str]:
    for table in TABLES:
        columns = ", ".join(f'"{column.name}" {column.type}' for column in table.columns)
        yield f"CREATE TABLE {table.name} ({columns})"
        yield f"COMMENT ON TABLE {table.name} IS {_quoted(table.doc)}"
        for column in table.columns:
            yield f'COMMENT ON COLUMN {table.name}."{column.name}" IS {_quoted(column.doc)}'
    for macro in MACROS:
        yield f"CREATE MACRO {macro.head} AS {macro.body}"
    for view in VIEWS:
        yield f"CREATE VIEW {view.name} AS {view.query}"
        yield f"COMMENT ON VIEW {view.name} IS {_quoted(view.doc)}"
    # Last, in one transaction with all the others: a file that has it is a store, and whole.
    yield "CREATE TABLE urlset_store (version UINTEGER)"
    yield f"INSERT INTO urlset_store VALUES ({VERSION})"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
