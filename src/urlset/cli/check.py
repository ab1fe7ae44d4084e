"""``urlset check``: what is wrong with sitemaps, and where."""

from __future__ import annotations

import shutil
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Annotated

import typer

from urlset.checker import Finding, Findings
from urlset.checker import check as find
from urlset.cli.colour import painter
from urlset.cli.network import (
    AuthFile,
    Concurrency,
    Delay,
    Headers,
    IgnoreRobots,
    Network,
    Timeout,
    UserAgent,
    network_of,
)
from urlset.cli.options import BaseUrl, EngineOption, Output, Sources, misuse
from urlset.cli.sink import Sink
from urlset.cli.talk import Progress, complain_each, count_of, note
from urlset.cli.version import version_of_urlset
from urlset.errors import SourceError
from urlset.model import Level
from urlset.reader import DocumentRecord
from urlset.reporter import report_github, report_json, report_sarif, report_text, summary
from urlset.rules import RULES

__all__ = ["check"]


class ReportFormat(StrEnum):
    """How findings are written."""

    text = "text"
    json = "json"
    github = "github"
    sarif = "sarif"


class FailLevel(StrEnum):
    """The least level that makes the exit code 1, from the worst."""

    error = "error"
    warning = "warning"
    info = "info"


def check(
    sources: Sources,
    select: Annotated[
        list[str] | None,
        typer.Option(metavar="RULES", help="Only these: names or codes, X for all X…, by commas."),
    ] = None,
    ignore: Annotated[
        list[str] | None, typer.Option(metavar="RULES", help="Not these; the longer code wins.")
    ] = None,
    format: Annotated[ReportFormat, typer.Option(help="How to write.")] = ReportFormat.text,
    output: Output = None,
    fail_level: Annotated[
        FailLevel, typer.Option(help="Exit with 1 for findings of this level or worse.")
    ] = FailLevel.info,
    max_examples: Annotated[
        int, typer.Option(min=0, metavar="N", help="Shown of each rule by text and github; 0: all.")
    ] = 20,
    user_agent: UserAgent = None,
    header: Headers = None,
    auth_file: AuthFile = None,
    delay: Delay = None,
    concurrency: Concurrency = None,
    timeout: Timeout = None,
    ignore_robots: IgnoreRobots = False,
    base_url: BaseUrl = None,
    engine: EngineOption = None,
) -> None:
    """Check sitemaps, and tell what is wrong with line, column and what to do.

    Checks what `urlset read` reads: sites, files, folders, an index with its children. Exits
    with 0 where there is nothing to tell and with 1 where there are findings. `urlset rules`
    lists the rules; json is an array of {rule, code, level, message, source, line, column,
    loc, fix}.

    \b
    Examples:
      urlset check https://example.com
      urlset check sitemap.xml
      urlset check public/ --ignore T003,utf8-bom --fail-level warning
      urlset check sitemap.xml --select X --format json
      urlset check public/ --format github
    """  # noqa: D301 - the \b keeps the lines of the examples
    network = network_of(
        user_agent=user_agent,
        headers=header,
        auth_file=auth_file,
        delay=delay,
        concurrency=concurrency,
        timeout=timeout,
        ignore_robots=ignore_robots,
    )
    run = _Run(
        base_url, engine, _names(select), _names(ignore) or [], max_examples or None, network
    )
    with Sink(output) as sink, Progress(is_shown=not sink.is_terminal) as progress:
        findings = run.findings(sources, progress)
        for text in _report(format, findings, run, sink):
            sink.write(f"{text}\n", is_markup=format == "text")
        complain_each(run.failures)
        if not run.documents:
            raise typer.Exit(2)  # within: what lies at --output is better than nothing at all
    if run.omitted and format != "text":
        note(f"{run.omitted.total():,} more findings are not listed: 10,000 of a rule are")
    raise typer.Exit(run.exit_code(fail_level))


class _Run:
    """One check of several sources, and its totals."""

    def __init__(
        self,
        base: str | None,
        engine: str | None,
        select: list[str] | None,
        ignore: list[str],
        max_examples: int | None,
        network: Network,
    ):
        self.by_level: Counter[Level] = Counter()
        self.omitted: Counter[str] = Counter()
        self.documents: list[DocumentRecord] = []
        self.failures: list[str] = []
        self.max_examples = max_examples
        self._seen = self._entries = 0
        self._failed: list[str] = []
        self._base = base
        self._engine = engine
        self._select = select
        self._ignore = ignore
        self._network = network

    def findings(self, sources: Sequence[str], progress: Progress) -> Iterator[Finding]:
        """The findings in all sources; where one fails, the others are checked nevertheless."""
        for source in sources:
            try:
                found = self._check(source, progress)
                for finding in found:
                    self.by_level[finding.level] += 1
                    yield finding
            except SourceError as error:
                self.failures.append(str(error))
                continue
            self._count(found)

    def exit_code(self, fail_level: str) -> int:
        """1 for findings that are bad enough, or for a part that failed."""
        levels = list(FailLevel)[: list(FailLevel).index(FailLevel(fail_level)) + 1]
        return int(bool(self.failures) or any(self.by_level[level.value] for level in levels))

    def _check(self, source: str, progress: Progress) -> Findings:
        def seen(record: DocumentRecord) -> None:
            self._see(record, progress)

        with misuse("--select or --ignore"):
            return find(
                source,
                base=self._base,
                engine=self._engine,
                select=self._select,
                ignore=self._ignore,
                max_excerpts=sys.maxsize if self.max_examples is None else self.max_examples,
                seen=seen,
                **self._network._asdict(),
            )

    def _see(self, record: DocumentRecord, progress: Progress) -> None:
        """Tell of a document that was read; its own findings are still to come."""
        self._seen += 1
        self._entries += record.entries
        if record.error:
            self._failed = [*self._failed[-2:], f"failed: {record.source}: {record.error}"]
        counts = (
            count_of(self._seen, "document"),
            count_of(self._entries, "entry", "entries"),
            count_of(self.by_level.total(), "finding"),
        )
        progress.update(f"{', '.join(counts)} · {record.source or 'stdin'}", self._failed)

    def _count(self, found: Findings) -> None:
        for code, count in found.omitted.items():
            self.omitted[code] += count
            self.by_level[RULES[code].level] += count
        for record in found.documents:
            is_cut = record.fetched is not None and not record.fetched.is_whole
            if record.error and (record.kind is None or is_cut):
                self.failures.append(f"{record.source}: {record.error}")
            if record.kind is not None:
                self.documents.append(record._replace(problems=()))


def _report(
    format_: ReportFormat, findings: Iterator[Finding], run: _Run, sink: Sink
) -> Iterator[str]:
    if format_ == "json":
        yield from report_json(findings)
    elif format_ == "sarif":
        yield from report_sarif(findings, version=version_of_urlset())
    elif format_ == "github":
        yield from report_github(findings, max_examples=run.max_examples)
    else:
        paint = painter(is_shown=sink.is_stdout)
        width = max(40, shutil.get_terminal_size((80, 24)).columns)
        lines = report_text(
            findings, max_examples=run.max_examples, omitted=run.omitted, width=width
        )
        yield from map(paint, lines)
        if run.documents:
            yield paint(summary(run.by_level, run.documents))


def _names(options: list[str] | None) -> list[str] | None:
    names = [name.strip() for option in options or () for name in option.split(",")]
    return [name for name in names if name] or None
