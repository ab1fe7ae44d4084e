"""Convert the columns of images, videos, news and alternates in a batch to the standard types.

A table may have them as JSON, as text that is JSON, or as lists and structs of its own. Missing
keys are null, as in :func:`urlset.write`. A value that it would reject makes the row invalid.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from urlset.arrow import ENTRY, ListOf, StructOf, array_of, batches, column_of
from urlset.sources.candidates import FAULT, encode_fault
from urlset.writer import values
from urlset.writer.extensions import from_text, is_blank
from urlset.writer.values import ValueProblem

__all__ = ["NESTED_FIELDS", "UNCONVERTED", "convert_nested_columns"]

UNCONVERTED = " unconverted"
"""Suffix of the column that holds the unconverted values of a field."""

NESTED_FIELDS: dict[str, Any] = {
    name: spec for name, spec in ENTRY.fields if isinstance(spec, ListOf | StructOf)
}

_URLS = ("loc", ".href", ".license")  # a number is not a URL


def convert_nested_columns(batch: Any) -> Any:
    """Return a batch with its nested columns converted, and with a column of faults if any.

    A field has its unconverted values in a column named with :data:`UNCONVERTED`. A column with the
    name of the field itself holds the values of those rows where the other is null.
    """
    names = batch.schema.names
    unconverted = [name for name in NESTED_FIELDS if name + UNCONVERTED in names]
    if not unconverted:
        return batch
    columns = {name: batch.column(name) for name in names if not name.endswith(UNCONVERTED)}
    faults: list[str | None] = [None] * batch.num_rows
    for name in unconverted:
        column, spec = batch.column(name + UNCONVERTED), NESTED_FIELDS[name]
        if column.null_count == len(column) and name in columns:
            continue
        empty: Any = () if isinstance(spec, ListOf) else None
        converted = (
            column_of(columns[name], name, spec) if name in columns else [empty] * batch.num_rows
        )
        if column.null_count < len(column):
            for row, value in enumerate(column.to_pylist()):
                try:
                    converted[row] = converted[row] if value is None else _field(value, name, spec)
                except ValueProblem as fault:
                    faults[row] = faults[row] or encode_fault(
                        fault.field, fault.value, fault.expected, fault.advice
                    )
        columns[name] = array_of(converted, spec)
    if any(faults):
        columns[FAULT] = batches.text_array(faults)
    return batches.batch_of(columns)


def _field(value: Any, name: str, spec: Any) -> Any:
    """Convert the value of one field; raises :class:`ValueProblem`."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            value = from_text(value, name, _expected(spec))
        else:
            if isinstance(value, str):  # a column of JSON that holds text
                value = from_text(value, name, _expected(spec))
    return _list(value, name, spec) if isinstance(spec, ListOf) else _struct(value, name, spec)


def _list(value: Any, where: str, spec: ListOf) -> tuple[Any, ...]:
    if is_blank(value):
        return ()
    if isinstance(value, str | Mapping):
        value = [value]
    if not isinstance(value, list | tuple):
        raise ValueProblem(where, value, _expected(spec), "put it in a list")
    converted = (
        _struct(item, f"{where}[{number}]", spec.item)
        if isinstance(spec.item, StructOf)
        else values.text(item, where)
        for number, item in enumerate(value)
        if not is_blank(item)
    )
    return tuple(item for item in converted if item is not None)


def _struct(value: Any, where: str, spec: StructOf) -> Any:
    if is_blank(value):
        return None
    fields = dict(spec.fields)
    first = next(iter(fields))
    if isinstance(value, str) and first in ("loc", "value"):
        value = {first: value}
    if not isinstance(value, Mapping):
        raise ValueProblem(where, value, _expected(spec), "convert it")
    for key in value:
        if key not in fields:
            raise ValueProblem(
                where, key, f"keys of {', '.join(fields)}", "rename it, or remove it"
            )
    converted = {key: _leaf(value.get(key), f"{where}.{key}", kind) for key, kind in fields.items()}
    return spec.row(**converted) if any(converted.values()) else None


def _leaf(value: Any, where: str, kind: Any) -> Any:
    if isinstance(kind, ListOf):
        return _list(value, where, kind)
    if isinstance(kind, StructOf):
        return _struct(value, where, kind)
    if isinstance(value, int | float) and where.endswith(_URLS):
        raise ValueProblem(where, value, "a URL", "add one, or remove the item")
    return values.text(value, where)


def _expected(spec: Any) -> str:
    """Return a description of the expected form."""
    if isinstance(spec, ListOf):
        item = "texts" if isinstance(spec.item, str) else f"objects with {_keys(spec.item)}"
        return f"a list of {item}"
    return f"an object with {_keys(spec)}"


def _keys(spec: StructOf) -> str:
    names = [name for name, _ in spec.fields]
    return ", ".join(names[:3]) + (", …" if len(names) > 3 else "")
