"""Visit listed pages: a walk without I/O that requests them and records the responses."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from functools import partial
from typing import Any, Unpack

from urlset.http import REDIRECTS, Request, Response
from urlset.live.visits.page_record import (
    confirm_failure,
    disallowed_record,
    is_doubtful,
    is_excluded_meanwhile,
    read_record,
)
from urlset.live.visits.page_rows import PageRows, rows_of, usual_rows
from urlset.live.visits.page_urls import UrlResolver, section_of
from urlset.live.visits.page_worker import PageReader
from urlset.live.visits.polite_walk import Manner, PoliteWalk, VisitTarget
from urlset.live.visits.politeness import Politeness
from urlset.robots import Robots

_FACTS = (
    "title", "language", "fingerprint", "canonical", "canonical_from", "canonicals", "robots",
    "robots_from", "unavailable_after", "refresh", "alternates", "lastmod", "lastmod_text",
    "lastmod_from", "images", "link_count", "has_scripts", "etag", "last_modified",
)  # fmt: skip
"""Columns with facts of a page; a URL that redirects has none, its target has them."""

_LOOPS = ("redirect-loop", "too-many-redirects", "bad-redirect")


class VisitWalk(PoliteWalk[VisitTarget, PageRows]):
    """Walk over pages that yields the rows of each.

    A response that may be temporary is recorded as unknown; a second walk with ``is_second``
    confirms it.
    """

    def __init__(
        self,
        targets: Iterator[VisitTarget],
        politeness: Politeness,
        *,
        crawl: int,
        is_second: bool = False,
        delay_s: float = 0.0,
        now: datetime | None = None,
    ):
        super().__init__(targets, politeness)
        self._crawl = crawl
        self._delay_s = delay_s
        self._now = now
        self._reader = PageReader(partial(_read_visit, UrlResolver(), is_second, now))

    def request_for(self, target: VisitTarget, **manner: Unpack[Manner]) -> Request:
        """Return the request for a page, conditional if the target has validators."""
        manner["delay_s"] = max(manner["delay_s"], self._delay_s)
        return Request(
            target.url,
            None,
            "page",
            etag=target.etag,
            last_modified=target.last_modified,
            ends_at_head=target.ends_at_head,
            token=target,
            **manner,
        )

    def results_of(self, response: Response) -> Iterator[PageRows]:
        """Yield rows of pages that have been read; the page of the response may be read later."""
        if is_excluded_meanwhile(response):
            request = response.request
            self._ready.append(VisitTarget(request.url, ends_at_head=request.ends_at_head))
        else:
            yield from self._reader.read(response, {"crawl": self._crawl})

    def results_of_refusal(self, target: VisitTarget, robots: Robots) -> Iterator[PageRows]:
        """Yield the rows of a page that robots.txt disallows."""
        record = disallowed_record(target.url, robots, self._now)
        record.row["crawl"] = self._crawl
        yield rows_of(record, has_line=False)

    def close(self) -> Iterator[PageRows]:
        """End the walk and its worker process; yield the remaining rows."""
        yield from super().close()
        yield from self._reader.close()

    def stop(self) -> Iterator[PageRows]:
        """End the walk and its worker; yield the rows that are ready."""
        yield from super().stop()
        yield from self._reader.stop()


def _read_visit(
    resolver: UrlResolver,
    is_second: bool,
    now: datetime | None,
    response: Response,
    values: dict[str, Any],
) -> PageRows:
    """Return the rows of the response for a listed page, with its redirects."""
    attempts = response.attempts + is_second
    if not response.request.ends_at_head:
        added = {**values, "attempts": attempts}
        rows = usual_rows(response, resolver, added, now=now, has_links=False)
        if rows is not None:
            return rows
    url = response.request.url
    final = response
    if response.url != url:
        final = response._replace(request=response.request._replace(url=response.url))
    record = read_record(final, resolver, now=now, has_links=False)
    row = record.row
    row |= values
    row["url"] = url
    row["section"] = section_of(url)
    row["attempts"] = attempts
    if response.request.ends_at_head:
        # What a head has says nothing about the content.
        row |= dict.fromkeys(("fingerprint", "link_count", "has_scripts"))
    if response.error in _LOOPS:
        row |= {"verdict": "redirect-loop", "unknown_reason": None}
    elif response.redirects and not is_doubtful(record):
        row |= {"verdict": "redirect", "unknown_reason": None}
    elif is_second and response.redirect_statuses[:1] in ((301,), (308,)):
        # It stands if its target fails; a temporary one may lead to the challenge of a firewall.
        row |= {"verdict": "redirect", "unknown_reason": None, "final_status": None}
    if response.redirects:
        statuses = response.redirect_statuses
        row["redirects"] = [
            {"url": hop, "status": status}
            for hop, status in zip(response.redirects, statuses, strict=False)
        ]
        if response.status in REDIRECTS and response.error is None:
            # robots.txt disallows the target of the last one.
            row["redirects"].append({"url": response.url, "status": response.status})
        else:
            row["final_url"] = response.url
        row |= dict.fromkeys(_FACTS)
        row |= {"status": statuses[0] if statuses else None, "is_indexable": False}
        row |= {"is_noindex": False, "is_html": False}
    elif is_second and is_doubtful(record):
        confirm_failure(record)
    return rows_of(record._replace(url=url, links=[]), has_line=False)
