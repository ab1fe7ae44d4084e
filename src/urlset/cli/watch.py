"""The command ``urlset watch``: one step of a history of the sitemaps of a site."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from urlset.cli import console, options
from urlset.option_schema.visits import WATCH_OPTIONS, WEBHOOK_VARIABLE
from urlset.terminal_text import pluralize, sanitize

if TYPE_CHECKING:
    from urlset.live.watch import SectionEstimate, Watch

MAX_SHOWN = 10
MAX_SECTIONS = 12
_MARKS = {"added": "+", "removed": "-", "changed": "~"}


def watch(
    *,
    site: str,
    store: Path | None,
    report: Path | None,
    format: str,
    network: options.NetworkOptions,
    quiet: bool,
    **given: Any,
) -> None:
    """Take one step of the history of a site: read what changed, store it, report alerts.

    Call it again and again, as with cron; no server is needed. Requests are conditional, and a
    sitemap is requested only if its index has another date for it, or in turn. The store keeps
    changes, not copies. A sitemap that cannot be read is not a removal: its URLs are unknown until
    it can be read.

    Alerts are about what is not normal for this site: new and removed URLs of a day outside the
    normal range of the weekday, silence, dates that all move at once, robots.txt, sitemaps that are
    gone, sizes. Ranges need four weeks. Each alert is reported once until it ends. `urlset diff
    FILE@1 FILE@2` compares two snapshots; after a step, `urlset diff FILE@-1 FILE@latest
    --max-removed 5%` exits with 1 if it removed more URLs.

    Exit codes: 0 no new alert; 1 new alerts, or some sitemaps could not be read; 2 nothing could be
    read, or invalid usage.

    \b
    Examples:
      urlset watch https://example.com --store site.duckdb
      urlset watch https://example.com --store site.duckdb --format json
      urlset watch https://example.com --store site.duckdb --report site.html
      URLSET_WEBHOOK=https://ntfy.sh/TOPIC \\
        urlset watch https://example.com --store site.duckdb --quiet
    """  # noqa: D301 - the \b keeps the lines of the examples
    if store is None:
        raise options.UsageError(
            "expected --store FILE.duckdb, the store of the history; found none"
        )
    options.expect_own_outputs({"store": store, "report": report}, [site])
    console.expect_target("--report", report)
    given_here = options.given_options(given, WATCH_OPTIONS)
    settings = {
        **given_here,
        **network._asdict(),
        "report": report,
    }
    if "webhook" not in settings:
        settings["webhook"] = os.environ.get(WEBHOOK_VARIABLE) or None
    options.expect_effect("watch", given_here, settings)
    from urlset.live.watch import watch as run

    with console.Sink(None) as sink:
        with console.Progress(is_shown=not quiet) as progress, options.as_usage_error("watch"):
            settings["progress"] = lambda event: progress.update(
                f"{pluralize(event.documents, 'sitemap')} · {event.source or ''}"
            )
            try:
                found = run(site, store, **settings)
            except KeyboardInterrupt:
                console.print_info(
                    "Interrupted: no snapshot was stored; the same command starts again"
                )
                raise
        for line in console.json_or(found, format, _text(found)):
            sink.write(f"{line}\n")
    if report is not None and not quiet:
        console.print_info(f"report written to {str(report)!r}")
    console.print_incomplete(found.incomplete)
    if found.webhook_error is not None:
        console.print_error(f"{found.webhook_error}; the next step sends them again")
    raise options.Exit(_exit_code(found))


def _exit_code(found: Watch) -> int:
    if found.new_alerts or found.webhook_error is not None:
        return 1
    return 2 if found.sitemaps == found.sitemaps_failed else int(not found.is_complete)


def _text(found: Watch) -> Iterator[str]:
    yield (
        f"{sanitize(found.site)}: snapshot {found.snapshot:,} of "
        f"{found.started:%Y-%m-%d %H:%M} UTC, {pluralize(found.requests, 'request')}"
    )
    yield found.summary
    for example in found.examples[:MAX_SHOWN]:
        yield f"  {_MARKS[example.change]} {sanitize(example.loc)}"
    total = found.added + found.removed + found.changed
    if total > MAX_SHOWN:
        yield f"  … and {total - MAX_SHOWN:,} more"
    yield from _section_lines(found.sections)
    for alert in found.alerts:
        state = "alert" if alert.is_new else f"since {alert.opened:%Y-%m-%d}"
        yield f"{state}: {sanitize(alert.message)}"


def _section_lines(sections: Sequence[SectionEstimate]) -> Iterator[str]:
    """Yield the lines of a table of the sections, if more than their URL counts is known."""
    if not any(section.new_today is not None for section in sections):
        return
    yield f"{'section':<24} {'URLs':>9} {'new':>6} {'normal':>11} {'changes/URL/week':>17}"
    for section in sections[:MAX_SECTIONS]:
        name = sanitize(section.name)
        name = name if len(name) <= 24 else f"{name[:23]}…"
        new = "" if section.new_today is None else f"{section.new_today:,}"
        changes = section.changes_per_day
        rate = "" if changes is None else f"{7 * changes:.2g}"
        numbers = f"{section.urls:>9,} {new:>6} {_normal(section):>11} {rate:>17}"
        yield f"{name:<24} {numbers}".rstrip()
    if len(sections) > MAX_SECTIONS:
        yield f"… and {pluralize(len(sections) - MAX_SECTIONS, 'section')} more"


def _normal(section: SectionEstimate) -> str:
    """Format the normal range of new URLs; before four weeks, the range so far with a "?"."""
    if section.new_low is not None:
        return f"{section.new_low:,}–{section.new_high:,}"
    if section.new_least is not None:
        return f"{section.new_least:,}–{section.new_most:,} ?"
    return ""
