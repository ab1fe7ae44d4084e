"""Convert documents and HTTP responses to rows of the store tables; pure functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from urlset.arrow import ListOf, StructOf
from urlset.arrow.streams import ColumnType, LazyStream, rows_to_stream
from urlset.document import Document
from urlset.entry_spans import locate_problems
from urlset.robots import SitemapLine, robots_from_response
from urlset.store.schema import TABLES

if TYPE_CHECKING:
    from urlset.http import Response

__all__ = [
    "Row",
    "document_row",
    "fetch_row",
    "is_robots",
    "problem_rows",
    "robots_rows",
    "sitemap_rows",
    "table",
]

Row = tuple[Any, ...]

_LINES = ListOf(StructOf(SitemapLine, (("url", "string"), ("line", "uint32"))))
_COLUMN_TYPES: dict[str, ColumnType] = {
    "VARCHAR": "string",
    "VARCHAR[]": ListOf("string"),
    "TIMESTAMPTZ": "instant",
    "DOUBLE": "number",
    "UBIGINT": "uint64",
    "UINTEGER": "uint32",
    "BOOLEAN": "flag",
    "STRUCT(url VARCHAR, line UINTEGER)[]": _LINES,
}
_COLUMNS = {
    table.name: [(column.name, _COLUMN_TYPES[column.type]) for column in table.columns]
    for table in TABLES
    if table.name != "entries"
}
_HTTP_FIELDS = "status content_type etag last_modified wire_size seconds is_from_cache".split()


def table(name: str, rows: Sequence[Row]) -> LazyStream:
    """Return rows as an Arrow stream; rows of ``problems`` have one more column, ``detail``."""
    columns = _COLUMNS[name]
    return rows_to_stream([*columns, ("detail", "string")] if name == "problems" else columns, rows)


def document_row(number: int, record: Any, document: Document | None, **more: Any) -> Row:
    """Return the row of a document.

    Args:
        number: Number of the document in the store.
        record: Record of the document; its attributes have the names of columns.
        document: The parsed document; None if it was not read.
        more: Values of further columns.
    """
    fetched = getattr(record, "fetched", None)
    values = {name: getattr(fetched, name, None) for name in _HTTP_FIELDS}
    values["document"] = number
    values["url"] = getattr(record, "base_url", None)
    values["layers"] = None if document is None else document.layers
    values["entry_count"] = getattr(record, "entries", 0)
    values["sitemap_count"] = getattr(record, "sitemaps", 0)
    return _row("documents", record, values | more)


def sitemap_rows(number: int, document: Document) -> list[Row]:
    """Return a row for each sitemap that an index lists."""
    return [(number, place, *sitemap) for place, sitemap in enumerate(document.sitemaps, 1)]


def problem_rows(number: int, source: str | None, document: Document) -> list[Row]:
    """Return a row for each problem of a document, with the entry that contains it."""
    return [
        (number, source, entry, loc, *problem) for problem, entry, loc in locate_problems(document)
    ]


def fetch_row(response: Response, **more: Any) -> Row:
    """Return the row of an HTTP response."""
    request, headers = response.request, response.headers
    values = {
        "source": request.url,
        "parent": request.parent,
        "why": "robots.txt" if is_robots(response) else request.purpose,
        "content_type": headers.get("content-type"),
        "etag": headers.get("etag"),
        "last_modified": headers.get("last-modified"),
    }
    return _row("fetches", response, values | more)


def is_robots(response: Response) -> bool:
    """Return whether a response is a robots.txt.

    Sitemaps that a robots.txt declares have the same purpose, but their requests have a token.
    """
    return response.request.purpose == "robots" and response.request.token is None


class RobotsRows(NamedTuple):
    """Row of a robots.txt, and rows of its problems."""

    robots: Row
    problems: list[Row]


def robots_rows(response: Response, **more: Any) -> RobotsRows:
    """Return the rows of the response to a request for a robots.txt."""
    robots, url = robots_from_response(response), response.request.url
    values = {
        "url": url,
        "final_url": response.url,
        "status": response.status,
        "size": len(response.body),
        "text": robots.text if robots.state == "read" else None,
        "crawl_delay_s": robots.crawl_delay_s(),
        "error": None if robots.state == "absent" else response.message,
    }
    problems = [(None, url, None, None, *problem) for problem in robots.problems]
    return RobotsRows(_row("robots", robots, values | more), problems)


def _row(name: str, record: object, values: Mapping[str, Any]) -> Row:
    """Return a row of ``values``; other columns are read from attributes of ``record``."""
    names = (column for column, _ in _COLUMNS[name])
    return tuple(values[name] if name in values else getattr(record, name, None) for name in names)
