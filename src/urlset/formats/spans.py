"""Elements of an XML text with the byte ranges of tags, text and attributes."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Container, Iterator
from functools import cached_property
from typing import NamedTuple

from urlset import engine as engines
from urlset.engine import ElementSpans
from urlset.engine.reference.context import Context
from urlset.engine.reference.prolog import read_prolog
from urlset.engine.reference.tokens import AttributeSpan, Tag, attribute_spans, tags
from urlset.engine.reference.values import HTML_ENTITIES

_ROOTS = frozenset((b"urlset", b"sitemapindex", b"rss", b"feed", b"rdf"))
_PIECE = re.compile(rb"<!--|<!\[CDATA\[|<\?|&([^;&<\s]{1,40});")
_PIECE_ENDS = {b"<!--": b"-->", b"<![CDATA[": b"]]>", b"<?": b"?>"}
_NAMED = {b"amp": "&", b"lt": "<", b"gt": ">", b"quot": '"', b"apos": "'"}


class ElementSpan(NamedTuple):
    """XML element with its ranges in the text.

    ``start`` to ``content_start`` is the start tag, ``content_end`` to ``end`` the end tag, which
    is empty for ``<a/>`` and if it is missing.

    Attributes:
        document: Elements of the document.
        row: Row of the element in their columns.
    """

    document: DocumentSpans
    row: int

    @property
    def data(self) -> bytes:
        """Text of the document."""
        return self.document.text

    @property
    def start(self) -> int:
        """Offset at which the start tag begins."""
        return self.document.columns.starts[self.row]

    @property
    def content_start(self) -> int:
        """Offset after the start tag, where the content begins."""
        return self.document.columns.content_starts[self.row]

    @property
    def content_end(self) -> int:
        """Offset at which the end tag begins."""
        return self.document.columns.content_ends[self.row]

    @property
    def end(self) -> int:
        """Offset after the end tag."""
        return self.document.columns.ends[self.row]

    @property
    def raw_name(self) -> bytes:
        """Name as written, with prefix."""
        columns = self.document.columns
        return columns.name_table[columns.names[self.row]]

    @property
    def name_end(self) -> int:
        """Offset after the name in the start tag."""
        return self.start + 1 + len(self.raw_name)

    @property
    def qname(self) -> str:
        """Name as written, with prefix."""
        return self.raw_name.decode(errors="replace")

    @property
    def local_name(self) -> str:
        """Name without prefix, in lower case."""
        return self.qname.rpartition(":")[2].lower()

    @property
    def prefix(self) -> str:
        """Namespace prefix; usually empty."""
        return self.qname.rpartition(":")[0]

    @property
    def is_empty(self) -> bool:
        """Whether the start tag is also the end, as in ``<a/>``."""
        return self.data[self.content_start - 2 : self.content_start] == b"/>"

    @property
    def is_complete(self) -> bool:
        """Whether the element has its end tag or needs none."""
        return self.content_end < self.end or self.is_empty

    @property
    def parent(self) -> ElementSpan | None:
        """Element around this one; None for a root."""
        row = self.document.columns.parents[self.row]
        return None if row < 0 else ElementSpan(self.document, row)

    @property
    def children(self) -> list[ElementSpan]:
        """Child elements."""
        columns = self.document.columns
        row, stop, end = self.row + 1, columns.following[self.row], self.content_end
        found = []
        while row < stop and columns.starts[row] < end:
            found.append(ElementSpan(self.document, row))
            row = columns.following[row]
        return found

    @property
    def has_children(self) -> bool:
        """Whether there are child elements."""
        row, columns = self.row + 1, self.document.columns
        return row < columns.following[self.row] and columns.starts[row] < self.content_end

    @property
    def content(self) -> bytes:
        """Bytes between the tags."""
        return self.data[self.content_start : self.content_end]

    @property
    def text(self) -> str | None:
        """Decoded text; None if the element has child elements or an unknown entity."""
        return None if self.has_children else decode_text(self.content)

    @property
    def stripped(self) -> str:
        """Decoded text without surrounding white space; empty if there is none."""
        return (self.text or "").strip()

    def descendants(self, *names: str) -> Iterator[ElementSpan]:
        """Yield the descendants with one of these local names, in document order."""
        columns = self.document.columns
        end = self.content_end
        for row in range(self.row + 1, columns.following[self.row]):
            if columns.starts[row] >= end:
                return
            element = ElementSpan(self.document, row)
            if element.local_name in names:
                yield element

    def child(self, name: str) -> ElementSpan | None:
        """Return the first child with this local name."""
        return next((child for child in self.children if child.local_name == name), None)

    @property
    def attributes(self) -> list[AttributeSpan]:
        """Attributes in document order, including duplicates."""
        end = self.content_start - (2 if self.is_empty else 1)
        return list(attribute_spans(self.data, self.name_end, end))

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


class DocumentSpans:
    """Elements of the text of a document; the engine finds them at the first use.

    >>> spans = DocumentSpans(b"<urlset><url><loc>https://e.com/</loc></url></urlset>")
    >>> [(entry.start, entry.end) for entry in spans.entries()]
    [(8, 44)]

    Attributes:
        text: Text of the document, as UTF-8.
    """

    def __init__(self, text: bytes, engine: str | None = None):
        self.text = text
        self._engine = engine

    @cached_property
    def columns(self) -> ElementSpans:
        """Ranges, names and nesting of all elements."""
        return engines.get(self._engine).element_spans(self.text)

    @cached_property
    def root(self) -> ElementSpan | None:
        """Root of a sitemap, an index or a feed; None if there is none."""
        rows = enumerate(self.columns.names)
        roots = {
            number
            for number, name in enumerate(self.columns.name_table)
            if name.rpartition(b":")[2].lower() in _ROOTS
        }
        row = next((row for row, name in rows if name in roots), None) if roots else None
        return None if row is None else ElementSpan(self, row)

    def entries(self) -> Iterator[ElementSpan]:
        """Yield the elements named ``url``, ``sitemap``, ``item`` or ``entry``."""
        for row in self.columns.entries:
            yield ElementSpan(self, row)

    def named(self, names: Container[bytes]) -> Iterator[ElementSpan]:
        """Yield the elements with one of these names, as written."""
        wanted = {number for number, name in enumerate(self.columns.name_table) if name in names}
        for row, name in enumerate(self.columns.names) if wanted else ():
            if name in wanted:
                yield ElementSpan(self, row)

    def entry_at(self, at: int) -> ElementSpan | None:
        """Return the entry that contains an offset."""
        starts, entries = self.columns.starts, self.columns.entries
        number = bisect_right(entries, at, key=starts.__getitem__) - 1
        found = ElementSpan(self, entries[number]) if number >= 0 else None
        return found if found is not None and at < found.end else None

    def element_at(self, at: int) -> ElementSpan | None:
        """Return the innermost element that contains an offset."""
        columns = self.columns
        row = bisect_right(columns.starts, at) - 1
        while row >= 0 and columns.ends[row] <= at:
            row = columns.parents[row]
        return ElementSpan(self, row) if row >= 0 else None

    def starting_at(self, at: int) -> ElementSpan | None:
        """Return the element whose start tag begins at an offset."""
        row = bisect_right(self.columns.starts, at) - 1
        found = ElementSpan(self, row) if row >= 0 else None
        return found if found is not None and found.start == at else None

    def tag_at(self, at: int) -> ElementSpan | None:
        """Return the element whose start tag contains an offset."""
        row = bisect_right(self.columns.starts, at) - 1
        found = ElementSpan(self, row) if row >= 0 else None
        return found if found is not None and at < found.content_start else None


def root_tag(text: bytes) -> Tag | None:
    """Return the start tag of the root of a sitemap, an index or a feed; None if there is none.

    >>> root_tag(b"<?xml version='1.0'?><urlset><url/></urlset>").name
    b'urlset'
    """
    form, start = read_prolog(Context(text, None, None, []))
    tag = next(tags(text, start), None) if form == "xml" else None
    return tag if tag is not None and tag.name.rpartition(b":")[2].lower() in _ROOTS else None


def decode_text(raw: bytes) -> str | None:
    """Decode entities and CDATA sections in character data; None for an unknown entity.

    >>> decode_text(b"a&amp;<![CDATA[b&]]>")
    'a&b&'
    """
    pieces: list[str] = []
    position = begin = 0
    endless: set[bytes] = set()  # what begins here has no end: it is text, and not searched again
    while found := _PIECE.search(raw, begin):
        mark, begin = found[0], found.end()
        if mark in endless:
            continue
        if (closer := _PIECE_ENDS.get(mark)) is None:
            piece = _reference(found[1])
        elif (end := raw.find(closer, begin)) >= 0:
            piece = raw[begin:end].decode(errors="replace") if closer == b"]]>" else ""
            begin = end + len(closer)
        else:
            endless.add(mark)
            continue
        if piece is None:
            return None
        pieces += raw[position : found.start()].decode(errors="replace"), piece
        position = begin
    pieces.append(raw[position:].decode(errors="replace"))
    return "".join(pieces).replace("\r\n", "\n").replace("\r", "\n")


def _reference(name: bytes) -> str | None:
    if name[:1] != b"#":
        return _NAMED.get(name) or HTML_ENTITIES.get(name)
    try:
        is_hex = name[1:2] in b"xX"
        return chr(int(name[2:], 16) if is_hex else int(name[1:]))
    except (ValueError, OverflowError):
        return None
