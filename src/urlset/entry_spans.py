"""Map the problems of a document to the entries that contain them."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple

from urlset.document import Document
from urlset.engine import source_offset
from urlset.model import Entry, Problem

__all__ = ["IN_PACKED", "ProblemLocation", "locate_problems", "text_offset"]

IN_PACKED = {"X025", "X026", "X028", "X029", "L009"}
"""Rules about compression: their offsets are not positions in the text."""

_END = re.compile(rb"</(?:[\w.-]+:)?(?:url|item|entry)\s*>", re.IGNORECASE)
_STRAY_END = re.compile(rb"</(?:[\w.-]+:)?loc\s*>", re.IGNORECASE)
_STRAY = re.compile(rb"<(?:[\w.-]+:)?loc\b", re.IGNORECASE)  # outside an entry (S016)
_NO_END = 1 << 62  # a document from a store has no text
_LINE_END = re.compile(rb"[\r\n]")
# Rules about the whole document; their offsets do not point to an entry.
_OF_DOCUMENT = {"X011", "X012", "X013", "T003", "L001", "L002", "L004", "L005", "L007"}


class ProblemLocation(NamedTuple):
    """A problem, with the number (from 1) and the loc of the entry that contains it, if any."""

    problem: Problem
    entry: int | None
    loc: str | None


def locate_problems(document: Document) -> Iterator[ProblemLocation]:
    """Yield each problem with the entry that contains it, in one pass over both."""
    if not document.problems:
        return
    entries = iter(document.entries)
    number, entry, following = 0, None, next(entries, None)
    end: int | None = None
    for problem in document.problems:
        if problem.code in IN_PACKED or problem.code in _OF_DOCUMENT:
            yield ProblemLocation(problem, None, None)
            continue
        while following is not None and (following.offset or 0) <= problem.offset:
            entry, following, end = following, next(entries, None), None
            number += 1
        if entry is None:
            yield ProblemLocation(problem, None, None)
            continue
        if end is None:  # only if needed, and once: a bad entry may have a thousand problems
            end = _end_of(entry, following, document)
        is_within = problem.offset < end
        yield ProblemLocation(
            problem, number if is_within else None, entry.loc if is_within else None
        )


def text_offset(document: Document, offset: int) -> int:
    """Return the offset in the text for one in the source; inverse of ``engine.source_offset``."""
    runs = document.runs
    if not runs:
        return offset
    run = runs[max(0, bisect_right(runs, offset, key=lambda run: run.source_start) - 1)]
    return run.text_start + (offset - run.source_start) // run.source_width * run.text_width


def _end_of(entry: Entry, following: Entry | None, document: Document) -> int:
    """Return the end offset of an entry: of its end tag or line, at most the next entry."""
    text = document.text
    start = text_offset(document, entry.offset or 0)
    end = len(text) or _NO_END
    stop = end if following is None else text_offset(document, following.offset or 0)
    pattern = _STRAY_END if _STRAY.match(text, start) else _END
    if document.kind == "text":
        pattern = _LINE_END
    found = pattern.search(text, start, max(start, stop))
    return source_offset(found.end() if found else stop, document.runs)
