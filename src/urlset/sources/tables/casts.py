"""Convert table columns to fields of candidates: plain ones in SQL, nested ones row by row."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import repeat
from typing import Any

from urlset import engine as engines
from urlset.arrow import ENTRY, ListOf, StructOf, array_of, batches, column_of, open_stream
from urlset.dates import DAY, TIME, UNKNOWN_ZONE
from urlset.errors import SourceError, similar
from urlset.model import Entry
from urlset.option_names import is_available, is_command, option
from urlset.sources.candidates import FAULT, encode_fault
from urlset.store import TABLES, quoted
from urlset.urls import ASCII_SPACE
from urlset.writer import values
from urlset.writer.extensions import from_text, is_blank
from urlset.writer.values import ValueProblem

ErrorFactory = Callable[[str, str], SourceError]
"""Creates an error from what was expected and an advice; it adds the column and its type."""

_TYPES = {
    column.name: column.type
    for table in TABLES
    if table.name == "entries"
    for column in table.columns
}
_IMAGE = _TYPES["images"].removesuffix("[]")
_TEXT = re.compile(r"VARCHAR|ENUM\(.*|UUID|\"NULL\"|NULL", re.DOTALL)
_INTEGER = re.compile(r"U?(?:TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)")
_NUMBER = re.compile(rf"{_INTEGER.pattern}|FLOAT|DOUBLE|DECIMAL\(.*")
ZONED = ("TIMESTAMP WITH TIME ZONE", "TIMESTAMPTZ_NS")
_NAIVE = re.compile(r"TIMESTAMP(?:_S|_MS|_NS)?")
_NESTED = re.compile(r".*\]|(?:STRUCT|MAP|UNION)\(.*", re.DOTALL)
# The years 1 to 9999. A date beyond is passed on as text, and the build rejects it.
_FIRST_S, _LAST_S = -62_135_596_800, 253_402_300_799
_LOCAL_TIME = rf"{DAY}[ T]{TIME}"
# A priority in text, as rows of Python may have it: `priority` in urlset.writer.values.
_DECIMAL_TEXT = rf"[{ASCII_SPACE}]*\+?([0-9]+(\.[0-9]*)?|\.[0-9]+)[{ASCII_SPACE}]*"


def map_advice(column: str, value: str) -> str:
    """Return the advice to map a column; to rename it, if the command that runs has no ``map``.

    >>> map_advice("the column with the URLs", "loc=link")
    'map the column with the URLs: map="loc=link" (mapping of urlset.sources.Table)'
    """
    if not is_available("map"):
        return f"rename {column} (`urlset build` has {option('map')} for it)"
    of_table = "" if is_command() else " (mapping of urlset.sources.Table)"
    return f"map {column}: {option('map', value)}{of_table}"


def url_sql(column: str, type_name: str, error: ErrorFactory) -> str:
    """Return SQL for a column of URLs as text; raise an error if the column is not text."""
    if type_name == "JSON":
        return f"CASE WHEN json_type({column}) = 'VARCHAR' THEN {column} ->> '$' END"
    if not _TEXT.fullmatch(type_name):
        raise error("text (URLs)", map_advice("the column that holds the URLs", "loc=COLUMN"))
    return column if type_name == "VARCHAR" else f"{column}::VARCHAR"


def text_sql(column: str, type_name: str) -> str:
    """Return SQL that converts a column of any type to text; lists and structs become JSON."""
    if type_name == "VARCHAR":
        return column
    if type_name == "JSON":
        return f"({column} ->> '$')"
    return f"to_json({column})::VARCHAR" if _NESTED.fullmatch(type_name) else f"{column}::VARCHAR"


def number_sql(column: str, type_name: str, error: ErrorFactory) -> str:
    """Return SQL that converts a column to numbers; invalid text becomes NaN, never valid."""
    if type_name == "FLOAT":  # 0.8 in four bytes is 0.800000011920929 in eight
        return f"round({column}::DOUBLE, 7)"
    if _NUMBER.fullmatch(type_name):
        return f"{column}::DOUBLE"
    if type_name == "JSON" or _TEXT.fullmatch(type_name):
        text = text_sql(column, type_name)
        is_number = f"regexp_full_match({text}, '{_DECIMAL_TEXT}')"
        if type_name == "JSON":  # a number of JSON may have an exponent
            is_number = f"({is_number} OR json_type({column}) = 'DOUBLE')"
        # A number that is out of range is kept, because the message about it has the value.
        number = f"TRY_CAST({text} AS DOUBLE)"
        number = f"CASE WHEN {is_number} OR {number} NOT BETWEEN 0 AND 1 THEN {number} END"
        return f"CASE WHEN trim({text}) <> '' THEN coalesce({number}, 'nan') END"
    raise error("a number", "map another column, or none")


def is_date(type_name: str) -> bool:
    """Return whether a column has dates, or text, which need no mapping."""
    return type_name in ("JSON", "DATE", *ZONED) or _TEXT.fullmatch(type_name) is not None


def is_naive(type_name: str) -> bool:
    """Return whether a column has times without a zone."""
    return _NAIVE.fullmatch(type_name) is not None


def date_sql(
    column: str, type_name: str, conversion: str | None, error: ErrorFactory
) -> tuple[str | None, str | None]:
    """Return SQL that converts a column to dates, as instants and as text; either may be None.

    A date without a time is text. ``conversion`` states what the type does not: ``epoch`` (seconds
    since 1970), ``epoch_ms``, ``utc`` (a time without zone is UTC), ``date`` (only the day).
    """
    is_text = type_name == "JSON" or _TEXT.fullmatch(type_name) is not None
    text_value = text_sql(column, type_name)
    if conversion in ("epoch", "epoch_ms"):
        if not is_text and not _NUMBER.fullmatch(type_name):
            raise error("a number", f"remove {conversion}: if the column holds dates")
        return _epoch(
            f"TRY_CAST({text_value} AS DOUBLE)" if is_text else column, text_value, conversion
        )
    if conversion in ("utc", "date") and is_text:
        is_clock = f"regexp_full_match({text_value}, '{_LOCAL_TIME}')"
        if conversion == "date":
            return (
                None,
                f"CASE WHEN {is_clock} THEN left({text_value}, 10) ELSE {_or_null(text_value)} END",
            )
        instant = f"CASE WHEN {is_clock} THEN TRY_CAST({text_value} AS TIMESTAMP)::TIMESTAMPTZ END"
        return instant, f"CASE WHEN {instant} IS NULL THEN {_or_null(text_value)} END"
    if is_text:
        return None, _or_null(text_value)
    if type_name == "DATE":
        return None, f"{column}::VARCHAR"
    is_zoned = type_name in ZONED
    zoned = f"{column}::TIMESTAMPTZ" if is_zoned else f"{column}::TIMESTAMP::TIMESTAMPTZ"
    if conversion == "date" and (is_zoned or _NAIVE.fullmatch(type_name)):
        return None, f"{zoned}::TIMESTAMP::DATE::VARCHAR"
    if is_zoned or (conversion == "utc" and _NAIVE.fullmatch(type_name)):
        instant = zoned
        # Excludes infinity, and years outside of the range of Python.
        is_date = f"{instant} BETWEEN to_timestamp({_FIRST_S}) AND to_timestamp({_LAST_S})"
        return (
            f"CASE WHEN {is_date} THEN {instant} END",
            f"CASE WHEN NOT {is_date} THEN {column}::VARCHAR END",
        )
    if _NAIVE.fullmatch(type_name):
        forms, cast = (
            "utc:COLUMN if it is UTC, as date:COLUMN to use only the day",
            "… AT TIME ZONE …",
        )
        advice = f"{UNKNOWN_ZONE}: {_date_advice(forms, cast)}"
        raise error("a date, or a time with its zone", advice)
    if _NUMBER.fullmatch(type_name):
        forms = "epoch:COLUMN (seconds since 1970) or epoch_ms:COLUMN"
        raise error("a date", _date_advice(forms, "to_timestamp(…)"))
    raise error("a date", "map another column, or none" if is_available("map") else "rename it")


def _date_advice(forms: str, cast: str) -> str:
    """Return the advice to map a column of dates in a form, or to cast it in SQL."""
    if not is_available("map"):
        return f"cast it ({cast}) or rename it (`urlset build` has {option('map')} for it)"
    return f"map it as {forms}, or cast it ({cast})"


def images_sql(
    column: str, type_name: str, conversion: str | None, error: ErrorFactory
) -> tuple[str | None, str | None]:
    """Return SQL for a column of images: lists, and values to convert later; either may be None.

    A column has one URL, several in one text (``split(SEPARATOR)``), a list of URLs, or JSON.
    """
    one = f"lambda x: {{'loc': trim(x)}}::{_IMAGE}"
    if conversion is not None and (_TEXT.fullmatch(type_name) or type_name == "JSON"):
        urls = (
            f"string_split({text_sql(column, type_name)}, {quoted(conversion[len('split(') : -1])})"
        )
        non_empty = f"list_filter({urls}, lambda x: trim(x) <> '')"
        return f"coalesce(list_transform({non_empty}, {one}), [])", None
    if _TEXT.fullmatch(type_name):
        text = text_sql(column, type_name)
        is_json = f"regexp_matches({text}, '^\\s*([\\[{{]|null\\s*$)')"
        single = f"[{{'loc': trim({text})}}::{_IMAGE}]"
        return (
            # The test for JSON is first, because trimming takes as long as all else.
            f"CASE WHEN {is_json} THEN [] WHEN trim({text}) <> '' THEN {single} ELSE [] END",
            f"CASE WHEN {is_json} THEN {text} END",
        )
    if type_name == "VARCHAR[]":
        non_empty = f"list_filter({column}, lambda x: trim(x) <> '')"
        return f"coalesce(list_transform({non_empty}, {one}), [])", None
    return nested_sql("images", column, type_name, error)


def nested_sql(
    target: str, column: str, type_name: str, error: ErrorFactory
) -> tuple[str | None, str | None]:
    """Return SQL for a nested column: values of the right type, and values to convert later."""
    type_ = _TYPES[target]
    is_list = type_.endswith("[]")
    if type_name == type_:
        return (f"coalesce({column}, [])" if is_list else column), None
    if type_name == "JSON":
        return None, f"{column}::VARCHAR"
    if _TEXT.fullmatch(type_name):
        return None, text_sql(column, type_name)
    if re.fullmatch(r"STRUCT\(.*|.*\]", type_name, re.DOTALL):
        return None, column
    expected = "a list of objects" if is_list else "an object"
    if target == "images":
        expected = "a URL, a list of URLs, or a list of objects"
    raise error(f"{expected}, or JSON", f"map another column, or none: {target}=")


def _or_null(text: str) -> str:
    return f"nullif(trim({text}), '')"


def _epoch(number: str, text_value: str, conversion: str) -> tuple[str, str]:
    seconds = f"({number}) / 1000.0" if conversion == "epoch_ms" else f"({number})"
    is_moment = f"{seconds} BETWEEN {_FIRST_S} AND {_LAST_S}"
    instant = f"CASE WHEN {is_moment} THEN to_timestamp({seconds}) END"
    return instant, f"CASE WHEN NOT coalesce({is_moment}, false) THEN {_or_null(text_value)} END"


UNCONVERTED = " unconverted"
"""Suffix of the column that holds the unconverted values of a field."""

NESTED_FIELDS: dict[str, Any] = {
    name: spec for name, spec in ENTRY.fields if isinstance(spec, ListOf | StructOf)
}

_PART_ROWS = 4_096
_URLS = ("loc", ".href", ".license")  # a number is not a URL


def convert_nested_columns(batch: Any) -> Iterator[Any]:
    """Convert the nested columns of a batch; add a column of faults if any value is invalid.

    Yields the batch, in parts if values are converted to objects: many at once would burden the
    garbage collector.

    A field has its unconverted values in a column named with :data:`UNCONVERTED`. A column with the
    name of the field itself holds the values of those rows where the other is null.

    A table may have these values as JSON, as text that is JSON, or as lists and structs of its own.
    Missing keys are null, as in :func:`urlset.write`. A value that it would reject makes the row
    invalid.
    """
    names = batch.schema.names
    unconverted = [name for name in NESTED_FIELDS if name + UNCONVERTED in names]
    if not unconverted:
        yield batch
        return
    columns, given = _columns_of(batch, unconverted)
    is_mixed = any(
        column.null_count and name in columns and batches.has_values(batch, name)
        for name, column in given.items()
    )
    converted = None if is_mixed else _converted_json(given)
    if converted is not None:
        yield batches.batch_of(columns | converted)
        return
    for _, part in batches.split_batch(batch, _PART_ROWS):
        yield _converted_part(*_columns_of(part, unconverted))


def _columns_of(batch: Any, unconverted: list[str]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the columns of a batch that are converted, and those with values to convert."""
    names = batch.schema.names
    columns = {name: batch.column(name) for name in names if not name.endswith(UNCONVERTED)}
    given = {name: batch.column(name + UNCONVERTED) for name in unconverted}
    given = {
        name: column
        for name, column in given.items()
        if column.null_count < len(column) or name not in columns
    }
    return columns, given


