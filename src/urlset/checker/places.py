"""What stands around a problem: the excerpt that is shown with it."""

from __future__ import annotations

import re

from urlset.checker.model import Excerpt
from urlset.document import Document
from urlset.locating import IN_PACKED, text_offset

__all__ = ["excerpt_of"]

BEFORE, AFTER = 160, 240
"""Characters of a line that are kept around a finding: a document may be one line of 50 MB."""

_LINE_END = re.compile(rb"[\r\n]")


def excerpt_of(document: Document, problem_offset: int, code: str) -> Excerpt | None:
    """The line around an offset; None where that counts packed bytes."""
    if code in IN_PACKED:
        return None
    text, place = document.text, text_offset(document, problem_offset)
    # Beware: four bytes a character at most, so that enough is left when it is decoded.
    left = _LINE_END.split(text[max(0, place - 4 * BEFORE) : place])[-1]
    right = _LINE_END.split(text[place : place + 4 * AFTER], maxsplit=1)[0]
    before = left.decode(errors="ignore")[-BEFORE:]
    return Excerpt(before + right.decode(errors="ignore")[:AFTER], len(before))
