"""Run the visits and probes of an audit on the store that holds the sitemaps."""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from urlset.checker.views import creation_order
from urlset.http import Policy
from urlset.inflight import track_wait
from urlset.interrupts import delayed_interrupts
from urlset.live.audit.inputs import store_excluded_urls
from urlset.live.audit.probes import LlmsTxt, LlmsTxtWalk, Probe, ProbeWalk
from urlset.live.audit.settings import AuditSettings
from urlset.live.audit.visit_walk import VisitWalk
from urlset.live.schemas import stream_of
from urlset.live.visits.drive import Drive, Progress, StageLog
from urlset.live.visits.page_record import ROBOTS
from urlset.live.visits.page_rows import PageRows, confirm_pages, mark_silent_hosts, replace_pages
from urlset.live.visits.page_urls import page_url
from urlset.live.visits.polite_walk import PoliteWalk, VisitTarget
from urlset.live.visits.politeness import Politeness
from urlset.live.visits.sample import allocate
from urlset.model import ProgressEvent
from urlset.option_names import option
from urlset.store import StoreSession
from urlset.terminal_text import pluralize

logger: logging.Logger = logging.getLogger("urlset.audit")

T = TypeVar("T", PageRows, Probe, LlmsTxt)

CHUNK = 5_000
"""URLs to visit that are in memory."""

MAX_PAGES = 2_000
"""Visited pages in memory; then they are written to the store."""

EVERY_S = 5.0
"""Seconds between these writes: a killed process loses no more."""

MAX_TARGETS = 10_000
"""Canonical URLs, alternates and other targets that are visited although they are not listed."""

MAX_FOLDERS = 100
"""Folders of which a random URL is requested, those with most pages first."""

MAX_SITEMAPS = 50
"""Sitemaps that are requested with another user agent."""

# Folder of a page, also of one whose URL ends with a slash.
_FOLDER = "regexp_replace(regexp_replace(url, '[?#].*$', ''), '[^/]+/?$', '')"
_VIEWS = (
    "path_of listed_urls audited_urls page_keys section_of normal_of host_of folder_of origin_of "
    "is_web"
)
_PROBES = "kind url key detail status:uint32 fault width:uint32 height:uint32"


