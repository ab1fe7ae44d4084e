"""One column of a table as what a candidate holds: an expression in SQL, or why it cannot be."""

from __future__ import annotations

import re
from collections.abc import Callable

from urlset.errors import SourceError
from urlset.store import TABLES, quoted

__all__ = ["Complain", "date_of", "list_of_images", "nested", "number_of", "text_of", "url_of"]

Complain = Callable[[str, str], SourceError]
"""Makes the error of what was expected, and what to do; it knows the column and its type."""

_TYPES = {
    column.name: column.type
    for table in TABLES
    if table.name == "entries"
    for column in table.columns
}
_IMAGE = _TYPES["images"].removesuffix("[]")
_TEXTS = re.compile(r"VARCHAR|ENUM\(.*|UUID|\"NULL\"|NULL", re.DOTALL)
_WHOLE = re.compile(r"U?(?:TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)")
_NUMBER = re.compile(rf"{_WHOLE.pattern}|FLOAT|DOUBLE|DECIMAL\(.*")
_NAIVE = re.compile(r"TIMESTAMP(?:_S|_MS|_NS)?")
_NESTED = re.compile(r".*\]|(?:STRUCT|MAP|UNION)\(.*", re.DOTALL)
# Of the years 1 to 9999: what lies beyond is passed on as it stands, and refused with its value.
_FIRST_S, _LAST_S = -62_135_596_800, 253_402_300_799
_CLOCK = r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d(\.\d+)?)?"


def url_of(where: str, kind: str, complain: Complain) -> str:
    """Text, as it stands."""
    if kind == "JSON":
        return f"CASE WHEN json_type({where}) = 'VARCHAR' THEN {where} ->> '$' END"
    if not _TEXTS.fullmatch(kind):
        raise complain("text (URLs)", "map the column that holds the URLs: loc=COLUMN")
    return where if kind == "VARCHAR" else f"{where}::VARCHAR"


def text_of(where: str, kind: str) -> str:
    """Whatever it is as text; lists and structs as JSON."""
    if kind == "VARCHAR":
        return where
    if kind == "JSON":
        return f"({where} ->> '$')"
    return f"to_json({where})::VARCHAR" if _NESTED.fullmatch(kind) else f"{where}::VARCHAR"


def number_of(where: str, kind: str, complain: Complain) -> str:
    """A number; text that is none becomes NaN, which nobody takes for a priority."""
    if kind == "FLOAT":  # 0.8 in four bytes is 0.800000011920929 in eight
        return f"round({where}::DOUBLE, 7)"
    if _NUMBER.fullmatch(kind):
        return f"{where}::DOUBLE"
    if kind == "JSON" or _TEXTS.fullmatch(kind):
        text = f"nullif(trim({text_of(where, kind)}), '')"
        return f"CASE WHEN {text} IS NOT NULL THEN coalesce(TRY_CAST({text} AS DOUBLE), 'nan') END"
    raise complain("a number", "leave it out, or map another")


