"""The hierarchy of what was read, as a tree with counts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from urlset.cli.console import count_of, size_of
from urlset.reader import DocumentRecord
from urlset.terminal_text import Line, Span, sanitize
from urlset.urls import split_origin

__all__ = ["tree_lines"]


def tree_lines(records: Iterable[DocumentRecord]) -> Iterator[Line]:
    """A line for each document below who names it, with what it is, has, or why it failed."""
    yield from _Tree(list(records)).lines()


class _Tree:
    """Records by the one above them; an index is unfolded where it is read, and only there."""

    def __init__(self, records: list[DocumentRecord]):
        sources = {record.source for record in records}
        self._below: dict[str | None, list[DocumentRecord]] = {}
        self._tops: dict[str | None, list[DocumentRecord]] = {}
        for record in records:
            is_top = record.parent is None or record.parent not in sources
            (self._tops if is_top else self._below).setdefault(record.parent, []).append(record)

    def lines(self) -> Iterator[Line]:
        for parent, records in self._tops.items():
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
        below = self._below.pop(record.source, []) if record.kind == "index" else []
        name = Span(sanitize(_short(source, parent)), "place")
        yield (Span(branch, "excerpt"), name, Span("  "), *self._words(record, below))
        yield from self._nodes(below, source, indent)

    def _words(self, record: DocumentRecord, below: list[DocumentRecord]) -> Iterator[Span]:
        words = []
        if record.kind == "index":
            words = ["index", count_of(record.sitemaps, "sitemap")]
            words.append(count_of(self._entries_in(below), "entry", "entries"))
        elif record.kind is not None:
            words = [record.kind, count_of(record.entries, "entry", "entries")]
            words.append(size_of(record.packed_size))
        if record.same_as:
            words.append(f"the same as {record.same_as}")
        if record.skipped:
            words.append(f"skipped: {record.skipped}")
        if record.disallowed_by:
            words.append("disallowed by robots.txt")
        yield Span(sanitize(" · ".join(words)))
        if record.error:
            yield Span(sanitize(f"{' · ' if words else ''}failed: {record.error}"), "error")

    def _entries_in(self, records: list[DocumentRecord]) -> int:
        """Those in all documents below: an index that lists itself is no index a second time."""
        total = 0
        for record in records:
            total += record.entries
            if record.kind == "index":
                total += self._entries_in(self._below.get(record.source, []))
        return total


def _short(source: str, parent: str) -> str:
    """The path alone where scheme and host are those of the line above."""
    scheme, authority, path = split_origin(source)
    return (
        path
        if path and "://" in parent and split_origin(parent)[:2] == (scheme, authority)
        else source
    )
