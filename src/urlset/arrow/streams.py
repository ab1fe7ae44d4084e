"""Create, number, filter and convert streams of Arrow batches."""

from __future__ import annotations

import sys
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from time import monotonic
from typing import Any

import arro3.core as arro3

from urlset.arrow import ENTRY, ListOf, array_of, column_of, open_stream, schema, selected, type_of
from urlset.errors import EntryError, SourceError
from urlset.fields import Leaf

ColumnType = Leaf | ListOf
"""Type of a column of plain rows."""

Choose = Callable[[str, datetime | None], bool]
"""Returns by loc and lastmod whether an entry is selected."""

_ENTRY = arro3.Field("entry", arro3.DataType.uint32())


class LazyStream:
    """Arrow stream whose batches are produced on demand.

    Non-Python consumers lose the exception object, so ``failure`` keeps it.
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
        except BaseException as error:  # noqa: BLE001 - raised again below, and by the consumer
            self.failure = error
        if self.failure is not None:
            # Note: a new exception, and not within `except`. arro3 never releases it, and objects
            # in its traceback (a connection) would live until Python exits.
            raise RuntimeError(f"{type(self.failure).__name__}: {self.failure}")


class TableReader:
    """Reader of schema and batches of a caller's table: polars, pandas, pyarrow, DuckDB, others.

    Raises :class:`urlset.SourceError`, here and in the iteration, if the library of the table
    raises an exception of its own: its query fails, or its connection is closed or in use; and
    :class:`urlset.EntryError` if a row cannot be computed or a column cannot be read.

    Attributes:
        schema: Arrow schema of the table.
    """

    def __init__(self, table: Any):
        with _map_table_errors():
            reader = open_stream(_with_typed_nulls(table))
        self.schema = reader.schema
        self._batches = iter(reader)

    def __iter__(self) -> Iterator[Any]:
        while True:
            with _map_table_errors():
                batch = next(self._batches, None)
            if batch is None:
                return
            yield batch


def _with_typed_nulls(table: Any) -> Any:
    """Return a polars frame with its ``Null`` columns as text; other tables are returned as is.

    A column of nothing but nulls, or of empty lists, has that type unless it is given one, and
    arro3 cannot import it from polars.
    """
    polars = sys.modules.get("polars")
    if polars is None or not isinstance(table, polars.DataFrame):
        return table
    types = {name: _typed_null(kind, polars) for name, kind in table.schema.items()}
    changed = {name: kind for name, kind in types.items() if kind != table.schema[name]}
    return table.cast(changed) if changed else table


def _typed_null(kind: Any, polars: Any) -> Any:
    if isinstance(kind, polars.List):
        return polars.List(_typed_null(kind.inner, polars))
    if isinstance(kind, polars.Struct):
        fields = {field.name: _typed_null(field.dtype, polars) for field in kind.fields}
        return polars.Struct(fields)
    return polars.String if kind == polars.Null else kind


@contextmanager
def _map_table_errors() -> Iterator[None]:
    try:
        yield
    except Exception as error:
        words = " ".join(str(error).split())
        if type(error) is Exception:  # arro3 raises these, e.g. for Null in an array of polars
            raise EntryError(
                f"expected a table that can be read, found an Arrow error ({words}); check its "
                "query; a column of nothing but nulls needs a type: cast it to string, or leave it "
                "out"
            ) from error
        library = type(error).__module__.partition(".")[0].removeprefix("_")
        if library in ("builtins", "urlset"):
            raise
        if type(error).__name__ == "ResourceInUseException":  # since DuckDB 2.0
            raise SourceError(
                "expected a table that can be read, found another result on its DuckDB connection "
                "that is not read to its end; fetch all rows of that result first, or create the "
                "table with a connection of its own (connection.cursor())"
            ) from error
        raise SourceError(
            f"expected a table that can be read, found an error of {library} ({words}); check that "
            "its query is valid and its connection open"
        ) from error


def rows_to_stream(
    columns: Sequence[tuple[str, ColumnType]], rows: Sequence[Sequence[Any]]
) -> LazyStream:
    """Return rows as a stream of one batch; each row has a value for each column."""
    batch = rows_to_batch(columns, rows)
    return LazyStream(batch.schema, lambda: iter([batch]))


def rows_to_batch(columns: Sequence[tuple[str, ColumnType]], rows: Sequence[Sequence[Any]]) -> Any:
    """Return rows as one batch; each row has a value for each column."""
    arrays = [
        array_of([row[number] for row in rows], kind) for number, (_, kind) in enumerate(columns)
    ]
    fields = [
        arro3.Field(name, array.type) for (name, _), array in zip(columns, arrays, strict=True)
    ]
    return arro3.RecordBatch.from_arrays(arrays, schema=arro3.Schema(fields))


def numbered(streams: Iterable[tuple[int, Any]]) -> LazyStream:
    """Chain tables of entries and prepend a column ``document`` with the number of each table."""
    field = arro3.Field("document", arro3.DataType.uint32())

    def batches() -> Iterator[Any]:
        for group in _grouped(streams):
            if len(group) > 1:
                yield from _joined(group, field)
                continue
            ((number, stream),) = group
            for batch in arro3.RecordBatchReader.from_stream(stream):
                yield batch.add_column(0, field, _repeated(number, batch.num_rows))

    return LazyStream(_counted_schema().insert(0, field), batches)


_GROUP_ROWS = 8_192
_GROUP_S = 0.1


def _grouped(streams: Iterable[tuple[int, Any]]) -> Iterator[list[tuple[int, Any]]]:
    """Group small documents, as a batch costs a hundred times as much as a row.

    A group ends after a tenth of a second, so that the rows of a slow site do not wait.
    """
    group: list[tuple[int, Any]] = []
    rows, since = 0, monotonic()
    for number, stream in streams:
        may_join = isinstance(stream, NumberedRows) and stream.may_join
        count = len(stream) if may_join else _GROUP_ROWS
        if group and (not may_join or rows + count > _GROUP_ROWS):
            yield group
            group, rows = [], 0
        group.append((number, stream))
        del stream  # the document is not kept while the next one is read
        rows += count
        if rows >= _GROUP_ROWS or monotonic() - since > _GROUP_S:
            yield group
            group, rows, since = [], 0, monotonic()
    if group:
        yield group


def _joined(group: Iterable[tuple[int, NumberedRows]], field: Any) -> Iterator[Any]:
    """Yield the rows of small documents as one batch, with both columns of numbers."""
    filled = [(number, rows.whole()) for number, rows in group if len(rows)]
    if not filled:  # arro3 does not accept empty buffers
        return
    documents, entries = array("I"), array("I")
    for number, rows in filled:
        documents.extend(array("I", [number]) * len(rows))
        entries.extend(range(1, len(rows) + 1))
    joined = _one_batch([rows for _, rows in filled])
    joined = joined.add_column(0, _ENTRY, arro3.Array.from_buffer(entries))
    yield joined.add_column(0, field, arro3.Array.from_buffer(documents))


def _one_batch(documents: Sequence[Any]) -> Any:
    """Return the rows of documents as one batch."""
    first, *others = documents
    (batch,) = arro3.RecordBatchReader.from_stream(first.joined(others))
    return batch


class RowLimit:
    """Limit on the number of rows of several streams together; counts the rows that were read."""

    def __init__(self, limit: int | None = None):
        self.limit = limit
        self.count = 0

    @property
    def remaining(self) -> int | None:
        """Number of rows until the limit."""
        return None if self.limit is None else max(0, self.limit - self.count)

    @property
    def is_reached(self) -> bool:
        """Whether the limit is reached."""
        return self.remaining == 0


class NumberedRows:
    """Selected entries of one document with a first column ``entry``, counted while they are read.

    ``entry`` is the number in the document, from 1, including entries that are not selected.
    ``len()`` is that of the document. A second read does not count the rows again.

    Attributes:
        passed: Number of rows that were read.
    """

    def __init__(self, rows: Any, choose: Choose | None = None, row_limit: RowLimit | None = None):
        self.row_limit: RowLimit = row_limit or RowLimit()
        self._rows = rows
        self._choose = choose
        self.passed: int = 0

    def __len__(self) -> int:
        return len(self._rows)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return LazyStream(_counted_schema(), self._batches).__arrow_c_stream__(requested_schema)

    @property
    def may_join(self) -> bool:
        """Whether the rows may be read with those of later documents, all in one batch.

        They are in memory, and all are selected: there is neither a filter nor a limit.
        """
        is_in_memory = getattr(self._rows, "is_in_memory", False)
        return is_in_memory and self._choose is None and self.row_limit.limit is None

    def whole(self) -> Any:
        """Return the rows of the document, all of which are selected, and count them."""
        self._reset_count()
        self._count(len(self))
        return self._rows

    def _batches(self) -> Iterator[Any]:
        self._reset_count()
        start = 1
        for batch in arro3.RecordBatchReader.from_stream(self._rows):
            if not batch.num_rows:
                continue
            rows = batch.add_column(0, _ENTRY, _count_up(start, batch.num_rows))
            start += batch.num_rows
            if self._choose is not None:
                rows = selected(rows, self._choose)
            if self.row_limit.remaining is not None:
                rows = rows.slice(0, min(self.row_limit.remaining, rows.num_rows))
            self._count(rows.num_rows)
            if rows.num_rows:
                yield rows
            if self.row_limit.is_reached:
                return

    def _reset_count(self) -> None:
        self.row_limit.count -= self.passed
        self.passed = 0

    def _count(self, rows: int) -> None:
        self.passed += rows
        self.row_limit.count += rows


def without_row_numbers(streams: Iterable[Any]) -> LazyStream:
    """Chain tables of numbered entries and remove the numbers; the result has the entry schema."""
    return LazyStream(schema(), lambda: entry_batches(streams))


def entry_batches(streams: Iterable[Any]) -> Iterator[Any]:
    """Yield the batches of tables of numbered entries, without the numbers.

    Those of small documents are joined.
    """
    for group in _grouped((0, stream) for stream in streams):
        if len(group) > 1:
            if filled := [rows.whole() for _, rows in group if len(rows)]:
                yield _one_batch(filled)
            continue
        ((_, stream),) = group
        for batch in arro3.RecordBatchReader.from_stream(stream):
            yield batch.remove_column(0)


def as_entries(stream: Any, source: str | None = None) -> LazyStream:
    """Convert any stream with a column ``loc`` (or ``url``) to the schema of entries.

    Missing columns are empty; a missing ``source`` is filled with the argument. Other columns
    are dropped.

    Raises:
        ValueError: There is no ``loc``, or, while it is read, a column cannot be converted.
    """
    reader = arro3.RecordBatchReader.from_stream(stream)
    names = reader.schema.names
    if "loc" not in names and "url" not in names:
        raise ValueError(f"expected a column loc or url, found {', '.join(names) or 'none'}")

    def batches() -> Iterator[Any]:
        for batch in reader:
            columns = [
                field_column(batch, names, name, spec, source) for name, spec in ENTRY.fields
            ]
            yield arro3.RecordBatch.from_arrays(columns, schema=schema())

    return LazyStream(schema(), batches)


def rewrite_dates(batch: Any, make: Callable[[str | None], str | None], source: str) -> Any:
    """Rewrite the ``lastmod_text`` of a batch of entries by the function ``make``.

    The column ``lastmod`` is dropped, since the text holds the same information. Rows without a
    ``source`` get the argument.
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


