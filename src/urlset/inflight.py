"""Register of the HTTP requests in flight in this process: each URL and its start time."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["slow_requests", "track"]

_requests: dict[object, tuple[str, float]] = {}


@contextmanager
def track(url: str) -> Iterator[None]:
    """Register a URL as being fetched during a ``with`` block."""
    key = object()
    _requests[key] = url, time.monotonic()
    try:
        yield
    finally:
        del _requests[key]


def slow_requests(min_s: float) -> list[tuple[str, float]]:
    """Return the URLs that have been in flight for at least ``min_s`` seconds, slowest first.

    Each comes with its age in seconds. May be called from any thread.

    >>> with track("https://example.com/sitemap.xml"):
    ...     [(url, round(seconds)) for url, seconds in slow_requests(0)]
    [('https://example.com/sitemap.xml', 0)]
    """
    now = time.monotonic()
    # Note: other threads change the dict meanwhile; list() copies it in one step.
    requests = [(url, now - started) for url, started in list(_requests.values())]
    slow = [(url, seconds) for url, seconds in requests if seconds >= min_s]
    return sorted(slow, key=lambda request: -request[1])
