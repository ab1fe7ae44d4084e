"""Rows of a query over a store or a Parquet file, within limits, and the state of a URL."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from urlset.arrow import rows_of
from urlset.arrow.batches import as_table
from urlset.errors import QueryError
from urlset.live.visits.page_urls import page_url
from urlset.store import Store
from urlset.store.external import ExternalTable, identifier

QUERY_S = 30.0
"""Time limit of a query in seconds."""

Rows = tuple[list[str], list[tuple[Any, ...]]]

_LIMIT = 5
_LISTED = f"SELECT source, line, lastmod FROM entries WHERE loc IN (?, ?) LIMIT {_LIMIT}"
_PAGE = (
    "SELECT url, status, verdict, unknown_reason, final_url, canonical, robots, is_noindex, "
    "is_indexable, is_listed, is_linked, title, fetched_at FROM pages WHERE url IN (?, ?) LIMIT 1"
)
_FINDINGS = (
    "SELECT code, rule, level, message, basis FROM audit_findings "
    f"WHERE loc IN (?, ?) OR source IN (?, ?) LIMIT {_LIMIT}"
)
_LINKS = f"SELECT url, kind, rel FROM links WHERE target IN (?, ?) AND url <> target LIMIT {_LIMIT}"
_FRONTIER = "SELECT state, origins, referrer, excluded_by FROM frontier WHERE url IN (?, ?) LIMIT 1"


def store_rows(store: Store, sql: str, offset: int, limit: int) -> Rows:
    """Return the column names and some rows of a query over a store.

    Raises:
        urlset.QueryError: The query is not allowed, fails, or takes too long.
    """
    store.check(sql, timeout_s=QUERY_S)
    result = store.query(_page(sql, offset, limit), timeout_s=QUERY_S)
    return result.columns, list(result)


def parquet_rows(path: Path, sql: str, offset: int, limit: int) -> Rows:
    """Return the same of a query over a Parquet file, which is the table ``input``.

    Raises:
        urlset.QueryError: The query is not allowed, fails, or takes too long.
        urlset.SourceError: The file cannot be read.
    """
    query = _page(sql, offset, limit)
    with ExternalTable(
        str(path), "parquet", query=query, timeout_s=QUERY_S, name=path.name
    ) as table:
        names = list(table.columns)
        picks = [(name, identifier(name)) for name in names]
        rows = [row for batch in table.batches(picks) for row in rows_of(as_table(batch))]
    return names, rows


def why(store: Store, url: str) -> tuple[list[str], dict[str, Any]]:
    """Return the state of a URL in words by urlset, and the facts, which quote the site."""
    key = page_url(url) or url
    both = (url, key)
    page = next(iter(_rows(store, _PAGE, both)), None)
    facts = {
        "url": url,
        "listed_in": _rows(store, _LISTED, both),
        "page": page,
        "findings": _rows(store, _FINDINGS, (*both, *both)),
        "linked_from": _rows(store, _LINKS, both),
        "discovered": next(iter(_rows(store, _FRONTIER, both)), None),
    }
    return [*_reasons(facts)], facts


def _reasons(facts: dict[str, Any]) -> Iterator[str]:
    page, found = facts["page"], facts["discovered"]
    yield "a sitemap lists it" if facts["listed_in"] else "no sitemap lists it"
    if page is None:
        if found is not None and found["excluded_by"]:
            yield "it was discovered, and is not visited (excluded_by)"
        else:
            yield "its page was not visited"
        return
    yield f"its page has the verdict {page['verdict']}"
    if page["status"] is not None:
        yield f"HTTP status {page['status']}"
    if page["verdict"] == "unknown":
        yield "nothing is known about the page itself: the visit failed (unknown_reason)"
    elif page["verdict"] == "disallowed":
        yield "robots.txt disallows it"
    elif page["verdict"] == "redirect":
        yield "it redirects to another URL (final_url)"
    if page["is_noindex"]:
        yield "it forbids indexing (robots)"
    if page["canonical"] not in (None, page["url"]):
        yield "it names another canonical URL (canonical)"
    if page["is_indexable"]:
        yield "it is indexable"
    elif page["is_indexable"] is not None:
        yield "it is not indexable"
    if facts["linked_from"]:
        yield "other pages link to it"


def _rows(store: Store, sql: str, values: Sequence[Any]) -> list[dict[str, Any]]:
    """Return the rows of a query; none if the store does not have the table."""
    try:
        result = store.query(sql, list(values), timeout_s=30)
    except QueryError:
        return []
    return [dict(zip(result.columns, row, strict=True)) for row in result]


def _page(sql: str, offset: int, limit: int) -> str:
    """Return a query for some of the rows of a query."""
    if offset < 0:
        raise QueryError(f"offset: expected 0 or more, found {offset}")
    inner = sql.strip().rstrip(";")
    return f"FROM (\n{inner}\n) LIMIT {limit:d} OFFSET {offset:d}"
