"""What a reading tells, as rows of the tables: pure functions, each of which makes some rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from urlset.arrow import ListOf, StructOf
from urlset.arrow.streams import ColumnType, LazyStream, rows_to_stream
from urlset.document import Document
from urlset.entry_spans import located
from urlset.robots import SitemapLine, robots_from_response
from urlset.store.tables import TABLES

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

_LINES = ListOf(StructOf(SitemapLine, (("url", "string"), ("line", "line"))))
_KINDS: dict[str, ColumnType] = {
    "VARCHAR": "string",
    "VARCHAR[]": ListOf("string"),
    "TIMESTAMPTZ": "instant",
    "DOUBLE": "number",
    "UBIGINT": "offset",
    "UINTEGER": "line",
    "BOOLEAN": "flag",
    "STRUCT(url VARCHAR, line UINTEGER)[]": _LINES,
}
_COLUMNS = {
    table.name: [(column.name, _KINDS[column.type]) for column in table.columns]
    for table in TABLES
    if table.name != "entries"
}
_OF_HTTP = "status content_type etag last_modified wire_size seconds is_from_cache".split()


def table(name: str, rows: Sequence[Row]) -> LazyStream:
    """Return rows of a table as a stream; those of problems have one more column, ``detail``."""
    columns = _COLUMNS[name]
    return rows_to_stream([*columns, ("detail", "string")] if name == "problems" else columns, rows)


def document_row(number: int, record: Any, document: Document | None, **more: Any) -> Row:
    """A document, of what a reading remembers of it."""
    fetched = getattr(record, "fetched", None)
    facts = {name: getattr(fetched, name, None) for name in _OF_HTTP}
    facts["document"] = number
    facts["url"] = getattr(record, "base", None)
    facts["layers"] = None if document is None else document.layers
    facts["entry_count"] = getattr(record, "entries", 0)
    facts["sitemap_count"] = getattr(record, "sitemaps", 0)
    return _row("documents", record, facts | more)


def sitemap_rows(number: int, document: Document) -> list[Row]:
    """What an index lists."""
    return [(number, place, *sitemap) for place, sitemap in enumerate(document.sitemaps, 1)]


def problem_rows(number: int, source: str | None, document: Document) -> list[Row]:
    """What had to be forgiven in a document, each with the entry it stands in."""
    return [(number, source, entry, loc, *problem) for problem, entry, loc in located(document)]


def fetch_row(response: Response, **more: Any) -> Row:
    """What came of a URL that was asked for."""
    request, headers = response.request, response.headers
    facts = {
        "source": request.url,
        "parent": request.parent,
        "why": "robots.txt" if is_robots(response) else request.purpose,
        "content_type": headers.get("content-type"),
        "etag": headers.get("etag"),
        "last_modified": headers.get("last-modified"),
    }
    return _row("fetches", response, facts | more)


def is_robots(response: Response) -> bool:
    """Tell a robots.txt from the sitemaps that one declares; what a walk reads has a token."""
    return response.request.purpose == "robots" and response.request.token is None


class RobotsRows(NamedTuple):
    """A robots.txt, and what is wrong with it."""

    robots: Row
    problems: list[Row]


def robots_rows(response: Response, **more: Any) -> RobotsRows:
    """What an answer to the request for a robots.txt says."""
    robots, url = robots_from_response(response), response.request.url
    facts = {
        "url": url,
        "final_url": response.url,
        "status": response.status,
        "size": len(response.body),
        "text": robots.text if robots.state == "read" else None,
        "crawl_delay_s": robots.crawl_delay_s(),
        "error": None if robots.state == "absent" else response.message,
    }
    problems = [(None, url, None, None, *problem) for problem in robots.problems]
    return RobotsRows(_row("robots", robots, facts | more), problems)


def _row(name: str, found: object, facts: Mapping[str, Any]) -> Row:
    """A row of the facts, and of what an object has under the names of the other columns."""
    names = (column for column, _ in _COLUMNS[name])
    return tuple(facts[name] if name in facts else getattr(found, name, None) for name in names)
