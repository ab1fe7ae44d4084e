"""Translate the patterns of a robots.txt to regular expressions for DuckDB (RE2).

:mod:`urlset.robots.matcher` compares patterns with the path and query of a URL after both were
decoded and encoded again. SQL cannot do that, so each pattern has two forms: one for URLs without
percent-encoding, in which each character is literal, and one for all other URLs, in which each
character may be encoded. Both match every URL that the pattern matches. The first form matches no
other URL if the pattern is exact.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple
from urllib.parse import unquote

__all__ = ["PLAIN_PATH", "Regexes", "alternatives", "regexes_of"]

PLAIN_PATH = r'/(?:[!"$&-.0-~][!"$&-~]*)?'
"""A path and query in ASCII without percent-encoding, ``//`` at the start and a fragment."""

MAX_LENGTH = 8_000
"""Most characters of one regular expression; RE2 limits the size."""

_TOKEN = re.compile(r"((?:%[89A-F][0-9A-F])+)|%([0-9A-F]{2})|(.)", re.DOTALL)
_REPLACED = "\ufffd"  # replaces bytes that are not UTF-8
_HALF = re.compile(r"%(?![0-9A-F]{2})")
_END_OF_CODE = re.compile(r"[0-9A-F]{1,2}")


class Regexes(NamedTuple):
    """Regular expressions of a pattern, matched at the start of a path.

    ``plain`` is None if the pattern matches no path without percent-encoding.
    """

    plain: str | None
    encoded: str
    is_exact: bool


def regexes_of(pattern: str) -> Regexes:
    r"""Return the regular expressions of a pattern that is percent-encoded for comparison.

    >>> regexes_of("/a*.pdf$")[::2]
    ('/a.*\\.pdf$', True)
    """
    end = "$" if pattern.endswith("$") else ""
    pieces = pattern.removesuffix("$").split("*")
    plain: list[str | None] = []
    encoded: list[str] = []
    is_exact = True
    for number, piece in enumerate(pieces):
        # Note: after a star, 2F also matches within %2F; and so does %2 before a star.
        rest = _END_OF_CODE.sub("", piece, count=1) if _is_end_of_code(number, piece) else piece
        half = _HALF.search(rest)
        is_exact = is_exact and rest == piece and half is None and not _is_odd(rest)
        known = rest if half is None else rest[: half.start()]
        plain.append(_plain(known, is_cut=half is not None))
        encoded.append(_encoded(known) + (".*" if half else ""))
    whole = [piece for piece in plain if piece is not None]
    is_plain = len(whole) == len(plain)
    return Regexes(".*".join(whole) + end if is_plain else None, ".*".join(encoded) + end, is_exact)


def alternatives(patterns: Iterable[str]) -> Iterator[str]:
    """Yield a few regular expressions that together match what any of ``patterns`` matches."""
    group: list[str] = []
    length = 0
    for pattern in dict.fromkeys(patterns):
        if group and length + len(pattern) > MAX_LENGTH:
            yield _one_of(group)
            group, length = [], 0
        group.append(pattern)
        length += len(pattern)
    if group:
        yield _one_of(group)


def _one_of(patterns: list[str]) -> str:
    return f"(?s)^(?:{'|'.join(patterns)})"


def _is_odd(piece: str) -> bool:
    return _REPLACED in unquote(piece)


def _is_end_of_code(number: int, piece: str) -> bool:
    return number > 0 and _END_OF_CODE.match(piece) is not None


def _plain(piece: str, *, is_cut: bool) -> str | None:
    parts = []
    for found in _TOKEN.finditer(piece):
        many, code, character = found.groups()
        if many is not None:
            if not _is_odd(many):
                return None
            parts.append(".*")
        elif code is not None:
            own = chr(int(code, 16))
            if own in "/%#" or not "!" <= own <= "~":
                return None
            parts.append(_literal(own))
        else:
            parts.append(_literal(character))
    return "".join(parts) + (".*" if is_cut else "")


def _encoded(piece: str) -> str:
    return "".join(map(_either, _TOKEN.finditer(piece)))


def _either(found: re.Match[str]) -> str:
    """Return a regular expression for a character or code: literal, or encoded in any way."""
    many, code, character = found.groups()
    if many is not None:
        if _is_odd(many):
            return ".*"
        return "".join(f"(?:{_literal(c)}|{_code(c)})" for c in unquote(many))
    if code in ("2F", "25"):  # differ from the characters that they encode
        return _code(chr(int(code, 16)))
    own = character if code is None else chr(int(code, 16))
    return "/" if own == "/" else f"(?:{_literal(own)}|{_code(own)})"


def _code(character: str) -> str:
    return "".join(
        "%" + "".join(f"[{digit}{digit.lower()}]" if digit.isalpha() else digit for digit in code)
        for code in (f"{byte:02X}" for byte in character.encode(errors="replace"))
    )


def _literal(character: str) -> str:
    if character.isascii() and not character.isprintable():
        return f"\\x{ord(character):02x}"
    return re.escape(character)
