"""Parse and format dates: W3C Datetime, and the other forms that are found in sitemaps.

W3C Datetime (https://www.w3.org/TR/NOTE-datetime) has six forms, from ``1997`` to
``1997-07-16T19:20:30.45+01:00``; a time must have a zone. Other forms with only one meaning are
parsed and reported; ambiguous ones (``01/10/2004``) are not parsed.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from typing import Literal, NamedTuple

UNKNOWN_ZONE = "the zone of the time is unknown"
"""Why a time without a zone is rejected, for messages; an advice follows it."""

# Patterns for Python and for SQL, as text without groups. This module has all patterns of dates.
DAY = r"\d{4}-\d\d-\d\d"
MINUTE = r"\d\d:\d\d"
TIME = rf"{MINUTE}(?::\d\d(?:\.\d+)?)?"
ZONE = rf"(?:Z|[+-]{MINUTE})"
YEAR = r"(?:19|20)\d\d"
"""Year of a page on the web, in a path."""
NO_DAY = r"\d{4}(?:-\d\d)?"
"""W3C date without a day: a year or a month."""
W3C_DAY = rf"{DAY}(?:T{TIME}{ZONE})?"
"""W3C date with a day."""
W3C = rf"\d{{4}}(?:-\d\d(?:-\d\d(?:T{TIME}{ZONE})?)?)?"
XSD = rf"{DAY}(?:(?:T{TIME})?{ZONE})?"
"""Day, day with a zone, or time with a zone, as the schema of the protocol allows."""

LEADING_DAY = re.compile(DAY, re.ASCII)
LOCAL_TIME = re.compile(
    rf"({DAY})[Tt ]\s*({MINUTE}(?::\d\d(?:\.\d{{1,9}})?)?)\s*(Z|z|[+-]\d\d(?::?\d\d)?)?", re.ASCII
)
"""Groups: day, time, zone."""
WITHOUT_SECONDS = re.compile(rf"({DAY}T{MINUTE})({ZONE})")
LOOSE_DAY = re.compile(r"(\d{4})[-/]?(\d{1,2})[-/]?(\d{1,2})")
"""Groups: year, month, day."""
YEAR_LAST = re.compile(r"(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})")
"""Groups: day or month, month or day, year."""

_RFC_822 = re.compile(
    r"(?:[A-Za-z]{3},[ \t\r\n]*)?\d{1,2}[ \t\r\n]+[A-Za-z]{3}[ \t\r\n]+(?:\d{4}|\d\d)[ \t\r\n]+"
    r"\d\d:\d\d(?::\d\d)?[ \t\r\n]+(?:[A-Za-z]{1,3}|[+-]\d{4})(?:[ \t\r\n]*\([^()]*\))?",
    re.ASCII,
)
_RFC_3339 = re.compile(rf"{DAY}[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]{MINUTE})", re.ASCII)

LOG_TIME = r"\d\d/[A-Za-z]{3}/\d{4}:\d\d:\d\d:\d\d"
"""Time of the common log format, without its zone."""
LOG_TIME_AND_ZONE = rf"{LOG_TIME}(?: [+-]\d{{4}})?"
COMMON_LOG_TIME = re.compile(
    rb"(\d\d)/([A-Za-z]{3})/(\d{4}):(\d\d):(\d\d):\d\d(?:\.\d{1,9})?(?: ([+-])(\d\d):?(\d\d))?"
)
"""Groups: day, month, year, hour, minute, and sign, hours and minutes of the offset."""
ISO_LOG_TIME = re.compile(
    rb"(\d{4})-(\d\d)-(\d\d)[T \t](\d\d):(\d\d):\d\d(?:[.,]\d{1,9})?"
    rb" ?(?:Z|UTC|([+-])(\d\d):?(\d\d))?"
)
"""Groups: year, month, day, hour, minute, and sign, hours and minutes of the offset."""

Precision = Literal["year", "month", "day", "minute", "second", "fraction"]


class Date(NamedTuple):
    """Result of parsing a date: its instant, precision and zone, or why it is not valid.

    ``instant`` is in UTC; None if the text has no certain meaning. ``code`` is the code of the
    problem (``D001`` to ``D004``); None for a W3C date.
    """

    instant: datetime | None
    precision: Precision | None
    has_zone: bool
    code: str | None


# Note: the native engine has the same six patterns (rust/core/src/dates/forms.rs).
_W3C = re.compile(
    r"(\d{4})(?:-(\d\d)(?:-(\d\d)"
    r"(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?(Z|[+-]\d\d:\d\d))?)?)?",
    re.ASCII,
)
_COMMON_W3C = re.compile(
    rf"{YEAR}-\d\d-\d\d(?:T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:Z|[+-](?:0\d|1[0-3]):[0-5]\d))?",
    re.ASCII,
)
_ISO = re.compile(
    r"(\d{4})[-/](\d{1,2})[-/](\d{1,2})"
    r"(?:(?:[Tt]|[ \t\r\n]+)(\d{1,2}):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?)?"
    r"[ \t\r\n]*(Z|z|UTC|GMT|[+-]\d\d(?::?\d\d)?)?",
    re.ASCII,
)
_XSD_DAY = re.compile(rf"{DAY}[Z+-]", re.ASCII)
_COMPACT = re.compile(
    r"(\d{4})(\d\d)(\d\d)(?:[Tt](\d\d)(\d\d)(?:(\d\d)(?:[.,](\d+))?)?)?"
    r"(Z|z|[+-]\d\d(?::?\d\d)?)?",
    re.ASCII,
)
_RFC822 = re.compile(
    r"(?:([A-Za-z]{3,9})(?:,[ \t\r\n]*|[ \t\r\n]+))?"
    r"(\d{1,2})[ \t\r\n]+([A-Za-z]{3,9})\.?[ \t\r\n]+(\d{4}|\d\d)"
    r"(?:[ \t\r\n]+(\d{1,2}):(\d\d)(?::(\d\d))?"
    r"(?:[ \t\r\n]*([A-Za-z]{1,3}|[+-]\d\d:?\d\d)(?:[ \t\r\n]*\([^()]*\))?)?)?",
    re.ASCII,
)
_LONG = re.compile(r"([A-Za-z]{3,9})\.?[ \t\r\n]+(\d{1,2}),?[ \t\r\n]+(\d{4})", re.ASCII)
_BEFORE_CHRIST = re.compile(rf"-{DAY}(?:T[0-9:.]+{ZONE}?)?", re.ASCII)

_FULL_MONTHS = (
    "january february march april may june july august september october november december"
).split()
_MONTHS = {name[:3]: str(number) for number, name in enumerate(_FULL_MONTHS, 1)}
_MONTHS |= {name: _MONTHS[name[:3]] for name in (*_FULL_MONTHS, "sept")}
_WEEKDAYS = frozenset(
    """mon monday tue tues tuesday wed wednesday thu thur thurs thursday fri friday sat saturday
    sun sunday""".split()
)
# RFC 822 section 5.1; its one-letter military zones were specified wrongly and are not parsed.
_ZONES = {
    "ut": 0, "utc": 0, "gmt": 0, "z": 0, "est": -300, "edt": -240, "cst": -360, "cdt": -300,
    "mst": -420, "mdt": -360, "pst": -480, "pdt": -420,
}  # fmt: skip
_LEAP_SECONDS = frozenset(
    [(year, 6) for year in (1972, 1981, 1982, 1983, 1985, 1992, 1993, 1994, 1997, 2012, 2015)]
    + [(year, 12) for year in (*range(1972, 1980), 1987, 1989, 1990, 1995, 1998, 2005, 2008, 2016)]
)
"""The months, in UTC, whose last minute had 61 seconds: https://www.ietf.org/timezones/data/leap-seconds.list"""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

