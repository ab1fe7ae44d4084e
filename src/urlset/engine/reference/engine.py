"""Reference engine: implements :mod:`urlset.engine` in readable Python."""

from __future__ import annotations

import gzip as _gzip
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from urlset.arrow.frames import ListedRows
from urlset.engine import Diagnostic, DocumentBytes, OffsetRun
from urlset.engine.html_page import ScannedPage
from urlset.engine.reference.context import Context
from urlset.engine.reference.digests import entry_digests
from urlset.engine.reference.folders import list_folder
from urlset.engine.reference.logs import LineAggregator
from urlset.engine.reference.render import DocumentRenderer, EntryColumns, UrlTexts
from urlset.engine.reference.spans import element_spans
from urlset.inflate import InflateStream
from urlset.model import Entry, Kind, Sitemap

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

name = "reference"


class ReferenceParsed(NamedTuple):
    """Result of :func:`parse`: kind, entries, sitemaps and diagnostics of a document."""

    kind: Kind
    entries: ListedRows
    sitemaps: list[Sitemap]
    diagnostics: list[Diagnostic]
    omitted: dict[str, int]


def parse(
    text: DocumentBytes, base: str | None, source: str | None, runs: list[OffsetRun]
) -> ReferenceParsed:
    """Parse UTF-8 text of any format, or a document of this engine. Never raises."""
    # With the native engine, only other parts of the package are used; its patterns take time.
    from urlset.engine.reference.document import read_document

    context = Context(bytes(text), base, source, runs)
    kind = read_document(context)
    return ReferenceParsed(
        kind,
        ListedRows(context.entries),
        context.sitemaps,
        context.all_diagnostics(),
        context.omitted,
    )


def scan_page(markup: str) -> ScannedPage:
    """Scan the markup of an HTML page in linear time. Never raises."""
    from urlset.engine.reference.html import ReferencePage

    return ReferencePage(markup)


def scan_files(
    paths: Sequence[str],
    max_bytes: int,  # noqa: ARG001 - part of the contract
    origin: str,  # noqa: ARG001 - part of the contract
    names: Sequence[str] | None,  # noqa: ARG001 - part of the contract
    error_words: Sequence[str],  # noqa: ARG001 - part of the contract
) -> list[None]:
    """Return None for each file: this engine scans only pages that were read and repaired."""
    return [None] * len(paths)


def visited_page(
    data: bytes,
    url: str,
    origin: str,
    names: frozenset[str],
    resolve: Callable[[str], str | None],
    has_links: bool,
) -> None:
    """Return None: this engine scans only pages that were repaired."""


def well_formed_page(data: bytes) -> str | None:  # noqa: ARG001 - part of the contract
    """Return None, because this engine leaves all pages to the repair."""
    return None


def is_utf8(data: bytes) -> bool:
    """Return whether bytes are valid UTF-8."""
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def gunzip(data: bytes, limit: int) -> bytes | None:
    """Decompress intact gzip; None if it is damaged or longer than ``limit`` bytes."""
    pieces: list[bytes] = []
    view = memoryview(data)
    size = position = 0
    while position < len(data):
        stream, step = InflateStream("gzip"), _STEP
        while not stream.is_done:
            piece = view[position : position + step]
            pieces.append(stream.feed(piece, limit - size + 1))
            size += len(pieces[-1])
            if stream.fault or size > limit or not piece:
                return None
            position += len(piece) - len(stream.rest)
            step *= 2
    return b"".join(pieces) if pieces else None


# Bytes, doubled at each step: zlib copies the data after a member, and there may be many members.
_STEP = 1 << 10


def gzip(data: DocumentBytes) -> bytes:
    """Compress bytes with gzip, without a time stamp: equal input, equal output."""
    return _gzip.compress(data, compresslevel=6, mtime=0)


def columns(entries: object) -> EntryColumns:
    """Convert a list of entries, or an Arrow stream in the entry schema, to columns."""
    return EntryColumns.of(entries)


def parsed_columns(entries: Any) -> None:
    """Return None, because this engine parses to rows."""


def user_columns(rows: Sequence[Any]) -> EntryColumns:
    """Return columns of empty entries, because this engine leaves all conversion to validation."""
    return EntryColumns([Entry("")] * len(rows))


def user_rows(rows: Sequence[Any], source: str | None) -> None:
    """Return None, because this engine leaves all conversion to validation."""


def are_canonical(entries: Any, marks: Sequence[str], is_secure: bool) -> bool:  # noqa: ARG001 - part of the contract
    """Return False: in this engine, no URL is certain."""
    return False


def json_rows(columns: Any) -> None:
    """Return None, because this engine leaves all conversion to validation."""


def uncertain_rows(columns: EntryColumns, is_text: bool) -> Sequence[int]:  # noqa: ARG001 - part of the contract
    """Return the numbers of rows that need validation: in this engine, all."""
    return range(len(columns))


def written_urls() -> UrlTexts:
    """Return an empty set for the URLs that will be written."""
    return UrlTexts()


def known_rows(rows: int) -> None:
    """Return None: in this engine, rows are compared in SQL."""


renderer = DocumentRenderer
log_aggregator = LineAggregator
