"""Walk over URLs that obeys robots.txt, pauses and limits; no network I/O."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator
from threading import Lock
from typing import Generic, NamedTuple, Protocol, TypeVar

from urlset.http import NetworkScope, Request, Response, origin_of, retry_after_s
from urlset.live.visits.pace import Pace
from urlset.robots import MAX_BYTES as MAX_ROBOTS
from urlset.robots import Robots, robots_from_response
from urlset.urls import split_origin

REFUSALS = frozenset({429, 503})
"""Statuses by which a host asks for a slower pace."""

MAX_FAILURES = 50
"""Requests in sequence without any response after which a walk ends: the host is down."""


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
        if response.status in REFUSALS:
            host.refuse(time.monotonic(), retry_after_s(response.headers.get("retry-after")))
        elif response.first_byte_s is not None:
            host.observe(response.first_byte_s, time.monotonic())
