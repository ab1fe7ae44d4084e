"""Interface of the engines: pure functions over one document, with two implementations.

``reference`` is plain Python and the specification; ``native`` is Rust and returns the same rows
and problems. :func:`get` selects one. Rare work (decoding, damaged gzip) is written once, in
Python, for both.
"""

from __future__ import annotations

import importlib
import os
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import Any, Literal, NamedTuple, Protocol, cast, overload

from urlset.engine.html_page import FilePage, OrdinaryPage, ScannedPage, VisitedPage
from urlset.errors import EngineError
from urlset.model import Entry, Kind, Sitemap

__all__ = [
    "NAMES",
    "Columns",
    "Diagnostic",
    "DocumentBytes",
    "ElementSpans",
    "Engine",
    "KnownRows",
    "LogAggregator",
    "LogHit",
    "OffsetRun",
    "Parsed",
    "Renderer",
    "Rows",
    "WrittenUrls",
    "available",
    "get",
    "in_order",
    "source_offset",
]

_MODULES = {"native": "urlset.engine.native", "reference": "urlset.engine.reference.engine"}
NAMES = tuple(_MODULES)

ListedFile = tuple[str, bool, Literal["file", "folder", "other"] | None, int, int, str | None]
"""File in a folder: its name, whether it is a symbolic link, and what it is, or its links lead to:
kind, size in bytes, time of modification in nanoseconds since 1970, and a text that changes with
the file (size, times of modification and change, inode number; None if these are unknown)."""


class Diagnostic(NamedTuple):
    """Problem as an engine reports it: lint code, byte span of the text, detail, level.

    ``level`` is None if the level of the rule applies.
    """

    code: str
    offset: int
    end: int
    detail: str
    level: str | None = None


class OffsetRun(NamedTuple):
    """Run of decoded text in which one factor maps offsets to those of the original bytes.

    A byte ``x`` of the text at or after ``text_start`` comes from
    ``source_start + (x - text_start) // text_width * source_width``.
    """

    text_start: int
    source_start: int
    text_width: int
    source_width: int


def in_order(diagnostics: list[Diagnostic]) -> list[Diagnostic]:
    """Return diagnostics sorted by offset, code, end and detail."""
    return sorted(
        diagnostics, key=lambda found: (found.offset, found.code, found.end, found.detail)
    )


def source_offset(offset: int, runs: Sequence[OffsetRun]) -> int:
    """Return the offset in the original bytes of a byte of the decoded text.

    >>> source_offset(4, [OffsetRun(0, 2, 1, 2)])  # UTF-16 after its byte order mark
    10
    """
    if not runs:
        return offset
    run = runs[max(0, bisect_right(runs, offset, key=lambda run: run.text_start) - 1)]
    return run.source_start + (offset - run.text_start) // run.text_width * run.source_width


LogHit = tuple[bytes, bytes, int, int, int, bool]
"""Aggregated lines of an access log: successful requests for one path.

Virtual host, empty if the log has none; path; number of lines; latest time in seconds of the
epoch; number of the first line in its block, from 0; whether the path certainly is a page for
:mod:`urlset.sources.logs.privacy_filter`, which decides about all others.
"""


class Rows(Protocol):
    """Entries of one document, as rows and as an Arrow stream."""

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
    """Result of :meth:`Engine.parse`; the diagnostics are sorted by their offset in the text.

    Of each code the first 10,000 are there; ``omitted`` counts the rest, by code.
    """

    @property
    def kind(self) -> Kind: ...
    @property
    def entries(self) -> Rows: ...
    @property
    def sitemaps(self) -> list[Sitemap]: ...
    @property
    def diagnostics(self) -> list[Diagnostic]: ...
    @property
    def omitted(self) -> dict[str, int]: ...


class Columns(Protocol):
    """Entries in the form from which an engine renders; returned by :meth:`Engine.columns`."""

    def __len__(self) -> int: ...
    def loc(self, row: int) -> str: ...


