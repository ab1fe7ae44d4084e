"""Write the history of a site as an HTML report: numbers by day, bands, alerts."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from datetime import timedelta

from urlset.html_report import (
    Example,
    ExampleLog,
    ReportInput,
    RuleText,
    SourceFigures,
    write_html_report,
)
from urlset.html_report.charts import (
    Bin,
    Range,
    Segment,
    StackedRow,
    bin_labels,
    histogram,
    ranges,
    stacked_bars,
)
from urlset.html_report.model import Figure
from urlset.html_report.tables import number_table
from urlset.html_report.text import share
from urlset.live.watch.alerts import KINDS, span_text
from urlset.live.watch.rows import SectionEstimate, WatchStep
from urlset.store import StoreSession
from urlset.terminal_text import pluralize

MAX_DAYS = 120
MAX_SECTIONS = 15

DAYS_SQL = """SELECT started::DATE AS day, max_by(url_count, started) AS urls,
    sum(added_count)::BIGINT AS new, sum(removed_count)::BIGINT AS removed,
    sum(changed_count)::BIGINT AS changed, sum(failed_count)::BIGINT AS failed
FROM snapshots GROUP BY day ORDER BY day DESC LIMIT 120"""
ALERTS_SQL = """SELECT strftime(opened, '%Y-%m-%d %H:%M') AS opened,
    strftime(ended, '%Y-%m-%d %H:%M') AS ended, kind, message
