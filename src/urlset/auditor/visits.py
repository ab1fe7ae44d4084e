"""Visit listed pages: a walk without I/O that requests them and records the responses."""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator
from datetime import datetime
from functools import partial
from threading import Lock
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from urlset.crawler import MAX_FAILURES
from urlset.crawler.pace import Pace
from urlset.crawler.page_record import (
    confirm_failure,
    disallowed_record,
    is_doubtful,
    is_excluded_meanwhile,
    read_record,
)
from urlset.crawler.page_rows import PageRows, rows_of
from urlset.crawler.page_urls import UrlResolver, section_of
from urlset.crawler.page_worker import MAX_PENDING, STOP_S, PageWorker
from urlset.http import NetworkScope, Request, Response, origin_of, retry_after_s
from urlset.robots import MAX_BYTES as MAX_ROBOTS
from urlset.robots import Robots, robots_from_response
from urlset.urls import split_origin

_FACTS = (
    "title", "language", "fingerprint", "canonical", "canonical_from", "canonicals", "robots",
    "robots_from", "unavailable_after", "refresh", "alternates", "lastmod", "lastmod_text",
    "lastmod_from", "images", "link_count", "has_scripts", "etag", "last_modified",
)  # fmt: skip
"""Columns with facts of a page; a URL that redirects has none, its target has them."""

_LOOPS = ("redirect-loop", "too-many-redirects", "bad-redirect")
_REFUSALS = frozenset({429, 503})

WORKER_FROM = 500
"""Visits from which a second process reads the pages: its start takes half a second."""


class _HasUrl(Protocol):
    @property
    def url(self) -> str: ...


T = TypeVar("T", bound=_HasUrl)
R = TypeVar("R")


class VisitTarget(NamedTuple):
    """A URL to visit, with the validators of its stored response."""

    url: str
    etag: str | None = None
    last_modified: str | None = None
    ends_at_head: bool = False


class Budget:
    """Limits of an audit: requests, with their redirects and retries, and time.

    Threads may use it at the same time.

    Attributes:
        requests: Number of requests that were started.
        exceeded: What ended the audit: ``limit of requests``, ``limit of time`` or
            ``no response``; None if nothing did.
    """

    def __init__(
        self,
        max_requests: int | None = None,
        max_minutes: float | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
    ):
        self.requests: int = 0
        self.began: float = clock()
        self.exceeded: str | None = None
        self._failures = 0
        self._max_requests = max_requests
        self._end = None if max_minutes is None else self.began + 60 * max_minutes
        self._clock = clock
        self._lock = Lock()

    def spend(self) -> bool:
        """Return whether another request may be started, and count it."""
        with self._lock:
            self.has_time()
            if self._max_requests is not None and self.requests >= self._max_requests:
                self.exceeded = "limit of requests"
            self.requests += self.exceeded is None
            return self.exceeded is None

    @property
    def is_unanswered(self) -> bool:
        """Whether too many requests in sequence failed, so that the audit ends."""
        return self._failures >= MAX_FAILURES

    def has_time(self) -> bool:
        """Return whether the limit of the duration is not reached; if it is, end the audit."""
        if self._end is not None and self._clock() >= self._end:
            self.exceeded = self.exceeded or "limit of time"
            return False
        return True

    def observe(self, *, is_answered: bool) -> None:
        """End the audit after :data:`MAX_FAILURES` requests in sequence without a response."""
        self._failures = 0 if is_answered else self._failures + 1
        if self.is_unanswered:
            self.exceeded = f"no response: the last {self._failures} requests failed"


class RobotsFiles:
    """The robots.txt files of the hosts of an audit, requested when first needed."""

    def __init__(self, agent: str = "urlset"):
        self._agent = agent
        self._files: dict[str, Robots] = {}
        self._pending: dict[str, str] = {}

    def request_for(self, origin: str) -> Request | None:
        """Return a request for the robots.txt of a host; None if it is known or requested."""
        url = f"{origin}/robots.txt"
        if origin in self._files or url in self._pending:
            return None
        self._pending[url] = origin
        return Request(url, None, "robots", max_bytes=MAX_ROBOTS + 1)

    def is_pending(self, origin: str) -> bool:
        """Return whether the robots.txt of a host was requested and has not arrived."""
        return f"{origin}/robots.txt" in self._pending

    def receive(self, response: Response) -> str | None:
        """Add a response; return its host, or None if it is not for a robots.txt."""
        if response.request.purpose != "robots":
            return None
        origin = self._pending.pop(response.request.url, None)
        if origin is not None:
            self._files[origin] = robots_from_response(response)
        return origin

    def refusal(self, url: str, origin: str) -> Robots | None:
        """Return the robots.txt of the host if it disallows a URL; None if the URL is allowed."""
        robots = self._files.get(origin)
        return None if robots is None or robots.allows(url, self._agent) else robots

    def file_of(self, origin: str) -> Robots | None:
        """Return the robots.txt of a host; None if it was not requested."""
        return self._files.get(origin)

    def crawl_delay_s(self, origin: str) -> float:
        """Return the ``Crawl-delay`` of a host in seconds; 0 if there is none."""
        robots = self._files.get(origin)
        return robots.crawl_delay_s(self._agent) if robots is not None else 0.0


