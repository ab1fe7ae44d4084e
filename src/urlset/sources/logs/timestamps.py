"""Parse the timestamps of access logs into seconds since 1970."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from urlset.dates import COMMON_LOG_TIME, ISO_LOG_TIME

__all__ = ["TimestampParser"]

_MONTHS = b"jan feb mar apr may jun jul aug sep oct nov dec".split()
_NUMBER = re.compile(rb"(\d{9,19})(?:\.\d{0,9})?")
_LAST = 253_402_300_799  # the last second of the year 9999


class TimestampParser:
    """Parses the timestamps of one log, with a cache of minutes.

    A time without a zone is read as UTC, which W3C logs use. Numbers are seconds, milli-, micro-
    or nanoseconds since 1970; their size shows which.

    >>> parser = TimestampParser()
    >>> parser.parse(b"03/Nov/2026:13:00:05 +0100") == parser.parse(b"2026-11-03T12:00:05.25Z")
    True
    >>> parser.parse(b"1793707205000"), parser.parse(b"yesterday")
    (1793707205, None)
    """

    def __init__(self) -> None:
        self._minutes: dict[bytes, int | None] = {}

    def parse(self, text: bytes) -> int | None:
        """Return a time in seconds since 1970, or None if it is invalid."""
        is_common = text[2:3] == b"/"
        at = 18 if is_common else 17
        second = text[at : at + 2]
        if text[at - 1 : at] != b":" or not second.isdigit():
            return _number(text)
        minute = text[:at] + b"00" + text[at + 2 :]
        found = self._minutes.get(minute, -1)
        if found == -1:
            if len(self._minutes) > 50_000:
                self._minutes.clear()
            found = self._minutes[minute] = _common(minute) if is_common else _iso(minute)
        return None if found is None else found + int(second)


def _common(text: bytes) -> int | None:
    found = COMMON_LOG_TIME.fullmatch(text)
    if found is None or found[2].lower() not in _MONTHS:
        return None
    month = _MONTHS.index(found[2].lower()) + 1
    return _instant(int(found[3]), month, int(found[1]), found.groups()[3:])


def _iso(text: bytes) -> int | None:
    found = ISO_LOG_TIME.fullmatch(text)
    if found is None:
        return None
    return _instant(int(found[1]), int(found[2]), int(found[3]), found.groups()[3:])


def _instant(year: int, month: int, day: int, rest: tuple[bytes | None, ...]) -> int | None:
    hour, minute, sign, zone_hours, zone_minutes = rest
    try:
        moment = datetime(year, month, day, int(hour or 0), int(minute or 0), tzinfo=UTC)
    except ValueError:
        return None
    shift = int(zone_hours or 0) * 3600 + int(zone_minutes or 0) * 60
    seconds = int(moment.timestamp()) + (shift if sign == b"-" else -shift)
    return seconds if 0 <= seconds <= _LAST else None


def _number(text: bytes) -> int | None:
    found = _NUMBER.fullmatch(text)
    if found is None:
        return None
    value = int(found[1])
    for _ in range(3):
        if value > 100_000_000_000:  # 1973 in milliseconds, and the year 5138 in seconds
            value //= 1000
    return min(value, _LAST)
