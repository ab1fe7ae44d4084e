"""The tables of a store, written down: every column with its type and what it means.

Whoever changes a table changes :data:`VERSION`.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["TABLES", "VERSION", "Column", "TableSchema"]

VERSION = 1
"""Of the tables below; a store of another one is not opened."""


class Column(NamedTuple):
    """One column: its name, its type in DuckDB, and what it means."""

    name: str
    type: str
    doc: str


class TableSchema(NamedTuple):
    """One table: its name, what a row of it is, and its columns."""

    name: str
    doc: str
    columns: tuple[Column, ...]

    @classmethod
    def of(cls, name: str, doc: str, columns: str) -> TableSchema:
        """A table whose columns are written as lines of three cells with ``|`` between them.

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
        "One row for each file that was met, also where it could not be read.",
        """
        document       | UINTEGER    | number of the document in this store, in the order of reading; another one when it is read again
        source         | VARCHAR     | its path or URL as it was asked for; null for bytes without a name
        url            | VARCHAR     | where it is on the web: the final URL; of a file what `--base-url` makes of it; null where that is not known
        loc            | VARCHAR     | the URL by which an index lists it; null where none does
        root           | VARCHAR     | what was asked for, and led to it
        parent         | VARCHAR     | the source of the index (or robots.txt, or page) that names it; null for the first
        how            | VARCHAR     | how it was found: given, index, folder, and on a site robots, link, well-known or feed
        depth          | UINTEGER    | indexes above it
        declared_by    | VARCHAR     | the robots.txt that declares it or an index above it
        disallowed_by  | VARCHAR     | the robots.txt that forbids to fetch it
        lastmod        | TIMESTAMPTZ | when it last changed, by the word of its index
        kind           | VARCHAR     | urlset, index, text, rss, atom, html, template, empty or unknown, told by its content; null where there was nothing to read
        size           | UBIGINT     | bytes, unpacked
        packed_size    | UBIGINT     | bytes as it came
        layers         | UINTEGER    | layers of gzip around it
        encoding       | VARCHAR     | what it was decoded from
        entry_count    | UBIGINT     | entries in it; a filtered reading stores fewer
        sitemap_count  | UBIGINT     | sitemaps that it lists, where it is an index
        problem_count  | UBIGINT     | problems in it; of each rule 10,000 are stored
        error          | VARCHAR     | why it is not, or not all of it, in the entries; null where all is well
        skipped        | VARCHAR     | why nobody wanted it; null where it was read
        same_as        | VARCHAR     | the document that it redirects to and that was read already: its entries are there
        status         | UINTEGER    | over HTTP, the status; null where no answer came
        content_type   | VARCHAR     | over HTTP, the header of that name
        etag           | VARCHAR     | over HTTP, the header of that name
        last_modified  | VARCHAR     | over HTTP, the header of that name, as it stood there
        wire_size      | UBIGINT     | over HTTP, bytes of the body that were transferred
        seconds        | DOUBLE      | over HTTP, how long the last attempt took
        is_from_cache  | BOOLEAN     | over HTTP, whether it had not changed since it was kept by `--cache`
        read_at        | TIMESTAMPTZ | when it was read
        """,
    ),
    TableSchema.of(
        "entries",
        "One row for each URL that a document lists, in the order of the document; `document` and `entry` name a row.",
        f"""
        document       | UINTEGER    | the document it stands in
        entry          | UINTEGER    | number of the entry in it, from 1, also where those before it were not wanted
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
    TableSchema.of(
        "sitemaps",
        "One row for each sitemap that an index lists, in the order of the index; `document` and `sitemap` name a row.",
        """
        document       | UINTEGER    | the index it stands in
        sitemap        | UINTEGER    | number of the sitemap in it, from 1
        loc            | VARCHAR     | URL of the sitemap
        lastmod        | TIMESTAMPTZ | when that file last changed, as the index has it
        lastmod_text   | VARCHAR     | what stood there
        source         | VARCHAR     | path or URL of the index
        offset         | UBIGINT     | byte where it starts
        line           | UINTEGER    | line where it starts, from 1
        """,
    ),
    TableSchema.of(
        "problems",
        "One row for each thing that had to be forgiven to read a document or a robots.txt.",
        """
        document       | UINTEGER    | the document it stands in; null for a robots.txt
        source         | VARCHAR     | path or URL of the document
        entry          | UINTEGER    | number of the entry that it stands in; null where it stands in none
        loc            | VARCHAR     | URL of that entry
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
    TableSchema.of(
        "robots",
        "One row for each robots.txt that was asked for.",
        f"""
        url            | VARCHAR     | where it was asked for
        final_url      | VARCHAR     | where it was found, behind redirects
        root           | VARCHAR     | what was asked for, and led to it
        state          | VARCHAR     | read, absent (nothing is forbidden) or unreachable (all is)
        status         | UINTEGER    | HTTP status; null where no answer came
        size           | UBIGINT     | bytes of it
        text           | VARCHAR     | what engines read of it, as text: the first 512,000 bytes
        sitemaps       | {SITEMAPS} | the sitemaps that it declares, resolved, each with its line, from 1
        crawl_delay_s  | DOUBLE      | seconds between requests that it asks of us; 0 where of nobody
        error          | VARCHAR     | why it is not, or not all of it, there; null where all is well
        read_at        | TIMESTAMPTZ | when it was read
        """,
    ),
    TableSchema.of(
        "fetches",
        "One row for each URL that was asked for over HTTP: documents, robots.txt, home page, places that were tried.",
        """
        source         | VARCHAR     | the URL that was asked for
        root           | VARCHAR     | what was asked for, and led to it
        parent         | VARCHAR     | the document that names it
        why            | VARCHAR     | robots.txt or home; of what may be a sitemap how it was found: given, robots, link, well-known, feed or index
        url            | VARCHAR     | the final URL
        redirects      | VARCHAR[]   | the URLs before the final one
        status         | UINTEGER    | HTTP status; null where no answer came
        wire_size      | UBIGINT     | bytes of the body that were transferred
        is_whole       | BOOLEAN     | false where a part is missing
        is_from_cache  | BOOLEAN     | whether it had not changed since it was kept by `--cache`
        attempts       | UINTEGER    | how often it was tried
        started        | TIMESTAMPTZ | when the last attempt began
        seconds        | DOUBLE      | how long it took
        first_byte_s   | DOUBLE      | seconds until its headers came
        content_type   | VARCHAR     | header of that name
        etag           | VARCHAR     | header of that name
        last_modified  | VARCHAR     | header of that name
        error          | VARCHAR     | a word for what went wrong, such as timeout or status; null where all is well
        message        | VARCHAR     | the words for it
        read_at        | TIMESTAMPTZ | when it was answered
        """,
    ),
)
