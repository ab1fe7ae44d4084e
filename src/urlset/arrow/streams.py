"""Streams of Arrow batches on their way: made of rows, numbered, filtered, brought into shape."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any

import arro3.core as arro3

from urlset.arrow import ENTRY, Leaf, ListOf, array_of, column_of, schema, selected, type_of

__all__ = [
    "ColumnType",
    "LazyStream",
    "NumberedRows",
    "RowLimit",
    "as_entries",
    "numbered",
    "rewrite_dates",
    "rows_to_batch",
    "rows_to_stream",
    "shaped",
    "without_row_numbers",
]

ColumnType = Leaf | ListOf
"""What a column of plain rows holds."""

Choose = Callable[[str, datetime | None], bool]
"""Tells by its loc and its lastmod whether an entry is wanted."""

_ENTRY = arro3.Field("entry", arro3.DataType.uint32())


class LazyStream:
    """An Arrow stream whose batches are made while they are asked for.

    Whoever reads it may be a library of another language, which makes words of an exception:
    ``failure`` keeps the exception itself.
    """

    def __init__(self, schema: Any, batches: Callable[[], Iterator[Any]]):
        self.schema = schema
        self.failure: BaseException | None = None
        self._batches = batches

    def __arrow_c_schema__(self) -> object:
        return self.schema.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        reader = arro3.RecordBatchReader.from_batches(self.schema, self._guarded())
        return reader.__arrow_c_stream__(requested_schema)

    def _guarded(self) -> Iterator[Any]:
        try:
            yield from self._batches()
        except GeneratorExit:
            raise
        except BaseException as error:  # noqa: BLE001 - it is raised again where it is understood
            self.failure = error
        if self.failure is not None:
            # Beware: another one, and not within `except`. arro3 never lets it go, and what its
            # traceback has passed through (a connection) would live until Python ends.
            raise RuntimeError(f"{type(self.failure).__name__}: {self.failure}")


def rows_to_stream(
    columns: Sequence[tuple[str, ColumnType]], rows: Sequence[Sequence[Any]]
) -> LazyStream:
    """Make a stream of one batch from rows of as many values as there are columns."""
    batch = rows_to_batch(columns, rows)
    return LazyStream(batch.schema, lambda: iter([batch]))


def rows_to_batch(columns: Sequence[tuple[str, ColumnType]], rows: Sequence[Sequence[Any]]) -> Any:
    """Make one batch from rows of as many values as there are columns."""
    arrays = [
        array_of([row[number] for row in rows], kind) for number, (_, kind) in enumerate(columns)
    ]
    fields = [
        arro3.Field(name, array.type) for (name, _), array in zip(columns, arrays, strict=True)
    ]
    return arro3.RecordBatch.from_arrays(arrays, schema=arro3.Schema(fields))


def numbered(streams: Iterable[tuple[int, Any]]) -> LazyStream:
    """Chain tables of entries, each behind a first column ``document`` with its number."""
    field = arro3.Field("document", arro3.DataType.uint32())

    def batches() -> Iterator[Any]:
        for number, stream in streams:
            for batch in arro3.RecordBatchReader.from_stream(stream):
                yield batch.add_column(0, field, _repeated(number, batch.num_rows))

    return LazyStream(_counted_schema().insert(0, field), batches)


class RowLimit:
    """How many rows have passed, and how many are still wanted (``left``; None for all)."""

    def __init__(self, limit: int | None = None):
        self.limit = limit
        self.count = 0

    @property
    def remaining(self) -> int | None:
        """How many more are wanted."""
        return None if self.limit is None else max(0, self.limit - self.count)

    @property
    def is_reached(self) -> bool:
        """Whether there are as many as were wanted, and maybe more."""
        return self.remaining == 0


class NumberedRows:
    """The wanted entries of one document behind a first column ``entry``, counted as they pass.

    That is the number of each in the document, from 1, of those that are not wanted, too.
    ``len()`` is that of the document. Where it is read again, what passed before is not counted.
    """

    def __init__(self, rows: Any, choose: Choose | None = None, row_limit: RowLimit | None = None):
        self.row_limit = row_limit or RowLimit()
        self._rows = rows
        self._choose = choose
        self._passed = 0

    def __len__(self) -> int:
        return len(self._rows)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return LazyStream(_counted_schema(), self._batches).__arrow_c_stream__(requested_schema)

    def _batches(self) -> Iterator[Any]:
        self.row_limit.count -= self._passed
        self._passed = 0
        start = 1
        for batch in arro3.RecordBatchReader.from_stream(self._rows):
            if not batch.num_rows:  # and arro3 takes no buffer without bytes
                continue
            rows = batch.add_column(0, _ENTRY, _count_up(start, batch.num_rows))
            start += batch.num_rows
            if self._choose is not None:
                rows = selected(rows, self._choose)
            if self.row_limit.remaining is not None:
                rows = rows.slice(0, min(self.row_limit.remaining, rows.num_rows))
            self._passed += rows.num_rows
            self.row_limit.count += rows.num_rows
            if rows.num_rows:
                yield rows
            if self.row_limit.is_reached:
                return


def without_row_numbers(streams: Iterable[Any]) -> LazyStream:
    """Chain tables of counted entries, without their numbers: the schema of entries."""

    def batches() -> Iterator[Any]:
        for stream in streams:
            for batch in arro3.RecordBatchReader.from_stream(stream):
                yield batch.remove_column(0)

    return LazyStream(schema(), batches)


def as_entries(stream: Any, source: str | None = None) -> LazyStream:
    """Bring any stream with a column ``loc`` (or ``url``) into the schema of entries.

    Columns that are missing are absent from every entry, ``source`` is then the one given;
    those that are no column of ours are left out. Raises ``ValueError`` while it is read, where
    a column cannot be what it must be.
    """
    reader = arro3.RecordBatchReader.from_stream(stream)
    names = reader.schema.names
    if "loc" not in names and "url" not in names:
        raise ValueError(f"expected a column loc or url, found {', '.join(names) or 'none'}")

    def batches() -> Iterator[Any]:
        for batch in reader:
            columns = [shaped(batch, names, name, spec, source) for name, spec in ENTRY.fields]
            yield arro3.RecordBatch.from_arrays(columns, schema=schema())

    return LazyStream(schema(), batches)


def rewrite_dates(batch: Any, make: Callable[[str | None], str | None], source: str) -> Any:
    """A batch of entries with the text of each date made anew, and none besides where that is none.

    ``lastmod`` is left out: the text says all. ``source`` is put where a row has none.
    """
    texts = [make(text) for text in batch.column("lastmod_text").to_pylist()]
    sources = [found or source for found in batch.column("source").to_pylist()]
    kept = [
        name for name in batch.schema.names if name not in ("lastmod", "lastmod_text", "source")
    ]
    columns = [batch.column(name) for name in kept]
    columns += [array_of(texts, "string"), array_of(sources, "string")]
    fields = [*(batch.schema.field(name) for name in kept)]
    fields += [arro3.Field(name, type_of("string")) for name in ("lastmod_text", "source")]
    return arro3.RecordBatch.from_arrays(columns, schema=arro3.Schema(fields))


def shaped(batch: Any, names: list[str], name: str, spec: Any, source: str | None) -> Any:
    """The column of an entry's field, of its type; where it is missing, one of nothing."""
    found = "url" if name == "loc" and "loc" not in names else name
    if found not in names:
        empty = () if isinstance(spec, ListOf) else source if name == "source" else None
        return array_of([empty] * batch.num_rows, spec)
    column = batch.column(found)
    if name == "loc" and column.null_count:
        raise ValueError(f"expected a URL in every row, found {column.null_count:,} without one")
    if column.type == type_of(spec):
        return column
    if not (column.null_count and isinstance(spec, ListOf)):
        with suppress(Exception):  # arro3 raises bare ones for casts that cannot be made
            cast = column.cast(type_of(spec))
            if cast.null_count == column.null_count:  # it makes null of what it cannot read
                return cast
    # By way of rows, which knows what may be missing in lists and structs: ten times as long.
    return array_of(column_of(column, name, spec), spec)


def _counted_schema() -> Any:
    return schema().insert(0, _ENTRY)


def _repeated(number: int, count: int) -> Any:
    return arro3.Array.from_buffer(array("I", [number]) * count)


def _count_up(start: int, count: int) -> Any:
    return arro3.Array.from_buffer(array("I", range(start, start + count)))
