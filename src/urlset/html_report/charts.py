"""Draw charts as HTML and SVG without scripts and without inline styles.

Horizontal positions are percentages, so a chart fills its column at any width while its text keeps
its size. Colours are classes of ``report.css``. All text is escaped here.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import NamedTuple

from urlset.html_report.text import attributes, safe, share

HALF_PAGE, PHONE = 470.0, 280.0
"""Widths of a chart in pixels: in a card of half the page, and on a phone of 390 pixels."""

MAX_LABEL = 44
"""Characters of a label; longer ones are cut in the middle."""

MAX_LANGUAGE = 12
"""Characters of the code of a language; longer ones are cut in the middle."""

NARROW_LABEL = 12
"""Characters of the label of a row that fit on a phone, too; a longer label has a tooltip."""

_HEAT = (0.0, 0.01, 0.05, 0.2)
"""Upper bounds of the shares of the heat classes 0 to 3; class 4 is above."""

HEAT_LABELS = ("none", "up to 1 %", "up to 5 %", "up to 20 %", "more")


class Segment(NamedTuple):
    """Part of a stacked bar: role (a class of the style sheet) and value."""

    role: str
    value: float


class StackedRow(NamedTuple):
    """Stacked bar: label, segments, and the text at its end."""

    label: str
    segments: Sequence[Segment]
    note: str = ""


class FunnelStep(NamedTuple):
    """Step of a funnel: label, size, and why items of the step before did not reach it."""

    label: str
    size: int
    lost: str = ""


class Bin(NamedTuple):
    """Bar of a histogram; a spike has a label and is cut at the height of the chart."""

    label: str
    size: int
    spike: str = ""


class AxisLabel(NamedTuple):
    """Label of an axis: position between 0 and 1, text, and whether a narrow chart omits it."""

    at: float
    text: str
    is_minor: bool = False


class Block(NamedTuple):
    """Block of an icicle: label, size, number of faults, and its parts."""

    label: str
    size: int
    faults: int
    parts: Sequence[Block] = ()


class Range(NamedTuple):
    """Row of a range chart: label, low and high value, and the text at its end."""

    label: str
    low: float
    high: float
    note: str


class Cell(NamedTuple):
    """Cell of a matrix: faults among a total."""

    faults: int
    total: int


def legend(items: Iterable[tuple[str, str]]) -> str:
    """Draw a legend: a swatch and a label for each role."""
    entries = "".join(
        f'<li><svg class="swatch" width="12" height="12" aria-hidden="true">'
        f'<rect width="12" height="12" rx="2" class="{escape(role)}"/></svg>{escape(label)}</li>'
        for role, label in items
    )
    return f'<ul class="legend">{entries}</ul>'


def stacked_bars(rows: Sequence[StackedRow], labels: Sequence[tuple[str, str]]) -> str:
    """Draw horizontal bars of equal length; the segments of each are shares of its total.

    ``labels`` has the label of each role, for the legend and for the tips of the segments.
    """
    names = dict(labels)
    bars_of_rows = _rows(
        (row.label, _bar(row.segments, sum(part.value for part in row.segments), names), row.note)
        for row in rows
    )
    return bars_of_rows + legend(labels)


def bars(rows: Sequence[tuple[str, int]], role: str) -> str:
    """Draw a horizontal bar for each label and number; the longest fills the width."""
    most = max((value for _, value in rows), default=0)
    return _rows(
        (label, _bar([Segment(role, value)], most, {role: label}), f"{value:,}")
        for label, value in rows
    )


def funnel(steps: Sequence[FunnelStep]) -> str:
    """Draw bars of decreasing length; between them, why items did not reach the next one."""
    most = max((step.size for step in steps), default=0)
    lines = []
    for step in steps:
        if step.lost:
            lines.append(f'<li class="lost"><span></span><span>{escape(step.lost)}</span></li>')
        bar = _bar([Segment("fine", step.size)], most, {"fine": step.label}, height=26)
        lines.append(_row(step.label, bar, f"{step.size:,}"))
    return f'<ul class="bars funnel">{"".join(lines)}</ul>'


def histogram(bins: Sequence[Bin], labels: Sequence[AxisLabel], *, height: int = 180) -> str:
    """Draw a histogram of vertical bars, at most ``height`` pixels high, with labels on the axis.

    A spike is drawn to the full height with a gap that shows that it is cut, so that the other
    bars keep their shape.
    """
    usual = max((found.size for found in bins if not found.spike), default=0)
    tallest = max((found.size for found in bins), default=0)
    limit = min(tallest, usual * 1.3) if usual else tallest
    top, step = 40, 100 / max(1, len(bins))
    marks, texts = [], []
    last_text = last_major = -100.0
    for number, found in enumerate(bins):
        if not found.size:
            continue
        tall = max(2.0, height * min(1.0, found.size / limit))
        place = {"x": f"{number * step + step * 0.1:.3f}%", "width": f"{step * 0.8:.3f}%"}
        tip = f"<title>{escape(found.label)}: {found.size:,}</title>"
        role = "spike" if found.spike else "plain"
        box = attributes(class_=role, **place, y=f"{top + height - tall:.1f}", height=f"{tall:.1f}")
        marks.append(f"<rect{box}>{tip}</rect>")
        if found.spike and found.size > limit:
            gap = attributes(class_="gap", **place, y=f"{top + height * 0.16:.1f}", height=4)
            marks.append(f"<rect{gap}/>")
        middle = (number + 0.5) * step
        if found.spike and middle - last_text > 24:
            is_minor = middle - last_major < 50
            texts.append(_spike_text(middle, top, found.spike, is_minor=is_minor))
            last_text = middle
            last_major = last_major if is_minor else middle
    axis = "".join(
        f'<text x="{100 * at:.2f}%" y="{top + height + 18}"'
        f"{attributes(class_='minor' if is_minor else None, text_anchor=_anchor_of(at))}>"
        f"{escape(text)}</text>"
        for at, text, is_minor in labels
    )
    base = top + height + 0.5
    line = f'<line class="axis" x1="0" x2="100%" y1="{base}" y2="{base}"/>'
    return _svg("histogram", top + height + 24, f"{''.join(marks)}{line}{axis}{''.join(texts)}")


def bin_labels(names: Sequence[str], count: int) -> list[AxisLabel]:
    """Return at most ``count`` axis labels for bins with these names, at the middle of their bins.

    They do not overlap in a card of half the page; without the minor ones, on no phone.

    >>> [label.text for label in bin_labels(["1 May 2026", "2 May 2026", "3 May 2026"], 6)]
    ['1 May 2026', '2 May 2026', '3 May 2026']
    """
    total = len(names)
    step = max(1, -(-total // max(1, count)))
    while step < total and not _fit(names, step, HALF_PAGE):
        step += 1
    major = step
    while major < total and not _fit(names, major, PHONE):
        major += step
    return [
        AxisLabel((at + 0.5) / total, names[at], is_minor=at % major > 0)
        for at in range(0, total, step)
    ]


def _fit(names: Sequence[str], step: int, width: float) -> bool:
    """Return whether the labels of every ``step``-th bin fit into a chart side by side."""
    end = -math.inf
    for at in range(0, len(names), step):
        place, size = (at + 0.5) / len(names), 6.7 * len(names[at])
        anchor = {"start": 0.0, "middle": 0.5, "end": 1.0}[_anchor_of(place)]
        left = place * width - anchor * size
        if left < end + 10:
            return False
        end = left + size
    return True


def icicle(blocks: Sequence[Block]) -> str:
    """Draw an icicle chart of two levels: width is size, colour is the share of faults."""
    total = sum(block.size for block in blocks)
    marks, start = [], 0.0
    for block in blocks:
        width = 100 * block.size / max(1, total)
        marks.append(_block(block, start, width, y=0, height=54))
        inner = start
        for part in block.parts:
            part_width = 100 * part.size / max(1, total)
            label = part.label.removeprefix(block.label)
            marks.append(_block(part, inner, part_width, y=56, height=42, name=label))
            inner += part_width
        start += width
    labels = [label.replace(" %", "\N{NARROW NO-BREAK SPACE}%") for label in HEAT_LABELS]
    items = [(f"heat-{number}", label) for number, label in enumerate(labels)]
    height = 98 if any(block.parts for block in blocks) else 54
    return _svg("icicle", height, "".join(marks)) + legend(items)


def heat(faults: float, total: float) -> str:
    """Return the CSS class for a share of faults, ``heat-0`` to ``heat-4``.

    >>> heat(0, 10), heat(1, 10), heat(5, 10)
    ('heat-0', 'heat-3', 'heat-4')
    """
    ratio = faults / total if total else 0.0
    return f"heat-{sum(ratio > bound for bound in _HEAT)}"


def upset(sets: Sequence[tuple[str, int]], rows: Sequence[tuple[Sequence[bool], str, int]]) -> str:
    """Draw an UpSet plot: one row for each combination of sets, with its size as a bar.

    Args:
        sets: Name and size of each set.
        rows: Membership in each set, label in words, and size.
    """
    most = max((size for *_, size in rows), default=0)
    names = "".join(f"<span><b>{escape(name)}</b><br>{size:,}</span>" for name, size in sets)
    lines = [f'<li class="sets"><span class="members">{names}</span></li>']
    for members, label, size in rows:
        role = "fine" if all(members) else "part"
        lines.append(
            f'<li><span class="members">{_dots(members)}</span><span class="label">'
            f"{escape(label)}</span>{_bar([Segment(role, size)], most, {role: label})}"
            f'<span class="note">{size:,}</span></li>'
        )
    return f'<ul class="upset">{"".join(lines)}</ul>'


def matrix(names: Sequence[str], cells: dict[tuple[str, str], Cell]) -> str:
    """Draw a table whose cells are coloured by the share of faults.

    ``names`` are those of the rows and columns. A cell that is missing in ``cells`` stays empty.
    """
    rows = [name for name in names if any(row == name for row, _ in cells)]
    columns = [name for name in names if any(column == name for _, column in cells)]
    head = "".join(
        f'<th scope="col"{_tip(name, MAX_LANGUAGE)}>{escape(safe(name, MAX_LANGUAGE))}</th>'
        for name in columns
    )
    body = []
    for row in rows:
        line = []
        for column in columns:
            cell = cells.get((row, column))
            if cell is None:
                line.append('<td class="none"></td>')
                continue
            text = f"{cell.faults:,}" if cell.faults else "0"
            tip = escape(f"{cell.faults:,} of {cell.total:,}")
            line.append(f'<td class="{heat(cell.faults, cell.total)}" title="{tip}">{text}</td>')
        label = escape(safe(row, MAX_LANGUAGE))
        head_cell = f'<th scope="row"{_tip(row, MAX_LANGUAGE)}>{label}</th>'
        body.append(f"<tr>{head_cell}{''.join(line)}</tr>")
    return (
        '<div class="scroll" tabindex="0" role="group" aria-label="Matrix of languages">'
        f'<table class="matrix"><thead><tr><td>omits →</td>{head}</tr></thead>'
        f"<tbody>{''.join(body)}</tbody></table></div>"
    )


def ranges(rows: Sequence[Range], ticks: Sequence[tuple[float, str]], *, most: float) -> str:
    """Draw rows with a line from a low to a high value, on one scale from 0 to ``most``."""
    grid = "".join(
        f'<line class="grid" x1="{100 * at / most:.2f}%" x2="{100 * at / most:.2f}%" '
        'y1="0" y2="100%"/>'
        for at, _ in ticks
    )
    drawn = []
    for row in rows:
        low, high = (min(100.0, 100 * value / most) for value in (row.low, row.high))
        marks = (
            f'<line class="span" x1="{low:.2f}%" x2="{high:.2f}%" y1="14" y2="14"/>'
            f'<circle class="low" cx="{low:.2f}%" cy="14" r="5"/>'
            f'<circle class="high" cx="{high:.2f}%" cy="14" r="5"/>'
        )
        drawn.append((row.label, _svg("range", 28, grid + marks), row.note))
    texts = "".join(
        f'<text x="{100 * at / most:.2f}%" y="12"{_anchor(at / most)}>{escape(text)}</text>'
        for at, text in ticks
    )
    return _rows([*drawn, ("", _svg("ticks", 16, texts), "")])


def diverging_bars(rows: Sequence[tuple[str, int, int, str]]) -> str:
    """Draw bars to the left for the first number and to the right for the second.

    Args:
        rows: Label, number to the left, number to the right, and the text at the end.
    """
    most = max((max(left, right) for _, left, right, _ in rows), default=0) or 1
    drawn = []
    for label, left, right, note in rows:
        to_left, to_right = 50 * left / most, 50 * right / most
        marks = (
            f'<rect class="fine" x="{50 - to_left:.2f}%" width="{to_left:.2f}%" height="16"/>'
            f'<rect class="error" x="50%" width="{to_right:.2f}%" height="16"/>'
            '<line class="axis" x1="50%" x2="50%" y1="0" y2="16"/>'
        )
        drawn.append((label, _svg("bar", 16, marks), note))
    return _rows(drawn)


def _rows(rows: Iterable[tuple[str, str, str]]) -> str:
    return f'<ul class="bars">{"".join(_row(*row) for row in rows)}</ul>'


def _row(label: str, chart: str, note: str) -> str:
    shown = escape(safe(label, MAX_LABEL))
    return (
        f'<li><span class="label"{_tip(label, NARROW_LABEL)}><bdi>{shown}</bdi></span>{chart}'
        f'<span class="note">{escape(note)}</span></li>'
    )


def _tip(label: str, limit: int) -> str:
    """Return the attribute ``title`` with a whole label that the page may cut; none if it fits.

    >>> _tip("/shop/", 12), _tip("/shop/drinks/", 12)
    ('', ' title="/shop/drinks/"')
    """
    return attributes(title=safe(label)) if len(label) > limit else ""


def _bar(
    segments: Sequence[Segment], whole: float, names: Mapping[str, str], *, height: int = 18
) -> str:
    marks, start = [], 0.0
    for role, value in segments:
        if value <= 0 or whole <= 0:
            continue
        width = 100 * value / whole
        size = share(value, whole)
        if isinstance(value, int):
            size = f"{value:,} ({size})"
        tip = f"<title>{escape(f'{names[role]}: {size}')}</title>"
        box = attributes(x=f"{start:.3f}%", width=f"{width:.3f}%", height=height, class_=role)
        marks.append(f"<rect{box}>{tip}</rect>")
        start += width
    return _svg("bar", height, "".join(marks))


def _block(
    block: Block, start: float, width: float, *, y: int, height: int, name: str | None = None
) -> str:
    label = safe(block.label)
    faults = f"{block.faults:,} of {block.size:,} ({share(block.faults, block.size)})"
    size = "wide" if width >= 16 else "narrow" if width >= 5.5 else "tiny"
    texts = ""
    if size != "tiny":
        middle = height / 2
        texts = (
            f'<text x="8" y="{middle - 4:.0f}" class="name">'
            f"{escape(safe(name or block.label, MAX_LABEL))}</text>"
            f'<text x="8" y="{middle + 14:.0f}">{escape(share(block.faults, block.size))}</text>'
        )
    inner = (
        f'<rect width="100%" height="100%" class="{heat(block.faults, block.size)}"/>'
        f'<g class="{size} on-{heat(block.faults, block.size)}">{texts}</g>'
    )
    box = attributes(x=f"{start:.3f}%", y=y, width=f"{max(width, 0.05):.3f}%", height=height)
    return f"<svg{box}><title>{escape(f'{label}: {faults}')}</title>{inner}</svg>"


def _dots(members: Sequence[bool]) -> str:
    step = 64
    on = [number for number, is_in in enumerate(members) if is_in]
    marks = ""
    if len(on) > 1:
        first, last = (step * number + step // 2 for number in (on[0], on[-1]))
        marks = f'<line class="join" x1="{first}" x2="{last}" y1="11" y2="11"/>'
    for number, is_in in enumerate(members):
        role = "dot" if is_in else "dot off"
        marks += f'<circle class="{role}" cx="{step * number + step // 2}" cy="11" r="6"/>'
    return f'<svg width="{step * len(members)}" height="22" aria-hidden="true">{marks}</svg>'


def _spike_text(middle: float, top: int, text: str, *, is_minor: bool) -> str:
    at = middle / 100
    anchor = _anchor(0 if at < 0.2 else 1 if at > 0.8 else 0.5)
    first, _, second = text.partition("\n")
    role = "mark minor" if is_minor else "mark"
    return (
        f'<text class="{role}" x="{middle:.2f}%" y="{top - 22}"{anchor}>{escape(first)}</text>'
        f'<text class="{role}" x="{middle:.2f}%" y="{top - 7}"{anchor}>{escape(second)}</text>'
    )


def _anchor_of(at: float) -> str:
    """Return the ``text-anchor`` of a date at the axis, so that it stays inside on a phone, too."""
    return "start" if at < 0.14 else "end" if at > 0.86 else "middle"


def _anchor(at: float) -> str:
    """Return the ``text-anchor`` that keeps a label inside the chart, at 0 (left) to 1 (right)."""
    return attributes(text_anchor="start" if at < 0.02 else "end" if at > 0.98 else "middle")


def _svg(role: str, height: float, content: str) -> str:
    return (
        f'<svg class="{role}" width="100%" height="{height:g}" aria-hidden="true">{content}</svg>'
    )
