"""Tokenize markup: tags, comments, sections and instructions, also malformed ones.

Every scan for an end stops at the next ``<`` or consumes what it scanned: the total cost is linear
in the length of any document.
"""

from __future__ import annotations

import re
from typing import NamedTuple, Protocol

from urlset.engine.reference.context import Context
from urlset.engine.reference.misc import comment, instruction
from urlset.engine.reference.values import NAME, attribute_text
from urlset.protocol import MAX_ATTRIBUTES

__all__ = [
    "LEAF", "PAIR", "XSL", "Attribute", "Handler", "attributes", "begins_name", "end_tag",
    "markup", "start_tag",
]  # fmt: skip

SPACE = rb"[ \t\r\n]"
# Note: repeat a group as `(?>(?:…)*)`, never as `(?:…)*+`: Python up to 3.11.4 matches the latter
# wrongly if a further repetition begins and fails (https://github.com/python/cpython/issues/106052).
_OPEN = re.compile(rb"<(" + NAME + rb")((?>(?:[^<>\"']++|\"[^\"<]*+\"|'[^'<]*+')*))>")
_CLOSE = re.compile(rb"</(" + NAME + rb")" + SPACE + rb"*+>")
_NAME = re.compile(NAME)
_BLANKS = re.compile(SPACE + rb"++")
_ATTRIBUTE = re.compile(
    rb"(" + SPACE + rb"*+)(" + NAME + rb")"
    rb"(?>(?:" + SPACE + rb"*+=" + SPACE + rb"*+"
    rb"(?:\"([^\"]*+)\"|'([^']*+)'|([^ \t\r\n\"'<>=`]++)))?)"
)
# Common attributes, and elements of only such attributes and text: nothing needs decoding in them
# except `&amp;`, which is frequent in URLs.
PAIR = re.compile(rb"(" + NAME + rb")=\"([^\"&<\x00-\x1f\xef]*+)\"")
_PAIRS = rb"(?>(?:" + SPACE + rb"++" + NAME + rb"=\"[^\"&<\x00-\x1f\xef]*+\")*)"
_PLAIN = re.compile(_PAIRS + SPACE + rb"*+")
LEAF = re.compile(
    rb"[ \t\n]*+<("
    + NAME
    + rb")("
    + _PAIRS.replace(NAME, rb"[A-Za-z_][-.\w]*+")
    + rb")"
    + SPACE
    + rb"*+"
    rb"(?:/>|>((?>(?:[^<&\r\x00-\x08\x0b\x0c\x0e-\x1f\]\xef]++|&amp;)*))</\1>)"
)
XSL = re.compile(
    rb"<\?xml-stylesheet[ \t\r\n][^>]*?type" + SPACE + rb"*=" + SPACE
    + rb"*[\"'](?:text/xsl|text/xml|application/xslt\+xml)[\"']"
)  # fmt: skip


class Attribute(NamedTuple):
    """Attribute of a start tag; ``value`` is None if it is uncertain."""

    name: bytes
    value: str | None
    start: int
    end: int


class Handler(Protocol):
    """Receiver of the tokens, in document order."""

    def open(
        self, name: bytes, attributes: list[Attribute], start: int, end: int, is_empty: bool
    ) -> None: ...
    def close(self, name: bytes, start: int, end: int) -> None: ...
    def end_text(self) -> None: ...
    def text(self, start: int, end: int) -> None: ...
    def cdata(self, start: int, end: int) -> None: ...
    def misc(self, start: int, end: int) -> None: ...


def markup(context: Context, handler: Handler, start: int) -> int:
    """Pass the token at ``start``, a ``<``, to the handler; return the offset after it.

    A ``<`` that is not markup is passed as text. If the document ends inside the token, nothing is
    passed and the length of the document is returned.
    """
    following = context.text[start + 1 : start + 2]
    if following == b"/":
        return _close(context, handler, start)
    if following == b"!":
        return _declaration(context, handler, start)
    if following == b"?":
        return _instruction(context, handler, start)
    if begins_name(following):
        return _open(context, handler, start)
    return _literal(context, handler, start) if following else len(context.text)


def begins_name(byte: bytes) -> bool:
    """Whether a name may begin with this byte."""
    return _NAME.match(byte) is not None