def field_column(batch: Any, names: list[str], name: str, spec: Any, source: str | None) -> Any:
    """Return the column of an entry field, cast to its type; a missing one has default values."""
    found = "url" if name == "loc" and "loc" not in names else name
    if found not in names:
        empty = () if isinstance(spec, ListOf) else source if name == "source" else None
        return array_of([empty] * batch.num_rows, spec)
    column = batch.column(found)
    if name == "loc" and column.null_count:
        raise ValueError(f"expected a URL in every row, found {column.null_count:,} without one")
    if column.type == type_of(spec):
        return column
    if name == "priority" and "Float32" in str(column.type):
        return rounded_floats(column)
    if not (column.null_count and isinstance(spec, ListOf)):
        with suppress(Exception):  # arro3 raises bare exceptions for failed casts
            cast = column.cast(type_of(spec))
            if cast.null_count == column.null_count:  # a cast returns null for invalid values
                return cast
    # Convert row by row, which handles nulls in lists and structs; it takes ten times as long.
    return array_of(column_of(column, name, spec), spec)


def rounded_floats(values: Any) -> Any:
    """Convert a float32 column to float64, rounded to seven digits.

    Otherwise 0.8 in four bytes is 0.800000011920929 in eight: four bytes hold seven digits.
    """
    rounded = [None if v is None else float(f"{v:.7g}") for v in values.to_pylist()]
    return arro3.Array(rounded, type_of("number"))


