"""Responses that the phases of one run share: each robots.txt, and the home page."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Lock

from urlset.http.models import Request, Response

MAX_KNOWN_BYTES = 32 << 20
"""Bytes of the robots.txt files that are kept; then those that were used first are removed."""

MAX_AGE_S = 24 * 3600.0
"""Age up to which a robots.txt is used (RFC 9309 section 2.4)."""

_NOT_REQUESTED = ("paused", "silent", "unsent", "blocked", "bad-url")

ROW_BYTES = 1_000
"""Memory of a response without its body."""


class KnownResponses:
    """Responses of a run that later phases use in place of a request of their own.

    A robots.txt is requested once for each host, also if it cannot be read: it then disallows
    everything, whatever the phase. The home page from the search for sitemaps is used once, for the
    first visit of the page. Threads may use it at the same time.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic):
        self._now = now
        self._robots: dict[str, tuple[Response, float]] = {}
        self._size = 0
        self._home: Response | None = None
        self._lock = Lock()

    def take(self, request: Request) -> Response | None:
        """Return the response to a request, with ``request`` as its request; None if unknown."""
        with self._lock:
            if request.purpose == "robots":
                found = self._robots_of(request)
            else:
                found = self._home_of(request)
        return None if found is None else found._replace(request=request)

    def keep(self, response: Response) -> None:
        """Keep the response to a request for a robots.txt or the home page."""
        request = response.request
        if request.purpose == "robots" and not request.headers and response.status != 304:
            if response.error not in _NOT_REQUESTED:
                with self._lock:
                    self._add(request.url, response._replace(request=_bare(request)))
        elif request.purpose == "home" and not response.redirects:
            is_whole = response.has_document and response.is_whole and response.error is None
            if is_whole and not response.is_from_cache:
                with self._lock:
                    self._home = response._replace(request=_bare(request))

    def forget_failures(self) -> None:
        """Remove each robots.txt that could not be read, so that it is requested again."""
        with self._lock:
            for url, (response, _) in list(self._robots.items()):
                if response.status is None or response.status >= 429:
                    self._remove(url)

    def _robots_of(self, request: Request) -> Response | None:
        response, since = self._robots.get(request.url, (None, 0.0))
        if response is None or request.headers:
            return None
        if self._now() - since > MAX_AGE_S:
            self._remove(request.url)
            return None
        # A private host stays one that only requests of the user may be sent to.
        is_allowed = response.scope == "public" or request.scope != "public"
        return response if is_allowed else None

    def _home_of(self, request: Request) -> Response | None:
        home = self._home
        if home is None or request.purpose != "page" or request.url != home.request.url:
            return None
        if request.headers or request.method != "GET":
            return None  # a conditional request may get the whole page, too
        self._home = None
        return home

    def _add(self, url: str, response: Response) -> None:
        self._remove(url)
        self._robots[url] = response, self._now()
        self._size += len(response.body) + ROW_BYTES
        while self._size > MAX_KNOWN_BYTES:
            self._remove(next(iter(self._robots)))

    def _remove(self, url: str) -> None:
        response, _ = self._robots.pop(url, (None, 0.0))
        if response is not None:
            self._size -= len(response.body) + ROW_BYTES


def _bare(request: Request) -> Request:
    """Return a request without the object of its walk, which must not outlive the walk."""
    return request._replace(token=None)
