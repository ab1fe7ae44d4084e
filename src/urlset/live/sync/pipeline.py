"""Synchronize a site with an index: read its sitemaps, request what may have changed, commit."""

from __future__ import annotations

import logging
import os
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import BinaryIO

from urlset.errors import StoreError
from urlset.http import Policy, drive_in_thread, run_policy, with_login
from urlset.live.history.reader import entries_at, moment
from urlset.live.history.writer import held_steps_at
from urlset.live.schemas import HISTORY_SCHEMA, SYNC_SCHEMA, stream_of
from urlset.live.sync.page_walk import (
    GONE,
    MANY,
    NOT_READ,
    ROBOTS_NOT_READ,
    PageVisit,
    SyncTarget,
    SyncWalk,
    all_removed,
    bare_update,
    catch_all_fault,
    gone_or_unknown,
    has_new_on_unread_host,
    moved_or_unknown,
    unconfirmed_goals,
    without_content,
)
from urlset.live.sync.settings import SyncSettings
from urlset.live.sync.update import PageUpdate, SyncBatch, SyncCounts, SyncJson, UpdateFile
from urlset.live.visits.drive import Drive, Progress, StageLog
from urlset.live.visits.politeness import Budget, Politeness
from urlset.live.visits.snapshot import expect_url, take_snapshot
from urlset.model import ProgressEvent
from urlset.option_names import option
from urlset.result import Result, values_of
from urlset.robots.ai_preferences import RobotsPreferences
from urlset.store import STORE_CLOSED, Store, StoreSession
from urlset.terminal_text import pluralize
from urlset.urls import split_origin

logger: logging.Logger = logging.getLogger("urlset.sync")

CONFIRMED_AFTER = timedelta(minutes=1)
"""Least time between two requests, in two runs, that confirm that a page is gone."""

NOT_OVER = "the run is not over: not all batches were read"
"""Why a run is not complete until its last batch."""

_Clock = Callable[[], datetime]
_VisitsOf = Callable[[int, list[SyncTarget]], list[PageVisit]]

_VISITED = (
    "url fingerprint lastmod:instant etag last_modified directives is_changed:flag is_gone:flag "
    "is_there:flag"
)


