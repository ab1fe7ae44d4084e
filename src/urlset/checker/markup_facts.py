"""Extract facts from the markup of a document that its parsed entries do not contain.

The facts are in the prolog and in the start tag of the root. The order of elements needs a scan of
all tags, so it is only determined if a rule needs it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from urlset import engine as engines
from urlset.arrow.streams import ColumnType, LazyStream, rows_to_stream
from urlset.checker.rule import Need
from urlset.document import Document
from urlset.engine import ElementSpans, source_offset
from urlset.engine.reference.tokens import Tag, attribute_spans
from urlset.formats.spans import root_tag
from urlset.protocol import MAX_NAMESPACES

COLUMNS: tuple[tuple[str, ColumnType], ...] = (
    ("document", "uint32"),
    ("offset", "uint64"),
    ("line", "uint32"),
    ("fact", "string"),
    ("name", "string"),
    ("value", "string"),
    ("other", "string"),
    ("times", "uint32"),
)
"""Columns of the table ``markup_facts``, which the view ``markup`` selects from."""

_VERSION = re.compile(rb"""<\?xml\s[^<>?]*?version\s*+=\s*+["']([^"'<>]*+)["']""")
_BEFORE_A_NAME = frozenset(b"< \t\r\n\"'")
_ORDER = {b"loc": 0, b"lastmod": 1, b"changefreq": 2, b"priority": 3}
_AFTER_CORE = len(_ORDER)  # extensions come last
_MAX_HITS = 1_000  # more occurrences of a prefix than this count as a use


class Fact(NamedTuple):
    """Fact at a position in the text; its kind, ``fact``, defines the meaning of the fields.

    ``declaration``: ``value`` is the XML version, None without a declaration.
    ``unused``: the prefix ``name`` is bound to the namespace ``value`` and not used.
    ``schema-location``: an attribute ``name`` with its ``value``; its prefix is bound to ``other``.
    ``order``: the first element ``name`` that comes after ``value`` but belongs before it;
    ``times`` is the number of entries with such an element.
    """

    start: int
    fact: str
    name: str | None = None
    value: str | None = None
    other: str | None = None
    times: int | None = None


class MarkupFacts:
    """Markup facts of all documents of a check, limited to those that its rules need."""

    def __init__(self, needs: Collection[Need]):
        self._needs = needs
        self._rows: list[tuple[object, ...]] = []

    def add(self, number: int, document: Document) -> None:
        """Extract the facts of a document and add them."""
        text = document.text
        for start, *rest in facts_of(document, self._needs):
            line = 1 + text.count(b"\n", 0, start) + text.count(b"\r", 0, start)
            line -= text.count(b"\r\n", 0, start)
            self._rows.append((number, source_offset(start, document.runs), line, *rest))

    def flow(self) -> LazyStream:
        """Return the facts of all documents as an Arrow stream."""
        return rows_to_stream(COLUMNS, self._rows)


def facts_of(document: Document, needs: Collection[Need]) -> Iterator[Fact]:
    """Yield the needed facts of a document; one that is not XML has none."""
    if document.kind not in ("urlset", "index", "rss", "atom"):
        return
    text = document.text
    root = root_tag(text)
    if root is None:
        return
    if "markup" in needs:
        declared = _VERSION.search(text, 0, root.start)
        yield Fact(0, "declaration", value=_decoded(declared[1]) if declared else None)
        if document.kind in ("urlset", "index"):
            yield from _attribute_facts(text, root)
    if "order" in needs and document.kind in ("urlset", "index"):
        yield from _order_fact(document, root)


def _attribute_facts(text: bytes, root: Tag) -> Iterator[Fact]:
    """Yield facts about the attributes of the root element, such as unused namespaces."""
    found = [
        (
            attribute.name.encode(),
            attribute.name_start,
            text[attribute.value_start : attribute.value_end],
        )
        for attribute in attribute_spans(text, root.start + 1 + len(root.name), root.end - 1)
    ]
    bound = {
        name[6:]: (start, value) for name, start, value in found[::-1] if name[:6] == b"xmlns:"
    }
    named = {name.partition(b":")[0] for name, _, _ in found if b":" in name}
    own = root.name.rpartition(b":")[0]
    for prefix, (start, value) in islice(bound.items(), MAX_NAMESPACES):
        if prefix not in named and prefix != own and not _is_used(text, prefix, root.end):
            yield Fact(start, "unused", _decoded(prefix), _decoded(value))
    for name, start, value in found:
        prefix, _, local = name.rpartition(b":")
        if local == b"schemaLocation" and prefix in bound:
            _, uri = bound[prefix]
            yield Fact(start, "schema-location", _decoded(name), _decoded(value), _decoded(uri))


def _is_used(text: bytes, prefix: bytes, start: int) -> bool:
    """Return whether a prefix may be used after the start tag of the root."""
    # `re` is twice as fast as bytes.find here, because it uses memchr for the first byte.
    hits = re.compile(re.escape(prefix + b":")).finditer(text, start)
    for number, hit in enumerate(hits):
        # The "s:" of "https:" occurs often and is not a use of the prefix "s".
        if text[hit.start() - 1] in _BEFORE_A_NAME or number == _MAX_HITS:
            return True
    return False


def _order_fact(document: Document, root: Tag) -> Iterator[Fact]:
    """Yield a fact if the children of an entry are not in the order of the schema."""
    core, colon, _ = root.name.rpartition(b":")
    text = document.text
    patterns = _disorder_patterns(core if colon else None)
    if not any(pattern.search(text, root.end) for pattern in patterns):
        return
    columns = engines.get(document.engine).element_spans(text)
    ranks = [_rank(name, core) for name in columns.name_table]
    entries = (core + colon + b"url", core + colon + b"sitemap")
    is_entry = [name in entries for name in columns.name_table]
    is_root = [name == root.name for name in columns.name_table]
    first: Fact | None = None
    count = 0
    for row in columns.entries:
        parent = columns.parents[row]
        is_inside = parent >= 0 and columns.starts[row] < columns.ends[parent]
        if is_inside and not is_root[columns.names[parent]]:
            continue  # an entry inside other content, such as structured data
        if is_entry[columns.names[row]] and (found := _misplaced(columns, row, ranks)):
            count += 1
            element, before = found
            name, last = (_decoded(columns.name_table[columns.names[n]]) for n in (element, before))
            first = first or Fact(columns.starts[element], "order", name, last)
    if first:
        yield first._replace(times=count)


def _rank(name: bytes, core: bytes) -> int | None:
    """Return the position of an element in the order of the schema; None if it may be anywhere."""
    prefix, _, local = name.rpartition(b":")
    return _ORDER.get(local) if prefix == core else _AFTER_CORE


def _misplaced(
    columns: ElementSpans, entry: int, ranks: list[int | None]
) -> tuple[int, int] | None:
    """Return the rows of the first misplaced child of an entry and of the child before it."""
    rank, last = 0, entry
    row, stop, end = entry + 1, columns.following[entry], columns.content_ends[entry]
    while row < stop and columns.starts[row] < end:
        own = ranks[columns.names[row]]
        if own is not None and own < rank:
            return row, last
        if own is not None:
            rank, last = own, row
        row = columns.following[row]
    return None


@lru_cache(16)
def _disorder_patterns(core: bytes | None) -> tuple[re.Pattern[bytes], re.Pattern[bytes]]:
    """Return two patterns; a document with misordered elements matches at least one of them.

    If children are out of order, two adjacent children are. Other documents may match as well.
    """
    p = rb"" if core is None else re.escape(core + b":")
    # No two of these begin with the same text, so a tag in its place is rejected quickly.
    ends = (
        rb"%blastmod\s*+>[^<]*+<%bloc" % (p, p),
        rb"%bchangefreq\s*+>[^<]*+<%b(?:loc|lastmod)" % (p, p),
        rb"%bpriority\s*+>[^<]*+<%b(?:loc|lastmod|changefreq)" % (p, p),
        rb"(?!%b(?:loc|lastmod|changefreq|priority|url|sitemap)\s*+>)[\w.:-]++\s*+>[^<]*+"
        rb"<%b(?:loc|lastmod|changefreq|priority)" % (p, p),
    )
    # A lookbehind, because `re` finds one byte six times as fast as one of two.
    others = rb">(?<=[/-]>)[^<>]*+<%b(?:loc|lastmod|changefreq|priority)[\s/>]" % p
    most = rb"%b(?:url|loc)>" % p
    return re.compile(rb"</(?!%b)(?:%b)[\s/>]" % (most, b"|".join(ends))), re.compile(others)


def _decoded(data: bytes) -> str:
    return data.decode(errors="replace")
