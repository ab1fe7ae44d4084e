"""The command ``urlset diff``: compare two states of a site."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from urlset.change_limit import ChangeLimit
from urlset.cli import console, options
from urlset.option_schema.read import DIFF_OPTIONS

if TYPE_CHECKING:
    from urlset.live.diff import Diff


def diff(
    *,
    before: str,
    after: str,
    format: str,
    output: Path | None,
    report: Path | None,
    exit_code: bool,
    max_examples: int,
    network: options.NetworkOptions,
    config: Path | None,
    quiet: bool,
    **given: Any,
) -> None:
    """Compare two states of a site: added, removed, changed and moved URLs.

    Moved URLs are found by content, title, id and name, and with --live by the redirects of
    removed ones. A failure is not a removal: URLs of a sitemap that cannot be read are unknown.

    Exit codes: 0 compared, also with changes; 1 a limit such as --max-removed is exceeded, a
    sitemap could not be read, no URL is selected, or with --exit-code there are changes; 2 a state
    cannot be read. The limits and other options can be set in the section [diff] of urlset.toml.

    \b
    Examples:
      urlset diff old/sitemap.xml new/sitemap.xml
      urlset diff https://example.com public/ --base-url https://example.com/
      urlset diff HEAD~1:public/ public/ --format markdown
      urlset diff monday.duckdb friday.duckdb --format jsonl -o changes.jsonl
      urlset diff https://example.com public/ --max-removed 5%
      urlset diff old/ new/ --include /shop/ --exclude "[?]"
      urlset diff old.csv https://example.com --live --report diff.html
    """  # noqa: D301 - the \b keeps the lines of the examples
    if before == after == "-":
        raise options.UsageError("expected one source from stdin, found two")
    options.expect_own_outputs({"output": output, "report": report}, [before, after])
    options.expect_format_of(output, format, "diff")
    console.expect_target("--report", report)
    found_config = options.configuration(config)
    from_line = options.given_options(given, DIFF_OPTIONS)
    settings = found_config.diff | found_config.diff_limits | from_line
    own = {"sources": [before, after], "format": format, "max_examples": max_examples}
    # The live check may visit a private host that --base-url names, whatever the sources are.
    given_here = {x: y for x, y in from_line.items() if x != "base_url" or not settings.get("live")}
    options.expect_effect("diff", given_here | own, settings | own)
    limits = {
        name.removeprefix("max_"): _limit(name, settings.pop(name))
        for name in ("max_removed", "max_added", "max_changed")
        if name in settings
    }
    from urlset.live.diff import diff as compare

    with console.Sink(output) as sink:
        with console.Progress(is_shown=not quiet) as progress, options.as_usage_error("diff"):
            settings |= network._asdict()
            settings["progress"] = lambda event: progress.update(f"{event}: {event.source or ''}")
            found = compare(before, after, **settings)
        with found:
            _print(found, sink, format, max_examples or sys.maxsize)
            console.write_report(found, report, is_quiet=quiet)
            has_data = not sink.is_stdout or format in ("json", "jsonl")
            if has_data and quiet:
                console.print_incomplete(found.incomplete)
            elif has_data:
                console.print_info(found.summary)
            code = _exit_code(found, limits, has_exit_code=exit_code)
    raise options.Exit(code)


def _print(found: Diff, sink: console.Sink, format_: str, max_examples: int) -> None:
    if format_ == "json":
        sink.write(f"{console.json_text(found.to_dict())}\n")
    elif format_ == "jsonl":
        for line in found.jsonl():
            sink.write(line)
    elif format_ == "markdown":
        sink.write(found.to_markdown(max_examples=max_examples))
    else:
        from urlset.live.diff.text import report_diff

        render = console.line_renderer(is_stdout=sink.is_stdout)
        for spans in report_diff(found, max_examples=max_examples, width=console.terminal_width()):
            sink.write(f"{render(spans)}\n", is_markup=True)


def _limit(name: str, text: str) -> ChangeLimit:
    try:
        return ChangeLimit.parse(text)
    except ValueError as error:
        raise options.UsageError(f"--{name.replace('_', '-')}: {error}") from error


def _exit_code(found: Diff, limits: dict[str, ChangeLimit], *, has_exit_code: bool) -> int:
    counts = found.counts
    is_exceeded = False
    for kind, limit in limits.items():
        count = getattr(counts, kind)
        if limit.is_exceeded(count, counts.before):
            is_exceeded = True
            what = f"{count:,} of {counts.before:,} URLs are {kind}"
            if kind == "added":
                what = f"{count:,} URLs are added to {counts.before:,}"
            console.print_error(f"{what}, more than --max-{kind} {limit.text}")
    is_failed = is_exceeded or not found.is_complete or found.is_none_selected
    return int(is_failed or (has_exit_code and len(found) > 0))