class Sync(Result):
    """One run of a synchronization: iterate over its batches once.

    The store is open until the iteration ends, or until :meth:`close`.

    Attributes:
        counts: Updates by kind so far, and pages that are ``unchanged``, ``gone`` (listed, but they
            answer 404 or 410, and were never delivered) or ``trusted`` (not requested, because
            their ``lastmod`` is the same).
        is_dry_run: Whether nothing is stored.
    """

    def __init__(
        self,
        site: str,
        store: str | os.PathLike[str],
        settings: SyncSettings,
        *,
        progress: Progress | None = None,
        drive: Drive | None = None,
        now: _Clock | None = None,
    ):
        expect_url(site)
        policy, self.site = with_login(run_policy(settings.policy), site, settings.auth)
        settings = replace(settings, policy=policy, auth=None)
        self.is_dry_run: bool = settings.dry_run
        self.counts: Counter[str] = Counter()
        self._faults: list[str] = [NOT_OVER]
        self._is_closed = False
        self._batches = self._run(
            os.fspath(store),
            settings,
            progress or (lambda _: None),
            drive or drive_in_thread,
            now or (lambda: datetime.now(UTC)),
        )

    @property
    def incomplete(self) -> tuple[str, ...]:
        """Why not every page is known, so far; empty if everything is.

        A run that was not iterated to its end is not complete.
        """
        unknown = self.counts["unknown"]
        return (*self._faults, *[f"{pluralize(unknown, 'page')} unknown"] * bool(unknown))

    def __iter__(self) -> Iterator[SyncBatch]:
        if self._is_closed:
            raise StoreError(STORE_CLOSED)
        return self

    def __next__(self) -> SyncBatch:
        if self._is_closed:
            raise StoreError(STORE_CLOSED)
        return next(self._batches)

    def to_jsonl(self, target: str | os.PathLike[str] | BinaryIO) -> None:
        """Write the updates as JSON lines; commit each batch when its lines are on the disk.

        A file is appended to; an incomplete line at its end, of a killed run, is removed. In a dry
        run the updates are written to a binary file only; that of a path is not changed.

        Args:
            target: Path of a file, or a binary file such as ``sys.stdout.buffer``.

        Raises:
            urlset.TargetError: The file cannot be written.
        """
        batches = iter(self)  # before a file is created
        if self.is_dry_run and isinstance(target, str | os.PathLike):
            for batch in batches:
                batch.commit()
            return
        with UpdateFile.opened(target) as file:
            for batch in batches:
                file.write(batch)
                batch.commit()

    def close(self) -> None:
        """End the run and close the store; reading batches after it is an error."""
        self._is_closed = True
        self._batches.close()

    @property
    def subject(self) -> str:
        """The site, as the end of a phrase."""
        return f"of {self.site}"

    @property
    def _totals(self) -> str:
        """Numbers of pages by kind, so far."""
        kinds = SyncCounts.__annotations__
        shown = (kind for kind in kinds if kind != "gone" or self.counts[kind])
        text = ", ".join(f"{self.counts[kind]:,} {kind}" for kind in shown)
        return f"{text}; nothing was stored: this was a dry run" if self.is_dry_run else text

    def to_dict(self) -> SyncJson:
        """Return the counts and what is incomplete as values that JSON has."""
        counts = {kind: self.counts[kind] for kind in SyncCounts.__annotations__}
        return values_of(self, SyncJson, counts=counts)

    def _run(
        self, path: str, settings: SyncSettings, progress: Progress, drive: Drive, now: _Clock
    ) -> Generator[SyncBatch]:
        budget = Budget(settings.max_requests, settings.max_minutes)  # sitemaps take time, too
        open_store = Store.open_copy if settings.dry_run else Store.open
        with open_store(path) as store:
            store.add(HISTORY_SCHEMA)
            store.add(SYNC_SCHEMA)
            with store.session() as session:
                snapshot = take_snapshot(
                    session,
                    self.site,
                    policy=settings.policy or Policy(),
                    recheck_sitemaps=settings.recheck_sitemaps,
                    engine=settings.engine,
                    logger=logger,
                    now=now,
                    drive=drive,
                    progress=progress,
                )
                run = _Run(
                    self, self._faults, session, snapshot, settings, budget, drive, progress, now
                )
                yield from run.batches()
        self._faults.remove(NOT_OVER)


