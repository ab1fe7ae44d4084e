"""Select, add, replace and convert columns and rows of single Arrow batches."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import arro3.core as arro3

from urlset.arrow import ENTRY, ListOf, StructOf, open_stream, type_of
from urlset.arrow.streams import field_column, rounded_floats
from urlset.errors import panics_as_errors
from urlset.fields import CONTENT

_WRITABLE = ENTRY.fields[: len(CONTENT)]


def as_table(*batches: Any) -> Any:
    """Return batches of one schema as an Arrow table."""
    return arro3.Table.from_batches(list(batches))


def record_batch(batch: Any) -> Any:
    """Return a batch of any library as one of arro3."""
    return arro3.RecordBatch.from_arrow(batch)


def without_column(batch: Any, name: str) -> Any:
    """Return a batch without one of its columns."""
    return batch.remove_column(batch.schema.names.index(name))


def combine_batches(stream: Any) -> Any:
    """Return all rows of a non-empty stream as one batch."""
    reader = open_stream(stream)
    batches = list(reader)
    if len(batches) == 1:
        return batches[0]
    (whole,) = arro3.Table.from_batches(batches, schema=reader.schema).combine_chunks().to_batches()
    return whole


def split_batch(batch: Any, rows: int) -> Iterator[tuple[int, Any]]:
    """Split a batch into parts of ``rows`` rows; yield the first row number, from 0, and each."""
    for start in range(0, batch.num_rows, rows):
        yield start, batch.slice(start, min(rows, batch.num_rows - start))


def entry_columns(batch: Any) -> Any:
    """Return the columns of a batch that are entry fields, each cast to its type.

    A column ``url`` is used as ``loc``.

    Raises:
        ValueError: A column cannot be converted, or there is no ``loc``.
    """
    names = batch.schema.names
    if "loc" not in names and "url" not in names:
        raise ValueError(f"expected a column loc or url, found {', '.join(names) or 'none'}")
    columns = {
        name: _entry_column(batch, names, name, kind)
        for name, kind in ENTRY.fields
        if name in names or (name == "loc" and "loc" not in names)
    }
    return batch_of(columns)


def text_columns(batch: Any, names: Sequence[str]) -> Any | None:
    """Return columns of a batch as text; None if it has none of them."""
    columns = {
        name: column_to_text(batch.column(name)) for name in names if name in batch.schema.names
    }
    return batch_of(columns) if columns else None


def column_to_text(values: Any) -> Any:
    """Convert a column to text."""
    return values if values.type == type_of("string") else values.cast(type_of("string"))


def column_values(batch: Any, name: str) -> list[Any]:
    """Return the values of a column."""
    values: list[Any] = batch.column(name).to_pylist()
    return values


def first_value(batch: Any, name: str) -> Any:
    """Return the first value of a column."""
    return batch.column(name)[0].as_py()


def with_columns(batch: Any, columns: Mapping[str, Any]) -> Any:
    """Return a batch with additional columns."""
    names = batch.schema.names
    return batch_of({**{name: batch.column(name) for name in names}, **columns})


def replace_column(batch: Any, name: str, values: Any) -> Any:
    """Return a batch with one column replaced."""
    return batch_of({n: values if n == name else batch.column(n) for n in batch.schema.names})


def next_values(batch: Any, name: str, end: int) -> Any:
    """Return for each row of a column the value of the next row; ``end`` for the last row."""
    values = batch.column(name)
    last = arro3.Array([end], values.type)
    return arro3.ChunkedArray([values.slice(1), last]).combine_chunks()


def has_values(batch: Any, name: str) -> bool:
    """Return whether a column has any value; empty lists are no values."""
    return _has_values(batch.column(name))


def list_field_values(batch: Any, name: str, field: str) -> list[Any]:
    """Return the values of one field of all structs in a column of lists, flattened."""
    number = [key for key, _ in dict(ENTRY.fields)[name].item.fields].index(field)
    items: Any = arro3.list_flatten(batch.column(name))
    values: Any = arro3.struct_field(items, number)
    return list(values.to_pylist())


def first_and_last(batch: Any, name: str) -> list[Any]:
    """Return the first and the last value of a column; an empty list if it is missing."""
    if name not in batch.schema.names:
        return []
    values = batch.column(name)
    found: list[Any] = values.slice(0, 1).to_pylist() + values.slice(len(values) - 1, 1).to_pylist()
    return found


def take_rows(batch: Any, numbers: Sequence[int]) -> Any:
    """Return rows of a batch by their numbers from 0."""
    return batch.take(unsigned_array(numbers))


def number_array(start: int, count: int) -> Any:
    """Return a column of ``count`` consecutive numbers from ``start``."""
    return unsigned_array(range(start, start + count))


def unsigned_array(values: Sequence[int]) -> Any:
    """Return a column of unsigned numbers without nulls."""
    if not values:
        return arro3.Array([], arro3.DataType.uint64())  # an empty array is no buffer
    return arro3.Array.from_buffer(array("Q", values))


def text_array(values: Sequence[str | None]) -> Any:
    """Return a column of text."""
    with panics_as_errors():  # more than 2 GB of text
        return arro3.Array(values, type_of("string"))


def decoded_array(values: Sequence[bytes | None]) -> Any:
    """Return a column of text from UTF-8; invalid bytes are replaced."""
    with panics_as_errors():  # more than 2 GB of text
        encoded = arro3.Array(values, arro3.DataType.binary())
    texts = encoded.cast(type_of("string"))
    if texts.null_count > encoded.null_count:
        return text_array([None if v is None else v.decode(errors="replace") for v in values])
    return texts


def _entry_column(batch: Any, names: list[str], name: str, kind: Any) -> Any:
    found = name if name in names else "url"
    if name == "loc" and batch.column(found).null_count:
        return column_to_text(batch.column(found))  # validation of the rows reports missing URLs
    return field_column(batch, names, name, kind, None)


def writable_columns(batch: Any, sources: Mapping[str, str]) -> Any | None:
    """Return the columns of a batch to be written, cast to the types that the engines accept.

    Columns without values are skipped. Returns None if a column has another type, whose values
    need a conversion one by one.

    Args:
        batch: Record batch.
        sources: Maps fields to their columns.
    """
    written: dict[str, Any] = {}
    for name, kind in _WRITABLE:
        values = batch.column(sources[name]) if name in sources else None
        if values is None or (name != "loc" and not _has_values(values)):
            continue
        if name == "lastmod":
            target, taken = _date_column(values)
        else:
            target, taken = name, _plain_column(values, kind)
        if taken is None or target in written:
            return None
        written[target] = taken
    return batch_of(written)


def _has_values(values: Any) -> bool:
    if values.null_count == len(values):
        return False
    return not _is_list(values.type) or len(arro3.list_flatten(values)) > 0


def _date_column(values: Any) -> tuple[str, Any | None]:
    """Return the field for a column of ``lastmod``, and its values; a date without time is text."""
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
    """Convert a column of instants from nanoseconds to microseconds, the unit of datetime."""
    if not _is_of(values.type, "timestamp") or values.type.time_unit != "ns":
        return values
    return values.cast(arro3.DataType.timestamp("us", tz=values.type.tz))


def _plain_column(values: Any, kind: Any) -> Any | None:
    """Cast a column to a type if only the layout of texts and lists differs, else None."""
    target = type_of(kind)
    if values.type == target:
        return values
    if kind == "number":
        return rounded_floats(values) if _is_of(values.type, "float32") else None
    return values.cast(target) if _is_alike(values.type, kind) else None


def _is_alike(found: Any, kind: Any) -> bool:
    """Return whether two types have the same fields in the same order, in any text layout."""
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
    """Create a batch from columns by name."""
    fields = [arro3.Field(name, values.type) for name, values in columns.items()]
    return arro3.RecordBatch.from_arrays(list(columns.values()), schema=arro3.Schema(fields))