FROM alerts ORDER BY alert DESC LIMIT 200"""
_KIND_SQL = "SELECT opened, ended, subject, message FROM alerts WHERE kind = '{}'"
STEPS_SQL = "SELECT * FROM history_steps JOIN history_sections USING (section)"


def write_report(session: StoreSession, found: WatchStep, path: str | os.PathLike[str]) -> None:
    """Write the history of a site to an HTML file.

    Raises:
        urlset.TargetError: The file cannot be written.
    """
    log = ExampleLog()
    for alert in found.alerts:
        log.levels[alert.kind]["warning"] += 1
        subject = found.site if alert.subject == "site" else alert.subject
        since = f"{alert.opened:%Y-%m-%d %H:%M} UTC" if alert.opened else ""
        log.examples[alert.kind].append(Example(subject, alert.message, since, ""))
    rules = {}
    for kind, text in KINDS.items():
        if kind in log.levels:
            title, sql = text[:1].upper() + text[1:], _KIND_SQL.format(kind)
            rules[kind] = RuleText(kind, "", "warning", title, _WHY[kind], "", "", sql)
    source = SourceFigures(
        found.site,
        "",
        [
            ("URLs", f"{found.urls:,}", ""),
            ("new", f"{found.added:,}", ""),
            ("removed", f"{found.removed:,}", ""),
            ("changed", f"{found.changed:,}", ""),
            ("open alerts", f"{len(found.alerts):,}", "error" if found.alerts else "fine"),
        ],
        [
            *_day_figures(session),
            *_band_figures(found.sections),
            *_rate_figures(found.sections),
            *_alert_figures(session),
        ],
        _section_table(found.sections) if found.sections else None,
        [f"Not read: {reason}" for reason in found.incomplete[:5]],
        DAYS_SQL,
    )
    report = ReportInput(
        kind="watch",
        site=found.site,
        moment=found.started,
        log=log,
        rules=rules,
        sources=[source],
        sentence=_sentence(found),
    )
    write_html_report(report, path)


def _sentence(found: WatchStep) -> str:
    alerts = len(found.alerts)
    state = pluralize(alerts, "alert") if alerts else "nothing is unusual"
    if found.snapshot == 1:
        return f"{found.urls:,} URLs at the first snapshot."
    return (
        f"{found.urls:,} URLs at snapshot {found.snapshot:,}: {found.added:,} new, "
        f"{found.removed:,} removed, {found.changed:,} changed since the one before; {state}."
    )


def _day_figures(session: StoreSession) -> Iterator[Figure]:
    days = list(session.rows(DAYS_SQL.replace("FROM snapshots", "FROM store.snapshots")))[::-1]
    if len(days) < 2:
        return
    by_day = {row[0]: row for row in days}
    first, last = days[0][0], days[-1][0]
    span = [first + timedelta(days=n) for n in range((last - first).days + 1)][-MAX_DAYS:]
    columns = ("day", "URLs", "new", "removed", "changed", "sitemaps not read")
    rows = [(f"{row[0]:%Y-%m-%d}", *(int(value or 0) for value in row[1:])) for row in days]
    for column, noun in ((2, "new"), (3, "removed"), (4, "changed")):
        bins = [
            Bin(f"{day:%Y-%m-%d}", int(by_day[day][column]) if day in by_day else 0) for day in span
        ]
        labels = bin_labels([each.label for each in bins], 5 if noun == "new" else 3)
        total = sum(each.size for each in bins)
        yield Figure(
            f"days-{noun}",
            f"{pluralize(total, 'URL')} {noun} in {pluralize(len(span), 'day')}",
            "By day (UTC)." if noun != "changed" else "URLs with another lastmod, by day (UTC).",
            histogram(bins, labels, height=120),
            columns,
            rows,
            DAYS_SQL,
            is_wide=noun == "new",
        )


def _band_figures(sections: Sequence[SectionEstimate]) -> Iterator[Figure]:
    banded = [each for each in sections if each.new_high is not None][:MAX_SECTIONS]
    if not banded:
        return
    rows = [(e.name, e.new_today or 0, e.new_low or 0, e.new_high or 0) for e in banded]
    most = float(max(1, *(max(row[1:]) for row in rows)))
    bars = [
        Range(name, float(low), float(high), f"{new:,} so far") for name, new, low, high in rows
    ]
    ticks = [(most * part / 4, f"{most * part / 4:,.0f}") for part in range(5)]
    yield Figure(
        "bands",
        "Normal numbers of new URLs on the latest day",
        "Normal range by section, from the same weekdays of the twelve weeks before.",
        ranges(bars, ticks, most=most),
        ("section", "new", "low", "high"),
        rows,
        STEPS_SQL,
    )


def _rate_figures(sections: Sequence[SectionEstimate]) -> Iterator[Figure]:
    rated = [each for each in sections if each.changed_in_week is not None][:MAX_SECTIONS]
    if not rated:
        return
    bars = []
    for each in rated:
        chance = each.changed_in_week or 0.0
        parts = [Segment("part", chance), Segment("plain", 1 - chance)]
        bars.append(StackedRow(each.name, parts, share(chance, 1.0)))
    numbers = ((e.changes_per_day, e.changes_low, e.changes_high) for e in rated)
    weekly = ([f"{7 * (value or 0):.3g}" for value in values] for values in numbers)
    rows = [(each.name, *texts) for each, texts in zip(rated, weekly, strict=True)]
    yield Figure(
        "rates",
        "How likely a URL is to change within a week",
        "Estimated from the dates of the entries, by section.",
        stacked_bars(bars, [("part", "changes"), ("plain", "does not")]),
        ("section", "changes per URL and week", "low", "high"),
        rows,
        STEPS_SQL,
    )


def _alert_figures(session: StoreSession) -> Iterator[Figure]:
    alerts = list(session.rows(ALERTS_SQL.replace("FROM alerts", "FROM store.alerts")))
    if not alerts:
        return
    columns = ("since", "until", "kind", "message")
    rows = [tuple(value or "" for value in row) for row in alerts]
    yield Figure(
        "alerts",
        f"{pluralize(len(alerts), 'alert')} so far",
        "The latest alerts, each with its time (UTC).",
        number_table(columns, rows),
        columns,
        rows,
        ALERTS_SQL,
        is_wide=True,
    )


def _section_table(sections: Sequence[SectionEstimate]) -> Figure:
    rows: list[tuple[str | int, ...]] = [
        (
            each.name,
            each.urls,
            "" if each.new_today is None else each.new_today,
            "" if each.new_high is None else f"{each.new_low:,} to {each.new_high:,}",
            "" if each.usual_pause_s is None else span_text(each.usual_pause_s),
            "" if each.changes_per_day is None else f"{7 * each.changes_per_day:.2g}",
        )
        for each in sections
    ]
    columns = ("section", "URLs", "new on the latest day", "normal", "99 % of pauses up to",
               "changes per URL and week")  # fmt: skip
    # Most estimates need weeks of history: columns without a value are left out.
    kept = [at for at in range(len(columns)) if at < 2 or any(row[at] != "" for row in rows)]
    rows = [tuple(row[at] for at in kept) for row in rows]
    return Figure(
        "sections", "Sections", "", "", tuple(columns[at] for at in kept), rows, STEPS_SQL
    )


_WHY = {
    "volume-high": "The number is above what is normal for the section on this weekday.",
    "volume-low": "The number is below what is normal for the section on this weekday.",
    "silence": "The pause is longer than all that is normal for the section.",
    "removals": "The number is above what is normal for the section on this weekday.",
    "shrink": "The site lost a large share of its URLs in one step, or has others in their place.",
    "lastmod-mass": "A date that says when a page was built, not when it changed, is ignored.",
    "robots": "Rules of robots.txt can remove a site from search engines.",
    "sitemap-gone": "Search engines cannot read the URLs that only this sitemap lists.",
    "sitemap-dropped": "The URLs of the sitemap are not listed any more.",
    "size": "Search engines reject a sitemap with more than 50,000 entries or 50 MB.",
}
