"""Run the command ``urlset check``, and write its report in the chosen format."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from urlset import reporter
from urlset.checker import Finding
from urlset.cli import console, options
from urlset.cli.check_run import CheckConfig, CheckRun
from urlset.cli.version import version_of_urlset
from urlset.option_schema.check import CHECK_OPTIONS
from urlset.terminal_text import pluralize

if TYPE_CHECKING:
    from urlset.live.audit import Audit

MAX_LISTED = 20
"""Documents that are listed as checked only in part."""


def run_check(
    *,
    sources: list[str],
    format: str,
    output: Path | None,
    statistics: bool,
    write_baseline: Path | None,
    report: Path | None,
    fix: bool,
    unsafe_fixes: bool,
    backup: bool | None,
    diff: bool,
    config: Path | None,
    network: options.NetworkOptions,
    quiet: bool,
    **given: Any,
) -> None:
    """Check or fix the sources, write what was found, and end the command with its exit code."""
    if statistics and format not in ("text", "json"):
        raise options.UsageError(f"--statistics: expected --format text or json, found {format}")
    outputs = {"output": output, "report": report, "write_baseline": write_baseline}
    options.expect_own_outputs(outputs, sources)
    options.expect_format_of(output, format, "check")
    own = {**outputs, "sources": sources, "statistics": statistics, "diff": diff}
    options.expect_effect("check", options.given_options(given, CHECK_OPTIONS) | own, own)
    settings = CheckConfig.load(config, given)
    if write_baseline is not None:  # a new baseline has all findings
        settings = settings._replace(baseline=None)
    if fix or unsafe_fixes or diff:
        from urlset.cli.fix_run import run_fix

        run_fix(
            sources,
            settings,
            is_fixed=fix,
            is_unsafe=unsafe_fixes,
            is_diff=diff,
            backup=backup,
            is_quiet=quiet,
        )
    elif backup is not None:
        raise options.UsageError("--backup, --no-backup: expected --fix, too")
    console.expect_target("--write-baseline", write_baseline)  # before the sources are read
    run = CheckRun(settings, network)
    html_report = None
    if report is not None:
        from urlset.checker.report import CheckReport

        console.expect_target("--report", report)
        html_report = CheckReport(run.rules)
        run.observe = html_report.observe
    with (
        console.Sink(output) as sink,
        console.Progress(is_shown=not (sink.is_terminal or quiet)) as progress,
    ):
        findings = run.findings(sources, progress)
        if html_report is not None:
            findings = html_report.record(findings)
        lines = report_lines(format, findings, run, settings, sink)
        if statistics:
            lines = _count_by_rule(format, findings, run, sink)
        for text in lines:
            sink.write(f"{text}\n", is_markup=format == "text")
        if format == "text" and run.documents and not (quiet or statistics):
            render = console.line_renderer(is_stdout=sink.is_stdout)
            is_complete = not run.incomplete
            line = reporter.summary(run.by_level, run.documents, is_complete=is_complete)
            sink.write(f"{render(line)}\n", is_markup=True)
        is_shown = format == "text" and sink.is_stdout and not statistics
    info = (lambda _: None) if quiet else console.print_info
    if html_report is not None and report is not None:
        for code, omitted in run.omitted.items():
            html_report.log.add_omitted(run.rules[code].level, code, omitted)
        names = ", ".join(sources[:3]) + ("…" if len(sources) > 3 else "")
        html_report.write(report, names, known=run.known)
        info(f"report written to {str(report)!r}")
    if is_shown:
        _note_ignored_failures(run, info)
    else:
        console.print_errors(run.failures)
    if not run.documents:
        raise options.Exit(2)
    _note_omissions(run, format, info)
    if write_baseline is not None:
        run.found.write(write_baseline)
        count = pluralize(len(run.found), "finding")
        info(f"{count} written to the baseline {str(write_baseline)!r}")
        raise options.Exit(0)
    raise options.Exit(run.exit_code())


def _note_ignored_failures(run: CheckRun, info: Callable[[str], None]) -> None:
    """Report documents that could not be read, and that the report does not list."""
    if (ignored := len(run.failures) - run.reported_failures) > 0:
        info(
            f"{pluralize(ignored, 'document')} could not be read; "
            "not listed, because of --ignore, --min-level or the baseline"
        )


def _note_omissions(run: CheckRun, format_: str, info: Callable[[str], None]) -> None:
    """Report findings that are not listed, and documents that were checked only in part."""
    if run.omitted and format_ != "text":
        more = pluralize(run.omitted.total(), "more finding")
        info(f"{more} not listed: the limit is 10,000 of a rule")
    for source, code in list(run.partly_checked.items())[:MAX_LISTED]:
        info(
            f"{source}: checked only in part, because of {code}[{run.rules[code].name}]; "
            "fix that and check again"
        )
    if run.known:
        info(f"{pluralize(run.known, 'finding')} in the baseline, not listed")


def report_lines(
    format_: str,
    findings: Iterable[Finding],
    run: CheckRun | Audit,
    settings: CheckConfig,
    sink: console.Sink,
) -> Iterator[str]:
    """Yield the lines of the report about findings of a check or an audit."""
    examples = settings.max_examples
    if format_ == "json":
        yield from reporter.report_json(findings, run.totals_dict)
    elif format_ == "sarif":
        yield from reporter.report_sarif(findings, version=version_of_urlset(), rules=run.rules)
    elif format_ == "github":
        yield from reporter.report_github(findings, max_examples=examples, omitted=run.omitted)
    elif format_ == "junit":
        yield from reporter.report_junit(
            findings,
            run.documents,
            fail_level=settings.fail_level,
            incomplete=lambda: run.incomplete,
        )
    else:
        render = console.line_renderer(is_stdout=sink.is_stdout)
        lines = reporter.report_text(
            findings, max_examples=examples, omitted=run.omitted, width=console.terminal_width()
        )
        yield from map(render, lines)


def _count_by_rule(
    format_: str, findings: Iterator[Finding], run: CheckRun, sink: console.Sink
) -> Iterator[str]:
    counts = reporter.count_by_rule(findings, run.omitted, run.rules)
    if format_ == "json":
        yield from reporter.report_statistics_json(counts, run.totals_dict())
    else:
        render = console.line_renderer(is_stdout=sink.is_stdout)
        yield from map(render, reporter.report_statistics(counts))
