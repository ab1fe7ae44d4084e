"""Cache of robots.txt by host: rules, declared sitemaps and crawl delays for a site walk."""

from __future__ import annotations

from collections.abc import Iterator

from urlset.http import NetworkScope, Request, Response, document_key, origin_of
from urlset.reader.discovery import MAX_LEADS, MAX_ROBOTS, Attempt, robots_attempt
from urlset.reader.documents import Visit, robots_failure
from urlset.robots import Robots, robots_from_response

__all__ = ["RobotsCache"]


class RobotsCache:
    """The robots.txt files of a walk by origin; requests missing ones if ``fetches`` is set.

    ``files`` holds every robots.txt that was received, ``attempts`` the results of the requests
    made here.
    """

    def __init__(self, agent: str, *, fetches: bool):
        self.files: dict[str, Robots] = {}
        self.attempts: list[Attempt] = []
        self._agent = agent
        self._fetches = fetches
        self._pending: dict[str, str] = {}  # origin by the URL of its requested robots.txt
        self._declared: dict[str, str] = {}
        self._delays: dict[str, float] = {}
        self._unpublished: dict[str, tuple[Response, Robots]] = {}

    def request_for(self, url: str, scope: NetworkScope) -> Request | None:
        """Return a request for the robots.txt of a URL's host; None if known or requested."""
        origin = origin_of(url)
        if not self._fetches or origin is None:
            return None
        if origin in self.files or origin in self._pending.values():
            return None
        robots_url = f"{origin}/robots.txt"
        self._pending[robots_url] = origin
        return Request(robots_url, None, "robots", scope=scope, max_bytes=MAX_ROBOTS)

    def is_pending(self, url: str) -> bool:
        """Return whether the robots.txt of a URL's host is requested and has not arrived."""
        return bool(self._pending) and origin_of(url) in self._pending.values()

    def has_requested(self, response: Response) -> bool:
        """Return whether a response belongs to a request of this cache."""
        return response.request.token is None and response.request.url in self._pending

    def receive(self, response: Response) -> str:
        """Add the response to a request of this cache; return its origin.

        Its rules apply from now on, its declarations from :meth:`publish` on.
        """
        origin = self._pending.pop(response.request.url)
        robots = robots_from_response(response)
        self._store(origin, robots)
        self._unpublished[origin] = response._replace(body=b""), robots
        return origin

    def publish(self, origin: str) -> Iterator[Visit]:
        """Apply the declarations of the robots.txt of an origin; yield its failure, if any."""
        if origin not in self._unpublished:
            return
        response, robots = self._unpublished.pop(origin)
        self.attempts.append(robots_attempt(response, robots))
        self._declare(robots)
        yield from robots_failure(response, robots)

    def add(self, origin: str, robots: Robots) -> None:
        """Add a robots.txt; it applies to the requested origin and to that of its final URL."""
        self._store(origin, robots)
        self._declare(robots)

    def _store(self, origin: str, robots: Robots) -> None:
        for key in (origin, origin_of(robots.url) or origin):
            if key not in self.files:
                self.files[key] = robots
                self._delays[key] = robots.crawl_delay_s(self._agent)

    def _declare(self, robots: Robots) -> None:
        for line in robots.sitemaps[:MAX_LEADS]:
            self._declared.setdefault(document_key(line.url), robots.url)

    def declared_by(self, url: str) -> str | None:
        """Return the URL of a known robots.txt that declares a sitemap, or None."""
        return self._declared.get(document_key(url))

    def disallowed_by(self, url: str) -> str | None:
        """Return the URL of the robots.txt that disallows a URL, or None.

        A robots.txt that could not be fetched disallows nothing.
        """
        robots = self.files.get(origin_of(url) or "")
        if robots is None or robots.state != "read" or robots.allows(url, self._agent):
            return None
        return robots.url

    def delay_s(self, url: str) -> float:
        """Return the ``Crawl-delay`` of a URL's host in seconds; 0 if unknown."""
        return self._delays.get(origin_of(url) or "", 0.0)
