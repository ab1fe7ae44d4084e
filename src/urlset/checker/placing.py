"""Gives findings their exact place: the element that is to blame, its line, column and excerpt."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import groupby
from typing import NamedTuple

from urlset.checker.declaring import Rule
from urlset.checker.judging import Row
from urlset.checker.texts import Text, Texts
from urlset.locating import IN_PACKED

__all__ = ["Place", "placed"]

# What is commented out, or CDATA, has no tags. Bounded, so that one that never ends costs no more.
_VOID = rb"<!--[\s\S]{0,4096}?-->|<!\[CDATA\[[\s\S]{0,4096}?\]\]>"
_END = re.compile(_VOID + rb"|(</(?:[\w.-]+:)?(?:url|sitemap|item|entry)\s*>)", re.IGNORECASE)
_STRAY_END = re.compile(_VOID + rb"|(</(?:[\w.-]+:)?loc\s*>)", re.IGNORECASE)
_STRAY = re.compile(rb"<(?:[\w.-]+:)?loc\b", re.IGNORECASE)  # an entry of its own (S016)
_LINE_END = re.compile(rb"([\r\n]|$)")


class Place(NamedTuple):
    """Where a finding stands: ``at`` in the text, the others as they are told."""

    at: int | None
    offset: int | None
    line: int | None
    column: int | None
    loc: str | None


def placed(
    rows: Iterator[Row], rules: dict[str, Rule], texts: Texts
) -> Iterator[tuple[Row, Place, Text | None]]:
    """Give each row its place; ``rows`` are in the order of documents, each text is read once."""
    for document, group in groupby(rows, key=lambda row: row.document):
        text = None if document is None else texts.get(document)
        found = [(row, _place(row, rules.get(row.code), text), text) for row in group]
        # What an element is to blame for comes where that stands, not where its entry begins.
        yield from sorted(found, key=lambda its: (its[1].offset is not None, its[1].offset or 0))


def _place(row: Row, rule: Rule | None, text: Text | None) -> Place:
    if row.offset is None or text is None:
        return Place(None, row.offset, *_line_of(row), row.loc)
    if row.code in IN_PACKED:
        return Place(None, row.offset, *_line_of(row), None)
    if row.column is not None:  # the engine has told it
        return Place(text.place_of(row.offset), row.offset, row.line, row.column, row.loc)
    start = text.place_of(row.offset)
    at = start
    if rule is not None and rule.at is not None:
        at = _element(text, start, rule.at, row.nth or 1)
    line, column = text.line_and_column(at, start, row.line or 1)
    return Place(at, text.offset_of(at), line, column, row.loc)


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


def _element(text: Text, start: int, name: str, nth: int) -> int:
    """Where the nth element of a name begins in an entry; the entry where there is none."""
    end = _end_of(text, start)
    tags = (found for found in _tag(name).finditer(text.data, start, end) if found[1] is not None)
    for number, found in enumerate(tags, 1):
        if number == nth:
            return found.start()
    return start


@cache
def _tag(name: str) -> re.Pattern[bytes]:
    prefix, _, local = name.rpartition(":")
    before = rf"{prefix}:" if prefix else r"(?:[\w.-]+:)?"
    return re.compile(_VOID + rf"|(<{before}{local}[\s/>])".encode(), re.IGNORECASE)