class WrittenUrls(Protocol):
    """Set of the URLs already written, to find duplicates.

    ``add`` adds the URLs of the rows from ``start`` to ``end`` and returns the rows, in order,
    whose URL is a duplicate.
    """

    def add(self, columns: Any, start: int, end: int) -> Sequence[int]: ...


class KnownRows(Protocol):
    """Set of published rows, to find them among the rows of sources.

    A row is URL, date as it is written, change frequency and priority. Each belongs to a group.
    Rows are given as the capsule of an Arrow stream in the entry schema.
    """

    def add(self, rows: Any, group: int) -> bool:
        """Add rows, numbered from 0 in order; return False if there is no space for them."""

    def unknown(self, rows: Any, group: int) -> Sequence[int]:
        """Return the rows that are not in the group, or were found before, in order.

        Raises ``ValueError`` for a column of another type, without a row found.
        """

    def not_found(self) -> Sequence[int]:
        """Return the numbers of the added rows that :meth:`unknown` did not find, in order."""


class LogAggregator(Protocol):
    """Aggregator of the lines of one access log, common or combined; one object per log.

    ``add`` parses a block of complete lines and returns hits, other lines, which are to be
    evaluated after the hits, and the number of all lines. The other lines are in order, as
    ``(number, second, count, parts)``: a number from 0, the second of the epoch if the engine has
    parsed it, how many lines it stands for, and the fields of a ``LogLine`` of
    :mod:`urlset.sources.logs.lines`. Lines of methods other than GET are dropped, unless they are
    malformed in another way. ``finish`` returns the hits that are left.

    An engine may aggregate the lines of a path in a block into a hit if all have status 200 or 304
    and a time, and none has a tail, but for one that begins with ``?`` and is ignored. It may
    return the hit with a later block or at the end, if the path had a hit in an earlier block, and
    no other line of the path is returned between them. Of a path with other lines it may return
    such lines as one, the first of them with the latest second, if there is no other line of the
    path and no line with a tail or in another form between them.
    """

    def add(self, block: bytes) -> tuple[Sequence[LogHit], Sequence[tuple[Any, ...]], int]: ...
    def finish(self) -> Sequence[LogHit]: ...


class DocumentBytes(Protocol):
    """Bytes of a rendered document: ``bytes``, or an object with a buffer, equal to its bytes."""

    def __len__(self) -> int: ...
    def __buffer__(self, flags: int, /) -> memoryview: ...


class Renderer(Protocol):
    """Document under construction; one object per document.

    ``add`` adds rows from ``start`` to ``end`` (or the last one) until the document is full and
    returns the next row; ``finish`` returns the bytes, including header and footer. ``mark`` is a
    line for the header of XML, such as a comment, which does not count for the limits.
    ``document`` returns the same bytes, without a copy if possible; it ends the document.
    """

    @property
    def count(self) -> int: ...
    def add(self, columns: Any, start: int, end: int | None = None) -> int: ...
    def finish(self, mark: str = "") -> bytes: ...
    def document(self, mark: str = "") -> DocumentBytes: ...


class ElementSpans(NamedTuple):
    """Elements of an XML document in document order, as columns with one item per element.

    Offsets are in bytes of the text. An end tag ends the innermost open element of its name, and
    all elements in it; letter case is ignored if no open element has exactly that name. An element
    without an end tag ends where the element around it ends, or at the end of the text. An entry
    (``url``, ``sitemap``, ``item`` or ``entry``) without an end tag, and the elements open in it,
    end before that, where the next entry in it begins.

    Attributes:
        starts: Start of the start tag.
        content_starts: End of the start tag.
        content_ends: Start of the end tag; equal to ``ends`` without one.
        ends: End of the element. It equals ``content_starts`` for ``<a/>``.
        parents: Row of the innermost element that is open at the start tag; -1 for a root.
        following: Row of the first element that begins after this one is closed.
        names: Row of ``name_table``.
        entries: Rows of the entries; this column has one item per entry.
        name_table: Names as written, with prefix.
    """

    starts: Sequence[int]
    content_starts: Sequence[int]
    content_ends: Sequence[int]
    ends: Sequence[int]
    parents: Sequence[int]
    following: Sequence[int]
    names: Sequence[int]
    entries: Sequence[int]
    name_table: list[bytes]


