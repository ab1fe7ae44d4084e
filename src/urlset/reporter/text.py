"""Findings as text for people: place, rule and words, and the line with a caret under it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Literal

from urlset.checker import Excerpt, Finding
from urlset.model import Level
from urlset.plain import Line, Piece, cells, first, harmless, last
from urlset.reader import DocumentRecord

__all__ = ["Line", "Piece", "report_text", "summary"]


WIDTH = 80
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
    """Tell each finding in a line, with the line of the document below it where that is known.

    Of each rule ``max_examples`` are shown (None: all), and how many more there are;
    ``omitted`` counts, by code, those that are not among the findings, when these are all seen.
    """
    counts: Counter[str] = Counter()
    names: dict[str, str] = {}
    for finding in findings:
        counts[finding.code] += 1
        names[finding.code] = finding.rule
        if max_examples is None or counts[finding.code] <= max_examples:
            yield _headline(finding)
            if finding.excerpt is not None:
                yield from _excerpt(finding.excerpt, width)
    for code in sorted({*counts, *omitted}):  # of what a baseline knows, not one may be told
        count = counts[code]
        hidden = 0 if max_examples is None else max(0, count - max_examples)
        more = omitted.get(code, 0) + hidden
        if more:
            rule = Piece(f"{code}[{names[code]}]" if code in names else code, "rule")
            yield Piece(f"… {more:,} more of {count + omitted.get(code, 0):,}: "), rule


def summary(by_level: Mapping[Level, int], documents: Sequence[DocumentRecord]) -> Line:
    """One line that sums up a check."""
    read = [document for document in documents if document.kind is not None]
    entries = sum(document.entries for document in read)
    where = f"{_count(len(read), 'document')}, {_count(entries, 'entry', 'entries')}"
    total = sum(by_level.values())
    if not total:
        return (Piece("No findings", "good"), Piece(f" in {where}."))
    parts = [Piece(f"{_count(total, 'finding')} in {where}: ")]
    for level, many in _NOUNS:
        if count := by_level.get(level):
            parts += [Piece(_count(count, level, many), level), Piece(", ")]
    return (*parts[:-1], Piece("."))


def _headline(finding: Finding) -> Line:
    place = harmless(finding.source or "<bytes>")
    if finding.line is not None:
        place += f":{finding.line}:{finding.column}"
    return (
        Piece(f"{place}:", "place"),
        Piece(" "),
        Piece(finding.level, finding.level),
        Piece(" "),
        Piece(f"{finding.code}[{finding.rule}]", "rule"),
        Piece(f" {harmless(finding.message)}"),
    )


def _excerpt(excerpt: Excerpt, width: int) -> Iterator[Line]:
    room = width - len(_INDENT) - 2  # an ellipsis at each end
    left = excerpt.text[: excerpt.place].lstrip()
    text = left + excerpt.text[excerpt.place :].rstrip()
    if not text:
        return
    before = _visible(left)
    # The caret stands where it is, or two thirds along: what is wrong comes after it.
    shown = last(before, room * 2 // 3 if cells(before) > room * 2 // 3 else room)
    start = "…" if len(shown) < len(before) else ""
    after = _visible(text[len(left) :])
    rest = first(after, room - cells(shown))
    end = "…" if len(rest) < len(after) else ""
    yield (Piece(f"{_INDENT}{start}{shown}{rest}{end}", "excerpt"),)
    yield (Piece(" " * (len(_INDENT) + len(start) + cells(shown))), Piece("^", "caret"))


def _visible(text: str) -> str:
    return harmless(text.replace("\t", " "))


def _count(number: int, one: str, many: str | None = None) -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"