_INVALID = Date(None, None, False, "D001")
_IMPOSSIBLE = Date(None, None, False, "D004")


def parse_date(text: str) -> Date:
    """Parse a date in any unambiguous form.

    W3C forms have ``code`` None. Other forms have the code of the problem, and an instant if it
    is certain. A time without a zone is treated as UTC (``D002``). The order of day and month is
    never guessed, and a missing date is never replaced by today. Invalid text does not raise.

    >>> parse_date("1997-07").precision
    'month'
    >>> parse_date("Fri, 01 Oct 2004 18:23:17 GMT").code
    'D001'
    >>> parse_date("01/10/2004").instant is None
    True
    """
    if _COMMON_W3C.fullmatch(text) and (common := _parse_common(text)):
        return common
    if found := _W3C.fullmatch(text):
        return _assemble(found.groups(), None)
    if (found := _ISO.fullmatch(text)) and _is_unambiguous(text, found):
        return _assemble(found.groups(), _iso_code(text, found))
    if (found := _COMPACT.fullmatch(text)) and _has_certain_zone(found):
        code = "D002" if found[4] and not found[8] else "D001"
        return _assemble(found.groups(), code)
    if found := _RFC822.fullmatch(text):
        return _from_rfc822(found)
    if (found := _LONG.fullmatch(text)) and (month := _MONTHS.get(found[1].lower())):
        return _assemble((found[3], month, found[2], None, None, None, None, None), "D001")
    return _IMPOSSIBLE if _BEFORE_CHRIST.fullmatch(text) else _INVALID


