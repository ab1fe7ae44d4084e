"""S and D: dates, change frequencies and priorities, as the protocol writes them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta

from urlset.dates import Date, format_date, parse_date
from urlset.engine.reference.values import escape
from urlset.fixer.edits import Change
from urlset.fixer.registry import FixContext, fixer
from urlset.fixer.xml_spans import ElementSpan, decoded
from urlset.protocol import CHANGEFREQS
from urlset.urls import SPACE

__all__ = ["REMOVE", "better_date", "mended_values"]

REMOVE = ""
"""What stands for a value that is to go."""

_PRIORITY = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)")
_ZERO = re.compile(r"-?0{3,4}[01]?-(?:00|11|01)-(?:00|30|01).*", re.DOTALL)
_DAY = re.compile(r"(\d{4})[-/]?(\d{1,2})[-/]?(\d{1,2})")
_OFFSET = re.compile(r"([+-])(\d\d):?(\d\d)?$")
_SLASHED = re.compile(r"(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})")
_MINUTES = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d)(Z|[+-]\d\d:\d\d)")


@fixer("D001", "D002", "D003", "D004", careful=True)
def rewrite_date(case: FixContext) -> Iterator[Change]:
    """Write a date in a form of the protocol; remove it where there is no such day."""
    text = decoded(case.span)
    element = case.element
    if text is None or element is None:
        return
    better = better_date(text.strip(SPACE), is_unsafe=case.is_unsafe)
    if better == REMOVE:
        yield case.remove(element)
    elif better is not None:
        yield case.replace(escape(better).encode())


def better_date(text: str, *, is_unsafe: bool) -> str | None:
    """A date in a form of the protocol; REMOVE where it is to go, None where nobody knows.

    >>> better_date("2026-1-5 10:00:00 +0100", is_unsafe=False)
    '2026-01-05T10:00:00+01:00'
    >>> better_date("2026-01-05T10:00:00", is_unsafe=False)
    '2026-01-05'
    """
    found = parse_date(text)
    if found.code is None:
        return None
    if _ZERO.fullmatch(text) and found.instant is None:
        return REMOVE
    if found.instant is not None:
        return _formatted(text, found, found.instant)
    if not is_unsafe:
        return None
    slashed = _SLASHED.match(text)
    if slashed is not None:
        day, month, year = (int(part) for part in slashed.groups())
        day, month = (month, day) if month > 12 else (day, month)
        try:
            return date(year, month, day).isoformat()
        except ValueError:
            pass
    return REMOVE


def _formatted(text: str, found: Date, instant: datetime) -> str:
    """An instant with the offset in which it stood; a time without a zone is cut to the day."""
    if found.precision in ("year", "month", "day") or not found.has_zone:
        day = _DAY.match(text)
        if day is None:
            return instant.date().isoformat()
        return "{:04}-{:02}-{:02}".format(*map(int, day.groups()))
    zone = _OFFSET.search(text)
    if zone is None or int(zone[2]) > 13 or int(zone[3] or 0) > 59:
        return format_date(instant.astimezone(UTC))
    minutes = int(zone[2]) * 60 + int(zone[3] or 0)
    shift = timedelta(minutes=minutes if zone[1] == "+" else -minutes)
    if not shift:
        return format_date(instant)
    try:
        local = (instant + shift).replace(tzinfo=None).isoformat()
    except OverflowError:
        return format_date(instant)
    return f"{local}{zone[1]}{zone[2]}:{zone[3] or '00'}"


@fixer("D006")
def add_seconds(case: FixContext) -> Iterator[Change]:
    """Write the seconds of a time that has none."""
    for element in _lastmods(case):
        if found := _MINUTES.fullmatch(element.trimmed):
            yield case.rewrite(element, f"{found[1]}:00{found[2]}")


@fixer("D007", "D008")
def remove_date(case: FixContext) -> Iterator[Change]:
    """Remove a date that cannot be true."""
    for element in _lastmods(case):
        yield case.remove(element)


@fixer("D009", "D010", whole=True)
def remove_dates(case: FixContext) -> Iterator[Change]:
    """Remove all dates of a document, since none of them says anything."""
    for start in case.job.entries.starts:
        entry = case.job.entries.beginning(start)
        for element in entry.children if entry else ():
            if element.local == "lastmod":
                yield case.remove(element)


def _lastmods(case: FixContext) -> list[ElementSpan]:
    entry = case.entry
    return [child for child in entry.children if child.local == "lastmod"] if entry else []


@fixer("S019", careful=True)
def correct_changefreq(case: FixContext) -> Iterator[Change]:
    """Write one of the seven words, where it is one; else remove it when asked for."""
    word = (decoded(case.span) or "").strip(SPACE).lower()
    if word in CHANGEFREQS:
        yield case.replace(word.encode())
    elif case.is_unsafe and case.element is not None:
        yield case.remove(case.element)


@fixer("S020", careful=True)
def correct_priority(case: FixContext) -> Iterator[Change]:
    """Write a decimal with a point; bring it between 0 and 1 when asked for, or remove it."""
    text = (decoded(case.span) or "").strip(SPACE).replace(",", ".", 1)
    is_number = _PRIORITY.fullmatch(text) is not None
    if is_number and 0 <= float(text) <= 1:
        yield case.replace(text.encode())
    elif case.is_unsafe and is_number:
        bound = "1.0" if float(text) > 1 else "0.0"
        yield case.replace(bound.encode(), dropped=text)
    elif case.is_unsafe and case.element is not None:
        yield case.remove(case.element)


def mended_values(case: FixContext, names: tuple[str, ...], better: object) -> Iterator[Change]:
    """Rewrite the elements of an entry for whose text ``better`` knows another one."""
    assert callable(better)
    entry = case.entry
    for element in entry.all(*names) if entry else ():
        text = element.text
        new = better(text.strip(SPACE)) if text is not None else None
        if new == REMOVE:
            yield case.remove(element)
        elif new is not None and new != text:
            yield case.rewrite(element, new)
