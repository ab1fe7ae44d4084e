"""Convert entries to Arrow columns and back; no other package imports arro3.

Arrow data is exchanged through the PyCapsule interface
(https://arrow.apache.org/docs/format/CDataInterface/PyCapsuleInterface.html), so that polars,
DuckDB, pandas and pyarrow read it without a copy and without being imported here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple

import arro3.core as arro3

from urlset import fields, model
from urlset.dates import from_microseconds, microseconds
from urlset.errors import panics_as_errors
from urlset.model import Entry

__all__ = [
    "batches_to_entries",
    "batches_to_stream",
    "entries_to_stream",
    "is_arrow",
    "is_series",
    "lazy_advice",
    "open_schema",
    "open_stream",
    "rows_of",
    "schema",
    "selected",
]


class ListOf(NamedTuple):
    """Type of a column of lists; an entry without items has an empty list, never null."""

    item: Any


class StructOf(NamedTuple):
    """Type of a column of structs, converted from and to named tuples; null if there is none."""

    row: Callable[..., Any]
    fields: tuple[tuple[str, Any], ...]


def _struct_of(record: fields.RecordSchema) -> StructOf:
    pairs = tuple((field.name, _type_of_field(field)) for field in record.fields)
    return StructOf(getattr(model, record.name), pairs)


def _type_of_field(field: fields.Field) -> Any:
    is_leaf = fields.is_leaf(field.type)
    kind = field.type if is_leaf else _struct_of(fields.RECORDS[field.type])
    return ListOf(kind) if field.is_list else kind


ENTRY = _struct_of(fields.ENTRY)
"""Types of the columns of entries."""


@cache
def schema() -> arro3.Schema:
    """Return the Arrow schema of entries: the fields of :class:`urlset.Entry` in their order.

    >>> schema().names[:3]
    ['loc', 'lastmod', 'lastmod_text']
    """
    return arro3.Schema([_field(name, spec) for name, spec in ENTRY.fields])


def is_arrow(value: object) -> bool:
    """Return whether a value exports an Arrow stream of rows; a series may have one of values."""
    return hasattr(value, "__arrow_c_stream__") and not is_series(value)


def is_series(value: object) -> bool:
    """Return whether a value is a series that has no columns, unlike one of structures."""
    has_type = hasattr(type(value), "dtype")
    return has_type and not str(getattr(value, "dtype", "")).lower().startswith("struct")


def lazy_advice(value: object) -> str:
    """Return the end of a message about a value that is no table before it is computed.

    >>> LazyFrame = type("LazyFrame", (), {})
    >>> lazy_advice(LazyFrame()), lazy_advice([])
    ('; .collect() of it is a table', '')
    """
    return "; .collect() of it is a table" if type(value).__name__ == "LazyFrame" else ""


def entries_to_stream(entries: Sequence[Entry], requested_schema: object = None) -> object:
    """Return entries as an Arrow C stream of one batch."""
    columns = [
        array_of([entry[number] for entry in entries], spec)
        for number, (_, spec) in enumerate(ENTRY.fields)
    ]
    batch = arro3.RecordBatch.from_arrays(columns, schema=schema())
    return arro3.Table.from_batches([batch], schema=schema()).__arrow_c_stream__(requested_schema)


def batches_to_stream(batches: Iterable[Any], requested_schema: object = None) -> object:
    """Return batches of entries as an Arrow C stream; each is made when it is needed."""
    reader = arro3.RecordBatchReader.from_batches(schema(), batches)
    return reader.__arrow_c_stream__(requested_schema)


def selected(batch: Any, is_wanted: Callable[[str, datetime | None], bool]) -> Any:
    """Return the rows of a batch for whose loc and lastmod the predicate is true."""
    pairs = zip(
        column_of(batch.column("loc"), "loc", "string"),
        column_of(batch.column("lastmod"), "lastmod", "instant"),
        strict=True,
    )
    rows = [number for number, pair in enumerate(pairs) if is_wanted(*pair)]
    return batch.take(arro3.Array(rows, arro3.DataType.uint64()))


def open_stream(stream: Any) -> Any:
    """Open any Arrow stream as an ``arro3.core.RecordBatchReader``, to read batch by batch."""
    return arro3.RecordBatchReader.from_arrow(stream)


def open_schema(schema: Any) -> Any:
    """Convert any exported Arrow schema to an ``arro3.core.Schema``."""
    return arro3.Schema.from_arrow(schema)


def rows_of(stream: Any) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of any Arrow stream as tuples, reading it batch by batch."""
    for batch in open_stream(stream):
        with panics_as_errors():  # intervals
            columns = [column.to_pylist() for column in batch.columns]
        yield from zip(*columns, strict=True)


