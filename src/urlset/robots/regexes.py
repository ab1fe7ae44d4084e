"""The patterns of a robots.txt as regular expressions for DuckDB (RE2), which has no Python.

They are compared as :mod:`urlset.robots.matcher` does it: with the path and query of a URL,
after both were decoded and encoded again. So there are two forms of each pattern: for URLs
without anything percent-encoded, in which each character stands for itself, and for all others,
in which each may be encoded. Both match whatever the pattern matches; the first one matches
nothing else, unless the pattern is not exact.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple
from urllib.parse import unquote

__all__ = ["PLAIN_PATH", "Regexes", "alternatives", "regexes_of"]

PLAIN_PATH = r'/(?:[!"$&-.0-~][!"$&-~]*)?'
"""A path with its query that holds nothing encoded, nothing to be encoded but ASCII, no ``//``
at its beginning and no fragment."""

MAX_LENGTH = 8_000
"""Characters of one regular expression; RE2 takes long ones, but not of any length."""

_TOKEN = re.compile(r"((?:%[89A-F][0-9A-F])+)|%([0-9A-F]{2})|(.)", re.DOTALL)
_REPLACED = "\ufffd"  # stands for bytes that are no UTF-8, whichever they were
_HALF = re.compile(r"%(?![0-9A-F]{2})")
_END_OF_CODE = re.compile(r"[0-9A-F]{1,2}")


class Regexes(NamedTuple):
    """A pattern, for the beginning of a path: ``plain`` is None where it matches no plain one."""

    plain: str | None
    encoded: str
    is_exact: bool


def regexes_of(pattern: str) -> Regexes:
    r"""Translate a pattern, percent-encoded as it is compared.

    >>> regexes_of("/a*.pdf$")[::2]
    ('/a.*\\.pdf$', True)
    """
    end = "$" if pattern.endswith("$") else ""
    pieces = pattern.removesuffix("$").split("*")
    plain: list[str | None] = []
    encoded: list[str] = []
    is_exact = True
    for number, piece in enumerate(pieces):
        # Beware: behind a star, 2F is also found in the middle of %2F; and so is %2 before one.
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
    """Put many regular expressions into few, which match where one of them does."""
    portion: list[str] = []
    length = 0
    for pattern in dict.fromkeys(patterns):
        if portion and length + len(pattern) > MAX_LENGTH:
            yield _one_of(portion)
            portion, length = [], 0
        portion.append(pattern)
        length += len(pattern)
    if portion:
        yield _one_of(portion)


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
    """What a character, or a code, may be in a URL: itself, or any way to encode it."""
    many, code, character = found.groups()
    if many is not None:
        if _is_odd(many):
            return ".*"
        return "".join(f"(?:{_literal(c)}|{_code(c)})" for c in unquote(many))
    if code in ("2F", "25"):  # not the same as what they stand for
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
