"""Validate entries, drop duplicates, and render documents, each filled up to the limits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Literal, NamedTuple

from urlset.engine import Columns, Engine, Renderer, WrittenUrls
from urlset.errors import EntryError
from urlset.model import ProgressEvent
from urlset.protocol import MAX_NEWS
from urlset.writer.input_rows import InputBatch, Rules, input_loc, validate_rows
from urlset.writer.result import Rejection
from urlset.writer.values import shown


class Limits(NamedTuple):
    """Limits of one document: entries, and bytes including header and footer."""

    max_urls: int
    max_bytes: int


class RenderedDocument(NamedTuple):
    """Complete document: its bytes and the number of URLs."""

    data: bytes
    urls: int


class _Run(NamedTuple):
    """Range of rows to render, from ``start`` to ``end``; ``rows`` maps them to input rows."""

    columns: Columns
    start: int
    end: int
    rows: Sequence[int]


class Splitter:
    """Splitter of entries into documents within the limits; one object per publication.

    ``rejected`` and ``urls`` are updated while :meth:`documents` is consumed.
    """

    def __init__(
        self,
        engine: Engine,
        rules: Rules,
        limits: Limits,
        on_error: Literal["raise", "skip"],
        duplicates: Literal["drop", "keep"],
        progress: Callable[[ProgressEvent], None] | None,
        stylesheet: str | None = None,
    ):
        self.urls: int = 0
        self.rejected: list[Rejection] = []
        self._engine = engine
        self._rules = rules
        self._limits = limits
        self._stylesheet = stylesheet
        self._is_strict = on_error == "raise"
        self._seen: WrittenUrls | None = engine.written_urls() if duplicates == "drop" else None
        self._progress = progress
        self._renderer = self._new_renderer()
        self._first: tuple[int, str] | None = None  # row and loc of the current document

    def documents(self, batches: Iterable[InputBatch]) -> Iterator[RenderedDocument]:
        """Render batches as documents; yield each when it is full or the input ends."""
        for batch in batches:
            for columns, start, end, rows in self._new_runs(batch):
                place = start
                while place < end:
                    if self._renderer.count == 0:
                        self._first = rows[place], columns.loc(place)
                    place = self._renderer.add(columns, place, end)
                    if place < end:
                        yield from self._finish()
            if self._progress is not None:
                self._progress(ProgressEvent(self.urls + self._renderer.count))
        yield from self._finish()
        self.rejected.sort(key=lambda rejection: rejection.row)

    def empty(self) -> RenderedDocument:
        """Render a document without entries."""
        return RenderedDocument(self._new_renderer().finish(), 0)

    def _finish(self) -> Iterator[RenderedDocument]:
        count, data = self._renderer.count, self._renderer.finish()
        self._renderer = self._new_renderer()
        if count == 1 and len(data) > self._limits.max_bytes:
            self._reject_large(len(data))
        elif count:
            self.urls += count
            yield RenderedDocument(data, count)

    def _new_runs(self, batch: InputBatch) -> Iterator[_Run]:
        """Yield the valid rows of a batch without duplicate URLs, in order."""
        for run in self._valid_runs(batch):
            if self._seen is None:
                yield run
                continue
            start = run.start
            for place in self._seen.add(run.columns, run.start, run.end):
                if start < place:
                    yield run._replace(start=start, end=place)
                self._reject_duplicate(run.rows[place], run.columns.loc(place))
                start = place + 1
            if start < run.end:
                yield run._replace(start=start)

    def _valid_runs(self, batch: InputBatch) -> list[_Run]:
        count = batch.size
        columns = batch.columns(self._engine)
        odd: Sequence[int] = range(count)
        if columns is not None:
            odd = self._engine.uncertain_rows(columns, self._rules.is_text)
        numbers = range(batch.row, batch.row + count)
        if columns is not None and not odd:
            return [_Run(columns, 0, count, numbers)]
        items = batch.at(odd)
        rows = [numbers[place] for place in odd]
        checked = validate_rows(zip(rows, items, strict=True), self._rules)
        if checked.errors:
            given = dict(zip(rows, items, strict=True))
            for error in checked.errors:
                self._refuse(error, input_loc(given[error.row]))
        validated = self._engine.columns(checked.entries)
        if columns is None or len(odd) == count:
            return [_Run(validated, 0, len(validated), checked.rows)]
        return list(_merged(_Run(columns, 0, count, numbers), odd, validated, checked.rows))

    def _reject_duplicate(self, row: int, loc: str) -> None:
        reason = f"row {row}, loc: listed already; the first one is kept"
        self.rejected.append(Rejection(row, loc, "loc", shown(loc), reason, is_duplicate=True))

    def _refuse(self, error: EntryError, loc: str | None) -> None:
        if self._is_strict:
            raise error
        self.rejected.append(Rejection(error.row, loc, error.field, shown(error.value), str(error)))

    def _reject_large(self, size: int) -> None:
        assert self._first is not None  # a document of one entry has a first one
        row, loc = self._first
        message = (
            f"row {row}, loc: expected an entry that fits into a file of "
            f"{self._limits.max_bytes:,} bytes, found one of {size:,}; "
            "leave out some of its images, videos or alternates"
        )
        self._refuse(EntryError(message, row=row, field="loc", value=loc), loc)

    def _new_renderer(self) -> Renderer:
        kind = "text" if self._rules.is_text else "urlset"
        return self._engine.renderer(kind, *self._limits, MAX_NEWS, self._stylesheet)


def _merged(
    certain: _Run, odd: Sequence[int], validated: Columns, rows: Sequence[int]
) -> Iterator[_Run]:
    """Merge runs of unchanged rows with the validated versions of the other rows, in order."""
    start, done, taken = 0, 0, 0
    for place in odd:
        if start < place:
            if done < taken:
                yield _Run(validated, done, taken, rows)
                done = taken
            yield certain._replace(start=start, end=place)
        start = place + 1
        if taken < len(rows) and rows[taken] == certain.rows[place]:
            taken += 1
    if done < taken:
        yield _Run(validated, done, taken, rows)
    if start < certain.end:
        yield certain._replace(start=start)
