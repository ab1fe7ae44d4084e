"""Find the elements of a document: their byte ranges and names, and which are well nested.

An entry inside a well-nested element is content of that element. Inside any other element it
shows that an end tag is missing.

Nothing is decoded, repaired or reported, so this needs a small part of the time of a parse. Tags
begin and end where the parser sees them, also malformed ones.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter

from urlset.engine import ElementSpans
from urlset.engine.reference.context import Context
from urlset.engine.reference.prolog import read_prolog
from urlset.engine.reference.tokens import Tag, tags

_WITHOUT_CHILDREN = frozenset((b"lastmod", b"changefreq", b"priority"))  # never looked up


class _Open:
    """Open element; ``is_damaged`` if a tag inside it has no counterpart."""

    __slots__ = ("is_damaged", "name", "start")

    def __init__(self, name: bytes, start: int):
        self.name = name
        self.start = start
        self.is_damaged = False


def is_well_nested(context: Context, start: int) -> bool:
    """Return whether the element at ``start`` and each element in it has its end tag.

    The first call scans the document once; later calls look the answer up.
    """
    if context.well_nested is None:
        context.well_nested = _well_nested_elements(context.text, context.root_start)
    return start in context.well_nested


def _well_nested_elements(text: bytes, position: int) -> set[int]:
    found: set[int] = set()
    stack: list[_Open] = []
    count: Counter[bytes] = Counter()
    for name, start, _, is_end, is_empty in tags(text, position):
        if is_end:
            if not count[name]:
                if stack:
                    stack[-1].is_damaged = True
                continue
            is_damaged = False
            while (top := stack.pop()).name != name:
                count[top.name] -= 1
                is_damaged = True
            count[name] -= 1
            is_damaged = is_damaged or top.is_damaged
            if not is_damaged and name not in _WITHOUT_CHILDREN:
                found.add(top.start)
            if is_damaged and stack:
                stack[-1].is_damaged = True
        elif not is_empty:
            stack.append(_Open(name, start))
            count[name] += 1
    return found


_ENTRY = re.compile(rb"(?:.*:)?(?:url|sitemap|item|entry)", re.IGNORECASE | re.DOTALL)


def element_spans(text: bytes) -> ElementSpans:
    """Return the elements of a document; none if it is not XML."""
    form, root = read_prolog(Context(text, None, None, []))
    builder = _Builder()
    for tag in tags(text, root) if form == "xml" else ():
        if tag.is_end:
            builder.close(tag)
        else:
            builder.open(tag)
    return builder.finish(len(text))


class _Builder:
    """Builder of the columns of elements; keeps the open elements by row number."""

    def __init__(self) -> None:
        self.starts, self.content_starts = array("q"), array("q")
        self.content_ends, self.ends = array("q"), array("q")
        self.parents, self.following = array("i"), array("i")
        self.names, self.entries = array("i"), array("i")
        self.name_table: list[bytes] = []
        self.cuts: dict[int, int] = {}  # entry: start of the first entry in it
        self.stack: list[int] = []
        self.open_entries: list[int] = []
        self.ids: dict[bytes, int] = {}
        self.lower_ids: dict[bytes, int] = {}  # names in lower case
        self.lower: list[int] = []  # id of the lower case of each name
        self.is_entry: list[bool] = []
        self.open_names: list[int] = []  # number of open elements of each name
        self.open_lower: list[int] = []  # the same, for names in lower case

    def open(self, tag: Tag) -> None:
        """Add the element of a start tag."""
        row, name = len(self.starts), self._id(tag.name)
        self.starts.append(tag.start)
        for column in (self.content_starts, self.content_ends, self.ends):
            column.append(tag.end)
        self.parents.append(self.stack[-1] if self.stack else -1)
        self.following.append(row + 1)
        self.names.append(name)
        if self.is_entry[name]:
            self.entries.append(row)
            if self.open_entries:
                self.cuts.setdefault(self.open_entries[-1], tag.start)
        if not tag.is_empty:
            self.stack.append(row)
            self.open_names[name] += 1
            self.open_lower[self.lower[name]] += 1
            if self.is_entry[name]:
                self.open_entries.append(row)

    def close(self, tag: Tag) -> None:
        """End the innermost element of a name and all in it; letter case is the fallback."""
        name = self.ids.get(tag.name)
        lower = self.lower_ids.get(tag.name.lower())
        if name is not None and self.open_names[name]:
            while self.names[self.stack[-1]] != name:
                self._pop_unclosed(tag.start)
        elif lower is not None and self.open_lower[lower]:
            while self.lower[self.names[self.stack[-1]]] != lower:
                self._pop_unclosed(tag.start)
        else:
            return
        row = self._pop()
        self.content_ends[row], self.ends[row] = tag.start, tag.end

    def finish(self, end: int) -> ElementSpans:
        """End all open elements; return the columns."""
        while self.stack:
            self._pop_unclosed(end)
        return ElementSpans(
            self.starts,
            self.content_starts,
            self.content_ends,
            self.ends,
            self.parents,
            self.following,
            self.names,
            self.entries,
            self.name_table,
        )

    def _pop(self) -> int:
        row = self.stack.pop()
        name = self.names[row]
        self.following[row] = len(self.starts)
        self.open_names[name] -= 1
        self.open_lower[self.lower[name]] -= 1
        if self.is_entry[name]:
            self.open_entries.pop()
        return row

    def _pop_unclosed(self, end: int) -> None:
        entry = self.open_entries[-1] if self.open_entries else -1
        row = self._pop()
        cut = self.cuts.get(entry, -1)
        self.content_ends[row] = self.ends[row] = cut if cut > self.starts[row] else end

    def _id(self, name: bytes) -> int:
        found = self.ids.get(name)
        if found is not None:
            return found
        found = self.ids[name] = len(self.name_table)
        lower = self.lower_ids.setdefault(name.lower(), len(self.lower_ids))
        self.name_table.append(name)
        self.lower.append(lower)
        self.is_entry.append(_ENTRY.fullmatch(name) is not None)
        self.open_names.append(0)
        if lower == len(self.open_lower):
            self.open_lower.append(0)
        return found
