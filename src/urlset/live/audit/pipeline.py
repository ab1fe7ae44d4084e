"""Audit a site: read its sitemaps, follow its links if asked for, visit its pages, judge."""

from __future__ import annotations

import json
import logging
import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from types import MappingProxyType
from typing import NamedTuple

from urlset.arguments import checked_arguments
from urlset.checker import Baseline, Profile, Rule
from urlset.checker.views import creation_order
from urlset.errors import SourceError
from urlset.html_report import LastmodTrial
from urlset.http import Policy, drive_in_thread, origin_of, run_policy, with_login
from urlset.live.audit.coverage import coverage_of
from urlset.live.audit.inputs import (
    NO_ORIGIN,
    StoreSite,
    expect_access_logs,
    keep_listing,
    read_access_logs,
    read_sitemaps,
)
from urlset.live.audit.judgement import (
    NEED_ALL_PAGES,
    NEED_CONTENT,
    NEED_CRAWL,
    NEED_LLMS_TXT,
    NEED_PROBES,
    NEED_TARGETS,
    RuleSet,
    RunFacts,
    judge,
)
from urlset.live.audit.probes import Probe
from urlset.live.audit.result import LASTMOD_SQL, Audit, Overview
from urlset.live.audit.run import SiteVisits
from urlset.live.audit.settings import AuditSettings
from urlset.live.audit.verdict_shares import verdict_shares
from urlset.live.crawl import CrawlOptions, crawl_into
from urlset.live.figures.dimension_tables import check_segments
from urlset.live.schemas import VISIT_SCHEMA
from urlset.live.visits.drive import Drive, Progress, StageLog
from urlset.live.visits.politeness import Budget, Politeness, named_hosts
from urlset.model import Level, ProgressEvent
from urlset.option_schema import StrPath, settings_of
from urlset.reader import Entries, Source, is_url, read
from urlset.reader.filters import Patterns, selection
from urlset.store import Store, StoreSession

logger: logging.Logger = logging.getLogger("urlset.audit")

_OVERVIEW_VIEWS = "audited_urls listed_pages link_classes lastmod_sections section_of duplicate_key"


class _Crawled(NamedTuple):
    """Number of a row of ``crawls``, and reasons why some links of the site are not known."""

    number: int
    reasons: tuple[str, ...] = ()
    is_interrupted: bool = False
    requests: int = 0


