"""Types of the native engine, which is written in Rust; :mod:`urlset.engine.native` wraps it.

Functions release the GIL while they work, unless that is short. Offsets are in bytes,
instants in microseconds since 1970-01-01 UTC. Every function raises ``TypeError`` for arguments
of other types and ``UnicodeEncodeError`` for a ``str`` with lone surrogates; other exceptions are
documented per function.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, final

from urlset.engine import ListedFile, LogHit
from urlset.model import Entry

__all__ = [
    "OPT_LEVEL",
    "Columns",
    "KnownRows",
    "LogAggregator",
    "Renderer",
    "ScannedPage",
    "UrlHashes",
    "are_canonical",
    "columns_from_arrow",
    "columns_from_json",
    "columns_from_rows",
    "columns_from_user_rows",
    "element_spans",
    "entry_digests",
    "field_tables",
    "gunzip",
    "gzip",
    "is_utf8",
    "joined_stream",
    "parse",
    "parse_date",
    "parse_url",
    "scan_files",
    "scan_page",
    "uncertain_rows",
    "well_formed_page",
]

OPT_LEVEL: str
"""Optimization level of the compiler: ``3`` for a release, ``0`` for that of ``make demo``."""

@final
class Columns:
    """Immutable entries in columns, from :func:`parse` and the ``columns_from_…`` functions."""

    def __len__(self) -> int: ...
    def loc(self, row: int) -> str:
        """Return the URL of a row, counted from 0. Raises ``IndexError`` for a missing row."""

    def rows(self, source: str | None) -> Iterator[Entry]:
        """Return an iterator that creates one entry at a time.

        ``source`` becomes the source of each entry. Offsets and lines are None unless the columns
        come from :func:`parse`.
        """

    def arrow_c_stream(self, source: str | None) -> object:
        """Return an Arrow C stream (a ``PyCapsule``) of one batch with ``urlset.arrow.schema()``.

        It shares the memory of the columns and keeps it alive. ``source`` fills the column source.
        Offsets and lines are null unless the columns come from :func:`parse`. Raises
        ``ValueError`` if a column exceeds the 2 GiB that Arrow allows.
        """

@final
class Renderer:
    """Document that is being rendered, a ``urlset`` or a ``text``; see `urlset.engine.Renderer`."""

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
        """Number of entries in the document."""

    def add(self, columns: Columns, start: int) -> int:
        """Add rows from ``start`` on until the document is full; return the row where it stopped.

        ``max_bytes`` includes header, footer and the line of the style sheet. The first entry is
        added whatever its size.
        """

    def finish(self, mark: str = "") -> bytes:
        """Return the bytes of the document, with ``mark`` after the XML declaration."""

    def document(self, mark: str = "") -> DocumentBytes:
        """Return the document as :meth:`finish`, without a copy; the renderer is empty then."""

@final
class DocumentBytes:
    """Bytes of a rendered document, in a buffer for reading; see `urlset.engine.DocumentBytes`."""

    def __len__(self) -> int: ...
    def __buffer__(self, flags: int, /) -> memoryview: ...
    def __eq__(self, other: object, /) -> bool: ...

@final
class LogAggregator:
    """Aggregator of an access log; see `urlset.engine.LogAggregator`."""

    def __init__(self, keeps_queries: bool) -> None: ...
    def add(self, block: bytes) -> tuple[list[LogHit], list[tuple[int, int | None, Any]], int]: ...
    def finish(self) -> list[LogHit]: ...

@final
class ScannedPage:
    """Facts of a scanned page; see `urlset.engine.html_page.ScannedPage`."""

    @property
    def title(self) -> str | None: ...
    @property
    def language(self) -> str | None: ...
    @property
    def data(self) -> list[str]: ...
    def elements(self) -> list[tuple[str, dict[str, str], bool, bool]]:
        """Create the fields of :class:`urlset.engine.html_page.HtmlElement` of each element."""

    def lines(self) -> str: ...
    def words(
        self,
        origin: str,
        is_volatile: Callable[[str], bool],
        stable_target: Callable[[str, str], str],
    ) -> str:
        """Return the words; the functions are called for the few lines and targets in doubt."""

    def anchors(self, limit: int) -> list[tuple[str, str]] | None:
        """Return target and relation of each link; None for markup that is unusual."""

    def has_scripts(self) -> bool: ...

@final
class PageReader:
    """Reader of pages that were visited; see `urlset.engine.Engine.visited_page`."""

    def __new__(
        cls,
        names: Sequence[str],
        limit: int,
        is_volatile: Callable[[str], bool],
        stable_target: Callable[[str, str], str],
    ) -> PageReader: ...
    def read(
        self,
        data: bytes,
        url: str,
        origin: str,
        resolve: Callable[[str], str | None],
        has_links: bool,
    ) -> tuple[Any, ...] | None:
        """Return the fields of :class:`urlset.engine.html_page.VisitedPage`, or None."""

class UrlHashes:
    """Set of URLs, kept as hashes of 128 bits; see `urlset.engine.WrittenUrls`."""

    def __new__(cls) -> UrlHashes: ...
    def add(self, columns: Columns, start: int, end: int) -> list[int]:
        """Add the URLs of rows; return the rows whose URL was already in the set."""

class KnownRows:
    """Set of rows, kept as hashes of 96 bits; see `urlset.engine.KnownRows`."""

    def __new__(cls, rows: int) -> KnownRows: ...
    def add(self, rows: Any, group: int) -> bool:
        """Add the rows of an Arrow stream, given as a capsule."""

    def unknown(self, rows: Any, group: int) -> list[int]:
        """Return the rows of an Arrow stream that are not in the group, or were found before."""

    def not_found(self) -> list[int]: ...

_Names = list[tuple[str, list[str]]]

def parse(
    text: bytes | DocumentBytes,
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
    """Parse a document of any format.

    Returns kind, entries, sitemaps (fields of :class:`urlset.model.Sitemap`), diagnostics
    (fields of :class:`urlset.engine.Diagnostic`) and the number of omitted diagnostics per code.
    ``runs`` are tuples of :class:`urlset.engine.OffsetRun`.
    Raises ``ValueError`` for bytes that are not UTF-8; a malformed document raises nothing.
    """

def element_spans(
    text: bytes,
) -> tuple[tuple[bytes, bytes, bytes, bytes], tuple[bytes, bytes, bytes, bytes], list[bytes]]:
    """Return the columns of :class:`urlset.engine.ElementSpans`: offsets, rows and names.

    Offsets are signed integers of 64 bits, rows of 32 bits, in the byte order of the machine.
    Raises ``ValueError`` for bytes that are not UTF-8.
    """

def entry_digests(text: bytes, columns: Columns, end: int) -> list[str | None]:
    """Return a digest of each entry with extensions; see `urlset.engine.Engine.entry_digests`.

    The columns come from :func:`parse` with this text.
    """

def joined_stream(parts: Sequence[tuple[Columns, str | None]]) -> object:
    """Return an Arrow C stream of one batch with the rows of several columns, one after another.

    Each has its source, as in :meth:`Columns.arrow_c_stream`; all come from :func:`parse`.
    """

def is_utf8(data: bytes) -> bool:
    """Return whether bytes are valid UTF-8."""

def scan_page(markup: str) -> ScannedPage | None:
    """Scan a page; return None for markup that the reference engine has to read."""

def scan_files(
    paths: Sequence[str],
    max_bytes: int,
    origin: str,
    names: Sequence[str] | None,
    error_words: Sequence[str],
    is_volatile: Callable[[str], bool],
    stable_target: Callable[[str, str], str],
) -> list[tuple[Any, ...] | None]:
    """Return the fields of a page of :mod:`urlset.engine.html_page` for each file, or None.

    They are those of an ``OrdinaryPage`` or of a ``FilePage``, by their number.
    """

def list_folder(path: str, endings: Sequence[str]) -> tuple[list[str], list[ListedFile]] | None:
    """List a folder; None if it cannot be read. See `urlset.engine.Engine.list_folder`."""

def well_formed_page(data: bytes) -> str | None:
    """Return a page as text if it needs no repair; see `urlset.engine.Engine.well_formed_page`."""

def field_tables() -> tuple[_Names, _Names, _Names]:
    """Return the tables of names that the engine has, to compare them with `urlset.fields`.

    These are the fields of each class of `urlset.model`, the elements that each container of an
    extension may hold, and the known elements of each namespace by its URI.
    """

def gunzip(data: bytes, limit: int) -> bytes | None:
    """Decompress valid gzip data of one or more members to at most ``limit`` bytes.

    Returns None for anything else: corrupt or truncated data, more output, or bytes after the
    last member, including zeros.
    """

def gzip(data: bytes | DocumentBytes) -> bytes:
    """Compress data. Equal input gives equal output; there is no time stamp."""

def columns_from_rows(rows: Iterable[Any], format_date: Callable[[Any], str]) -> Columns:
    """Convert rows of :class:`urlset.model.Entry`, without ``source``, ``offset`` and ``line``.

    ``format_date`` is called with each lastmod whose text is missing or not a W3C date, and
    returns the text to render. Its exceptions are passed on. Raises ``TypeError`` for other rows.
    """

def columns_from_user_rows(rows: list[Any], classes: tuple[Any, ...]) -> Columns:
    """Convert entries, dicts and URLs. A row that needs another conversion gets an empty URL.

    ``classes`` contains the classes of an entry and its parts, date, datetime and the zone UTC.
    """

def columns_from_arrow(stream: object) -> Columns | object:
    """Convert an Arrow C stream (a ``PyCapsule``, which is consumed) with columns of entries.

    Unknown columns are ignored. If a known column has a type other than in
    ``urlset.arrow.schema()``, or ``loc`` is missing, nothing is read, and a capsule of the same
    stream is returned. Raises ``ValueError`` for a row without a loc, a lastmod outside the years
    1 to 9999, and errors of the stream.
    """

def columns_from_json(stream: object) -> Columns | None:
    """Convert an Arrow C stream (a ``PyCapsule``, which is consumed) of columns of JSON.

    See `urlset.engine.Engine.json_rows`. Raises ``ValueError`` for errors of the stream.
    """

def parse_date(text: str) -> tuple[int | None, str | None, bool, str | None]:
    """Parse a date like :func:`urlset.dates.parse_date`; for the tests that compare both."""

def parse_url(text: str, base: str | None) -> tuple[str | None, list[tuple[str, str, str | None]]]:
    """Parse a URL like :func:`urlset.urls.parse_url`; for the tests that compare both."""

def are_canonical(rows: object, marks: Sequence[str], is_secure: bool) -> bool:
    """Return whether the URLs of a stream are certainly canonical; see `urlset.engine.Engine`."""

def uncertain_rows(columns: Columns, is_text: bool) -> list[int]:
    """Return the rows to validate; see `urlset.engine.Engine.uncertain_rows`."""
