"""Read the items of a JSON array one at a time, in the memory of a few items."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import IO, Any

from urlset.errors import SourceError
from urlset.sources import text_files

__all__ = ["json_items"]

_CHUNK_SIZE = 1 << 20
_LITERAL_PREFIX = re.compile(r"-|t|tr|tru|f|fa|fal|fals|n|nu|nul")
_SPACE = re.compile(r"[ \t\r\n]*")


def json_items(file: IO[str], name: str) -> Iterator[tuple[int, Any]]:
    r"""Yield each item of an array with the number of the line on which it begins.

    Raises:
        urlset.SourceError: The array is invalid, or an item is too long.

    >>> from io import StringIO
    >>> list(json_items(StringIO('["/a",\n {"loc": "/b"}]'), "a.json"))
    [(1, '/a'), (2, {'loc': '/b'})]
    """
    return _ItemReader(file, name).items()


class _ItemReader:
    def __init__(self, file: IO[str], name: str):
        self._file, self._name = file, name
        self._text, self._at, self._line = "", 0, 1
        self._is_at_end = False
        self._decoder = json.JSONDecoder()

    def items(self) -> Iterator[tuple[int, Any]]:
        if self._next_character() != "[":
            raise self._error("an array of JSON")
        self._at += 1
        first = self._next_character()
        if not first:
            raise self._truncated()
        if first == "]":
            self._at += 1
        else:
            while True:
                yield self._item()
                separator = self._next_character()
                self._at += 1
                if separator == "]":
                    break
                if not separator:
                    raise self._truncated()
                if separator != ",":
                    raise self._error(f"a comma or ] after an item, found {separator}")
                if not self._next_character():
                    raise self._truncated()
        if self._next_character():
            raise self._error("nothing after the array, found more")

    def _item(self) -> tuple[int, Any]:
        while True:
            try:
                value, end = self._decoder.raw_decode(self._text, self._at)
            except (ValueError, RecursionError) as error:
                if self._is_at_end and self._ends_within_item(error):
                    self._advance(len(self._text))
                    raise self._truncated() from error
                if self._is_at_end or isinstance(error, RecursionError):
                    raise self._invalid_item(error) from error
            else:
                # A number may continue in the next piece.
                if end < len(self._text) or self._is_at_end:
                    break
            if len(self._text) - self._at >= text_files.MAX_LINE:
                raise self._too_long()
            self._read()
        if end - self._at >= text_files.MAX_LINE:
            raise self._too_long()
        line = self._line
        self._advance(end)
        return line, value

    def _next_character(self) -> str:
        """Skip white space; return the next character, or an empty text at the end."""
        while True:
            found = _SPACE.match(self._text, self._at)
            assert found is not None  # the pattern matches any text
            self._advance(found.end())
            if self._at < len(self._text):
                return self._text[self._at]
            if self._is_at_end:
                return ""
            self._read()

    def _advance(self, end: int) -> None:
        self._line += self._text.count("\n", self._at, end)
        self._at = end

    def _read(self) -> None:
        # Twice as much each time: a long item is decoded few times.
        piece = self._file.read(max(_CHUNK_SIZE, len(self._text) - self._at))
        self._is_at_end = not piece
        self._text, self._at = self._text[self._at :] + piece, 0

    def _ends_within_item(self, error: Exception) -> bool:
        """Return whether an item is valid up to the end of the file, where it stops."""
        if not isinstance(error, json.JSONDecodeError):
            return False
        rest = self._text[error.pos :]
        return (
            not rest.strip(" \t\r\n")
            or error.msg.startswith("Unterminated string")
            or (error.msg == "Expecting value" and _LITERAL_PREFIX.fullmatch(rest) is not None)
            or (error.msg.startswith("Invalid \\u") and len(rest) < len("\\u0000"))
        )

    def _invalid_item(self, error: Exception) -> SourceError:
        description = str(error)
        if isinstance(error, json.JSONDecodeError):
            self._advance(error.pos)
            description = f"invalid JSON ({error.msg})"
        return self._error(f"an object or a string, found {description}")

    def _truncated(self) -> SourceError:
        return self._error(
            "] at the end of the array, found the end of the file: the array is cut off; "
            "write the file again, or end it with ]"
        )

    def _too_long(self) -> SourceError:
        return self._error(f"an item of fewer than {text_files.MAX_LINE:,} characters")

    def _error(self, expected: str) -> SourceError:
        return SourceError(f"{self._name}:{self._line}: expected {expected}")
