"""What the walks of one run share: robots.txt files, pace, limits, hosts that the user named."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping
from statistics import median
from threading import Lock
from typing import Literal

from urlset.errors import SourceError
from urlset.http import NetworkScope, Policy, Request, Response, retry_after_s, without_secrets
from urlset.http.request_url import host_of
from urlset.live.visits.page_urls import origin_of_page
from urlset.reader import is_url
from urlset.reader.files import url_of_site
from urlset.reader.site import product_token
from urlset.robots import MAX_BYTES, Robots, robots_from_response
from urlset.urls import split_origin

MAX_FAILURES = 50
"""Requests in sequence without any response after which a run ends: the host is down."""

Limit = Literal["requests", "minutes", "response"]
"""Limit that ended a run; ``response`` for :data:`MAX_FAILURES`."""

_TEXTS: dict[Limit, str] = {
    "requests": "limit of requests (max-requests)",
    "minutes": "limit of time (max-minutes)",
    "response": f"no response: the last {MAX_FAILURES} requests failed",
}


class Budget:
    """Limits of a run: requests, with their redirects and retries, and time.

    Threads may use it at the same time.

    Attributes:
        requests: Number of requests that were started.
        limit: The limit that ended the run; None if none did.

    Args:
        max_requests: Number of requests; None for no limit.
        max_minutes: Duration in minutes; None for no limit.
        requests: Requests that count as started, of an earlier session.
        start_s: Time of the clock from which the duration counts; None for now.
        clock: Monotonic clock in seconds.
    """

    def __init__(
        self,
        max_requests: int | None = None,
        max_minutes: float | None = None,
        *,
        requests: int = 0,
        start_s: float | None = None,
        clock: Callable[[], float] = time.monotonic,
    ):
        self.requests: int = requests
        self.limit: Limit | None = None
        self._failures = 0
        self._max_requests = max_requests
        start_s = clock() if start_s is None else start_s
        self._end = start_s + 60 * max_minutes if max_minutes is not None else None
        self._clock = clock
        self._lock = Lock()

    @property
    def exceeded(self) -> str | None:
        """The limit that ended the run, as text; None if none did."""
        return None if self.limit is None else _TEXTS[self.limit]

    @property
    def is_unanswered(self) -> bool:
        """Whether the run ended because too many requests in sequence failed."""
        return self.limit == "response"

    def spend(self, count: int = 1, wait_s: float = 0.0) -> bool:
        """Return whether another request may be started in some seconds, and count it.

        ``count`` is 0 for a request that counts for no limit but that of the time.
        """
        with self._lock:
            if self._end is not None:
                self.has_time(wait_s)
            is_spent = self._max_requests is not None and self.requests >= self._max_requests
            if count and is_spent and self.limit is None:
                self.limit = "requests"
            if self.limit is not None:
                return False
            self.requests += count
            return True

    def refund(self, count: int) -> None:
        """Count requests no more that were not sent."""
        with self._lock:
            self.requests -= count

    def has_time(self, wait_s: float = 0.0) -> bool:
        """Return whether the limit of the duration is not reached in some seconds; else end."""
        if self._end is not None and self._clock() + wait_s >= self._end:
            self.limit = self.limit or "minutes"
            return False
        return True

    def observe(self, *, is_answered: bool) -> None:
        """End the run after :data:`MAX_FAILURES` requests in sequence without a response."""
        self._failures = 0 if is_answered else self._failures + 1
        if self._failures >= MAX_FAILURES:
            self.limit = "response"


WINDOW = 20
"""Responses whose median time to the first byte is compared with the base."""

SLOWER = 2.0
"""Ratio of the median to the base at which the rate of requests is halved."""

FASTER = 1.25
"""Ratio below which the rate recovers."""

RECOVERY = 0.8
"""Factor of the delay for each window of fast responses."""

MIN_DELAY_S = 0.05
"""A shorter delay, once the host recovers, is none."""

MAX_DELAY_S = 30.0

MAX_PAUSE_S = 600.0
"""Longest pause for one ``Retry-After``; after a longer one the client refuses all requests."""

MIN_REFUSALS = 3
"""Refusals (429, 503) among the last :data:`WINDOW` responses at which the rate is halved.