def _converted_json(given: Mapping[str, Any]) -> dict[str, Any] | None:
    """Convert columns of JSON without an object for each value; None if the engine cannot."""
    if not given:
        return {}
    rows = engines.get().json_rows(batches.as_table(batches.batch_of(given)))
    if rows is None:
        return None
    (batch,) = open_stream(rows)
    return {name: batch.column(name) for name in given}


def _converted_part(columns: dict[str, Any], given: dict[str, Any]) -> Any:
    """Convert a part of a batch by objects; add a column of faults if any value is invalid."""
    if not given:
        return batches.batch_of(columns)
    converted, faults = _convert(
        {name: _loaded(column, name) for name, column in given.items()},
        {
            name: column_of(columns[name], name, NESTED_FIELDS[name])
            for name, column in given.items()
            if name in columns and column.null_count
        },
    )
    columns |= converted
    if any(faults):
        columns[FAULT] = batches.text_array(faults)
    return batches.batch_of(columns)


def _loaded(column: Any, name: str) -> list[Any]:
    """Return the values of a column; texts that are JSON are parsed.

    Lists and objects stay texts, except of videos: the native engine parses them.
    """
    loaded: list[Any] = column.to_pylist()
    for row, value in enumerate(loaded):
        if isinstance(value, str) and (name == "videos" or not _is_json(value)):
            loaded[row] = _parsed(value)
    return loaded


