"""Frontier of a crawl: all discovered URLs in DuckDB, and those to visit next in memory."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any, NamedTuple

from urlset.live.crawl.evidence import MAX_HOPS
from urlset.live.crawl.journal import Journal
from urlset.live.crawl.options import OPTION_REASONS, OTHER_HOST, CrawlOptions, Scope
from urlset.live.crawl.traps import Trap, Traps
from urlset.live.visits.page_record import FOLLOWED_KINDS, ROBOTS, PageRecord
from urlset.live.visits.page_rows import (
    PAGE_COLUMNS,
    PageRows,
    confirm_pages,
    link_table,
    replace_pages,
    rows_of,
    texts,
)
from urlset.live.visits.page_urls import section_of
from urlset.live.visits.polite_walk import VisitTarget
from urlset.live.working_tables import NEW_LINKS
from urlset.store import StoreSession, quoted
from urlset.urls import split_origin

WINDOW = 4_000
"""Waiting URLs in memory."""

LOW_WINDOW = 500
"""Waiting URLs in memory at which more are read from the tables, if they have more."""

LOW_WATER = 8
"""URLs being visited at which new ones are looked for, if none wait; each read also writes."""

MAX_RECORDS = 4_000
"""Visited pages in memory; then they are written to the tables.

As many as are read at once: each write searches the tables, which takes as long for a few pages.
"""

MAX_LINKS = 100_000
"""Links in memory; then they are written to the tables."""

MAX_TEXT = 32 << 20
"""Characters of visited pages and links in memory, as lines of the journal; then they are written.

