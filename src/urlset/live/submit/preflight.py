"""Check a host before announcements: its key file is live, and sampled pages fit the changes.

Nothing here does I/O. A request that fails says nothing: what is unknown is not announced, and not
reported as wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple, Unpack
from urllib.parse import urljoin

from urlset.hidden_fields import repr_without
from urlset.http import Request, Response
from urlset.live.submit.keys import IndexNowKey, host_of_url
from urlset.live.visits.key_file import MAX_KEY_FILE, key_file_fault
from urlset.live.visits.page_record import read_record
from urlset.live.visits.page_urls import UrlResolver, origin_of_page
from urlset.live.visits.polite_walk import Manner, PoliteWalk
from urlset.live.visits.politeness import Politeness
from urlset.option_names import option
from urlset.robots import Robots

AGENTS = ("bingbot", "YandexBot")
"""Crawlers of engines that fetch key files and that name themselves in their documentation."""

MAX_PAGE = 2_097_152


class ExcludedUrl(NamedTuple):
    """URL that is not announced.

    Attributes:
        url: The URL.
        code: Code of the reason, such as ``noindex``.
        reason: The reason, for people.
    """

    url: str
    code: str
    reason: str


class PageCheck(NamedTuple):
    """Result of the check of a sampled page: good, at fault, or unknown.

    The response for an unknown one says nothing, so that it waits for the next run.
    """

    url: str
    fault: ExcludedUrl | None = None
    is_unknown: bool = False

    @property
    def is_good(self) -> bool:
        """Whether the response fits the change: the page exists, or is removed."""
        return self.fault is None and not self.is_unknown


class PreflightRequests(NamedTuple):
    """Requests of a preflight: the key file, and sampled pages."""

    key_file: Request
    pages: tuple[Request, ...]

    def __repr__(self) -> str:
        return repr_without(self, "key_file")


def requests_for(key: IndexNowKey, origin: str, pages: Sequence[str]) -> PreflightRequests:
    """Return the requests of a preflight, for the key of an origin and the sampled pages."""

    def request(url: str, purpose: str, max_bytes: int) -> Request:
        return Request(url, None, purpose, max_bytes=max_bytes, follows_redirects=False)

    return PreflightRequests(
        request(key.file_url(origin), "key", MAX_KEY_FILE)._replace(is_secret=True),
        tuple(request(url, "page", MAX_PAGE) for url in pages),
    )


class PreflightWalk(PoliteWalk[Request, Response]):
    """Walk that requests a key file and sampled pages, and yields the responses.

    Attributes:
        fault: Why engines may not fetch the key file, by robots.txt, which ends the walk.
        disallowed: Number of URLs that robots.txt disallows for urlset.
    """

    def __init__(self, requests: PreflightRequests, politeness: Politeness):
        super().__init__(iter(requests.pages), politeness)
        self.fault: str | None = None
        self.disallowed: int = 0
        self._key_file: Request | None = requests.key_file
        self._key_url = requests.key_file.url

    def next_target(self) -> Request | None:
        """Return the key file first, then pages once its robots.txt has been read."""
        if self._key_file is not None:
            target, self._key_file = self._key_file, None
            return target
        is_read = origin_of_page(self._key_url) in self.politeness.robots
        return super().next_target() if is_read and self.fault is None else None

    def handle(self, response: Response) -> Iterator[Response]:
        """Process a response; that for the robots.txt of the key file may end the walk."""
        yield from super().handle(response)
        origin = origin_of_page(self._key_url)
        if response.request.purpose == "robots" and response.request.token == origin:
            self.fault = robots_fault(self._key_url, response, self.politeness.robots[origin])
            if self.fault is not None:
                self._ready.clear()

    def request_for(self, target: Request, **manner: Unpack[Manner]) -> Request:
        """Return the request, which is its own target."""
        return target._replace(**manner)

    def results_of(self, response: Response) -> Sequence[Response]:
        """Return the response."""
        return (response,)

    def results_of_refusal(self, target: Request, robots: Robots) -> Sequence[Response]:  # noqa: ARG002
        """Count a URL that robots.txt disallows."""
        self.disallowed += 1
        return ()


def robots_fault(key_file: str, response: Response, rules: Robots) -> str | None:
    """Return why engines may not fetch the key file at a URL, by robots.txt; None if they may."""
    if rules.state == "unreachable":
        return f"{rules.url} could not be read: engines then fetch nothing: {response.message}"
    refused = [agent for agent in AGENTS if not rules.allows(key_file, agent)]
    if refused:
        return f"key file {key_file} is disallowed for {' and '.join(refused)} by {rules.url}"
    return None


def key_fault(key: IndexNowKey, response: Response) -> str | None:
    """Return what is wrong with the response for a key file; None if nothing is."""
    url = response.request.url
    fault = key_file_fault(key.value, response)
    if fault is not None:
        return f"key file {url} {fault}"
    if response.error == "blocked":
        return (
            f"key file {url} could not be read: {response.message}; if you mean this host, give "
            f"its key as HOST KEY, or skip the check with {option('preflight', False)}"
        )
    if response.status is None or response.status >= 300:
        return f"key file {url} could not be read: {response.message or response.status}"
    return None


def moved_host(
    host: str, responses: Sequence[Response], *, is_removed: frozenset[str] | set[str]
) -> str | None:
    """Return the host to which a host has moved for good; None if it has not.

    The key file and the sampled pages, at least one, redirect there permanently (301 or 308); a
    removed page may be gone instead. Another scheme or port of the same host is no move, nor is its
    name with a final dot.
    """
    found: dict[str, set[str | None]] = {"key": set(), "page": set()}
    for response in responses:
        if response.request.purpose not in found:
            continue
        if response.request.url in is_removed and response.status in (404, 410):
            continue
        target = urljoin(response.request.url, response.headers.get("location", ""))
        new_host = host_of_url(target) if response.status in (301, 308) else None
        found[response.request.purpose].add(new_host)
    if found["key"] != found["page"] or len(found["key"]) != 1:
        return None
    (new_host,) = found["key"]
    is_same = new_host is not None and _bare_host(new_host) == _bare_host(host)
    return None if is_same else new_host


def _bare_host(host: str) -> str:
    return re.sub(r":[0-9]*$", "", host).removesuffix(".")


def page_checks(
    pages: Sequence[Response], *, is_removed: frozenset[str] | set[str]
) -> Iterator[PageCheck]:
    """Compare the responses for sampled pages with the changes; yield a result for each.

    Added and changed pages answer 200 and may be indexed. Removed ones answer 404 or 410, or
    redirect, or may not be indexed any more.
    """
    resolver = UrlResolver()
    for response in pages:
        url = response.request.url
        row = read_record(response, resolver).row
        directives = response.headers.get("x-robots-tag", "").lower().replace(",", " ").split()
        is_noindex = row["is_noindex"] or "noindex" in directives or "none" in directives
        verdict = row["verdict"]
        if verdict == "unknown":
            yield PageCheck(url, is_unknown=True)
        elif url in is_removed:
            is_there = verdict == "ok" and not is_noindex
            reason = "it is removed, but still answers 200"
            yield PageCheck(url, ExcludedUrl(url, "still-there", reason) if is_there else None)
        else:
            yield PageCheck(url, _fault(url, response, verdict, is_noindex))


def _fault(url: str, response: Response, verdict: str, is_noindex: bool) -> ExcludedUrl | None:
    if verdict in ("redirect", "redirect-loop"):
        target = response.headers.get("location", "another URL")
        return ExcludedUrl(url, "redirect", f"it redirects to {target}")
    if verdict != "ok":
        return ExcludedUrl(url, f"http-{response.status}", f"it answers {response.status}")
    return ExcludedUrl(url, "noindex", "it may not be indexed (noindex)") if is_noindex else None
