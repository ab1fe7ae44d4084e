"""Format findings as text: location, rule and message, then the line with a caret below it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from types import MappingProxyType
from typing import Annotated, Any, Literal

from urlset.checker import LEVELS, Excerpt, Finding, Rule
from urlset.checker.finding import CountsJson
from urlset.model import Level
from urlset.reader import DocumentRecord
from urlset.terminal_text import (
    Line,
    Span,
    cells,
    escape_json,
    pluralize,
    sanitize,
    take_end,
    take_start,
)

WIDTH = 80
MAX_UNGROUPED = 5
"""Rules with more findings than this have them grouped at the end of the report."""
_INDENT = "    "
_NOUNS: tuple[tuple[Literal["error", "warning", "info"], str], ...] = (
    ("error", "errors"),
    ("warning", "warnings"),
    ("info", "info"),  # the name of the level; it has no plural
)


def report_text(
    findings: Iterable[Finding],
    *,
    max_examples: int | None = 20,
    omitted: Mapping[str, int] = MappingProxyType({}),
    width: int = WIDTH,
) -> Iterator[Line]:
    """Yield a line for each finding, followed by the line of the document if it is known.

    A rule with more than :data:`MAX_UNGROUPED` findings has them grouped after all others, below a
    line with their number. Of a rule of level info with several findings, only the first and their
    number are shown.

    Args:
        findings: The findings to format.
        max_examples: How many findings of each rule are shown; the rest is counted. None shows all.
        omitted: Number of findings, by code, that are not in ``findings``. It is read after
            ``findings`` is exhausted.
        width: The width of the terminal in cells; excerpts are cut to it.
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
        if totals[finding.code] > MAX_UNGROUPED or (
            finding.code in infos and totals[finding.code] > 1
        ):
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
            yield rule, Span(f" {pluralize(totals[code], 'finding')}:")
        for finding in group:
            yield from _lines(finding, width)
        not_shown = 0 if max_examples is None else max(0, counts[code] - max_examples)
        if more := omitted.get(code, 0) + not_shown:
            yield Span(f"… {more:,} more of {totals[code]:,}: "), rule


@dataclass(frozen=True, slots=True)
class RuleCount:
    """Number of findings of a rule.

    Attributes:
        rule: Name of the rule.
        code: Code of the rule.
        level: Worst level of its findings.
        count: Number of them.
    """

    rule: str
    code: str
    level: Level
    count: int


def count_by_rule(
    findings: Iterable[Finding], omitted: Mapping[str, int], rules: Mapping[str, Rule]
) -> list[RuleCount]:
    """Count findings by rule, most frequent first.

    Args:
        findings: The findings to count.
        omitted: Number of findings, by code, that are not in ``findings``. It is read after
            ``findings`` is exhausted.
        rules: The rules, by code.
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
    """Yield a line with the number of findings for each rule."""
    width = max((len(f"{row.count:,}") for row in counts), default=0)
    for row in counts:
        level = Span(f"{row.level:<7}", row.level)
        yield Span(f"{row.count:>{width},} "), level, Span(f" {row.code}[{row.rule}]", "rule")


class StatisticsJson(CountsJson):
    """Numbers of findings of a check, also by rule with its name.

    Attributes:
        rules: Rules with findings, those with most findings first.
    """

    rules: list[Annotated[dict[str, Any], RuleCount]]


def report_statistics_json(counts: Sequence[RuleCount], totals: CountsJson) -> Iterator[str]:
    """Yield a JSON object: the totals, and ``rules``, an object for each rule."""
    found: StatisticsJson = {**totals, "rules": [asdict(row) for row in counts]}
    yield escape_json(json.dumps(found, ensure_ascii=False))


def summary(
    by_level: Mapping[Level, int],
    documents: Sequence[DocumentRecord],
    *,
    is_complete: bool = True,
) -> Line:
    """Return one line with the total number of findings, documents and entries.

    It says if not everything could be read.
    """
    end = "." if is_complete else "; not complete."
    read = [document for document in documents if document.kind is not None]
    entries = sum(document.entries for document in read)
    where = f"{pluralize(len(read), 'document')}, {pluralize(entries, 'entry', 'entries')}"
    total = sum(by_level.values())
    if not total:
        return (Span("No findings", "good"), Span(f" in {where}{end}"))
    parts = [Span(f"{pluralize(total, 'finding')} in {where}: ")]
    for level, plural in _NOUNS:
        if count := by_level.get(level):
            parts += [Span(pluralize(count, level, plural), level), Span(", ")]
    return (*parts[:-1], Span(end))


def _lines(finding: Finding, width: int) -> Iterator[Line]:
    yield _headline(finding)
    if finding.excerpt is not None:
        yield from _excerpt(finding.excerpt, width)


def _headline(finding: Finding) -> Line:
    location = "<bytes>" if finding.source is None else sanitize(finding.source) or "''"
    if finding.line is not None:
        location += f":{line_and_column(finding)}"
    return (
        Span(f"{location}:", "place"),
        Span(" "),
        Span(finding.level, finding.level),
        Span(" "),
        Span(f"{finding.code}[{finding.rule}]", "rule"),
        Span(f" {sanitize(finding.message)}"),
    )


def line_and_column(finding: Finding) -> str:
    """Return the line of a finding, with its column if that is known."""
    return f"{finding.line}" if finding.column is None else f"{finding.line}:{finding.column}"


def _excerpt(excerpt: Excerpt, width: int) -> Iterator[Line]:
    available = width - len(_INDENT) - 2  # an ellipsis at each end
    left = excerpt.text[: excerpt.start].lstrip()
    text = left + excerpt.text[excerpt.start :].rstrip()
    if not text:
        return
    before = _visible(left)
    # In a long line the caret is at two thirds of the width: the problem follows the caret.
    max_before = available * 2 // 3
    shown = take_end(before, max_before if cells(before) > max_before else available)
    start = "…" if len(shown) < len(before) else ""
    after = _visible(text[len(left) :])
    rest = take_start(after, available - cells(shown))
    end = "…" if len(rest) < len(after) else ""
    yield (Span(f"{_INDENT}{start}{shown}{rest}{end}", "excerpt"),)
    yield (Span(" " * (len(_INDENT) + len(start) + cells(shown))), Span("^", "caret"))


def _visible(text: str) -> str:
    return sanitize(text.replace("\t", " "))
