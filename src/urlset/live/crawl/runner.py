"""Crawl a site into a store, continue a crawl, or repeat it with conditional requests."""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice

from urlset.arguments import checked_arguments
from urlset.dates import format_date
from urlset.errors import SourceError, StoreError
from urlset.http import Policy, drive_in_thread, origin_of, run_policy, with_login
from urlset.interrupts import delayed_interrupts
from urlset.live.crawl.evidence import completeness, update_evidence
from urlset.live.crawl.frontier import Discovered, Frontier
from urlset.live.crawl.journal import Journal
from urlset.live.crawl.options import CrawlOptions, Scope, ScopeName
from urlset.live.crawl.result import Crawl
from urlset.live.crawl.walk import CrawlWalk
from urlset.live.schemas import VISIT_SCHEMA
from urlset.live.visits.drive import Progress, StageLog
from urlset.live.visits.page_record import ROBOTS
from urlset.live.visits.page_rows import mark_silent_hosts
from urlset.live.visits.page_urls import page_url
from urlset.live.visits.politeness import MAX_FAILURES, Budget, Limit, Politeness, no_url
from urlset.model import ProgressEvent
from urlset.option_schema import settings_of
from urlset.reader import read
from urlset.reader.filters import Patterns, selection
from urlset.robots import Robots
from urlset.store import Store, quoted
from urlset.urls import split_origin

logger: logging.Logger = logging.getLogger("urlset.crawl")

_MEMORY = "SET GLOBAL memory_limit = '200MB'"
_THREADS = "SET GLOBAL threads = 1"
_BATCH = 20_000

ROBOTS_AGE = timedelta(hours=24)
"""Age up to which a stored robots.txt is used (RFC 9309 section 2.4)."""

_ENDS: dict[Limit, str] = {
    "requests": "max-pages",
    "minutes": "max-minutes",
    "response": f"no-response: the last {MAX_FAILURES} requests failed",
}
"""First word of the reason for which a crawl is not complete, by the limit that ended it."""


@checked_arguments
def crawl(
    site: str,
    store: str | os.PathLike[str] | None = None,
    *,
    # These are generated from urlset.option_schema by `make docs`.
    scope: ScopeName = "host",
    include: Patterns = (),
    exclude: Patterns = (),
    max_pages: int | None = None,
    max_depth: int | None = None,
    max_minutes: float | None = None,
    read_sitemaps: bool = True,
    follow_links: bool = True,
    confirm_after_s: float = 60.0,
    policy: Policy | None = None,
    auth: str | tuple[str, str] | None = None,
    progress: Callable[[ProgressEvent], None] | None = None,
) -> Crawl:
    """Visit the pages of a site, and store them with their links in a DuckDB file.

    The sitemaps of the site are read first; their URLs are visited in turn over the sections of
    the site, then the URLs that pages link to. robots.txt is obeyed. The same call continues a
    crawl that was interrupted or killed, and repeats a finished one with conditional requests.

    Args:
        site: URL of the start, such as ``https://example.com/``.
        store: Path of the store; None for a temporary one, deleted when the result is closed.
        scope: ``host``: all pages of the host; ``folder``: those below the folder of the start.
        include: Regular expression, or several; only URLs that contain a match of one count.
        exclude: Regular expression, or several; URLs that contain a match of one do not count.
        max_pages: Pages to visit.
        max_depth: Links from the start, or from a listed page, to a page.
        max_minutes: Limit of the duration; what is not visited by then is reported. None for no
            limit.
        read_sitemaps: Read the sitemaps of the site first.
        follow_links: Follow the links of pages; if not, only listed URLs are visited.
        confirm_after_s: Wait before the second visit, which confirms that a page answers 403, 429,
            5xx or not at all.
        policy: Limits and behaviour of the HTTP client (:class:`urlset.Policy`).
        auth: Bearer token, or user and password; sent to the origin of the site only.
        progress: Called with a :class:`urlset.ProgressEvent`: how much was done so far.

    Returns:
        The crawl: its pages, links and frontier, and whether it is complete. Close it, or use it
        as a context manager.

    Raises:
        SourceError: ``site`` is not an http(s) URL.
        StoreError: The store cannot be used, or has the crawl of another site.
        ValueError: An option is invalid.
        KeyboardInterrupt: Ctrl-C; everything that was visited is stored.
    """
    options = settings_of(CrawlOptions, "crawl", locals(), **selection(include, exclude))
    shared, site = with_login(run_policy(policy), site, auth)
    start_of(site)
    if store is not None:
        _journal_of(os.fspath(store))  # refused before a store is created
    opened = Store.open(store)
    try:
        crawl_into(opened, site, options, policy=shared, progress=progress)
        return Crawl(opened)
    except BaseException:
        opened.close()
        raise


