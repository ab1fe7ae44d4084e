"""Findings as text for people: place, rule and words, and the line with a caret under it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from types import MappingProxyType
from typing import Literal

from urlset.checker import LEVELS, Excerpt, Finding, Rule
from urlset.model import Level
from urlset.reader import DocumentRecord
from urlset.terminal_text import Line, Span, cells, sanitize, take_end, take_start

__all__ = [
    "Line",
    "RuleCount",
    "Span",
    "count_by_rule",
    "report_statistics",
    "report_statistics_json",
    "report_text",
    "summary",
]


WIDTH = 80
FEW = 5
"""Findings of a rule that are shown where they stand among those of other rules."""
_INDENT = "    "
_NOUNS: tuple[tuple[Literal["error", "warning", "info"], str], ...] = (
    ("error", "errors"),
    ("warning", "warnings"),
    ("info", "info"),  # the word of the catalogue, which no number changes
)


def report_text(
    findings: Iterable[Finding],
    *,
    max_examples: int | None = 20,
    omitted: Mapping[str, int] = MappingProxyType({}),
    width: int = WIDTH,
) -> Iterator[Line]:
    """Report each finding in a line, with the line of the document below it where that is known.

    Of each rule ``max_examples`` are shown (None: all), and how many more there are;
    ``omitted`` counts, by code, those that are not among the findings, when these are all seen.
    A rule with more than :data:`FEW` findings has them together, behind the others, under a line
    with their number; of a rule of level info that is the only line but for the first of them.
    """
    counts: Counter[str] = Counter()
    kept: list[Finding] = []
    levels: dict[str, int] = {}
    for finding in findings:
        counts[finding.code] += 1
        level = LEVELS.index(finding.level)
        levels[finding.code] = min(level, levels.get(finding.code, level))
        if max_examples is None or counts[finding.code] <= max_examples:
            kept.append(finding)
    totals = {code: counts[code] + omitted.get(code, 0) for code in {*counts, *omitted}}
    infos = {code for code, level in levels.items() if LEVELS[level] == "info"}
    names = {finding.code: finding.rule for finding in kept}
    by_code: dict[str, list[Finding]] = {}
    for finding in kept:
        if totals[finding.code] > FEW or (finding.code in infos and totals[finding.code] > 1):
            by_code.setdefault(finding.code, []).append(finding)
        else:
            yield from _lines(finding, width)
    for code in sorted(totals, key=lambda code: (levels.get(code, 0), code)):
        rule = Span(f"{code}[{names[code]}]" if code in names else code, "rule")
        group = by_code.get(code, [])
        if group and code in infos and max_examples is not None:
            others = Span(f" (and {totals[code] - 1:,} more)")
            yield (*_headline(group[0]), others)
            continue
        if group:
            yield rule, Span(f" {_count(totals[code], 'finding')}:")
        for finding in group:
            yield from _lines(finding, width)
        hidden = 0 if max_examples is None else max(0, counts[code] - max_examples)
        if more := omitted.get(code, 0) + hidden:
            yield Span(f"… {more:,} more of {totals[code]:,}: "), rule


@dataclass(frozen=True, slots=True)
class RuleCount:
    """How many findings a rule has; ``level`` is the worst of them."""

    rule: str
    code: str
    level: Level
    count: int


def count_by_rule(
    findings: Iterable[Finding], omitted: Mapping[str, int], rules: Mapping[str, Rule]
) -> list[RuleCount]:
    """Count findings by rule, the most frequent first.

    ``omitted`` counts, by code, those that are not among the findings, when these are all seen.
    """
    counts: Counter[str] = Counter()
    levels: dict[str, Level] = {}
    for finding in findings:
        counts[finding.code] += 1
        known = levels.setdefault(finding.code, finding.level)
        levels[finding.code] = min(known, finding.level, key=LEVELS.index)
    counts.update(omitted)
    return [
        RuleCount(rules[code].name, code, levels.get(code, rules[code].level), count)
        for code, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    ]


def report_statistics(counts: Sequence[RuleCount]) -> Iterator[Line]:
    """Report the number of findings of each rule in a line."""
    width = max((len(f"{row.count:,}") for row in counts), default=0)
    for row in counts:
        level = Span(f"{row.level:<7}", row.level)
        yield Span(f"{row.count:>{width},} "), level, Span(f" {row.code}[{row.rule}]", "rule")


def report_statistics_json(counts: Sequence[RuleCount]) -> Iterator[str]:
    """Report the number of findings of each rule: an array of {rule, code, level, count}."""
    rows = ",\n".join(json.dumps(asdict(row)) for row in counts)
    yield f"[\n{rows}\n]" if rows else "[]"


def summary(by_level: Mapping[Level, int], documents: Sequence[DocumentRecord]) -> Line:
    """One line that sums up a check."""
    read = [document for document in documents if document.kind is not None]
    entries = sum(document.entries for document in read)
    where = f"{_count(len(read), 'document')}, {_count(entries, 'entry', 'entries')}"
    total = sum(by_level.values())
    if not total:
        return (Span("No findings", "good"), Span(f" in {where}."))
    parts = [Span(f"{_count(total, 'finding')} in {where}: ")]
    for level, many in _NOUNS:
        if count := by_level.get(level):
            parts += [Span(_count(count, level, many), level), Span(", ")]
    return (*parts[:-1], Span("."))


def _lines(finding: Finding, width: int) -> Iterator[Line]:
    yield _headline(finding)
    if finding.excerpt is not None:
        yield from _excerpt(finding.excerpt, width)


def _headline(finding: Finding) -> Line:
    place = sanitize(finding.source or "<bytes>")
    if finding.line is not None:
        place += f":{finding.line}:{finding.column}"
    return (
        Span(f"{place}:", "place"),
        Span(" "),
        Span(finding.level, finding.level),
        Span(" "),
        Span(f"{finding.code}[{finding.rule}]", "rule"),
        Span(f" {sanitize(finding.message)}"),
    )


def _excerpt(excerpt: Excerpt, width: int) -> Iterator[Line]:
    room = width - len(_INDENT) - 2  # an ellipsis at each end
    left = excerpt.text[: excerpt.place].lstrip()
    text = left + excerpt.text[excerpt.place :].rstrip()
    if not text:
        return
    before = _visible(left)
    # The caret stands where it is, or two thirds along: what is wrong comes after it.
    shown = take_end(before, room * 2 // 3 if cells(before) > room * 2 // 3 else room)
    start = "…" if len(shown) < len(before) else ""
    after = _visible(text[len(left) :])
    rest = take_start(after, room - cells(shown))
    end = "…" if len(rest) < len(after) else ""
    yield (Span(f"{_INDENT}{start}{shown}{rest}{end}", "excerpt"),)
    yield (Span(" " * (len(_INDENT) + len(start) + cells(shown))), Span("^", "caret"))


def _visible(text: str) -> str:
    return sanitize(text.replace("\t", " "))


def _count(number: int, one: str, many: str | None = None) -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"
