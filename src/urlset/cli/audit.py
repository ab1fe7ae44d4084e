"""The command ``urlset audit``: visit the pages that sitemaps list, and report what is wrong."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from urlset.cli import console, options
from urlset.option_schema.visits import AUDIT_OPTIONS
from urlset.terminal_text import pluralize

if TYPE_CHECKING:
    from urlset.cli.check_run import CheckConfig
    from urlset.live.audit import Audit

INTERRUPTED = 130


def audit(
    *,
    source: str,
    store: Path | None,
    report: Path | None,
    format: str,
    output: Path | None,
    write_baseline: Path | None,
    network: options.NetworkOptions,
    config: Path | None,
    quiet: bool,
    **given: Any,
) -> None:
    """Visit the pages that sitemaps list, and report what is wrong with them.

    A response of a firewall, a rate limit or an overloaded server (401, 403, 429, 5xx …) is not an
    error of the page: the page is visited again, more slowly, and is unknown if that fails, too.

    Ctrl-C ends the visits; what was found is reported, and with --store the same command continues.
    Exit codes: 0 no errors; 1 findings of --fail-level or worse (N001 if a sitemap could not be
    read), no visit could be judged, or no listed URL is selected; 2 nothing could be read; 130
    after Ctrl-C. A page that could not be judged is the finding N116, of the level info. A limit of
    yours, such as --max-requests, changes no exit code if a listed URL was
    visited before it. The rules are those of group N and some of P and R: `urlset rules N`. json is
    that of `urlset check`, and has listed, sampled, visited, verdicts (counted) and estimates (of a
    sample); basis is observed, complete, sampled or unknown.

    \b
    Examples:
      urlset audit https://example.com
      urlset audit https://example.com --sample 1000 --delay 1
      urlset audit https://example.com --crawl --report report.html
      urlset audit sitemap.xml --base-url https://example.com/ --format json
      urlset audit https://example.com --store site.duckdb --fail-level warning
      urlset audit https://example.com --logs access.log --logs access.log.1.gz
    """  # noqa: D301 - the \b keeps the lines of the examples
    outputs = {"store": store, "output": output, "report": report, "write_baseline": write_baseline}
    options.expect_own_outputs(outputs, [source, *(given.get("logs") or ())])
    options.expect_format_of(output, format, "audit")
    from urlset.cli.check_run import CheckConfig
    from urlset.store import end_process_when_stuck

    config_options = CheckConfig.load(config, given)
    if write_baseline is not None:  # a new baseline has all findings
        config_options = config_options._replace(baseline=None)
    if config_options.options.get("rules"):
        end_process_when_stuck()
    settings = options.given_options(given, AUDIT_OPTIONS, where="python")
    options.expect_effect("audit", settings, {**settings, "sources": [source]})
    settings |= {**config_options.options, **network._asdict()}
    settings["segments"] = config_options.segments
    if "crawl" in settings and "sample" in settings:
        raise options.UsageError("--sample: expected no --crawl, which visits all pages")
    console.expect_target("--report", report)
    console.expect_target("--write-baseline", write_baseline)
    if not quiet:
        options.note_ignored_robots(network)
    from urlset.checker import Baseline
    from urlset.live.audit import audit as run_audit

    settings["baseline"] = Baseline.of(config_options.baseline)
    with console.Sink(output) as sink:
        with console.Progress(is_shown=not quiet) as progress, options.as_usage_error("audit"):
            settings["progress"] = lambda event: progress.update(
                f"{event.urls:,} responses · {event.source or ''}"
            )
            try:
                found = run_audit(source, store=store, **settings)
            except KeyboardInterrupt:
                console.print_info(_how_to_continue(store))
                raise
        with found:
            code = _print(found, sink, config_options, format, write_baseline, is_quiet=quiet)
            console.write_report(found, report, is_quiet=quiet)
            if found.is_interrupted:
                console.print_info(_how_to_continue(store))
    raise options.Exit(code)


def _how_to_continue(store: Path | None) -> str:
    """Return a message after an interruption: what was stored, and how to continue."""
    if store is None:
        return (
            "Interrupted: the pages visited so far are not kept; with --store FILE, the same "
            "command continues an interrupted audit"
        )
    return f"Interrupted: the pages visited so far are in {store}; the same command continues"


def _print(
    found: Audit,
    sink: console.Sink,
    config: CheckConfig,
    format_: str,
    write_baseline: Path | None,
    *,
    is_quiet: bool,
) -> int:
    """Write the findings and the summary; return the exit code."""
    from urlset.checker import Baseline
    from urlset.cli.check_report import report_lines

    for text in report_lines(format_, found.findings, found, config, sink):
        sink.write(f"{text}\n", is_markup=format_ == "text")
    if format_ == "text":
        for line in (found.summary, *found.notes):
            sink.write(f"{line}\n")
    elif not is_quiet:
        console.print_info(found.summary)
    else:
        console.print_incomplete(found.incomplete)
    if found.known and not is_quiet:
        console.print_info(f"{pluralize(found.known, 'finding')} in the baseline, not listed")
    if write_baseline is not None and found.is_interrupted:
        console.print_info(f"the baseline {str(write_baseline)!r} was not written")
    elif write_baseline is not None:
        record = Baseline()
        record.record(found.findings)
        record.record_counted(found.unlisted)
        record.write(write_baseline)
        console.print_info(
            f"{pluralize(len(record), 'finding')} written to the baseline {str(write_baseline)!r}"
        )
        return 0
    if found.is_interrupted:
        return INTERRUPTED
    if found.is_blind:
        return 1
    return int(any(found.by_level[level] for level in config.failing_levels))