A page with 10,000 links of 4,096 characters has 40 million: a fifth of the memory of DuckDB. Usual
pages are written at one of the other limits.
"""

LINKED = 1 << 30
"""Priority from which the URLs are that no sitemap lists."""

REPEATED = 1 << 31
"""Priority of pages that are visited a second time: after all others."""

MAX_REDIRECTS = 100_000
"""Targets of redirects in memory."""

MAX_ADDED = 20_000
"""URLs that are read at once when the scope or the options change."""

MAX_SECTIONS = 10_000
"""Sections that are visited in turn; further ones share their turn."""

_REASON = PAGE_COLUMNS.index("unknown_reason")

# A redirect is no click, so its target is as deep as its source.
_DISCOVER = f"""
    SELECT target, CASE WHEN kind IN ('a', 'next', 'prev') THEN 'link' ELSE kind END, url,
        depth + (kind <> 'redirect')::UINTEGER
    FROM (SELECT l.target, arg_min(l.kind, l.rowid) AS kind, arg_min(l.url, l.rowid) AS url,
            min(coalesce(f.depth, 0)) AS depth, min(l.rowid) AS position
        FROM temp.new_links l JOIN store.frontier f ON f.url = l.url
        WHERE l.kind IN ({", ".join(map(quoted, sorted(FOLLOWED_KINDS)))})
            AND NOT EXISTS (FROM store.frontier k WHERE k.url = l.target)
        GROUP BY l.target)
    ORDER BY position"""

# Columns of a known URL: whether a document lists it, and those of `Discovered`.
_AS_DISCOVERED = (
    "list_has_any(origins, ['sitemap', 'feed']) AS is_listed, url, "
    "CASE WHEN is_listed THEN 'sitemap' ELSE origins[1] END, referrer, depth"
)


class Discovered(NamedTuple):
    """A discovered URL, with where it was found: origin, referrer and depth."""

    url: str
    origin: str
    referrer: str | None = None
    depth: int | None = None


class Frontier:
    """Waiting, visited and excluded URLs of one crawl, in the tables of a store.

    Visited pages are in the journal at once, and in the tables with :meth:`flush`.
    """

    def __init__(
        self,
        session: StoreSession,
        crawl: int,
        journal: Journal,
        scope: Scope,
        options: CrawlOptions,
    ):
        self.scope = scope
        self._session = session
        self.crawl = crawl
        self._journal = journal
        self._options = options
        self._traps = Traps()
        self._cut: dict[Trap, list[Any]] = {}
        self._window: deque[VisitTarget] = deque()
        self._has_more = False
        self._is_exhausted = False  # no other URL was waiting, and the tables have not changed
        self._running: dict[str, VisitTarget] = {}
        self._records: list[PageRows] = []
        self._links = 0
        self._text = 0
        self._turns: dict[str, int] = {}
        self._hops: dict[str, int] = {}
        session.run(NEW_LINKS.create_empty(is_temp=True))
        self._restore()
        # An audit without a crawl stores pages without their links, which a response 304 would not
        # have. They are looked up once, not for each window.
        session.run(
            "CREATE OR REPLACE TEMP TABLE unlinked_pages AS SELECT url FROM store.pages p "
            "WHERE (NOT is_html OR EXISTS (FROM store.links l WHERE l.url = p.url) "
            "OR (link_count = 0 AND refresh IS NULL AND len(alternates) = 0)) IS NOT TRUE"
        )

    def add(self, found: Iterable[Discovered], *, is_exempt: bool = False) -> None:
        """Add discovered URLs to the tables; of known URLs, add the evidence.

        With ``is_exempt`` they are not parts of traps, because a sitemap lists them.
        """
        rows = list(found)
        with self._session.transaction():
            self._insert_new(rows, is_exempt=is_exempt)

    def add_host(self, url: str) -> None:
        """Add the host of a URL to the scope; its URLs that were found before are visited, too."""
        self.scope.add_host(url)
        roots = [f"{scheme}://{split_origin(url)[1]}/" for scheme in ("http", "https")]
        query = (
            f"SELECT {_AS_DISCOVERED} FROM store.frontier "
            f"WHERE excluded_by = '{OTHER_HOST}' AND "
            f"(starts_with(url, ?) OR starts_with(url, ?)) ORDER BY rowid LIMIT {MAX_ADDED}"
        )
        while rows := list(self._session.rows(query, roots)):
            self._insert_again(rows)

    def apply_options(self) -> None:
        """Decide again about all URLs that are not visited, after the options have changed.

        URLs that are waiting may be excluded by other patterns or limits, and URLs that the former
        ones excluded may be visited now. Pages that were visited are kept.
        """
        if self._options.follow_links:  # those of visited pages may not have been followed
            self._session.run(
                "INSERT INTO temp.new_links BY NAME SELECT l.* FROM store.links l "
                f"SEMI JOIN (FROM store.pages WHERE crawl = {self.crawl}) p ON p.url = l.url"
            )
            with self._session.transaction():
                self._discover()
        with self._session.clone() as reader:
            rows = reader.rows(
                f"SELECT {_AS_DISCOVERED}, excluded_by FROM store.frontier "
                "WHERE NOT list_contains(origins, 'seed') AND (state = 'waiting' OR excluded_by "
                f"IN ({', '.join(map(quoted, sorted(OPTION_REASONS)))}))"
            )
            while batch := list(islice(rows, MAX_ADDED)):
                self._insert_again(
                    known
                    for *known, before in batch
                    if self._option_against(known[1], known[4]) != before
                )

    def next_job(self) -> VisitTarget | None:
        """Return the next URL to visit; None if another response has to arrive first."""
        # Note: all of them may be held until a robots.txt arrives.
        is_low = self._has_more and len(self._window) < LOW_WINDOW and len(self._running) < WINDOW
        is_empty = not self._window and len(self._running) <= LOW_WATER
        if is_low or (is_empty and (self._records or not self._is_exhausted)):
            self._refill()
        if not self._window:
            return None
        job = self._window.popleft()
        self._running[job.url] = job
        return job

    def finish(self, record: PageRecord, *, is_repeated: bool = False) -> PageRows:
        """End the visit of a page: add its record to journal and buffer; return its rows.

        With ``is_repeated`` the page is visited a second time, at the end of the crawl.
        """
        record.row.update(crawl=self.crawl, is_repeated=is_repeated)
        page = rows_of(record)
        self.finish_all([page])
        return page

    def finish_all(self, pages: Sequence[PageRows]) -> None:
        """End the visits of pages: add their rows to journal and buffer."""
        if not pages:
            return
        self._journal.add([page.line for page in pages])
        for page in pages:
            self._running.pop(page.url, None)
            if self._is_full:
                self._write()
            self._keep(page)
        # Note: not between two of the records; this empties the journal.
        if self._is_full:
            self.flush()

    def flush(self) -> None:
        """Write all visited pages and their links to the tables, and add the URLs they link to."""
        if not self._records:
            return
        self._write()
        self._journal.clear()

    def _keep(self, page: PageRows) -> None:
        self._text += len(page.line)
        if page.links:
            self._links += len(page.links[0])
        self._records.append(page._replace(line=""))

    @property
    def _is_full(self) -> bool:
        return (
            len(self._records) >= MAX_RECORDS or self._links >= MAX_LINKS or self._text >= MAX_TEXT
        )

    def _write(self) -> None:
        """Write the pages in memory to the tables; they remain in the journal."""
        with self._session.transaction():
            self._write_records()
            self._discover()
            self._write_traps()
        self._records, self._links, self._text = [], 0, 0
        self._is_exhausted = False

    def _restore(self) -> None:
        """Read the state of a crawl that is continued, and the pages of its journal."""
        rows = self._session.rows("SELECT pattern, kind, cut_count, example FROM store.traps")
        self._cut = {Trap(row[0], row[1]): [row[2], row[3]] for row in rows}
        self._turns = dict(
            self._session.rows(
                "SELECT CASE WHEN priority >= 1 << 30 THEN '+' ELSE '-' END || section, "
                "max(priority) & ((1 << 30) - 1) FROM store.frontier "
                f"WHERE priority < {REPEATED} GROUP BY 1 ORDER BY 2 DESC LIMIT {MAX_SECTIONS}"
            )
        )
        query = (
            "SELECT url FROM store.frontier WHERE state <> 'excluded' AND (contains(url, '?') "
            "OR contains(url, ';') OR regexp_matches(url, '/(19|20|21)[0-9][0-9][/-]'))"
        )
        self._traps.fill(url for (url,) in self._session.rows(query))
        for page in self._journal.pages():
            if self._is_full:
                self._write()
            self._keep(page)
        self.flush()

    def _refill(self) -> None:
        self.flush()
        known = {job.url for job in self._window} | self._running.keys()
        limit = WINDOW + len(self._running)
        # The first priorities alone are found first: a heap of long URLs takes much memory.
        waiting = "FROM store.frontier WHERE state = 'waiting'"
        last = f"(SELECT priority {waiting} ORDER BY priority LIMIT {limit})"
        rows = self._session.rows(
            "SELECT f.url, p.etag, p.last_modified, f.attempts FROM (SELECT url, attempts, "
            f"priority {waiting} AND priority <= (SELECT max(priority) FROM {last}) "
            f"ORDER BY priority, url LIMIT {limit}) f "
            "LEFT JOIN store.pages p ON p.url = f.url AND p.status = 200 AND p.verdict = 'ok' "
            "AND NOT p.is_noindex AND coalesce(p.canonical, p.url) = p.url "
            "AND p.url NOT IN (SELECT url FROM temp.unlinked_pages) "
            "ORDER BY f.priority, f.url"
        )
        jobs = [VisitTarget(*row) for row in rows]
        self._window.extend(job for job in jobs if job.url not in known)
        self._has_more = len(jobs) == limit
        self._is_exhausted = not (self._window or self._has_more)

    def _write_records(self) -> None:
        session = self._session
        latest = {record.url: record for record in self._records}
        changed = [record for record in latest.values() if not record.is_unchanged]
        confirmed = [record for record in latest.values() if record.is_unchanged]
        replace_pages(session, changed, self.crawl, with_links=True)
        if (links := link_table(changed)) is not None:
            session.insert(
                "CREATE OR REPLACE TEMP TABLE new_links AS SELECT url, target, kind, rel, "
                "is_nofollow::BOOLEAN AS is_nofollow, n::UINTEGER AS n FROM incoming",
                links,
            )
            session.run("INSERT INTO store.links BY NAME FROM temp.new_links")
        confirm_pages(session, confirmed)
        session.insert(
            "UPDATE store.frontier f SET state = i.state, excluded_by = i.excluded_by, "
            "attempts = f.attempts + (i.state = 'waiting')::UINTEGER, priority = "
            f"CASE WHEN i.state = 'waiting' THEN {REPEATED} ELSE f.priority END "
            "FROM incoming i WHERE f.url = i.url",
            texts(
                url=list(latest),
                state=[
                    "waiting" if page.is_repeated else "excluded" if _is_refused(page) else "done"
                    for page in latest.values()
                ],
                excluded_by=[ROBOTS if _is_refused(page) else None for page in latest.values()],
            ),
        )

    def _discover(self) -> None:
        """Add the link targets of the visited pages to the frontier, if they are new."""
        unchanged = [record.url for record in self._records if record.is_unchanged]
        if unchanged:
            self._session.insert(
                "INSERT INTO temp.new_links BY NAME SELECT l.* FROM store.links l "
                "SEMI JOIN incoming i ON i.url = l.url",
                texts(url=unchanged),
            )
        if self._options.follow_links:
            self._insert_new([Discovered(*row) for row in self._session.rows(_DISCOVER)])
        self._session.run("DELETE FROM temp.new_links")

    def _insert_new(self, found: Sequence[Discovered], *, is_exempt: bool = False) -> None:
        rows = []
        for url, origin, referrer, depth in found:
            section = section_of(url)
            reason = None
            if origin == "redirect" and self._hops_to(url, referrer) > MAX_HOPS:
                reason = "redirects"
            elif origin != "seed":
                reason = self._reason_against(url, depth, is_exempt=is_exempt)
            priority = None if reason else self._priority(section, origin)
            rows.append((url, origin, referrer, depth, section, reason, priority))
        if not rows:
            return
        urls, origins, referrers, depths, sections, reasons, priorities = zip(*rows, strict=True)
        batch = texts(
            url=urls,
            origin=origins,
            referrer=referrers,
            depth=[_number(depth) for depth in depths],
            section=sections,
            excluded_by=reasons,
            priority=[_number(priority) for priority in priorities],
        )
        if is_exempt:  # they may be known already
            self._session.insert(
                "UPDATE store.frontier f SET origins = list_distinct(list_append(f.origins, "
                "i.origin)) FROM incoming i WHERE f.url = i.url",
                batch,
            )
        added = self._session.insert(
            "INSERT INTO store.frontier (url, state, priority, depth, attempts, section, origins, "
            "referrer, referrer_count, excluded_by) SELECT DISTINCT ON (url) url, "
            "CASE WHEN excluded_by IS NULL THEN 'waiting' ELSE 'excluded' END, "
            "priority::UINTEGER, depth::UINTEGER, 0, section, [origin], referrer, 0, excluded_by "
            "FROM incoming i WHERE NOT EXISTS (FROM store.frontier f WHERE f.url = i.url)",
            batch,
        )
        self._has_more = self._has_more or added > 0
        self._is_exhausted = self._is_exhausted and not added

    def _insert_again(self, found: Iterable[Sequence[Any]]) -> None:
        """Decide again about known URLs, rows of :data:`_AS_DISCOVERED`."""
        rows = [(is_listed, Discovered(*each)) for is_listed, *each in found]
        if not rows:
            return
        with self._session.transaction():
            self._session.insert(
                "DELETE FROM store.frontier WHERE url IN (SELECT url FROM incoming)",
                texts(url=[each.url for _, each in rows]),
            )
            for is_exempt in (True, False):
                again = [each for is_listed, each in rows if is_listed == is_exempt]
                self._insert_new(again, is_exempt=is_exempt)

    def _hops_to(self, url: str, referrer: str | None) -> int:
        """Count a redirect; return the length of the chain of redirects that leads to the URL."""
        hops = self._hops[url] = self._hops.get(referrer or "", 0) + 1
        if len(self._hops) > MAX_REDIRECTS:
            del self._hops[next(iter(self._hops))]
        return hops

    def _reason_against(self, url: str, depth: int | None, *, is_exempt: bool) -> str | None:
        reason = self._option_against(url, depth)
        if reason is not None:
            return reason
        trap = self._traps.trap_of(url)
        if trap is None or is_exempt:
            return None
        self._cut.setdefault(trap, [0, url])[0] += 1
        return f"{trap.kind}: {trap.pattern}"

    def _option_against(self, url: str, depth: int | None) -> str | None:
        """Return which option, or the scope, excludes a URL; None if none of them does."""
        reason = self.scope.reason_against(url)
        limit = self._options.max_depth
        if reason is None and limit is not None and depth is not None and depth > limit:
            return "max-depth"
        return reason

    def _priority(self, section: str, origin: str) -> int:
        """Return the priority of a new URL: its number in its section; listed URLs come first."""
        if origin == "seed":
            return 0
        is_listed = origin in ("sitemap", "feed", "log")
        key = ("-" if is_listed else "+") + section
        if key not in self._turns and len(self._turns) >= MAX_SECTIONS:
            key = key[0]
        turn = self._turns[key] = self._turns.get(key, 0) + 1
        return turn if is_listed else LINKED + turn

    def _write_traps(self) -> None:
        if not self._cut:
            return
        rows = [(*trap, str(count), example) for trap, (count, example) in self._cut.items()]
        patterns, kinds, counts, examples = zip(*rows, strict=True)
        self._session.run("DELETE FROM store.traps")
        self._session.insert(
            "INSERT INTO store.traps (pattern, kind, cut_count, example) "
            "SELECT pattern, kind, cut_count::UBIGINT, example FROM incoming",
            texts(pattern=patterns, kind=kinds, cut_count=counts, example=examples),
        )


def _is_refused(page: PageRows) -> bool:
    """Return whether a page is not requested, because of robots.txt."""
    return page.values[_REASON] == ROBOTS


def _number(value: int | None) -> str | None:
    return None if value is None else str(value)
