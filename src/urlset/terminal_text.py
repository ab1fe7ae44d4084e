"""Text from a document as it may be shown: nothing in it commands a terminal or deceives an eye."""

from __future__ import annotations

import re
import unicodedata
from typing import Literal, NamedTuple

__all__ = [
    "Line",
    "Role",
    "Span",
    "cells",
    "clip",
    "escape_json",
    "sanitize",
    "take_end",
    "take_start",
    "template_text",
]

Role = Literal[
    "plain", "place", "error", "warning", "info", "rule", "excerpt", "caret", "good", "heading"
]
"""What a stretch of a line is for; whoever shows it gives it a colour."""


class Span(NamedTuple):
    """A stretch of a line, and the role it plays there."""

    text: str
    role: Role = "plain"


Line = tuple[Span, ...]


# C0, DEL and C1 (escape sequences); marks that turn the direction of writing (CVE-2021-42574);
# what has no width, and the breaks, surrogates and tags that terminals treat each in its own way;
# and the two that XML refuses.
_HARMFUL = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ufffe\uffff\ud800-\udfff\U000e0000-\U000e007f]"
)
_HARMFUL_IN_JSON = re.compile(
    "[\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff]"
)


def sanitize(text: str) -> str:
    r"""Write control characters, and those that turn or hide text, as escapes.

    >>> print(sanitize("\x1b[2J\u202egpj.exe"))
    \x1b[2J\u202egpj.exe
    """
    return _HARMFUL.sub(_escape, text) if _HARMFUL.search(text) else text


def escape_json(text: str) -> str:
    """The same for JSON, which has escapes of its own: the data stay as they are."""
    if not _HARMFUL_IN_JSON.search(text):
        return text
    return _HARMFUL_IN_JSON.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def template_text(says: str) -> str:
    """The words of a rule without what is put in.

    >>> template_text("{n:,} URLs; the limit is 50,000")
    '… URLs; the limit is 50,000'
    """
    return re.sub(r"\{[^{}]*\}", "…", says)


def cells(text: str) -> int:
    """How many cells of a terminal a text takes: two for the wide ones of East Asia.

    >>> cells("ab"), cells("東京")
    (2, 4)
    """
    return len(text) if text.isascii() else sum(map(_cells_of, text))


def clip(text: str, width: int) -> str:
    """Shorten a text to a width by leaving out its middle, since both ends of a URL say most.

    >>> clip("https://example.com/a/very/long/path/page.html", 28)
    'https://exampl…ath/page.html'
    """
    if cells(text) <= width:
        return text
    return take_start(text, width // 2) + "…" + take_end(text, (width - 1) // 2)


def take_end(text: str, width: int) -> str:
    """The end of a text that takes no more than so many cells."""
    return take_start(text[::-1], width)[::-1]


def take_start(text: str, width: int) -> str:
    """The beginning of a text that takes no more than so many cells."""
    used = 0
    for number, character in enumerate(text):
        used += _cells_of(character)
        if used > width:
            return text[:number]
    return text


def _cells_of(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _escape(found: re.Match[str]) -> str:
    number = ord(found[0])
    if number < 0x100:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
