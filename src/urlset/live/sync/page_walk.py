"""Request the pages of a batch: a walk without I/O that converts responses to updates."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Literal, NamedTuple, Unpack
from urllib.parse import urlsplit

from urlset.http import Request, Response, origin_of
from urlset.live.sync.settings import TextOf
from urlset.live.sync.update import PageUpdate, content_fingerprint
from urlset.live.visits.page_record import PageRecord, facts_of_headers, read_record
from urlset.live.visits.page_urls import UrlResolver, origin_of_page
from urlset.live.visits.polite_walk import Manner, PoliteWalk
from urlset.live.visits.politeness import Politeness
from urlset.option_names import option
from urlset.robots import Robots
from urlset.robots.ai_preferences import AiPreferences, RobotsPreferences, ai_preferences
from urlset.terminal_text import pluralize

GONE = ("http-404", "http-410")
"""Reasons for which a page is removed, if a request in a later run has the same result."""


NOT_READ = "sitemap not read"
"""Reason for which a page is unknown: a sitemap that lists it, or may list it, was not read."""

ROBOTS_NOT_READ = "robots.txt not read"
"""Reason for which an unlisted page is unknown: it may have moved to a new page of a host whose
robots.txt could not be read."""

NOT_LISTED = "not listed"
"""Reason for which a page is removed: every sitemap was read, and none lists it."""

MANY = "many pages are not listed"
"""Reason for which a page is unknown: more vanished at once than ``max_removed_share`` allows."""

MANY_TO_FEW = 5
"""Pages that redirect to one page, or to few, from which on they have not moved there: servers
redirect what they do not have to pages such as ``/en/``."""

FEW_SHARE = 3
"""Pages for each target, on average, above which the targets are few."""


class SyncTarget(NamedTuple):
    """Listed page to request, with what is stored about it, and its date in the sitemap.

    Attributes:
        is_known: Whether the index may have it: it was delivered before, committed or not.
        is_committed: Whether a delivery of it was committed.
        fingerprint: Fingerprint of the content that the index has; None if that is not certain.
        etag: ``ETag`` of that response; so is ``last_modified``.
        directives: What the page stated about its use then; see :class:`Directives`.
        gone_at: When it answered 404 or 410 for the first time; None if the last answer was another
            one.
    """

    url: str
    lastmod: datetime | None = None
    sitemap: str | None = None
    is_known: bool = False
    is_committed: bool = False
    fingerprint: str | None = None
    etag: str | None = None
    last_modified: str | None = None
    directives: str | None = None
    gone_at: datetime | None = None


class PageVisit(NamedTuple):
    """Result of one page.

    Attributes:
        update: What to tell about it; None if its content is the same.
        fingerprint: Fingerprint of its content; None if it is gone or unknown.
        is_requested: Whether the page was requested; otherwise only the sitemaps decided.
        is_there: Whether it is unknown for a reason of the sitemaps, although it has a content.
        moved_to: URL to which it redirects permanently (301 or 308); None if it does not.
    """

    target: SyncTarget
    update: PageUpdate | None
    fingerprint: str | None = None
    etag: str | None = None
    last_modified: str | None = None
    is_requested: bool = True
    directives: str | None = None
    is_there: bool = False
    moved_to: str | None = None

    @property
    def url(self) -> str:
        """URL of the page."""
        return self.target.url


class Directives(NamedTuple):
    """What a page states about its use in an index.

    ``canonical`` is the canonical URL that it declares, if that is another one; ``preferences`` are
    the values of its AI preferences.
    """

    is_html: bool
    is_noindex: bool
    canonical: str | None
    preferences: list[bool | str | None]

    @classmethod
    def of(cls, record: PageRecord, preferences: AiPreferences) -> Directives:
        """Return the directives of a page that was read."""
        row = record.row
        canonical = row.get("canonical")
        return cls(
            row["is_html"],
            row["is_noindex"],
            None if canonical == record.url else canonical,
            list(preferences[:-1]),
        )

    @classmethod
    def parse(cls, text: str | None) -> Directives | None:
        """Return the directives of their JSON; None for another text, and without one."""
        try:
            found = cls(*json.loads(text or ""))
            is_valid = len(found.preferences) == len(AiPreferences._fields) - 1
        except (ValueError, TypeError, RecursionError):
            return None
        return found if is_valid else None

    @property
    def text(self) -> str:
        """The directives as text."""
        return json.dumps(self)

    def differences(self, now: Directives) -> list[str]:
        """Return the names of what differs: noindex, canonical, preferences."""
        pairs = zip(("html", "noindex", "canonical", "preferences"), self, now, strict=True)
        return [name for name, one, other in pairs if one != other and name != "html"]


class SyncWalk(PoliteWalk[SyncTarget, PageVisit]):
    """Walk over listed pages that yields what changed.

    AI preferences are filled, by origin, when they are needed. Without ``text`` there are no texts.
    """

    def __init__(
        self,
        targets: Iterator[SyncTarget],
        politeness: Politeness,
        preferences: dict[str, RobotsPreferences | None],
        *,
        text: TextOf | None,
    ):
        super().__init__(targets, politeness)
        self._preferences = preferences
        self._text = text
        self._resolver = UrlResolver()

    def request_for(self, target: SyncTarget, **manner: Unpack[Manner]) -> Request:
        """Return a request for the page, conditional if its content is known."""
        known = Directives.parse(target.directives)
        if known is not None and (known.is_noindex or known.canonical is not None):
            # A response 304 need not say that this has changed.
            target = target._replace(etag=None, last_modified=None)
        return Request(
            target.url,
            target.sitemap,
            "page",
            etag=target.etag,
            last_modified=target.last_modified,
            token=target,
            **manner,
        )

    def results_of(self, response: Response) -> Iterator[PageVisit]:
        """Yield the result of a response."""
        target = response.request.token
        assert isinstance(target, SyncTarget)
        final = response._replace(request=response.request._replace(url=response.url))
        record = read_record(final, self._resolver, has_links=False)
        row = record.row
        etag, last_modified = row["etag"], row["last_modified"]
        if record.is_unchanged and self._states_otherwise(target, final):
            self._ready.append(target._replace(etag=None, last_modified=None))
            return
        if record.is_unchanged:
            fresh = (etag or target.etag, last_modified or target.last_modified)
            known = target.directives
            yield PageVisit(target, None, target.fingerprint, *fresh, directives=known)
            return
        if row["verdict"] != "ok":
            reason = row["unknown_reason"] or f"http-{row['status']}"
            if row["verdict"] in ("redirect", "redirect-loop"):
                # Without an error, robots.txt disallows the target.
                reason = "redirect-loop" if row["error"] else "robots"
            yield PageVisit(target, bare_update(target, "unknown", reason))
            return
        before = Directives.parse(target.directives)
        if before is not None and before.is_html and not row["is_html"]:
            # An error page in another format, or a page of another kind: the next run sees.
            yield PageVisit(target, bare_update(target, "unknown", "not-html"))
            return
        fingerprint = row.get("fingerprint") or content_fingerprint(response.body)
        preferences = self._preferences_of(response, row.get("robots") or ())
        now = Directives.of(record, preferences)
        differences = [] if fingerprint == target.fingerprint else ["content"]
        if before is not None:
            differences += before.differences(now)
        update = None
        if differences:
            update = self._with_content(target, record, response, fingerprint, preferences)
            if update.change == "changed":
                update = replace(update, reason=", ".join(differences))
        if response.redirects:  # they are those of another URL
            etag = last_modified = None
        is_permanent = {*response.redirect_statuses} and {*response.redirect_statuses} <= {301, 308}
        yield PageVisit(
            target,
            update,
            fingerprint,
            etag,
            last_modified,
            directives=now.text,
            moved_to=response.url if is_permanent else None,
        )

    def _states_otherwise(self, target: SyncTarget, response: Response) -> bool:
        """Return whether a response 304, or robots.txt, excludes more than is stored."""
        known = Directives.parse(target.directives)
        if known is None:
            return False
        row = facts_of_headers(response)
        is_excluded = row["is_noindex"] or row["canonical"] not in (None, response.request.url)
        preferences = self._preferences_of(response, row["robots"])[:-1]
        pairs = zip(preferences, known.preferences, strict=True)
        is_restricted = any(now not in (None, True, before) for now, before in pairs)
        return (known.is_html and is_excluded) or is_restricted

    def results_of_refusal(self, target: SyncTarget, robots: Robots) -> Iterator[PageVisit]:  # noqa: ARG002
        """Yield that a page is unknown, because robots.txt disallows it or cannot be read."""
        yield PageVisit(target, bare_update(target, "unknown", "robots"))

    def _with_content(
        self,
        target: SyncTarget,
        record: PageRecord,
        response: Response,
        fingerprint: str,
        preferences: AiPreferences,
    ) -> PageUpdate:
        row = record.row
        return PageUpdate(
            change="changed" if target.is_committed else "added",
            loc=target.url,
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
            preferences=preferences,
        )

    def _preferences_of(self, response: Response, directives: Collection[str]) -> AiPreferences:
        origin = origin_of(response.url) or ""
        if origin not in self._preferences:
            robots = self.politeness.robots.get(origin)
            stated = None
            if robots is not None and robots.state == "read":
                stated = RobotsPreferences(robots.text, self.politeness.agent)
            self._preferences[origin] = stated
        stated = self._preferences[origin]
        return ai_preferences(response.url, stated, response.headers, directives)


def bare_update(
    target: SyncTarget, change: Literal["removed", "unknown"], reason: str
) -> PageUpdate:
    """Return the update of a page that is removed, or about which nothing can be said."""
    is_listed = change == "unknown"
    return PageUpdate(
        change=change,
        loc=target.url,
        reason=reason,
        is_known=target.is_known,
        sitemap=target.sitemap if is_listed else None,
        lastmod=target.lastmod if is_listed else None,
        previous_fingerprint=target.fingerprint,
    )


def gone_or_unknown(
    target: SyncTarget, visit: PageVisit | None, reason: str = NOT_READ
) -> PageVisit:
    """Return the visit of a page that is gone; else the page is unknown, requested or not."""
    if visit is None or (visit.update is not None and visit.update.reason in GONE):
        return visit or PageVisit(
            target, bare_update(target, "unknown", reason), is_requested=False
        )
    is_there = visit.fingerprint is not None
    return PageVisit(target, bare_update(target, "unknown", reason), is_there=is_there)


def moved_or_unknown(
    target: SyncTarget, visit: PageVisit | None, listed: Collection[str], reason: str
) -> PageVisit:
    """Return a page as removed if it redirects to a listed one for good; else as above.

    A home page is where servers redirect everything that they do not have: only another home page
    has moved there. A page that has a content has not moved to a host that could not be asked.
    """
    is_there = visit is not None and visit.fingerprint is not None and visit.moved_to is None
    if is_there and reason == ROBOTS_NOT_READ:
        return PageVisit(target, bare_update(target, "removed", NOT_LISTED))
    goal = None if visit is None else visit.moved_to
    is_catch_all = goal is not None and is_home_page(goal) and not is_home_page(target.url)
    if goal in listed and not is_catch_all:
        return PageVisit(target, bare_update(target, "removed", "moved"))
    return gone_or_unknown(target, visit, reason)


def without_content(visit: PageVisit) -> PageVisit:
    """Return a visit without its text; only that a page is gone is kept."""
    is_gone = visit.update is not None and visit.update.reason in GONE
    return visit if is_gone else visit._replace(update=None)


def catch_alls(goals: Mapping[str, int]) -> set[str]:
    """Return the targets of redirects to which pages have not moved; ``goals`` count the pages.

    These are targets of many pages, all targets of several pages if they are few compared with
    these pages, and the only target of several pages. Home pages are not among them:
    :func:`moved_or_unknown` knows what a redirect there says.

    >>> catch_alls({"https://example.com/en/": 9, "https://example.com/tea": 1})
    {'https://example.com/en/'}
    >>> sorted(catch_alls({"/en/": 4, "/de/": 4, "/fr/": 4, "/tea": 1}))
    ['/de/', '/en/', '/fr/']
    >>> catch_alls({"/en/": 2}), catch_alls({"/en/": 1}), catch_alls({"/tea": 2, "/jam": 3})
    ({'/en/'}, set(), set())
    """
    pages = {goal: count for goal, count in goals.items() if not is_home_page(goal)}
    shared = {goal: count for goal, count in pages.items() if count > 1}
    count = sum(shared.values())
    if len(pages) == 1 or (count >= MANY_TO_FEW and count > FEW_SHARE * len(shared)):
        return {*shared}
    return {goal for goal, count in shared.items() if count >= MANY_TO_FEW}


def unconfirmed_goals(
    visits: Collection[PageVisit], listed: Collection[str], unlisted: int
) -> set[str]:
    """Return the listed targets of redirects that do not confirm that a page has moved there.

    These are :func:`catch_alls`. If only few of the ``unlisted`` pages were requested, where the
    others redirect is not known: then they are all targets with another name than the page.
    """
    moves = [(each.url, each.moved_to) for each in visits if each.moved_to in listed]
    goals = Counter(goal for _, goal in moves if goal)
    found = catch_alls(goals)
    if len(visits) < min(unlisted, MANY_TO_FEW):
        found |= {
            goal
            for url, goal in moves
            if goal and not is_home_page(goal) and not _is_alike(url, goal)
        }
    return found


def _is_alike(one: str, other: str) -> bool:
    """Return whether the last parts of two paths are equal, without extension and slash."""
    names = [urlsplit(url).path.rstrip("/").rpartition("/")[2] for url in (one, other)]
    return len({name.partition(".")[0] for name in names}) == 1


def catch_all_fault(count: int, targets: int, reason: str) -> str:
    """Return the message about pages that redirect to :func:`unconfirmed_goals`, and what helps.

    ``reason`` is that for which unlisted pages are unknown.
    """
    ways = {
        MANY: f"a higher {option('max_removed_share')} removes them",
        ROBOTS_NOT_READ: "they wait for robots.txt",
    }
    pages = f"{count:,} pages that are not listed any more redirect"
    if count == 1:
        pages = "1 page that is not listed any more redirects"
    return (
        f"{pages} to {pluralize(targets, 'page')}: that does not confirm that they have moved; "
        f"{ways.get(reason, 'they wait for the sitemaps')}"
    )


def has_new_on_unread_host(visits: Iterable[PageVisit], politeness: Politeness) -> bool:
    """Return whether a page is new, and the robots.txt of its host could not be read."""
    hosts = {origin_of_page(visit.url) for visit in visits if not visit.target.is_known}
    found = (politeness.robots.get(host) for host in hosts)
    return any(robots is not None and robots.state == "unreachable" for robots in found)


def is_home_page(url: str) -> bool:
    """Return whether a URL is that of the home page of its host.

    >>> is_home_page("https://example.com/"), is_home_page("https://example.com/?page=2")
    (True, False)
    """
    parts = urlsplit(url)
    return parts.path in ("", "/") and not parts.query


def all_removed(_first: int, targets: list[SyncTarget]) -> list[PageVisit]:
    """Return pages as removed, without a request."""
    return [
        PageVisit(t, bare_update(t, "removed", NOT_LISTED), is_requested=False) for t in targets
    ]
