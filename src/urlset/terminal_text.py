"""Escape untrusted text for terminals and JSON, and measure and clip it in terminal cells."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Literal, NamedTuple

Role = Literal[
    "plain", "place", "error", "warning", "info", "rule", "excerpt", "caret", "good", "heading"
]
"""Role of a span of text; the command line maps roles to colours."""


class Span(NamedTuple):
    """Part of a line of output, with its role, which decides its style."""

    text: str
    role: Role = "plain"


Line = tuple[Span, ...]


# C0, DEL and C1 (escape sequences); marks that change the direction of writing (CVE-2021-42574);
# characters without width; line breaks, surrogates and tags, which terminals treat differently;
# and the two noncharacters that XML excludes.
_HARMFUL = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ufffe\uffff\ud800-\udfff\U000e0000-\U000e007f]"
)
_HARMFUL_IN_JSON = re.compile(
    "[\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff]"
)
# Commands that systems of CI run when a job prints them. `##[…]`, `##vso[…]` and `##teamcity[…]`
# count anywhere in a line (GitHub and Azure), `::name …::` after its indentation (GitHub:
# https://github.com/actions/runner/blob/main/src/Runner.Common/ActionCommand.cs).
_COMMAND = re.compile(r"#(?=#(?:vso|teamcity)?\[)", re.IGNORECASE)
_COMMAND_OF_LINE = re.compile(r"\s*+:(?=:[\w-]++(?: [^\n]*?)?::)")


def sanitize(text: str) -> str:
    r"""Replace control characters, and those that reorder or hide text, with escapes.

    So are the starts of commands in the log of a CI job: ``##[``, and ``::`` at the start.

    >>> print(sanitize("\x1b[2J\u202egpj.exe"), sanitize("https://example.com/##[group]"))
    \x1b[2J\u202egpj.exe https://example.com/\x23#[group]
    """
    if _HARMFUL.search(text):
        text = _HARMFUL.sub(_escape, text)
    if "##" in text:
        text = _COMMAND.sub(r"\\x23", text)
    if "::" in text and (found := _COMMAND_OF_LINE.match(text)):
        text = f"{found[0][:-1]}\\x3a{text[found.end() :]}"
    return text


def printable(path: str) -> str:
    r"""Return a path as valid Unicode; bytes that are not UTF-8 are written as ``\xe9``.

    >>> print(printable("caf\udce9.xml"))
    caf\xe9.xml
    """
    return (
        path
        if path.isascii()
        else path.encode(errors="surrogateescape").decode(errors="backslashreplace")
    )


def escape_json(text: str) -> str:
    """Return JSON text with harmful characters as JSON escapes, so that its data are unchanged.

    It contains no command of a CI job either; see :func:`sanitize`.
    """
    if "##" in text:
        text = _COMMAND.sub(r"\\u0023", text)
    is_plain = text.isascii() and "\x7f" not in text  # a search takes as long as all else
    if is_plain or not _HARMFUL_IN_JSON.search(text):
        return text
    return _HARMFUL_IN_JSON.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def template_text(template: str) -> str:
    """Replace each placeholder in the message template of a rule by an ellipsis.

    >>> template_text("{n:,} URLs; the limit is 50,000")
    '… URLs; the limit is 50,000'
    """
    return re.sub(r"\{[^{}]*\}", "…", template)


def cells(text: str) -> int:
    """Return the width of a text in terminal cells: two for the wide characters of East Asia.

    >>> cells("ab"), cells("東京")
    (2, 4)
    """
    return len(text) if text.isascii() else sum(map(_cells_of, text))


def clip(text: str, width: int) -> str:
    """Shorten a text to a width in cells; the middle is cut, because a URL is known by its ends.

    >>> clip("https://example.com/a/very/long/path/page.html", 28)
    'https://exampl…ath/page.html'
    """
    if cells(text) <= width:
        return text
    return take_start(text, width // 2) + "…" + take_end(text, (width - 1) // 2)


def take_end(text: str, width: int) -> str:
    """Return the longest end of a text that fits into ``width`` cells."""
    return take_start(text[::-1], width)[::-1]


def take_start(text: str, width: int) -> str:
    """Return the longest start of a text that fits into ``width`` cells."""
    if text.isascii():
        return text[: max(0, width)]
    used = 0
    for number, character in enumerate(text):
        used += _cells_of(character)
        if used > width:
            return text[:number]
    return text


@lru_cache(maxsize=4_096)
def _cells_of(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _escape(found: re.Match[str]) -> str:
    number = ord(found[0])
    if number < 0x100:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


def pluralize(number: int, singular: str, plural: str | None = None) -> str:
    """Return a number with its noun in the singular or plural.

    >>> pluralize(1, "file"), pluralize(2_000, "index", "indexes")
    ('1 file', '2,000 indexes')
    """
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"
