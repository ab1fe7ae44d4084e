"""Schema of the store: its tables, views and SQL macros, and the statements that create them.

Names, types and descriptions are declared here once. The descriptions are also stored in the
file, as comments that ``duckdb_columns()`` shows.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

__all__ = [
    "MACROS",
    "TABLES",
    "VERSION",
    "VIEWS",
    "Column",
    "Macro",
    "TableSchema",
    "View",
    "quoted_text",
    "statements",
]

VERSION = 1
"""Version of the tables below; increase it with every change. Other versions are not opened."""


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
VIDEOS = f"""STRUCT(thumbnail_loc VARCHAR, title VARCHAR, description VARCHAR, content_loc VARCHAR,
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
SITEMAPS = "STRUCT(url VARCHAR, line UINTEGER)[]"
ALTERNATES = f"{_struct('hreflang href media')}[]"

TABLES = (
    TableSchema.of(
        "documents",
        "One row per document found, including documents that could not be read.",
        """
        document       | UINTEGER    | number of the document in this store, in reading order; reading it again assigns a new number
        source         | VARCHAR     | path or URL that was requested; null for bytes without a name
        url            | VARCHAR     | final URL on the web; of a file, the URL that `--base-url` assigns; null if unknown
        loc            | VARCHAR     | URL by which an index lists it; null if no index lists it
        root           | VARCHAR     | the source given to `read` from which this was found
        parent         | VARCHAR     | source of the index (or robots.txt, or page) that names it; null for the first document
        how            | VARCHAR     | how it was found: given, index, folder, and on a site robots, link, well-known or feed
        depth          | UINTEGER    | number of indexes above it
        declared_by    | VARCHAR     | robots.txt that declares it or an index above it
        disallowed_by  | VARCHAR     | robots.txt that disallows fetching it
        lastmod        | TIMESTAMPTZ | last change according to its index
        kind           | VARCHAR     | urlset, index, text, rss, atom, html, template, empty or unknown, detected from the content; null if nothing could be read
        size           | UBIGINT     | bytes, decompressed
        packed_size    | UBIGINT     | bytes as received
        layers         | UINTEGER    | layers of gzip around it
        encoding       | VARCHAR     | character encoding of the document
        entry_count    | UBIGINT     | entries in the document; a filtered read stores fewer
        sitemap_count  | UBIGINT     | sitemaps that it lists, if it is an index
        problem_count  | UBIGINT     | problems in the document; at most 10,000 of each rule are stored
        error          | VARCHAR     | why the document was not read, or not completely; null if it was
        skipped        | VARCHAR     | why it was skipped; null if it was read
        same_as        | VARCHAR     | document that it redirects to and that was read before; the entries are stored there
        status         | UINTEGER    | HTTP status; null if there was no response
        content_type   | VARCHAR     | HTTP header of that name
        etag           | VARCHAR     | HTTP header of that name
        last_modified  | VARCHAR     | HTTP header of that name, unchanged
        wire_size      | UBIGINT     | bytes of the HTTP body that were transferred
        seconds        | DOUBLE      | duration of the last HTTP attempt
        is_from_cache  | BOOLEAN     | whether the copy in `--cache` was still current (HTTP)
        read_at        | TIMESTAMPTZ | time of reading
        """,
    ),
    TableSchema.of(
        "entries",
        "One row per URL that a document lists, in document order; `document` and `entry` identify a row.",
        f"""
        document       | UINTEGER    | number of the document that lists it
        entry          | UINTEGER    | number of the entry in the document, from 1; filtered entries are counted
        loc            | VARCHAR     | URL to request
        lastmod        | TIMESTAMPTZ | instant of the last change; a date without a time is midnight UTC
        lastmod_text   | VARCHAR     | original text
        changefreq     | VARCHAR     | value of the protocol, in lower case
        priority       | DOUBLE      | 0.0 to 1.0; null if absent
        images         | {IMAGES} | images on the page; an empty list if there are none
        videos         | {VIDEOS} | videos on the page; an empty list if there are none
        news           | {NEWS} | news article; null if there is none
        alternates     | {ALTERNATES} | other versions of the page: by language or by media
        extra          | VARCHAR     | extensions without a column, as XML text
        source         | VARCHAR     | path or URL of the document
        offset         | UBIGINT     | byte where the entry starts
        line           | UINTEGER    | line where it starts, from 1
        """,
    ),
    TableSchema.of(
        "sitemaps",
        "One row per sitemap that an index lists, in index order; `document` and `sitemap` identify a row.",
        """
        document       | UINTEGER    | number of the index document
        sitemap        | UINTEGER    | number of the sitemap in the index, from 1
        loc            | VARCHAR     | URL of the sitemap
        lastmod        | TIMESTAMPTZ | last change of that file according to the index
        lastmod_text   | VARCHAR     | original text
        source         | VARCHAR     | path or URL of the index
        offset         | UBIGINT     | byte where it starts
        line           | UINTEGER    | line where it starts, from 1
        """,
    ),
    TableSchema.of(
        "problems",
        "One row per problem that was repaired or skipped when a document or a robots.txt was read.",
        """
        document       | UINTEGER    | number of the document; null for a robots.txt
        source         | VARCHAR     | path or URL of the document
        entry          | UINTEGER    | number of the entry that contains it; null if it is outside of entries
        loc            | VARCHAR     | URL of that entry
        rule           | VARCHAR     | name of the rule, as in `urlset rules`
        code           | VARCHAR     | code of the rule, such as X003
        level          | VARCHAR     | error, warning or info
        message        | VARCHAR     | description of the problem
        offset         | UBIGINT     | byte where it starts
        end            | UBIGINT     | byte after its end
        line           | UINTEGER    | line where it starts, from 1
        column         | UINTEGER    | column in characters, from 1
        """,
    ),
    TableSchema.of(
        "robots",
        "One row per robots.txt that was requested.",
        f"""
        url            | VARCHAR     | URL that was requested
        final_url      | VARCHAR     | URL after redirects
        root           | VARCHAR     | the source given to `read` from which this was found
        state          | VARCHAR     | read, absent (everything is allowed) or unreachable (everything is disallowed)
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
        f"nullif(regexp_extract(loc, '{_ORIGIN}[^/?#]*/([^/?#]*)', 1), '')",
        "first part of the path: `blog` of `/blog/rye`; null for the home page",
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
    return (s for s in _statements() if with_comments or not s.startswith("COMMENT"))


def _statements() -> Iterator[str]:
    for table in TABLES:
        columns = ", ".join(f'"{column.name}" {column.type}' for column in table.columns)
        yield f"CREATE TABLE {table.name} ({columns})"
        yield f"COMMENT ON TABLE {table.name} IS {quoted_text(table.doc)}"
        for column in table.columns:
            yield f'COMMENT ON COLUMN {table.name}."{column.name}" IS {quoted_text(column.doc)}'
    for macro in MACROS:
        yield f"CREATE MACRO {macro.head} AS {macro.body}"
    for view in VIEWS:
        yield f"CREATE VIEW {view.name} AS {view.query}"
        yield f"COMMENT ON VIEW {view.name} IS {quoted_text(view.doc)}"
    # Last, in one transaction with all others: a file that has this table is a complete store.
    yield "CREATE TABLE urlset_store (version UINTEGER)"
    yield f"INSERT INTO urlset_store VALUES ({VERSION})"


def quoted_text(text: str) -> str:
    """Return text as an SQL string literal."""
    return "'" + text.replace("'", "''") + "'"