def _counted_schema() -> Any:
    return schema().insert(0, _ENTRY)


def _repeated(number: int, count: int) -> Any:
    return arro3.Array.from_buffer(array("I", [number]) * count)


def _count_up(start: int, count: int) -> Any:
    return arro3.Array.from_buffer(array("I", range(start, start + count)))


def read_ipc(path: str, name: str, *, is_stream: bool) -> tuple[Any, Iterator[Any]]:
    """Return the schema of a file, or of a stream in a file, and its record batches.

    Raises:
        SourceError: The file cannot be read; the message names it ``name``.
    """
    try:
        from arro3 import io
    except ImportError as error:
        raise SourceError(
            f"expected arro3-io for the Arrow file {name!r}, found none; "
            "pip install 'urlset[arrow]', or write Parquet"
        ) from error
    try:
        reader = io.read_ipc_stream(path) if is_stream else io.read_ipc(path)
    except Exception as error:
        raise _map_error(error, name) from error
    return reader.schema, _batches(reader, name)


def table_of(schema: Any, *batches: Any) -> Any:
    """Return a table of batches; without batches it is empty but has the columns."""
    return arro3.Table.from_batches([*batches], schema=schema)


def _batches(reader: Any, name: str) -> Iterator[Any]:
    try:
        yield from reader
    except Exception as error:
        raise _map_error(error, name) from error


def _map_error(error: Exception, name: str) -> Exception:
    if type(error) is not Exception and not isinstance(error, OSError | ValueError):
        return error  # arro3 raises bare exceptions
    words = " ".join(str(error).split())
    return SourceError(f"expected a file of Arrow, found {name!r}: {words}")