A single page that always refuses says nothing about the load of its host.
"""

NOISE_S = 0.2
"""Differences below this are not a sign of load: they are those of a fast host."""


class HostPace:
    """Delay between requests to one host, from the times to the first byte of its responses.

    The base is the lowest median so far. A median above twice the base halves the rate; below 1.25
    times the base the delay shrinks by a fifth for each window, down to the configured delay: that
    of an option, or ``Crawl-delay``.
    """

    def __init__(self, delay_s: float = 0.0):
        self._configured = delay_s
        self.delay_s: float = delay_s
        self.resume_at: float = 0.0
        self._base: float | None = None
        self._times: deque[float] = deque(maxlen=WINDOW)
        self._are_refusals: deque[bool] = deque(maxlen=WINDOW)
        self._since = 0
        self._window_began: float | None = None

    def require(self, delay_s: float) -> None:
        """Set the least delay, unless it is higher: a response may come before robots.txt."""
        self._configured = max(self._configured, delay_s)
        self.delay_s = max(self.delay_s, delay_s)

    def observe(self, first_byte_s: float, now: float) -> bool:
        """Add the time to the first byte of a response; return whether the pace changed."""
        self._times.append(first_byte_s)
        self._are_refusals.append(False)
        self._since += 1
        if self._window_began is None:
            self._window_began = now
        if self._since < WINDOW:
            return False
        middle = median(self._times)
        interval = (now - self._window_began) / self._since
        self._since, self._window_began = 0, now
        if self._base is None:
            self._base = middle
            return False
        if middle > SLOWER * self._base and middle - self._base > NOISE_S:
            return self._slow_down(interval)
        self._base = min(self._base, middle)
        if middle < FASTER * self._base + NOISE_S and self.delay_s > self._configured:
            self.delay_s *= RECOVERY
            if self.delay_s < max(self._configured, MIN_DELAY_S):
                self.delay_s = self._configured
            return True
        return False

    def refuse(self, now: float, retry_after_s: float | None) -> None:
        """Add a response with status 429 or 503: slow down if they are repeated."""
        self.pause(now, retry_after_s)
        self._are_refusals.append(True)
        if sum(self._are_refusals) >= MIN_REFUSALS:
            self._are_refusals.clear()
            self._slow_down(max(self.delay_s, MIN_DELAY_S))

    def pause(self, now: float, retry_after_s: float | None) -> None:
        """Start no request for some seconds, as the host asks."""
        if retry_after_s and retry_after_s <= MAX_PAUSE_S:
            self.resume_at = max(self.resume_at, now + retry_after_s)

    def _slow_down(self, interval: float) -> bool:
        self.delay_s = min(max(2 * self.delay_s, 2 * interval, MIN_DELAY_S), MAX_DELAY_S)
        return True


class Pace:
    """Pace of all hosts of a crawl."""

    def __init__(self, delay_s: float = 0.0):
        self._delay_s = delay_s
        self._hosts: dict[str, HostPace] = {}

    def of(self, origin: str, crawl_delay_s: float = 0.0) -> HostPace:
        """Return the pace of a host, whose delay is ``crawl_delay_s`` or more from now on."""
        if origin not in self._hosts:
            self._hosts[origin] = HostPace(self._delay_s)
        host = self._hosts[origin]
        host.require(crawl_delay_s)
        return host

    def wait_s(self, origin: str, now: float) -> float:
        """Return the seconds until the host may be asked again, because of ``Retry-After``."""
        return max(0.0, self.of(origin).resume_at - now)


REFUSALS = frozenset({429, 503})
"""Statuses by which a host asks for a slower pace."""

_NO_CONNECTION = ("blocked", "dns", "connect", "silent")

_PRIVATE_HOST = (
    "not requested: its address is private or special, and you {}; a sitemap must not lead to such "
    "addresses"
)


class Politeness:
    """The robots.txt files, pace and limits of one run, for all its walks.

    Attributes:
        agent: Product token of the crawler, for robots.txt.
        robots: The robots.txt files that were read, by origin.
        unread_robots: Messages about those that could not be read.
        pace: Delays between requests, which react to response times.
        budget: Limits of the run.

    Args:
        policy: Policy of the run: user agent and delay.
        budget: Limits; None for none.
        hosts: Hosts that the user named, which may have private addresses.
        scope: Addresses that requests to other hosts may be sent to.
        robots: robots.txt files that are known, by origin.
    """

    def __init__(
        self,
        policy: Policy,
        budget: Budget | None = None,
        *,
        hosts: Collection[str] = (),
        scope: NetworkScope = "public",
        robots: Mapping[str, Robots] | None = None,
    ):
        self.agent: str = product_token(policy.user_agent)
        self.robots: dict[str, Robots] = {}
        self.unread_robots: list[str] = []
        self.pace: Pace = Pace(policy.delay_s)
        self.budget: Budget = budget or Budget()
        self.clock = time.monotonic
        self._hosts = hosts
        self._scope: NetworkScope = scope
        self._unconnected: set[str] = set()
        for origin, file in (robots or {}).items():
            self._add(origin, file)

    def scope_of(self, origin: str) -> NetworkScope:
        """Return the addresses that requests to a host may be sent to."""
        return "anywhere" if origin.partition("://")[2] in self._hosts else self._scope

    def _not_named(self, origin: str) -> str:
        """Return what about the host of an origin the user did not name, as the end of a clause."""
        name = host_of(origin)
        for host in sorted(self._hosts):
            if host_of(f"https://{host}") == name:
                return f"named {host}, another port of its host"
        return "did not name its host"

    def may_follow(self, target: str) -> bool:
        """Return whether a redirect to a URL may be followed.

        It may if the robots.txt of its host is known, and allows it. A host to which there is no
        connection gets no request; following the redirect says why.
        """
        origin = origin_of_page(target)
        robots = self.robots.get(origin)
        is_allowed = robots is not None and robots.allows(target, self.agent)
        return is_allowed or origin in self._unconnected

    def robots_request(self, origin: str) -> Request:
        """Return the request for the robots.txt of a host."""
        return Request(
            f"{origin}/robots.txt",
            purpose="robots",
            scope=self.scope_of(origin),
            max_bytes=MAX_BYTES + 1,
            token=origin,
        )

    def receive_robots(self, response: Response, *, is_of_target: bool = True) -> None:
        """Add the robots.txt in a response, which is of a target's host, or of a redirect's."""
        origin, robots = str(response.request.token), robots_from_response(response)
        if response.error in _NO_CONNECTION:
            self._unconnected.add(origin)
        if robots.state == "unreachable":
            if response.error == "blocked":
                robots.reason = _PRIVATE_HOST.format(self._not_named(origin))
            if is_of_target:
                self.unread_robots.append(
                    f"robots.txt: {response.request.url} could not be read ({robots.reason}), so "
                    "that every page of its host is disallowed"
                )
        self._add(origin, robots)

    def observe(self, response: Response) -> None:
        """Adapt the pace of a host to its response; end the run if no host responds any more.

        A request that was made at a higher rate, before the host slowed down, says nothing about
        the present rate. One burst of refusals would halve it many times.
        """
        host = self.pace.of(origin_of_page(response.url))
        is_current = response.request.delay_s >= host.delay_s
        if response.status in REFUSALS:
            change = host.refuse if is_current else host.pause
            change(self.clock(), retry_after_s(response.headers.get("retry-after")))
        elif is_current and response.first_byte_s is not None:
            host.observe(response.first_byte_s, self.clock())
        is_answered = response.status is not None or response.error == "limit"
        self.budget.observe(is_answered=is_answered)

    def _add(self, origin: str, robots: Robots) -> None:
        self.robots[origin] = robots
        self.pace.of(origin, robots.crawl_delay_s(self.agent))


def named_hosts(names: Iterable[str | None], default: str) -> frozenset[str]:
    """Return the hosts of the URLs among names that the user gave; else that of ``default``.

    >>> named_hosts(["httpdocs/sitemap.xml", None], "https://example.com")
    frozenset({'example.com'})
    """
    hosts = {split_origin(name)[1] for name in names if name is not None and is_url(name)}
    return frozenset(hosts or {split_origin(default)[1]})


def no_url(expected: str, found: str) -> SourceError:
    """Return the error of a site that is no URL, with that of the site if it is a host."""
    url = url_of_site(found)
    advice = f"; write {url}" if url else ""
    return SourceError(f"expected {expected}, found {without_secrets(found)!r}{advice}")