@dataclass
class SiteVisits:
    """Visits and probes of one audit, on the store with the sitemaps. :meth:`run` does all of them.

    A crawl may have used a part of ``politeness``, the pace and limits of the audit.

    Attributes:
        reasons: Why not everything was visited.
        is_llms_txt_known: Whether the links of the llms.txt are known, or that there is none.
        unanswered: Kinds of probes of which not all were sent and got a response.
    """

    _session: StoreSession
    _crawl: int
    _settings: AuditSettings
    _policy: Policy
    _politeness: Politeness
    _drive: Drive
    _progress: Progress

    def __post_init__(self) -> None:
        self.reasons: list[str] = []
        self.is_llms_txt_known = False
        self.unanswered: set[str] = {"media", "https", "agent", "indexnow"}
        self._done = 0
        if self._settings.policy is None:
            self._policy = replace(self._policy, retries=0)

    def run(self, *, asks_agents: bool, is_interrupted: bool = False) -> None:
        """Visit listed pages, repeat doubtful visits, visit their targets, and probe.

        With ``asks_agents``, the sitemaps are requested with another user agent, too. After Ctrl-C
        the rest is skipped, and ``reasons`` has ``interrupted``; if that ended the crawl before
        (``is_interrupted``), nothing is requested.
        """
        for _, statement in creation_order([_VIEWS]):
            self._session.run(statement)
        store_excluded_urls(self._session, self._settings.url_patterns)
        stages: dict[str, Callable[[], None]] = {
            "listed pages visited": self._visit_listed,
            "failed pages visited again": self._visit_again,
            "redirects to failed pages restored": self._restore_redirects,
        }
        self._session.run("DELETE FROM store.llms_txt_links")
        if self._settings.llms_txt:
            stages["llms.txt read"] = self._read_llms_txt
        if self._settings.targets:
            stages["targets visited"] = self._visit_targets
        if not self._settings.head_only:
            stages["error pages searched"] = self._find_soft_404s
        stages["probes sent"] = lambda: self._probe(asks_agents=asks_agents)
        log = StageLog(logger)
        try:
            if is_interrupted:
                raise KeyboardInterrupt
            for name, stage in stages.items():
                stage()
                log.end(name)
        except KeyboardInterrupt:
            self.reasons.append("interrupted")
        if exceeded := self._politeness.budget.exceeded:
            self.reasons.append(exceeded)
        self._mark_pages()

    def _visit_listed(self) -> None:
        self._session.run(
            "CREATE TABLE crawled_redirects AS FROM store.pages "
            f"WHERE crawl = {self._crawl} AND verdict = 'redirect'"
        )
        self._visit(self._chosen(self._choose()))

    def _choose(self) -> int:
        """Create the table ``chosen_urls`` of the listed URLs to visit; return their number.

        The sections take turns, so that an audit that is ended early is a fair sample, too.
        """
        settings, session = self._settings, self._session
        session.run(
            "CREATE TABLE visit_strata AS SELECT key, loc, section_of(loc) AS section, document, "
            "row_number() OVER (PARTITION BY section_of(loc), document "
            f"ORDER BY md5('{settings.seed}' || key)) AS turn FROM audited_urls"
        )
        if settings.sample is not None:
            query = "SELECT section, document, count(*) FROM visit_strata GROUP BY ALL ORDER BY ALL"
            sizes = {(row[0], row[1]): row[2] for row in session.rows(query)}
            shares = allocate(sizes, settings.sample, seed=settings.seed)
            rows = [(*key, count) for key, count in shares.items()]
            session.insert(
                "DELETE FROM visit_strata s WHERE turn > (SELECT n FROM incoming a "
                "WHERE a.section = s.section AND a.document = s.document)",
                stream_of("section document:uint32 n:uint32", rows),
            )
        session.run(
            "CREATE TABLE chosen_urls AS SELECT row_number() OVER "
            "(ORDER BY s.turn, s.section, s.document) AS nr, s.loc, "
            "p.etag, p.last_modified FROM visit_strata s "
            "LEFT JOIN page_keys k ON k.key = s.key "
            "LEFT JOIN store.pages p ON p.url = k.url AND p.status = 200 AND p.verdict = 'ok' "
            "AND NOT p.is_noindex AND coalesce(p.canonical, p.url) = p.url "
            f"AND p.crawl <> {self._crawl} "
            # A response 304 to a whole visit must not keep what only the head of a page says.
            f"AND (p.link_count IS NOT NULL OR {settings.head_only}) "
            "WHERE k.url IS NULL OR NOT EXISTS (FROM store.pages q WHERE q.url = k.url "
            # A crawl does not follow redirects to other hosts; where they end is looked at here.
            f"AND q.crawl = {self._crawl} "
            "AND NOT (q.verdict = 'redirect' AND q.final_status IS NULL))"
        )
        [(count,)] = session.rows("SELECT count(*) FROM chosen_urls")
        return int(count)

    def _chosen(self, total: int) -> Iterator[VisitTarget]:
        for start in range(0, total, CHUNK):
            query = (
                "SELECT loc, etag, last_modified FROM chosen_urls "
                f"WHERE nr > {start} AND nr <= {start + CHUNK} ORDER BY nr"
            )
            for loc, etag, last_modified in list(self._session.rows(query)):
                if (url := page_url(loc)) is not None:
                    ends_at_head = self._settings.head_only
                    yield VisitTarget(url, etag, last_modified, ends_at_head=ends_at_head)

    def _visit_again(self) -> None:
        """Visit pages without a usable response once more, later and more slowly."""
        settings = self._settings
        urls = self._column(
            f"SELECT url FROM store.pages WHERE crawl = {self._crawl} AND verdict = 'unknown' "
            f"AND unknown_reason <> '{ROBOTS}' "
            "AND coalesce(error, '') NOT IN ('blocked', 'bad-url') "
            # A crawl has visited its pages a second time.
            f"AND NOT ({settings.crawl} AND url IN ("
            "SELECT url FROM store.frontier WHERE attempts > 0 AND state = 'done')) "
            f"ORDER BY md5(url) LIMIT {settings.max_confirmed}"
        )
        if not urls:
            return
        if settings.confirm_after_s:
            pages = pluralize(len(urls), "page")
            reason = f"to visit {pages} again ({option('confirm_after_s')})"
            with track_wait(reason, settings.confirm_after_s):
                time.sleep(settings.confirm_after_s)
        policy = replace(self._policy, concurrency=2, per_host=1)
        targets = (VisitTarget(url, ends_at_head=settings.head_only) for url in urls)
        self._visit(targets, is_second=True, policy=policy)
        mark_silent_hosts(self._session, self._crawl)

    def _restore_redirects(self) -> None:
        """Restore redirects that the crawl saw, if the page to which they lead is unknown."""
        self._session.run(
            "CREATE TABLE restored_urls AS SELECT r.url FROM crawled_redirects r "
            f"JOIN store.pages p ON p.url = r.url AND p.crawl = {self._crawl} "
            "AND p.verdict = 'unknown'"
        )
        self._session.run("DELETE FROM store.pages WHERE url IN (FROM restored_urls)")
        self._session.run(
            "INSERT INTO store.pages FROM crawled_redirects WHERE url IN (FROM restored_urls)"
        )

    def _read_llms_txt(self) -> None:
        """Request the llms.txt of the site, and store its links."""
        urls = self._column(
            f"SELECT site || 'llms.txt' FROM store.crawls WHERE crawl = {self._crawl} "
            "AND EXISTS (FROM listed_urls)"
        )
        for url in urls:
            for found in self._results(LlmsTxtWalk(url, self._politeness)):
                self.is_llms_txt_known = found.is_known
                self._session.insert(
                    "INSERT INTO store.llms_txt_links BY NAME SELECT * FROM incoming",
                    stream_of("source line:uint32 url", found.links),
                )

    def _visit_targets(self) -> None:
        """Visit the URLs that pages, the llms.txt and access logs name, if they are not visited.

        Their heads suffice.
        """
        urls = self._column(
            f"""
            WITH visited AS (
                SELECT canonical, alternates FROM store.pages
                WHERE crawl = {self._crawl} AND verdict = 'ok'),
            found AS (
                SELECT canonical AS href FROM visited WHERE canonical IS NOT NULL
                UNION SELECT unnest(list_transform(alternates, lambda a: a.href)) FROM visited
                UNION SELECT unnest(list_transform(alternates, lambda a: a.href)) FROM store.entries
                    WHERE len(alternates) > 0
                UNION SELECT url FROM store.log_urls
                UNION SELECT url FROM store.llms_txt_links)
            SELECT DISTINCT ON (normal_of(href)) href FROM found
            WHERE is_web(href) AND normal_of(href) NOT IN (
                    SELECT normal_of(url) FROM store.pages WHERE crawl = {self._crawl})
                AND ({not self._settings.is_partial} OR normal_of(href) NOT IN (
                    SELECT key FROM listed_urls))
            ORDER BY normal_of(href) LIMIT {MAX_TARGETS}"""
        )
        known = filter(None, map(page_url, urls))
        self._visit(VisitTarget(url, ends_at_head=True) for url in known)

    def _find_soft_404s(self) -> None:
        """Request a random URL of each folder; pages with its content are error pages.

        If most pages of a folder have its content, a script builds them in the browser: then
        nothing is known about them.
        """
        folders = self._session.rows(
            f"SELECT {_FOLDER} AS folder, count_if(ends_with(url, '/')) * 2 > count(*) "
            f"FROM store.pages WHERE crawl = {self._crawl} AND verdict = 'ok' AND is_html "
            "AND fingerprint IS NOT NULL AND path_of(url) <> '/' GROUP BY folder "
            f"ORDER BY count(*) DESC, folder LIMIT {MAX_FOLDERS}"
        )
        draw = random.Random(self._settings.seed)
        ends = {folder: "/" * has_slash for folder, has_slash in folders}
        pending = list(ends)
        for _ in range(2):  # a response that may be temporary says nothing: ask for another URL
            urls = [f"{each}urlset-{draw.randrange(16**12):012x}{ends[each]}" for each in pending]
            self._ask([Probe("not-found", url) for url in urls])
            folder = _FOLDER.replace("url", "n.url")
            pending = self._column(
                f"SELECT {folder} FROM store.probes n WHERE n.kind = 'not-found' GROUP BY ALL "
                "HAVING NOT bool_or(coalesce(n.status < 500 "
                "AND n.status NOT IN (401, 403, 407, 429, 451), false)) ORDER BY 1"
            )
        self._session.run(
            f"""CREATE TABLE same_content_pages AS
            SELECT p.url, count(*) OVER (PARTITION BY n.url) AS same, p.pages
            FROM (SELECT url, fingerprint, {_FOLDER} AS folder, path_of(url) AS path,
                    count(*) OVER (PARTITION BY {_FOLDER}) AS pages
                FROM store.pages
                WHERE crawl = {self._crawl} AND verdict = 'ok' AND fingerprint IS NOT NULL) p
            JOIN store.probes n ON n.kind = 'not-found' AND n.status = 200
                AND n.detail = p.fingerprint AND {_FOLDER.replace("url", "n.url")} = p.folder
            WHERE p.path <> '/'"""
        )
        is_unknown = "s.same > 5 AND s.same * 2 > s.pages"
        self._session.run(
            "UPDATE store.pages p SET is_indexable = false, "
            f"verdict = CASE WHEN {is_unknown} THEN 'unknown' ELSE 'soft-404' END, "
            f"unknown_reason = CASE WHEN {is_unknown} THEN 'same-answer' END "
            "FROM same_content_pages s WHERE p.url = s.url"
        )

    def _probe(self, *, asks_agents: bool) -> None:
        """Request media files, https versions, sitemaps as Googlebot, and the key of IndexNow."""
        settings = self._settings
        probes = [*self._https_probes(), *self._indexnow_probes()]
        asked = {"https", "indexnow"} if settings.indexnow_key else {"https"}
        if asks_agents:
            urls = self._column(
                "SELECT source FROM store.documents WHERE status = 200 AND kind IS NOT NULL "
                f"ORDER BY document LIMIT {MAX_SITEMAPS}"
            )
            probes += [Probe("agent", url, None, "Googlebot") for url in urls]
            asked.add("agent")
        if settings.media:
            media = self._media_probes()
            probes += media
            if len(media) < settings.max_media:
                asked.add("media")
        answered = {(row.kind, row.url) for row in self._ask(probes) if row.status is not None}
        missing = {probe.kind for probe in probes if (probe.kind, probe.url) not in answered}
        self.unanswered -= asked - missing

    def _https_probes(self) -> list[Probe]:
        urls = self._column(
            "SELECT min(url) FROM store.pages WHERE verdict = 'ok' AND url LIKE 'http:%' "
            f"AND crawl = {self._crawl} GROUP BY origin_of(url) ORDER BY 1"
        )
        return [Probe("https", f"https:{url.partition(':')[2]}") for url in urls]

    def _indexnow_probes(self) -> list[Probe]:
        key = self._settings.indexnow_key
        if key is None:
            return []
        if key.lower().startswith(("http://", "https://")):
            name = key.rpartition("/")[2].partition("?")[0].removesuffix(".txt")
            return [Probe("indexnow", key, None, name)]
        origins = self._column(
            "SELECT origin_of(loc) FROM listed_urls GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1"
        )
        return [Probe("indexnow", f"{origin}/{key}.txt", None, key) for origin in origins]

    def _media_probes(self) -> list[Probe]:
        unnested = "SELECT key, unnest(list_transform({}, lambda m: m.{})) AS url, '{}' AS detail"
        media = (
            ("images", "loc", "Image"),
            ("videos", "thumbnail_loc", "Thumbnail"),
            ("videos", "content_loc", "Video"),
            ("videos", "player_loc", "Player"),
        )
        urls = " UNION ALL ".join(f"{unnested.format(*each)} FROM chosen_entries" for each in media)
        rows = self._session.rows(
            f"""
            WITH chosen_entries AS (
                SELECT e.images, e.videos, l.key FROM store.entries e JOIN listed_urls l
                ON l.document = e.document AND l.entry = e.entry
                SEMI JOIN (SELECT key FROM visit_strata) s ON s.key = l.key
                WHERE len(e.images) > 0 OR len(e.videos) > 0)
            SELECT url, any_value(detail ORDER BY detail), min(key) FROM ({urls})
            WHERE is_web(url) GROUP BY url ORDER BY min(key), url
            LIMIT {self._settings.max_media}"""
        )
        return [Probe("media", url, key, detail) for url, detail, key in list(rows)]

    def _visit(
        self,
        targets: Iterator[VisitTarget],
        *,
        is_second: bool = False,
        policy: Policy | None = None,
    ) -> None:
        settings = self._settings
        walk = VisitWalk(
            targets,
            self._politeness,
            crawl=self._crawl,
            is_second=is_second,
            delay_s=min(settings.confirm_delay_s, settings.confirm_after_s) if is_second else 0.0,
            now=settings.now,
        )
        writer = _PageWriter(self._session, self._crawl)
        try:
            for page in self._results(walk, policy):
                writer.add(page)
                logger.debug("%s: %s", page.url, page.verdict)
        except BaseException:
            with delayed_interrupts():
                for page in walk.stop():
                    writer.add(page)
                writer.flush()
            raise
        writer.flush()

    def _ask(self, probes: list[Probe]) -> list[Probe]:
        rows: list[Probe] = []
        try:
            rows.extend(self._results(ProbeWalk(iter(probes), self._politeness)))
        finally:
            self.add_probes(rows)
        return rows

    def add_probes(self, rows: list[Probe]) -> None:
        """Add rows to the table ``probes``."""
        statement = "INSERT INTO store.probes BY NAME SELECT * FROM incoming"
        self._session.insert(statement, stream_of(_PROBES, rows))

    def _results(self, walk: PoliteWalk[Any, T], policy: Policy | None = None) -> Iterator[T]:
        for result in self._drive(walk, policy or self._policy):
            self._done += 1
            self._progress(ProgressEvent(self._done, source=result.url))
            yield result
        yield from walk.close()

    def _mark_pages(self) -> None:
        """Set ``is_listed`` and ``is_visited`` of ``pages`` by the sitemaps and access logs."""
        logged = "normal_of(url) IN (SELECT normal_of(url) FROM store.log_urls)"
        is_visited = logged if self._settings.logs else "NULL"
        self._session.run(
            "UPDATE store.pages SET is_listed = normal_of(url) IN (SELECT key FROM listed_urls), "
            f"is_visited = {is_visited}"
        )

    def _column(self, query: str) -> list[str]:
        return [row[0] for row in self._session.rows(query)]


class _PageWriter:
    """Writer of visited pages in batches; the last visit of a URL replaces the earlier ones."""

    def __init__(self, session: StoreSession, crawl: int):
        self._session = session
        self._crawl = crawl
        self._pages: dict[str, PageRows] = {}
        self._since = time.monotonic()

    def add(self, page: PageRows) -> None:
        self._pages[page.url] = page
        if len(self._pages) >= MAX_PAGES or time.monotonic() - self._since > EVERY_S:
            self.flush()

    def flush(self) -> None:
        pages = list(self._pages.values())
        with self._session.transaction():
            confirm_pages(self._session, [page for page in pages if page.is_unchanged])
            changed = [page for page in pages if not page.is_unchanged]
            replace_pages(self._session, changed, self._crawl)
        self._pages = {}
        self._since = time.monotonic()
