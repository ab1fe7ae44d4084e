"""A DOCTYPE: skipped; the simple entities it declares are kept, nothing outside is fetched."""

from __future__ import annotations

import re

from urlset.engine.reference.context import Context
from urlset.engine.reference.values import NAME

__all__ = ["read_doctype"]

_PART = re.compile(
    rb"(<!--|<\?)"
    rb"|<!ENTITY[ \t\r\n]+(" + NAME + rb")[ \t\r\n]+(?:\"([^\"]*+)\"|'([^']*+)')"
    rb"|<!ENTITY|\"[^\"]*+\"|'[^']*+'|%|[\[\]>]"
)
_PROPER = re.compile(rb"<!DOCTYPE[ \t\r\n]+" + NAME)
_EXTERNAL = re.compile(rb"[ \t\r\n](?:SYSTEM|PUBLIC)[ \t\r\n]")


def read_doctype(context: Context, start: int) -> int:
    """Read the DOCTYPE at ``start`` and return where it ends.

    One without an end is taken to end at its first ``>``.
    """
    text = context.text
    depth = 0
    position = start + 9
    is_external = False
    while found := _PART.search(text, position):
        token = found[0]
        is_external = is_external or _EXTERNAL.search(text, position, found.start()) is not None
        position = found.end()
        if found[1] is not None:
            end_mark = b"-->" if token == b"<!--" else b"?>"
            position = text.find(end_mark, position) + len(end_mark)
            if position < len(end_mark):
                return _without_end(context, start)
        elif token == b"[":
            depth = 1
        elif token == b"]":
            depth = 0
        elif token == b">" and depth == 0:
            break
        elif token in (b"%", b"<!ENTITY"):
            is_external = True
        elif found[2] is not None:
            value = found[3] if found[3] is not None else found[4]
            context.entities.setdefault(found[2], value)
    else:
        return _without_end(context, start)
    if context.has_doctype or not _PROPER.match(text, start):
        context.mark("X002", start, position, "malformed DOCTYPE")
    context.has_doctype = True
    context.mark("X015", start, position)
    if is_external:
        context.has_unknown_entities = True
        context.mark("X016", start, position, "DOCTYPE declares an external or parameter entity")
    return position


def _without_end(context: Context, start: int) -> int:
    end = context.text.find(b">", start) + 1 or len(context.text)
    context.mark("X002", start, end, "DOCTYPE without an end")
    context.mark("X015", start, end)
    return end