class Engine(Protocol):
    """Functions of an engine; both engines are modules that define them."""

    name: str

    def is_utf8(self, data: bytes) -> bool: ...
    def gunzip(self, data: bytes, limit: int) -> bytes | None:
        """Decompress intact gzip; None if it is damaged or longer than ``limit`` bytes."""

    def gzip(self, data: DocumentBytes) -> bytes:
        """Compress bytes with gzip, without a time stamp: equal input, equal output."""

    def parse(
        self, text: DocumentBytes, base: str | None, source: str | None, runs: list[OffsetRun]
    ) -> Parsed:
        """Parse UTF-8 text of any format, or a document of this engine. Never raises."""

    def entry_digests(self, text: bytes, entries: Rows, end: int) -> Sequence[str | None]:
        """Return a digest of the bytes of each entry with extensions; None for the others.

        It is the same for entries that differ only in their date. ``entries`` are those of a
        ``text`` that an engine rendered; the last one ends at ``end``.
        """

    def element_spans(self, text: bytes) -> ElementSpans:
        """Return the byte ranges of all XML elements; none if the text is not XML. Never raises.

        Tags, comments, sections and instructions are where :meth:`parse` finds them, also
        malformed ones. Nothing is decoded or reported.
        """

    def columns(self, entries: Any) -> Columns:
        """Convert a list of entries, or an Arrow stream in the entry schema, to columns."""

    def are_canonical(self, entries: Any, marks: Sequence[str], is_secure: bool) -> bool:
        """Return whether :mod:`urlset.builder.canonical_urls` certainly changes no URL of entries.

        ``entries`` is an Arrow stream in the entry schema; ``marks`` are texts that no URL of an
        entry itself may contain, and ``is_secure`` requires https. An engine may return False for
        any entries.
        """

    def parsed_columns(self, entries: Any) -> Columns | None:
        """Return the columns of a document's entries without a copy; None if this has none."""

    def user_columns(self, rows: Sequence[Any]) -> Columns:
        """Convert rows of a caller (entries, dicts, URLs, other objects) to columns.

        A row that needs validation gets an empty URL and is one of :meth:`uncertain_rows`.
        """

    def user_rows(
        self, rows: Sequence[Any], source: str | None
    ) -> tuple[Any, Sequence[int]] | None:
        """Convert rows of a caller to an Arrow stream of entries, in one batch.

        Also returns the numbers of the rows that need validation, in order; of some of them the
        stream has only an empty URL. ``source`` fills the column of this name. An engine may return
        None for any rows: all of them need validation then.
        """

    def json_rows(self, columns: Any) -> Any | None:
        """Convert columns of JSON to an Arrow stream of entries, in one batch, if none is invalid.

        ``columns`` is an Arrow stream of texts, whose columns have the names of nested fields of
        an entry; null and an empty text are an empty value. The entries have a URL without a
        meaning. An engine may return None for any columns: validation decides about their values.
        """

    def uncertain_rows(self, columns: Any, is_text: bool) -> Sequence[int]:
        """Return the numbers of rows, in order, that :mod:`urlset.writer.input_rows` has to check.

        All other rows are valid, and validation would not change them. An engine may return more
        rows than necessary.
        """

    def written_urls(self) -> WrittenUrls:
        """Return an empty set for the URLs that will be written."""

    def known_rows(self, rows: int) -> KnownRows | None:
        """Return an empty set with space for a number of rows; an engine may return None."""

    def renderer(
        self, kind: str, max_urls: int, max_bytes: int, max_news: int, stylesheet: str | None = None
    ) -> Renderer:
        """Return a renderer of an empty document; ``kind`` is ``urlset`` or ``text``.

        ``stylesheet`` is the address of the CSS with which browsers display a ``urlset``.
        """

    def scan_page(self, markup: str) -> ScannedPage:
        """Scan the markup of an HTML page in linear time. Never raises."""

    def well_formed_page(self, data: bytes) -> str | None:
        """Return a page as text, if what :meth:`scan_page` finds in it needs no repair.

        An engine may return None for any page: it is repaired then. ``data`` are UTF-8.
        """

    def scan_files(
        self,
        paths: Sequence[str],
        max_bytes: int,
        origin: str,
        names: Sequence[str] | None,
        error_words: Sequence[str],
    ) -> Iterable[FilePage | OrdinaryPage | None]:
        """Read and scan the pages of files, as :func:`urlset.html.read_page` does.

        Of a longer page, only the first ``max_bytes`` are read, without the tag in which they end.
        An engine may return None for any file, such as one that is unreadable or not well-formed.
        ``origin`` is that of all pages. With ``names``, of the ``meta`` elements only those with
        these names are needed, and no images. ``error_words`` are the words of titles of error
        pages: one of them is in the title of each, in lower case and in ASCII.
        """

    def list_folder(self, path: str, endings: Sequence[str]) -> tuple[list[str], list[ListedFile]]:
        """List the visible names of a folder, and its folders and pages; sorted by their bytes.

        Names that begin with a dot are not visible. Pages have one of ``endings``, in upper or
        lower case. The kind of a page that cannot be examined is None.

        Args:
            path: The folder.
            endings: Endings of names of pages, such as ``.html``, in lower case.

        Raises:
            OSError: The folder cannot be read.
        """

    def visited_page(
        self,
        data: bytes,
        url: str,
        origin: str,
        names: frozenset[str],
        resolve: Callable[[str], str | None],
        has_links: bool,
    ) -> VisitedPage | None:
        """Read a page in a response, as :func:`urlset.html.read_page` does.

        An engine may return None for any page, such as one that is not well-formed.

        Args:
            data: The page.
            url: Its normalized URL.
            origin: The normalized origin of that.
            names: Names of the ``meta`` elements that are needed, in lower case.
            resolve: Returns the normalized URL of a link; None if it is not an http(s) URL. It may
                be called for some links only.
            has_links: Whether the links are needed; if not, only their number.
        """

    def log_aggregator(self, keeps_queries: bool) -> LogAggregator:
        """Return an aggregator of an access log; a query is ignored unless ``keeps_queries``."""


@cache
def available() -> tuple[str, ...]:
    """Return the names of the installed engines, the fastest first."""
    return tuple(name for name in NAMES if _load(name) is not None)


def get(name: str | None = None) -> Engine:
    """Return the engine of a name; the default is ``URLSET_ENGINE``, then the fastest.

    Raises :class:`urlset.errors.EngineError` if the engine is not installed.

    >>> get("reference").name
    'reference'
    """
    wanted = name or os.environ.get("URLSET_ENGINE")
    if not wanted:  # the first one: the others are not imported
        wanted = _fastest()
    engine = _load(wanted) if wanted in NAMES else None
    if engine is None:
        raise EngineError(
            f"expected an engine that is installed ({', '.join(available())}), found {wanted!r}; "
            "the native engine is built when cargo is on the PATH during installation"
        )
    return engine


@cache
def _fastest() -> str:
    """Return the name of the fastest engine that is installed."""
    return next(name for name in NAMES if _load(name) is not None)


@cache
def _load(name: str) -> Engine | None:
    try:
        return cast(Engine, importlib.import_module(_MODULES[name]))
    except ImportError:
        if name == "reference":
            raise
        return None