class PoliteWalk(Generic[T, R]):
    """Walk over URLs that obeys robots.txt, ``Crawl-delay``, ``Retry-After`` and a budget.

    Args:
        targets: What to request; each has a ``url``.
        robots: The robots.txt files.
        pace: Delays between requests, which react to response times.
        budget: Limits of the audit. URLs beyond it yield nothing.
        hosts: Hosts that the user named, which may have private addresses.
        delay_s: Least time between two requests to a host, in seconds.
    """

    def __init__(
        self,
        targets: Iterator[T],
        robots: RobotsFiles,
        pace: Pace,
        budget: Budget,
        *,
        hosts: Collection[str] = (),
        delay_s: float = 0.0,
    ):
        self._hosts = hosts
        self._targets = targets
        self._robots = robots
        self._pace = pace
        self._budget = budget
        self._delay_s = delay_s
        self._held: dict[str, list[T]] = {}
        self._ready: deque[T] = deque()
        self._refused: deque[R] = deque()

    def next_request(self) -> Request | None:
        """Return the next request; a URL waits until the robots.txt of its host has arrived."""
        while True:
            target = self._ready.popleft() if self._ready else next(self._targets, None)
            if target is None:
                return None
            origin = origin_of(target.url) or ""
            if request := self._robots.request_for(origin):
                self._held.setdefault(origin, []).append(target)
                return request._replace(scope=self._scope_of(origin))
            if self._robots.is_pending(origin):
                self._held.setdefault(origin, []).append(target)
                continue
            refusal = self._robots.refusal(target.url, origin)
            if refusal is not None:
                self._refused.extend(self.results_of_refusal(target, refusal))
                continue
            if not self._budget.spend():
                return None
            host = self._pace.of(origin, self._robots.crawl_delay_s(origin))
            return self.request_for(target)._replace(
                scope=self._scope_of(origin),
                delay_s=max(host.delay_s, self._delay_s),
                wait_s=self._pace.wait_s(origin, time.monotonic()),
                may_continue=self._budget.spend,
            )

    def handle(self, response: Response) -> Iterator[R]:
        """Process a response; yield its results, and those of URLs that robots.txt disallows."""
        origin = self._robots.receive(response)
        if origin is not None:
            self._ready.extend(self._held.pop(origin, ()))
        elif response.request.purpose != "robots":
            self._observe(response)
            is_answered = response.status is not None or response.error == "limit"
            self._budget.observe(is_answered=is_answered)
            yield from self.results_of(response)
        yield from self.refused()

    def refused(self) -> Iterator[R]:
        """Yield the waiting results of URLs that robots.txt disallows."""
        while self._refused:
            yield self._refused.popleft()

    def close(self) -> Iterator[R]:
        """End the walk; yield its remaining results."""
        return self.refused()

    def stop(self) -> Iterator[R]:
        """End the walk after an interruption; yield the results that are ready."""
        return self.refused()

    def request_for(self, target: T) -> Request:
        """Return the request for a target."""
        raise NotImplementedError

    def results_of(self, response: Response) -> Iterable[R]:
        """Return the results of a response."""
        raise NotImplementedError

    def results_of_refusal(self, target: T, robots: Robots) -> Iterable[R]:
        """Return the results for a URL that robots.txt disallows."""
        raise NotImplementedError

    def _scope_of(self, origin: str) -> NetworkScope:
        return "anywhere" if split_origin(origin)[1] in self._hosts else "public"

    def _observe(self, response: Response) -> None:
        host = self._pace.of(origin_of(response.url) or "")
        if response.status in _REFUSALS:
            host.refuse(time.monotonic(), retry_after_s(response.headers.get("retry-after")))
        elif response.first_byte_s is not None:
            host.observe(response.first_byte_s, time.monotonic())


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
