"""Gives findings their exact place: the element that is to blame, its line, column and excerpt."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from itertools import groupby
from typing import NamedTuple

from urlset.checker.evaluate import Row
from urlset.checker.rule import Rule
from urlset.checker.text_cache import Text, TextCache, count_characters, count_lines, line_begin
from urlset.entry_spans import IN_PACKED

__all__ = ["BLOCK", "ExactPlace", "placed"]

# What is commented out, or CDATA, has no tags. Bounded, so that one that never ends costs no more.
_VOID = rb"<!--[\s\S]{0,4096}?-->|<!\[CDATA\[[\s\S]{0,4096}?\]\]>"
_END = re.compile(_VOID + rb"|(</(?:[\w.-]+:)?(?:url|sitemap|item|entry)\s*>)", re.IGNORECASE)
_STRAY_END = re.compile(_VOID + rb"|(</(?:[\w.-]+:)?loc\s*>)", re.IGNORECASE)
_STRAY = re.compile(rb"<(?:[\w.-]+:)?loc\b", re.IGNORECASE)  # an entry of its own (S016)
_LINE_END = re.compile(rb"([\r\n]|$)")

BLOCK = 16 << 10
"""Bytes that are counted anew for each finding at most, when a line or an entry is longer."""


class ExactPlace(NamedTuple):
    """Where a finding stands: ``at`` in the text, the others as they are told."""

    at: int | None
    offset: int | None
    line: int | None
    column: int | None
    loc: str | None


def placed(
    rows: Iterator[Row], rules: dict[str, Rule], texts: TextCache
) -> Iterator[tuple[Row, ExactPlace, Text | None]]:
    """Give each row its place; ``rows`` are in the order of documents, each text is read once."""
    for document, group in groupby(rows, key=lambda row: row.document):
        text = None if document is None else texts.get(document)
        locator = None if text is None else _Locator(text)
        found = [(row, _place(row, rules.get(row.code), locator), text) for row in group]
        # A finding about an element is sorted by the place of the element, not of its entry.
        yield from sorted(found, key=lambda its: (its[1].offset is not None, its[1].offset or 0))


def _place(row: Row, rule: Rule | None, locator: _Locator | None) -> ExactPlace:
    if row.offset is None or locator is None:
        return ExactPlace(None, row.offset, *_line_of(row), row.loc)
    if row.code in IN_PACKED:
        return ExactPlace(None, row.offset, *_line_of(row), None)
    text = locator.text
    if row.column is not None:  # reported by the engine, with its place
        return ExactPlace(text.place_of(row.offset), row.offset, row.line, row.column, row.loc)
    start = at = text.place_of(row.offset)
    if rule is not None and rule.at is not None:
        at = locator.element(start, rule.at, row.nth or 1)
    line = (row.line or 1) + locator.lines_between(start, at)
    return ExactPlace(at, text.offset_of(at), line, locator.column(at), row.loc)


class _Locator:
    """Find elements, lines and columns in one document, in time linear in its size.

    The elements of an entry are searched once. Lines and columns are counted once per block, so
    that thousands of findings in one entry, or on one line, do not count the same bytes again.
    """

    def __init__(self, text: Text):
        self.text = text
        self._entry = -1
        self._end: int | None = None
        self._elements: dict[str, list[int]] = {}
        self._lines: _Counts | None = None
        self._columns: _Counts | None = None
        self._line_end = -1

    def element(self, start: int, name: str, nth: int) -> int:
        """Return where the nth element of a name begins in an entry; ``start`` if there is none."""
        self._enter(start)
        places = self._elements.get(name)
        if places is None:
            if self._end is None:
                self._end = _end_of(self.text, start)
            tags = _tag(name).finditer(self.text.data, start, self._end)
            places = [tag.start() for tag in tags if tag[1] is not None]
            self._elements[name] = places
        return places[nth - 1] if nth <= len(places) else start

    def lines_between(self, start: int, at: int) -> int:
        """Return how many lines end between the start of an entry and a place in it."""
        if at == start:
            return 0
        self._enter(start)
        if self._lines is None:
            self._lines = _Counts(self.text.data, start, count_lines)
        return self._lines.up_to(at)

    def column(self, at: int) -> int:
        """Return the column of a place, from 1, in characters."""
        if self._columns is None or not self._columns.origin <= at <= self._line_end:
            data = self.text.data
            begin = line_begin(data, at)
            if at - begin < BLOCK:
                return 1 + count_characters(data, begin, at)
            found = _LINE_END.search(data, at)
            self._line_end = found.start() if found else len(data)
            self._columns = _Counts(data, begin, count_characters)
        return 1 + self._columns.up_to(at)

    def _enter(self, start: int) -> None:
        """Forget the elements and lines of another entry."""
        if start != self._entry:
            self._entry, self._end, self._elements, self._lines = start, None, {}, None


class _Counts:
    """Count something in bytes from an origin up to any place; whole blocks are counted once."""

    def __init__(self, data: bytes, origin: int, count: Callable[[bytes, int, int], int]):
        self.origin = origin
        self._data = data
        self._count = count
        self._sums = [0]

    def up_to(self, place: int) -> int:
        """Return the count between the origin and a place behind it."""
        block = (place - self.origin) // BLOCK
        while len(self._sums) <= block:
            begin = self.origin + (len(self._sums) - 1) * BLOCK
            self._sums.append(self._sums[-1] + self._count(self._data, begin, begin + BLOCK))
        return self._sums[block] + self._count(self._data, self.origin + block * BLOCK, place)


def _line_of(row: Row) -> tuple[int | None, int | None]:
    """The line and column of a row whose text is not at hand; a line of 0 is none."""
    return (row.line, row.column or 1) if row.line else (None, None)


def _end_of(text: Text, start: int) -> int:
    """The place behind an entry: its end tag, or its line."""
    pattern = _STRAY_END if _STRAY.match(text.data, start) else _END
    if text.kind == "text":
        pattern = _LINE_END
    tags = (found for found in pattern.finditer(text.data, start) if found[1] is not None)
    found = next(tags, None)
    return found.end() if found else len(text.data)


@cache
def _tag(name: str) -> re.Pattern[bytes]:
    prefix, _, local = name.rpartition(":")
    before = rf"{prefix}:" if prefix else r"(?:[\w.-]+:)?"
    return re.compile(_VOID + rf"|(<{before}{local}[\s/>])".encode(), re.IGNORECASE)
