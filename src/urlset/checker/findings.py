"""Findings of a check: the iterable that reads the documents and evaluates the rules."""

from __future__ import annotations

import os
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing
from datetime import UTC, datetime
from functools import partial
from itertools import islice

from urlset.checker.baseline import Baseline, Comparison
from urlset.checker.evaluate import MAX_ROWS, FindingKey, Tally, evaluate
from urlset.checker.finding import (
    LEVELS,
    CheckJson,
    CountedFindings,
    Finding,
    Selected,
    finding_of,
    levels_from,
)
from urlset.checker.load import Failures, TextCache, load
from urlset.checker.locate import locate
from urlset.checker.markup_facts import MarkupFacts
from urlset.checker.rule import Rule
from urlset.model import Level, ProgressEvent
from urlset.notebook import html_table
from urlset.reader import DocumentRecord, Entries, faults_of
from urlset.store import RULE_S, SESSION_MB, Store, StoreSession

CHECK_MB, CHECK_ENTRIES = 700, 10_000_000
"""Memory limit of DuckDB in megabytes, and the entries for which more of it saves no time."""


class Findings(CountedFindings):
    """Findings of a check. All documents are read before the first finding is yielded.

    Iterate it as :class:`Finding`, as often as needed. Each iteration evaluates the rules again:
    on the current content of files, and on the first download of a site. The counts are those of
    the most recent iteration; without one, reading a count starts one.

    With a baseline, the findings and counts are those that are not in it.

    >>> from urlset.checker import check
    >>> findings = check(b"https://example.com/ https://example.com/a", select=["T"])
    >>> findings.ok, findings.worst, findings.by_rule
    (False, 'error', {'T002': 1})
    """

    def __init__(
        self,
        entries: Entries,
        rules: Mapping[str, Rule],
        selected: Selected,
        *,
        max_excerpts: int,
        now: datetime | None,
        profile: str | None,
        progress: Callable[[ProgressEvent], None] | None = None,
        rule_timeout_s: float | None = RULE_S,
        baseline: Baseline | None = None,
        min_level: Level = "info",
    ):
        self._entries = entries
        self._rules = {
            code: rule for code, rule in rules.items() if selected(rule, None) and not rule.is_live
        }
        self._selected = selected
        self._max_excerpts = max_excerpts
        self._now = now
        self._profile = profile
        self._rule_timeout_s = rule_timeout_s
        self._progress = progress
        self._levels = levels_from(min_level)
        self._baseline = baseline
        self._known = 0
        self._unmatched = baseline
        self._counts: Tally | None = None
        self._is_counted = False
        self._omitted: Counter[str] = Counter()
        self._yielded: Tally = Counter()

    def __iter__(self) -> Generator[Finding]:
        return self.observed(lambda _: None)

    def observed(self, observe: Callable[[StoreSession], object]) -> Generator[Finding]:
        """Yield the findings, then call ``observe`` with the tables before they are deleted."""
        self._is_counted = self._baseline is None
        if self._baseline is None:
            yield from self._all(observe)
            return
        comparison = Comparison(self._baseline.copy())
        yield from comparison.new(self._all(observe))
        self._counts = comparison.counts((self._counts or Counter()) - self._yielded)
        self._is_counted = True
        self._yielded = comparison.yielded
        self._omitted = comparison.omitted
        self._known = comparison.known
        self._unmatched = comparison.baseline

    def _all(self, observe: Callable[[StoreSession], object]) -> Generator[Finding]:
        """Yield the findings, also those of the baseline."""
        markup = MarkupFacts({need for rule in self._rules.values() for need in rule.needs})
        with Store.with_details() as store, TextCache() as texts:
            failures = Failures()
            omitted = load(store, texts, markup, failures, self._entries, self._progress)
            with store.session() as session:
                session.load("markup_facts", markup.flow())
                session.load("failures", failures.flow())
                yield from self._evaluate(session, texts, omitted)
                observe(session)

    def report(self, path: str | os.PathLike[str]) -> None:
        """Write the findings with charts to an HTML file that works offline; evaluates the rules.

        Args:
            path: The file; it is replaced.

        Raises:
            urlset.TargetError: The file cannot be written.
            ValueError: The file has the suffix of a data format.

        >>> import pathlib, tempfile
        >>> from urlset.checker import check
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder, "report.html")
        ...     check(b"https://example.com/ https://example.com/a").report(path)
        ...     path.read_text("utf-8")[:15]
        '<!doctype html>'
        """
        from urlset.checker.report import CheckReport
        from urlset.html_report import expect_html_suffix

        expect_html_suffix(path)  # before the rules run
        name = os.fsdecode(os.fspath(self._entries.source or "bytes"))
        report = CheckReport(self._rules)
        deque(report.record(self.observed(partial(report.observe, name))), maxlen=0)
        for key, count in self.unlisted.items():
            report.log.add_omitted(key.level, key.code, count)
        report.write(path, name, known=self.known, moment=self._now)

    @property
    def count(self) -> int:
        """Number of findings, including those that are counted but not yielded."""
        return self.tally.total()

    @property
    def omitted(self) -> dict[str, int]:
        """Number of findings of each code beyond the 10,000 that are yielded."""
        return dict(self._omitted) if self.tally else {}

    @property
    def unlisted(self) -> Tally:
        """Number of findings that the last complete iteration counted but did not yield.

        The keys are rule, level and document.
        """
        return self.tally - self._yielded

    def _repr_html_(self) -> str:
        """Return an HTML table of the counts by rule for notebooks; evaluates nothing."""
        rows = sorted((self.by_rule if self._is_evaluated else {}).items())
        return html_table(self.caption, ("rule", "findings"), rows)

    @property
    def subject(self) -> str:
        """The source, as the end of a phrase."""
        return f"of {'bytes' if self._entries.source is None else repr(self._entries.source)}"

    @property
    def caption(self) -> str:
        """Name, source and summary, as notebooks show them; evaluates nothing."""
        if not self._is_evaluated:
            return f"Findings {self.subject}: not evaluated yet"
        return super().caption

    def to_dict(self) -> CheckJson:
        """Return counts, findings and what is incomplete as values that JSON has."""
        findings = [finding.to_dict() for finding in self]
        return {**self.totals_dict(), "findings": findings}

    @property
    def ok(self) -> bool:
        """Whether every document was read and there are no findings."""
        return not self.tally and not self.incomplete

    @property
    def documents(self) -> list[DocumentRecord]:
        """Documents that were checked or could not be read."""
        return self._entries.documents

    @property
    def failed_documents(self) -> tuple[DocumentRecord, ...]:
        """Documents that could not be read completely; each has an ``error``."""
        return tuple(record for record in self.documents if record.error)

    @property
    def incomplete(self) -> tuple[str, ...]:
        """Why not every document was read; :attr:`failed_documents` has the records."""
        return faults_of(self.documents)

    @property
    def known(self) -> int:
        """Number of findings that are in the baseline."""
        if self._baseline is not None:
            self._evaluate_once()
        return self._known

    @property
    def unmatched(self) -> Baseline | None:
        """Findings of the baseline that were not found again; None without a baseline."""
        if self._baseline is not None:
            self._evaluate_once()
        return self._unmatched

    @property
    def tally(self) -> Tally:
        """Number of findings by rule, level and document; with a baseline, of the new ones."""
        self._evaluate_once()
        return self._counts or Counter()

    @property
    def _is_evaluated(self) -> bool:
        """Whether the findings are counted, and compared with all of a baseline."""
        return self._counts is not None and self._is_counted

    def _evaluate_once(self) -> None:
        if not self._is_evaluated:
            with closing(iter(self)) as findings:
                # Which findings are new is known when all are compared.
                deque(islice(findings, 1 if self._baseline is None else None), maxlen=0)

    def _evaluate(
        self, session: StoreSession, texts: TextCache, omitted: Tally
    ) -> Iterator[Finding]:
        """Evaluate the rules, count the findings and yield them."""
        entries = sum(record.entries for record in self._entries.documents)
        result = evaluate(
            session,
            self._rules.values(),
            now=self._now or datetime.now(UTC),
            profile=self._profile,
            source=self._entries.source,
            rule_timeout_s=self._rule_timeout_s,
            levels=None if self._levels == LEVELS else self._levels,
            memory_mb=CHECK_MB if entries <= CHECK_ENTRIES else SESSION_MB,
        )
        self._count(result.counts, omitted)
        self._yielded = Counter()
        yielded: Counter[str] = Counter()
        # A file without a URL is not a sitemap: its text, which may be secret, is not quoted.
        foreign = {
            record.source
            for record in self._entries.documents
            if record.kind in ("text", "unknown", None) and not record.entries
        }
        for row, place, text in locate(result.rows(), self._rules, texts):
            if not self._selected(self._rules[row.code], row.source):
                continue
            yielded[row.code] += 1
            self._yielded[FindingKey(row.code, row.level, row.source)] += 1
            finding = finding_of(row, self._rules[row.code], place)
            is_shown = yielded[row.code] <= self._max_excerpts and row.source not in foreign
            if text is not None and place.at is not None and is_shown:
                finding = finding._replace(excerpt=text.excerpt(place.at))
            yield finding

    def _count(self, counts: Tally, omitted: Tally) -> None:
        """Count the selected findings, including those beyond the limits of engine and queries."""
        levels = {code: rule.level for code, rule in self._rules.items()}
        omitted = Counter(
            {key._replace(level=levels.get(key.code, key.level)): omitted[key] for key in omitted}
        )
        both = {
            key: count
            for key, count in (counts + omitted).items()
            if key.level in self._levels
            and key.code in self._rules
            and self._selected(self._rules[key.code], key.source)
        }
        self._counts = Counter(both)
        found: Counter[str] = Counter()
        for key, count in counts.items():
            found[key.code] += count
        hidden = {code: max(0, count - MAX_ROWS) for code, count in found.items()}
        self._omitted = Counter(hidden)
        for key, count in omitted.items():
            self._omitted[key.code] += count if key in both else 0
        self._omitted = +self._omitted
