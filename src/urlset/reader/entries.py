"""Entries of a source: iterate over them, filter them, convert them to tables."""

from __future__ import annotations

import os
import warnings
from collections.abc import (
    AsyncGenerator,
    AsyncIterator,
    Callable,
    Generator,
    Iterable,
    Iterator,
    Sequence,
)
from contextlib import aclosing, closing
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, overload

from urlset.errors import UrlsetError
from urlset.model import Entry, Problem, ProgressEvent, Sitemap
from urlset.notebook import MAX_ROWS, html_table
from urlset.option_names import option
from urlset.pattern_warnings import caller_level
from urlset.reader.documents import DocumentBatch, DocumentRecord, ReadLog, Visit, faults_of
from urlset.reader.filters import EntryFilter
from urlset.result import Completeness
from urlset.terminal_text import pluralize

if TYPE_CHECKING:
    from urlset.arrow.streams import LazyStream, NumberedRows, RowLimit
    from urlset.http import Response
    from urlset.reader.discovery import Attempt

OnResponse = Callable[["Response"], None]
"""Function that is called with every response before it is parsed.

A site also has responses that are not documents, such as robots.txt."""

_SHOWN = 3
"""Entries of a store that its representation shows."""


Part = TypeVar("Part")


def warn_incomplete(what: str, failures: Sequence[str]) -> None:
    """Issue a ``RuntimeWarning`` that names the first document that could not be read."""
    warnings.warn(
        f"{what}: the result is incomplete: {len(failures):,} "
        f"document{'s' * (len(failures) > 1)} could not be read; {failures[0]}; "
        "fail_fast=True raises instead",
        RuntimeWarning,
        stacklevel=caller_level(),
    )


class SourceReader(Protocol):
    """A source that can be read several times: files, a site, or a store."""

    def visits(self, on_response: OnResponse | None = None) -> Generator[Visit]:
        """Yield document after document; closing the generator ends the reading."""

    def visits_async(self) -> AsyncGenerator[Visit]:
        """Yield document after document, for callers in an event loop."""


