"""Elements of a sitemap entry with the byte ranges of tags, text and attributes."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from urlset.engine.reference.values import HTML_ENTITIES, NAME
from urlset.protocol import FIND_ROOT

__all__ = [
    "TOKEN",
    "AttributeSpan",
    "ElementSpan",
    "EntrySpans",
    "decode_text",
    "parse_element",
    "parse_tag",
    "root_tag",
]

TOKEN = re.compile(
    rb"<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>"
    rb"|<(/?)(" + NAME + rb")((?>(?:[^<>\"']++|\"[^\"<]*+\"|'[^'<]*+')*))>",
    re.DOTALL,
)
"""Comment, CDATA section, processing instruction, or tag with the groups: slash, name, rest."""

_ENTRY = re.compile(
    rb"<!--.*?-->|<!\[CDATA\[.*?\]\]>|(<)(?>(?:[\w.-]++:)?)(?:url|sitemap|item|entry)(?=[\s/>])",
    re.DOTALL | re.IGNORECASE,
)
_ROOT = re.compile(rb"<!--.*?-->|(" + FIND_ROOT.pattern + rb")", re.IGNORECASE | re.DOTALL)
_ATTRIBUTE = re.compile(
    rb"\s*+(" + NAME + rb")\s*+=\s*+(?:\"([^\"]*+)\"|'([^']*+)'|([^\s\"'<>=`]++))"
)
_PIECE = re.compile(rb"<!--.*?-->|<!\[CDATA\[(.*?)\]\]>|<\?.*?\?>|&([^;&<\s]{1,40});", re.DOTALL)
_NAMED = {b"amp": "&", b"lt": "<", b"gt": ">", b"quot": '"', b"apos": "'"}


class AttributeSpan(NamedTuple):
    """Attribute with its ranges; ``start`` is before the white space that precedes it."""

    name: str
    start: int
    value_start: int
    value_end: int
    end: int


class ElementSpan:
    """XML element with its ranges in the text.

    ``start`` to ``content_start`` is the start tag, ``content_end`` to ``end`` the end tag, which
    is empty for ``<a/>`` and if it is missing. ``parent`` is None for the entry itself.
    """

    def __init__(self, data: bytes, found: re.Match[bytes], parent: ElementSpan | None):
        self.data = data
        self.qname = found[2].decode(errors="replace")
        self.start, self.content_start = found.span()
        self.attributes_start = found.start(3)
        self.content_end = self.end = self.content_start
        self.is_empty = found[3].endswith(b"/")
        self.is_complete = self.is_empty
        self.parent = parent
        self.children: list[ElementSpan] = []

    @property
    def local_name(self) -> str:
        """Name without prefix, in lower case."""
        return self.qname.rpartition(":")[2].lower()

    @property
    def prefix(self) -> str:
        """Namespace prefix; usually empty."""
        return self.qname.rpartition(":")[0]

    @property
    def content(self) -> bytes:
        """Bytes between the tags."""
        return self.data[self.content_start : self.content_end]

    @property
    def text(self) -> str | None:
        """Decoded text; None if the element has child elements or an unknown entity."""
        return None if self.children else decode_text(self.content)

    @property
    def stripped(self) -> str:
        """Decoded text without surrounding white space; empty if there is none."""
        return (self.text or "").strip()

    def descendants(self, *names: str) -> Iterator[ElementSpan]:
        """Yield the descendants with one of these local names, in document order."""
        for child in self.children:
            if child.local_name in names:
                yield child
            yield from child.descendants(*names)

    def child(self, name: str) -> ElementSpan | None:
        """Return the first child with this local name."""
        return next((child for child in self.children if child.local_name == name), None)

    @cached_property
    def attributes(self) -> list[AttributeSpan]:
        """Attributes in document order, including duplicates."""
        found = _ATTRIBUTE.finditer(self.data, self.attributes_start, self.content_start)
        return [
            AttributeSpan(a[1].decode(errors="replace"), a.start(), *_value_span(a), a.end())
            for a in found
        ]

    def attribute(self, name: str) -> str | None:
        """Return the decoded value of the first attribute with this name."""
        for found in self.attributes:
            if found.name == name:
                return decode_text(self.data[found.value_start : found.value_end])
        return None

    def span(self) -> tuple[int, int]:
        """Return the range of the element with the white space before it."""
        start = self.start
        while start and self.data[start - 1] in b" \t\r\n":
            start -= 1
        return start, self.end


def _value_span(found: re.Match[bytes]) -> tuple[int, int]:
    return next(found.span(group) for group in (2, 3, 4) if found[group] is not None)


def decode_text(raw: bytes) -> str | None:
    """Decode entities and CDATA sections in character data; None for an unknown entity.

    >>> decode_text(b"a&amp;<![CDATA[b&]]>")
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
    """Parse the element that starts at ``start``, to its end tag or the end of the document."""
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
            element.content_end = element.end = position
    return top


def _close(open_: list[ElementSpan], found: re.Match[bytes]) -> None:
    """Close the innermost open element with this name, and all elements in it."""
    name = found[2].decode(errors="replace").lower()
    depth = next((n for n in reversed(range(len(open_))) if open_[n].qname.lower() == name), None)
    while depth is not None and len(open_) > depth:
        element = open_.pop()
        element.content_end = element.end = found.start()
        if len(open_) == depth:
            element.end, element.is_complete = found.end(), True


class EntrySpans:
    """Positions of the entries of a document; each entry is parsed on first access."""

    def __init__(self, data: bytes):
        self._data = data
        self._parsed: dict[int, ElementSpan | None] = {}

    @cached_property
    def starts(self) -> list[int]:
        """Offsets of the start tags of all entries."""
        return [found.start(1) for found in _ENTRY.finditer(self._data) if found[1]]

    def containing(self, at: int) -> ElementSpan | None:
        """Return the entry that contains an offset."""
        number = bisect_right(self.starts, at) - 1
        entry = self.starting_at(self.starts[number]) if number >= 0 else None
        return entry if entry is not None and at < max(entry.end, entry.content_start) else None

    def starting_at(self, start: int) -> ElementSpan | None:
        """Return the element that starts at an offset."""
        if start not in self._parsed:
            self._parsed[start] = parse_element(self._data, start)
        return self._parsed[start]


def root_tag(data: bytes) -> re.Match[bytes] | None:
    """Return the start tag of the root element, as a match of :data:`TOKEN`."""
    for found in _ROOT.finditer(data):
        if found[1] is not None:
            return TOKEN.match(data, found.start())
    return None


def parse_tag(data: bytes, tag: re.Match[bytes] | None) -> ElementSpan | None:
    """Return a start tag as an element without content."""
    return ElementSpan(data, tag, None) if tag is not None and tag[2] is not None else None
