"""The elements of one entry, with the places of everything that can be changed in them."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from urlset.engine.reference.values import HTML_ENTITIES, NAME

__all__ = ["TOKEN", "AttributeSpan", "ElementSpan", "EntrySpans", "decoded", "parse_element"]

TOKEN = re.compile(
    rb"<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>"
    rb"|<(/?)(" + NAME + rb")((?>(?:[^<>\"']++|\"[^\"<]*+\"|'[^'<]*+')*))>",
    re.DOTALL,
)
"""A comment, a section, an instruction or a tag: whether it is an end tag, its name, its rest."""

_ENTRY = re.compile(
    rb"<!--.*?-->|<!\[CDATA\[.*?\]\]>|(<)(?>(?:[\w.-]++:)?)(?:url|sitemap|item|entry)(?=[\s/>])",
    re.DOTALL | re.IGNORECASE,
)
_ATTRIBUTE = re.compile(
    rb"\s*+(" + NAME + rb")\s*+=\s*+(?:\"([^\"]*+)\"|'([^']*+)'|([^\s\"'<>=`]++))"
)
_PIECE = re.compile(rb"<!--.*?-->|<!\[CDATA\[(.*?)\]\]>|<\?.*?\?>|&([^;&<\s]{1,40});", re.DOTALL)
_NAMED = {b"amp": "&", b"lt": "<", b"gt": ">", b"quot": '"', b"apos": "'"}


class AttributeSpan(NamedTuple):
    """An attribute: ``start`` is before the white space in front of it."""

    name: str
    start: int
    value_start: int
    value_end: int
    end: int


class ElementSpan:
    """One element; places are in the whole text.

    ``start`` and ``tag_end`` span the start tag, ``close`` and ``end`` the end tag, which is
    empty for ``<a/>`` and where it is missing. ``parent`` is None for the entry.
    """

    def __init__(self, data: bytes, found: re.Match[bytes], parent: ElementSpan | None):
        self.data = data
        self.raw = found[2].decode(errors="replace")
        self.start, self.tag_end = found.span()
        self.rest_start = found.start(3)
        self.close = self.end = self.tag_end
        self.is_empty = found[3].endswith(b"/")
        self.is_whole = self.is_empty
        self.parent = parent
        self.children: list[ElementSpan] = []

    @property
    def local(self) -> str:
        """The name without its prefix, in lower case."""
        return self.raw.rpartition(":")[2].lower()

    @property
    def prefix(self) -> str:
        """What stands before the colon, mostly nothing."""
        return self.raw.rpartition(":")[0]

    @property
    def content(self) -> bytes:
        """What stands between the tags."""
        return self.data[self.tag_end : self.close]

    @property
    def text(self) -> str | None:
        """The text inside; None where elements are among it, or what cannot be decoded."""
        return None if self.children else decoded(self.content)

    @property
    def trimmed(self) -> str:
        """The text inside without white space around it, empty where there is none."""
        return (self.text or "").strip()

    def all(self, *names: str) -> Iterator[ElementSpan]:
        """The elements within that have one of these local names, in document order."""
        for child in self.children:
            if child.local in names:
                yield child
            yield from child.all(*names)

    def child(self, name: str) -> ElementSpan | None:
        """The first element directly inside of that local name."""
        return next((child for child in self.children if child.local == name), None)

    @cached_property
    def attributes(self) -> list[AttributeSpan]:
        """The attributes, in their order, those given twice as well."""
        found = _ATTRIBUTE.finditer(self.data, self.rest_start, self.tag_end)
        return [
            AttributeSpan(a[1].decode(errors="replace"), a.start(), *_value_span(a), a.end())
            for a in found
        ]

    def attribute(self, name: str) -> str | None:
        """The text of the first attribute of that name."""
        for found in self.attributes:
            if found.name == name:
                return decoded(self.data[found.value_start : found.value_end])
        return None

    def span(self) -> tuple[int, int]:
        """The element with the white space before it, so that none is left behind."""
        start = self.start
        while start and self.data[start - 1] in b" \t\r\n":
            start -= 1
        return start, self.end


def _value_span(found: re.Match[bytes]) -> tuple[int, int]:
    return next(found.span(group) for group in (2, 3, 4) if found[group] is not None)


def decoded(raw: bytes) -> str | None:
    """What character data mean; None where an entity in it is unknown.

    >>> decoded(b"a&amp;<![CDATA[b&]]>")
    'a&b&'
    """
    pieces: list[str] = []
    position = 0
    for found in _PIECE.finditer(raw):
        pieces.append(raw[position : found.start()].decode(errors="replace"))
        piece = _piece(found)
        if piece is None:
            return None
        pieces.append(piece)
        position = found.end()
    pieces.append(raw[position:].decode(errors="replace"))
    return "".join(pieces).replace("\r\n", "\n").replace("\r", "\n")


def _piece(found: re.Match[bytes]) -> str | None:
    section, name = found.groups()
    if section is not None:
        return str(section.decode(errors="replace"))
    if name is None:
        return ""
    if name[:1] != b"#":
        return _NAMED.get(name) or HTML_ENTITIES.get(name)
    try:
        is_hex = name[1:2] in b"xX"
        return chr(int(name[2:], 16) if is_hex else int(name[1:]))
    except (ValueError, OverflowError):
        return None


def parse_element(data: bytes, start: int) -> ElementSpan | None:
    """The element that begins at ``start``, to its end or to that of the document."""
    top: ElementSpan | None = None
    open_: list[ElementSpan] = []
    position = start
    while found := TOKEN.search(data, position):
        if found[2] is not None and not found[1]:
            element = ElementSpan(data, found, open_[-1] if open_ else None)
            if open_:
                open_[-1].children.append(element)
            top = top or element
            if not element.is_empty:
                open_.append(element)
        elif found[1]:
            _close(open_, found)
        position = found.end()
        if top is None or not open_:
            break
    if top is not None and open_:
        for element in open_:
            element.close = element.end = position
    return top


def _close(open_: list[ElementSpan], found: re.Match[bytes]) -> None:
    """End the nearest element of that name, and all inside it."""
    name = found[2].decode(errors="replace").lower()
    depth = next((n for n in reversed(range(len(open_))) if open_[n].raw.lower() == name), None)
    while depth is not None and len(open_) > depth:
        element = open_.pop()
        element.close = element.end = found.start()
        if len(open_) == depth:
            element.end, element.is_whole = found.end(), True


class EntrySpans:
    """Where the entries of a document begin; each is parsed when it is asked for."""

    def __init__(self, data: bytes):
        self._data = data
        self._parsed: dict[int, ElementSpan | None] = {}

    @cached_property
    def starts(self) -> list[int]:
        """The places of all start tags of entries."""
        return [found.start(1) for found in _ENTRY.finditer(self._data) if found[1]]

    def around(self, at: int) -> ElementSpan | None:
        """The entry in which a place is."""
        number = bisect_right(self.starts, at) - 1
        entry = self.beginning(self.starts[number]) if number >= 0 else None
        return entry if entry is not None and at < max(entry.end, entry.tag_end) else None

    def beginning(self, start: int) -> ElementSpan | None:
        """The element that begins there."""
        if start not in self._parsed:
            self._parsed[start] = parse_element(self._data, start)
        return self._parsed[start]