def is_common_w3c(text: str) -> bool:
    """Return whether a text is a valid W3C date with a day, or also with seconds and a zone.

    False does not say that it is none: :func:`parse_date` decides, and takes ten times as long.

    >>> is_common_w3c("2026-01-02T03:04:05Z"), is_common_w3c("2026-02-30"), is_common_w3c("2026")
    (True, False, False)
    """
    if _COMMON_W3C.fullmatch(text) is None:
        return False
    try:
        date.fromisoformat(text[:10])
    except ValueError:
        return False
    return True


def format_date(moment: date) -> str:
    """Return a moment as W3C Datetime: a ``date`` as a day, a ``datetime`` to the second or finer.

    The offset is kept; UTC is written ``Z``. A ``datetime`` without a time zone raises
    ``ValueError``, since its instant is unknown.

    >>> format_date(datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC))
    '2026-01-02T03:04:05Z'
    """
    if not isinstance(moment, datetime):
        return moment.isoformat()
    if moment.tzinfo is None:
        raise ValueError(
            f"expected a datetime with a time zone, found {moment!r}; {UNKNOWN_ZONE}: "
            "add it, e.g. moment.replace(tzinfo=datetime.UTC)"
        )
    text = moment.isoformat()
    return text.removesuffix("+00:00") + "Z" if text.endswith("+00:00") else text


def is_rss_date(text: str) -> bool:
    """Return whether a text is a date of RSS 2.0, which refers to RFC 822."""
    return _RFC_822.fullmatch(text) is not None


def is_atom_date(text: str) -> bool:
    """Return whether a text is a date of Atom: RFC 3339 with seconds and a zone."""
    return _RFC_3339.fullmatch(text) is not None


def _parse_common(text: str) -> Date | None:
    """Parse a text of the form of :data:`_COMMON_W3C`, in a third of the time; None if invalid."""
    try:
        found = datetime.fromisoformat(text)
        if found.tzinfo is None:
            return Date(found.replace(tzinfo=UTC), "day", False, None)
        return Date(found.astimezone(UTC), "second", True, None)
    except (ValueError, OverflowError):
        return None


def _is_unambiguous(text: str, found: re.Match[str]) -> bool:
    """Return whether the text is one date: ``2013-01/02`` may be an interval (ISO 8601)."""
    return text[4] == text[found.end(2)] and _has_certain_zone(found)