@checked_arguments
def audit(
    source: Source,
    *,
    # These are generated from urlset.option_schema by `make docs`.
    sample: int | None = None,
    seed: int = 1,
    include: Patterns = (),
    exclude: Patterns = (),
    crawl: bool = False,
    logs: StrPath | Iterable[StrPath] = (),
    max_requests: int | None = None,
    max_minutes: float | None = None,
    head_only: bool = False,
    segments: Mapping[str, str] = MappingProxyType({}),
    media: bool = True,
    llms_txt: bool = True,
    confirm_after_s: float = 60.0,
    indexnow_key: str | None = None,
    store: StrPath | None = None,
    select: Sequence[str] | None = None,
    ignore: Sequence[str] = (),
    extend_select: Sequence[str] = (),
    profile: Profile | None = None,
    baseline: Baseline | StrPath | None = None,
    rule_timeout_s: float | None = 60.0,
    ignore_in: Mapping[str, Sequence[str]] = MappingProxyType({}),
    levels: Mapping[str, Level] = MappingProxyType({}),
    rules: Sequence[Rule] = (),
    base_url: str | None = None,
    engine: str | None = None,
    now: datetime | None = None,
    policy: Policy | None = None,
    auth: str | tuple[str, str] | None = None,
    progress: Callable[[ProgressEvent], None] | None = None,
    targets: bool = True,
    max_media: int = 10_000,
    confirm_delay_s: float = 1.0,
    max_confirmed: int = 200,
) -> Audit:
    """Visit the pages that the sitemaps of a source list, and judge the responses by rules.

    A response of a firewall, a rate limit or a server that is overloaded (401, 403, 429, 5xx …) is
    not an error of the page: the page is visited a second time, more slowly, and is unknown if that
    fails, too.

    Args:
        source: What has the sitemaps, as in :func:`urlset.read`: a site, or the URL or file of a
            sitemap.
        sample: Number of listed URLs to visit, chosen at random by ``seed``; None for all.
        seed: Number that selects the sample: equal seeds select equal URLs.
        include: Regular expression, or several; only URLs that contain a match of one count.
        exclude: Regular expression, or several; URLs that contain a match of one do not count.
        crawl: Follow links, too, to find pages that are not listed, and listed ones that are not
            linked.
        logs: Access log, or several: compare the listed URLs with those that are visited.
        max_requests: Limit of the requests of this run; robots.txt and sitemaps do not count. None
            for no limit.
        max_minutes: Limit of the duration; what is not visited by then is reported. None for no
            limit.
        head_only: End the transfer after the head of a page. Contents are not compared then.
        segments: Parts of the site that the report counts apart: names, each with an SQL condition
            over ``url``, ``section`` and the columns of the table ``pages``.
        media: Request the images and videos of entries.
        llms_txt: Whether the links of the llms.txt of the site are checked.
        confirm_after_s: Wait before the second visit, which confirms that a page answers 403, 429,
            5xx or not at all.
        indexnow_key: Check the file of this IndexNow key; or the URL of the file.
        store: Keep the tables in this file (.duckdb). The next audit with it asks only for changes,
            and says what is new and what is fixed.
        select: Names, codes or prefixes of codes (``X``, ``S0``) of rules. The longest one that
            covers a rule decides; ``ignore`` wins a tie. None selects the rules that are on by
            default.
        ignore: Rules that are excluded.
        extend_select: Check these rules, too. Some rules are off by default.
        profile: Check the rules of this search engine, too.
        baseline: Known findings, or the file of them: only other ones are found
            (:class:`urlset.Baseline`).
        rule_timeout_s: Time limit of each custom rule in seconds, None for no limit.
        ignore_in: Rules that are not checked in some documents, by a pattern of their paths.
        levels: Levels of rules that differ from the catalogue, by rule.
        rules: Custom rules.
        base_url: URL at which the source is published: of the folder, or of the file. One that ends
            with / is the folder that contains the file.
        engine: ``native`` or ``reference``; by default the faster one that is installed.
        now: Current time; by default the clock's.
        policy: Limits and behaviour of the HTTP client (:class:`urlset.Policy`).
        auth: Bearer token, or user and password; sent to the origin of the site only.
        progress: Called with a :class:`urlset.ProgressEvent`: how much was done so far.
        targets: Visit canonical URLs, alternates and links of the llms.txt that are not listed.
        max_media: Maximum number of media files that are requested.
        confirm_delay_s: Time between two requests of the second visit; ``confirm_after_s`` if that
            is less.
        max_confirmed: Maximum number of pages that are visited a second time.

    Returns:
        The findings and tables. Close it, or use it as a context manager.

    Raises:
        urlset.SourceError: No sitemap could be read.
        urlset.StoreError: The store cannot be opened, or has the audits or crawls of another site.
        urlset.ConfigurationError: The baseline cannot be read.
        ValueError: A setting is invalid, or the name of a rule is unknown.
        TypeError: There is no setting of a name.
    """
    options = settings_of(AuditSettings, "audit", locals(), **selection(include, exclude))
    policy, source = with_login(run_policy(options.policy), source, options.auth)
    if options.base_url is not None:
        auth = options.auth if not is_url(source) else None
        policy, base_url = with_login(policy, options.base_url, auth)
        options = replace(options, base_url=base_url)
    options = replace(options, auth=None)  # the policy has them
    entries = read(
        source,
        base_url=options.base_url,
        engine=options.engine,
        policy=policy,
        read_robots=True,
        keep=False,
    )
    path = None if store is None else os.fspath(store)
    known = Baseline.of(baseline)
    return audit_entries(
        entries, options, path=path, progress=progress, policy=policy, baseline=known
    )


def audit_entries(
    entries: Entries,
    settings: AuditSettings,
    *,
    path: str | None = None,
    progress: Progress | None = None,
    drive: Drive | None = None,
    policy: Policy | None = None,
    baseline: Baseline | None = None,
) -> Audit:
    """Audit entries; as :func:`audit`, but ``drive`` may simulate the server.

    ``policy`` is that of the run in which the entries are read; None for that of the settings.
    """
    rules = RuleSet(settings)
    expect_access_logs(settings.logs)
    store = Store.open(path)
    try:
        run = _AuditRun(
            entries,
            settings,
            rules,
            store,
            progress or (lambda _: None),
            drive or drive_in_thread,
            run_policy(policy or settings.policy),
        )
        return run.audit(baseline)
    except BaseException:
        store.close()
        raise


