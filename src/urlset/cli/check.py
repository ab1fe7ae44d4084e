"""``urlset check``: what is wrong with sitemaps, and where."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from urlset.checker import Finding
from urlset.cli.check_config import CheckConfig, settings_of
from urlset.cli.check_run import CheckRun
from urlset.cli.colour import painter
from urlset.cli.console import Progress, complain_each, count_of, print_info
from urlset.cli.fix_run import mend
from urlset.cli.network import (
    AuthFile,
    Concurrency,
    Delay,
    Headers,
    IgnoreRobots,
    Timeout,
    UserAgent,
    network_of,
)
from urlset.cli.options import (
    BaseUrl,
    EngineOption,
    MisuseError,
    Output,
    Quiet,
    Sources,
    time_limit,
)
from urlset.cli.sink import Sink
from urlset.cli.version import version_of_urlset
from urlset.reporter import (
    count_by_rule,
    report_github,
    report_json,
    report_junit,
    report_sarif,
    report_statistics,
    report_statistics_json,
    report_text,
    summary,
)
from urlset.store import RULE_S

__all__ = ["check"]

MAX_LISTED = 20
"""Documents of which only the form was checked that are named."""


class ReportFormat(StrEnum):
    """How findings are written."""

    text = "text"
    json = "json"
    github = "github"
    sarif = "sarif"
    junit = "junit"


class FailLevel(StrEnum):
    """The least level that makes the exit code 1, from the worst."""

    error = "error"
    warning = "warning"
    info = "info"


class ProfileName(StrEnum):
    """The engines that have rules of their own."""

    google = "google"
    bing = "bing"
    yandex = "yandex"
    baidu = "baidu"


Names = list[str] | None


def check(
    sources: Sources,
    select: Annotated[
        Names,
        typer.Option(metavar="RULES", help="Only these: names or codes, X for all X…, by commas."),
    ] = None,
    ignore: Annotated[
        Names, typer.Option(metavar="RULES", help="Not these; the longer code wins.")
    ] = None,
    extend_select: Annotated[
        Names, typer.Option(metavar="RULES", help="These, too; some are off by default.")
    ] = None,
    profile: Annotated[
        ProfileName | None, typer.Option(help="Also the rules of one search engine.")
    ] = None,
    format: Annotated[ReportFormat, typer.Option(help="How to write.")] = ReportFormat.text,
    output: Output = None,
    fail_level: Annotated[
        FailLevel | None,
        typer.Option(help="Exit with 1 for findings of this level or worse.  [default: error]"),
    ] = None,
    statistics: Annotated[
        bool,
        typer.Option("--statistics", help="Only how many findings each rule has; text and json."),
    ] = False,
    max_examples: Annotated[
        int | None,
        typer.Option(
            min=0, metavar="N", help="Shown of each rule by text and github; 0: all.  [default: 20]"
        ),
    ] = None,
    baseline: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Tell only what is not in this baseline.")
    ] = None,
    write_baseline: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write all findings there as the baseline.")
    ] = None,
    rule_timeout: Annotated[
        float | None,
        typer.Option(
            min=0,
            metavar="SECONDS",
            help="Time limit of each rule of the configuration; 0 for none.  [default: 60]",
        ),
    ] = None,
    fix: Annotated[
        bool, typer.Option("--fix", help="Mend the files where that is safe, then check them.")
    ] = False,
    unsafe_fixes: Annotated[
        bool,
        typer.Option(
            "--unsafe-fixes", help="With --fix: also where something is taken for granted."
        ),
    ] = False,
    backup: Annotated[
        bool | None,
        typer.Option(
            "--backup/--no-backup",
            show_default=False,
            help="With --fix: keep each file that is replaced as NAME.bak.  [default: unless git "
            "has it]",
        ),
    ] = None,
    diff: Annotated[
        bool, typer.Option("--diff", help="Show what --fix would change, and change nothing.")
    ] = False,
    config: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Configuration; by default the urlset.toml above here."),
    ] = None,
    user_agent: UserAgent = None,
    header: Headers = None,
    auth_file: AuthFile = None,
    delay: Delay = None,
    concurrency: Concurrency = None,
    timeout: Timeout = None,
    ignore_robots: IgnoreRobots = False,
    base_url: BaseUrl = None,
    engine: EngineOption = None,
    quiet: Quiet = False,
) -> None:
    """Check sitemaps; tell what is wrong, where, and what to do.

    Checks what `urlset read` reads: sites, files, folders, an index with its children. Exits
    with 1 where there are errors (`--fail-level`), with 2 where nothing could be read. A document
    that cannot be read is a finding, too. `urlset rules` lists the rules; json is an
    array of {rule, code, level, message, source, line, column, loc, fix}. A folder or a file is
    checked as if it lay at --base-url (a file: below it, if that ends with a slash), with the
    robots.txt beside it.

    \b
    Examples:
      urlset check https://example.com
      urlset check public/ --base-url https://example.com/
      urlset check sitemap.xml --ignore T003,utf8-bom --fail-level warning
      urlset check sitemap.xml --select X --format json
      urlset check sitemap.xml --diff
      urlset check public/ --fix
      urlset check public/ --statistics
      urlset check public/ --write-baseline known.json
      urlset check public/ --baseline known.json --format github
    """  # noqa: D301 - the \b keeps the lines of the examples
    if statistics and format not in ("text", "json"):
        raise MisuseError(f"--statistics: expected --format text or json, found {format}")
    network = network_of(
        user_agent=user_agent,
        headers=header,
        auth_file=auth_file,
        delay=delay,
        concurrency=concurrency,
        timeout=timeout,
        ignore_robots=ignore_robots,
    )
    settings = settings_of(
        config,
        select=select,
        ignore=ignore,
        extend_select=extend_select,
        profile=profile,
        fail_level=fail_level,
        max_examples=max_examples,
        baseline=baseline,
        base_url=base_url,
    )
    if write_baseline is not None:  # all that is found goes into it, whatever was known
        settings = settings._replace(baseline=None)
    if fix or unsafe_fixes or diff:
        mend(
            sources,
            settings,
            engine,
            is_fixed=fix,
            is_unsafe=unsafe_fixes,
            is_diff=diff,
            backup=backup,
            is_quiet=quiet,
        )
    elif backup is not None:
        raise MisuseError("--backup, --no-backup: expected --fix with it")
    run = CheckRun(settings, network, engine, rule_timeout_s=time_limit(rule_timeout, RULE_S))
    with Sink(output) as sink, Progress(is_shown=not (sink.is_terminal or quiet)) as progress:
        findings = run.findings(sources, progress)
        report = (
            _count_by_rule(format, findings, run, sink)
            if statistics
            else _report(format, findings, run, settings, sink)
        )
        for text in report:
            sink.write(f"{text}\n", is_markup=format == "text")
        if format == "text" and run.documents and not (quiet or statistics):
            paint = painter(is_shown=sink.is_stdout)
            sink.write(f"{paint(summary(run.by_level, run.documents))}\n", is_markup=True)
        is_shown = format == "text" and sink.is_stdout and not statistics
    say = (lambda _: None) if quiet else print_info
    if not is_shown:
        complain_each(run.failures)
    elif (ignored := len(run.failures) - run.reported_failures) > 0:
        say(f"{count_of(ignored, 'document')} could not be read, ignored or known to the baseline")
    if not run.documents:
        raise typer.Exit(2)
    if run.omitted and format != "text":
        more = count_of(run.omitted.total(), "more finding")
        say(f"{more} not listed: 10,000 of a rule are")
    for source, code in list(run.partly_checked.items())[:MAX_LISTED]:
        say(
            f"{source}: only its form was checked, because of {code}[{run.rules[code].name}]; "
            "other findings come when that is fixed"
        )
    if run.known:
        say(f"{count_of(run.known, 'finding')} known to the baseline, and not listed")
    if write_baseline is not None:
        run.found.write(write_baseline)
        say(f"{count_of(len(run.found), 'finding')} in the baseline {str(write_baseline)!r}")
        raise typer.Exit(0)
    raise typer.Exit(run.exit_code())


def _report(
    format_: ReportFormat,
    findings: Iterator[Finding],
    run: CheckRun,
    settings: CheckConfig,
    sink: Sink,
) -> Iterator[str]:
    examples = settings.max_examples
    if format_ == "json":
        yield from report_json(findings)
    elif format_ == "sarif":
        yield from report_sarif(findings, version=version_of_urlset(), rules=run.rules)
    elif format_ == "github":
        yield from report_github(findings, max_examples=examples)
    elif format_ == "junit":
        yield from report_junit(findings, run.documents, fail_level=settings.fail_level)
    else:
        paint = painter(is_shown=sink.is_stdout)
        width = max(40, shutil.get_terminal_size((80, 24)).columns)
        lines = report_text(findings, max_examples=examples, omitted=run.omitted, width=width)
        yield from map(paint, lines)


def _count_by_rule(
    format_: ReportFormat, findings: Iterator[Finding], run: CheckRun, sink: Sink
) -> Iterator[str]:
    counts = count_by_rule(findings, run.omitted, run.rules)
    if format_ == "json":
        yield from report_statistics_json(counts)
    else:
        paint = painter(is_shown=sink.is_stdout)
        yield from map(paint, report_statistics(counts))
