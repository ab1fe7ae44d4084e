"""Find the sitemaps of a site: robots.txt, links of the home page, well-known paths, feeds.

First robots.txt and the home page are fetched. If they name no sitemap, the well-known paths are
tried; if none of those is a sitemap, the feeds of the home page. Declarations in robots.txt are
followed even if they are disallowed, as search engines do; other URLs only if they are allowed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from urlset.errors import SourceError
from urlset.http import NetworkScope, Request, Response, document_key, origin_of, request_url
from urlset.option_names import is_available, option
from urlset.protocol import WELL_KNOWN_PATHS
from urlset.reader.documents import Visit, robots_failure
from urlset.robots import MAX_BYTES, Robots, robots_from_response
from urlset.urls import resolve

How = Literal["robots", "link", "well-known", "feed"]

MAX_ROBOTS = 8 * MAX_BYTES
MAX_PAGE = 2 * 1_048_576
REFUSED = (401, 403)
"""Statuses of a server that refuses to answer, so that it is unknown what a URL is."""
MAX_LEADS = 10_000
"""Sitemaps that are followed from one robots.txt; a hostile one of 4 MB declares 200,000."""


class Lead(NamedTuple):
    """A URL that may be a sitemap: how it was found, the document that names it, its scope."""

    url: str
    how: How
    parent: str | None
    scope: NetworkScope
    delay_s: float = 0.0


class Attempt(NamedTuple):
    """A URL that was tried in the search for sitemaps, and the outcome.

    ``how`` is how the URL was found. ``outcome`` is ``found``, ``absent`` (404 and the like, also
    403, which some servers answer for it), ``not-a-sitemap`` (such as a soft 404), ``failed``,
    ``same`` (a duplicate of a sitemap that was already found) or ``disallowed`` (not tried because
    robots.txt disallows it).
    """

    url: str
    how: str
    outcome: str
    status: int | None = None
    detail: str | None = None


class Discovery:
    """A walk that finds the sitemaps of a site, given any URL of it.

    :meth:`handle` returns leads. If none of them is a sitemap, the caller requests more with
    :meth:`fallback`, until that returns none. ``attempts`` records robots.txt, the home page and
    the URLs that were not tried because robots.txt disallows them for ``agent``; ``obey=False``
    tries them. A robots.txt that could not be fetched (5xx, 429, no response) disallows everything
    (RFC 9309 section 2.3.1.4). ``is_unreachable`` is True until a response arrives.
    """

    def __init__(self, site: str, *, agent: str = "urlset", obey: bool = True):
        home = request_url(site)
        if home is None:
            raise SourceError(
                f"expected the URL of a site, as https://example.com/, found {site!r}"
            )
        self.site: str = resolve("/", home)
        self.is_unreachable: bool = True
        self.robots: Robots | None = None
        self.attempts: list[Attempt] = []
        self._agent = agent
        self._obey = obey
        self._feeds: list[Lead] = []
        self._delay_s = 0.0
        self._base = self.site
        self._scope: NetworkScope = "public"
        self._fallbacks = ["well-known", "feed"]
        robots = resolve("/robots.txt", self.site)
        # One after the other: the delay in robots.txt applies to the home page.
        self._requests = [
            Request(self.site, None, "home", scope="anywhere", max_bytes=MAX_PAGE),
            Request(robots, None, "robots", scope="anywhere", max_bytes=MAX_ROBOTS),
        ]
        self._is_waiting = False

    @property
    def is_done(self) -> bool:
        """Whether robots.txt and the home page have been handled."""
        return not self._requests and not self._is_waiting

    def next_request(self) -> Request | None:
        """Return the request for robots.txt, then that for the home page."""
        if self._is_waiting or not self._requests:
            return None
        self._is_waiting = True
        return self._requests.pop()._replace(delay_s=self._delay_s)

    def handle(self, response: Response) -> Iterable[Lead]:
        """Return the leads in robots.txt or in the home page."""
        self._is_waiting = False
        self.is_unreachable = self.is_unreachable and response.status is None
        leads = self._from_robots if response.request.purpose == "robots" else self._from_home
        return list(dict.fromkeys(leads(response)))

    def fallback(self) -> list[Lead]:
        """Return the next leads to try if no sitemap was found; an empty list at the end."""
        while self._fallbacks:
            how = self._fallbacks.pop(0)
            leads = self._well_known() if how == "well-known" else self._feeds
            leads = [lead for lead in leads if self._may_try(lead.url, lead.how)]
            if leads:
                return leads
        return []

    def _from_robots(self, response: Response) -> Iterator[Lead]:
        self.robots = robots = robots_from_response(response)
        self._delay_s = robots.crawl_delay_s(self._agent)
        self.attempts.append(robots_attempt(response, robots))
        self._requests = [r for r in self._requests if self._may_try(r.url, r.purpose)]
        for line in robots.sitemaps[:MAX_LEADS]:
            yield self._lead(line.url, "robots", response)

    def _from_home(self, response: Response) -> Iterator[Lead]:
        self._scope = response.scope
        if not response.has_document:
            self._record(response, "absent" if response.status == 404 else "failed")
            return
        self._record(response, "found")
        if _plain_host(response.url) == _plain_host(self.site):
            # example.com may redirect to www.example.com, or http to https.
            self._base = resolve("/", response.url)
        kind = response.headers.get("content-type")
        from urlset.html import sitemaps_and_feeds_in_header, sitemaps_and_feeds_in_page

        links = sitemaps_and_feeds_in_header(response.headers.get("link"), response.url)
        links += sitemaps_and_feeds_in_page(response.body, response.url, kind)
        for link in links[:MAX_LEADS]:
            lead = self._lead(link.url, _HOW[link.role], response)
            if link.role == "feed":
                self._feeds.append(lead)
            elif self._may_try(lead.url, lead.how):
                yield lead

    def _may_try(self, url: str, how: str) -> bool:
        """Return whether robots.txt allows a URL; record a disallowed one as an attempt."""
        robots = self.robots
        if not self._obey or robots is None:
            return True
        # The rules apply to the requested host, and to the one that it redirects to.
        is_covered = origin_of(url) in (origin_of(self.site), origin_of(robots.url))
        if not is_covered or robots.allows(url, self._agent):
            return True
        message = f"{robots.url} disallows it for {self._agent}"
        if robots.state == "unreachable":
            message = f"{robots.url} could not be read, so that it disallows everything"
        self.attempts.append(Attempt(url, how, "disallowed", None, message))
        return False

    def _well_known(self) -> list[Lead]:
        bases = dict.fromkeys([self._base, self.site])
        urls = [resolve(path, base) for base in bases for path in WELL_KNOWN_PATHS]
        return [
            Lead(url, "well-known", None, self._scope_of(url), self._delay_s)
            for url in dict.fromkeys(urls)
        ]

    def _scope_of(self, url: str) -> NetworkScope:
        # The user named the site, but not other hosts that its home page leads to.
        return "anywhere" if origin_of(url) == origin_of(self.site) else self._scope

    def _lead(self, url: str, how: How, response: Response) -> Lead:
        return Lead(url, how, response.request.url, response.scope, self._delay_s)

    def _record(self, response: Response, outcome: str) -> None:
        how, url = response.request.purpose, response.request.url
        self.attempts.append(Attempt(url, how, outcome, response.status, response.message))


def no_sitemap_message(discovery: Discovery, attempts: Sequence[Attempt]) -> str:
    """Return the error message for a site without a sitemap: how many URLs were tried."""
    if discovery.is_unreachable:
        detail = next((each.detail for each in attempts[::-1] if each.outcome == "failed"), None)
        return f"the site does not respond: {detail}"
    disallowed = sum(attempt.outcome == "disallowed" for attempt in attempts)
    tried = len(attempts) - disallowed
    refused = [attempt for attempt in attempts if attempt.status in REFUSED]
    failed = [
        attempt
        for attempt in attempts
        if attempt.outcome == "failed" and attempt.status not in REFUSED
    ]
    parts = [
        f"{len(found)} {verb} ({found[0].url}: {found[0].detail or f'HTTP {found[0].status}'})"
        for verb, found in (("failed", failed), (_refused(len(refused)), refused))
        if found
    ]
    message = f"no sitemap found: tried {tried} {'URL' if tried == 1 else 'URLs'}"
    if parts:
        message += f", of which {' and '.join(parts)}"
    if refused:
        message += f"; {_refusal_hint(refused)}"
    if not disallowed:
        return message
    robots = discovery.robots
    if robots is not None and robots.state == "unreachable":
        message += f"; {disallowed} more were not tried, because robots.txt could not be read"
        if not is_available("ignore_robots"):
            return message
        ignored = option("ignore_robots", python="Policy(obey_robots=False)")
        return f"{message}; {ignored} tries them"
    return f"{message}; robots.txt disallows {disallowed} more"


def _refused(count: int) -> str:
    return "was refused" if count == 1 else "were refused"


def _refusal_hint(refused: Sequence[Attempt]) -> str:
    """Return what to do if a server refuses requests, so that its sitemaps are unknown."""
    if all(attempt.status == 401 for attempt in refused):
        message = "the server wants a valid login"
        has_file = is_available("auth_file")
        return f"{message}: set {option('auth_file', python='auth')}" if has_file else message
    message = "the server may block urlset: allow it there"
    if not is_available("user_agent"):
        return message
    return f"{message}, or set another {option('user_agent', python='Policy.user_agent')}"


def robots_attempt(response: Response, robots: Robots) -> Attempt:
    """Convert the response for a robots.txt to a record of the attempt."""
    outcome = {"read": "found", "unreachable": "failed"}.get(robots.state, "absent")
    return Attempt(response.request.url, "robots", outcome, response.status, response.message)


def _plain_host(url: str) -> str:
    return (origin_of(url) or "").partition("://")[2].removeprefix("www.")


_HOW: dict[str, How] = {"sitemap": "link", "feed": "feed"}


class RobotsCache:
    """The robots.txt files of a walk by origin; requests missing ones.

    ``records`` is whether those requested here are part of the result, in ``files``. Otherwise only
    their ``Crawl-delay`` is used. ``attempts`` are the results of the requests made here.
    """

    def __init__(self, agent: str, *, records: bool):
        self.files: dict[str, Robots] = {}
        self.attempts: list[Attempt] = []
        self._agent = agent
        self._records = records
        self._pending: dict[str, str] = {}  # origin by the URL of its requested robots.txt
        self._declared: dict[str, str] = {}
        self._delays: dict[str, float] = {}
        self._unpublished: dict[str, tuple[Response, Robots]] = {}

    def request_for(self, url: str, scope: NetworkScope) -> Request | None:
        """Return a request for the robots.txt of a URL's host; None if known or requested."""
        origin = origin_of(url)
        if origin is None or origin in self._delays or origin in self._pending.values():
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
        """Add the robots.txt in a response to a request of this cache; return its origin.

        Its rules apply from now on, its declarations from :meth:`publish` on.
        """
        origin = self._pending.pop(response.request.url)
        robots = robots_from_response(response)
        if not self._records:
            self._delays.setdefault(origin, robots.crawl_delay_s(self._agent))
            return origin
        self._store(origin, robots)
        self._unpublished[origin] = response._replace(body=b""), robots
        return origin

    def publish(self, origin: str) -> Iterator[Visit]:
        """Record a new robots.txt of an origin and its sitemaps; yield a visit if it failed."""
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

        A robots.txt that could not be fetched is not one that disallows the URL.
        """
        robots = self.files.get(origin_of(url) or "")
        if robots is None or robots.state != "read" or robots.allows(url, self._agent):
            return None
        return robots.url

    def delay_s(self, url: str) -> float:
        """Return the ``Crawl-delay`` of a URL's host in seconds; 0 if unknown."""
        return self._delays.get(origin_of(url) or "", 0.0)
