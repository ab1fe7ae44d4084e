"""Check the sources of urlset check: findings, counts, the report."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from urlset.checker import (
    FAILURE_CODES,
    Baseline,
    Finding,
    Findings,
    Rule,
    catalogue_with,
    failed_source,
    levels_from,
    rules_named,
    selector,
)
from urlset.checker import check as find
from urlset.checker.evaluate import FindingKey, Tally
from urlset.checker.finding import CountedFindings
from urlset.cli.console import Progress, print_info
from urlset.cli.options import NetworkOptions, as_usage_error, configuration, given_options
from urlset.errors import SourceError
from urlset.model import Level, ProgressEvent
from urlset.option_schema.check import CHECK_OPTIONS
from urlset.reader import DocumentRecord
from urlset.store import StoreSession, end_process_when_stuck
from urlset.terminal_text import pluralize

PARTLY_READ = ("X002", "X009")
"""Rules about damaged documents. Most other rules skip these: a part may be misread."""


class CheckConfig(NamedTuple):
    """Options of a check, from the configuration and the command line.

    Attributes:
        options: Options of :func:`urlset.check`.
        fail_level: The least severe level that makes the exit code 1.
        max_examples: Findings of each rule that a report shows; None for all.
        baseline: File of the known findings; None for none.
        segments: Names of parts of a site, with their SQL conditions.
    """

    options: Mapping[str, Any]
    fail_level: Level = "error"
    max_examples: int | None = 20
    baseline: Path | None = None
    segments: Mapping[str, str] = MappingProxyType({})

    @classmethod
    def load(cls, file: Path | None, values: Mapping[str, Any]) -> CheckConfig:
        """Combine the configuration with the options of the command line, which take precedence."""
        config = configuration(file)
        options = config.check | config.report | given_options(values, CHECK_OPTIONS)
        return cls(
            fail_level=options.pop("fail_level", "error"),
            max_examples=options.pop("max_examples", 20) or None,
            baseline=options.pop("baseline", None),
            options=options,
            segments=config.segments,
        )

    @property
    def failing_levels(self) -> tuple[Level, ...]:
        """The levels whose findings make the exit code 1."""
        return levels_from(self.fail_level)

    @property
    def rules(self) -> dict[str, Rule]:
        """All rules by code, including custom ones."""
        with as_usage_error("check"):
            return catalogue_with(self.options.get("rules", ()), self.options.get("levels", {}))


class CheckRun(CountedFindings):
    """Check of several sources.

    The totals are complete when :meth:`findings` is exhausted.

    Attributes:
        rules: The rules, with custom ones, by code.
        omitted: Number of new findings, by code, that are counted but not yielded.
        known: Number of findings that are in the baseline.
        documents: The documents that were read.
        incomplete: Sources and documents that could not be read completely, with the reason.
        failures: Messages about documents that could not be read, also if that rule is ignored.
        reported_failures: Number of yielded findings about documents that could not be read.
        partly_checked: Code of the rule for which only the form of a document was checked, by
            document.
        found: All findings that were yielded or counted, for a new baseline.
        observe: Called with each source and its tables when its findings are yielded.
    """

    known: int = 0
    incomplete: tuple[str, ...] = ()

    def __init__(self, config: CheckConfig, network: NetworkOptions):
        self._tally: Tally = Counter()
        self.omitted: Counter[str] = Counter()
        self.documents: list[DocumentRecord] = []
        self.failures: list[str] = []
        self.reported_failures: int = 0
        self.partly_checked: dict[str, str] = {}
        self.found: Baseline = Baseline()
        self.observe: Callable[[str, StoreSession], object] = lambda _source, _tables: None
        self._read_documents = self._read_entries = 0
        self._latest_failures: list[str] = []
        self._settings = config
        self._baseline = Baseline.of(config.baseline)
        self._network = network
        options = config.options
        if options.get("rules"):
            end_process_when_stuck()
        rules = config.rules
        with as_usage_error("check"):
            self._selected = selector(
                options.get("select"),
                options.get("ignore", ()),
                options.get("extend_select", ()),
                profile=options.get("profile"),
                rules=rules,
                ignore_in=options.get("ignore_in", {}),
                always=FAILURE_CODES,
            )
        self.rules: dict[str, Rule] = {c: rule for c, rule in rules.items() if not rule.is_live}
        names = (*(options.get("select") or ()), *options.get("extend_select", ()))
        for name in dict.fromkeys(names):
            if all(rules[code].is_live for code in rules_named(name, rules)):
                print_info(f"{name}: not checked, because it needs `urlset audit`")

    @property
    def tally(self) -> Tally:
        """Number of new findings by rule, level and document."""
        return self._tally

    def findings(self, sources: Sequence[str], progress: Progress) -> Iterator[Finding]:
        """Yield the new findings in all sources; if one fails, the others are still checked."""
        for source in sources:
            try:
                found = self._check(source, progress)
                new = found.observed(partial(self.observe, source))
                yield from self._counted(self._recorded(new))
            except SourceError as error:
                yield from self._counted(self._report_failure(source, error))
                continue
            self._count(found)

    def _recorded(self, findings: Iterable[Finding]) -> Iterator[Finding]:
        """Yield findings, and add them to the new baseline."""
        for finding in findings:
            self.found.add(finding)
            yield finding

    def _counted(self, findings: Iterable[Finding]) -> Iterator[Finding]:
        """Yield findings; count those about documents that could not be read in full."""
        for finding in findings:
            if finding.code in PARTLY_READ and finding.source not in self.partly_checked:
                self.partly_checked[finding.source or "<bytes>"] = finding.code
            self.reported_failures += finding.code in FAILURE_CODES and finding.level != "info"
            yield finding

    def _report_failure(self, source: str, error: SourceError) -> Iterator[Finding]:
        """Yield a finding about a source that could not be read."""
        self.failures.append(str(error))
        self.incomplete += (str(error),)
        if ":" in source:  # the URL of a site, or of another scheme
            from urlset.http import without_secrets

            source = without_secrets(source)
        options = self._settings.options
        finding = failed_source(source, error, self.rules, self._selected)
        if finding is None or finding.level not in levels_from(options.get("min_level", "info")):
            return
        if self._baseline is not None and self._baseline.match(finding):
            self.known += 1
            return
        self._tally[FindingKey(finding.code, finding.level, source)] += 1
        yield from self._recorded([finding])

    def exit_code(self) -> int:
        """Return 1 if there are findings of the fail level or worse, else 0."""
        return int(any(self.by_level[level] for level in self._settings.failing_levels))

    def _check(self, source: str, progress: Progress) -> Findings:
        documents, entries = self._read_documents, self._read_entries

        def on_progress(event: ProgressEvent) -> None:
            self._read_documents = documents + event.documents
            self._read_entries = entries + event.urls
            self._report_progress(event, progress)

        examples = self._settings.max_examples
        with as_usage_error("check"):
            return find(
                source,
                always=FAILURE_CODES,
                max_excerpts=sys.maxsize if examples is None else examples,
                progress=on_progress,
                baseline=self._baseline,
                **self._settings.options,
                **self._network._asdict(),
            )

    def _report_progress(self, event: ProgressEvent, progress: Progress) -> None:
        """Update the progress display after a document was read."""
        if event.error:
            failure = f"failed: {event.source}: {event.error}"
            self._latest_failures = [*self._latest_failures[-2:], failure]
        documents = pluralize(self._read_documents, "document")
        entries = pluralize(self._read_entries, "entry", "entries")
        name = event.source or "stdin"
        progress.update(f"{documents}, {entries} · {name}", self._latest_failures)

    def _count(self, found: Findings) -> None:
        self.found.record_counted(found.unlisted)
        self._tally.update(found.tally)
        self.incomplete += found.incomplete
        self.omitted.update(found.omitted)
        self.known += found.known
        self._baseline = found.unmatched
        for record in found.documents:
            if record.failure not in (None, "stream", "cycle"):  # a rule reports a cycle
                self.failures.append(f"{record.source}: {record.error}")
            if record.kind is not None:
                self.documents.append(record._replace(problems=()))