@dataclass
class _Run:
    _sync: Sync
    _faults: list[str]
    _session: StoreSession
    _snapshot: int
    _settings: SyncSettings
    _budget: Budget
    _drive: Drive
    _progress: Progress
    _now: _Clock

    def __post_init__(self) -> None:
        settings = self._settings
        self._done = 0
        self._rechecked = 0  # pages that were requested although no sitemap that was read has them
        self._is_new_host_unread = False  # of a new page: an unlisted one may have moved there
        self._policy = settings.policy or Policy()
        self._preferences: dict[str, RobotsPreferences | None] = {}
        hosts = {split_origin(self._sync.site)[1]}
        self._politeness = Politeness(self._policy, self._budget, hosts=hosts)

    def batches(self) -> Iterator[SyncBatch]:
        """Yield the batches: pages that were requested, removed ones, then unknown ones."""
        size, stages = self._settings.batch_size, StageLog(logger)
        total = self._create_tables()
        stages.end("%d pages to request", total)
        for first in range(0, total, size):
            stages = StageLog(logger)  # without the time of the caller
            visits = self._visit(list(self._targets(first, size)))
            self._is_new_host_unread |= has_new_on_unread_host(visits, self._politeness)
            stages.end("%d pages requested", len(visits))
            yield from self._batch_of(visits)
            if self._budget.exceeded:
                self._faults.append(self._budget.exceeded)
                break
        query = f"SELECT unnest(reasons) FROM store.snapshots WHERE snapshot = {self._snapshot}"
        reasons = [reason for (reason,) in self._session.rows(query)]
        yield from self._missing(is_whole=not reasons)
        self._faults += [*reasons, *self._politeness.unread_robots]
        yield from self._unread()

    def _create_tables(self) -> int:
        """Create ``listed_now`` and ``sync_queue``; return the number of pages to request."""
        session, recheck = self._session, self._settings.recheck_pages
        # Pages that do not answer wait for those that were never requested, or are older.
        checked = self._past("coalesce(s.checked_at, u.checked_at)")
        session.run(
            # Note: a date in a sitemap that could not be read is not the date of the page now.
            "CREATE TABLE listed_now AS SELECT loc AS url, "
            "max(lastmod) FILTER (is_known) AS lastmod, bool_or(is_known) AS is_known, "
            "min(source) FILTER (is_known) AS sitemap "
            f"FROM ({entries_at(self._snapshot)}) GROUP BY loc"
        )
        session.run(
            f"""CREATE TABLE sync_queue AS
            SELECT row_number() OVER (ORDER BY checked_at NULLS FIRST, url) - 1 AS position, *
            FROM (
                SELECT l.url, l.lastmod, l.sitemap, s.fingerprint, s.etag, s.directives, s.gone_at,
                    -- A file that is replaced by an older one is "not modified since".
                    CASE WHEN l.lastmod IS NULL OR l.lastmod = s.lastmod THEN s.last_modified END
                        AS last_modified,
                    {checked} AS checked_at, s.url IS NOT NULL AS is_known,
                    s.synced_at IS NOT NULL AS is_committed,
                    s.fingerprint IS NULL OR l.lastmod IS NULL OR s.gone_at IS NOT NULL
                        OR l.lastmod IS DISTINCT FROM s.lastmod AS is_due,
                    row_number() OVER (
                        PARTITION BY is_due ORDER BY {checked} NULLS FIRST, l.url) AS turn
                FROM listed_now l LEFT JOIN store.synced_pages s ON s.url = l.url
                LEFT JOIN store.undelivered_pages u ON u.url = l.url
                WHERE l.is_known)
            WHERE is_due OR turn <= {recheck}"""
        )
        [(total, listed)] = session.rows(
            "SELECT (SELECT count(*) FROM sync_queue), count(*) FROM listed_now WHERE is_known"
        )
        self._sync.counts["trusted"] = listed - total
        return int(total)

    def _past(self, column: str) -> str:
        """Return SQL for a time; NULL for one after the present, which is that of a wrong clock."""
        return f"CASE WHEN {column} <= '{self._now().isoformat()}'::TIMESTAMPTZ THEN {column} END"

    def _targets(self, first: int, size: int) -> Iterator[SyncTarget]:
        query = (
            "SELECT url, epoch_us(lastmod), epoch_us(gone_at), sitemap, is_known, is_committed, "
            "fingerprint, etag, last_modified, directives FROM sync_queue "
            f"WHERE position >= {first} AND position < {first + size} ORDER BY position"
        )
        for url, lastmod, gone_at, *others in self._session.rows(query):
            target = SyncTarget(url, moment(lastmod), *others)
            yield target._replace(gone_at=moment(gone_at))

    def _visit(self, targets: list[SyncTarget]) -> list[PageVisit]:
        """Request pages; those that are gone are removed if they were in an earlier run, too."""
        return [self._confirmed(visit) for visit in self._walk(targets)]

    def _confirmed(self, visit: PageVisit) -> PageVisit:
        """Return a visit as a removal if the page is gone, and was at least a minute before."""
        if visit.update is None or visit.update.reason not in GONE:
            return visit
        gone_at = visit.target.gone_at
        if visit.target.is_known and (gone_at is None or self._now() - gone_at < CONFIRMED_AFTER):
            return visit
        return visit._replace(update=bare_update(visit.target, "removed", visit.update.reason))

    def _walk(self, targets: list[SyncTarget]) -> Iterator[PageVisit]:
        if not targets:
            return
        walk = SyncWalk(
            iter(targets), self._politeness, self._preferences, text=self._settings.text_function
        )
        for visit in self._drive(walk, self._policy):
            self._done += 1
            self._progress(ProgressEvent(self._done, source=visit.url))
            logger.debug("%s: %s", visit.url, visit.update.change if visit.update else "unchanged")
            yield visit
        yield from walk.close()

    def _batch_of(self, visits: list[PageVisit]) -> Iterator[SyncBatch]:
        """Yield the batch of some visits; without an update, commit it at once."""
        updates: list[PageUpdate] = []
        for visit in visits:
            update = visit.update
            if update is None:
                self._sync.counts["unchanged"] += 1
            elif update.change == "removed" and not update.is_known:
                self._sync.counts["gone"] += 1
            else:
                updates.append(update)
        self._sync.counts.update(update.change for update in updates)
        batch = SyncBatch(updates, lambda: self._store(visits))
        if updates:
            self._announce([update.loc for update in updates if update.change != "unknown"])
            yield batch
        else:
            batch.commit()

    def _announce(self, urls: list[str]) -> None:
        """Store that it is not certain what the index has of these pages, before their delivery.

        If the run ends before the commit, the next one delivers them again: also if a page is gone
        or has its old content by then.
        """
        session = self._session
        rows = [(url,) for url in urls]
        session.load("announced_pages", stream_of("url", rows))
        with session.transaction():
            session.run(
                "UPDATE store.synced_pages SET fingerprint = NULL, lastmod = NULL, etag = NULL, "
                "last_modified = NULL WHERE url IN (SELECT url FROM announced_pages)"
            )
            session.run(
                "INSERT INTO store.synced_pages BY NAME SELECT a.url FROM announced_pages a "
                "ANTI JOIN store.synced_pages p ON p.url = a.url"
            )

    def _store(self, visits: list[PageVisit]) -> None:
        """Store what the index has now; a page that is unknown keeps its state."""
        time = f"'{self._now().isoformat()}'::TIMESTAMPTZ"
        session = self._session
        rows = [
            (
                v.url,
                v.fingerprint,
                v.target.lastmod,
                v.etag,
                v.last_modified,
                v.directives,
                v.update is not None,
                v.update is not None and v.update.reason in GONE,
                v.is_there,
            )
            for v in visits
            if v.is_requested
        ]
        session.load("visited_pages", stream_of(_VISITED, rows))
        removed = [(v.url,) for v in visits if v.update and v.update.change == "removed"]
        with session.transaction():
            session.run(
                f"UPDATE store.synced_pages p SET checked_at = {time}, "
                "fingerprint = coalesce(v.fingerprint, p.fingerprint), "
                "directives = coalesce(v.directives, p.directives), "
                f"gone_at = CASE WHEN v.is_gone THEN least(p.gone_at, {time}) "
                "WHEN v.fingerprint IS NULL AND NOT v.is_there THEN p.gone_at END, "
                "lastmod = CASE WHEN v.fingerprint IS NULL THEN p.lastmod ELSE v.lastmod END, "
                "etag = CASE WHEN v.fingerprint IS NULL THEN p.etag ELSE v.etag END, "
                "last_modified = CASE WHEN v.fingerprint IS NULL THEN p.last_modified "
                "ELSE v.last_modified END, "
                f"synced_at = CASE WHEN v.fingerprint IS NOT NULL AND v.is_changed THEN {time} "
                "ELSE p.synced_at END FROM visited_pages v WHERE v.url = p.url"
            )
            session.run(
                "INSERT INTO store.synced_pages BY NAME SELECT v.url, v.fingerprint, v.lastmod, "
                f"v.etag, v.last_modified, v.directives, {time} AS synced_at, "
                f"{time} AS checked_at "
                "FROM visited_pages v ANTI JOIN store.synced_pages p ON p.url = v.url "
                "WHERE v.fingerprint IS NOT NULL"
            )
            session.insert(
                "DELETE FROM store.synced_pages WHERE url IN (FROM incoming)",
                stream_of("url", removed),
            )
            session.run(
                "DELETE FROM store.undelivered_pages WHERE url IN (SELECT url FROM visited_pages) "
                "OR url NOT IN (SELECT url FROM listed_now)"
            )
            session.run(
                f"INSERT INTO store.undelivered_pages BY NAME SELECT v.url, {time} AS checked_at "
                "FROM visited_pages v ANTI JOIN store.synced_pages p ON p.url = v.url "
                "WHERE v.fingerprint IS NULL"
            )

    def _missing(self, *, is_whole: bool) -> Iterator[SyncBatch]:
        """Yield the pages that no sitemap lists any more.

        A page may have moved to a sitemap that could not be read, or to a new page of a host whose
        robots.txt could not be read. Then some pages are requested, and removed if they are gone or
        have moved, or have a content and so are not on such a host. The others are unknown.
        """
        session = self._session
        session.run(
            "CREATE TABLE unlisted_pages AS SELECT row_number() OVER ("
            f"ORDER BY {self._past('p.checked_at')} NULLS FIRST, p.url) - 1 "
            "AS position, p.* FROM store.synced_pages p ANTI JOIN listed_now l ON l.url = p.url"
        )
        counts = "SELECT (SELECT count(*) FROM unlisted_pages), count(*) FROM store.synced_pages"
        [(count, known)] = session.rows(counts)
        share = self._settings.removed_share(known)
        visits_of: _VisitsOf = all_removed
        if not is_whole:
            visits_of = self._gone_or_moved(count, NOT_READ)
        elif count > share * known:
            self._faults.append(
                f"{count:,} of {known:,} pages are not listed any more, above the largest share of "
                f"{share:.0%} ({option('max_removed_share')}): they are unknown, except those that "
                "are gone or have moved to a listed page"
            )
            visits_of = self._gone_or_moved(count, MANY)
        elif self._is_new_host_unread:
            visits_of = self._gone_or_moved(count, ROBOTS_NOT_READ)
        yield from self._rows_of("FROM unlisted_pages", visits_of)

    def _gone_or_unread(self, limit: int) -> _VisitsOf:
        """Return a function that requests the first pages: those that are gone, others unknown."""

        def visits_of(first: int, targets: list[SyncTarget]) -> list[PageVisit]:
            visits = {each.url: each for each in self._visit(targets[: max(0, limit - first)])}
            return [gone_or_unknown(target, visits.get(target.url)) for target in targets]

        return visits_of

    def _gone_or_moved(self, unlisted: int, reason: str) -> _VisitsOf:
        """Request the first unlisted pages; return a function that confirms those that are gone.

        It confirms a page that redirects to a listed one, too. What redirects mean is decided for
        all of these pages, so that it does not depend on the batches.
        """
        limit = self._rechecked = min(unlisted, self._settings.recheck_pages)
        walk = self._walk(self._targets_of("FROM unlisted_pages", 0, limit))
        visits = {each.url: self._confirmed(without_content(each)) for each in walk}
        goals = Counter(each.moved_to for each in visits.values() if each.moved_to)
        query = "SELECT url FROM listed_now WHERE list_contains(?::VARCHAR[], url)"
        listed = {url for (url,) in list(self._session.rows(query, ([*goals],)))}
        if others := unconfirmed_goals(visits.values(), listed, unlisted):
            count = sum(goals[url] for url in others)
            self._faults.append(catch_all_fault(count, len(others), reason))
        listed -= others
        return lambda _, targets: [
            moved_or_unknown(target, visits.get(target.url), listed, reason) for target in targets
        ]

    def _unread(self) -> Iterator[SyncBatch]:
        """Yield the pages whose sitemaps could not be read; some are requested if that lasts."""
        held = held_steps_at(self._session, self._snapshot)
        unread = (
            "SELECT l.url, NOT EXISTS (SELECT 1 FROM entries e JOIN store.history_documents d "
            f"USING (source) WHERE e.loc = l.url AND d.failures <= {held}) AS is_long "
            "FROM listed_now l WHERE NOT l.is_known"
        )
        self._session.run(
            "CREATE TABLE unread_pages AS "
            f"WITH entries AS ({entries_at(self._snapshot)}), unread AS ({unread}) "
            "SELECT row_number() OVER (ORDER BY is_long DESC, "
            f"{self._past('p.checked_at')} NULLS FIRST, p.url) - 1 AS position, p.*, is_long "
            "FROM store.synced_pages p JOIN unread USING (url)"
        )
        [(count,)] = self._session.rows("SELECT count(*) FROM unread_pages WHERE is_long")
        limit = min(count, self._settings.recheck_pages - self._rechecked)
        yield from self._rows_of("FROM unread_pages", self._gone_or_unread(limit))

    def _rows_of(self, pages: str, visits_of: _VisitsOf) -> Iterator[SyncBatch]:
        """Yield batches of pages, of a ``FROM`` clause, that a function converts to visits."""
        size = self._settings.batch_size
        [(total,)] = self._session.rows(f"SELECT count(*) {pages}")
        for first in range(0, total, size):
            yield from self._batch_of(visits_of(first, self._targets_of(pages, first, size)))

    def _targets_of(self, pages: str, first: int, size: int) -> list[SyncTarget]:
        rows = self._session.rows(
            "SELECT url, epoch_us(gone_at), synced_at IS NOT NULL, fingerprint, etag, "
            "last_modified, directives "
            f"{pages} WHERE position >= {first} AND position < {first + size} ORDER BY position"
        )
        return [
            SyncTarget(url, None, None, True, *others)._replace(gone_at=moment(gone_at))
            for url, gone_at, *others in rows
        ]