def attributes(context: Context, start: int, end: int) -> list[Attribute]:
    """Return the attributes of a start tag; of two with one name, the first."""
    if _PLAIN.fullmatch(context.text, start, end):
        plain = [
            Attribute(pair[1], pair[2].decode(), pair.start(2), pair.end(2))
            for pair in PAIR.finditer(context.text, start, end)
        ]
        if len({attribute.name for attribute in plain}) == len(plain) <= MAX_ATTRIBUTES:
            return plain
    found: dict[bytes, Attribute] = {}
    is_odd = False
    position = start
    while position < end:
        match = _ATTRIBUTE.match(context.text, position, end)
        if match is None:
            blanks = _BLANKS.match(context.text, position, end)
            is_odd = is_odd or blanks is None
            position = blanks.end() if blanks else position + 1
            continue
        position = match.end()
        group = 3 if match[3] is not None else 4 if match[4] is not None else 5
        is_odd = is_odd or not match[1] or group == 5
        if match[group] is None:
            continue
        span = match.start(group), match.end(group)
        if match[2] in found:
            context.report("X021", match.start(2), match.end(), match[2].decode())
        elif len(found) < MAX_ATTRIBUTES:
            value = attribute_text(context, *span)
            found[match[2]] = Attribute(match[2], value, *span)
        else:
            is_odd = True
    if is_odd:
        context.report("X002", start, end, "malformed attributes")
    return list(found.values())


def start_tag(text: bytes, start: int) -> tuple[bytes, int, int] | None:
    """Return the name of a start tag and the ends of name and tag; None if the tag has no end."""
    match = _OPEN.match(text, start)
    if match is not None:
        return match[1], match.start(2), match.end()
    end = text.find(b">", start, _next_markup(text, start)) + 1
    if end == 0:
        return None
    found = _NAME.match(text, start + 1, end - 1)
    assert found is not None  # the caller has matched the first byte
    return found[0], found.end(), end


def end_tag(text: bytes, start: int) -> tuple[bytes | None, int, bool] | None:
    """Return the name of an end tag, where it ends, and whether it is well-formed.

    None if it is not a tag, or if the document ends inside it.
    """
    match = _CLOSE.match(text, start)
    if match is not None:
        return match[1], match.end(), True
    following = _next_markup(text, start)
    name = _NAME.match(text, start + 2, following)
    end = text.find(b">", start, following) + 1
    if end == 0 and (name is None or following == len(text)):
        return None
    return name[0] if name else None, end or following, False


def _open(context: Context, handler: Handler, start: int) -> int:
    text = context.text
    tag = start_tag(text, start)
    if tag is None:
        return _unfinished(context, handler, start)
    name, span_start, end = tag
    is_empty = text[end - 2] == 0x2F and end - 2 >= span_start  # ends in />
    span_end = end - 2 if is_empty else end - 1
    read = attributes(context, span_start, span_end) if span_start < span_end else []
    handler.open(name, read, start, end, is_empty)
    return end


def _close(context: Context, handler: Handler, start: int) -> int:
    tag = end_tag(context.text, start)
    if tag is None:
        return _unfinished(context, handler, start)
    name, end, is_well_formed = tag
    if not is_well_formed:
        context.report("X002", start, end, "malformed end tag")
    if name is not None:
        handler.close(name, start, end)
    else:
        handler.end_text()
    return end


def _declaration(context: Context, handler: Handler, start: int) -> int:
    text = context.text
    if text.startswith(b"<!--", start):
        end = comment(context, start)
        if end is None:
            return len(text)
        handler.misc(start, end)
        return end
    if text.startswith(b"<![CDATA[", start):
        end = text.find(b"]]>", start + 9)
        if end < 0:
            return len(text)
        handler.cdata(start + 9, end)
        return end + 3
    end = text.find(b">", start, _next_markup(text, start)) + 1
    if end == 0:
        return _unfinished(context, handler, start)
    context.report("X002", start, end, "declaration out of place")
    return end


def _instruction(context: Context, handler: Handler, start: int) -> int:
    end = instruction(context, start)
    if end is None:
        return len(context.text)
    handler.misc(start, end)
    return end


def _next_markup(text: bytes, start: int) -> int:
    following = text.find(b"<", start + 1)
    return len(text) if following < 0 else following


def _unfinished(context: Context, handler: Handler, start: int) -> int:
    length = len(context.text)
    is_last = _next_markup(context.text, start) == length
    return length if is_last else _literal(context, handler, start)


def _literal(context: Context, handler: Handler, start: int) -> int:
    context.report("X002", start, start + 1, '"<" in text must be written &lt;')
    handler.text(start, start + 1)
    return start + 1
