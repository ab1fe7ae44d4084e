"""Native engine: implements :mod:`urlset.engine` with the Rust extension ``_native``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, date, datetime
from functools import cache
from itertools import chain
from typing import Any, NamedTuple, cast

from urlset.arrow import batches_to_entries, is_arrow
from urlset.arrow.frames import IndexedRows
from urlset.arrow.frames import ListedRows as ListedRows
from urlset.dates import format_date
from urlset.engine import Diagnostic, DocumentBytes, ElementSpans, ListedFile, OffsetRun, _native
from urlset.engine._native import (
    Columns,
    KnownRows,
    LogAggregator,
    Renderer,
    UrlHashes,
    gunzip,
    gzip,
    is_utf8,
    uncertain_rows,
    well_formed_page,
)
from urlset.engine.html_page import (
    MAX_ANCHORS,
    FilePage,
    HtmlElement,
    OrdinaryPage,
    PageAnchor,
    ScannedPage,
    VisitedPage,
)
from urlset.errors import panics_as_errors
from urlset.model import (
    Alternate,
    ContentSegment,
    Entry,
    Image,
    Kind,
    News,
    Price,
    Sitemap,
    TvShow,
    Video,
    VideoId,
)

__all__ = [
    "are_canonical",
    "columns",
    "element_spans",
    "entry_digests",
    "gunzip",
    "gzip",
    "is_utf8",
    "json_rows",
    "known_rows",
    "list_folder",
    "log_aggregator",
    "name",
    "parse",
    "renderer",
    "scan_files",
    "scan_page",
    "uncertain_rows",
    "user_columns",
    "user_rows",
    "visited_page",
    "well_formed_page",
    "written_urls",
]

name = "native"


class NativeRows(IndexedRows):
    """Entries of one document as columns; rows are created on request."""

    __slots__ = ("columns", "source")

    def __init__(self, columns: Columns, source: str | None):
        self.columns: Columns = columns
        self.source: str | None = source

    def __len__(self) -> int:
        return len(self.columns)

    def __iter__(self) -> Iterator[Entry]:
        return self.columns.rows(self.source)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.columns.arrow_c_stream(self.source)

    def joined(self, others: Sequence[IndexedRows]) -> Any:
        """Return an Arrow stream of one batch with these entries and those of other documents."""
        parts = [rows for rows in (self, *others) if isinstance(rows, NativeRows)]
        if len(parts) <= len(others):
            return super().joined(others)
        return _Stream(_native.joined_stream([(rows.columns, rows.source) for rows in parts]))

    def __reduce__(self) -> tuple[type[ListedRows], tuple[list[Entry]]]:
        """Pickle the entries; columns of Rust cannot be pickled."""
        return ListedRows, (list(self),)


class NativeParsed(NamedTuple):
    """Result of :func:`parse`, as the Rust extension returns it."""

    kind: Kind
    entries: NativeRows
    sitemaps: list[Sitemap]
    diagnostics: list[Diagnostic]
    omitted: dict[str, int]


def parse(
    text: DocumentBytes, base: str | None, source: str | None, runs: list[OffsetRun]
) -> NativeParsed:
    """Parse UTF-8 text of any format, or a document of this engine. Never raises."""
    data = cast(Any, text)  # `bytes`, or a document
    with panics_as_errors():
        kind, found, sitemaps, diagnostics, omitted = _native.parse(data, base, source, runs)
    return NativeParsed(
        cast(Kind, kind),
        NativeRows(found, source),
        [Sitemap._make(row) for row in sitemaps],
        [Diagnostic._make(row) for row in diagnostics],
        omitted,
    )


def element_spans(text: bytes) -> ElementSpans:
    """Return the byte ranges of all XML elements; none if the text is not XML. Never raises."""
    with panics_as_errors():
        offsets, rows, name_table = _native.element_spans(text)
    starts, content_starts, content_ends, ends = (memoryview(x).cast("q") for x in offsets)
    parents, following, names, entries = (memoryview(x).cast("i") for x in rows)
    return ElementSpans(
        starts, content_starts, content_ends, ends, parents, following, names, entries, name_table
    )


def entry_digests(text: bytes, entries: Any, end: int) -> Sequence[str | None]:
    """Return a digest of the bytes of each entry with extensions; None for the others."""
    with panics_as_errors():
        return _native.entry_digests(text, entries.columns, end)


def columns(entries: Any) -> Columns:
    """Convert a list of entries, or an Arrow stream in the entry schema, to columns."""
    if isinstance(entries, NativeRows):
        return entries.columns
    if is_arrow(entries):
        with panics_as_errors():
            found = _native.columns_from_arrow(entries.__arrow_c_stream__())
        if isinstance(found, Columns):
            return found
        entries = chain.from_iterable(batches_to_entries(_Stream(found)))
    with panics_as_errors():
        return _native.columns_from_rows(entries, format_date)


def are_canonical(entries: Any, marks: Sequence[str], is_secure: bool) -> bool:
    """Return whether the URLs of an Arrow stream of entries are certainly canonical."""
    with panics_as_errors():
        try:
            return _native.are_canonical(entries.__arrow_c_stream__(), marks, is_secure)
        except ValueError:
            return False


def parsed_columns(entries: Any) -> Columns | None:
    """Return the columns of a document's entries without a copy; None if this has none."""
    return entries.columns if isinstance(entries, NativeRows) else None