def date_of(
    where: str, kind: str, how: str | None, complain: Complain
) -> tuple[str | None, str | None]:
    """An instant and a text, either of which may be none: a date without a time is text.

    ``how`` says what cannot be seen: ``epoch`` (seconds since 1970), ``epoch_ms``, ``utc`` (a
    time without its zone is one of UTC), ``date`` (the day alone).
    """
    is_text = kind == "JSON" or _TEXTS.fullmatch(kind) is not None
    plain = text_of(where, kind)
    if how in ("epoch", "epoch_ms"):
        if not is_text and not _NUMBER.fullmatch(kind):
            raise complain("a number", f"leave {how}: out where it holds dates")
        return _epoch(f"TRY_CAST({plain} AS DOUBLE)" if is_text else where, plain, how)
    if how in ("utc", "date") and is_text:
        is_clock = f"regexp_full_match({plain}, '{_CLOCK}')"
        if how == "date":
            return None, f"CASE WHEN {is_clock} THEN left({plain}, 10) ELSE {_or_null(plain)} END"
        instant = f"CASE WHEN {is_clock} THEN TRY_CAST({plain} AS TIMESTAMP)::TIMESTAMPTZ END"
        return instant, f"CASE WHEN {instant} IS NULL THEN {_or_null(plain)} END"
    if is_text:
        return None, _or_null(plain)
    if kind == "DATE":
        return None, f"{where}::VARCHAR"
    is_zoned = kind == "TIMESTAMP WITH TIME ZONE"
    if how == "date" and (is_zoned or _NAIVE.fullmatch(kind)):
        return None, f"{where}::TIMESTAMP::DATE::VARCHAR"
    if is_zoned or (how == "utc" and _NAIVE.fullmatch(kind)):
        instant = where if is_zoned else f"{where}::TIMESTAMP::TIMESTAMPTZ"
        # Infinity, and years that no date of Python has.
        is_date = f"{instant} BETWEEN to_timestamp({_FIRST_S}) AND to_timestamp({_LAST_S})"
        return (
            f"CASE WHEN {is_date} THEN {instant} END",
            f"CASE WHEN NOT {is_date} THEN {where}::VARCHAR END",
        )
    if _NAIVE.fullmatch(kind):
        raise complain(
            "a date, or a time with its zone",
            "nobody can know whose clock it was: map it as utc:COLUMN if it is UTC, "
            "as date:COLUMN to give the day alone, or cast it (… AT TIME ZONE …)",
        )
    if _NUMBER.fullmatch(kind):
        raise complain("a date", "map it as epoch:COLUMN (seconds since 1970) or epoch_ms:COLUMN")
    raise complain("a date", "map another column, or leave it out")


def list_of_images(
    where: str, kind: str, how: str | None, complain: Complain
) -> tuple[str | None, str | None]:
    """Lists of images, and the values that still have to be converted; either may be absent.

    A column holds one URL, several in one text (``split(SEPARATOR)``), a list of URLs, or JSON.
    """
    one = f"lambda x: {{'loc': trim(x)}}::{_IMAGE}"
    if how is not None and (_TEXTS.fullmatch(kind) or kind == "JSON"):
        urls = f"string_split({text_of(where, kind)}, {quoted(how[len('split(') : -1])})"
        kept = f"list_filter({urls}, lambda x: trim(x) <> '')"
        return f"coalesce(list_transform({kept}, {one}), [])", None
    if _TEXTS.fullmatch(kind):
        text = text_of(where, kind)
        is_json = f"regexp_matches({text}, '^\\s*([\\[{{]|null\\s*$)')"
        whole = f"[{{'loc': trim({text})}}::{_IMAGE}]"
        return (
            f"CASE WHEN trim({text}) <> '' AND NOT {is_json} THEN {whole} ELSE [] END",
            f"CASE WHEN {is_json} THEN {text} END",
        )
    if kind == "VARCHAR[]":
        kept = f"list_filter({where}, lambda x: trim(x) <> '')"
        return f"coalesce(list_transform({kept}, {one}), [])", None
    return nested("images", where, kind, complain)


def nested(target: str, where: str, kind: str, complain: Complain) -> tuple[str | None, str | None]:
    """Lists and structs of our types, or the values that still have to be converted."""
    type_ = _TYPES[target]
    is_list = type_.endswith("[]")
    if kind == type_:
        return (f"coalesce({where}, [])" if is_list else where), None
    if kind == "JSON":
        return None, f"{where}::VARCHAR"
    if _TEXTS.fullmatch(kind):
        return None, text_of(where, kind)
    if re.fullmatch(r"STRUCT\(.*|.*\]", kind, re.DOTALL):
        return None, where
    what = "a list of objects" if is_list else "an object"
    if target == "images":
        what = "a URL, a list of URLs, or a list of objects"
    raise complain(f"{what}, or JSON", f"map another column, or none: {target}=")


def _or_null(text: str) -> str:
    return f"nullif(trim({text}), '')"


def _epoch(number: str, plain: str, how: str) -> tuple[str, str]:
    seconds = f"({number}) / 1000.0" if how == "epoch_ms" else f"({number})"
    is_moment = f"{seconds} BETWEEN {_FIRST_S} AND {_LAST_S}"
    instant = f"CASE WHEN {is_moment} THEN to_timestamp({seconds}) END"
    return instant, f"CASE WHEN NOT coalesce({is_moment}, false) THEN {_or_null(plain)} END"
