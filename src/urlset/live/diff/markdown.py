"""Format a comparison as Markdown, for a comment on a pull request."""

from __future__ import annotations

import re
from collections.abc import Iterator

from urlset.live.diff.rows import ChangeKind, DiffView, PageChange
from urlset.live.diff.words import reason_text
from urlset.terminal_text import pluralize, sanitize

MARKER = "<!-- urlset diff -->"
"""First line of the comment, by which the next run finds it."""

MAX_BYTES = 60_000
"""Most bytes of the text; GitHub accepts 65,536 characters in a comment."""

MAX_SECTIONS = 10
MAX_PATTERNS = 10
MAX_TEXT = 200
_KINDS: tuple[tuple[ChangeKind, str], ...] = (
    ("moved", "Moved"),
    ("removed", "Removed"),
    ("added", "Added"),
    ("changed", "Changed"),
)
_COLUMNS = ("added", "removed", "changed", "moved", "unknown")


def markdown(diff: DiffView, *, max_examples: int = 10) -> str:
    """Return the counts, the sections with most changes, patterns of moves, and examples."""
    counts = diff.counts
    lines = [
        MARKER,
        f"**Sitemap: {counts.added:,} added, {counts.removed:,} removed, "
        f"{counts.changed:,} changed**"
        + (f", {counts.moved:,} moved" if counts.moved else "")
        + (f", {counts.unknown:,} unknown" if counts.unknown else "")
        + f"; {counts.unchanged:,} unchanged.",
        "",
    ]
    if diff.is_none_selected:
        lines[1] = f"**Sitemap: {diff.summary}.**"
    for detail, count in diff.unread[:MAX_PATTERNS]:
        unknown = f"{pluralize(count, 'URL')} unknown, " if count else ""
        lines.append(f"- {unknown}not read: {code(detail)}")
    lines += [f"- {code(note)}" for note in diff.notes[:MAX_PATTERNS]]
    if diff.lastmod is not None and any(diff.lastmod):
        truth = diff.lastmod
        lines.append(
            f"- `lastmod` and content changed: {truth.with_content:,}; only `lastmod`: "
            f"{truth.without_content:,}; only content: {truth.content_only:,}"
        )
    for pattern in diff.patterns[:MAX_PATTERNS]:
        moved = pluralize(pattern.urls, "URL")
        lines.append(f"- {moved} moved from {code(pattern.before)} to {code(pattern.after)}")
    if lines[-1]:
        lines.append("")
    lines += _sections(diff)
    for kind, label in _KINDS:
        total = getattr(counts, kind)
        if not total or not max_examples:
            continue
        shown = f"{total:,}" if total <= max_examples else f"{max_examples:,} of {total:,}"
        lines += ["<details>", f"<summary>{label}: {shown}</summary>", ""]
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


def _sections(diff: DiffView) -> Iterator[str]:
    sections = diff.sections
    if not sections:
        return
    columns = [c for c in _COLUMNS if any(getattr(row, c) for row in sections[:MAX_SECTIONS])]
    yield f"| section | before | after | {' | '.join(columns)} |"
    yield f"|---|--:|--:|{'--:|' * len(columns)}"
    for row in sections[:MAX_SECTIONS]:
        numbers = [row.before, row.after, *(getattr(row, column) for column in columns)]
        yield f"| {code(row.section)} | {' | '.join(f'{number:,}' for number in numbers)} |"
    if len(sections) > MAX_SECTIONS:
        yield ""
        yield f"… and {len(sections) - MAX_SECTIONS:,} more sections"
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
