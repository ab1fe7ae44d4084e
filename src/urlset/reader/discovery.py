"""From a site to its sitemaps: whoever names them is asked, then the places where they often are.

First robots.txt and the home page. Where what they name is no sitemap, or where they name
none: the well-known paths; and where those are none: the feeds of the home page. What robots.txt
declares is followed even where it is disallowed, as engines do; everything else only where it is
allowed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from urlset.errors import SourceError
from urlset.html import links_in_header, links_in_page
from urlset.http import NetworkScope, Request, Response, origin_of, request_url
from urlset.robots import MAX_BYTES, Robots, robots_of
from urlset.urls import resolve

__all__ = ["MAX_LEADS", "MAX_ROBOTS", "Attempt", "Discovery", "Lead", "trial_of_robots"]

How = Literal["robots", "link", "well-known", "feed"]

PATHS = """/sitemap.xml /sitemap_index.xml /sitemap-index.xml /sitemap.xml.gz /wp-sitemap.xml
/sitemap.txt /sitemap/ /sitemap/sitemap.xml /sitemap/sitemap-index.xml /news-sitemap.xml
/sitemap-news.xml /sitemap_news.xml""".split()
"""Where sitemaps lie that nobody declares: the union of what peers try and CMSes do."""

MAX_ROBOTS = 8 * MAX_BYTES
MAX_PAGE = 2 * 1_048_576
MAX_LEADS = 10_000
"""Sitemaps that are followed from one robots.txt: a hostile one of 4 MB declares 200 000."""


class Lead(NamedTuple):
    """A URL that may be a sitemap: ``how`` it was found, named by whom, and where it may lie."""

    url: str
    how: How
    parent: str | None
    scope: NetworkScope
    delay_s: float = 0.0


class Attempt(NamedTuple):
    """What was tried and what came of it.

    ``outcome`` is ``found``, ``absent`` (404 and the like), ``not-a-sitemap`` (as soft 404s
    are), ``failed``, ``same`` (as one that was found before) or ``disallowed``: not tried, because
    robots.txt asks not to.
    """

    url: str
    how: str
    outcome: str
    status: int | None = None
    detail: str | None = None


class Discovery:
    """A walk from a site to leads; ``site`` is any URL of it, and its origin is what counts.

    Yields leads from :meth:`answer`. Whoever follows them and finds nothing asks for
    :meth:`last_resort`, until that is empty. ``trials`` records robots.txt and the home page, and
    what was not tried because robots.txt disallows it for ``agent`` (``obey=False`` tries it
    nevertheless); a robots.txt that did not come disallows nothing. ``is_mute`` holds while
    nothing at all was answered.
    """

    def __init__(self, site: str, *, agent: str = "urlset", obey: bool = True):
        home = request_url(site)
        if home is None:
            raise SourceError(
                f"expected the URL of a site, as https://example.com/, found {site!r}"
            )
        self.site = resolve("/", home)
        self.is_mute = True
        self.robots: Robots | None = None
        self.robots_response: Response | None = None
        self.trials: list[Attempt] = []
        self._agent = agent
        self._obey = obey
        self._feeds: list[Lead] = []
        self._delay_s = 0.0
        self._base = self.site
        self._scope: NetworkScope = "public"
        self._resorts = ["well-known", "feed"]
        robots = resolve("/robots.txt", self.site)
        # One after another: what robots.txt says of delays holds for the home page, too.
        self._requests = [
            Request(self.site, None, "home", scope="anywhere", max_bytes=MAX_PAGE),
            Request(robots, None, "robots", scope="anywhere", max_bytes=MAX_ROBOTS),
        ]
        self._is_waiting = False

    @property
    def is_done(self) -> bool:
        """Whether robots.txt and the home page have been heard."""
        return not self._requests and not self._is_waiting

    def next_request(self) -> Request | None:
        """Ask for robots.txt, then for the home page."""
        if self._is_waiting or not self._requests:
            return None
        self._is_waiting = True
        return self._requests.pop()._replace(delay_s=self._delay_s)

    def handle(self, response: Response) -> Iterable[Lead]:
        """Take one of the two, and tell what sitemaps it names."""
        self._is_waiting = False
        self.is_mute = self.is_mute and response.status is None
        leads = self._from_robots if response.request.purpose == "robots" else self._from_home
        return list(dict.fromkeys(leads(response)))

    def last_resort(self) -> list[Lead]:
        """The next best places, for when nothing was found so far; empty at the end."""
        while self._resorts:
            how = self._resorts.pop(0)
            leads = self._well_known() if how == "well-known" else self._feeds
            leads = [lead for lead in leads if self._may_try(lead.url, lead.how)]
            if leads:
                return leads
        return []

    def _from_robots(self, response: Response) -> Iterator[Lead]:
        self.robots = robots = robots_of(response)
        self.robots_response = response
        self._delay_s = robots.crawl_delay_s(self._agent)
        self.trials.append(trial_of_robots(response, robots))
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
            # Where example.com redirects to www.example.com, or http to https.
            self._base = resolve("/", response.url)
        kind = response.headers.get("content-type")
        links = links_in_header(response.headers.get("link"), response.url)
        links += links_in_page(response.body, response.url, kind)
        for link in links[:MAX_LEADS]:
            lead = self._lead(link.url, _HOW[link.role], response)
            if link.role == "feed":
                self._feeds.append(lead)
            elif self._may_try(lead.url, lead.how):
                yield lead

    def _may_try(self, url: str, how: str) -> bool:
        """Tell whether robots.txt lets us, and record where it does not."""
        robots = self.robots
        if not self._obey or robots is None or robots.state != "read":
            return True
        # Rules hold for the host that they were asked of, and for the one that had them.
        is_its = origin_of(url) in (origin_of(self.site), origin_of(robots.url))
        if not is_its or robots.allows(url, self._agent):
            return True
        words = f"{robots.url} disallows it for {self._agent}"
        self.trials.append(Attempt(url, how, "disallowed", None, words))
        return False

    def _well_known(self) -> list[Lead]:
        bases = dict.fromkeys([self._base, self.site])
        urls = [resolve(path, base) for base in bases for path in PATHS]
        return [
            Lead(url, "well-known", None, self._scope_of(url), self._delay_s)
            for url in dict.fromkeys(urls)
        ]

    def _scope_of(self, url: str) -> NetworkScope:
        # The user named the site; that its home page leads elsewhere is the site's word, not his.
        return "anywhere" if origin_of(url) == origin_of(self.site) else self._scope

    def _lead(self, url: str, how: How, response: Response) -> Lead:
        return Lead(url, how, response.request.url, response.scope, self._delay_s)

    def _record(self, response: Response, outcome: str) -> None:
        why, url = response.request.purpose, response.request.url
        self.trials.append(Attempt(url, why, outcome, response.status, response.message))


def trial_of_robots(response: Response, robots: Robots) -> Attempt:
    """What came of asking for a robots.txt."""
    outcome = {"read": "found", "absent": "absent", "unreachable": "failed"}[robots.state]
    return Attempt(response.request.url, "robots", outcome, response.status, response.message)


def _plain_host(url: str) -> str:
    return (origin_of(url) or "").partition("://")[2].removeprefix("www.")


_HOW: dict[str, How] = {"sitemap": "link", "feed": "feed"}