def user_columns(rows: Sequence[Any]) -> Columns:
    """Convert rows of a caller to columns; a row that needs validation gets an empty URL."""
    with panics_as_errors():
        return _native.columns_from_user_rows(list(rows), _CLASSES)


def user_rows(rows: Sequence[Any], source: str | None) -> tuple[NativeRows, Sequence[int]]:
    """Convert rows of a caller to an Arrow stream; also return the rows that need validation."""
    found = user_columns(rows)
    return NativeRows(found, source), uncertain_rows(found, False)


def json_rows(columns: Any) -> NativeRows | None:
    """Convert columns of JSON to an Arrow stream of entries; None if a value is unusual."""
    with panics_as_errors():
        found = _native.columns_from_json(columns.__arrow_c_stream__())
    return None if found is None else NativeRows(found, None)


_CLASSES = (
    *(Entry, Image, Video, ContentSegment, Price, TvShow, VideoId, News, Alternate),
    *(date, datetime, UTC),
)


def written_urls() -> UrlHashes:
    """Return an empty set for the URLs that will be written."""
    return UrlHashes()


def known_rows(rows: int) -> KnownRows:
    """Return an empty set with space for a number of rows."""
    return KnownRows(rows)


class NativePage:
    """Scanned page; implements :class:`urlset.engine.html_page.ScannedPage`."""

    __slots__ = ("_markup", "_page", "data", "elements", "language", "title")

    def __init__(self, page: _native.ScannedPage, markup: str) -> None:
        self._page = page
        self._markup = markup
        self.title: str | None = page.title
        self.language: str | None = page.language
        self.data: list[str] = page.data
        self.elements: list[HtmlElement] = [HtmlElement._make(row) for row in page.elements()]

    def lines(self) -> str:
        """Return the main content, line by line."""
        with panics_as_errors():
            return self._page.lines()

    def words(self, origin: str) -> str:
        """Return the words of the main content, and in a second line the targets of its links."""
        with panics_as_errors():
            return self._page.words(origin, *_decisions())

    def anchors(self) -> Sequence[PageAnchor]:
        """Return the links of the page as written, in document order."""
        with panics_as_errors():
            found = self._page.anchors(MAX_ANCHORS)
        if found is None:
            return _reference_page(self._markup).anchors()
        return [PageAnchor._make(row) for row in found]

    def has_scripts(self) -> bool:
        """Return whether the page has a script that is run."""
        with panics_as_errors():
            return self._page.has_scripts()


def scan_page(markup: str) -> ScannedPage:
    """Scan the markup of an HTML page in linear time. Never raises."""
    with panics_as_errors():
        page = _native.scan_page(markup)
    return _reference_page(markup) if page is None else NativePage(page, markup)


def scan_files(
    paths: Sequence[str],
    max_bytes: int,
    origin: str,
    names: Sequence[str] | None,
    error_words: Sequence[str],
) -> Iterator[FilePage | OrdinaryPage | None]:
    """Read and scan the pages of files; one that needs another engine is None."""
    with panics_as_errors():
        rows = _native.scan_files(paths, max_bytes, origin, names, error_words, *_decisions())
    # One after the other: the garbage collector skips tuples of texts, but not named ones.
    return (None if row is None else _any_page(row) for row in rows)


_new_tuple = tuple.__new__


def _any_page(row: tuple[Any, ...]) -> FilePage | OrdinaryPage:
    return _new_tuple(OrdinaryPage, row) if len(row) == 2 else _file_page(row)


def list_folder(path: str, endings: Sequence[str]) -> tuple[list[str], list[ListedFile]]:
    """List the visible names of a folder, and its folders and pages; see `urlset.engine.Engine`."""
    with panics_as_errors():
        listed = _native.list_folder(path, endings)
    if listed is not None:
        return listed
    from urlset.engine.reference.folders import list_folder as read_folder

    return read_folder(path, endings)


def visited_page(
    data: bytes,
    url: str,
    origin: str,
    names: frozenset[str],
    resolve: Callable[[str], str | None],
    has_links: bool,
) -> VisitedPage | None:
    """Read a page in a response; one that needs another engine is None."""
    with panics_as_errors():
        row = _page_reader(names).read(data, url, origin, resolve, has_links)
    return None if row is None else VisitedPage(_file_page(row[0]), *row[1:])


@cache
def _page_reader(names: frozenset[str]) -> _native.PageReader:
    return _native.PageReader(sorted(names), MAX_ANCHORS, *_decisions())


def _decisions() -> tuple[Callable[[str], bool], Callable[[str, str], str]]:
    """Return functions that decide about rare lines and links of the content of a page."""
    from urlset.engine.reference.html.content import is_volatile, stable_target

    return is_volatile, stable_target


def _file_page(row: tuple[Any, ...]) -> FilePage:
    page = FilePage._make(row)
    if not page.elements:
        return page
    return page._replace(elements=[HtmlElement._make(element) for element in page.elements])


def _reference_page(markup: str) -> ScannedPage:
    """Scan unusual markup, such as names of elements that are not ASCII."""
    from urlset.engine.reference.engine import scan_page as scan

    return scan(markup)


class _Stream:
    """Arrow stream around a capsule that can be read once."""

    def __init__(self, capsule: object):
        self.capsule = capsule

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.capsule


renderer = Renderer
log_aggregator = LogAggregator
