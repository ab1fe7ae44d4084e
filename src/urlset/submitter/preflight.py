"""Check a host before announcements: its key file is live, and sampled pages fit the changes.

Nothing here does I/O. A request that fails says nothing: what is unknown is not announced, and not
reported as wrong.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from urlset.auditor.key_file import MAX_KEY_FILE, key_file_fault
from urlset.crawler.page_record import read_record
from urlset.crawler.page_urls import UrlResolver
from urlset.http import NetworkScope, Request, Response, origin_of
from urlset.robots import MAX_BYTES, robots_from_response
from urlset.submitter.keys import IndexNowKey

__all__ = ["AGENTS", "ExcludedUrl", "PageCheck", "host_faults", "page_checks", "requests_for"]

AGENTS = ("bingbot", "YandexBot")
"""Crawlers of engines that fetch key files and that name themselves in their documentation."""

MAX_PAGE = 2_097_152


class ExcludedUrl(NamedTuple):
    """URL that is not announced, with the code of the reason and a message."""

    url: str
    code: str
    reason: str


class PageCheck(NamedTuple):
    """Result of the check of a sampled page: good, at fault, or unknown.

    Attributes:
        url: The page.
        fault: Why it is not announced; None if it may be.
        is_unknown: Whether the response says nothing, so that it waits for the next run.
    """

    url: str
    fault: ExcludedUrl | None = None
    is_unknown: bool = False

    @property
    def is_good(self) -> bool:
        """Whether the response fits the change: the page exists, or is removed."""
        return self.fault is None and not self.is_unknown


class PreflightRequests(NamedTuple):
    """Requests of a preflight: key file, its robots.txt, and sampled pages."""

    key_file: Request
    robots: Request
    pages: tuple[Request, ...]


def requests_for(
    key: IndexNowKey, origin: str, pages: Sequence[str], scope: NetworkScope
) -> PreflightRequests:
    """Return the requests of a preflight.

    Args:
        key: Key of the host.
        origin: Origin of its pages.
        pages: URLs of the sampled pages.
        scope: Addresses that requests may be sent to: ``anywhere`` if the user named the host.
    """

    def request(url: str, purpose: str, max_bytes: int, *, follows: bool = False) -> Request:
        return Request(
            url, None, purpose, scope=scope, max_bytes=max_bytes, follows_redirects=follows
        )

    location = key.file_url(origin)
    return PreflightRequests(
        request(location, "key", MAX_KEY_FILE),
        request(f"{origin_of(location)}/robots.txt", "robots", MAX_BYTES, follows=True),
        tuple(request(url, "page", MAX_PAGE) for url in pages),
    )


def host_faults(key: IndexNowKey, key_file: Response, robots: Response) -> Iterator[str]:
    """Yield reasons to send nothing for a host: its key file is missing, invalid or disallowed.

    Args:
        key: Key of the host.
        key_file: Response for the key file.
        robots: Response for its robots.txt.
    """
    url = key_file.request.url
    fault = key_file_fault(key.value, key_file)
    if fault is not None:
        yield f"key file {url} {fault}"
    elif key_file.status is None or key_file.status >= 300:
        yield f"key file {url} could not be read: {key_file.message or key_file.status}"
    rules = robots_from_response(robots)
    if rules.state == "unreachable":
        yield f"{rules.url} could not be read: engines then fetch nothing: {robots.message}"
        return
    refused = [agent for agent in AGENTS if not rules.allows(url, agent)]
    if refused:
        yield f"key file {url} is disallowed for {' and '.join(refused)} by {rules.url}"


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
