"""Write the findings of a check as one HTML file."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime

from urlset import html_report
from urlset.checker.finding import Finding
from urlset.checker.rule import Rule, rule_texts
from urlset.store import StoreSession


class CheckReport:
    """HTML report of one or more sources: record findings and tables, then write the file.

    ``log`` has the findings so far.
    """

    def __init__(self, rules: Mapping[str, Rule]):
        self.log: html_report.ExampleLog = html_report.ExampleLog()
        self._rules = rules
        self._figures: list[html_report.SourceFigures] = []

    def record(self, findings: Iterable[Finding]) -> Iterator[Finding]:
        """Yield the findings unchanged and record them."""
        return self.log.record(findings)

    def observe(self, source: str, tables: StoreSession) -> None:
        """Take the figures of a source from its tables, when its findings were yielded."""
        self._figures.append(html_report.take_figures(tables, source))

    def write(
        self,
        path: str | os.PathLike[str],
        site: str,
        *,
        known: int = 0,
        moment: datetime | None = None,
    ) -> None:
        """Write the file, replacing an existing one; raise TargetError if that is impossible.

        ``site`` is what was checked, ``known`` the number of findings of the baseline, which were
        not recorded, and ``moment`` the time of the check; None is now.
        """
        report = html_report.ReportInput(
            kind="check",
            site=site,
            moment=moment or datetime.now(UTC),
            log=self.log,
            rules=rule_texts(self._rules),
            sources=self._figures,
            known=known,
        )
        html_report.write_html_report(report, path)
