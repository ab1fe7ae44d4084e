"""Rows of ``pages`` and ``links`` as text values, for transfer from a worker to DuckDB.

Those of a page come from the engine where the page is as most are, else from its record.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from json.encoder import encode_basestring_ascii as quoted
from typing import Any, NamedTuple

from urlset.arrow.batches import as_table, batch_of, text_array
from urlset.html import MAX_ANCHORS, VisitedFacts, read_visited_page
from urlset.http import Response
from urlset.live.schemas import LIVE_TABLES
from urlset.live.visits.page_record import (
    HTML_TYPES,
    MAX_IMAGES,
    PageRecord,
    fact_columns,
    is_nofollow,
    other_links,
    read_record,
    response_columns,
)
from urlset.live.visits.page_urls import UrlResolver, origin_of_page
from urlset.store import StoreSession

_TYPES = {
    column.name: column.type
    for table in LIVE_TABLES
    if table.name == "pages"
    for column in table.columns
}
PAGE_COLUMNS = tuple(_TYPES)
"""Names of the columns of ``pages``."""

_CONFIRMED = ("crawl", "checked_at", "first_byte_s", "seconds", "is_from_cache", "attempts")


class PageRows(NamedTuple):
    """Rows of one visited page.

    Attributes:
        url: Normalized URL of the page.
        verdict: Verdict of the visit.
        values: Values of the columns of ``pages``, in their order, as text.
        links: Columns target, kind, rel, is_nofollow and n of its links, as text.
        line: The rows as a line of the journal; empty if there is no journal.
        is_unchanged: Whether the server confirmed the stored facts (304).
        is_repeated: Whether the page is visited a second time, at the end of the crawl.
    """

    url: str
    verdict: str
    values: tuple[str | None, ...]
    links: tuple[tuple[str | None, ...], ...]
    line: str = ""
    is_unchanged: bool = False
    is_repeated: bool = False


def rows_of(record: PageRecord, *, has_line: bool = True) -> PageRows:
    """Convert a record to its rows; with ``has_line``, they contain their line of the journal."""
    row = record.row
    links = tuple(zip(*record.links, strict=True)) if record.links else ()
    if links:
        target, kind, rel, nofollow, count = links
        flags = tuple(["true" if flag else "false" for flag in nofollow])
        links = (target, kind, rel, flags, tuple(map(str, count)))
    rows = PageRows(
        record.url,
        row.get("verdict", "unknown"),
        _texts(row),
        links,
        "",
        record.is_unchanged,
        bool(row.get("is_repeated")),
    )
    return with_line(rows) if has_line else rows


def _texts(row: Mapping[str, Any]) -> tuple[str | None, ...]:
    """Return the values of the columns of ``pages``, as text."""
    values = map(row.get, PAGE_COLUMNS)
    return tuple([each if each is None or type(each) is str else text_of(each) for each in values])


_to_json = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode


def with_line(rows: PageRows) -> PageRows:
    """Return rows with their line for the journal of a crawl."""
    url, verdict, values, links, _, is_unchanged, is_repeated = rows
    line = _to_json((url, verdict, values, links, is_unchanged, is_repeated))
    return PageRows(url, verdict, values, links, line, is_unchanged, is_repeated)


def rows_of_line(line: str) -> PageRows:
    """Return the rows of a line of the journal.

    Raises:
        ValueError: The line is not whole, or that of another version.
    """
    url, verdict, values, links, is_unchanged, is_repeated = json.loads(line)
    if len(values) != len(PAGE_COLUMNS):
        raise ValueError(f"expected {len(PAGE_COLUMNS)} values, found {len(values)}")
    columns = tuple(map(tuple, links))
    return PageRows(url, verdict, tuple(values), columns, line, is_unchanged, is_repeated)


def confirm_pages(session: StoreSession, pages: Sequence[PageRows]) -> None:
    """Update the rows of pages for which the server reports that they are unchanged (304)."""
    if pages:
        values = ", ".join(f"{name} = {_cast(name)}" for name in _CONFIRMED)
        session.insert(
            f"UPDATE store.pages p SET {values}, previous_fingerprint = p.fingerprint "
            "FROM incoming i WHERE p.url = i.url",
            _page_table(pages, ("url", *_CONFIRMED)),
        )


def mark_silent_hosts(session: StoreSession, crawl: int) -> None:
    """Change the verdict unreachable to unknown for the pages of hosts that never responded.

    An error of the network is one of the page only if its host responds for other pages.
    """
    host = "regexp_extract(url, '^[^:]+://([^/?#]*)', 1)"
    session.run(
        "UPDATE store.pages SET verdict = 'unknown', unknown_reason = coalesce(error, 'connect') "
        f"WHERE crawl = {crawl} AND verdict = 'unreachable' AND {host} NOT IN "
        f"(SELECT {host} FROM store.pages WHERE crawl = {crawl} AND status IS NOT NULL)"
    )


def replace_pages(
    session: StoreSession, pages: Sequence[PageRows], crawl: int, *, with_links: bool = False
) -> None:
    """Write pages, each URL once, to the table ``pages``; they replace the rows of earlier visits.

    The fingerprint of the crawl before is kept, its links are not. With ``with_links``, links of
    earlier visits in this crawl are deleted, too.
    """
    if not pages:
        return
    batch = _page_table(pages, PAGE_COLUMNS)
    session.insert(
        "CREATE OR REPLACE TEMP TABLE earlier_pages AS SELECT p.url, p.crawl, CASE WHEN p.crawl = "
        f"{crawl} THEN p.previous_fingerprint ELSE p.fingerprint END AS fingerprint "
        "FROM store.pages p SEMI JOIN incoming i ON p.url = i.url",
        batch,
    )
    if next(session.rows("SELECT count(*) FROM temp.earlier_pages"))[0]:
        session.run("DELETE FROM store.pages WHERE url IN (SELECT url FROM temp.earlier_pages)")
        which = "" if with_links else f" WHERE crawl <> {crawl}"
        session.run(
            f"DELETE FROM store.links WHERE url IN (SELECT url FROM temp.earlier_pages{which})"
        )
    values = ", ".join(
        "e.fingerprint" if name == "previous_fingerprint" else _cast(name) for name in PAGE_COLUMNS
    )
    session.insert(
        f"INSERT INTO store.pages ({', '.join(PAGE_COLUMNS)}) SELECT {values} FROM incoming i "
        "LEFT JOIN temp.earlier_pages e ON e.url = i.url",
        batch,
    )


def link_table(pages: Sequence[PageRows]) -> Any | None:
    """Return the links of pages as an Arrow table of texts; None if there are none."""
    columns: list[list[str | None]] = [[], [], [], [], [], []]
    for page in pages:
        if page.links:
            columns[0] += [page.url] * len(page.links[0])
            for column, values in zip(columns[1:], page.links, strict=True):
                column += values
    if not columns[0]:
        return None
    names = ("url", "target", "kind", "rel", "is_nofollow", "n")
    return texts(**dict(zip(names, columns, strict=True)))


def texts(**columns: Sequence[str | None]) -> Any:
    """Return columns of text as an Arrow table."""
    return as_table(batch_of({name: text_array(values) for name, values in columns.items()}))


def _page_table(pages: Sequence[PageRows], names: Sequence[str]) -> Any:
    """Return columns of pages as an Arrow table of texts; :func:`_cast` converts them."""
    values = zip(*(page.values for page in pages), strict=True)
    columns = dict(zip(PAGE_COLUMNS, values, strict=True))
    return texts(**{name: columns[name] for name in names})


def _cast(name: str) -> str:
    """Return SQL that converts a column of ``incoming i`` to the type of that of ``pages``."""
    kind = _TYPES[name]
    if kind == "VARCHAR":
        return f"i.{name}"
    via = "::JSON" if kind.endswith("[]") else ""
    return f"i.{name}{via}::{kind}"


def text_of(value: Any) -> str:
    """Return a value as the text that :func:`_cast` converts."""
    if type(value) is bool:
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    return json.dumps(value) if value else "[]"


_SPECIAL = frozenset(("cf-mitigated", "link", "x-robots-tag"))
"""Headers that change what is known of a page."""

_FULL_PAGE = MAX_ANCHORS * len("<a href=")
_STARTS = (b"<a", b"<A", b"<\0a", b"<\0A")  # also in UTF-16


def read_rows(resolver: UrlResolver, response: Response, values: Mapping[str, Any]) -> PageRows:
    """Read the page in a response; return its rows, with additional values by column."""
    rows = usual_rows(response, resolver, values)
    if rows is None:
        record = read_record(response, resolver)
        record.row.update(values)
        return rows_of(record)
    return with_line(rows)


def usual_rows(
    response: Response,
    resolver: UrlResolver,
    values: Mapping[str, Any],
    *,
    now: datetime | None = None,
    has_links: bool = True,
) -> PageRows | None:
    """Return the rows of a whole HTML page; None if its record has to be read.

    They are those of :func:`.page_record.read_record`, which is the specification, with additional
    values by column.
    """
    headers, url = response.headers, response.request.url
    is_usual = (
        response.status == 200
        and response.error is None
        and response.is_whole
        and response.url == url
        and not response.redirects
        and headers.get("content-type", "").lower().startswith(HTML_TYPES)
        and _SPECIAL.isdisjoint(headers)
        and not _may_be_full(response.body)
    )
    if not is_usual:
        return None
    facts = read_visited_page(
        response.body,
        url,
        origin_of_page(url),
        lambda reference: resolver.resolve(reference, url),
        has_links=has_links,
    )
    if facts is None:
        return None
    alternates = [(*alternate, "head") for alternate in facts.alternates]
    row = {
        **response_columns(response, "ok", now),
        **fact_columns(facts, facts.canonicals, url, "ok"),
        "canonicals": _objects(facts.canonicals, ("url", "origin")),
        "alternates": _objects(alternates, ("hreflang", "href", "origin")),
        "images": facts.images[:MAX_IMAGES],
        "link_count": facts.link_count,
        **values,
    }
    links = _links_of(facts) if has_links else ()
    return PageRows(url, "ok", _texts(row), links, is_repeated=bool(values.get("is_repeated")))


def _may_be_full(body: bytes) -> bool:
    """Return whether a page may have as many links as are read; its record has to count them."""
    if len(body) < _FULL_PAGE:
        return False
    return sum(body.count(start) for start in _STARTS) >= MAX_ANCHORS


def _objects(rows: Sequence[tuple[str, ...]], names: tuple[str, ...]) -> str:
    """Return rows as an array of JSON objects; :func:`json.dumps` takes thrice the time."""
    objects = (
        ", ".join([f'"{name}": {quoted(value)}' for name, value in zip(names, row, strict=True)])
        for row in rows
    )
    return "[{" + "}, {".join(objects) + "}]" if rows else "[]"


def _links_of(facts: VisitedFacts) -> tuple[tuple[str | None, ...], ...]:
    """Return the columns target, kind, rel, is_nofollow and n of the links of a page, as text."""
    assert facts.links is not None
    targets, relations, flags, counts = facts.links
    others = other_links(
        [url for url, _ in facts.canonicals],
        [url for _, url in facts.alternates],
        facts.pagination,
        facts.refresh,
        facts.images[:MAX_IMAGES],
    )
    kinds, urls, numbers = tuple(zip(*others, strict=True)) or ((), (), ())
    if not (targets or urls):
        return ()
    is_page_nofollow = bool(facts.agent_robots) and is_nofollow(facts.agent_robots)
    if is_page_nofollow:
        flags = ("true",) * len(flags)
    return (
        (*targets, *urls),
        ("a",) * len(targets) + kinds,
        (*relations, *(None,) * len(urls)),
        (*flags, *(text_of(is_page_nofollow),) * len(urls)),
        (*counts, *map(str, numbers)),
    )
