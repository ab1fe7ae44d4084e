"""Streams of Arrow batches on their way: made of rows, numbered, filtered, brought into shape."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any

import arro3.core as arro3

from urlset.arrow import ENTRY, Leaf, ListOf, array_of, column_of, schema, type_of

__all__ = ["Flow", "Kind", "as_entries", "numbered", "pick", "rows_to_flow"]

Kind = Leaf | ListOf
"""What a column of plain rows holds."""


class Flow:
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


def rows_to_flow(columns: Sequence[tuple[str, Kind]], rows: Sequence[Sequence[Any]]) -> Flow:
    """Make a stream of one batch from rows of as many values as there are columns."""
    arrays = [
        array_of([row[number] for row in rows], kind) for number, (_, kind) in enumerate(columns)
    ]
    fields = [
        arro3.Field(name, array.type) for (name, _), array in zip(columns, arrays, strict=True)
    ]
    shape = arro3.Schema(fields)
    return Flow(shape, lambda: iter([arro3.RecordBatch.from_arrays(arrays, schema=shape)]))


def numbered(streams: Iterable[tuple[int, Any]]) -> Flow:
    """Chain streams of entries, each behind a first column ``document`` with its number."""
    field = arro3.Field("document", arro3.DataType.uint32())

    def batches() -> Iterator[Any]:
        for number, stream in streams:
            for batch in arro3.RecordBatchReader.from_stream(stream):
                numbers = arro3.Array([number] * batch.num_rows, field.type)
                yield batch.add_column(0, field, numbers)

    return Flow(schema().insert(0, field), batches)


def pick(stream: Any, names: Sequence[str], choose: Callable[..., list[int]]) -> Flow:
    """Keep some rows of a stream of entries: ``choose`` is given the columns of those names.

    It gives the numbers of the rows to keep within the batch, in their order; instants come to
    it as microseconds since 1970.
    """

    def batches() -> Iterator[Any]:
        for batch in arro3.RecordBatchReader.from_stream(stream):
            kept = choose(*(_plain(batch.column(name)) for name in names))
            if len(kept) == batch.num_rows:
                yield batch
            elif kept:
                yield batch.take(arro3.Array(kept, arro3.DataType.uint32()))

    return Flow(schema(), batches)


def as_entries(stream: Any, source: str | None = None) -> Flow:
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
            columns = [_shaped(batch, names, name, spec, source) for name, spec in ENTRY.fields]
            yield arro3.RecordBatch.from_arrays(columns, schema=schema())

    return Flow(schema(), batches)


def _shaped(batch: Any, names: list[str], name: str, spec: Any, source: str | None) -> Any:
    found = "url" if name == "loc" and "loc" not in names else name
    if found not in names:
        empty = () if isinstance(spec, ListOf) else source if name == "source" else None
        return array_of([empty] * batch.num_rows, spec)
    array = batch.column(found)
    if name == "loc" and array.null_count:
        raise ValueError(f"expected a URL in every row, found {array.null_count:,} without one")
    if array.type == type_of(spec):
        return array
    if not (array.null_count and isinstance(spec, ListOf)):
        with suppress(Exception):  # arro3 raises bare ones for casts that cannot be made
            cast = array.cast(type_of(spec))
            if cast.null_count == array.null_count:  # it makes null of what it cannot read
                return cast
    # By way of rows, which knows what may be missing in lists and structs: ten times as long.
    return array_of(column_of(array, name, spec), spec)


def _plain(array: Any) -> list[Any]:
    if array.type == arro3.DataType.timestamp("us", tz="UTC"):
        array = array.cast(arro3.DataType.int64())
    values: list[Any] = array.to_pylist()
    return values
