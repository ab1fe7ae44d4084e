"""Keeps the texts of documents while they are judged: in memory, on the disk when they are many."""

from __future__ import annotations

import re
import tempfile
from bisect import bisect_right
from contextlib import suppress
from types import TracebackType
from typing import NamedTuple

from urlset.checker.finding import Excerpt
from urlset.document import Document
from urlset.engine import OffsetRun, source_offset
from urlset.errors import StoreError
from urlset.model import Kind

__all__ = ["Text", "TextCache", "count_characters", "count_lines", "line_begin"]

IN_MEMORY = 64 << 20
"""Bytes of text that are kept in memory; with more, all of it goes to a temporary file."""

BEFORE, AFTER = 160, 240
"""Characters of a line that are kept around a finding: a document may be one line of 50 MB."""

_LINE_END = re.compile(rb"[\r\n]")
_CONTINUATION = bytes(range(0x80, 0xC0))  # every byte of a character in UTF-8 but the first


class Text(NamedTuple):
    """A document as UTF-8; ``runs`` lead from it to the offsets of the original."""

    kind: Kind
    data: bytes
    runs: list[OffsetRun]

    def place_of(self, offset: int) -> int:
        """The inverse of :func:`urlset.engine.source_offset`: where in ``data`` an offset is."""
        if not self.runs:
            return offset
        number = bisect_right(self.runs, offset, key=lambda run: run.source_start) - 1
        run = self.runs[max(0, number)]
        return run.text_start + (offset - run.source_start) // run.source_width * run.text_width

    def offset_of(self, place: int) -> int:
        """The offset in the original of a place in ``data``."""
        return source_offset(place, self.runs)

    def excerpt(self, place: int) -> Excerpt:
        """The line around a place."""
        # Beware: four bytes a character at most, so that enough is left when it is decoded.
        left = _LINE_END.split(self.data[max(0, place - 4 * BEFORE) : place])[-1]
        right = _LINE_END.split(self.data[place : place + 4 * AFTER], maxsplit=1)[0]
        before = left.decode(errors="ignore")[-BEFORE:]
        return Excerpt(before + right.decode(errors="ignore")[:AFTER], len(before))


def count_lines(data: bytes, begin: int, end: int) -> int:
    r"""Return how many lines end between two places; "\r\n" ends one line."""
    ends = data.count(b"\n", begin, end) + data.count(b"\r", begin, end)
    return ends - data.count(b"\r\n", begin, end + 1)


def count_characters(data: bytes, begin: int, end: int) -> int:
    """Return how many characters begin between two places of UTF-8."""
    return len(data[begin:end].translate(None, _CONTINUATION))


def line_begin(data: bytes, place: int) -> int:
    """Return where the line of a place begins."""
    begin = data.rfind(b"\n", 0, place) + 1
    # Most documents have no "\r": it is searched in this line only.
    return max(begin, data.rfind(b"\r", begin, place) + 1)


class _Kept(NamedTuple):
    kind: Kind
    start: int
    size: int
    runs: list[OffsetRun]


class TextCache:
    """The texts of one check by the number of their document; a context manager."""

    def __init__(self) -> None:
        # Closed where the context ends.
        self._file = tempfile.SpooledTemporaryFile(IN_MEMORY, prefix="urlset-")  # noqa: SIM115
        self._kept: dict[int, _Kept] = {}
        self._end = 0

    def add(self, number: int, document: Document) -> None:
        """Keep the text of a document; raises :class:`urlset.StoreError` where there is no room."""
        try:
            self._file.seek(self._end)
            self._file.write(document.text)
        except OSError as error:
            raise _no_room(error) from error
        size = len(document.text)
        self._kept[number] = _Kept(document.kind, self._end, size, document.runs)
        self._end += size

    def get(self, number: int) -> Text | None:
        """The text of a document; None for one that was not kept."""
        kept = self._kept.get(number)
        if kept is None:
            return None
        try:
            self._file.seek(kept.start)  # writes what is still in its buffer
            return Text(kept.kind, self._file.read(kept.size), kept.runs)
        except OSError as error:
            raise _no_room(error) from error

    def __enter__(self) -> TextCache:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with suppress(OSError):  # of what could not be written; nobody wants it now
            self._file.close()


def _no_room(error: OSError) -> StoreError:
    return StoreError(
        f"cannot keep the texts of documents in {tempfile.gettempdir()!r}: {error.strerror}; "
        "make room there, or name another folder by TMPDIR"
    )
