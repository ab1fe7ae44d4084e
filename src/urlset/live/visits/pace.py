"""Pace of a crawl: requests to a host slow down when its response time rises."""

from __future__ import annotations

from collections import deque
from statistics import median

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
        """Add a response with status 429 or 503: pause as the host asks; slow down if repeated."""
        self._are_refusals.append(True)
        if sum(self._are_refusals) >= MIN_REFUSALS:
            self._are_refusals.clear()
            self._slow_down(max(self.delay_s, MIN_DELAY_S))
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
        """Return the pace of a host; the first call creates it, with ``crawl_delay_s``."""
        if origin not in self._hosts:
            self._hosts[origin] = HostPace(max(self._delay_s, crawl_delay_s))
        return self._hosts[origin]

    def wait_s(self, origin: str, now: float) -> float:
        """Return the seconds until the host may be asked again, because of ``Retry-After``."""
        return max(0.0, self.of(origin).resume_at - now)