@dataclass
class _AuditRun:
    _entries: Entries
    _settings: AuditSettings
    _rules: RuleSet
    _store: Store
    _progress: Progress
    _drive: Drive
    _policy: Policy

    def __post_init__(self) -> None:
        self._started = datetime.now(UTC)
        self._budget = Budget(self._settings.max_requests, self._settings.max_minutes)

    def audit(self, baseline: Baseline | None) -> Audit:
        store, settings = self._store, self._settings
        site = None
        if store.path is not None:
            store.add(VISIT_SCHEMA)
            site = StoreSite(store)
            if site.expect_source(self._entries.source, settings.base_url):
                site = None
            if not self._is_continued():
                keep_listing(store)
        packed: list[Probe] = []
        stages = StageLog(logger)
        failures = read_sitemaps(
            store, self._entries, packed, self._progress, self._budget.has_time, site
        )
        self._expect_sitemap()
        store.add(VISIT_SCHEMA)
        stages.end("sitemaps read")
        origin = self._main_origin()
        hosts = named_hosts((self._entries.source, settings.base_url), origin)
        politeness = Politeness(self._policy, self._budget, hosts=hosts)
        crawl = self._crawl(origin, politeness) if settings.crawl else self._begin(origin)
        with store.session() as session:
            check_segments(session, settings.segments)
            session.run("DELETE FROM store.probes")
            if settings.logs:
                read_access_logs(session, settings.logs, f"{origin}/", settings.engine)
            visits = SiteVisits(
                session,
                crawl.number,
                settings,
                self._policy,
                politeness,
                self._drive,
                self._progress,
            )
            visits.add_probes(packed)
            visits.run(asks_agents="N011" in self._rules.rules, is_interrupted=crawl.is_interrupted)
            is_over = self._end_visits(session, crawl, visits)
        stages.end("%d requests sent", self._budget.requests)
        reasons = tuple(visits.reasons)
        overview = self._overview(crawl)
        facts = RunFacts(
            is_sampled=settings.is_partial,
            is_crawl_complete=settings.crawl and not crawl.reasons,
            is_complete=not reasons,
            is_crawl_over=overview.coverage.is_over,
        )
        is_whole = not settings.is_partial or overview.is_whole
        unknown = (
            (frozenset() if visits.is_llms_txt_known else NEED_LLMS_TXT)
            | (frozenset() if settings.crawl else NEED_CRAWL)
            | (frozenset() if is_whole and not reasons else NEED_ALL_PAGES)
            | (NEED_CONTENT if settings.head_only else frozenset())
            | (frozenset() if settings.targets else NEED_TARGETS)
            | frozenset().union(*(NEED_PROBES[kind] for kind in visits.unanswered))
        )
        found = judge(store, self._rules, settings, failures, facts, self._entries.source, unknown)
        if is_over:
            with store.session() as session:
                session.run(
                    f"UPDATE store.crawls SET finished = now() WHERE crawl = {crawl.number}"
                )
        stages.end("visits judged")
        return Audit(
            self._entries.source,
            settings,
            store,
            found.without(baseline),
            overview,
            self._entries.documents,
            reasons,
            facts,
            self._budget.requests,
            self._rules.rules,
            self._started,
        )

    def _is_continued(self) -> bool:
        """Return whether the latest audit of the store was interrupted, and this one continues it.

        With ``crawl`` the options may differ.
        """
        with self._store.session() as session:
            latest = session.rows(
                "SELECT kind = 'audit' AND finished IS NULL "
                "AND CASE WHEN $1 THEN has_sitemaps IS NOT NULL ELSE settings = $2 END "
                "FROM store.crawls ORDER BY crawl DESC LIMIT 1",
                (self._settings.crawl, self._selection()),
            )
            return any(is_open for (is_open,) in latest)

    def _expect_sitemap(self) -> None:
        """Raise :class:`urlset.SourceError` if everything was read, and nothing is a sitemap.

        A document that cannot be read is judged by rules instead.
        """
        records = self._entries.documents
        if records and all(record.error and not record.failure for record in records):
            name = records[0].source or "the document"
            raise SourceError(f"{name}: {records[0].error}")

    def _main_origin(self) -> str:
        """Return the origin of most listed URLs; of the source if there are none."""
        query = "SELECT loc FROM store.entries ORDER BY document, entry LIMIT 10000"
        with self._store.session() as session:
            origins = Counter(origin_of(loc) for (loc,) in session.rows(query))
        origins.pop(None, None)
        named = origin_of(self._entries.source or "") or origin_of(self._settings.base_url or "")
        common = origins.most_common(1)
        return (common[0][0] if common else named) or NO_ORIGIN

    def _crawl(self, origin: str, politeness: Politeness) -> _Crawled:
        """Crawl the site by its links; return the number of the crawl and why it is incomplete."""
        settings = self._settings
        options = CrawlOptions(
            include=tuple(settings.include),
            exclude=tuple(settings.exclude),
            max_pages=settings.max_requests,
            max_minutes=settings.max_minutes,
            confirm_after_s=settings.confirm_after_s,
        )
        is_interrupted = False
        try:
            crawl_into(
                self._store,
                f"{origin}/",
                options,
                policy=self._policy,
                progress=self._progress,
                politeness=politeness,
            )
        except KeyboardInterrupt:
            is_interrupted = True
        with self._store.session() as session:
            [(number, reasons)] = session.rows(
                "SELECT crawl, reasons FROM store.crawls ORDER BY crawl DESC LIMIT 1"
            )
            # The visits of listed pages follow: an audit that is killed then is continued.
            session.run(f"UPDATE store.crawls SET finished = NULL WHERE crawl = {number}")
        reasons = (*reasons, *self._pattern_reasons())
        return _Crawled(number, reasons, is_interrupted, self._budget.requests)

    def _pattern_reasons(self) -> list[str]:
        """Return why a part of the site was not visited on purpose: an option with a pattern."""
        used = [name for name in ("include", "exclude") if getattr(self._settings, name)]
        return [f"{name}: other URLs were not visited" for name in used[:1]]

    def _selection(self) -> str:
        """Return the options that select what is visited, as JSON for the table ``crawls``."""
        names = ("sample", "crawl", "include", "exclude")
        return json.dumps({name: getattr(self._settings, name) for name in names})

    def _begin(self, origin: str) -> _Crawled:
        """Return the number of an audit that is to be continued, or add a row to ``crawls``."""
        shown = self._selection()
        with self._store.session() as session:
            latest = session.rows(
                "SELECT crawl, kind, site, settings, finished IS NULL FROM store.crawls "
                "ORDER BY crawl DESC LIMIT 1"
            )
            earlier = 0
            for earlier, *key in latest:
                if key == ["audit", f"{origin}/", shown, True]:
                    return _Crawled(int(earlier))
            number = earlier + 1
            session.run(
                "INSERT INTO store.crawls (crawl, kind, site, settings, started, request_count) "
                "VALUES (?, 'audit', ?, ?, ?::TIMESTAMPTZ, 0)",
                (number, f"{origin}/", shown, self._started.isoformat()),
            )
        return _Crawled(int(number))

    def _end_visits(self, session: StoreSession, crawl: _Crawled, visits: SiteVisits) -> bool:
        """Record how the visits ended; return whether the audit is over when they are judged.

        Until then it stays open: an audit that is killed while rules are evaluated is continued
        without a visit. One whose visits were interrupted stays open after it, too.
        """
        found = (*crawl.reasons, *self._part_reasons(session), *visits.reasons)
        reasons = list(dict.fromkeys(found))
        is_over = "interrupted" not in visits.reasons and not self._budget.is_unanswered
        is_complete = not reasons if is_over else "NULL"
        requests = self._budget.requests - crawl.requests  # those of the crawl are counted
        session.run(
            f"UPDATE store.crawls SET finished = NULL, is_complete = {is_complete}, "
            f"reasons = ?::VARCHAR[], request_count = coalesce(request_count, 0) + {requests} "
            f"WHERE crawl = {crawl.number}",
            (reasons,),
        )
        return is_over

    def _part_reasons(self, session: StoreSession) -> list[str]:
        """Return why only a part of the listed URLs was to be visited."""
        reasons = self._pattern_reasons()
        sample = self._settings.sample
        if sample is not None:
            [(selected,)] = session.rows("SELECT count(*) FROM audited_urls")
            if sample < selected:
                reasons.append("sample: other URLs were not visited")
        return reasons

    def _overview(self, crawl: _Crawled) -> Overview:
        with self._store.session() as session:
            for _, statement in creation_order([_OVERVIEW_VIEWS]):
                session.run(statement)
            listed, known, shares = verdict_shares(session)
            query = "SELECT count(*) FROM listed_pages WHERE coalesce(attempts, 1) > 0"
            [(visited,)] = session.rows(query)
            [(excluded,)] = session.rows("SELECT count(*) FROM store.excluded_urls")
            coverage = coverage_of(
                session,
                has_links=self._settings.crawl,
                has_visits=bool(self._settings.logs),
                is_complete=self._settings.crawl and not crawl.reasons,
                reasons=crawl.reasons,
                patterns=self._settings.url_patterns,
            )
            trials = [LastmodTrial(*row) for row in session.rows(LASTMOD_SQL)]
            return Overview(listed, visited, known, shares, coverage, trials, excluded)
