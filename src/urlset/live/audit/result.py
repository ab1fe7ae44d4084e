"""Result of an audit: findings, tables, coverage, truth of lastmod, and the result in words."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import NamedTuple, TypedDict

from urlset.checker import Finding, Rule, rule_texts
from urlset.checker.evaluate import Tally
from urlset.checker.finding import CheckJson, CountedFindings, CountsJson
from urlset.checker.views import view_script
from urlset.html_report import (
    CoverageCounts,
    ExampleLog,
    LastmodTrial,
    ReportInput,
    RuleChange,
    take_figures,
    write_html_report,
)
from urlset.live.audit.coverage import COVERAGE_SQL, LINKED_BY_SQL, WEAKLY_LINKED, Coverage
from urlset.live.audit.judgement import AuditFindings, Changes, RunFacts
from urlset.live.audit.settings import AuditSettings
from urlset.live.audit.verdict_shares import (
    VerdictShare,
    share_lines,
    summary_sentence,
    unjudged_reasons,
)
from urlset.live.figures.dimension_tables import segment_table
from urlset.live.unread_documents import unread_text_of
from urlset.notebook import html_table
from urlset.option_names import option
from urlset.reader import DocumentRecord, faults_of
from urlset.store import QueryResult, Store, quoted
from urlset.terminal_text import pluralize

TABLES = (
    "documents", "entries", "pages", "links", "frontier", "crawls", "traps", "probes", "log_urls",
    "llms_txt_links", "coverage", "audit_findings",
)  # fmt: skip
"""Tables of an audit that :attr:`Audit.tables` has."""

LASTMOD_SQL = (
    "SELECT section, dates, truthful, late, early, invented, unknown FROM lastmod_sections\n"
    "ORDER BY dates DESC, section"
)
"""Query of the rows of :class:`LastmodTrial`; it needs the live views."""

_RUN_TABLES = frozenset(("failed", "markup"))
"""Views of what could not be read, which a store does not keep."""


class Overview(NamedTuple):
    """Numbers of an audit, as of :class:`Audit`, and of listed URLs that the options exclude.

    ``known`` is the number of URLs with a verdict: those visited, and those that were not requested
    because of robots.txt.
    """

    listed: int
    visited: int
    known: int
    shares: list[VerdictShare]
    coverage: Coverage
    lastmod: list[LastmodTrial]
    excluded: int

    @property
    def is_whole(self) -> bool:
        """Whether all listed URLs count and have a verdict."""
        return self.known == self.listed and not self.excluded


class EstimateJson(TypedDict):
    """Estimated number of listed URLs with a verdict, from a sample.

    Attributes:
        urls: The estimate.
        low: Lower end of its 95 % interval.
        high: Upper end of it.
    """

    urls: int
    low: int
    high: int


class AuditCountsJson(CountsJson):
    """Numbers of an audit.

    Attributes:
        listed: Number of URLs that the sitemaps list, without duplicates and without those that
            `include` and `exclude` exclude.
        sampled: Number of them that the sample selected; null if there is no sample.
        visited: Number of them that this audit requested. Visits of earlier audits do not count,
            nor do URLs that robots.txt disallows, or that it may disallow since it could not be
            read.
        verdicts: Number of URLs with each verdict, also of those that were not requested because of
            robots.txt. They are counted, not estimated.
        estimates: Of each verdict the estimated number of all listed URLs, if a sample of them was
            visited; null if there is nothing to estimate.
    """

    listed: int
    sampled: int | None
    visited: int
    verdicts: dict[str, int]
    estimates: dict[str, EstimateJson] | None


class AuditJson(AuditCountsJson, CheckJson):
    """Result of an audit: its numbers and findings."""


class Audit(CountedFindings):
    """Result of an audit: findings, tables, coverage and the truth of lastmod.

    The tables are in a store, which :meth:`close` closes; it is a context manager. A store without
    a path is deleted then.

    Attributes:
        source: What was audited.
        settings: Settings of the audit.
        store: Store with the tables (:data:`urlset.live.schemas.LIVE_TABLES`).
        findings: Findings by document and position, at most 10,000 of each rule. With a baseline,
            they are those that are not in it.
        changes: How the findings differ from those of the audit before; None for the first one.
        listed: Number of URLs that the sitemaps list, without duplicates and without those that
            ``include`` and ``exclude`` exclude.
        visited: Number of them that this audit requested. Visits of earlier audits do not count,
            nor do URLs that robots.txt disallows, or that it may disallow since it could not be
            read.
        verdicts: Number of URLs with each verdict, also of those that were not requested because of
            robots.txt, and its share of the listed ones; the most frequent first.
        coverage: URLs that are listed, linked and visited.
        lastmod: Truth of lastmod by section.
        request_count: Number of requests for pages and media.
        rules: The rules that were evaluated, by code.
        started: When the audit started.
    """

    def __init__(
        self,
        source: str | None,
        settings: AuditSettings,
        store: Store,
        found: AuditFindings,
        overview: Overview,
        documents: list[DocumentRecord],
        unvisited: tuple[str, ...],
        facts: RunFacts,
        request_count: int,
        rules: Mapping[str, Rule],
        started: datetime,
    ):
        self.source = source
        self.settings = settings
        self.store = store
        self.findings: list[Finding] = found.findings
        self.changes: Changes | None = found.changes
        self.listed, self.visited, self._known = overview.listed, overview.visited, overview.known
        self.verdicts, self.coverage, self.lastmod, excluded = overview[3:]
        self.documents = documents
        self._unvisited = unvisited
        self._facts = facts
        self.request_count = request_count
        self.rules = rules
        self.started = started
        self._found = found
        self._is_none_selected = excluded > 0 and not self.listed
        self._cause = self._most_common_cause() if self.is_blind else ""

    @property
    def incomplete(self) -> tuple[str, ...]:
        """Why not everything was read, visited and judged; empty if everything was.

        These are an interruption or a limit, documents that could not be read, and the number of
        URLs that could not be judged.
        """
        unknown = sum(each.visited for each in self.verdicts if each.verdict == "unknown")
        reasons = (
            *self._unvisited,
            *self.coverage.reasons,
            *faults_of(self.documents),
            *unjudged_reasons(unknown),
        )
        return tuple(
            reason
            for reason in dict.fromkeys(reasons)
            if not any(other.startswith(f"{reason}: ") for other in reasons)  # it says more
        )

    @property
    def is_interrupted(self) -> bool:
        """Whether Ctrl-C ended the audit; the next one with the store continues it."""
        return "interrupted" in self._unvisited

    @property
    def sampled(self) -> int | None:
        """Number of listed URLs that the sample selected; None if there is no sample."""
        sample = self.settings.sample
        return None if sample is None else min(sample, self.listed)

    @property
    def is_sampled(self) -> bool:
        """Whether only a sample of the listed URLs was visited."""
        return self.settings.sample is not None and self._known < self.listed

    @property
    def is_blind(self) -> bool:
        """Whether no listed URL is selected or was read, or no visit of one shows anything."""
        if not self.listed:
            return self._is_none_selected or bool(self._unvisited)
        return all(each.verdict == "unknown" for each in self.verdicts)

    @property
    def tally(self) -> Tally:
        """Number of findings by rule, level and document; with a baseline, of the new ones."""
        return self._found.counts

    @property
    def known(self) -> int:
        """Number of findings that are in the baseline."""
        return self._found.known

    @property
    def unlisted(self) -> Tally:
        """Number of findings that are counted but not in ``findings``."""
        return self._found.unlisted

    @property
    def omitted(self) -> dict[str, int]:
        """Number of findings of each code beyond the 10,000 that are listed."""
        counts: Counter[str] = Counter()
        for key, count in self.unlisted.items():
            counts[key.code] += count
        return dict(counts)

    @property
    def subject(self) -> str:
        """What was audited, as the end of a phrase."""
        return f"of {self.source!r}"

    @property
    def summary(self) -> str:
        """The result in one sentence."""
        text = summary_sentence(
            self.listed,
            self._known,
            self.verdicts,
            is_sampled=self.is_sampled,
            is_none_selected=self._is_none_selected,
            is_complete=not self._unvisited,
        )
        if unread := unread_text_of(self.documents):
            text += f" {unread} could not be read completely."
        if self._known and not self.visited:
            text += " No page was requested."
        if self.is_blind and self.listed:
            text += f" Nothing could be judged{self._cause}."
        if self._unvisited:
            text += f" The audit is not complete: {', '.join(self._unvisited)}."
        elif not self.is_complete:
            text += " The audit is not complete."
        return text

    def totals_dict(self) -> AuditCountsJson:
        """Return what :meth:`to_dict` has, but not the findings."""
        return {
            **super().totals_dict(),
            "listed": self.listed,
            "sampled": self.sampled,
            "visited": self.visited,
            "verdicts": {share.verdict: share.visited for share in self.verdicts},
            "estimates": self._estimates(),
        }

    def _estimates(self) -> dict[str, EstimateJson] | None:
        if not self.is_sampled:
            return None
        return {
            each.verdict: {
                "urls": each.estimated_urls,
                "low": round(each.share.low * self.listed),
                "high": round(each.share.high * self.listed),
            }
            for each in self.verdicts
        }

    def to_dict(self) -> AuditJson:
        """Return counts, findings, verdicts and what is incomplete as values that JSON has."""
        findings = [finding.to_dict() for finding in self.findings]
        return {**self.totals_dict(), "findings": findings}

    @property
    def shares(self) -> list[str]:
        """A sentence for each verdict with its share; for a sample with the 95 % interval."""
        return share_lines(self.listed, self.verdicts, is_sampled=self.is_sampled)

    @property
    def notes(self) -> list[str]:
        """Further results in sentences: estimates of a sample, coverage, dates, changes."""
        notes = [f"{line}." for line in self.shares] if self.is_sampled else []
        if self.settings.url_patterns and self.listed:
            options = f"{option('include')} and {option('exclude')}"
            notes.append(f"Only URLs that {options} select were visited, and count as listed.")
        if unreadable := sum(record.unreadable_count for record in self.documents):
            entries = pluralize(unreadable, "listed entry has", "listed entries have")
            notes.append(f"{entries} no readable URL, and could not be visited: `urlset check`.")
        notes += self.coverage.sentences()
        if self.coverage.reasons:
            reasons = "; ".join(self.coverage.reasons)
            notes.append(f"Which listed pages are not linked is unknown: {reasons}.")
        if dates := sum(trial.dates for trial in self.lastmod):
            truthful = sum(trial.truthful for trial in self.lastmod)
            compared = f"{pluralize(dates, 'lastmod date')} that can be compared with pages"
            verb = "is" if truthful == 1 else "are"
            notes.append(f"Of {compared} {truthful:,} {verb} truthful.")
        if self.changes is not None:
            notes.append(
                f"Since the audit before: {self.changes.new:,} new, {self.changes.fixed:,} fixed, "
                f"{self.changes.remaining:,} still there."
            )
            if self.omitted:
                notes.append("Only the first 10,000 findings of a rule are compared.")
        return notes

    @property
    def tables(self) -> dict[str, QueryResult]:
        """The tables of the store by name; each is an Arrow stream."""
        return {name: self.table(name) for name in TABLES}

    def table(self, name: str) -> QueryResult:
        """Return a table of the store, an Arrow stream.

        >>> import urlset
        >>> with urlset.audit(b"https://example.com/a", max_requests=1) as found:  # doctest: +SKIP
        ...     found.table("pages").columns[0]
        'url'
        """
        if name not in TABLES:
            raise ValueError(f"expected one of {', '.join(TABLES)}, found {name!r}")
        return self.store.query(f"FROM {name}")

    def report(self, path: str | os.PathLike[str]) -> None:
        """Write the audit as one HTML file that works offline and without scripts.

        Raises:
            urlset.TargetError: The file cannot be written.
            ValueError: The file has the suffix of a data format.
        """
        log = ExampleLog()
        for finding in self.findings:
            log.add(finding)
        for key, count in self.unlisted.items():
            log.add_omitted(key.level, key.code, count)
        with self.store.session() as session:
            session.run(
                "CREATE TABLE finding_rows AS SELECT loc, level FROM store.audit_findings "
                "WHERE coalesce(change, '') NOT IN ('fixed', 'not checked')"
            )
            counts, coverage = None, self.coverage
            if coverage.has_links or coverage.has_visits:
                weak = [(WEAKLY_LINKED[k], count) for k, count in coverage.weakly_linked.items()]
                regions, is_complete = coverage.regions, coverage.is_complete
                counts = CoverageCounts(regions, is_complete, COVERAGE_SQL, weak, LINKED_BY_SQL)
            # The summary and the notes state what is not complete, of the crawl, too.
            name = self.source or "sitemaps"
            figures = take_figures(session, name, counts, is_audit=True)._replace(notes=())
            if segments := segment_table(session, self.settings.segments):
                figures = figures._replace(tables=[segments, *figures.tables])
        report = ReportInput(
            kind="audit",
            site=name,
            moment=self.started,
            log=log,
            rules=rule_texts(self.rules),
            sources=[figures],
            sentence=self.summary,
            notes=self.notes,
            lastmod_trial=[trial for trial in self.lastmod if trial.dates],
            lastmod_sql=f"{view_script([LASTMOD_SQL])}\n{LASTMOD_SQL};",
            views_sql=self._views_script(),
            changes=self._rule_changes(),
            previous=self._previous(),
            known=self.known,
            changes_sql="SELECT code, change, count(*) FROM audit_findings GROUP BY ALL",
        )
        write_html_report(report, Path(path))

    def _most_common_cause(self) -> str:
        """Return why visits show nothing, as the end of a sentence; the most common reason."""
        rows = self.store.query(
            "SELECT unknown_reason, count(*) FROM pages WHERE is_listed AND verdict = 'unknown' "
            "AND crawl = (SELECT max(crawl) FROM crawls) AND unknown_reason IS NOT NULL "
            "GROUP BY ALL ORDER BY 2 DESC, 1 LIMIT 1"
        )
        for reason, count in rows:
            login = f"; give the login with {option('auth_file', python='auth')}"
            hint = login if reason in ("http-401", "http-407") else ""
            return f": {reason} for {count:,} of {self._known:,} URLs{hint}"
        return ""

    def _views_script(self) -> str:
        """Return SQL that creates the views of the rules with findings in the store."""
        texts = rule_texts(self.rules)
        queries = [texts[code].sql or "" for code in self.by_rule if code in texts]
        views = view_script(queries, omitted=_RUN_TABLES)
        now = (self.settings.now or self.started).isoformat()
        profile = self.settings.profile
        variables = (
            f"SET VARIABLE now = '{now}'::TIMESTAMPTZ;\n"
            f"SET VARIABLE profile = {quoted(profile) if profile else 'NULL'};\n"
        )
        run_view = f"CREATE OR REPLACE TEMP VIEW audit_run AS SELECT {self._facts.columns};\n"
        return f"{variables}{run_view}{views}" if views else ""

    def _previous(self) -> datetime | None:
        """Return when the previous audit started; None for the first one of the store."""
        rows = self.store.query(
            "SELECT started FROM crawls WHERE kind = 'audit' ORDER BY crawl DESC LIMIT 1 OFFSET 1"
        )
        return next((row[0] for row in rows), None)

    def _rule_changes(self) -> list[RuleChange] | None:
        if self.changes is None:
            return None
        rows = self.store.query(
            "SELECT code, count(*) FILTER (change = 'new'), count(*) FILTER (change = 'fixed'), "
            "count(*) FILTER (change = 'still there') FROM audit_findings GROUP BY code ORDER BY 1"
        )
        return [RuleChange(*row) for row in rows]

    def close(self) -> None:
        """Close the store; does nothing the second time."""
        self.store.close()

    def _repr_html_(self) -> str:
        names = {finding.code: finding.rule for finding in self.findings}
        rows = [(code, names.get(code, ""), count) for code, count in self.by_rule.items()]
        return html_table(self.summary, ("code", "rule", "findings"), rows)
