"""Result of a crawl: its tables, counts and completeness."""

from __future__ import annotations

import os
from datetime import datetime
from typing import Any, TypedDict, cast

from urlset.errors import StoreError
from urlset.live.schemas import VISIT_SCHEMA
from urlset.notebook import html_table
from urlset.result import Instant, Result, ResultJson, values_of
from urlset.store import QueryResult, Store
from urlset.terminal_text import pluralize

# Note: an audit without a crawl has NULL in has_sitemaps. It visits listed pages only, so that what
# it has not visited proves nothing.
_LATEST = """
    SELECT crawl, site, started, finished, is_complete, reasons FROM crawls
    WHERE has_sitemaps IS NOT NULL ORDER BY crawl DESC LIMIT 1"""


class TrapJson(TypedDict):
    """Pattern of URLs that were excluded because they have no end."""

    pattern: str
    kind: str
    cut_count: int
    example: str


class CrawlJson(ResultJson):
    """Result of a crawl.

    Attributes:
        crawl: Number of the crawl in the store, from 1.
        pages: Number of pages, with those that robots.txt disallows.
        traps: Patterns of URLs that were excluded because they have no end.
    """

    site: str
    crawl: int
    path: str | None
    pages: int
    verdicts: dict[str, int]
    traps: list[TrapJson]


class ReferrerJson(TypedDict):
    """Link to a page."""

    url: str
    kind: str
    rel: str | None


class EvidenceJson(TypedDict):
    """Evidence of a discovered URL and, if it was visited, its result.

    Attributes:
        depth: Clicks from the start of the crawl; null if no link leads to it.
        referrers: The first links to it from other pages.
        sitemaps: The first documents that list it.
    """

    url: str
    state: str
    priority: int | None
    depth: int | None
    attempts: int | None
    section: str | None
    origins: list[str]
    referrer: str | None
    referrer_count: int | None
    excluded_by: str | None
    status: int | None
    verdict: str | None
    unknown_reason: str | None
    fetched_at: Instant | None
    referrers: list[ReferrerJson]
    sitemaps: list[str]


