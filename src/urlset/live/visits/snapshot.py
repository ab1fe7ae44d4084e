"""Read the sitemaps of a site that may have changed, and store a snapshot of them."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import chain
from typing import Any

from urlset.checker.views import BROKEN
from urlset.errors import SourceError, StoreError
from urlset.http import Policy, drive_in_thread, request_url
from urlset.live.history.reader import DocumentState
from urlset.live.history.writer import HistoryWriter, RobotsState, SnapshotFacts
from urlset.live.visits.drive import Drive, Progress
from urlset.live.visits.politeness import no_url
from urlset.live.visits.revisit_walk import (
    FALLBACKS,
    HOME_EVERY,
    Revisit,
    RevisitWalk,
    UnreadRobots,
    is_html_page,
)
from urlset.model import ProgressEvent
from urlset.reader import DocumentRecord, Visit
from urlset.reader.site import product_token
from urlset.reader.site_walk import SiteWalk, walk_from
from urlset.store import StoreSession
from urlset.terminal_text import pluralize

AGENTS = ("*", "Googlebot", "Bingbot")
"""Crawlers whose rules in robots.txt are compared; only rules that differ from those for all."""

MIN_EMPTIED = 10
"""URLs of a sitemap that is empty now from which on they are kept, as those of one that fails."""

_GUESSED = ("link", *FALLBACKS)

_NO_SITEMAP = (401, 403, 404, 410)
"""Statuses of a path that has no sitemap any more, as an HTML page: 403 is that of a bucket."""

_ABSENT = {"byte_count": 0, "etag": None, "last_modified": None, "digest": None}
"""Facts of a document that is not there, so that it has no bytes. If it is again, it is read."""


def take_snapshot(
    session: StoreSession,
    site: str,
    *,
    policy: Policy,
    recheck_sitemaps: int,
    engine: str | None = None,
    logger: logging.Logger,
    now: Callable[[], datetime],
    drive: Drive | None = None,
    progress: Progress | None = None,
    then: Callable[[int], None] | None = None,
) -> int:
    """Read the sitemaps of a site and store a snapshot; return its number.

    Nothing is stored if this is interrupted. :func:`expect_url` accepts the site, and the session
    is that of a store with the history tables. ``recheck_sitemaps`` sitemaps are requested although
    the index has the same date for them, those first that were not requested for the longest time.
    ``progress`` is called with the number of sitemaps, ``then`` with that of the snapshot, in the
    transaction that stores it.

    Raises:
        urlset.SourceError: It is the first snapshot, and nothing could be read.
        urlset.StoreError: The store has the history of another site.
    """
    _expect_site(session, site)
    step = _Step(session, site, recheck_sitemaps, engine, logger, now().astimezone(UTC))
    step.read(drive or drive_in_thread, policy, progress or (lambda _: None))
    return step.store(now(), then)


def expect_url(site: str) -> None:
    """Raise :class:`urlset.SourceError` if a site is not an http or https URL."""
    if request_url(site) is None:
        raise no_url("the URL of a site or a sitemap, as https://example.com/", site)


def _expect_site(session: StoreSession, site: str) -> None:
    query = "SELECT site FROM store.snapshots ORDER BY snapshot DESC LIMIT 1"
    for (known,) in list(session.rows(query)):
        if request_url(known) != request_url(site):
            raise StoreError(
                f"expected a store with the history of {site}, found that of {known}. If the site "
                f"has moved, keep naming {known} as long as it redirects: the history goes on with "
                "the new URLs. Otherwise use a store for each site"
            )


@dataclass
class _Step:
    _session: StoreSession
    _site: str
    _recheck_sitemaps: int
    _engine: str | None
    _logger: logging.Logger
    _started: datetime

    def __post_init__(self) -> None:
        self._writer = HistoryWriter(self._session, self._started)
        self._reasons: list[str] = []
        self._robots: list[RobotsState] = []
        self._former_robots = self._writer.known_robots()
        self._revisit = Revisit()
        self._answers: dict[str, str] = {}
        self._empty: set[str] = set()
        self._emptied: set[str] = set()
        self._undeclared: dict[str, str] = {}
        self._has_failed = False

    def read(self, drive: Drive, policy: Policy, progress: Progress) -> None:
        """Read the sitemaps of the site, and record each document for the snapshot."""
        site_walk = walk_from(
            self._site,
            agent=product_token(policy.user_agent),
            engine=self._engine,
            max_bytes=policy.max_bytes,
            obey=policy.obey_robots,
            robots=True,
        )
        known = dict(self._writer.documents)
        walk = RevisitWalk(
            site_walk,
            known,
            held_steps=max(self._writer.held_steps, self._writer.held_steps_before),
            rechecked=self._oldest(known),
            skips_home=self._may_skip_home(known),
            declared={
                url: robots.sitemaps
                for url, robots in self._former_robots.items()
                if robots.state != "absent"
            },
        )
        self._revisit = walk.revisit
        for count, visit in enumerate(chain(drive(walk, policy), walk.pending()), 1):
            self._add(visit)
            source = visit.record.source or self._site
            progress(ProgressEvent(documents=count, source=visit.record.source))
            self._logger.debug("%s: %s", source, self._writer.outcome(source) or "not a sitemap")
        for source in self._revisit.trusted:
            self._writer.add(source, "trusted", {}, now=self._started)
        self._add_home()
        has_lost_robots = self._add_robots(site_walk)
        has_failed = has_lost_robots or any(
            attempt.outcome == "failed" for attempt in site_walk.attempts
        )
        self._has_failed = has_failed
        is_complete = not has_failed and not self._revisit.has_skipped_paths
        self._answers = {
            each.url: each.detail or f"HTTP {each.status}"
            for each in site_walk.attempts
            if each.outcome != "found" and each.status not in (404, 410)
        }
        self._drop_undeclared()
        self._add_missing(known, is_search_complete=is_complete)
        if self._writer.snapshot == 1 and not any(
            self._writer.outcome(source) == "read"
            for source, document in self._writer.documents.items()
            if document.how != "home"
        ):
            reason = self._reasons[0] if self._reasons else "no sitemap found"
            raise SourceError(f"{self._site}: nothing could be read: {reason}")

    def store(self, finished: datetime, then: Callable[[int], None] | None) -> int:
        """Store the snapshot and return its number."""
        revisit = self._revisit
        facts = SnapshotFacts(
            self._site,
            self._started,
            finished,
            tuple(dict.fromkeys(self._reasons)),
            revisit.request_count,
            revisit.byte_count,
        )
        number = self._writer.snapshot
        self._writer.commit(facts, self._robots, None if then is None else lambda: then(number))
        return number

    def _oldest(self, known: dict[str, DocumentState]) -> frozenset[str]:
        """Return the child sitemaps that were not requested for the longest time."""
        children = [each for each in known.values() if each.how == "index" and each.verified_at]
        # A time after the present is that of a wrong clock: it counts as the longest ago.
        children.sort(
            key=lambda each: (
                each.verified_at is not None and each.verified_at <= self._started,
                each.verified_at,
                each.document,
            )
        )
        return frozenset(each.source for each in children[: self._recheck_sitemaps])

    def _may_skip_home(self, known: dict[str, DocumentState]) -> bool:
        home = next((each for each in known.values() if each.how == "home"), None)
        roots = [each for each in known.values() if each.how not in ("index", "home")]
        return (
            home is not None
            and home.verified_at is not None
            and timedelta() <= self._started - home.verified_at < HOME_EVERY
            and any(root.state == "listed" for root in roots)
            and not any(root.how in ("link", "feed") for root in roots)
        )

    def _add(self, visit: Visit) -> None:
        record, document = visit
        source = record.source or self._site
        if record.how == "site":
            if not self._revisit.has_skipped_paths:  # else it names paths that were not tried
                self._reasons.append(f"{source}: {record.error}")
            return
        if record.how == "robots" and source.endswith("/robots.txt"):
            self._reasons.append(f"{source}: {record.error}")
            return
        now, writer = self._started, self._writer
        facts: dict[str, Any] = {"parent": record.parent, "how": record.how}
        if source in self._revisit.trusted:
            writer.add(source, "trusted", facts, now=now)
        elif source in self._revisit.same:
            facts |= {"lastmod": record.lastmod, **self._revisit.validators.get(source, {})}
            state = writer.add(source, "same", facts, now=now)
            if state.kind not in (None, "index") and not state.entry_count:
                self._empty.add(source)
            self._note_partial(state, record)
        elif record.error is not None or (document is None and record.same_as is None):
            self._add_failed(source, record, facts)
        else:
            facts |= {
                "kind": None if record.same_as else record.kind,
                "lastmod": record.lastmod,
                "byte_count": record.size,
                "entry_count": record.entries,
                "unreadable_count": record.unreadable_count,
                **self._revisit.validators.get(source, {}),
            }
            entries = document.entries if document is not None and record.entries else None
            problems = () if document is None else document.problems
            is_partial = any(problem.code in BROKEN for problem in problems)
            known = writer.documents.get(source)
            if known and not writer.outcome(source) and not writer.was_read_in_part(known):
                facts["failures"] = 0  # the steps in which it could not be read do not count
            if self._is_emptied(source, record):
                if not self._was_emptied(source):
                    facts["failures"] = 0  # the steps before, of another failure, do not count
                # Without validators, the next step reads it again.
                facts |= {"etag": None, "last_modified": None, "digest": None}
                self._emptied.add(source)
                is_partial = True
            state = writer.add(source, "read", facts, entries, now=now, is_partial=is_partial)
            self._note_partial(state, record)

    def _note_partial(self, state: DocumentState, record: DocumentRecord) -> None:
        """Note a document of which entries could not be read, while it holds back removals."""
        if 0 < state.failures <= self._writer.held_steps:
            is_emptied = state.source in self._emptied
            why = _EMPTIED if is_emptied else _why_partial(record)
            self._reasons.append(f"{state.source}: {why}")

    def _is_emptied(self, source: str, record: DocumentRecord) -> bool:
        """Return whether a document lists nothing, but the history has many URLs or sitemaps of it.

        That is a mistake more often than a decision.
        """
        if record.same_as in self._empty or not (
            record.same_as or record.entries or record.sitemaps
        ):
            self._empty.add(source)
        known = self._writer.documents.get(source)
        if known is None or source not in self._empty:
            return False
        children = sum(
            each.parent == source and each.how == "index" and each.state != "unlisted"
            for each in self._writer.documents.values()
        )
        return bool(children) or self._writer.url_count(known.document) >= MIN_EMPTIED

    def _was_emptied(self, source: str) -> bool:
        """Return whether a document was empty as here when it was last read: it has no digest."""
        known = self._writer.documents[source]
        return bool(known.failures) and known.digest is None and known.entry_count == 0

    def _add_failed(self, source: str, record: DocumentRecord, facts: dict[str, Any]) -> None:
        known = self._writer.documents.get(source)
        if known is None and record.how in _GUESSED:
            return  # a guess that is not a sitemap
        status = record.fetched.status if record.fetched is not None else None
        reason = f"{source}: {record.error}"
        self._reasons.append(reason)
        is_gone = status in (404, 410)
        if known is not None and record.parent in self._revisit.unread_robots:
            # That it is listed is known of the former content only.
            is_gone = is_gone and known.state == "gone"
            former = self._former_robots[record.parent]
            if _is_no_sitemap(record):
                if self._is_over(known) and former.state in ("refused", "html"):
                    self._undeclared[source] = reason
                facts |= _as_absent(known)
        self._writer.add(source, "gone" if is_gone else "failed", facts, now=self._started)

    def _drop_undeclared(self) -> None:
        """Record sitemaps as unlisted that do not exist, and that only a lost robots.txt named.

        Not in a step that finds no other sitemap: the whole site may be in maintenance.
        """
        if self._has_sitemap():
            for source, reason in self._undeclared.items():
                self._writer.add(source, "unlisted", {}, now=self._started)
                self._reasons.remove(reason)

    def _add_home(self) -> None:
        """Record the result of requesting the home page, so that later steps can skip it."""
        home = self._revisit.home
        if home is not None and home.status is not None and home.status < 500:
            facts = {"how": "home", "kind": None}
            self._writer.add(home.request.url, "read", facts, now=self._started)
        for source, each in self._writer.documents.items():
            if each.how == "home" and self._writer.outcome(source) is None:
                self._writer.add(source, "trusted", {}, now=self._started)

    def _add_robots(self, walk: SiteWalk) -> bool:
        """Record the robots.txt files; return whether one cannot be read that was before."""
        has_lost = False
        known = self._former_robots
        for origin, robots in walk.robots_cache.files.items():
            url = f"{origin}/robots.txt"
            unread = self._revisit.unread_robots.get(url)
            if unread is not None:
                has_lost |= self._add_unread_robots(known[url], unread)
                continue
            if robots.state in ("unreachable", "refused") or is_html_page(robots):
                continue
            rules = {
                f"{agent}: {'allow' if pattern.is_allowing else 'disallow'} {pattern.text}"
                for agent in AGENTS
                if agent == "*" or robots.patterns(agent) != robots.patterns("*")
                for pattern in robots.patterns(agent)
            }
            sitemaps = {line.url for line in robots.sitemaps}
            state = RobotsState(url, robots.state, tuple(sorted(rules)), tuple(sorted(sitemaps)))
            self._robots.append(state)
        return has_lost

    def _add_unread_robots(self, former: RobotsState, unread: UnreadRobots) -> bool:
        """Record a robots.txt that is refused, or is an HTML page; return whether it is unknown.

        It is for some steps, and while no sitemap can be read: a maintenance page may be at every
        path. Its former content remains. After that it has no rules, as RFC 9309 says of one that
        is refused, and as crawlers read an HTML page.
        """
        if former.state in ("refused", "html"):
            self._robots.append(former)
            return False
        steps = 0 if former.state == "read" else self._writer.steps_of_robots(former.url)
        if steps >= self._writer.held_steps and self._has_sitemap(or_feed=True):
            self._robots.append(former._replace(state=unread.state, rules=()))
            return False
        self._robots.append(former._replace(state="unread"))
        self._reasons.append(f"{former.url}: {unread.why}")
        return True

    def _has_sitemap(self, *, or_feed: bool = False) -> bool:
        """Return whether a sitemap was read in this step.

        A feed is none: it lists the latest pages only, and is read if no sitemap is found.
        """
        others = ("home",) if or_feed else ("home", "feed")
        return any(
            self._writer.outcome(source) in ("read", "same") and document.how not in others
            for source, document in self._writer.documents.items()
        )

    def _add_missing(self, known: dict[str, DocumentState], *, is_search_complete: bool) -> None:
        """Record known documents that the walk did not reach, as unlisted or failed."""
        has_sitemap, has_feed = self._has_sitemap(), self._has_sitemap(or_feed=True)
        open_ = [s for s, d in known.items() if d.state != "unlisted"]
        left = [source for source in open_ if self._writer.outcome(source) is None]
        while left:
            # Parents first: what happened to an index decides what is known of its children.
            later = []
            for source in left:
                parent = known[source].parent if known[source].how == "index" else None
                if parent in left:
                    later.append(source)
                    continue
                outcome = None if parent is None else self._writer.outcome(parent)
                is_read = (outcome in ("read", "same", "unlisted") and not self._holds(parent)) or (
                    parent is None
                    and is_search_complete
                    and (
                        has_sitemap
                        or (has_feed and known[source].how == "feed")
                        or self._is_missing(known[source])
                    )
                )
                kind = "unlisted" if is_read else "failed"
                is_absent = parent is None and not self._has_failed and source not in self._answers
                facts = _as_absent(known[source]) if is_absent and not is_read else {}
                self._writer.add(source, kind, facts, now=self._started)  # type: ignore[arg-type]
                if kind == "failed" and parent is None:
                    self._reasons.append(f"{source}: {self._why_missing(known[source])}")
            if len(later) == len(left):
                break
            left = later

    def _holds(self, parent: str | None) -> bool:
        """Return whether an index is empty, for a few steps, so that its sitemaps are unknown."""
        if parent is None or parent not in self._emptied:
            return False
        return self._writer.documents[parent].failures <= self._writer.held_steps

    def _is_missing(self, known: DocumentState) -> bool:
        """Return whether a document does not exist any more, in a step that found no sitemap.

        One that answers a page of HTML or 403, or is disallowed, may exist: all paths may answer so
        for some time. So may one that is missing from its path, or that nothing names, for as long
        as one that fails holds back removals.
        """
        return known.source not in self._answers and self._is_over(known)

    def _is_over(self, known: DocumentState) -> bool:
        """Return whether a document is not there for as long as one that fails is waited for."""
        return _is_absent(known) and known.failures >= self._writer.held_steps

    def _why_missing(self, known: DocumentState) -> str:
        if known.source in self._answers:
            return self._answers[known.source]
        is_guess, has_skipped = known.how in FALLBACKS, self._revisit.has_skipped_paths
        if self._has_failed and not (is_guess and has_skipped):
            return "robots.txt or the page that names it failed"
        what = "it was not found" if is_guess else "nothing names it any more"
        if has_skipped:
            return f"{what}; the next step tries all usual paths"
        return f"{what}, and the site has no other sitemap; its URLs are kept {_FOR_NOW}"


_FOR_NOW = "for three steps, and for a day at least"
_EMPTIED = f"it lists nothing any more; its former URLs are kept {_FOR_NOW}"


def _is_no_sitemap(record: DocumentRecord) -> bool:
    """Return whether an answer says that there is no sitemap, not that it cannot be read now."""
    fetched = record.fetched
    if fetched is None:
        return False
    is_page = fetched.status == 200 and fetched.is_whole and record.kind == "html"
    return is_page or fetched.status in _NO_SITEMAP


def _is_absent(known: DocumentState) -> bool:
    """Return whether a document was not there in a step since it was last read."""
    return known.byte_count == 0 or known.state == "gone"


def _as_absent(known: DocumentState) -> dict[str, Any]:
    """Return the facts of a document that is not there; steps with other failures do not count."""
    return _ABSENT if _is_absent(known) else {**_ABSENT, "failures": 0}


def _why_partial(record: DocumentRecord) -> str:
    if not record.unreadable_count:
        return "some of its entries could not be read"
    return f"{pluralize(record.unreadable_count, 'entry has', 'entries have')} no readable URL"
