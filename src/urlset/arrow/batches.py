"""Single batches: some columns of one, others beside them, its rows as they are wanted."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import arro3.core as arro3

from urlset.arrow import ENTRY, ListOf, StructOf, open_stream, type_of
from urlset.arrow.streams import shaped

__all__ = [
    "as_table",
    "batch_of",
    "column_values",
    "combine_batches",
    "entry_columns",
    "first_and_last",
    "first_value",
    "has_values",
    "in_microseconds",
    "list_field_values",
    "next_values",
    "number_array",
    "replace_column",
    "split_batch",
    "take_rows",
    "text_array",
    "text_columns",
    "unsigned_array",
    "with_columns",
    "writable_columns",
]


def as_table(*batches: Any) -> Any:
    """Batches of one schema as something that others can read: a table of them."""
    return arro3.Table.from_batches(list(batches))


def combine_batches(stream: Any) -> Any:
    """All rows of a stream, which must have some, as one batch."""
    reader = open_stream(stream)
    batches = list(reader)
    if len(batches) == 1:
        return batches[0]
    (whole,) = arro3.Table.from_batches(batches, schema=reader.schema).combine_chunks().to_batches()
    return whole


def split_batch(batch: Any, rows: int) -> Iterator[tuple[int, Any]]:
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


def column_values(batch: Any, name: str) -> list[Any]:
    """The values of a column."""
    values: list[Any] = batch.column(name).to_pylist()
    return values


def first_value(batch: Any, name: str) -> Any:
    """The first value of a column."""
    return batch.column(name)[0].as_py()


def with_columns(batch: Any, columns: Mapping[str, Any]) -> Any:
    """A batch with more columns."""
    names = batch.schema.names
    return batch_of({**{name: batch.column(name) for name in names}, **columns})


def replace_column(batch: Any, name: str, values: Any) -> Any:
    """A batch with another column in the place of one."""
    return batch_of({n: values if n == name else batch.column(n) for n in batch.schema.names})


def next_values(batch: Any, name: str, end: int) -> Any:
    """A column without its first value, and another number behind its last."""
    values = batch.column(name)
    last = arro3.Array([end], values.type)
    return arro3.ChunkedArray([values.slice(1), last]).combine_chunks()


def has_values(batch: Any, name: str) -> bool:
    """Whether a column has any value; a list of nothing is none."""
    return _has_values(batch.column(name))


def list_field_values(batch: Any, name: str, field: str) -> list[Any]:
    """The values of one field of all structs in a column of lists, without their rows."""
    number = [key for key, _ in dict(ENTRY.fields)[name].item.fields].index(field)
    items: Any = arro3.list_flatten(batch.column(name))
    values: Any = arro3.struct_field(items, number)
    return list(values.to_pylist())


def first_and_last(batch: Any, name: str) -> list[Any]:
    """The first and the last value of a column; none of one that is not there."""
    if name not in batch.schema.names:
        return []
    values = batch.column(name)
    found: list[Any] = values.slice(0, 1).to_pylist() + values.slice(len(values) - 1, 1).to_pylist()
    return found


def take_rows(batch: Any, numbers: Sequence[int]) -> Any:
    """Some rows of a batch, by their numbers from 0."""
    return batch.take(unsigned_array(numbers))


def number_array(start: int, count: int) -> Any:
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
        return _rounded(batch.column(found))
    return shaped(batch, names, name, kind, None)


def _rounded(values: Any) -> Any:
    """A column of single precision in double precision.

    0.8 in four bytes is 0.800000011920929 in eight: seven digits are all it ever had.
    """
    rounded = [None if v is None else float(f"{v:.7g}") for v in values.to_pylist()]
    return arro3.Array(rounded, type_of("number"))


def writable_columns(batch: Any, sources: Mapping[str, str]) -> Any | None:
    """The columns of a batch that are written, each of the type that an engine takes.

    ``sources`` names the column of each field. None where a column has another type, whose values
    have to be looked at one by one; a column without any value is left out.
    """
    made: dict[str, Any] = {}
    for name, kind in ENTRY.fields[:10]:
        values = batch.column(sources[name]) if name in sources else None
        if values is None or (name != "loc" and not _has_values(values)):
            continue
        if name == "lastmod":
            target, taken = _date_column(values)
        else:
            target, taken = name, _plain_column(values, kind)
        if taken is None or target in made:
            return None
        made[target] = taken
    return batch_of(made)


def _has_values(values: Any) -> bool:
    if values.null_count == len(values):
        return False
    return not _is_list(values.type) or len(arro3.list_flatten(values)) > 0


def _date_column(values: Any) -> tuple[str, Any | None]:
    """The field of the column of ``lastmod``, and its values; a day alone is text."""
    kind = values.type
    if kind == type_of("instant"):
        return "lastmod", values
    if _is_of(kind, "timestamp"):
        is_utc = kind.tz in ("UTC", "Etc/UTC", "+00:00")
        return "lastmod", in_microseconds(values).cast(type_of("instant")) if is_utc else None
    if _is_of(kind, "date32"):
        return "lastmod_text", values.cast(type_of("string"))
    return "lastmod_text", _plain_column(values, "string")


def in_microseconds(values: Any) -> Any:
    """A column of instants in nanoseconds in microseconds, which is what a datetime has."""
    if not _is_of(values.type, "timestamp") or values.type.time_unit != "ns":
        return values
    return values.cast(arro3.DataType.timestamp("us", tz=values.type.tz))


def _plain_column(values: Any, kind: Any) -> Any | None:
    """A column of its type; None where that is another but for the layout of texts and lists."""
    target = type_of(kind)
    if values.type == target:
        return values
    if kind == "number":
        return _rounded(values) if _is_of(values.type, "float32") else None
    return values.cast(target) if _is_alike(values.type, kind) else None


def _is_alike(found: Any, kind: Any) -> bool:
    """Whether a type has the same fields in the same order, whatever the layout of its texts."""
    if isinstance(kind, ListOf):
        return _is_list(found) and _is_alike(found.value_type, kind.item)
    if isinstance(kind, StructOf):
        if not _is_of(found, "struct") or found.num_fields != len(kind.fields):
            return False
        pairs = zip(found.fields, kind.fields, strict=True)
        return all(field.name == name and _is_alike(field.type, of) for field, (name, of) in pairs)
    return any(_is_of(found, word) for word in ("string", "large_string", "string_view"))


def _is_list(kind: Any) -> bool:
    return _is_of(kind, "list") or _is_of(kind, "large_list")


def _is_of(kind: Any, word: str) -> bool:
    return bool(getattr(arro3.DataType, f"is_{word}")(kind))


def batch_of(columns: Mapping[str, Any]) -> Any:
    """A batch of columns."""
    fields = [arro3.Field(name, values.type) for name, values in columns.items()]
    return arro3.RecordBatch.from_arrays(list(columns.values()), schema=arro3.Schema(fields))
