"""Decode character data: references, forbidden characters, line endings; escape it again."""

from __future__ import annotations

import html.entities
import re

from urlset.engine.reference.context import Context
from urlset.protocol import MAX_ENTITY_DEPTH, MAX_EXPANSION, READ_LIMIT

HTML_ENTITIES = {
    name[:-1].encode(): value for name, value in html.entities.html5.items() if name[-1] == ";"
}
_PREDEFINED = {b"amp": "&", b"lt": "<", b"gt": ">", b"quot": '"', b"apos": "'"}

NAME = rb"[A-Za-z_\x80-\xff][-.\w:\x80-\xff]*+"
_REFERENCE = rb"&(?:#([0-9]+);|#x([0-9A-Fa-f]+);|(" + NAME + rb");)?"
_FORBIDDEN = rb"[\x00-\x08\x0b\x0c\x0e-\x1f]|\xef\xbf[\xbe\xbf]"
_TEXT = re.compile(_REFERENCE + rb"|" + _FORBIDDEN + rb"|\r\n?|\]\]>")
_ATTRIBUTE = re.compile(_REFERENCE + rb"|" + _FORBIDDEN + rb"|\r\n?|[\t\n]")
_CDATA = re.compile(_FORBIDDEN + rb"|\r\n?")
_AGAIN = re.compile(r"&(?:amp|lt|gt|quot|apos|#[0-9]+|#x[0-9a-f]+);")
_ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;", "\r": "&#13;"}
_ATTRIBUTE_ESCAPES = _ESCAPES | {"\n": "&#10;", "\t": "&#9;"}
_TO_ESCAPE = str.maketrans(_ESCAPES)
_TO_ESCAPE_ATTRIBUTE = str.maketrans(_ATTRIBUTE_ESCAPES)


def text(context: Context, start: int, end: int) -> str | None:
    """Decode character data in a range; None if an entity makes it uncertain (``X016``)."""
    return _decode(context, _TEXT, start, end)


def attribute_text(context: Context, start: int, end: int) -> str | None:
    """Decode an attribute value; white space becomes spaces (XML 1.0 section 3.3.3)."""
    return _decode(context, _ATTRIBUTE, start, end)


def cdata_text(context: Context, start: int, end: int) -> str | None:
    """Return the text of a CDATA section, in which ``&`` and ``<`` are literal."""
    return _decode(context, _CDATA, start, end)


def escape(value: str, *, attribute: bool = False) -> str:
    """Escape a value for XML: the five characters of sitemaps.org, and changeable line ends."""
    return value.translate(_TO_ESCAPE_ATTRIBUTE if attribute else _TO_ESCAPE)


def is_doubly_escaped(value: str) -> bool:
    """Return whether a decoded value still contains escapes."""
    return "&" in value and _AGAIN.search(value) is not None


def _decode(context: Context, pattern: re.Pattern[bytes], start: int, end: int) -> str | None:
    raw = context.text[start:end]
    found = pattern.search(raw)
    if found is None:
        return raw.decode()
    pieces: list[str] = []
    position = 0
    certain = True
    while found is not None:
        pieces.append(raw[position : found.start()].decode())
        piece = _replacement(context, found, start, pattern is _ATTRIBUTE)
        certain = certain and piece is not None
        pieces.append(piece or "")
        position = found.end()
        found = pattern.search(raw, position)
    pieces.append(raw[position:].decode())
    return "".join(pieces) if certain else None


def _replacement(
    context: Context, found: re.Match[bytes], start: int, is_attribute: bool
) -> str | None:
    offset, end = start + found.start(), start + found.end()
    matched = found[0]
    if matched[0] == 0x26:  # &
        return _reference(context, found, offset, end)
    if matched[0] in b"\t\n\r":
        return " " if is_attribute else "\n"
    if matched == b"]]>":
        context.report("X002", offset, end, '"]]>" in text')
        return "]]>"
    context.report("X005", offset, end, f"U+{ord(matched.decode()):04X}")
    return ""


def _reference(context: Context, found: re.Match[bytes], offset: int, end: int) -> str | None:
    decimal, hexadecimal, name = found.groups()
    if name is not None:
        return _entity(context, name, offset, end)
    if decimal is None and hexadecimal is None:
        context.report("X003", offset, end)
        return "&"
    digits = (decimal or hexadecimal).lstrip(b"0")
    code = int(digits or b"0", 10 if decimal is not None else 16) if len(digits) < 9 else -1
    if code in (9, 10, 13) or 0x20 <= code < 0xD800 or 0xE000 <= code < 0xFFFE:
        return chr(code)
    if 0x10000 <= code < 0x110000:
        return chr(code)
    context.report("X005", offset, end, found[0].decode())
    return ""


def _entity(context: Context, name: bytes, offset: int, end: int) -> str | None:
    if name in _PREDEFINED:
        return _PREDEFINED[name]
    if name in context.entities:
        context.entities_used = True
        value = expand(context, name, 0)
        context.expanded += len(value) if value is not None else 0
        if value is None or context.expanded > READ_LIMIT:
            context.report("X016", offset, end, f"Entity &{name.decode()}; expands too far")
            return None
        return value
    context.report("X004", offset, end, name.decode())
    if context.has_unknown_entities and name not in HTML_ENTITIES:
        return None
    return HTML_ENTITIES.get(name, f"&{name.decode()};")


def expand(context: Context, name: bytes, depth: int) -> str | None:
    """Return the text of a declared entity, at most 10,000 characters; None if not plain text.

    Entities that contain markup, refer to themselves or nest deeper than 16 are not expanded. Each
    entity is expanded once, on first use, so that the cost is bounded by its own text.
    """
    if name not in context.expansions:
        context.expansions[name] = None  # the value during its own expansion
        if depth < MAX_ENTITY_DEPTH:
            context.expansions[name] = _expanded(context, name, depth)
    return context.expansions[name]


def _expanded(context: Context, name: bytes, depth: int) -> str | None:
    raw = context.entities[name]
    pieces: list[str] = []
    position = size = 0
    for found in _DECLARED.finditer(raw):
        inner = _declared_piece(context, found, depth + 1)
        if inner is None:
            return None
        pieces += (raw[position : found.start()].decode(), inner)
        size += len(pieces[-2]) + len(pieces[-1])
        if size > MAX_EXPANSION:
            return None
        position = found.end()
    pieces.append(raw[position:].decode())
    value = "".join(pieces)
    return value if len(value) <= MAX_EXPANSION else None


_DECLARED = re.compile(_REFERENCE + rb"|" + _FORBIDDEN + rb"|<")


def _declared_piece(context: Context, found: re.Match[bytes], depth: int) -> str | None:
    """Return the text of a reference inside an entity value; None if it is not allowed there."""
    decimal, hexadecimal, name = found.groups()
    if name is not None:
        if name in context.entities:
            return expand(context, name, depth)
        return _PREDEFINED.get(name)
    digits = ((decimal or hexadecimal) or b"").lstrip(b"0")
    if not 0 < len(digits) < 8:
        return None
    code = int(digits, 10 if decimal is not None else 16)
    return chr(code) if 0x20 <= code < 0xD800 or 0xE000 <= code < 0xFFFE else None
