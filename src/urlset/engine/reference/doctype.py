"""Skip a DOCTYPE and keep the internal entities it declares; no external entity is fetched."""

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
    """Store the entities; return the end, and whether anything is declared externally.

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
