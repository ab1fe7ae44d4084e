"""One run of ``urlset check``: several sources, their findings, and the totals."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from urlset.checker import (
    FAILURE_CODES,
    LEVELS,
    Baseline,
    Finding,
    Findings,
    Rule,
    catalogue_with,
    failed_source,
    selector,
)
from urlset.checker import check as find
from urlset.checker.evaluate import FindingKey
from urlset.cli.check_config import CheckConfig
from urlset.cli.console import Progress, count_of
from urlset.cli.network import Network
from urlset.cli.options import misuse
from urlset.errors import SourceError
from urlset.model import Level
from urlset.reader import DocumentRecord
from urlset.store import RULE_S, end_process_when_stuck

__all__ = ["CheckRun"]

PARTLY_READ = ("X002", "X009")
"""Rules about a document of which a part may be misread: most other rules are not asked then."""


class CheckRun:
    """One check of several sources, and its totals: of what is told, and of what is known."""

    def __init__(
        self,
        settings: CheckConfig,
        network: Network,
        engine: str | None,
        *,
        rule_timeout_s: float | None = RULE_S,
    ):
        self.by_level: Counter[Level] = Counter()
        self.omitted: Counter[str] = Counter()
        self.known = 0
        self.documents: list[DocumentRecord] = []
        self.failures: list[str] = []  # documents that could not be read, also those ignored
        self.reported_failures = 0
        self.partly_checked: dict[str, str] = {}
        self.found = Baseline()
        self._seen = self._entries = 0
        self._failed: list[str] = []
        self._settings = settings
        self._baseline = Baseline.read(settings.baseline) if settings.baseline else None
        self._network = network
        self._engine = engine
        self._rule_timeout_s = rule_timeout_s
        if settings.rules:
            end_process_when_stuck()
        with misuse("rules"):
            self.rules: dict[str, Rule] = catalogue_with(settings.rules, settings.levels)
        with misuse("--select, --ignore or [check]"):
            self._wanted = selector(
                settings.select,
                settings.ignore,
                settings.extend_select,
                profile=settings.profile,
                rules=self.rules,
                ignore_in=settings.ignore_in,
                always=FAILURE_CODES,
            )

    def findings(self, sources: Sequence[str], progress: Progress) -> Iterator[Finding]:
        """The findings in all sources; where one fails, the others are checked nevertheless."""
        for source in sources:
            try:
                found = self._check(source, progress)
                yield from self._counted(self._new(found))
            except SourceError as error:
                yield from self._counted(self._report_failure(source, error))
                continue
            self._count(found)

    def _counted(self, findings: Iterable[Finding]) -> Iterator[Finding]:
        """Count the documents that could not be read among findings."""
        for finding in findings:
            if finding.code in PARTLY_READ and finding.source not in self.partly_checked:
                self.partly_checked[finding.source or "<bytes>"] = finding.code
            self.reported_failures += finding.code in FAILURE_CODES and finding.level != "info"
            yield finding

    def _report_failure(self, source: str, error: SourceError) -> Iterator[Finding]:
        """Report a source of which nothing could be read."""
        self.failures.append(str(error))
        finding = failed_source(source, error, self.rules, self._wanted)
        new = list(self._new([] if finding is None else [finding]))
        if self._baseline is None:
            self.by_level.update(finding.level for finding in new)
        yield from new

    def exit_code(self) -> int:
        """1 for findings that are bad enough; documents that could not be read are among them."""
        levels = LEVELS[: LEVELS.index(self._settings.fail_level) + 1]
        return int(any(self.by_level[level] for level in levels))

    def _new(self, found: Iterable[Finding]) -> Iterator[Finding]:
        noted = self.found.note(found)
        if self._baseline is None:
            yield from noted
            return
        for finding in noted:
            if self._baseline.takes(finding):
                self.known += 1
            else:
                self.by_level[finding.level] += 1
                yield finding

    def _check(self, source: str, progress: Progress) -> Findings:
        def seen(record: DocumentRecord) -> None:
            self._see(record, progress)

        wishes = self._settings
        examples = wishes.max_examples
        with misuse("--select, --ignore or [check]"):
            return find(
                source,
                base=wishes.base,
                engine=self._engine,
                select=wishes.select,
                ignore=wishes.ignore,
                extend_select=wishes.extend_select,
                always=FAILURE_CODES,
                ignore_in=wishes.ignore_in,
                levels=wishes.levels,
                profile=wishes.profile,
                rules=wishes.rules,
                max_excerpts=sys.maxsize if examples is None else examples,
                seen=seen,
                rule_timeout_s=self._rule_timeout_s,
                **self._network._asdict(),
            )

    def _see(self, record: DocumentRecord, progress: Progress) -> None:
        """Tell of a document that was read; findings come when all are."""
        self._seen += 1
        self._entries += record.entries
        if record.error:
            self._failed = [*self._failed[-2:], f"failed: {record.source}: {record.error}"]
        counts = count_of(self._seen, "document"), count_of(self._entries, "entry", "entries")
        progress.update(f"{', '.join(counts)} · {record.source or 'stdin'}", self._failed)

    def _count(self, found: Findings) -> None:
        self.found.note_counted(found.not_given)
        if self._baseline is None:  # with the true counts, also of what is not given
            self.by_level.update(found.by_level)
            self.omitted.update(found.omitted)
        else:
            self._count_new(found.not_given)
        for record in found.documents:
            if record.failure is not None and record.failure != "stream":
                self.failures.append(f"{record.source}: {record.error}")
            if record.kind is not None:
                self.documents.append(record._replace(problems=()))

    def _count_new(self, not_given: Mapping[FindingKey, int]) -> None:
        """Count what is not given as new or known, as far as numbers tell."""
        assert self._baseline is not None
        new = self._baseline.take_counted(not_given)
        for told, count in new.items():
            self.by_level[told.level] += count
            self.omitted[told.code] += count
        self.known += sum(not_given.values()) - new.total()
