"""Read comments, processing instructions and the XML declaration."""

from __future__ import annotations

import re

from urlset.engine.reference.context import Context

__all__ = ["comment", "declaration", "instruction", "is_declaration"]

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
    """Whether an XML declaration begins at ``start``."""
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
