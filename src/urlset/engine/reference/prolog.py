"""Detect whether a document is XML, text or HTML, where its root begins; read its DOCTYPE."""

from __future__ import annotations

import re
from typing import Literal

from urlset.engine.reference.context import Context
from urlset.engine.reference.tokens import XSL, comment, declaration, instruction, is_declaration
from urlset.engine.reference.values import NAME
from urlset.protocol import FIND_ROOT, PROLOG_LIMIT

BOM = b"\xef\xbb\xbf"
SPACE = b" \t\r\n"
FIND_FRAGMENT = re.compile(rb"<(?:url|sitemap|loc)(?=[ \t\r\n/>])", re.IGNORECASE)
_HTML = re.compile(rb"<(?:!doctype[ \t\r\n]+)?html(?=[ \t\r\n/>])", re.IGNORECASE)
_DOCTYPE = re.compile(rb"<!doctype(?=[ \t\r\n\[>])", re.IGNORECASE)
_DECLARATION = re.compile(rb"<\?xml[ \t\r\n]")
_ELEMENT = re.compile(rb"<" + NAME)
_BLANK = re.compile(rb"[ \t\r\n]*+")


def read_prolog(context: Context) -> tuple[Literal["xml", "text", "html", "unknown"], int]:
    """Return the form of a document and the offset of its root element or first line."""
    start = _skip_boms(context)
    if not context.text.startswith(b"<", start):
        return _after_junk(context, start) or ("text", start)
    position = start
    while True:
        following = _next_part(context, position, is_first=position == start)
        if following is None:
            return _root_at(context, position)
        position = following


def skip_space(text: bytes, start: int) -> int:
    """Return the offset of the first byte that is not XML white space."""
    found = _BLANK.match(text, start)
    return found.end() if found else start


def _skip_boms(context: Context) -> int:
    """Skip byte order marks and white space at the start, and report misplaced ones."""
    text = context.text
    start = position = len(BOM) if text.startswith(BOM) else 0
    if start:
        context.report("X013", 0, start)
    spaces = 0
    while True:
        begin, position = position, skip_space(text, position)
        spaces += position - begin
        if not text.startswith(BOM, position):
            break
        context.report("X014", position, position + len(BOM))
        position += len(BOM)
    if spaces and _DECLARATION.match(text, position):
        unit = "byte" if spaces == 1 else "bytes"
        context.report("X006", start, position, f"{spaces} {unit}")
    return position


def _next_part(context: Context, start: int, *, is_first: bool) -> int | None:
    """Return the end of a declaration, comment or DOCTYPE; None if there is none."""
    text = context.text
    end: int | None = None
    if is_declaration(text, start):
        end = declaration(context, start, is_first=is_first)
    elif text.startswith(b"<?", start):
        end = instruction(context, start)
        if end is not None and XSL.match(text, start, end):
            context.report("X018", start, end)
    elif text.startswith(b"<!--", start):
        end = comment(context, start)
    elif _DOCTYPE.match(text, start) and not _HTML.match(text, start):
        end = read_doctype(context, start)
    return None if end is None else skip_space(text, end)


def _root_at(context: Context, start: int) -> tuple[Literal["xml", "text", "html", "unknown"], int]:
    """Return the form and offset of the content that begins after the prolog."""
    text = context.text
    if FIND_ROOT.match(text, start) or FIND_FRAGMENT.match(text, start):
        return "xml", start
    if _HTML.match(text, start):
        context.report("X019", start, min(len(text), start + 5))
        return "html", start
    if found := _after_junk(context, start):
        return found
    name = _ELEMENT.match(text, start)
    if name is None:
        context.report("X009", len(text), len(text), "a root element")
    else:
        shown = name[0].decode(errors="ignore")
        context.report("S001", start, name.end(), f"{shown}>")
    return "unknown", start


def _after_junk(context: Context, start: int) -> tuple[Literal["xml"], int] | None:
    """Find the root of a sitemap after text that does not belong before it (X007)."""
    text = context.text
    root = FIND_ROOT.search(text, start, min(len(text), start + PROLOG_LIMIT))
    if root is None:
        return None
    declaration = text.rfind(b"<?xml", start, root.start())
    begin = declaration if declaration >= 0 else root.start()
    if begin > start:
        context.report("X007", start, begin, text[start:begin][:400].decode(errors="ignore"))
    position: int | None = begin
    while position is not None and position < root.start():
        position = _next_part(context, position, is_first=position == begin)
    return "xml", root.start()


_PART = re.compile(
    rb"(<!--|<\?)"
    rb"|<!ENTITY[ \t\r\n]+(" + NAME + rb")[ \t\r\n]+(?:\"([^\"]*+)\"|'([^']*+)')"
    rb"|<!ENTITY|\"[^\"]*+\"|'[^']*+'|%|[\[\]>]"
)
_PROPER = re.compile(rb"<!DOCTYPE[ \t\r\n]+" + NAME)
_EXTERNAL = re.compile(rb"[ \t\r\n](?:SYSTEM|PUBLIC)[ \t\r\n]")


def read_doctype(context: Context, start: int) -> int:
    """Read the DOCTYPE at ``start`` and return its end.

    A DOCTYPE without an end ends at its first ``>``.
    """
    text = context.text
    end, is_external = _read_parts(context, start + 9)
    if end is None:
        end = text.find(b">", start) + 1 or len(text)
        context.report("X002", start, end, "DOCTYPE without an end")
        context.report("X015", start, end)
        return end
    if context.has_doctype or not _PROPER.match(text, start):
        context.report("X002", start, end, "malformed DOCTYPE")
    context.has_doctype = True
    context.report("X015", start, end)
    if is_external:
        context.has_unknown_entities = True
        context.report("X016", start, end, "DOCTYPE declares an external or parameter entity")
    return end


def _read_parts(context: Context, position: int) -> tuple[int | None, bool]:
    """Read the entities of a DOCTYPE; return its end, and whether it has external declarations.

    From where one search came to no end, no other comes to one: so many DOCTYPEs without an
    end take no more time than one.
    """
    text = context.text
    passed: set[tuple[int, bool]] = set()
    is_inside = is_external = False
    while (position, is_inside) not in context.unterminated_doctypes:
        passed.add((position, is_inside))
        found = _PART.search(text, position)
        if found is None:
            break
        token = found[0]
        is_external = is_external or _EXTERNAL.search(text, position, found.start()) is not None
        position = found.end()
        if found[1] is not None:
            end_mark = b"-->" if token == b"<!--" else b"?>"
            position = context.find(end_mark, position) + len(end_mark)
            if position < len(end_mark):
                break
        elif token in (b"[", b"]"):
            is_inside = token == b"["
        elif token == b">" and not is_inside:
            return position, is_external
        elif token in (b"%", b"<!ENTITY"):
            is_external = True
        elif found[2] is not None:
            value = found[3] if found[3] is not None else found[4]
            context.entities.setdefault(found[2], value)
    context.unterminated_doctypes |= passed
    return None, is_external
