"""Format a comparison as text for terminals: counts, sections, patterns and examples."""

from __future__ import annotations

from collections.abc import Iterator

from urlset.live.diff.rows import (
    ChangeKind,
    DiffView,
    LastmodTruth,
    PageChange,
    PageState,
    SectionChange,
)
from urlset.live.diff.words import reason_text, state_date
from urlset.terminal_text import Line, Role, Span, cells, clip, pluralize, sanitize

MAX_SECTIONS = 12
MAX_PATTERNS = 12
MAX_REASON = 400
"""Cells of the reason why a document was not read; the middle of a longer one is cut."""
_KINDS: tuple[tuple[ChangeKind, str, Role], ...] = (
    ("moved", "→", "info"),
    ("removed", "-", "error"),
    ("added", "+", "good"),
    ("changed", "~", "warning"),
    ("unknown", "?", "plain"),
)


def report_diff(diff: DiffView, *, max_examples: int = 10, width: int = 80) -> Iterator[Line]:
    """Yield the lines of a report for a terminal of ``width`` cells.

    At most ``max_examples`` URLs of each kind of change are listed.
    """
    yield (Span(diff.summary, "heading"),)
    if diff.lastmod is not None:
        yield from _lastmod_lines(diff.lastmod)
    for note in diff.notes:
        yield (Span(sanitize(note), "warning"),)
    if diff.unread:
        yield ()
        yield (Span("Not read, so that missing URLs are unknown, not removed:", "heading"),)
        for detail, count in diff.unread[:MAX_PATTERNS]:
            text = f"  {pluralize(count, 'URL')}: "
            yield Span(text), Span(clip(sanitize(detail), MAX_REASON), "warning")
    if diff.sections:
        yield ()
        yield from _section_lines(diff.sections, width)
    if diff.patterns:
        yield ()
        for pattern in diff.patterns[:MAX_PATTERNS]:
            text = f"{pluralize(pattern.urls, 'URL')} moved from "
            room = max(10, (width - cells(text) - 4) // 2)
            yield (
                Span(text),
                Span(clip(sanitize(pattern.before), room), "place"),
                Span(" to "),
                Span(clip(sanitize(pattern.after), room), "place"),
            )
        if len(diff.patterns) > MAX_PATTERNS:
            yield (Span(f"… and {len(diff.patterns) - MAX_PATTERNS:,} more patterns"),)
    for kind, mark, role in _KINDS:
        total = getattr(diff.counts, kind)
        if total and max_examples:
            yield from _examples(diff, kind, mark, role, max_examples, width)


def _lastmod_lines(truth: LastmodTruth) -> Iterator[Line]:
    if any(truth):
        text = (
            f"lastmod and content changed: {truth.with_content:,}; only lastmod: "
            f"{truth.without_content:,}; only content: {truth.content_only:,}"
        )
        yield (Span(text),)


def _section_lines(sections: list[SectionChange], width: int) -> Iterator[Line]:
    shown = sections[:MAX_SECTIONS]
    columns = [
        name
        for name in SectionChange._fields[1:]
        if name in ("before", "after") or any(getattr(row, name) for row in shown)
    ]
    texts = [[f"{getattr(row, name):,}" for name in columns] for row in shown]
    widths = [
        max(len(name), *(len(row[number]) for row in texts)) for number, name in enumerate(columns)
    ]
    room = max(10, width - sum(widths) - 2 * len(widths))
    names = [clip(sanitize(row.section), room) for row in shown]
    first = max(len("section"), *map(cells, names))
    head = "".join(f"  {name:>{size}}" for name, size in zip(columns, widths, strict=True))
    yield (Span(f"{'section':<{first}}{head}", "heading"),)
    for name, row in zip(names, texts, strict=True):
        padding = " " * (first - cells(name))
        numbers = "".join(f"  {text:>{size}}" for text, size in zip(row, widths, strict=True))
        yield Span(name, "place"), Span(f"{padding}{numbers}")
    if len(sections) > MAX_SECTIONS:
        yield (Span(f"… and {len(sections) - MAX_SECTIONS:,} more sections"),)


def _examples(
    diff: DiffView, kind: ChangeKind, mark: str, role: Role, limit: int, width: int
) -> Iterator[Line]:
    total = getattr(diff.counts, kind)
    yield ()
    label = kind.capitalize()
    shown = f"{label}: {total:,}" if total <= limit else f"{label}: {limit:,} of {total:,}"
    yield (Span(shown, "heading"),)
    for change in diff.of(kind, limit):
        yield from _change_lines(change, mark, role, width)


def _change_lines(change: PageChange, mark: str, role: Role, width: int) -> Iterator[Line]:
    if change.change == "moved":
        yield Span("  "), Span(clip(sanitize(change.previous_loc or ""), width - 2))
    loc = clip(sanitize(change.loc), width - 4)
    yield Span(f"  {mark} ", role), Span(loc, "place")
    if words := _why(change):
        yield (Span(clip(f"    {sanitize(words)}", width), "excerpt"),)


def _why(change: PageChange) -> str:
    if change.change == "unknown":
        return ""
    parts = [reason_text(reason) for reason in change.why]
    if change.change == "changed" and any("lastmod" in why.reason for why in change.why):
        dates = [_date(change.before), _date(change.after)]
        if dates[0] != dates[1]:
            parts.append(f"{dates[0]} → {dates[1]}")
    return ", ".join(parts)


def _date(state: PageState | None) -> str:
    return (state_date(state) if state is not None else None) or "none"
