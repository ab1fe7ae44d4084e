"""What this process waits for: each URL that is being fetched, and since when."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["slow_requests", "track"]

_waits: dict[object, tuple[str, float]] = {}


@contextmanager
def track(url: str) -> Iterator[None]:
    """Note that a URL is waited for, as long as this lasts."""
    key = object()
    _waits[key] = url, time.monotonic()
    try:
        yield
    finally:
        del _waits[key]


def slow_requests(least_s: float) -> list[tuple[str, float]]:
    """What has been waited for at least so many seconds, the slowest first; from any thread.

    >>> with track("https://example.com/sitemap.xml"):
    ...     [(url, round(seconds)) for url, seconds in slow_requests(0)]
    [('https://example.com/sitemap.xml', 0)]
    """
    now = time.monotonic()
    # Beware: only a copy made at once may be looked through while other threads go on.
    waits = [(url, now - began) for url, began in list(_waits.values())]
    slow = [(url, seconds) for url, seconds in waits if seconds >= least_s]
    return sorted(slow, key=lambda wait: -wait[1])
