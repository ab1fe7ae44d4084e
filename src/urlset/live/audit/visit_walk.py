"""Visit listed pages: a walk without I/O that requests them and records the responses."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from datetime import datetime
from functools import partial
from typing import Any

from urlset.http import Request, Response
from urlset.live.visits.pace import Pace
from urlset.live.visits.page_record import (
    confirm_failure,
    disallowed_record,
    is_doubtful,
    is_excluded_meanwhile,
    read_record,
)
from urlset.live.visits.page_rows import PageRows, rows_of
from urlset.live.visits.page_urls import UrlResolver, section_of
from urlset.live.visits.page_worker import MAX_PENDING, STOP_S, PageWorker
from urlset.live.visits.polite_walk import Budget, PoliteWalk, RobotsFiles, VisitTarget
from urlset.robots import Robots

_FACTS = (
    "title", "language", "fingerprint", "canonical", "canonical_from", "canonicals", "robots",
    "robots_from", "unavailable_after", "refresh", "alternates", "lastmod", "lastmod_text",
    "lastmod_from", "images", "link_count", "has_scripts", "etag", "last_modified",
)  # fmt: skip
"""Columns with facts of a page; a URL that redirects has none, its target has them."""

_LOOPS = ("redirect-loop", "too-many-redirects", "bad-redirect")

WORKER_FROM = 500
"""Visits from which a second process reads the pages: its start takes half a second."""


class VisitWalk(PoliteWalk[VisitTarget, PageRows]):
    """Walk over pages that yields the rows of each.

    A response that may be temporary is recorded as unknown; a second walk with ``is_second``
    confirms it.
    """

    def __init__(
        self,
        targets: Iterator[VisitTarget],
        robots: RobotsFiles,
        pace: Pace,
        budget: Budget,
        *,
        crawl: int,
        hosts: Collection[str] = (),
        is_second: bool = False,
        delay_s: float = 0.0,
        now: datetime | None = None,
    ):
        super().__init__(targets, robots, pace, budget, hosts=hosts, delay_s=delay_s)
        self._crawl = crawl
        self._now = now
        self._read = partial(_read_visit, UrlResolver(), is_second, now)
        self._handled = 0
        self._worker: PageWorker | None = None

    def request_for(self, target: VisitTarget) -> Request:
        """Return the request for a page, conditional if the target has validators."""
        return Request(
            target.url,
            None,
            "page",
            etag=target.etag,
            last_modified=target.last_modified,
            ends_at_head=target.ends_at_head,
        )

    def results_of(self, response: Response) -> Iterator[PageRows]:
        """Yield rows of pages that have been read; the page of the response may be read later."""
        if is_excluded_meanwhile(response):
            request = response.request
            self._ready.append(VisitTarget(request.url, ends_at_head=request.ends_at_head))
            return
        values = {"crawl": self._crawl}
        self._handled += 1
        if self._handled == WORKER_FROM and (os.cpu_count() or 1) > 1:
            self._worker = PageWorker(self._read)
        if self._worker is None:
            yield self._read(response, values)
            return
        self._worker.submit(response, values)
        yield from self._worker.take(waits=self._worker.pending >= MAX_PENDING)

    def results_of_refusal(self, target: VisitTarget, robots: Robots) -> Iterator[PageRows]:
        """Yield the rows of a page that robots.txt disallows."""
        record = disallowed_record(target.url, robots, self._now)
        record.row["crawl"] = self._crawl
        if robots.state == "unreachable":
            record.row["verdict"] = "unknown"
        yield rows_of(record, has_line=False)

    def close(self) -> Iterator[PageRows]:
        """End the walk and its worker process; yield the remaining rows."""
        yield from super().close()
        worker, self._worker = self._worker, None
        if worker is not None:
            try:
                while worker.pending:
                    yield from worker.take(waits=True)
            finally:
                worker.close()

    def stop(self) -> Iterator[PageRows]:
        """End the walk and its worker; yield the rows that are ready."""
        yield from super().stop()
        worker, self._worker = self._worker, None
        if worker is not None:
            yield from worker.stop(STOP_S)


def _read_visit(
    resolver: UrlResolver,
    is_second: bool,
    now: datetime | None,
    response: Response,
    values: dict[str, Any],
) -> PageRows:
    """Return the rows of the response for a listed page, with its redirects."""
    url = response.request.url
    final = response
    if response.url != url:
        final = response._replace(request=response.request._replace(url=response.url))
    record = read_record(final, resolver, now=now, has_links=False)
    row = record.row
    row |= values
    row["url"] = url
    row["section"] = section_of(url)
    row["attempts"] = response.attempts + is_second
    if response.request.ends_at_head:
        # What a head has says nothing about the content.
        row |= dict.fromkeys(("fingerprint", "link_count", "has_scripts"))
    if response.error in _LOOPS:
        row |= {"verdict": "redirect-loop", "unknown_reason": None}
    elif response.redirects and not is_doubtful(record):
        row |= {"verdict": "redirect", "unknown_reason": None}
    elif is_second and _is_permanent_redirect(response):
        row |= {"verdict": "redirect", "unknown_reason": None, "final_status": None}
    if response.redirects:
        statuses = response.redirect_statuses
        row["redirects"] = [
            {"url": hop, "status": status}
            for hop, status in zip(response.redirects, statuses, strict=False)
        ]
        row |= dict.fromkeys(_FACTS)
        row |= {"status": statuses[0] if statuses else None, "is_indexable": False}
        row |= {"is_noindex": False, "is_html": False, "final_url": response.url}
    elif is_second and is_doubtful(record):
        confirm_failure(record)
    return rows_of(record._replace(url=url, links=[]), has_line=False)


def _is_permanent_redirect(response: Response) -> bool:
    """Return whether the first redirect is permanent, so that it stands if its target fails.

    A temporary one may lead to the challenge page of a firewall.
    """
    return response.redirect_statuses[:1] in ((301,), (308,))
