"""The native engine, as it comes out of Rust; :mod:`urlset.engine.native` is its coat.

Nothing here does I/O. Every function lets other threads run while it works. Offsets are bytes,
instants are microseconds since 1970-01-01 UTC. A ``TypeError`` or a ``UnicodeEncodeError`` (a
``str`` with lone surrogates) is raised for arguments that are none; what else is raised is said.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, final

from urlset.engine import LogHit
from urlset.model import Entry

__all__ = [
    "Columns",
    "Renderer",
    "UrlHashes",
    "aggregate_log",
    "columns_from_arrow",
    "columns_from_rows",
    "columns_from_user_rows",
    "gunzip",
    "gzip",
    "is_utf8",
    "parse",
    "parse_date",
    "read_url",
    "uncertain_rows",
]

@final
class Columns:
    """Entries in columns; immutable. Made by :func:`parse` and the ``columns_from_…``."""

    def __len__(self) -> int: ...
    def loc(self, row: int) -> str:
        """Give the URL of a row, counted from 0."""

    def rows(self, source: str | None) -> Iterator[Entry]:
        """Give the rows, each made when it is asked for.

        ``source`` fills that field. Offsets and lines are None unless the columns come from
        :func:`parse`.
        """

    def arrow_c_stream(self, source: str | None) -> object:
        """Give an Arrow C stream (a ``PyCapsule``) of one batch with ``urlset.arrow.schema()``.

        It shares the memory of the columns and keeps it alive. ``source`` fills that column.
        Offsets and lines are null unless the columns come from :func:`parse`. Raises
        ``ValueError`` where a column would be over Arrow's 2 GiB.
        """

@final
class Renderer:
    """One document being written, a ``urlset`` or a ``text``; see `urlset.engine.Renderer`."""

    def __new__(
        cls,
        kind: str,
        max_urls: int,
        max_bytes: int,
        max_news: int,
        stylesheet: str | None = None,
    ) -> Renderer: ...
    @property
    def count(self) -> int:
        """The number of entries in the document."""

    def add(self, columns: Columns, start: int) -> int:
        """Take rows from ``start`` on until the document is full; return the row where it stopped.

        ``max_bytes`` counts header and footer, and the line that names the style sheet. The first
        entry is taken whatever its size.
        """

    def finish(self) -> bytes:
        """Give the bytes of the document, header and footer included."""

@final
class UrlHashes:
    """Set of URLs, kept as hashes of 128 bits; see `urlset.engine.Seen`."""

    def __new__(cls) -> UrlHashes: ...
    def add(self, columns: Columns, start: int, end: int) -> list[int]:
        """Add the URLs of rows; give the rows whose URL was there before."""

def parse(
    text: bytes,
    base: str | None,
    source: str | None,
    runs: list[Any],
) -> tuple[
    str,
    Columns,
    list[tuple[Any, ...]],
    list[tuple[str, int, int, str, str | None]],
    dict[str, int],
]:
    """Read a document of any format: kind, entries, sitemaps, marks, marks left out by code.

    Sitemaps are the fields of :class:`urlset.model.Sitemap`, marks those of
    :class:`urlset.engine.Mark`, ``runs`` tuples of :class:`urlset.engine.OffsetRun`. Raises
    ``ValueError`` for bytes that are not UTF-8, and nothing for any document.
    """

def is_utf8(data: bytes) -> bool:
    """Tell whether bytes are valid UTF-8."""

def gunzip(data: bytes, limit: int) -> bytes | None:
    """Unpack flawless gzip of one or more members and at most ``limit`` bytes, else None.

    Damage, truncation, and whatever follows the last member, zeros included, are None.
    """

def gzip(data: bytes) -> bytes:
    """Pack; the same bytes give the same bytes, without a time stamp."""

def columns_from_rows(rows: Iterable[Any], format_date: Callable[[Any], str]) -> Columns:
    """Take rows of :class:`urlset.model.Entry`; ``source``, ``offset`` and ``line`` are not kept.

    ``format_date`` is called with each lastmod whose text is missing or no W3C date, and gives
    the text that is rendered. What it raises is raised, and ``TypeError`` for other rows.
    """

def columns_from_user_rows(rows: list[Any], classes: tuple[Any, ...]) -> Columns:
    """Take rows that are entries, dicts or URLs; one that needs a conversion has no URL then.

    ``classes`` are those of an entry, an image, an alternate and a datetime, and the zone UTC.
    """

def columns_from_arrow(stream: object) -> Columns | object:
    """Take an Arrow C stream (a ``PyCapsule``, which is used up) with our columns, or some of them.

    Other columns are passed over. Where one of ours has another type than ours, or there is no
    ``loc``, nothing is read, and a capsule of the same stream is given back. Raises ``ValueError``
    for a row without a loc, a lastmod outside the years 1 to 9999, and what the stream reports.
    """

def parse_date(text: str) -> tuple[int | None, str | None, bool, str | None]:
    """Read a date as :func:`urlset.dates.parse_date` does; for the tests that hold them equal."""

def read_url(text: str, base: str | None) -> tuple[str | None, list[tuple[str, str, str | None]]]:
    """Read a URL as :func:`urlset.urls.parse_url` does; for the tests that hold them equal."""

def uncertain_rows(columns: Columns, is_text: bool) -> list[int]:
    """Give the rows that have to be validated; see `urlset.engine.Engine.uncertain_rows`."""

def aggregate_log(
    block: bytes, keeps_queries: bool
) -> tuple[list[LogHit], list[tuple[int, int | None, Any]]]:
    """Aggregate whole lines of an access log; see `urlset.engine.Engine.aggregate_log`."""