def _is_json(value: Any) -> bool:
    """Return whether a value is the text of a list or an object."""
    return isinstance(value, str) and value[:1] in ("[", "{")


def _parsed(text: str) -> Any:
    """Return the value of JSON, or the text if it is not JSON."""
    trimmed = text.strip(ASCII_SPACE)
    try:
        found, end = _parse_json(trimmed)
    except (ValueError, RecursionError):
        return text
    return found if end == len(trimmed) else text


_parse_json = json.JSONDecoder().raw_decode


def _convert(
    given: dict[str, list[Any]], ready: Mapping[str, list[Any]]
) -> tuple[dict[str, Any], list[str | None]]:
    """Convert columns of nested values; return Arrow columns, and a fault of each invalid row.

    ``ready`` has the converted values of the rows without a given value, for some columns.
    """
    count = len(next(iter(given.values())))
    faults: list[str | None] = [None] * count
    cells = {
        name: [
            new if value is None else value for value, new in zip(column, ready[name], strict=True)
        ]
        if name in ready
        else column
        for name, column in given.items()
    }
    engine = engines.get()
    found = engine.user_rows(_entries(cells), None)
    odd = range(count) if found is None else found[1]
    for name, column in cells.items():
        spec = NESTED_FIELDS[name]
        empty: Any = () if isinstance(spec, ListOf) else None
        for row in odd:
            value = given[name][row]
            if _is_json(value):
                value = _parsed(value)
            if value is None:
                column[row] = column[row] or empty
                continue
            column[row] = ready[name][row] if name in ready else empty
            try:
                column[row] = _field(value, name, spec)
            except ValueProblem as fault:
                faults[row] = faults[row] or encode_fault(
                    fault.field, fault.value, fault.expected, fault.advice
                )
    if found is None:
        return {
            name: array_of(column, NESTED_FIELDS[name]) for name, column in cells.items()
        }, faults
    if odd:  # all rows are records of texts now, which need no validation
        found = engine.user_rows(_entries(cells), None)
        assert found is not None  # as the first time
    (batch,) = open_stream(found[0])
    return {name: batch.column(name) for name in cells}, faults


