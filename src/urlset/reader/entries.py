"""The entries of a source, read while they are asked for."""

from __future__ import annotations

import os
from collections.abc import (
    AsyncGenerator,
    AsyncIterator,
    Callable,
    Generator,
    Iterable,
    Iterator,
)
from contextlib import aclosing, closing
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, Protocol, overload

from urlset.document import Document
from urlset.errors import SourceError
from urlset.model import Entry, Problem, Sitemap
from urlset.reader.documents import DocumentBatch, DocumentRecord, Visit
from urlset.reader.filters import EntryFilter, FilteredRows
from urlset.reader.table_detection import is_table

if TYPE_CHECKING:
    from urlset.arrow.streams import LazyStream, RowLimit
    from urlset.http import Response
    from urlset.reader.discovery import Attempt

__all__ = ["Entries", "Heard", "Reading"]

Heard = Callable[["Response"], None]
"""Who is told of every response, before it is read; a site has some that are no documents."""

KEPT_PROBLEMS = 100_000
"""Problems that one reading remembers, some 30 MB; :func:`urlset.check` tells all of them."""


class Reading(Protocol):
    """A source that can be read, again and again: files, or a site."""

    def visits(self, heard: Heard | None = None) -> Generator[Visit]:
        """Read document after document; closing the iterator ends the reading."""

    def visits_async(self) -> AsyncGenerator[Visit]:
        """Do the same for callers in a loop."""


class Entries:
    """The entries of a source, one document in memory at a time (of a site, a few).

    Iterates as :class:`urlset.Entry`, with ``for`` or with ``async for``, as often as wanted.
    Files are read each time, a stream and a site once: what came is kept, and only what failed
    is fetched again. Is an Arrow stream with a batch for each document. Of bytes, which are in
    memory, there is ``len()``, and entries by their number, ``entries[0]``. It can be pickled, and
    is read anew where it arrives, a site, too. A site is fetched while its entries are handed
    out; leaving the loop early ends that, too. ``source`` is what was asked for; None for bytes.
    """

    def __init__(
        self,
        reading: Reading,
        *,
        source: str | None = None,
        selection: EntryFilter,
        limit: int | None,
        fail_fast: bool,
        is_in_memory: bool = False,
    ):
        self.source = source
        self._is_in_memory = is_in_memory
        self._listed: list[Entry] | None = None
        self._reading = reading
        self._selection = selection
        self._limit = limit
        self._fail_fast = fail_fast
        self._log: _Log | None = None

    def __iter__(self) -> Iterator[Entry]:
        if self._listed is not None:
            yield from self._listed
            return
        left = _Left(self._limit)
        if left.is_nothing():
            return
        with closing(self.visits()) as visits:
            for visit in visits:
                yield from left.of(self.selected(visit))
                if left.is_nothing():
                    return

    async def __aiter__(self) -> AsyncIterator[Entry]:
        left = _Left(self._limit)
        if left.is_nothing():
            return
        async with aclosing(self._visits_async()) as visits:
            async for visit in visits:
                for entry in left.of(self.selected(visit)):
                    yield entry
                if left.is_nothing():
                    return

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        from urlset.arrow import chain_streams

        rows = (self.selected(visit) for visit in self.visits() if _has_entries(visit))
        return chain_streams(rows, requested_schema, limit=self._limit)

    def __bool__(self) -> bool:
        return True  # whether there are entries is not known before they are read

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
                "expected entries in memory, for len() and for an entry by its number, found those "
                f"of {self.source or 'a source'}, which are read one after another; use "
                "list(entries), entries.to_arrow() or urlset.parse"
            )
        if self._listed is None:
            self._listed = list(iter(self))
        return self._listed

    @property
    def is_limited(self) -> bool:
        """Whether it ends after a number of entries, wherever that is."""
        return self._limit is not None

    @property
    def documents(self) -> list[DocumentRecord]:
        """What the latest reading has met so far; where there was none yet, it is done now."""
        return self._latest.records

    @property
    def problems(self) -> list[Problem]:
        """The problems of all :attr:`documents`, one after another."""
        return [problem for record in self.documents for problem in record.problems]

    @property
    def sitemaps(self) -> list[Sitemap]:
        """The children that the indexes among :attr:`documents` list."""
        return self._latest.sitemaps

    @property
    def trials(self) -> list[Attempt]:
        """Where the latest reading looked for the sitemaps of a site, with what was there."""
        return list(getattr(self._reading, "trials", ()))

    def visits(self, heard: Heard | None = None) -> Generator[Visit]:
        """Read document after document, whole: :meth:`selected` are the wanted entries of one.

        ``heard`` is called with every response of a site (:class:`urlset.http.Response`).
        """
        log = self._log = _Log()
        with closing(self._reading.visits(heard)) as visits:
            for visit in visits:
                yield log.note(visit, is_strict=self._fail_fast)

    def selected(self, visit: Visit) -> Iterable[Entry]:
        """The wanted entries of a document; also an Arrow stream."""
        if visit.document is None:
            return ()
        return FilteredRows(visit.document.entries, self._selection, visit.record)

    def portions(
        self, heard: Heard | None = None, row_limit: RowLimit | None = None
    ) -> Generator[DocumentBatch]:
        """Read document after document, each with those of its entries that are wanted.

        Their rows are to be read before the next one where there is a limit. ``row_limit`` counts
        them, and may have a limit of its own in place of that of the reading.
        """
        from urlset.arrow.streams import NumberedRows, RowLimit

        row_limit = row_limit or RowLimit(self._limit)
        if row_limit.remaining == 0:
            return
        with closing(self.visits(heard)) as visits:
            for record, document in visits:
                wants = partial(self._selection.wants, record=record)
                choose = None if self._selection.is_all else wants
                rows = document.entries if document is not None else None
                counted = None if rows is None else NumberedRows(rows, choose, row_limit)
                yield DocumentBatch(record, document, counted)
                if row_limit.is_reached:
                    return

    def to_arrow(self) -> Any:
        """Read all into a table of pyarrow (``pyarrow.Table``), which must be installed."""
        from urlset.arrow.frames import to_arrow

        return to_arrow(self._flow())

    def to_pandas(self) -> Any:
        """Read all into a data frame of pandas, which must be installed, and pyarrow."""
        from urlset.arrow.frames import to_pandas

        return to_pandas(self._flow())

    def to_polars(self) -> Any:
        """Read all into a data frame of polars, which must be installed."""
        from urlset.arrow.frames import to_polars

        return to_polars(self._flow())

    def _flow(self) -> LazyStream:
        from urlset.arrow.streams import without_row_numbers

        return without_row_numbers(
            portion.rows for portion in self.portions() if portion.rows is not None
        )

    def to_duckdb(self, path: str | os.PathLike[str]) -> None:
        """Read all into the store at ``path``, made where there is none: see :class:`Store`."""
        from urlset.store import Store

        with Store.open(path) as store:
            store.fill(self)

    def to_parquet(self, path: str | os.PathLike[str]) -> None:
        """Read all into one file of Parquet; it appears when it is whole."""
        from urlset.store import write_parquet

        write_parquet(self, path)

    @property
    def _latest(self) -> _Log:
        if self._log is None:
            for _ in self.visits():
                pass
        return self._log or _Log()

    async def _visits_async(self) -> AsyncGenerator[Visit]:
        log = self._log = _Log()
        async with aclosing(self._reading.visits_async()) as visits:
            async for visit in visits:
                yield log.note(visit, is_strict=self._fail_fast)