class Crawl(Result):
    """The latest crawl of a store: pages, links and discovered URLs. A context manager.

    An audit with ``crawl`` is a crawl, too.

    :data:`urlset.live.schemas.LIVE_TABLES` describes the columns of the tables. Each table is an
    Arrow stream (``__arrow_c_stream__``), with ``to_arrow``, ``to_polars`` and ``to_pandas``;
    iterating yields tuples.

    Attributes:
        path: Path of the store; None if it is temporary.
        number: Number of the crawl in the store, from 1.
        site: URL of the start.
        started: Start of the crawl.
        finished: End of the crawl; None if the same call continues it.
        is_complete: Whether every page was visited; False also if an option such as ``include`` or
            ``max_depth`` excluded pages.
        incomplete: Why it is not complete; empty if it is.
        verdicts: Number of pages by verdict.
    """

    is_complete: bool = False
    incomplete: tuple[str, ...] = ()

    def __init__(self, store: Store):
        self.store = store
        self.path: str | None = store.path
        found = list(store.query(_LATEST))
        if not found:
            raise _no_crawl(store)
        self.number: int
        self.site: str
        self.started: datetime
        self.finished: datetime | None
        self.number, self.site, self.started, self.finished, complete, reasons = found[0]
        self.is_complete = bool(complete)
        self.incomplete = tuple(reasons or ())
        if not self.is_complete and not self.incomplete:
            self.incomplete = ("unvisited: the crawl was killed",)
        query = (
            "SELECT verdict, count(*) FROM pages GROUP BY verdict ORDER BY count(*) DESC, verdict"
        )
        self.verdicts: dict[str, int] = dict(store.query(query))
        names = tuple(TrapJson.__annotations__)
        self._trap_rows = [cast(TrapJson, dict(zip(names, row, strict=True))) for row in self.traps]

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Crawl:
        """Open the latest crawl of a store for reading.

        Raises:
            StoreError: The file is not a store, or has no crawl: an audit is one only with
                ``crawl``.
        """
        store = Store.open(path, read_only=True)
        try:
            if not store.has(VISIT_SCHEMA):
                raise _no_crawl(store)
            return cls(store)
        except BaseException:
            store.close()
            raise

    @property
    def pages(self) -> QueryResult:
        """The visited pages with their facts, by URL."""
        return self.store.query("FROM pages ORDER BY url", timeout_s=None)

    @property
    def links(self) -> QueryResult:
        """The links of the pages."""
        return self.store.query("FROM links", timeout_s=None)

    @property
    def frontier(self) -> QueryResult:
        """The discovered URLs with their evidence, by URL."""
        return self.store.query("FROM frontier ORDER BY url", timeout_s=None)

    @property
    def traps(self) -> QueryResult:
        """The patterns of URLs that were excluded because they have no end."""
        return self.store.query("FROM traps ORDER BY cut_count DESC, pattern", timeout_s=None)

    def query(self, query: str) -> QueryResult:
        """Run a query over the tables of the store (:meth:`urlset.Store.query`)."""
        return self.store.query(query)

    def why(self, url: str) -> dict[str, Any] | None:
        """Return the evidence of a discovered URL; None if it was not discovered.

        The keys are those of the schema ``crawl-why`` (:func:`urlset.schemas`): the columns of
        ``page_evidence``, ``referrers`` with the first links to it (``url``, ``kind``, ``rel``),
        and ``sitemaps`` with the first documents that list it.
        """
        from urlset.live.visits.page_urls import page_url

        key = page_url(url) or url
        found = self.store.query(
            "SELECT e.* REPLACE (coalesce(p.depth, e.depth) AS depth) FROM page_evidence e "
            "LEFT JOIN pages p ON p.url = e.url WHERE e.url = ?",
            [key],
        )
        rows = list(found)
        if not rows:
            return None
        evidence = dict(zip(found.columns, rows[0], strict=True))
        referrers = self.store.query(
            "SELECT url, kind, rel FROM links WHERE target = ? AND url <> target "
            "ORDER BY rowid LIMIT 20",
            [key],
        )
        evidence["referrers"] = [{"url": u, "kind": k, "rel": rel} for u, k, rel in referrers]
        sitemaps = self.store.query(
            "SELECT DISTINCT source FROM entries WHERE loc IN (?, ?) ORDER BY source LIMIT 20",
            [key, url],
        )
        evidence["sitemaps"] = [row[0] for row in sitemaps]
        return evidence

    def report(self, path: str | os.PathLike[str]) -> None:
        """Write the crawl as one HTML file that works offline and without scripts.

        It has the pages by verdict and depth, pages that did not answer 200, and what the sitemaps
        list, with the SQL query of each number.

        Raises:
            urlset.TargetError: The file cannot be written.
            ValueError: The file has the suffix of a data format.
        """
        from urlset.live.crawl.report import write_report

        write_report(self.store, path, self.site, self.started, self.verdicts, self.incomplete)

    def close(self) -> None:
        """Close the store, and delete a temporary one."""
        self.store.close()

    def _repr_html_(self) -> str:
        return html_table(self.caption, ["verdict", "pages"], self.verdicts.items())

    @property
    def subject(self) -> str:
        """The start of the crawl, as the end of a phrase."""
        return f"of {self.site}"

    @property
    def _totals(self) -> str:
        return pluralize(sum(self.verdicts.values()), "page")

    def to_dict(self) -> CrawlJson:
        """Return the counts, what is incomplete and the traps as values that JSON has."""
        pages = sum(self.verdicts.values())
        return values_of(self, CrawlJson, crawl=self.number, pages=pages, traps=self._trap_rows)


def _no_crawl(store: Store) -> StoreError:
    is_audited = store.has(VISIT_SCHEMA) and bool(list(store.query("FROM crawls LIMIT 1")))
    found = "one of an audit of listed pages only" if is_audited else "one without"
    return StoreError(
        f"expected a store with a crawl, found {found}: {store.path!r}; "
        "run `urlset crawl SITE --store FILE`"
    )
