"""Register of what this process waits for: HTTP requests, sources, and pauses between requests."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager

logger: logging.Logger = logging.getLogger("urlset.http")

_requests: dict[object, tuple[str, float]] = {}
_waits: dict[object, tuple[str, float, float]] = {}


class track:
    """Register a URL, or the name of a source, as being waited for during a ``with`` block."""

    def __init__(self, url: str) -> None:
        self._url = url

    def __enter__(self) -> None:
        _requests[self] = self._url, time.monotonic()

    def __exit__(self, *_: object) -> None:
        del _requests[self]


def slow_requests(min_s: float) -> list[tuple[str, float]]:
    """Return the URLs and sources that are waited for since ``min_s`` seconds, slowest first.

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


@contextmanager
def track_wait(reason: str, seconds: float, *, is_logged: bool = True) -> Iterator[None]:
    """Register a wait of some seconds, with its reason, during a ``with`` block."""
    if is_logged and seconds >= 1:
        logger.info("waiting %.0f s %s", seconds, reason)
    key, now = object(), time.monotonic()
    _waits[key] = reason, now, now + seconds
    try:
        yield
    finally:
        del _waits[key]


def long_waits(min_s: float) -> dict[str, float]:
    """Return the reasons of waits of at least ``min_s`` seconds, with the seconds that are left.

    May be called from any thread.

    >>> with track_wait("the recheck", 60):
    ...     [(reason, round(left)) for reason, left in long_waits(1).items()]
    [('the recheck', 60)]
    """
    now = time.monotonic()
    found: dict[str, float] = {}
    for reason, began, end in list(_waits.values()):
        if end - began >= min_s:
            found[reason] = max(found.get(reason, 0.0), end - now, 0.0)
    return found