class _Log:
    """What one reading has met."""

    def __init__(self) -> None:
        self.records: list[DocumentRecord] = []
        self.sitemaps: list[Sitemap] = []
        self._room = KEPT_PROBLEMS

    def note(self, visit: Visit, *, is_strict: bool) -> Visit:
        """Remember a visit; raises where there is nothing to read at all."""
        record, document = _without_table(*visit)
        record = record._replace(problems=record.problems[: self._room])
        self._room -= len(record.problems)
        self.records.append(record)
        is_all = document is None and record.how in ("given", "site")
        if record.error and (is_strict or is_all):
            words = f"{record.source or 'the document'}: {record.error}"
            raise SourceError(words, failure=record.failure or "unreadable")
        if document is not None:
            self.sitemaps.extend(document.sitemaps)
        return Visit(record, document)


class _Left:
    """How many entries are still wanted; None for all."""

    def __init__(self, limit: int | None):
        self._count = limit

    def is_nothing(self) -> bool:
        return self._count == 0

    def of(self, entries: Iterable[Entry]) -> Iterator[Entry]:
        if self._count is None:
            yield from entries
            return
        for entry in islice(entries, self._count):
            self._count -= 1
            yield entry


def _without_table(record: DocumentRecord, document: Document | None) -> Visit:
    """Leave out the lines of a table that were taken for URLs: none of them is one."""
    if document is None or not record.error or is_table(document) is None:
        return Visit(record, document)
    return Visit(record._replace(kind="unknown", entries=0), None)


def _has_entries(visit: Visit) -> bool:
    return visit.document is not None and len(visit.document.entries) > 0
