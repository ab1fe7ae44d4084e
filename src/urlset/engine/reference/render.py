"""Render entries as the bytes of one document, up to the first limit that is reached.

One entry on each line, children in the order of the schema, five escapes, and only the namespaces
that are used: the same entries result in the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import groupby
from typing import Any, NamedTuple

from urlset.arrow import batches_to_entries, is_arrow
from urlset.dates import format_date, parse_date
from urlset.engine.reference.values import escape
from urlset.fields import EXTENSIONS, RECORDS, Field, is_leaf, place_of
from urlset.model import Alternate, Entry
from urlset.protocol import PREFIXES, URIS, Ns

_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'
_FOOTER = b"</urlset>\n"


class EntryColumns(list[Entry]):
    """Columns of this engine: the list of entries to render."""

    @classmethod
    def of(cls, entries: Any) -> EntryColumns:
        """Convert a list of entries or an Arrow stream."""
        if is_arrow(entries):
            return cls(entry for batch in batches_to_entries(entries) for entry in batch)
        return cls(entries)

    def loc(self, row: int) -> str:
        """Return the URL of a row."""
        return self[row].loc


class UrlTexts:
    """Set of the URLs already written, as texts."""

    def __init__(self) -> None:
        self._locs: set[str] = set()

    def add(self, columns: EntryColumns, start: int, end: int) -> list[int]:
        """Add the URLs of rows to the set; return the rows whose URL was in it."""
        found = []
        for row in range(start, end):
            count = len(self._locs)
            self._locs.add(columns[row].loc)
            if len(self._locs) == count:
                found.append(row)
        return found


class DocumentRenderer:
    """Renderer of one document, to which entries are added; ``count`` is their number."""

    def __init__(
        self, kind: str, max_urls: int, max_bytes: int, max_news: int, stylesheet: str | None = None
    ):
        self.count: int = 0
        self._is_text = kind == "text"
        self._max_urls = max_urls
        self._max_bytes = max_bytes
        self._max_news = max_news
        self._declaration = declaration(stylesheet)
        self._news = 0
        self._size = 0
        self._used: frozenset[Ns] = frozenset()
        self._body: list[bytes] = []

    def add(self, columns: EntryColumns, start: int, end: int | None = None) -> int:
        """Add entries from ``start`` to ``end`` until the document is full; return the next row.

        The first entry is added whatever its size: the caller refuses entries over the limit.
        """
        stop = len(columns) if end is None else end
        for row in range(start, stop):
            entry = columns[row]
            line = _text_line(entry) if self._is_text else _url(entry)
            used = self._used if self._is_text else self._used | _namespaces(entry)
            news = self._news + (entry.news is not None and not self._is_text)
            size = self._size + len(line)
            is_full = (
                self.count >= self._max_urls
                or news > self._max_news
                or size + self._frame(used) > self._max_bytes
            )
            if is_full and self.count:
                return row
            self.count += 1
            self._used, self._news, self._size = used, news, size
            self._body.append(line)
        return stop

    def finish(self, mark: str = "") -> bytes:
        """Return the bytes of the document, with ``mark`` after the XML declaration."""
        if self._is_text:
            return b"".join(self._body)
        end = len(_DECLARATION)
        header = (self._declaration[:end], mark.encode(), self._declaration[end:])
        return b"".join((*header, _root(self._used), *self._body, _FOOTER))

    def document(self, mark: str = "") -> bytes:
        """Return the document as :meth:`finish`."""
        return self.finish(mark)

    def _frame(self, used: frozenset[Ns]) -> int:
        if self._is_text:
            return 0
        return len(self._declaration) + len(_root(used)) + len(_FOOTER)


def declaration(stylesheet: str | None) -> bytes:
    """Return the lines before the root: XML declaration and, if set, the style sheet.

    The address is escaped as in an attribute (https://www.w3.org/TR/xml-stylesheet/), so that
    no ``?>`` can end the line early.

    >>> declaration("a.css").decode().splitlines()[1]
    '<?xml-stylesheet type="text/css" href="a.css"?>'
    """
    if stylesheet is None:
        return _DECLARATION.encode()
    href = escape(stylesheet, attribute=True)
    return f'{_DECLARATION}<?xml-stylesheet type="text/css" href="{href}"?>\n'.encode()


@cache
def _root(used: frozenset[Ns]) -> bytes:
    names = "".join(f' xmlns:{prefix}="{URIS[ns]}"' for _, prefix, ns in _PREFIXED if ns in used)
    return f'<urlset xmlns="{URIS[Ns.CORE]}"{names}>\n'.encode()


def _namespaces(entry: Entry) -> frozenset[Ns]:
    return frozenset([ns for part, _, ns in _PREFIXED if getattr(entry, part.name)])


def _text_line(entry: Entry) -> bytes:
    return f"{entry.loc}\n".encode()


def _url(entry: Entry) -> bytes:
    return "".join(("<url>", *_parts(entry), "</url>\n")).encode()


def _parts(entry: Entry) -> Iterator[str]:
    yield _tag("loc", entry.loc)
    yield _tag("lastmod", _lastmod(entry))
    yield _tag("changefreq", entry.changefreq)
    if entry.priority is not None:
        yield _tag("priority", _decimal(entry.priority))
    for part, _, _ in _PREFIXED:
        yield _child(part, entry)
    yield entry.extra or ""


def _lastmod(entry: Entry) -> str | None:
    """Return the lastmod to write: the original text if it is a W3C date, else the instant."""
    text = entry.lastmod_text
    if text is not None and parse_date(text).code is None:
        return text
    return None if entry.lastmod is None else format_date(entry.lastmod)


def _decimal(value: float) -> str:
    """Return the shortest decimal that reads back as the same number, without an exponent."""
    text = repr(float(value))
    return format_plain(text) if "e" in text else text


def format_plain(text: str) -> str:
    """Format a number without an exponent: ``1e-05`` as ``0.00001``."""
    mantissa, _, exponent = text.partition("e")
    digits = mantissa.replace(".", "")
    return "0." + "0" * (-int(exponent) - 1) + digits


def _tag(name: str, value: str | None, **attributes: str | None) -> str:
    if not attributes:  # most elements have none
        return "" if value is None else f"<{name}>{escape(value)}</{name}>"
    written = "".join(
        f' {key}="{escape(text, attribute=True)}"'
        for key, text in attributes.items()
        if text is not None
    )
    if value is None:
        return f"<{name}{written}/>" if written else ""
    return f"<{name}{written}>{escape(value)}</{name}>"


class _Part(NamedTuple):
    """Field of a record with what is needed to render it as text or elements.

    ``record`` is the type of its items, empty for text. ``container`` is the element around it, or
    empty. ``attributes`` are the names of its attributes, each with the field that has the value.
    """

    name: str
    tag: str
    container: str
    record: str
    is_list: bool
    attributes: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, field: Field) -> _Part:
        """Create the part of a field, without attributes."""
        container, _, tag = field.element.rpartition("/")
        record = "" if is_leaf(field.type) else field.type
        return cls(field.name, tag, container, record, field.is_list, ())


_PREFIXED = tuple(
    (_Part.of(field), field.prefix, PREFIXES[field.prefix]) for field in EXTENSIONS if field.prefix
)


@cache
def _parts_of(record: str) -> tuple[_Part | None, tuple[tuple[str, tuple[_Part, ...]], ...]]:
    """Return the text of the element of a record, or else its child elements by container."""
    parts: list[_Part] = []
    for field in RECORDS[record].fields:
        attribute = place_of(field).attribute
        if attribute:
            last = parts[-1]
            parts[-1] = last._replace(attributes=(*last.attributes, (attribute, field.name)))
        else:
            parts.append(_Part.of(field))
    whole = parts[0] if parts[0].tag == "." else None
    groups = groupby(parts, key=lambda part: part.container)
    return whole, tuple((container, tuple(group)) for container, group in groups)


def _element(tag: str, record: str, value: Any) -> str:
    """Render a field, or one item of its list, as an XML element."""
    if not record:
        return _tag(tag, value)
    if isinstance(value, Alternate):
        return _alternate(value)
    whole, groups = _parts_of(record)
    if whole is not None:
        return _filled(tag, whole, value)
    inner = ""
    for container, parts in groups:
        written = "".join([_child(part, value) for part in parts])
        inner += f"<{container}>{written}</{container}>" if container and written else written
    return f"<{tag}>{inner}</{tag}>"


def _child(part: _Part, record: Any) -> str:
    if part.attributes:
        return _filled(part.tag, part, record)
    value = getattr(record, part.name)
    if not value and value != "":
        return ""
    if part.is_list:
        return "".join([_element(part.tag, part.record, item) for item in value])
    return _element(part.tag, part.record, value)


def _filled(tag: str, part: _Part, record: Any) -> str:
    """Render a record whose element has text and attributes."""
    attributes = {key: getattr(record, name) for key, name in part.attributes}
    return _tag(tag, getattr(record, part.name), **attributes)


def _alternate(alternate: Alternate) -> str:
    return _tag(
        "xhtml:link",
        None,
        rel="alternate",
        hreflang=alternate.hreflang,
        media=alternate.media,
        href=alternate.href,
    )
