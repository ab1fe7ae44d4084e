"""Tokenize markup: tags, comments, sections, instructions and declarations, also malformed.

Every scan for an end stops at the next ``<`` or consumes what it scanned: the total cost is linear
in the length of any document.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple, Protocol

from urlset.engine.reference.context import Context
from urlset.engine.reference.values import NAME, attribute_text
from urlset.protocol import MAX_ATTRIBUTES

_TARGET = re.compile(rb"[A-Za-z_\x80-\xff][-.\w\x80-\xff]*+")
_DECLARATION = re.compile(
    rb"""<\?xml[ \t\r\n]+version[ \t\r\n]*=[ \t\r\n]*("1\.[0-9]+"|'1\.[0-9]+')"""
    rb"""([ \t\r\n]+encoding[ \t\r\n]*=[ \t\r\n]*("[A-Za-z][-.\w]*"|'[A-Za-z][-.\w]*'))?"""
    rb"""([ \t\r\n]+standalone[ \t\r\n]*=[ \t\r\n]*("yes"|"no"|'yes'|'no'))?[ \t\r\n]*\?>"""
)


def comment(context: Context, start: int) -> int | None:
    """Return the end of the comment at ``start``; None if it has none."""
    inside, end = context.find(b"--", start + 4), context.find(b"-->", start + 4)
    if end < 0:
        return None
    if inside != end:
        context.report("X002", start, end + 3, '"--" inside a comment')
    return end + 3


def instruction(context: Context, start: int) -> int | None:
    """Return the end of the processing instruction at ``start``; None if it has none.

    Without ``?>`` before the next tag, it ends at the first ``>``.
    """
    text = context.text
    following = text.find(b"<", start + 1)
    following = len(text) if following < 0 else following
    end = text.find(b"?>", start + 2, following) + 2
    if end == 1:
        end = text.find(b">", start, following) + 1
        if end:
            context.report("X002", start, end, "processing instruction does not end in ?>")
            return end
        end = context.find(b"?>", start + 2) + 2
        if end == 1:
            return None
    _check_target(context, start, end)
    return end


def is_declaration(text: bytes, start: int) -> bool:
    """Return whether an XML declaration begins at ``start``."""
    return text.startswith(b"<?xml", start) and text[start + 5 : start + 6] in _AFTER_XML


def declaration(context: Context, start: int, *, is_first: bool) -> int | None:
    """Return the end of the XML declaration at ``start``; report a malformed or misplaced one."""
    end = instruction(context, start)
    if end is not None and not is_first:
        context.report("X002", start, end, "XML declaration out of place")
    elif end is not None and not _DECLARATION.fullmatch(context.text, start, end):
        context.report("X002", start, end, "malformed XML declaration")
    return end


def _check_target(context: Context, start: int, end: int) -> None:
    target = _TARGET.match(context.text, start + 2, end - 2)
    after = context.text[target.end() : target.end() + 1] if target else b""
    is_named = target is not None and (after in _BLANK or target.end() == end - 2)
    if not is_named or (target is not None and target[0].lower() == b"xml" != target[0]):
        context.report("X002", start, end, "malformed processing instruction")


_BLANK = (b" ", b"\t", b"\r", b"\n")
_AFTER_XML = (*_BLANK, b"?")


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
PAIR = re.compile(SPACE + rb"(" + NAME + rb")=\"([^\"&<\x00-\x1f\xef]*+)\"")
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


class AttributeSpan(NamedTuple):
    """Attribute with its ranges; ``start`` is before the white space that precedes its name."""

    name: str
    start: int
    name_start: int
    value_start: int
    value_end: int
    end: int


class Tag(NamedTuple):
    """Tag with its range in the text; ``name`` is empty for a malformed end tag without one."""

    name: bytes
    start: int
    end: int
    is_end: bool
    is_empty: bool


class Handler(Protocol):
    """Protocol of a receiver of the tokens of a document, in their order."""

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
    if _begins_name(following):
        return _open(context, handler, start)
    return _literal(context, handler, start) if following else len(context.text)


def _begins_name(byte: bytes) -> bool:
    """Return whether a name may begin with this byte."""
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
    for match in _attribute_matches(context.text, start, end):
        group = match.lastindex or 2 if match is not None else 2
        is_odd = is_odd or match is None or not match[1] or group in (2, 5)
        if match is None or group == 2:
            continue
        span = match.span(group)
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


def attribute_spans(text: bytes, start: int, end: int) -> Iterator[AttributeSpan]:
    """Yield the attributes with a value in a range of a start tag, including duplicates."""
    for match in _attribute_matches(text, start, end):
        if match is not None and (group := match.lastindex or 2) > 2:
            span = match.start(), match.start(2), *match.span(group), match.end()
            yield AttributeSpan(match[2].decode(errors="replace"), *span)


def _attribute_matches(text: bytes, position: int, end: int) -> Iterator[re.Match[bytes] | None]:
    """Yield what resembles an attribute; None for each byte that does not belong to one."""
    while position < end:
        match = _ATTRIBUTE.match(text, position, end)
        if match is not None:
            position = match.end()
            yield match
            continue
        blanks = _BLANKS.match(text, position, end)
        position = blanks.end() if blanks else position + 1
        if blanks is None:
            yield None


def _start_tag(text: bytes, start: int) -> tuple[bytes, int, int] | None:
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


def _end_tag(text: bytes, start: int) -> tuple[bytes | None, int, bool] | None:
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


def tags(text: bytes, position: int) -> Iterator[Tag]:
    """Yield the tags from ``position`` on, outside comments, CDATA sections and instructions."""
    while (start := text.find(b"<", position)) >= 0:
        following = text[start + 1 : start + 2]
        position = start + 1
        if following == b"/":
            if closed := _end_tag(text, start):
                name, position, _ = closed
                yield Tag(name or b"", start, position, is_end=True, is_empty=False)
        elif following in (b"!", b"?"):
            after = _after(text, start)
            if after is None:
                return
            position = after
        elif _begins_name(following) and (opened := _start_tag(text, start)):
            name, name_end, position = opened
            is_empty = text[position - 2] == 0x2F and position - 2 >= name_end  # ends in />
            yield Tag(name, start, position, is_end=False, is_empty=is_empty)


def _after(text: bytes, start: int) -> int | None:
    """Return the offset after a comment, CDATA section or instruction; None if it has no end.

    For any other ``<`` that is the next byte.
    """
    for opener, closer in ((b"<!--", b"-->"), (b"<![CDATA[", b"]]>")):
        if text.startswith(opener, start):
            end = text.find(closer, start + len(opener))
            return end + len(closer) if end >= 0 else None
    if not text.startswith(b"<?", start):
        return start + 1
    following = text.find(b"<", start + 1)
    following = len(text) if following < 0 else following
    # Without "?>" before the next tag, an instruction ends at the first ">".
    for closer, limit in ((b"?>", following), (b">", following), (b"?>", len(text))):
        end = text.find(closer, start + 2, limit)
        if end >= 0:
            return end + len(closer)
    return None


def _open(context: Context, handler: Handler, start: int) -> int:
    text = context.text
    tag = _start_tag(text, start)
    if tag is None:
        return _unfinished(context, handler, start)
    name, span_start, end = tag
    is_empty = text[end - 2] == 0x2F and end - 2 >= span_start  # ends in />
    span_end = end - 2 if is_empty else end - 1
    read = attributes(context, span_start, span_end) if span_start < span_end else []
    handler.open(name, read, start, end, is_empty)
    return end


def _close(context: Context, handler: Handler, start: int) -> int:
    tag = _end_tag(context.text, start)
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
