"""Limits of a run: requests, time, and requests in sequence without a response."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Lock
from typing import Literal

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
