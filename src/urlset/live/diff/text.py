"""Format a comparison for people: for terminals, and as Markdown for a pull request.

Both have the counts, the sections, the patterns of moves, and examples.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from urlset.live.diff.changes import DiffValues
from urlset.live.diff.rows import (
    ChangeKind,
    LastmodTruth,
    PageChange,
    SectionChange,
    lastmod_change,
    reason_text,
)
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


def report_diff(diff: DiffValues, *, max_examples: int = 10, width: int = 80) -> Iterator[Line]:
    """Yield the lines of a report for a terminal of ``width`` cells.

    At most ``max_examples`` URLs of each kind of change are listed.
    """
    yield (Span(diff.summary, "heading"),)
    if diff.lastmod is not None and any(diff.lastmod):
        yield (Span(_lastmod_text(diff.lastmod, "lastmod")),)
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


def _lastmod_text(truth: LastmodTruth, name: str) -> str:
    return (
        f"{name} and content changed: {truth.with_content:,}; only {name}: "
        f"{truth.without_content:,}; only content: {truth.content_only:,}"
    )


def _section_lines(sections: list[SectionChange], width: int) -> Iterator[Line]:
    shown = sections[:MAX_SECTIONS]
    columns = _columns(shown)
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


def _columns(sections: list[SectionChange]) -> list[str]:
    """Return the numbers that a table of sections has: those of both states, and changes."""
    return [
        name
        for name in SectionChange._fields[1:]
        if name in ("before", "after") or any(getattr(row, name) for row in sections)
    ]


def _examples(
    diff: DiffValues, kind: ChangeKind, mark: str, role: Role, limit: int, width: int
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
        parts += filter(None, [lastmod_change(change)])
    return ", ".join(parts)


MARKER = "<!-- urlset diff -->"
"""First line of the comment, by which the next run finds it."""

MAX_BYTES = 60_000
"""Most bytes of the text; GitHub accepts 65,536 characters in a comment."""

MAX_TEXT = 200
MAX_ROWS = 10
"""Sections, patterns and documents in a comment."""


def markdown(diff: DiffValues, *, max_examples: int = 10) -> str:
    """Return the counts, the sections with most changes, patterns of moves, and examples."""
    counts = diff.counts
    lines = [
        MARKER,
        f"**Sitemap: {counts.added:,} added, {counts.removed:,} removed, "
        f"{counts.changed:,} changed**"
        + (f", {counts.moved:,} moved" if counts.moved else "")
        + (f", {counts.unknown:,} unknown" if counts.unknown else "")
        + f"; {counts.unchanged:,} unchanged{'' if diff.is_complete else '; not complete'}.",
        "",
    ]
    if diff.is_none_selected:
        lines[1] = f"**Sitemap: {diff.summary}.**"
    for detail, count in diff.unread[:MAX_ROWS]:
        unknown = f"{pluralize(count, 'URL')} unknown, " if count else ""
        lines.append(f"- {unknown}not read: {code(detail)}")
    lines += [f"- {code(note)}" for note in diff.notes[:MAX_ROWS]]
    if diff.lastmod is not None and any(diff.lastmod):
        lines.append(f"- {_lastmod_text(diff.lastmod, '`lastmod`')}")
    for pattern in diff.patterns[:MAX_ROWS]:
        moved = pluralize(pattern.urls, "URL")
        lines.append(f"- {moved} moved from {code(pattern.before)} to {code(pattern.after)}")
    if lines[-1]:
        lines.append("")
    lines += _sections(diff)
    for kind, _, _ in _KINDS[:-1]:  # those that are unknown are counted by document
        total = getattr(counts, kind)
        if not total or not max_examples:
            continue
        shown = f"{total:,}" if total <= max_examples else f"{max_examples:,} of {total:,}"
        lines += ["<details>", f"<summary>{kind.capitalize()}: {shown}</summary>", ""]
        for change in diff.of(kind, max_examples):
            lines.append(_example(change, ", ".join(map(reason_text, change.why))))
        lines += ["", "</details>", ""]
    return _limited(lines)


def code(value: str) -> str:
    """Return untrusted text as inline code: no markup, mention, link or image works in it.

    >>> code("a`b")
    '``a`b``'
    """
    value = sanitize(value)
    if len(value) > MAX_TEXT:
        value = f"{value[: MAX_TEXT // 2]}…{value[-MAX_TEXT // 2 :]}"
    value = value.replace("|", "%7C").strip() or " "
    longest = max((len(run) for run in re.findall("`+", value)), default=0)
    fence = "`" * (longest + 1)
    space = " " if value.startswith("`") or value.endswith("`") else ""
    return f"{fence}{space}{value}{space}{fence}"


def _sections(diff: DiffValues) -> Iterator[str]:
    shown = diff.sections[:MAX_ROWS]
    if not shown:
        return
    columns = _columns(shown)
    yield f"| section | {' | '.join(columns)} |"
    yield f"|---|{'--:|' * len(columns)}"
    for row in shown:
        numbers = (f"{getattr(row, column):,}" for column in columns)
        yield f"| {code(row.section)} | {' | '.join(numbers)} |"
    if len(diff.sections) > MAX_ROWS:
        yield ""
        yield f"… and {len(diff.sections) - MAX_ROWS:,} more sections"
    yield ""


def _example(change: PageChange, why: str) -> str:
    shown = code(change.loc)
    if change.previous_loc is not None:
        shown = f"{code(change.previous_loc)} → {shown}"
    return f"- {shown}{f' {code(why)}' if why else ''}"


def _limited(lines: list[str]) -> str:
    """Join the lines that fit into a comment; close the list of examples if it was cut."""
    size = 0
    kept: list[str] = []
    for line in lines:
        size += len(line.encode(errors="replace")) + 1
        if size > MAX_BYTES:
            if kept.count("<details>") > kept.count("</details>"):
                kept += ["", "</details>"]
            return "\n".join([*kept, "", "… shortened"]) + "\n"
        kept.append(line)
    return "\n".join(kept).rstrip() + "\n"
