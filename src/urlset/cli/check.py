"""The command ``urlset check``: report problems in sitemaps, and fix them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from urlset.cli.options import (
    NetworkOptions,
    UsageError,
    expect_format_of,
    expect_own_outputs,
)


def check(
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
    network: NetworkOptions,
    quiet: bool,
    **options: Any,
) -> None:
    """Check sitemaps: report each problem, where it is and how to fix it.

    Checks what `urlset read` reads: sites, files, folders, indexes with their children. A document
    that cannot be read is a finding, too. Exit codes: 0 no errors, 1 findings of --fail-level or
    worse, 2 nothing could be read.

    `urlset rules` lists the rules. json is an array of {rule, code, level, message, source, line,
    column, loc, fix}. With --base-url, a folder or a file is checked as if it were published there;
    the robots.txt next to it is used.

    \b
    Examples:
      urlset check https://example.com
      urlset check public/ --base-url https://example.com/
      urlset check sitemap.xml --ignore T003,utf8-bom --fail-level warning
      urlset check sitemap.xml --select X --format json
      urlset check sitemap.xml --diff
      urlset check public/ --fix
      urlset check public/ --statistics
      urlset check https://example.com --report report.html
      urlset check public/ --write-baseline known.json
      urlset check public/ --baseline known.json --format github
    """  # noqa: D301 - the \b keeps the lines of the examples
    if statistics and format not in ("text", "json"):
        raise UsageError(f"--statistics: expected --format text or json, found {format}")
    outputs = {"output": output, "report": report, "write_baseline": write_baseline}
    expect_own_outputs(outputs, sources)
    expect_format_of(output, format, "check")
    from urlset.store import open_ahead

    open_ahead()  # in another thread, while the rules are imported
    from urlset.cli.check_report import run_check

    run_check(
        sources=sources,
        format_=format,
        output=output,
        statistics=statistics,
        write_baseline=write_baseline,
        report=report,
        fix=fix,
        unsafe_fixes=unsafe_fixes,
        backup=backup,
        diff=diff,
        config=config,
        network=network,
        quiet=quiet,
        options=options,
    )
