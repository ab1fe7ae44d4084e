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
        return f"{where}::TIMESTAMP::TIMESTAMPTZ" if not is_zoned else where, None
    if _NAIVE.fullmatch(kind):
        raise complain(
            "a date, or a time with its zone",
            "nobody can know whose clock it was: map it as utc:COLUMN if it is UTC, "
            "as date:COLUMN to give the day alone, or cast it (… AT TIME ZONE …)",
        )
    if _NUMBER.fullmatch(kind):
        raise complain("a date", "map it as epoch:COLUMN (seconds since 1970) or epoch_ms:COLUMN")
    raise complain("a date", "map another column, or leave it out")


def list_of_images(where: str, kind: str, how: str | None, complain: Complain) -> str:
    """A list of images: of one URL, of several in one text (``split(SEPARATOR)``), of a list."""
    one = f"lambda x: {{'loc': trim(x)}}::{_IMAGE}"
    if _TEXTS.fullmatch(kind) or (kind == "JSON" and how is not None):
        text = text_of(where, kind)
        if how is None:
            whole = f"[{{'loc': trim({text})}}::{_IMAGE}]"
            return f"CASE WHEN trim({text}) <> '' THEN {whole} ELSE [] END"
        urls = f"string_split({text}, {quoted(how[len('split(') : -1])})"
        kept = f"list_filter({urls}, lambda x: trim(x) <> '')"
        return f"coalesce(list_transform({kept}, {one}), [])"
    if kind == "VARCHAR[]":
        kept = f"list_filter({where}, lambda x: trim(x) <> '')"
        return f"coalesce(list_transform({kept}, {one}), [])"
    return nested("images", where, kind, complain)


def nested(target: str, where: str, kind: str, complain: Complain) -> str:
    """A column of our own lists and structs; what a struct lacks is null in it."""
    type_ = _TYPES[target]
    is_list = type_.endswith("[]")
    if kind == type_:
        return f"coalesce({where}, [])" if is_list else where
    if kind == "JSON":
        where, kind = f"{where}::JSON", type_
    if not _NESTED.fullmatch(kind) or kind.endswith("]") != is_list:
        what = "a list of structs" if is_list else "a struct"
        if target == "images":
            what = "a URL, a list of URLs, or a list of structs"
        raise complain(f"{what} ({type_[:60]}…)", "leave it out, or map another")
    return f"coalesce({where}::{type_}, [])" if is_list else f"{where}::{type_}"


def _or_null(text: str) -> str:
    return f"nullif(trim({text}), '')"


def _epoch(number: str, plain: str, how: str) -> tuple[str, str]:
    seconds = f"({number}) / 1000.0" if how == "epoch_ms" else f"({number})"
    is_moment = f"{seconds} BETWEEN {_FIRST_S} AND {_LAST_S}"
    instant = f"CASE WHEN {is_moment} THEN to_timestamp({seconds}) END"
    return instant, f"CASE WHEN NOT coalesce({is_moment}, false) THEN {_or_null(plain)} END"
