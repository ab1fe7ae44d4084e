"""The tables of a store, written down: every column with its type and what it means.

The same words stand in the file itself, as comments that ``duckdb_columns()`` shows. Whoever
changes a table changes :data:`VERSION`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

__all__ = ["MACROS", "TABLES", "VERSION", "Column", "Macro", "Table", "statements"]

VERSION = 1
"""Of the tables below; a store of another one is not opened."""


class Column(NamedTuple):
    """One column: its name, its type in DuckDB, and what it means."""

    name: str
    type: str
    doc: str


class Table(NamedTuple):
    """One table: its name, what a row of it is, and its columns."""

    name: str
    doc: str
    columns: tuple[Column, ...]


class Macro(NamedTuple):
    """A function in SQL that a store brings along: its name with parameters, and its body."""

    head: str
    body: str
    doc: str


def _table(name: str, doc: str, columns: str) -> Table:
    cells = (line.split("|") for line in columns.strip().splitlines())
    return Table(name, doc, tuple(Column(*(cell.strip() for cell in row)) for row in cells))


_TEXT = {
    field: f"{field} VARCHAR"
    for field in (
        "loc caption geo_location title license value currency type resolution duration hreflang "
        "href media name language access genres publication_date keywords stock_tickers "
        "show_title video_type episode_title season_number episode_number premier_date"
    ).split()
}


def _struct(fields: str) -> str:
    return f"STRUCT({', '.join(_TEXT.get(name, name) for name in fields.split())})"


IMAGES = f"{_struct('loc caption geo_location title license')}[]"
VIDEOS = f"""STRUCT(
thumbnail_loc VARCHAR, title VARCHAR, description VARCHAR, content_loc VARCHAR,
player_loc VARCHAR, player_loc_allow_embed VARCHAR, player_loc_autoplay VARCHAR,
duration VARCHAR, expiration_date VARCHAR, rating VARCHAR,
content_segments {_struct("loc duration")}[],
view_count VARCHAR, publication_date VARCHAR, tags VARCHAR[], category VARCHAR,
family_friendly VARCHAR, restriction VARCHAR, restriction_relationship VARCHAR,
gallery_loc VARCHAR, gallery_loc_title VARCHAR,
prices {_struct("value currency type resolution")}[],
requires_subscription VARCHAR, uploader VARCHAR, uploader_info VARCHAR,
tvshow {_struct("show_title video_type episode_title season_number episode_number premier_date")},
platform VARCHAR, platform_relationship VARCHAR, live VARCHAR,
ids {_struct("value type")}[])[]""".replace("\n", " ")
NEWS = _struct("name language access genres publication_date title keywords stock_tickers")
ALTERNATES = f"{_struct('hreflang href media')}[]"

TABLES = (
    _table(
        "documents",
        "One row for each file that was met, also where it could not be read.",
        """
        document       | UINTEGER    | number of the document in this store, in the order of reading
        source         | VARCHAR     | its path or URL; null for bytes without a name
        root           | VARCHAR     | what was asked for, and led to it
        parent         | VARCHAR     | the index (or robots.txt) that lists it; null for the first
        kind           | VARCHAR     | urlset, index, text, rss, atom, html, empty or unknown, told by its content; null where there was nothing to read
        size           | UBIGINT     | bytes, unpacked
        packed_size    | UBIGINT     | bytes as it came
        layers         | UINTEGER    | layers of gzip around it
        encoding       | VARCHAR     | what it was decoded from
        entry_count    | UBIGINT     | entries in it; a filtered reading stores fewer
        sitemap_count  | UBIGINT     | sitemaps that it lists, where it is an index
        problem_count  | UBIGINT     | problems in it; of each rule 10,000 are stored
        error          | VARCHAR     | why it is not, or not all of it, in the entries; null where all is well
        how            | VARCHAR     | on a site, how it was found: given, robots, link, well-known, feed or index
        depth          | UINTEGER    | on a site, indexes above it
        declared_by    | VARCHAR     | on a site, the robots.txt that declares it or an index above it
        lastmod        | TIMESTAMPTZ | on a site, what its index says of it
        same_as        | VARCHAR     | on a site, the document that it redirects to and that was read already
        read_at        | TIMESTAMPTZ | when it was read
        """,
    ),
    _table(
        "entries",
        "One row for each URL that a document lists, in the order of the document.",
        f"""
        document       | UINTEGER    | the document it stands in
        loc            | VARCHAR     | the URL as it is to be requested
        lastmod        | TIMESTAMPTZ | the instant; a date alone is its midnight in UTC
        lastmod_text   | VARCHAR     | what stood there
        changefreq     | VARCHAR     | word of the protocol, in lower case
        priority       | DOUBLE      | 0.0 to 1.0; null where absent
        images         | {IMAGES} | images on the page; an empty list where there are none
        videos         | {VIDEOS} | videos on the page; an empty list where there are none
        news           | {NEWS} | the news article; null where there is none
        alternates     | {ALTERNATES} | other versions of the page: by language or by media
        extra          | VARCHAR     | extensions that have no column, as XML text
        source         | VARCHAR     | path or URL of the document
        offset         | UBIGINT     | byte where the entry starts
        line           | UINTEGER    | line where it starts, from 1
        """,
    ),
    _table(
        "sitemaps",
        "One row for each sitemap that an index lists.",
        """
        document       | UINTEGER    | the index it stands in
        loc            | VARCHAR     | URL of the sitemap
        lastmod        | TIMESTAMPTZ | when that file last changed, as the index has it
        lastmod_text   | VARCHAR     | what stood there
        source         | VARCHAR     | path or URL of the index
        offset         | UBIGINT     | byte where it starts
        line           | UINTEGER    | line where it starts, from 1
        """,
    ),
    _table(
        "problems",
        "One row for each thing that had to be forgiven to read a document.",
        """
        document       | UINTEGER    | the document it stands in
        source         | VARCHAR     | path or URL of the document
        rule           | VARCHAR     | name of the rule, as in `urlset rules`
        code           | VARCHAR     | its code, such as X003
        level          | VARCHAR     | error, warning or info
        message        | VARCHAR     | the words
        offset         | UBIGINT     | byte where it starts
        end            | UBIGINT     | byte behind it
        line           | UINTEGER    | its line, from 1
        column         | UINTEGER    | its column in characters, from 1
        """,
    ),
    _table(
        "robots",
        "One row for each robots.txt that was asked for.",
        """
        url            | VARCHAR     | where it is
        root           | VARCHAR     | what was asked for, and led to it
        state          | VARCHAR     | read, absent or unreachable
        sitemaps       | VARCHAR[]   | the sitemaps that it declares, resolved
        crawl_delay_s  | DOUBLE      | seconds between requests; 0 where it asks for none
        read_at        | TIMESTAMPTZ | when it was read
        """,
    ),
    _table(
        "fetches",
        "One row for each document that was asked for over HTTP.",
        """
        document       | UINTEGER    | the document that came of it
        source         | VARCHAR     | the URL that was asked for
        url            | VARCHAR     | the final URL
        status         | UINTEGER    | HTTP status; null where no answer came
        redirects      | VARCHAR[]   | the URLs before the final one
        wire_size      | UBIGINT     | bytes of the body that were transferred
        is_whole       | BOOLEAN     | false where a part is missing
        attempts       | UINTEGER    | how often it was tried
        started        | TIMESTAMPTZ | when the last attempt began
        seconds        | DOUBLE      | how long it took
        first_byte_s   | DOUBLE      | seconds until its headers came
        content_type   | VARCHAR     | header of that name
        etag           | VARCHAR     | header of that name
        last_modified  | VARCHAR     | header of that name
        """,
    ),
)

_ORIGIN = r"^[a-zA-Z][a-zA-Z0-9+.-]*://"

MACROS = (
    Macro(
        "url_host(loc)",
        rf"lower(nullif(regexp_extract(loc, '{_ORIGIN}(?:[^/?#]*@)?(\[[^\]/?#]*\]|[^/?#:]*)', 1), ''))",
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
        "url_query(loc)",
        r"nullif(regexp_extract(loc, '^[^?#]*\?([^#]*)', 1), '')",
        "query, without its `?`",
    ),
)


def statements() -> Iterator[str]:
    """The SQL that makes an empty store."""
    for table in TABLES:
        columns = ", ".join(f'"{column.name}" {column.type}' for column in table.columns)
        yield f"CREATE TABLE {table.name} ({columns})"
        yield f"COMMENT ON TABLE {table.name} IS {_quoted(table.doc)}"
        for column in table.columns:
            yield f'COMMENT ON COLUMN {table.name}."{column.name}" IS {_quoted(column.doc)}'
    for macro in MACROS:
        yield f"CREATE MACRO {macro.head} AS {macro.body}"
    # Last, in one transaction with all the others: a file that has it is a store, and whole.
    yield "CREATE TABLE urlset_store (version UINTEGER)"
    yield f"INSERT INTO urlset_store VALUES ({VERSION})"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