class Entries(Completeness):
    r"""The entries of all sitemaps of a source, read on demand.

    Iterate with ``for`` or ``async for``, any number of times; each item is an
    :class:`urlset.Entry`. One document is in memory at a time; of a site, and after large ones,
    a few. Documents are read, and fetched, during the iteration; leaving the loop early stops that.

    Files are read again in each iteration. A stream is read once and kept. A site is fetched once:
    its responses are kept, and only requests that failed are repeated.

    The object is also an Arrow stream (``__arrow_c_stream__``) with a batch for each document, or
    for several small ones. A table or a file does not show which documents could not be read, so
    that a ``RuntimeWarning`` says so at its end.
    Entries of bytes, which are in memory, also support ``len(entries)`` and ``entries[0]``.
    Pickling keeps the arguments without ``progress``; the copy reads, or fetches, the source again.

    >>> import urlset
    >>> entries = urlset.read(b"https://example.com/a\nhttps://example.com/b\n")
    >>> [entry.loc for entry in entries]
    ['https://example.com/a', 'https://example.com/b']
    >>> [record.kind for record in entries.documents]
    ['text']

    Attributes:
        source: Path or URL of the source; None for bytes.
    """

    # Note: with `fail_fast=None` nothing that cannot be read raises; it is only a record.

    def __init__(
        self,
        reader: SourceReader,
        *,
        source: str | None = None,
        entry_filter: EntryFilter,
        limit: int | None,
        fail_fast: bool | None,
        is_in_memory: bool = False,
        progress: Callable[[ProgressEvent], None] | None = None,
    ):
        self.source = source
        self._is_in_memory = is_in_memory
        self._listed: list[Entry] | None = None
        self._reader = reader
        self._filter = entry_filter
        self._limit = limit
        self._fail_fast = fail_fast
        self._progress = progress
        self._log: ReadLog | None = None

    def __iter__(self) -> Iterator[Entry]:
        if self._listed is not None:
            yield from self._listed
            return
        remaining = _Remaining(self._limit)
        if remaining.is_zero():
            return
        with closing(self.visits()) as visits:
            for visit in visits:
                entries = iter(self.filtered(visit))
                yield from remaining.take(entries)
                if remaining.is_zero():
                    if not self._is_last(entries) or next(visits, None) is not None:
                        self._end_at_limit()
                    return

    async def __aiter__(self) -> AsyncIterator[Entry]:
        remaining = _Remaining(self._limit)
        if remaining.is_zero():
            return
        async with aclosing(self._visits_async()) as visits:
            async for visit in visits:
                entries = iter(self.filtered(visit))
                for entry in remaining.take(entries):
                    yield entry
                if remaining.is_zero():
                    if not self._is_last(entries) or await anext(visits, None) is not None:
                        self._end_at_limit()
                    return

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        from urlset.arrow import batches_to_stream

        return batches_to_stream(self._warned(self._row_batches()), requested_schema)

    def __getstate__(self) -> dict[str, object]:
        # A callback is that of this process, and often a function that cannot be pickled.
        return self.__dict__ | {"_progress": None}

    def __repr__(self) -> str:
        return f"<Entries {self._summary()}>"

    def _repr_html_(self) -> str:
        """Return an HTML table for notebooks: the documents read so far, or the first entries.

        Reads nothing but bytes that are in memory.
        """
        caption = f"Entries {self._summary()}"
        if self._is_in_memory:
            columns = ("loc", "lastmod", "changefreq", "priority")
            rows = ([getattr(entry, name) for name in columns] for entry in self._in_memory())
            return html_table(caption, columns, rows)
        if stored := self._stored():
            columns = ("loc", "lastmod", "changefreq", "priority")
            return html_table(
                caption, columns, ([getattr(entry, name) for name in columns] for entry in stored)
            )
        names = ("source", "kind", "entries", "problem_count", "error")
        records = self._log.records if self._log is not None else []
        return html_table(
            caption, names, ([getattr(record, name) for name in names] for record in records)
        )

    def _summary(self) -> str:
        """Return a text with the source, and the counts that are known without reading it."""
        source = repr(self.source) if self.source is not None else "bytes"
        if self._is_in_memory:
            return f"of {source}: {len(self._in_memory()):,}"
        if stored := self._stored(_SHOWN):
            return f"of {source}: {', '.join(entry.loc for entry in stored)}, …"
        if self._log is None:
            return f"of {source}: not read yet; head() reads the first"
        records = self._log.records
        entries = sum(record.entries or 0 for record in records)
        failed = sum(record.error is not None for record in records)
        documents = pluralize(len(records) - failed, "document")
        counts = f"{documents} with {pluralize(entries, 'entry', 'entries')}"
        return f"of {source}: read {counts}" + (f", {failed:,} failed" if failed else "")

    def _stored(self, count: int = MAX_ROWS) -> list[Entry]:
        """Return the first entries of a store that was not read yet; none of other sources."""
        if self._log is not None:
            return []
        progress, self._progress = self._progress, None  # the caller reads nothing
        try:
            is_quick = getattr(self._reader, "has_rows_at_once", False)
            return self.head(count) if is_quick else []
        except UrlsetError:
            return []
        finally:
            self._log = None
            self._progress = progress

    def __bool__(self) -> bool:
        return True  # whether there are entries is unknown before they are read

    def head(self, count: int = 10) -> list[Entry]:
        """Return the first entries; the reading, and the requests, stop soon after them.

        >>> import urlset
        >>> urlset.read(b"https://example.com/a").head()[0].loc
        'https://example.com/a'
        """
        return list(islice(self, max(0, count)))

    def __len__(self) -> int:
        return len(self._in_memory())

    @overload
    def __getitem__(self, index: int) -> Entry: ...
    @overload
    def __getitem__(self, index: slice) -> list[Entry]: ...
    def __getitem__(self, index: int | slice) -> Entry | list[Entry]:
        return self._in_memory()[index]

    def _in_memory(self) -> list[Entry]:
        if not self._is_in_memory:
            raise TypeError(
                "expected entries in memory for len() and indexing, found those of "
                f"{self.source or 'a source'}, which are read on demand; use list(entries), "
                "entries.to_arrow() or urlset.parse"
            )
        if self._listed is None:
            self._listed = list(iter(self))
        return self._listed

    @property
    def is_limited(self) -> bool:
        """Whether a limit on the number of entries is set."""
        return self._limit is not None

    @property
    def documents(self) -> list[DocumentRecord]:
        """Records of the documents of the latest iteration; reads the source if there was none."""
        return self._latest.records

    @property
    def incomplete(self) -> tuple[str, ...]:
        """Why the latest iteration lacks entries: a text for each document that could not be read.

        One that was not ended, because of ``limit`` or a ``break``, is not complete either, unless
        the source is one document and ``limit`` left out none of its entries; nor is one with
        documents that ``max_documents`` skipped. Reads the source if there was none;
        :attr:`documents` has the records.
        """
        return self._latest.incomplete

    @property
    def problems(self) -> list[Problem]:
        """Problems of all :attr:`documents`, in their order."""
        return [problem for record in self.documents for problem in record.problems]

    @property
    def sitemaps(self) -> list[Sitemap]:
        """Sitemaps that the indexes among :attr:`documents` list."""
        return self._latest.sitemaps

    @property
    def attempts(self) -> list[Attempt]:
        """URLs that the latest iteration tried to find the sitemaps of a site, with the outcome."""
        return list(getattr(self._reader, "attempts", ()))

    def visits(self, on_response: OnResponse | None = None) -> Generator[Visit]:
        """Yield document after document with all its entries; :meth:`filtered` filters them.

        Args:
            on_response: Called with every response of a site (:class:`urlset.http.Response`).
        """
        log = self._log = ReadLog()
        with closing(self._reader.visits(on_response)) as visits:
            for visit in visits:
                yield self._recorded(visit, log)
        log.is_over = True

    def filtered(self, visit: Visit) -> Iterable[Entry]:
        """Return the entries of a document that pass the filter."""
        if visit.document is None:
            return ()
        rows, matches = visit.document.entries, self._filter.matches
        if self._filter.matches_all:
            return rows
        return (row for row in rows if matches(row.loc, row.lastmod, visit.record))

    def batches(
        self, on_response: OnResponse | None = None, row_limit: RowLimit | None = None
    ) -> Generator[DocumentBatch]:
        """Yield document after document, each with its entries that pass the filter.

        If there is a limit, read the rows of a batch before the next one.

        Args:
            on_response: Called with every response of a site (:class:`urlset.http.Response`).
            row_limit: Counter of the entries; its limit replaces that of this object.
        """
        from urlset.arrow.streams import NumberedRows, RowLimit

        row_limit = row_limit or RowLimit(self._limit)
        if row_limit.remaining == 0:
            return
        matches, matches_all = self._filter.matches, self._filter.matches_all
        with closing(self.visits(on_response)) as visits:
            for visit in visits:
                record, document = visit
                choose = None if matches_all else partial(matches, record=record)
                rows = document.entries if document is not None else None
                counted = None if rows is None else NumberedRows(rows, choose, row_limit)
                yield DocumentBatch(record, document, counted)
                if row_limit.is_reached:
                    passed = 0 if counted is None else counted.passed
                    rest = islice(self.filtered(visit), passed, None)
                    if not self._is_last(rest) or next(visits, None) is not None:
                        self._end_at_limit()
                    return

    def to_arrow(self) -> Any:
        """Return all entries as a ``pyarrow.Table``; pyarrow must be installed."""
        from urlset.arrow.frames import to_arrow

        return to_arrow(self._flow())

    def to_pandas(self) -> Any:
        """Return all entries as a ``pandas.DataFrame``; pandas and pyarrow must be installed."""
        from urlset.arrow.frames import to_pandas

        return to_pandas(self._flow())

    def to_polars(self) -> Any:
        """Return all entries as a ``polars.DataFrame``; polars must be installed."""
        from urlset.arrow.frames import to_polars

        return to_polars(self._flow())

    def _flow(self) -> LazyStream:
        from urlset.arrow.streams import without_row_numbers

        return without_row_numbers(self._warned(self._numbered_rows()))

    def _row_batches(self) -> Iterator[Any]:
        """Yield the entries of all documents as record batches."""
        from urlset.arrow.streams import entry_batches

        return entry_batches(self._numbered_rows())

    def _warned(self, parts: Iterator[Part]) -> Iterator[Part]:
        yield from parts
        self._warn_if_incomplete()

    def _warn_if_incomplete(self) -> None:
        """Warn of the documents that could not be read, unless the caller has their records."""
        failures = () if self._log is None else faults_of(self._log.records)
        if failures and self._fail_fast is not None:
            warn_incomplete("urlset.read", failures)

    def _numbered_rows(self) -> Iterator[NumberedRows]:
        return (batch.rows for batch in self.batches() if batch.rows is not None)

    def to_duckdb(self, path: str | os.PathLike[str]) -> None:
        """Write all documents and entries to the store at ``path``; see :class:`urlset.Store`.

        The store is created if it does not exist.
        """
        from urlset.store import Store

        with Store.open(path) as store:
            store.fill(self)

    def to_parquet(self, path: str | os.PathLike[str]) -> None:
        """Write all entries to one Parquet file, atomically."""
        from urlset.store import write_parquet

        write_parquet(self, path)  # reads the stream, which warns

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """Write all entries to one CSV file, atomically, as ``urlset read --format csv`` does.

        Raises:
            urlset.TargetError: The file cannot be written.
        """
        from urlset.reader.row_formats import csv_lines_of_batches, write_lines

        write_lines(csv_lines_of_batches(self._row_batches()), path)
        self._warn_if_incomplete()

    def to_jsonl(self, path: str | os.PathLike[str]) -> None:
        """Write all entries to one file of JSON lines, as ``urlset read --format jsonl`` does.

        Raises:
            urlset.TargetError: The file cannot be written.
        """
        from urlset.reader.row_formats import jsonl_lines, write_lines

        write_lines(jsonl_lines(self), path)
        self._warn_if_incomplete()

    def to_json(self, path: str | os.PathLike[str]) -> None:
        """Write all entries to one JSON array, as ``urlset read --format json`` does.

        Raises:
            urlset.TargetError: The file cannot be written.
        """
        from urlset.reader.row_formats import json_array, jsonl_lines, write_lines

        write_lines(json_array(jsonl_lines(self)), path)
        self._warn_if_incomplete()

    def to_text(self, path: str | os.PathLike[str]) -> None:
        """Write the URL of each entry on a line, as ``urlset read --format txt`` does.

        Raises:
            urlset.TargetError: The file cannot be written.
        """
        from urlset.reader.row_formats import column_rows, write_lines

        rows = column_rows(self._row_batches(), ["loc"])
        write_lines((f"{loc}\n" for (loc,) in rows), path)
        self._warn_if_incomplete()

    @property
    def _latest(self) -> ReadLog:
        if self._log is None:
            for _ in self.visits():
                pass
        return self._log or ReadLog()

    async def _visits_async(self) -> AsyncGenerator[Visit]:
        log = self._log = ReadLog()
        async with aclosing(self._reader.visits_async()) as visits:
            async for visit in visits:
                yield self._recorded(visit, log)
        log.is_over = True

    def _is_last(self, rest: Iterator[Entry]) -> bool:
        """Return whether the only document is read, so that nothing follows, nor is requested."""
        records = self._log.records if self._log is not None else []
        is_only = [each.how == "given" and each.kind != "index" for each in records] == [True]
        return is_only and next(rest, None) is None

    def _end_at_limit(self) -> None:
        """Record that the limit on the number of entries ended the reading."""
        if self._log is not None:
            self._log.limit = f"{option('limit')}={self._limit}"

    def _recorded(self, visit: Visit, log: ReadLog) -> Visit:
        """Record a visit and report the progress: once for a document, not for each entry."""
        visit = log.add(visit, fail_fast=self._fail_fast)
        if self._progress is not None:
            record, documents = visit.record, len(log.records)
            self._progress(ProgressEvent(log.urls, documents, None, record.source, record.error))
        return visit


class _Remaining:
    """Counts down the entries until the limit on their number, if there is one."""

    def __init__(self, limit: int | None):
        self._count = limit

    def is_zero(self) -> bool:
        return self._count == 0

    def take(self, entries: Iterable[Entry]) -> Iterator[Entry]:
        if self._count is None:
            yield from entries
            return
        for entry in islice(entries, self._count):
            self._count -= 1
            yield entry
