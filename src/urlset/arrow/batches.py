"""Single batches: some columns of one, others beside them, its rows as they are wanted."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import arro3.core as arro3

from urlset.arrow import ENTRY, column_of, open_stream, type_of
from urlset.arrow.streams import shaped

__all__ = [
    "as_table",
    "batch_of",
    "beside",
    "column",
    "count_up",
    "ends",
    "entry_columns",
    "first",
    "followed",
    "is_filled",
    "one_batch",
    "parts_of",
    "replaced",
    "rows_at",
    "text_array",
    "text_columns",
    "unsigned_array",
]


def as_table(*batches: Any) -> Any:
    """Batches of one schema as something that others can read: a table of them."""
    return arro3.Table.from_batches(list(batches))


def one_batch(stream: Any) -> Any:
    """All rows of a stream, which must have some, as one batch."""
    reader = open_stream(stream)
    batches = list(reader)
    if len(batches) == 1:
        return batches[0]
    (whole,) = arro3.Table.from_batches(batches, schema=reader.schema).combine_chunks().to_batches()
    return whole


def parts_of(batch: Any, rows: int) -> Iterator[tuple[int, Any]]:
    """Cut a batch into parts of so many rows, each with the number of its first, from 0."""
    for start in range(0, batch.num_rows, rows):
        yield start, batch.slice(start, min(rows, batch.num_rows - start))


def entry_columns(batch: Any) -> Any:
    """Those columns of a batch that are an entry's, each of its type; ``url`` is ``loc``.

    Raises ``ValueError`` where a column cannot be what it must be, or there is no ``loc``.
    """
    names = batch.schema.names
    if "loc" not in names and "url" not in names:
        raise ValueError(f"expected a column loc or url, found {', '.join(names) or 'none'}")
    made = {
        name: _entry_column(batch, names, name, kind)
        for name, kind in ENTRY.fields
        if name in names or (name == "loc" and "loc" not in names)
    }
    return batch_of(made)


def text_columns(batch: Any, names: Sequence[str]) -> Any | None:
    """Those columns of a batch, as text; None where it has none of them."""
    made = {
        name: column_to_text(batch.column(name)) for name in names if name in batch.schema.names
    }
    return batch_of(made) if made else None


def column_to_text(values: Any) -> Any:
    """A column as text."""
    return values if values.type == type_of("string") else values.cast(type_of("string"))


def column(batch: Any, name: str) -> list[Any]:
    """The values of a column."""
    values: list[Any] = batch.column(name).to_pylist()
    return values


def first(batch: Any, name: str) -> Any:
    """The first value of a column."""
    return batch.column(name)[0].as_py()


def beside(batch: Any, columns: Mapping[str, Any]) -> Any:
    """A batch with more columns."""
    names = batch.schema.names
    return batch_of({**{name: batch.column(name) for name in names}, **columns})


def replaced(batch: Any, name: str, values: Any) -> Any:
    """A batch with another column in the place of one."""
    return batch_of({n: values if n == name else batch.column(n) for n in batch.schema.names})


def followed(batch: Any, name: str, end: int) -> Any:
    """A column without its first value, and another number behind its last."""
    values = batch.column(name)
    last = arro3.Array([end], values.type)
    return arro3.ChunkedArray([values.slice(1), last]).combine_chunks()


def is_filled(batch: Any, name: str) -> bool:
    """Whether a column has any value; a list of nothing is none."""
    values = batch.column(name)
    if values.null_count == len(values):
        return False
    is_list: bool = arro3.DataType.is_list(values.type)
    return not is_list or len(arro3.list_flatten(values)) > 0


def ends(batch: Any, name: str) -> list[Any]:
    """The first and the last value of a column; none of one that is not there."""
    if name not in batch.schema.names:
        return []
    values = batch.column(name)
    found: list[Any] = values.slice(0, 1).to_pylist() + values.slice(len(values) - 1, 1).to_pylist()
    return found


def rows_at(batch: Any, numbers: Sequence[int]) -> Any:
    """Some rows of a batch, by their numbers from 0."""
    return batch.take(unsigned_array(numbers))


def count_up(start: int, count: int) -> Any:
    """A column of numbers from ``start`` on."""
    return arro3.Array.from_buffer(array("Q", range(start, start + count)))


def unsigned_array(values: Sequence[int]) -> Any:
    """A column of numbers, none of them missing."""
    return arro3.Array.from_buffer(array("Q", values))


def text_array(values: Sequence[str | None]) -> Any:
    """A column of text."""
    return arro3.Array(values, type_of("string"))


def _entry_column(batch: Any, names: list[str], name: str, kind: Any) -> Any:
    found = name if name in names else "url"
    if name == "loc" and batch.column(found).null_count:
        return column_to_text(batch.column(found))  # whoever takes the rows says what is missing
    if name == "priority" and "Float32" in str(batch.column(found).type):
        # 0.8 in four bytes is 0.800000011920929 in eight: seven digits are all it ever had.
        values = column_of(batch.column(found), name, kind)
        rounded = [None if value is None else float(f"{value:.7g}") for value in values]
        return arro3.Array(rounded, type_of(kind))
    return shaped(batch, names, name, kind, None)


def batch_of(columns: Mapping[str, Any]) -> Any:
    """A batch of columns."""
    fields = [arro3.Field(name, values.type) for name, values in columns.items()]
    return arro3.RecordBatch.from_arrays(list(columns.values()), schema=arro3.Schema(fields))