def crawl_into(
    store: Store,
    site: str,
    options: CrawlOptions,
    *,
    policy: Policy | None = None,
    progress: Callable[[ProgressEvent], None] | None = None,
    politeness: Politeness | None = None,
) -> None:
    """Crawl a site into an open store, as :func:`crawl` does.

    ``policy`` has the credentials for the site. ``politeness`` has the pace and limits of an audit
    of which the crawl is a part: each request counts, and the store has the entries of the
    sitemaps. None for the limits of ``options``, where each page counts once.
    """
    start = start_of(site)
    journal = _journal_of(store.path)
    store.add(VISIT_SCHEMA)
    shared = run_policy(policy)
    run = _Run(store, start, options, shared, journal, politeness)
    run.crawl(progress or (lambda _: None))


def start_of(site: str) -> str:
    """Return the normalized URL of the start of a crawl.

    Raises:
        SourceError: It is not an http(s) URL.
    """
    start = page_url(site)
    if start is None:
        raise no_url("an http or https URL, such as https://example.com/", site)
    return start


def _journal_of(path: str | None) -> Journal:
    """Return the journal of a store; raises :class:`urlset.StoreError` if it cannot be used."""
    return Journal(path and f"{path}.journal")


@dataclass
class _Run:
    """One session of a crawl: begins or continues it, visits pages, records how it ended."""

    _store: Store
    _start: str
    _options: CrawlOptions
    _policy: Policy
    _journal: Journal
    _politeness: Politeness | None

    def __post_init__(self) -> None:
        self._kind = "crawl" if self._politeness is None else "audit"
        self._scope = Scope(self._start, self._options)
        self._session = self._store.session()
        self._session.run(_MEMORY)
        self._session.run(_THREADS)
        self._start_s = time.monotonic()
        self._number = 0
        self._has_other_options = False
        self._search_failure = ""

    def crawl(self, progress: Progress) -> None:
        """Run the session to its end."""
        with self._session, closing(self._journal):
            self._number = self._begin()
            frontier = Frontier(
                self._session, self._number, self._journal, self._scope, self._options
            )
            self._restore_scope(frontier)
            if self._has_other_options:
                frontier.apply_options()
            # The options only now, so that a session after a kill applies them, too. A session that
            # was killed has not added its requests.
            self._session.run(
                "UPDATE store.crawls SET settings = $1, request_count = greatest(request_count, "
                "(SELECT sum(attempts) FROM store.pages WHERE crawl = $2)) WHERE crawl = $2",
                (self._options.to_json(), self._number),
            )
            frontier.add([Discovered(self._start, "seed", None, 0)], is_exempt=True)
            stages = StageLog(logger)
            if self._options.read_sitemaps:
                self._read_sitemaps(frontier, progress)
                stages.end("sitemaps read")
            walk = self._walk(frontier)
            budget = walk.politeness.budget
            try:
                self._visit(walk, progress)
                if budget.limit is None and self._add_earlier_pages(frontier):
                    self._visit(walk, progress)
            except BaseException:
                with delayed_interrupts():
                    list(walk.stop())
                    self._finish(frontier, walk, ["interrupted"], is_over=False)
                raise
            list(walk.close())
            stages.end("%d pages visited", walk.visited)
            ends = [] if budget.limit is None else [_ENDS[budget.limit]]
            # The same command continues a crawl that ended because the host was down.
            self._finish(frontier, walk, ends, is_over=not budget.is_unanswered)
            stages.end("links and depths computed")

    def _visit(self, walk: CrawlWalk, progress: Progress) -> None:
        with closing(drive_in_thread(walk, self._policy)) as records:
            for record in records:
                progress(ProgressEvent(walk.visited, source=record.url))
                logger.debug("%s: %s", record.url, record.verdict)

    def _add_earlier_pages(self, frontier: Frontier) -> bool:
        """Add pages of earlier crawls that no link leads to any more; they may still exist."""
        frontier.flush()
        rows = self._session.rows(
            f"SELECT url FROM store.pages p WHERE crawl < {self._number} AND verdict = 'ok' "
            # Hashes: a table of all URLs of 4,096 characters does not fit into the memory.
            "AND md5_number(url) NOT IN (SELECT md5_number(url) FROM store.frontier) ORDER BY url"
        )
        found = [Discovered(url, "earlier") for (url,) in rows]
        if found:
            frontier.add(found)
        return bool(found)

    def _begin(self) -> int:
        """Return the number of the crawl: that of one to be continued, or of a new one."""
        # Note: an audit without a crawl has NULL in has_sitemaps; it is not continued here.
        query = (
            "SELECT crawl, site, settings, finished IS NULL AND has_sitemaps IS NOT NULL "
            "FROM store.crawls ORDER BY crawl DESC LIMIT 1"
        )
        rows = list(self._session.rows(query))
        settings = self._options.to_json()
        if rows:
            number, site, earlier, is_open = rows[0]
            if site != self._start:
                raise StoreError(
                    f"expected a store with crawls of {self._start}, found crawls of {site}: "
                    f"{self._store.path!r}; name another file"
                )
            if is_open or (earlier != settings and self._was_limited(number)):
                self._has_other_options = not self._options.has_selection_of(earlier)
                self._session.run(f"UPDATE store.crawls SET finished = NULL WHERE crawl = {number}")
                return int(number)
        number = rows[0][0] + 1 if rows else 1
        self._journal.clear()
        with self._session.transaction():
            self._session.run("DELETE FROM store.frontier")
            self._session.run("DELETE FROM store.traps")
            self._session.run(
                "INSERT INTO store.crawls (crawl, kind, site, settings, started, request_count, "
                "byte_count, has_sitemaps) VALUES (?, ?, ?, ?, now(), 0, 0, false)",
                (number, self._kind, self._start, settings),
            )
        return int(number)

    def _was_limited(self, number: int) -> bool:
        """Return whether a crawl ended at a limit of pages or time: it can be continued."""
        query = (
            "SELECT len(list_filter(reasons, lambda r: starts_with(r, 'max-pages') "
            f"OR starts_with(r, 'max-minutes'))) > 0 FROM store.crawls WHERE crawl = {number}"
        )
        return bool(next(self._session.rows(query))[0])

    def _restore_scope(self, frontier: Frontier) -> None:
        """Add the hosts to which the start redirected in an earlier session."""
        here = self._start
        for _ in range(10):
            query = "SELECT target FROM store.links WHERE url = ? AND kind = 'redirect'"
            rows = list(self._session.rows(query, (here,)))
            if not rows:
                return
            here = rows[0][0]
            frontier.add_host(here)

    def _read_sitemaps(self, frontier: Frontier, progress: Progress) -> None:
        query = f"SELECT has_sitemaps FROM store.crawls WHERE crawl = {self._number}"
        if next(self._session.rows(query))[0]:
            return
        progress(ProgressEvent())
        root = f"{origin_of(self._start)}/"
        which = f"d.root = {quoted(root)}" if self._politeness is None else "true"
        if self._politeness is None:
            entries = read(root, policy=self._policy, keep=False, read_robots=True)
            with (
                self._store.writer(root) as writer,
                closing(entries.batches(writer.on_response)) as batches,
            ):
                try:
                    for record, document, found in batches:
                        writer.add(record, document, found)
                except SourceError as error:  # no sitemap was found: those of before are gone
                    if any(each.outcome == "failed" for each in entries.attempts):
                        writer.is_complete = False
                        self._search_failure = f"sitemaps: {error}"
        reader = self._session.clone()
        rows = reader.rows(
            "SELECT e.loc, d.kind, e.source FROM store.entries e JOIN store.documents d "
            f"ON d.document = e.document WHERE {which} ORDER BY e.document, e.entry"
        )
        listed = (
            Discovered(url, "feed" if form in ("rss", "atom") else "sitemap", source)
            for loc, form, source in rows
            if (url := page_url(loc)) is not None
        )
        while batch := list(islice(listed, _BATCH)):
            frontier.add(batch, is_exempt=True)
        self._session.run(
            f"UPDATE store.crawls SET has_sitemaps = {not self._search_failure} "
            f"WHERE crawl = {self._number}"
        )

    def _walk(self, frontier: Frontier) -> CrawlWalk:
        query = (
            f"SELECT count(*) FROM store.pages WHERE crawl = {self._number} "
            f"AND coalesce(unknown_reason, '') <> '{ROBOTS}'"
        )
        (visited,) = next(self._session.rows(query))
        options = self._options
        politeness = self._politeness or Politeness(
            self._policy,
            Budget(
                options.max_pages,
                options.max_minutes,
                requests=visited,
                start_s=self._start_s,  # the time of the sitemaps counts, too
            ),
            hosts={split_origin(self._start)[1]},
            robots=self._stored_robots(),
        )
        return CrawlWalk(
            frontier,
            politeness,
            self._start,
            confirm_after_s=options.confirm_after_s,
            visited=visited,
            counts_requests=self._politeness is not None,
        )

    def _stored_robots(self) -> dict[str, Robots]:
        oldest = format_date(datetime.now(UTC) - ROBOTS_AGE)
        rows = self._session.rows(
            "SELECT url, state, text FROM store.robots WHERE ends_with(url, '/robots.txt') "
            "AND state <> 'unreachable' AND read_at > ?::TIMESTAMPTZ "
            "AND read_at <= now()",  # a time after the present is that of a wrong clock
            (oldest,),
        )
        return {
            origin_of(url) or "": Robots(url, state=state, text=text or "")
            for url, state, text in rows
        }

    def _forget_earlier_pages(self) -> None:
        """Delete the rows of earlier crawls for pages that this crawl has not visited.

        An audit of a part of the site keeps those that its options exclude.
        """
        which = f"crawl < {self._number}"
        if self._kind == "audit":
            which += (
                " AND md5_number(url) NOT IN (SELECT md5_number(url) FROM store.frontier "
                "WHERE excluded_by IN ('include', 'exclude'))"
            )
        stale = f"SELECT url FROM store.pages WHERE {which}"
        with self._session.transaction():
            self._session.run(f"DELETE FROM store.links WHERE url IN ({stale})")
            self._session.run(f"DELETE FROM store.pages WHERE {which}")

    def _finish(
        self, frontier: Frontier, walk: CrawlWalk, ends: list[str], *, is_over: bool
    ) -> None:
        """Write buffered pages, compute the evidence, and record how the session ended."""
        frontier.flush()
        mark_silent_hosts(self._session, self._number)
        if is_over and not ends:
            self._forget_earlier_pages()
        update_evidence(self._session, self._start)
        reasons = completeness(self._session, self._options, ends)
        reasons += filter(None, [self._search_failure])
        reasons += walk.politeness.unread_robots
        end = f"now(), is_complete = {not reasons}" if is_over else "NULL, is_complete = NULL"
        self._session.run(
            f"UPDATE store.crawls SET finished = {end}, reasons = ?::VARCHAR[], "
            f"request_count = request_count + {walk.request_count}, "
            f"byte_count = byte_count + {walk.byte_count} WHERE crawl = {self._number}",
            (reasons,),
        )
