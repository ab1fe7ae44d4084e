"""Where a problem stands: in which entry, and on what line."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from urlset.checker.model import Excerpt
from urlset.document import Document
from urlset.engine import source_offset
from urlset.model import Entry, Problem

__all__ = ["excerpt_of", "located"]

BEFORE, AFTER = 160, 240
"""Characters of a line that are kept around a finding: a document may be one line of 50 MB."""

_END = re.compile(rb"</(?:[\w.-]+:)?(?:url|item|entry)\s*>", re.IGNORECASE)
_STRAY_END = re.compile(rb"</(?:[\w.-]+:)?loc\s*>", re.IGNORECASE)
_STRAY = re.compile(rb"<(?:[\w.-]+:)?loc\b", re.IGNORECASE)  # an entry of its own (S016)
_LINE_END = re.compile(rb"[\r\n]")
_IN_PACKED = {"X025", "X026", "X028", "X029", "L009"}  # their offsets are not of the text
# They are about the whole document, whatever stands where they point.
_OF_DOCUMENT = {"X011", "X012", "X013", "T003", "L001", "L002", "L004", "L005", "L007"}


def located(document: Document) -> Iterator[tuple[Problem, str | None]]:
    """Give each problem the loc of the entry in which it stands, or None, in one pass over both."""
    if not document.problems:
        return
    entries = iter(document.entries)
    entry, following = None, next(entries, None)
    end: int | None = None
    for problem in document.problems:
        if problem.code in _IN_PACKED or problem.code in _OF_DOCUMENT:
            yield problem, None
            continue
        while following is not None and (following.offset or 0) <= problem.offset:
            entry, following, end = following, next(entries, None), None
        if entry is None:
            yield problem, None
            continue
        if end is None:  # only where it is needed, and once: a bad entry has a thousand problems
            end = _end_of(entry, following, document)
        yield problem, entry.loc if problem.offset < end else None


def excerpt_of(document: Document, problem_offset: int, code: str) -> Excerpt | None:
    """The line around an offset; None where that counts packed bytes."""
    if code in _IN_PACKED:
        return None
    text, place = document.text, _text_offset(document, problem_offset)
    # Beware: four bytes a character at most, so that enough is left when it is decoded.
    left = _LINE_END.split(text[max(0, place - 4 * BEFORE) : place])[-1]
    right = _LINE_END.split(text[place : place + 4 * AFTER], maxsplit=1)[0]
    before = left.decode(errors="ignore")[-BEFORE:]
    return Excerpt(before + right.decode(errors="ignore")[:AFTER], len(before))


def _end_of(entry: Entry, following: Entry | None, document: Document) -> int:
    """The offset behind an entry: its end tag, its line, or at the latest where the next begins."""
    text = document.text
    start = _text_offset(document, entry.offset or 0)
    stop = len(text) if following is None else _text_offset(document, following.offset or 0)
    pattern = _STRAY_END if _STRAY.match(text, start) else _END
    if document.kind == "text":
        pattern = _LINE_END
    found = pattern.search(text, start, max(start, stop))
    return source_offset(found.end() if found else stop, document.runs)


def _text_offset(document: Document, offset: int) -> int:
    """The inverse of :func:`urlset.engine.source_offset`."""
    runs = document.runs
    if not runs:
        return offset
    run = runs[max(0, bisect_right(runs, offset, key=lambda run: run.source_start) - 1)]
    return run.text_start + (offset - run.source_start) // run.source_width * run.text_width
