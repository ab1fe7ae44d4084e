"""The robots.txt of the hosts that a walk comes to: what they forbid, declare and ask for."""

from __future__ import annotations

from collections.abc import Iterator

from urlset.http import NetworkScope, Request, Response, document_key, origin_of
from urlset.reader.discovery import MAX_LEADS, MAX_ROBOTS, Attempt, trial_of_robots
from urlset.reader.documents import Visit
from urlset.reader.http_documents import failed_robots
from urlset.robots import Robots, robots_of

__all__ = ["RobotsCache"]


class RobotsCache:
    """What is known of robots.txt, by origin; asks for those that are not, where that is wanted.

    ``files`` has each that was heard, ``trials`` what came of those that were asked for here.
    """

    def __init__(self, agent: str, *, is_asking: bool):
        self.files: dict[str, Robots] = {}
        self.trials: list[Attempt] = []
        self._agent = agent
        self._is_asking = is_asking
        self._awaited: dict[str, str] = {}  # the origin of each URL that is asked for
        self._declared: dict[str, str] = {}
        self._delays: dict[str, float] = {}
        self._unpublished: dict[str, tuple[Response, Robots]] = {}

    def ask(self, url: str, scope: NetworkScope) -> Request | None:
        """Ask for the robots.txt of a URL's host; None where it is known or asked for already."""
        origin = origin_of(url)
        if not self._is_asking or origin is None:
            return None
        if origin in self.files or origin in self._awaited.values():
            return None
        place = f"{origin}/robots.txt"
        self._awaited[place] = origin
        return Request(place, None, "robots", scope=scope, max_bytes=MAX_ROBOTS)

    def awaits(self, url: str) -> bool:
        """Tell whether the robots.txt of a URL's host is asked for and not here yet."""
        return bool(self._awaited) and origin_of(url) in self._awaited.values()

    def is_awaited(self, response: Response) -> bool:
        """Tell the answer to a request of ours."""
        return response.request.token is None and response.request.url in self._awaited

    def take(self, response: Response) -> str:
        """Take such an answer, which holds from now on; return the origin that it is about.

        What it declares counts from :meth:`publish` on.
        """
        origin = self._awaited.pop(response.request.url)
        robots = robots_of(response)
        self._keep(origin, robots)
        self._unpublished[origin] = response._replace(body=b""), robots
        return origin

    def publish(self, origin: str) -> Iterator[Visit]:
        """Let the sitemaps count that the robots.txt of an origin declares; yield its failure."""
        if origin not in self._unpublished:
            return
        response, robots = self._unpublished.pop(origin)
        self.trials.append(trial_of_robots(response, robots))
        self._declare(robots)
        yield from failed_robots(response, robots)

    def note(self, origin: str, robots: Robots) -> None:
        """Take note of a robots.txt; it holds where it was asked for, and where it was found."""
        self._keep(origin, robots)
        self._declare(robots)

    def _keep(self, origin: str, robots: Robots) -> None:
        for place in (origin, origin_of(robots.url) or origin):
            if place not in self.files:
                self.files[place] = robots
                self._delays[place] = robots.crawl_delay_s(self._agent)

    def _declare(self, robots: Robots) -> None:
        for line in robots.sitemaps[:MAX_LEADS]:
            self._declared.setdefault(document_key(line.url), robots.url)

    def declared_by(self, url: str) -> str | None:
        """The robots.txt that declares a sitemap, if one does that is known."""
        return self._declared.get(document_key(url))

    def disallowed_by(self, url: str) -> str | None:
        """The robots.txt that forbids to fetch a URL; one that did not come forbids nothing."""
        robots = self.files.get(origin_of(url) or "")
        if robots is None or robots.state != "read" or robots.allows(url, self._agent):
            return None
        return robots.url

    def delay_s(self, url: str) -> float:
        """The ``Crawl-delay`` of a URL's host; 0 where none is known."""
        return self._delays.get(origin_of(url) or "", 0.0)