def _has_certain_zone(found: re.Match[str]) -> bool:
    """Return whether the text after a day is an offset: ``-01`` and ``-0100`` are ambiguous."""
    zone = found[8]
    return found[4] is not None or zone is None or zone[0] not in "+-" or len(zone) == 6


def _iso_code(text: str, found: re.Match[str]) -> str | None:
    """Return the rule code for an ISO 8601 date that is not W3C Datetime; None if it is valid.

    A day with an offset, ``2013-01-27+01:00``, is a date of XML Schema, which the schema of the
    protocol allows in addition to W3C Datetime.
    """
    has_time, zone = found[4] is not None, found[8]
    if zone is None:
        return "D002" if has_time else "D001"
    is_w3c_zone = zone == "Z" or len(zone) == 6
    if is_w3c_zone and _XSD_DAY.match(text):
        return None
    is_detached = text[found.start(8) - 1] in " \t\r\n"
    return "D003" if not (has_time and is_w3c_zone) or is_detached or "t" in text else "D001"


def _assemble(parts: tuple[str | None, ...], code: str | None) -> Date:
    """Build a date from the texts of year, month, day, hour, minute, second, fraction, zone."""
    year, month, day, hour, minute, second, fraction, zone = parts
    offset = _offset_minutes(zone)
    if offset is None:
        return Date(None, None, False, "D003")
    is_leap = second == "60"
    try:
        local = datetime(
            int(year or 0), int(month or 1), int(day or 1), int(hour or 0), int(minute or 0),
            59 if is_leap else int(second or 0), int((fraction or "")[:6].ljust(6, "0")),
            tzinfo=UTC,
        )  # fmt: skip
        instant = local - timedelta(minutes=offset)
    except (ValueError, OverflowError):
        return _IMPOSSIBLE
    if is_leap:
        if not _has_leap_second(instant):
            return _IMPOSSIBLE
        instant += timedelta(seconds=1)
    if abs(offset) > 14 * 60:
        code = "D003"
    return Date(instant, _precision(parts), zone is not None, code)


def _has_leap_second(instant: datetime) -> bool:
    """Return whether a leap second follows the second of an instant."""
    if (instant.year, instant.month) not in _LEAP_SECONDS:
        return False
    return (instant + timedelta(seconds=1)).month != instant.month


def _precision(parts: tuple[str | None, ...]) -> Precision:
    _, month, day, hour, _, second, fraction, _ = parts
    if hour is None:
        return "day" if day else "month" if month else "year"
    return "fraction" if fraction else "second" if second else "minute"


def _offset_minutes(zone: str | None) -> int | None:
    """Return the offset from UTC in minutes of ``Z``, ``+hh``, ``+hhmm``, ``+hh:mm`` or a name."""
    if zone is None:
        return 0
    if zone[0] not in "+-":
        return _ZONES.get(zone.lower())
    hours, minutes = int(zone[1:3]), int(zone[3:].lstrip(":") or 0)
    if hours > 23 or minutes > 59:
        return None
    return (hours * 60 + minutes) * (-1 if zone[0] == "-" else 1)


def _from_rfc822(found: re.Match[str]) -> Date:
    weekday, day, month, year, hour, minute, second, zone = found.groups()
    number = _MONTHS.get(month.lower())
    if number is None or (weekday is not None and weekday.lower() not in _WEEKDAYS):
        return _INVALID
    if len(year) == 2:  # RFC 2822 section 4.3
        year = f"{'20' if int(year) < 50 else '19'}{year}"
    date_ = _assemble((year, number, day, hour, minute, second, None, zone), "D001")
    return _INVALID if date_.code == "D003" and date_.instant is None else date_


def microseconds(moment: datetime) -> int:
    """Return the exact number of microseconds since 1970-01-01 UTC."""
    gap = moment - _EPOCH
    return (gap.days * 86_400 + gap.seconds) * 1_000_000 + gap.microseconds


def from_microseconds(value: int) -> datetime:
    """Return the instant for a number of microseconds since 1970-01-01 UTC."""
    return _EPOCH + timedelta(microseconds=value)
