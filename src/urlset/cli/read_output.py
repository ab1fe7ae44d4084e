"""Output of urlset read for terminals: tables of entries and of query results, trees."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from itertools import groupby, islice
from typing import TYPE_CHECKING

from urlset.cli.console import format_size
from urlset.model import Entry
from urlset.reader import DocumentRecord
from urlset.reader.row_formats import w3c_lastmod
from urlset.terminal_text import Line, Span, cells, clip, pluralize, sanitize
from urlset.urls import split_origin

if TYPE_CHECKING:
    from urlset.store import QueryResult

CHUNK = 1_000
"""Rows whose columns have the same widths: a table of any length is shown while it is read."""

_GAP = "  "
_WIDE_LOC, _MIN_LOC = 40, 24
_MIN_COLUMN = 8  # cells of a column of a query result that are not given up for other columns
_DATE_LENGTH = len("2026-01-31")
_MAX_NUMBER = 10  # characters of a number that are shown as they are
# Field of an entry to heading; images, videos, news and alternates are counted.
_HEADINGS = {
    "loc": "loc",
    "lastmod": "lastmod",
    "changefreq": "freq",
    "priority": "prio",
    "images": "img",
    "videos": "vid",
    "news": "news",
    "alternates": "alt",
}
_RIGHT_ALIGNED = {"priority", "images", "videos", "news", "alternates"}


def entry_table(
    entries: Iterable[Entry], render: Callable[[Line], str], width: int
) -> Iterator[str]:
    """Yield the lines of a table for each document, with the columns that have a value.

    A URL that is too long is shortened in its middle. If the loc column would be narrow,
    ``lastmod`` is shown without its time. After :data:`CHUNK` rows a new table begins.
    """
    is_first = True
    for source, group in groupby(entries, key=lambda entry: entry.source):
        while chunk := list(islice(group, CHUNK)):
            if not is_first:
                yield "\n"
            is_first = False
            yield f"{render((Span(sanitize(source or ''), 'place'),))}\n"
            yield from (f"{render(line)}\n" for line in _entry_chunk(chunk, width))


def query_table(result: QueryResult, render: Callable[[Line], str], width: int) -> Iterator[str]:
    """Yield the lines of a query result as a table; numbers are aligned to the right.

    After :data:`CHUNK` rows a new table begins. The arguments are those of :func:`entry_table`.
    """
    rows = result.texts()
    headings = [sanitize(name) for name in result.columns]
    is_first = True
    while (chunk := list(islice(rows, CHUNK))) or is_first:
        if not is_first:
            yield "\n"
        is_first = False
        shown = [
            [
                _rounded(value or "") if is_number else sanitize(value or "")
                for value, is_number in zip(row, result.are_numbers, strict=True)
            ]
            for row in chunk
        ]
        widths = _shrunk_widths([headings, *shown], width)
        table = _table(headings, shown, widths, result.are_numbers)
        yield from (f"{render(line)}\n" for line in table)


# ── tables ──


def _entry_chunk(entries: list[Entry], width: int) -> Iterator[Line]:
    columns = {name: [_cell(name, entry) for entry in entries] for name in _HEADINGS}
    columns = {name: values for name, values in columns.items() if any(values) or name == "loc"}
    if "lastmod" in columns and _loc_width(columns, width) < _WIDE_LOC:
        columns["lastmod"] = [value[:_DATE_LENGTH] for value in columns["lastmod"]]
    widths = {name: _needed_width(name, values) for name, values in columns.items()}
    widths["loc"] = max(min(widths["loc"], _loc_width(columns, width)), _MIN_LOC)
    headings = [_HEADINGS[name] for name in columns]
    rows = [list(values) for values in zip(*columns.values(), strict=True)]
    yield from _table(headings, rows, [*widths.values()], [n in _RIGHT_ALIGNED for n in columns])


def _cell(name: str, entry: Entry) -> str:
    if name == "lastmod":
        return w3c_lastmod(entry) or ""
    value = getattr(entry, name)
    if name == "news":
        return "" if value is None else "1"
    if isinstance(value, tuple):
        return str(len(value)) if value else ""
    return "" if value is None else sanitize(str(value))


def _loc_width(columns: dict[str, list[str]], width: int) -> int:
    """Return the terminal cells that the other columns leave for the loc."""
    others = [_needed_width(name, values) for name, values in columns.items() if name != "loc"]
    return width - sum(others) - len(_GAP) * len(others)


def _rounded(number: str) -> str:
    """Return a long number with six digits or two decimals: cut in the middle it would mislead.

    >>> _rounded("0.0047123500054769"), _rounded("1234567.25000001"), _rounded("12.50")
    ('0.00471235', '1234567.25', '12.50')
    """
    if len(number) <= _MAX_NUMBER or "." not in number:
        return number
    value = Decimal(number)
    if "e" in number:
        return f"{value:.6g}"
    return f"{value:.{max(2, 5 - value.adjusted())}f}"


def _needed_width(name: str, values: list[str]) -> int:
    return max(cells(_HEADINGS[name]), *map(cells, values))


def _shrunk_widths(rows: Iterable[list[str]], width: int) -> list[int]:
    """Return the width that each column needs; the widest columns shrink until all fit."""
    needed = [max(map(cells, column)) for column in zip(*rows, strict=True)]
    available = width - len(_GAP) * (len(needed) - 1)
    while sum(needed) > available and max(needed) > _MIN_COLUMN:
        widest = needed.index(max(needed))
        next_width = max([_MIN_COLUMN, *(n for n in needed if n < needed[widest])])
        needed[widest] = max(next_width, needed[widest] - (sum(needed) - available))
        if needed.count(needed[widest]) > 1 and sum(needed) > available:
            # Several columns are the widest: all of them shrink by one cell at a time.
            maximum = max(needed)
            needed = [max(_MIN_COLUMN, n - 1) if n == maximum else n for n in needed]
    return needed


def _table(
    headings: list[str], rows: Iterable[list[str]], widths: list[int], are_right: list[bool]
) -> Iterator[Line]:
    yield (Span(_row(headings, widths, are_right), "heading"),)
    yield (Span(_row(["─" * width for width in widths], widths, are_right), "excerpt"),)
    for values in rows:
        yield (Span(_row(values, widths, are_right)),)


def _row(values: list[str], widths: list[int], are_right: list[bool]) -> str:
    fitted = []
    for value, width, is_right in zip(values, widths, are_right, strict=True):
        text = clip(value, width)
        padding = " " * (width - cells(text))
        fitted.append(padding + text if is_right else text + padding)
    return _GAP.join(fitted).rstrip()


# ── the tree of documents ──


class DocumentTree:
    """Tree of document records by parent; the children of an index are listed once."""

    def __init__(self, records: list[DocumentRecord]):
        sources = {record.source for record in records}
        self._children: dict[str | None, list[DocumentRecord]] = {}
        self._roots: dict[str | None, list[DocumentRecord]] = {}
        for record in records:
            is_root = record.parent is None or record.parent not in sources
            group = self._roots if is_root else self._children
            group.setdefault(record.parent, []).append(record)

    def lines(self) -> Iterator[Line]:
        """Yield a line for each document: its kind and its counts, or why it was not read."""
        for parent, records in self._roots.items():
            if parent is None:
                for record in records:
                    yield from self._node(record, "", "", "")
            else:
                yield (Span(sanitize(parent), "place"),)
                yield from self._nodes(records, parent, "")

    def _nodes(self, records: list[DocumentRecord], parent: str, indent: str) -> Iterator[Line]:
        for number, record in enumerate(records, 1):
            is_last = number == len(records)
            branch, bar = ("└── ", "    ") if is_last else ("├── ", "│   ")
            yield from self._node(record, indent + branch, indent + bar, parent)

    def _node(
        self, record: DocumentRecord, branch: str, indent: str, parent: str
    ) -> Iterator[Line]:
        source = record.source or "stdin"
        children = self._children.pop(record.source, []) if record.kind == "index" else []
        name = Span(sanitize(_without_origin(source, parent)), "place")
        yield (Span(branch, "excerpt"), name, Span("  "), *self._description(record, children))
        yield from self._nodes(children, source, indent)

    def _description(
        self, record: DocumentRecord, children: list[DocumentRecord]
    ) -> Iterator[Span]:
        parts = []
        if record.kind == "index":
            entries = pluralize(self._entries_in(children), "entry", "entries")
            parts = ["index", pluralize(record.sitemaps, "sitemap"), entries]
        elif record.kind is not None:
            entries = pluralize(record.entries, "entry", "entries")
            parts = [record.kind, entries, format_size(record.packed_size)]
        if record.same_as:
            parts.append(f"the same as {record.same_as}")
        if record.skipped:
            parts.append(f"skipped: {record.skipped}")
        if record.disallowed_by:
            parts.append("disallowed by robots.txt")
        yield Span(sanitize(" · ".join(parts)))
        if record.error:
            yield Span(sanitize(f"{' · ' if parts else ''}failed: {record.error}"), "error")

    def _entries_in(self, records: list[DocumentRecord]) -> int:
        """Count the entries in documents and all below; an index that lists itself counts once."""
        total = 0
        for record in records:
            total += record.entries
            if record.kind == "index":
                total += self._entries_in(self._children.get(record.source, []))
        return total


def _without_origin(source: str, parent: str) -> str:
    """Return the source of a document as a path if scheme and host are those of the parent."""
    scheme, authority, path = split_origin(source)
    is_same = "://" in parent and split_origin(parent)[:2] == (scheme, authority)
    return path if path and is_same else source
