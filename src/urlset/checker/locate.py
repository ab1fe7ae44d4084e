"""Locate findings in their documents: the offset, line and column of the element at fault."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import groupby
from typing import NamedTuple

from urlset.checker.evaluate import Row
from urlset.checker.load import Text, TextCache, count_characters, count_lines, line_begin
from urlset.checker.rule import Rule
from urlset.document import IN_PACKED
from urlset.formats.spans import DocumentSpans, ElementSpan

_LINE_END = re.compile(rb"([\r\n]|$)")

BLOCK = 16 << 10
"""Size of the blocks in which lines and characters are counted once. A finding counts the bytes of
at most one block again."""

FIRST_RANGE = 512
"""Size of the range in which the end of an entry is first searched; most entries are smaller."""


class ExactPlace(NamedTuple):
    """Position of a finding: ``at`` in the UTF-8 text; offset, line and column in the document."""

    at: int | None
    offset: int | None
    line: int | None
    column: int | None
    loc: str | None


def locate(
    rows: Iterator[Row], rules: dict[str, Rule], texts: TextCache
) -> Iterator[tuple[Row, ExactPlace, Text | None]]:
    """Yield each finding with its position and the text of its document, None if it has none.

    ``rows`` are sorted by document, so each text is read once.
    """
    for document, group in groupby(rows, key=lambda row: row.document):
        text = None if document is None else texts.get(document)
        locator = None if text is None else _Locator(text)
        found = [(row, _position(row, rules.get(row.code), locator), text) for row in group]
        # A finding about an element is sorted by the position of the element, not of its entry.
        yield from sorted(found, key=lambda item: (item[1].offset is not None, item[1].offset or 0))


def _position(row: Row, rule: Rule | None, locator: _Locator | None) -> ExactPlace:
    if row.offset is None or locator is None:
        return ExactPlace(None, row.offset, *_line_of(row), row.loc)
    if row.code in IN_PACKED:
        return ExactPlace(None, row.offset, *_line_of(row), None)
    text = locator.text
    if row.column is not None:  # reported by the engine, with its position
        return ExactPlace(text.position_of(row.offset), row.offset, row.line, row.column, row.loc)
    start = at = text.position_of(row.offset)
    if rule is not None and rule.element is not None:
        at = locator.element(start, rule.element, row.nth or 1)
    line = (row.line or 1) + locator.lines_between(start, at)
    return ExactPlace(at, text.offset_of(at), line, locator.column(at), row.loc)


class _Locator:
    """Finder of elements, lines and columns in one document, in time linear in its size.

    The elements of an entry are searched once. Lines and columns are counted once per block, so
    that thousands of findings in one entry, or on one line, do not count the same bytes again.
    """

    def __init__(self, text: Text):
        self.text = text
        self._entry = -1
        self._spans = DocumentSpans(text.data)
        self._bytes_in_ranges = 0
        self._elements: dict[str, list[int]] = {}
        self._lines: _Counts | None = None
        self._columns: _Counts | None = None
        self._line_end = -1

    def element(self, start: int, name: str, nth: int) -> int:
        """Return the position of the nth element with a name in an entry; ``start`` if missing."""
        self._set_entry(start)
        places = self._elements.get(name)
        if places is None:
            begin, entry = self._entry_at(start)
            named = () if entry is None else _named(entry, name)
            self._elements[name] = places = [begin + found.start for found in named]
        return places[nth - 1] if nth <= len(places) else start

    def lines_between(self, start: int, at: int) -> int:
        """Return the number of line ends between the start of an entry and a position in it."""
        if at == start:
            return 0
        self._set_entry(start)
        if self._lines is None:
            self._lines = _Counts(self.text.data, start, count_lines)
        return self._lines.up_to(at)

    def column(self, at: int) -> int:
        """Return the column of a position in characters, from 1."""
        if self._columns is None or not self._columns.origin <= at <= self._line_end:
            data = self.text.data
            begin = line_begin(data, at)
            if at - begin < BLOCK:
                return 1 + count_characters(data, begin, at)
            found = _LINE_END.search(data, at)
            self._line_end = found.start() if found else len(data)
            self._columns = _Counts(data, begin, count_characters)
        return 1 + self._columns.up_to(at)

    def _entry_at(self, start: int) -> tuple[int, ElementSpan | None]:
        """Return the entry that begins at a position, and where the text of its spans begins.

        Most documents have few findings about elements, so only the range of an entry is parsed.
        The whole document is parsed if such ranges become as large, and for an entry with comments
        or with tags that do not match, because their meaning depends on what is around it.
        """
        data, size = self.text.data, FIRST_RANGE
        while self._bytes_in_ranges + size < len(data):
            self._bytes_in_ranges += size
            end = data.rfind(b">", start, start + size) + 1  # not inside of a character
            entry = DocumentSpans(data[start:end]).starting_at(0)
            if entry is not None and entry.is_complete:
                if _is_simple(entry):
                    return start, entry
                break
            size *= 4
        self._bytes_in_ranges = len(data)
        return 0, self._spans.starting_at(start)

    def _set_entry(self, start: int) -> None:
        """Select the entry at ``start``; clear the cached elements and lines of another entry."""
        if start != self._entry:
            self._entry, self._elements, self._lines = start, {}, None


class _Counts:
    """Counts of lines or characters from an origin to any position; each block is counted once."""

    def __init__(self, data: bytes, origin: int, count: Callable[[bytes, int, int], int]):
        self.origin = origin
        self._data = data
        self._count = count
        self._sums = [0]

    def up_to(self, place: int) -> int:
        """Return the count between the origin and a position after it."""
        block = (place - self.origin) // BLOCK
        while len(self._sums) <= block:
            begin = self.origin + (len(self._sums) - 1) * BLOCK
            self._sums.append(self._sums[-1] + self._count(self._data, begin, begin + BLOCK))
        return self._sums[block] + self._count(self._data, self.origin + block * BLOCK, place)


def _line_of(row: Row) -> tuple[int | None, int | None]:
    """Return the line and column stored in a row; None for line 0, which means no line.

    Without the text of its document, the column of an element is unknown.
    """
    return (row.line, row.column or None) if row.line else (None, None)


def _is_simple(entry: ElementSpan) -> bool:
    """Return whether an entry has tags and text only, and each end tag closes an element in it."""
    columns, data = entry.document.columns, entry.data
    if any(data.find(mark, entry.start, entry.end) >= 0 for mark in (b"<!", b"<?")):
        return False
    rows = range(entry.row, columns.following[entry.row])
    closed = sum(columns.content_ends[row] < columns.ends[row] for row in rows)
    return data.count(b"</", entry.start, entry.end) == closed


def _named(entry: ElementSpan, name: str) -> Iterator[ElementSpan]:
    """Yield the entry and its descendants that have a name; any prefix if the name has none."""
    prefix, _, local = name.lower().rpartition(":")
    for found in (entry, *entry.descendants(local)):
        if found.local_name == local and prefix in ("", found.prefix.lower()):
            yield found
