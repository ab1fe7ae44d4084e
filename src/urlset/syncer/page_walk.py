"""Request the pages of a batch: a walk without I/O that converts responses to updates."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from datetime import datetime
from typing import NamedTuple

from urlset.auditor.visits import Budget, PoliteWalk, RobotsFiles
from urlset.crawler.pace import Pace
from urlset.crawler.page_record import PageRecord, read_record
from urlset.crawler.page_urls import UrlResolver
from urlset.http import Request, Response, origin_of
from urlset.robots import Robots
from urlset.robots.ai_preferences import AiPreferences, RobotsPreferences, ai_preferences
from urlset.syncer.settings import TextOf
from urlset.syncer.update import PageUpdate, UpdateKind, content_fingerprint

__all__ = ["GONE", "PageVisit", "SyncTarget", "SyncWalk", "removed_update", "unknown_update"]

GONE = ("http-404", "http-410")
"""Reasons for which a page is removed, if a second request has the same result."""


class SyncTarget(NamedTuple):
    """Listed page to request, with what is stored about it.

    Attributes:
        url: The URL.
        lastmod: Its date in the sitemap.
        sitemap: Sitemap that lists it.
        is_known: Whether the index may have it: it was delivered before, committed or not.
        is_committed: Whether a delivery of it was committed.
        fingerprint: Fingerprint of the content that the index has; None if that is not certain.
        etag: ``ETag`` of that response.
        last_modified: ``Last-Modified`` of that response.
    """

    url: str
    lastmod: datetime | None = None
    sitemap: str | None = None
    is_known: bool = False
    is_committed: bool = False
    fingerprint: str | None = None
    etag: str | None = None
    last_modified: str | None = None


class PageVisit(NamedTuple):
    """Result of one page.

    Attributes:
        target: The page.
        update: What to tell about it; None if its content is the same.
        fingerprint: Fingerprint of its content; None if it is gone or unknown.
        etag: ``ETag`` header.
        last_modified: ``Last-Modified`` header.
        is_requested: Whether the page was requested; otherwise only the sitemaps decided.
    """

    target: SyncTarget
    update: PageUpdate | None
    fingerprint: str | None = None
    etag: str | None = None
    last_modified: str | None = None
    is_requested: bool = True

    @property
    def url(self) -> str:
        """URL of the page."""
        return self.target.url


class SyncWalk(PoliteWalk[SyncTarget, PageVisit]):
    """Walk over listed pages that yields what changed.

    Args:
        preferences: AI preferences by origin, filled when they are needed.
        agent: Product token of the crawler.
        text: Returns the text of a page; None for no text.
    """

    def __init__(
        self,
        targets: Iterator[SyncTarget],
        robots: RobotsFiles,
        pace: Pace,
        budget: Budget,
        preferences: dict[str, RobotsPreferences | None],
        *,
        agent: str,
        text: TextOf | None,
        hosts: Collection[str] = (),
        delay_s: float = 0.0,
    ):
        super().__init__(targets, robots, pace, budget, hosts=hosts, delay_s=delay_s)
        self._files = robots
        self._preferences = preferences
        self._agent = agent
        self._text = text
        self._resolver = UrlResolver()

    def request_for(self, target: SyncTarget) -> Request:
        """Return a request for the page, conditional if its content is known."""
        return Request(
            target.url,
            target.sitemap,
            "page",
            etag=target.etag,
            last_modified=target.last_modified,
            token=target,
        )

    def results_of(self, response: Response) -> Iterator[PageVisit]:
        """Yield the result of a response."""
        target = response.request.token
        assert isinstance(target, SyncTarget)
        final = response._replace(request=response.request._replace(url=response.url))
        record = read_record(final, self._resolver, has_links=False)
        row = record.row
        etag, last_modified = row["etag"], row["last_modified"]
        if record.is_unchanged:
            fresh = (etag or target.etag, last_modified or target.last_modified)
            yield PageVisit(target, None, target.fingerprint, *fresh)
            return
        if row["verdict"] != "ok":
            yield PageVisit(target, _without_content(target, record))
            return
        fingerprint = row.get("fingerprint") or content_fingerprint(response.body)
        update = None
        if fingerprint != target.fingerprint:
            update = self._with_content(target, record, response, fingerprint)
        yield PageVisit(target, update, fingerprint, etag, last_modified)

    def results_of_refusal(
        self,
        target: SyncTarget,
        robots: Robots,  # noqa: ARG002
    ) -> Iterator[PageVisit]:
        """Yield that a page is unknown, because robots.txt disallows it or cannot be read."""
        yield PageVisit(target, unknown_update(target, "robots"))

    def _with_content(
        self, target: SyncTarget, record: PageRecord, response: Response, fingerprint: str
    ) -> PageUpdate:
        row = record.row
        change: UpdateKind = "changed" if target.is_committed else "added"
        return PageUpdate(
            change=change,
            url=target.url,
            is_known=target.is_known,
            title=row.get("title"),
            text=self._text(response.body, row["content_type"]) if self._text else None,
            language=row.get("language"),
            fingerprint=fingerprint,
            previous_fingerprint=target.fingerprint,
            final_url=response.url,
            content_type=row["content_type"],
            canonical=row.get("canonical"),
            is_noindex=row["is_noindex"],
            sitemap=target.sitemap,
            lastmod=target.lastmod,
            last_modified=row["last_modified"],
            page_lastmod=row.get("lastmod_text"),
            page_lastmod_from=row.get("lastmod_from"),
            preferences=self._preferences_of(response, row.get("robots") or ()),
        )

    def _preferences_of(self, response: Response, directives: Collection[str]) -> AiPreferences:
        origin = origin_of(response.url) or ""
        if origin not in self._preferences:
            robots = self._files.file_of(origin)
            is_read = robots is not None and robots.state == "read"
            stated = RobotsPreferences(robots.text, self._agent) if robots and is_read else None
            self._preferences[origin] = stated
        stated = self._preferences[origin]
        return ai_preferences(response.url, stated, response.headers, directives)


def removed_update(target: SyncTarget, reason: str) -> PageUpdate:
    """Return the update of a page that is removed."""
    return PageUpdate(
        change="removed",
        url=target.url,
        reason=reason,
        is_known=target.is_known,
        previous_fingerprint=target.fingerprint,
    )


def unknown_update(target: SyncTarget, reason: str) -> PageUpdate:
    """Return the update of a page about which nothing can be said."""
    return PageUpdate(
        change="unknown",
        url=target.url,
        reason=reason,
        is_known=target.is_known,
        sitemap=target.sitemap,
        lastmod=target.lastmod,
        previous_fingerprint=target.fingerprint,
    )


def _without_content(target: SyncTarget, record: PageRecord) -> PageUpdate:
    row = record.row
    reason = row["unknown_reason"] or f"http-{row['status']}"
    if row["verdict"] in ("redirect", "redirect-loop"):
        reason = "redirect-loop"
    return unknown_update(target, reason)