def batches_to_entries(stream: Any) -> Iterator[list[Entry]]:
    """Yield a list of entries for each batch of an Arrow stream with columns of entries.

    A missing column is empty in every entry; ``loc`` (or ``url``) is required.

    Raises:
        ValueError: A column cannot be converted to its type.
    """
    reader = open_stream(stream)
    names = reader.schema.names
    for batch in reader:
        yield list(_entries(batch, names))


def _entries(batch: Any, names: list[str]) -> Iterator[Entry]:
    columns: list[Iterable[Any]] = []
    for name, spec in ENTRY.fields:
        source = "url" if name == "loc" and "loc" not in names and "url" in names else name
        if source not in names:
            empty: Any = () if isinstance(spec, ListOf) else None
            columns.append([empty] * batch.num_rows)
            continue
        columns.append(column_of(batch.column(source), name, spec))
    return map(Entry._make, zip(*columns, strict=True))


def column_of(array: Any, name: str, spec: Any) -> list[Any]:
    target, found = type_of(spec), array.type
    try:
        if found != target:
            nulls, array = array.null_count, array.cast(target)
            if array.null_count != nulls:  # the cast returns null for invalid values
                raise TypeError("some values do not have that type")
        # To convert rows without a value takes as long as those with one.
        if array.null_count == len(array) or (
            isinstance(spec, ListOf) and not len(arro3.list_flatten(array))
        ):
            return [() if isinstance(spec, ListOf) else None] * len(array)
        if spec == "instant":
            values = array.cast(arro3.DataType.int64()).to_pylist()
            return [None if value is None else from_microseconds(value) for value in values]
        values = array.to_pylist()
    except Exception as error:  # arro3 raises bare Exceptions for casts that cannot be made
        raise ValueError(
            f"expected column {name!r} as {_name(target)}, found {_name(found)} ({error}); "
            "cast it first"
        ) from error
    return values if isinstance(spec, str) else [_value(value, spec) for value in values]


def _value(value: Any, spec: Any) -> Any:
    if isinstance(spec, ListOf):
        return tuple(_value(item, spec.item) for item in value or ())
    if isinstance(spec, StructOf) and value is not None:
        return spec.row(**{name: _value(value.get(name), inner) for name, inner in spec.fields})
    return value


def array_of(values: list[Any], spec: Any) -> Any:
    if isinstance(spec, ListOf):
        offsets, flat = [0], []
        if any(values):
            for value in values:
                flat.extend(value)
                offsets.append(len(flat))
        else:
            offsets *= len(values) + 1
        return arro3.list_array(
            arro3.Array(offsets, arro3.DataType.int32()),
            array_of(flat, spec.item),
            type=type_of(spec),
        )
    if isinstance(spec, StructOf):
        blank = (None,) * len(spec.fields)
        rows = [value or blank for value in values] if any(values) else None
        children = [
            array_of(
                [_child(row[number], inner) for row in rows]
                if rows is not None
                else [_child(None, inner)] * len(values),
                inner,
            )
            for number, (_, inner) in enumerate(spec.fields)
        ]
        mask = arro3.Array([value is None for value in values], arro3.DataType.bool())
        return arro3.struct_array(children, fields=_fields(spec), type=type_of(spec), mask=mask)
    if spec == "instant":
        numbers = [None if value is None else microseconds(value) for value in values]
        return arro3.Array(numbers, arro3.DataType.int64()).cast(type_of(spec))
    with panics_as_errors():  # more than 2 GB of text
        return arro3.Array(values, type_of(spec))


def _child(value: Any, spec: Any) -> Any:
    return () if value is None and isinstance(spec, ListOf) else value


def _field(name: str, spec: Any) -> arro3.Field:
    return arro3.Field(name, type_of(spec), nullable=name != "loc" and not isinstance(spec, ListOf))


def _fields(spec: StructOf) -> list[arro3.Field]:
    nullable = [(name, inner, not isinstance(inner, ListOf)) for name, inner in spec.fields]
    return [
        arro3.Field(name, type_of(inner), nullable=is_null) for name, inner, is_null in nullable
    ]


def type_of(spec: Any) -> arro3.DataType:
    if isinstance(spec, ListOf):
        is_struct = isinstance(spec.item, StructOf)
        return arro3.DataType.list(arro3.Field("item", type_of(spec.item), nullable=not is_struct))
    if isinstance(spec, StructOf):
        return arro3.DataType.struct(_fields(spec))
    if spec == "instant":
        return arro3.DataType.timestamp("us", tz="UTC")
    names = {"number": "float64", "integer": "int64", "flag": "bool"}
    made: arro3.DataType = getattr(arro3.DataType, names.get(spec, spec))()
    return made


def _name(type_: arro3.DataType) -> str:
    return str(type_).strip().removeprefix("arro3.core.DataType<").removesuffix(">")
