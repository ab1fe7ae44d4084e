"""Write a comparison as an HTML report: counts, sections, patterns of moves, and all changes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, datetime

from urlset.html_report import (
    Example,
    ExampleLog,
    ReportInput,
    RuleText,
    SourceFigures,
    write_html_report,
)
from urlset.html_report.charts import Segment, StackedRow, bars, stacked_bars
from urlset.html_report.model import MAX_EXAMPLES, Figure
from urlset.live.diff.changes import DiffValues
from urlset.live.diff.rows import ChangeKind, PageChange, SectionChange, lastmod_change, reason_text
from urlset.model import Level
from urlset.store import FIRST_FOLDER
from urlset.terminal_text import pluralize

MAX_SECTIONS = 15

_KINDS: dict[ChangeKind, tuple[str, Level, str, str]] = {
    # role in charts, level, title, meaning
    "removed": ("error", "warning", "Removed URLs", "The earlier state lists them, the later one "
                "does not, and no new URL is the same page."),
    "unknown": ("unknown", "warning", "URLs whose state is unknown", "One state lists them. The "
                "other one may list them in a part that could not be read."),
    "moved": ("redirect", "info", "Moved URLs", "The page has another URL. The reasons say why, "
              "with the confidence from 0 to 1."),
    "added": ("fine", "info", "Added URLs", "Only the later state lists them."),
    "changed": ("not-indexable", "info", "Changed URLs", "Both states list them, with different "
                "values."),
}  # fmt: skip
_SQL = "SELECT * FROM 'changes.jsonl' WHERE change = '{}'"
_COUNT_SQL = "SELECT change, count(*) FROM 'changes.jsonl' GROUP BY change"
_SECTION_SQL = (
    f"SELECT {FIRST_FOLDER} AS section, change, count(*)\n"
    "FROM 'changes.jsonl' GROUP BY ALL ORDER BY ALL"
)
_MOVE_SQL = (
    "SELECT before.loc, after.loc, why[1].reason, why[1].confidence\n"
    "FROM 'changes.jsonl' WHERE change = 'moved'"
)


def write_report(diff: DiffValues, path: str | os.PathLike[str]) -> None:
    """Write the report.

    Raises:
        urlset.TargetError: The file cannot be written.
    """
    log = ExampleLog()
    rules: dict[str, RuleText] = {}
    counts = diff.counts
    numbers = [("before", f"{counts.before:,}", ""), ("after", f"{counts.after:,}", "")]
    for kind in _found_kinds(diff):
        role, level, title, why = _KINDS[kind]
        total = getattr(counts, kind)
        numbers.append((kind, f"{total:,}", role))
        log.levels[kind][level] += total
        log.examples[kind] = [_example(change) for change in diff.of(kind, MAX_EXAMPLES)]
        sql = _SQL.format(kind)
        rules[kind] = RuleText(kind, "", level, title, why, "", "", sql, names_url=False)
    source = SourceFigures(
        diff.after,
        "",
        numbers,
        [*_section_figures(diff), *_pattern_figures(diff), *_lastmod_figures(diff)],
        _section_table(diff) if diff.sections else None,
        [f"not read: {text}" for text in diff.incomplete[:10]],
        _COUNT_SQL,
    )
    report = ReportInput(
        kind="diff",
        site=diff.after,
        moment=datetime.now(UTC),
        log=log,
        rules=rules,
        sources=[source],
        sentence=f"{diff.summary[:1].upper()}{diff.summary[1:]}.",
        notes=[f"Earlier state: {diff.before}", f"Later state: {diff.after}", *diff.notes],
    )
    write_html_report(report, path)


def _found_kinds(diff: DiffValues) -> list[ChangeKind]:
    return [kind for kind in _KINDS if getattr(diff.counts, kind)]


def _example(change: PageChange) -> Example:
    words = ", ".join(map(reason_text, change.why))
    if change.change == "moved":
        words = f"was {change.previous_loc}: {words}"
    if dates := lastmod_change(change):
        words += f"; lastmod {dates}"
    state = change.after or change.before
    return Example(change.loc, words or change.change, (state and state.source) or "", "")


def _section_figures(diff: DiffValues) -> Iterator[Figure]:
    if not diff.sections:
        return
    kinds = _found_kinds(diff)
    shown = diff.sections[:MAX_SECTIONS]
    chart = stacked_bars(
        [
            StackedRow(
                row.section,
                [Segment(_KINDS[kind][0], getattr(row, kind)) for kind in kinds],
                f"{sum(row[3:]):,}",
            )
            for row in shown
        ],
        [(_KINDS[kind][0], kind) for kind in kinds],
    )
    first = shown[0]
    yield Figure(
        "sections-of-changes",
        f"Most changes are in {first.section}: {sum(first[3:]):,}",
        "Changes of the sections with most of them, by kind.",
        chart,
        ("section", *kinds),
        [(row.section, *(getattr(row, kind) for kind in kinds)) for row in shown],
        _SECTION_SQL,
    )


def _pattern_figures(diff: DiffValues) -> Iterator[Figure]:
    if not diff.patterns:
        return
    shown = diff.patterns[:MAX_SECTIONS]
    first = shown[0]
    chart = bars([(f"{each.before} → {each.after}", each.urls) for each in shown], "redirect")
    yield Figure(
        "patterns",
        f"{pluralize(first.urls, 'URL')} moved from {first.before} to {first.after}",
        "URLs that moved in the same way. YYYY, NN and N are numbers.",
        chart,
        ("before", "after", "URLs"),
        [tuple(pattern) for pattern in diff.patterns[:200]],
        _MOVE_SQL,
    )


def _lastmod_figures(diff: DiffValues) -> Iterator[Figure]:
    truth = diff.lastmod
    if truth is None or not any(truth):
        return
    parts = [
        ("fine", "both changed", truth.with_content),
        ("error", "only lastmod changed", truth.without_content),
        ("redirect", "only the content changed", truth.content_only),
    ]
    yield Figure(
        "trial",
        f"lastmod changed with the content of {pluralize(truth.with_content, 'page')}",
        "Pages whose content is known in both states: did lastmod change with it?",
        stacked_bars(
            [StackedRow("changed pages", [Segment(r, n) for r, _, n in parts])],
            [(role, label) for role, label, _ in parts],
        ),
        ("change", "pages"),
        [(label, number) for _, label, number in parts],
        "SELECT why[1].reason, count(*) FROM 'changes.jsonl' WHERE change = 'changed' GROUP BY ALL",
        True,
    )


def _section_table(diff: DiffValues) -> Figure:
    return Figure(
        "sections",
        "",
        "URLs by the first folder of their path, in both states. A moved URL counts in its new "
        "section.",
        "",
        SectionChange._fields,
        [tuple(row) for row in diff.sections[:1_000]],
        _SECTION_SQL,
    )
