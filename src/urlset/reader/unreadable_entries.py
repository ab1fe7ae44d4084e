"""Find the entries of a document that have no readable URL, and are omitted."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from functools import cached_property
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from urlset.document import Document, text_offset
from urlset.engine_rules import RULES
from urlset.model import Problem
from urlset.protocol import MAX_LOC
from urlset.urls import SPACE

if TYPE_CHECKING:
    from urlset.formats.spans import DocumentSpans, ElementSpan

_RELATIVE = "U001"
"""Code of a relative URL. With a base, most are resolved, and the entry is read."""

_LINE = "T001"
"""Code of a line of a list of URLs that is not a URL."""

_TOO_LONG = "U003"
"""Code of a long URL. The entry is read, unless the URL is too long for the memory."""

_MISSING = frozenset({"S007", "F002"})
"""Codes of an entry and of a feed item without a URL; the problem is at the entry itself."""

_INVALID = frozenset({"U002", "U015"})
"""Codes of a URL that is never read."""

_CODES = frozenset({_RELATIVE, _LINE, _TOO_LONG, *_MISSING, *_INVALID})
_LISTS = ("text", "unknown")
_FEEDS = ("rss", "atom")
_HTTP = re.compile(r"https?://", re.IGNORECASE | re.ASCII)
_ENTRY = re.compile(rb"<(?:[\w.-]{1,64}:)?(?:url|sitemap)(?=[\s/>])")
_FEED_ENTRY = re.compile(rb"<(?:[\w.-]{1,64}:)?(?:item|entry)(?=[\s/>])")
_LINE_WITH_TEXT = re.compile(rb"(?:^|[\r\n])[ \t]*+[^ \t\r\n#]")


class UnreadableEntry(NamedTuple):
    """Entry that is omitted: the problem of its URL, and its URL as it is in the document.

    ``loc`` is empty for an entry without a URL, and None if a store does not have the text.
    """

    problem: Problem
    loc: str | None


def unreadable_entries(document: Document) -> Iterator[UnreadableEntry]:
    r"""Yield each entry whose URL is missing or not readable.

    Only problems that the document kept are searched: the first 10,000 of each rule. A document of
    a store has no text, so that only entries are found that are never read.

    >>> from urlset import parse
    >>> [found.loc for found in unreadable_entries(parse(b"https://example.com/\nfoo\n"))]
    ['foo']
    """
    problems = [problem for problem in document.problems if problem.code in _CODES]
    if not problems:
        return
    if not document.text:
        for problem in problems:
            if problem.code in _MISSING | _INVALID:
                yield UnreadableEntry(problem, None)
    elif document.kind in _LISTS:
        yield from _lines(document, problems)
    else:
        yield from _Markup(document).unreadable(problems)


def unreadable_count(document: Document) -> int:
    """Return the number of these entries, also in a document with more than 10,000 problems."""
    if not document.problems and not document.omitted:
        return 0
    never_read = _INVALID if document.base_url else {*_INVALID, _RELATIVE}
    problems = [problem for problem in document.problems if problem.code in _CODES]
    if document.kind not in _LISTS and all(problem.code in never_read for problem in problems):
        # Note: the elements of a document are not needed then, which are read more slowly.
        groups = groupby(problems, _place)
        count = sum(len(_invalid(list(group))) or 1 for _, group in groups)
    else:
        count = sum(1 for _ in unreadable_entries(document))
    if not any(document.omitted.get(RULES[code].name) for code in _CODES):
        return count
    if document.kind in _LISTS:
        lines = sum(1 for _ in _LINE_WITH_TEXT.finditer(document.text))
        return max(count, lines - len({entry.offset for entry in document.entries}))
    return max(count, _Markup(document).count_unread())


def _place(problem: Problem) -> tuple[int, int]:
    return problem.offset, problem.end


def _invalid(problems: list[Problem]) -> list[Problem]:
    """Return the problems of URLs that are never read.

    A URL that begins with http(s) is not relative: it has invalid characters.
    """
    return [
        problem
        for problem in problems
        if problem.code in _INVALID or (problem.code == _RELATIVE and _HTTP.match(problem.detail))
    ]


def _lines(document: Document, problems: list[Problem]) -> Iterator[UnreadableEntry]:
    """Yield the lines of a list, and the URLs in them, that are not readable; not comments."""
    for problem in problems:
        if problem.code == _TOO_LONG or (problem.code == _LINE and problem.detail[:1] == "#"):
            continue
        start, end = (text_offset(document, x) for x in (problem.offset, problem.end))
        line = document.text[start:end].decode(errors="replace")
        yield UnreadableEntry(problem, _shortened(line))


class _Markup:
    """Elements of a document, with the offsets of the entries that were read."""

    def __init__(self, document: Document):
        self._document = document
        self._is_feed = document.kind in _FEEDS
        self._entry_names = ("item", "entry") if self._is_feed else ("url", "sitemap")
        self._first_locs: dict[tuple[int, str], int | None] = {}

    @cached_property
    def _spans(self) -> DocumentSpans:
        from urlset.formats.spans import DocumentSpans  # most documents do not need it

        return DocumentSpans(self._document.text, self._document.engine)

    @cached_property
    def _read(self) -> list[int]:
        """Offsets in the text of the entries and sitemaps that were read."""
        lists = (self._document.entries, self._document.sitemaps)
        return sorted(
            text_offset(self._document, row.offset)
            for rows in lists
            for row in rows
            if row.offset is not None
        )

    def unreadable(self, problems: list[Problem]) -> Iterator[UnreadableEntry]:
        """Yield the entries, and further URLs in them, that have one of the problems."""
        for (offset, _), group in groupby(problems, _place):
            found = list(group)
            start = text_offset(self._document, offset)
            if found[0].code in _MISSING:
                entry = self._spans.starting_at(start)
                if entry is None or not self._has_read(entry):
                    yield UnreadableEntry(found[0], "")
                continue
            # A link of a feed is reported at its start tag, a loc after it.
            place = self._spans.starting_at(start) if self._is_feed else None
            place = place or self._spans.tag_at(start - 1)
            invalid = _invalid(found)
            if not invalid and (place is None or not self._is_read(place)):
                invalid = found[:1]
            for problem in invalid:
                yield UnreadableEntry(problem, problem.detail if place is None else _url_of(place))

    def count_unread(self) -> int:
        """Return the number of start tags of entries less that of the entries that were read.

        Note: with millions of entries in a document, a walk over its elements would take minutes.
        """
        tags = _FEED_ENTRY if self._is_feed else _ENTRY
        return sum(1 for _ in tags.finditer(self._document.text)) - len({*self._read})

    def _has_read(self, element: ElementSpan) -> bool:
        """Return whether an entry was read that begins in an element."""
        row = bisect_left(self._read, element.start)
        return row < len(self._read) and self._read[row] < element.end

    def _is_read_at(self, element: ElementSpan) -> bool:
        row = bisect_left(self._read, element.start)
        return row < len(self._read) and self._read[row] == element.start

    def _is_read(self, place: ElementSpan) -> bool:
        """Return whether an entry was read from a loc, a link of a feed, or the text of an entry.

        The entry of the first URL has the offset of the element around it, that of any further one
        the offset of its loc.
        """
        if self._is_read_at(place):
            return True
        entry = place.parent
        while entry is not None and entry.local_name not in self._entry_names:
            entry = entry.parent
        if entry is None or not self._is_read_at(entry):
            return False
        return self._is_feed or place.row == self._first_loc(entry, place.prefix)

    def _first_loc(self, entry: ElementSpan, prefix: str) -> int | None:
        """Return the row of the first loc of an entry that is not empty.

        The locs of images have another prefix.
        """
        key = entry.row, prefix
        if key not in self._first_locs:
            self._first_locs[key] = next(
                (
                    loc.row
                    for loc in entry.descendants("loc")
                    if loc.prefix == prefix and loc.content.strip()
                ),
                None,
            )
        return self._first_locs[key]


def _url_of(place: ElementSpan) -> str:
    """Return the text of a loc or link, or the href of a link, as it is in the document."""
    from urlset.formats.spans import decode_text

    text = place.attribute("href")
    if text is None:
        text = decode_text(place.content)
    return _shortened(place.content.decode(errors="replace") if text is None else text)


def _shortened(text: str) -> str:
    return text.strip(SPACE)[:MAX_LOC]