def _entries(cells: Mapping[str, Sequence[Any]]) -> list[Entry]:
    """Return entries of one URL with these values."""
    columns = {**dict.fromkeys(Entry._fields, repeat(None)), "loc": repeat("https://e.example/")}
    return list(map(Entry._make, zip(*{**columns, **cells}.values(), strict=False)))


def _field(value: Any, name: str, spec: Any) -> Any:
    """Convert a nested value to a list or a struct; raises :class:`ValueProblem`."""
    if isinstance(value, str):  # also JSON that is a text
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
            raise ValueProblem(where, key, f"keys of {', '.join(fields)}", _rename(key, fields))
    converted = {key: _leaf(value.get(key), f"{where}.{key}", kind) for key, kind in fields.items()}
    return spec.row(**converted) if any(converted.values()) else None


def _rename(key: object, fields: Iterable[str]) -> str:
    """Return advice for an unknown key: the field with this name, or with its last word."""
    words = f"{key}".lower()
    ends = (name for name in fields if words and name.endswith(f"_{words}"))
    close = similar(words, fields, 0.7) or next(ends, None)
    return f"did you mean {close!r}?" if close else "rename it, or remove it"


def _leaf(value: Any, where: str, kind: Any) -> Any:
    if isinstance(kind, ListOf):
        return _list(value, where, kind)
    if isinstance(kind, StructOf):
        return _struct(value, where, kind)
    if isinstance(value, int | float) and where.endswith(_URLS):
        raise ValueProblem(where, value, "a URL", "add one, or remove the item")
    return values.text(value, where)


def _expected(spec: Any) -> str:
    """Return a text for messages that describes the expected form of a nested value."""
    if isinstance(spec, ListOf):
        item = "texts" if isinstance(spec.item, str) else f"objects with {_keys(spec.item)}"
        return f"a list of {item}"
    return f"an object with {_keys(spec)}"


def _keys(spec: StructOf) -> str:
    names = [name for name, _ in spec.fields]
    return ", ".join(names[:3]) + (", …" if len(names) > 3 else "")
