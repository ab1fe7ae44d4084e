"""The engine: pure functions over one document, in two implementations with one contract.

``reference`` is plain Python and the specification; ``native`` is Rust and its equal, row for
row and problem for problem. :func:`get` chooses. What is rare (decoding, damaged gzip, index
files) is written once, in Python, and serves both.
"""

from __future__ import annotations

import importlib
import os
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple, Protocol, cast, overload

from urlset.errors import EngineError
from urlset.model import Entry, Kind, Sitemap

__all__ = [
    "NAMES",
    "Columns",
    "Engine",
    "LogHit",
    "Mark",
    "OffsetRun",
    "Parsed",
    "Renderer",
    "Rows",
    "Seen",
    "available",
    "get",
    "in_order",
    "source_offset",
]

NAMES = ("native", "reference")


class Mark(NamedTuple):
    """A problem as an engine notes it: a lint code, a byte span of the text, the words, a level.

    ``level`` is None where the rule's own level holds.
    """

    code: str
    offset: int
    end: int
    detail: str
    level: str | None = None


class OffsetRun(NamedTuple):
    """A stretch of decoded text and where it stood: for offsets in the original bytes.

    A byte ``x`` of the text at or after ``text_start`` stood at
    ``source_start + (x - text_start) // text_width * source_width``.
    """

    text_start: int
    source_start: int
    text_width: int
    source_width: int


def in_order(marks: list[Mark]) -> list[Mark]:
    """Sort marks by their place, and by what they say where that is the same."""
    return sorted(marks, key=lambda mark: (mark.offset, mark.code, mark.end, mark.detail))


def source_offset(offset: int, runs: Sequence[OffsetRun]) -> int:
    """Where a byte of the decoded text stood in the original bytes.

    >>> source_offset(4, [OffsetRun(0, 2, 1, 2)])  # UTF-16 behind its byte order mark
    10
    """
    if not runs:
        return offset
    run = runs[max(0, bisect_right(runs, offset, key=lambda run: run.text_start) - 1)]
    return run.source_start + (offset - run.text_start) // run.text_width * run.source_width


LogHit = tuple[bytes, bytes, int, int, int]
"""Lines of an access log that say the same: a path was there whenever a block asks for it.

The virtual host, empty where the log names none; the path; the number of lines; the latest second
of the epoch; the number of the first line, from 0.
"""


class Rows(Protocol):
    """The entries of one document, as rows for Python and as Arrow for everybody else."""

    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Entry]: ...
    @overload
    def __getitem__(self, index: int) -> Entry: ...
    @overload
    def __getitem__(self, index: slice) -> list[Entry]: ...
    def to_arrow(self) -> Any: ...
    def to_pandas(self) -> Any: ...
    def to_polars(self) -> Any: ...
    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...


class Parsed(Protocol):
    """What :meth:`Engine.parse` gives: marks are in order of their offset in the text.

    Of each code the first 10,000 are there; ``omitted`` counts the rest, by code.
    """

    @property
    def kind(self) -> Kind: ...
    @property
    def entries(self) -> Rows: ...
    @property
    def sitemaps(self) -> list[Sitemap]: ...
    @property
    def marks(self) -> list[Mark]: ...
    @property
    def omitted(self) -> dict[str, int]: ...


class Columns(Protocol):
    """Entries in the form that an engine renders from; made by :meth:`Engine.columns`."""

    def __len__(self) -> int: ...
    def loc(self, row: int) -> str: ...


class Seen(Protocol):
    """The URLs that were written already.

    ``add`` adds those of the rows from ``start`` to ``end``, and returns the rows, in their order,
    whose URL was there before.
    """

    def add(self, columns: Any, start: int, end: int) -> Sequence[int]: ...


class Renderer(Protocol):
    """One document being written; one object per document.

    ``add`` takes rows from ``start`` to ``end`` (or the last one) until the document is full and
    returns the row where it stopped; ``finish`` returns the bytes, header and footer included.
    """

    @property
    def count(self) -> int: ...
    def add(self, columns: Any, start: int, end: int | None = None) -> int: ...
    def finish(self) -> bytes: ...


class Engine(Protocol):
    """The contract. Both engines are modules with these functions."""

    name: str

    def is_utf8(self, data: bytes) -> bool: ...
    def gunzip(self, data: bytes, limit: int) -> bytes | None:
        """Unpack flawless gzip of at most ``limit`` bytes, else None."""

    def gzip(self, data: bytes) -> bytes:
        """Pack; the same bytes give the same bytes, without a time stamp."""

    def parse(
        self, text: bytes, base: str | None, source: str | None, runs: list[OffsetRun]
    ) -> Parsed:
        """Read UTF-8 text of any format. Never raises."""

    def columns(self, entries: Any) -> Columns:
        """Take a list of entries, or anything with ``__arrow_c_stream__`` and our schema."""

    def given_columns(self, rows: Sequence[Any]) -> Columns:
        """Take rows as a caller gave them: entries, dicts, URLs, or anything.

        A row that needs a conversion has an empty URL, and is one of :meth:`uncertain_rows`.
        """

    def uncertain_rows(self, columns: Any, is_text: bool) -> Sequence[int]:
        """The rows, in their order, that :mod:`urlset.writer.validation` has to decide on.

        What is not among them may be written as it stands: validation would pass it, and leave it
        unchanged. An engine may name more rows than it must.
        """

    def seen(self) -> Seen:
        """Begin a set of URLs."""

    def renderer(
        self,
        kind: str,
        max_urls: int,
        max_bytes: int,
        max_news: int,
        stylesheet: str | None = None,
    ) -> Renderer:
        """Begin a document: ``kind`` is ``urlset`` or ``text``.

        ``stylesheet`` is the address of the CSS that browsers show a ``urlset`` with.
        """

    def aggregate_log(
        self, block: bytes, keeps_queries: bool
    ) -> tuple[Sequence[LogHit], Sequence[tuple[Any, ...]]]:
        """Read whole lines of an access log, common or combined: hits, and other lines.

        Lines come in order, as ``(number, second, parts)``: a number from 0, the second of the
        epoch where an engine has read it, and the fields of a ``Row`` of
        :mod:`urlset.sources.logs.lines`. Those with another method than GET do not, unless they
        are odd in another way, too.

        An engine may put lines together into hits: all lines of a path, if all of them have 200
        or 304, and a time. Of those only that have no tail; one that begins with ``?`` does not
        count as one, unless ``keeps_queries``.
        """


@cache
def available() -> tuple[str, ...]:
    """Name the engines that are installed, the best one first."""
    return tuple(name for name in NAMES if _load(name) is not None)


def get(name: str | None = None) -> Engine:
    """Give the engine of that name; without one, ``URLSET_ENGINE``, or the best there is.

    Raises :class:`urlset.errors.EngineError` for an engine that is not installed.

    >>> get("reference").name
    'reference'
    """
    wanted = name or os.environ.get("URLSET_ENGINE")
    if not wanted:  # the first that is there: the others are not even imported
        wanted = next(name for name in NAMES if _load(name) is not None)
    engine = _load(wanted) if wanted in NAMES else None
    if engine is None:
        raise EngineError(
            f"expected an engine that is installed ({', '.join(available())}), found {wanted!r}; "
            "the native engine is built when cargo is on the PATH during installation"
        )
    return engine


@cache
def _load(name: str) -> Engine | None:
    try:
        return cast(Engine, importlib.import_module(f"urlset.engine.{name}"))
    except ImportError:
        if name == "reference":
            raise
        return None
