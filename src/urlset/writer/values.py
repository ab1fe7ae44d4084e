"""Validate and convert single values of an entry; the exception for an invalid one."""

from __future__ import annotations

import math
import re
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from functools import lru_cache
from numbers import Integral, Real
from typing import Any

from urlset import dates
from urlset.engine.reference.values import escape
from urlset.errors import EntryError
from urlset.protocol import CHANGEFREQS, MAX_LOC, MAX_VALUE
from urlset.urls import ASCII_SPACE, SPACE, UrlIssue, parse_url, split_origin, unwrap

_SHOWN = 120


class ValueProblem(Exception):
    """Value that may not be written: its field, what is expected, and how to fix it."""

    def __init__(self, field: str, value: object, expected: str, advice: str):
        super().__init__(field, value, expected, advice)
        self.field = field
        self.value = value
        self.expected = expected
        self.advice = advice

    def within(self, where: str) -> ValueProblem:
        """Return a copy whose field is within a record, such as ``images[0].loc``."""
        return ValueProblem(f"{where}.{self.field}", self.value, self.expected, self.advice)

    def in_row(self, row: int) -> EntryError:
        """Convert the problem to an :class:`urlset.EntryError` about a row."""
        detail = f"expected {self.expected}, found {shown(self.value)}; {self.advice}"
        return EntryError(
            f"row {row}, {self.field}: {detail}",
            row=row,
            field=self.field,
            value=self.value,
            detail=detail,
        )


def shown(value: object) -> str:
    """Format a value for a message, on one line and clipped.

    >>> shown("a"), shown(None)
    ("'a'", 'nothing')
    """
    if value is None:
        return "nothing"
    try:
        text = repr(value)
    except ValueError:  # of a number with more digits than Python converts
        return "a number of thousands of digits"
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


# Most URLs need no further check: printable ASCII after a host of plain labels. The last label is
# not a number: an IPv4 address needs a check.
_PLAIN_URL = re.compile(
    r"https?://(?>(?:[A-Za-z0-9-]{1,63}\.)+)[A-Za-z][A-Za-z0-9-]{0,62}(?:[/?#][!-~]*)?", re.ASCII
)
_PLAIN_LENGTH = 253  # a URL no longer than the limit of a host cannot have a host that is too long
# Characters that XML 1.0 section 2.2 excludes, and lone surrogates, which cannot be encoded.
_FORBIDDEN = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_MAX_ESCAPED = len("&quot;")  # the longest that `escape` makes of one character
_MAX_DIGITS = 1_000
_DECIMAL = re.compile(r"\+?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)", re.ASCII)
_ADVICE = {
    "U001": 'write it in full, with "https://"',
    "U002": "only http and https URLs may be listed; leave it out",
    "U005": "remove the white space around it",
    "U006": "write %20 for a space; remove other white space",
    "U015": "fix the host name",
}


def url(value: Any, field: str, base: str | None) -> str:
    """Validate a URL; resolve a relative one against ``base``; the reader accepts the result.

    Surrounding spaces and line ends are trimmed: a line of a file ends with one.
    """
    if not isinstance(value, str) or not (trimmed := value.strip(ASCII_SPACE)):
        raise ValueProblem(field, value, "a URL", "give one, or leave the entry out")
    if len(trimmed) <= _PLAIN_LENGTH and _PLAIN_URL.fullmatch(trimmed):
        return trimmed
    if found := _FORBIDDEN.search(trimmed):
        raise ValueProblem(field, value, "a URL", f"U+{ord(found[0]):04X} may stand in no XML file")
    if unwrap(trimmed) != trimmed:
        raise ValueProblem(field, value, "a URL", "remove the quotes or brackets around it")
    if (segment := dot_segment(trimmed)) is not None:
        advice = f"{segment!r} in the middle of a path leads to another page"
        raise ValueProblem(field, value, "a URL without dot segments", advice)
    read = parse_url(trimmed, base)
    if "\ufffd" in trimmed:
        advice = "U+FFFD stands for what could not be decoded; decode the text as what it is"
        raise ValueProblem(field, value, "a URL", advice)
    for flaw in read.issues:
        if flaw.code != "U001" or read.url is None:
            raise ValueProblem(field, value, "a full http(s) URL", _url_advice(flaw, trimmed, base))
    assert read.url is not None  # without a flaw there is a URL
    if (length := _encoded_length(read.url)) >= MAX_LOC:
        encoded = "" if read.url.isascii() else ", percent-encoded as it is requested"
        advice = f"it has {length:,}{encoded}; shorten it"
        raise ValueProblem(field, value, f"a URL of fewer than {MAX_LOC:,} characters", advice)
    return read.url


_DOT_SEGMENT = re.compile(r"(?!\.|[A-Za-z][A-Za-z0-9+.-]*+:)[^?#]*?/(\.\.?)(?:[/?#]|$)")


def dot_segment(reference: str) -> str | None:
    """Return ``.`` or ``..`` if it is a segment of a relative URL, except at its start.

    >>> dot_segment("/product/.."), dot_segment("../tea"), dot_segment("/a?b=/../c")
    ('..', None, None)
    """
    found = _DOT_SEGMENT.match(reference)
    return found and found[1]


def _encoded_length(url: str) -> int:
    """Return the length of a URL as it is requested (RFC 3987 section 3.1), with an ASCII host."""
    if url.isascii():
        return len(url)
    scheme, authority, rest = split_origin(url)
    labels = (
        label if label.isascii() else f"xn--{label.encode('punycode').decode()}"
        for label in authority.split(".")
    )
    escaped = sum(1 if byte < 0x80 else 3 for byte in rest.encode())
    return len(scheme) + 3 + len(".".join(labels)) + escaped


def line(loc: str) -> str:
    """Validate a URL for a text sitemap, in which readers could mistake it for markup."""
    if any(mark in loc for mark in '<>"'):
        advice = 'percent-encode <, > and "; URLs do not contain them'
        raise ValueProblem("loc", loc, "a URL that a text sitemap can hold", advice)
    return loc


def text(value: Any, field: str) -> str | None:
    """Validate the text of an extension field; return it trimmed, None if it is empty.

    Numbers, dates and booleans (``yes``, ``no``) are written as the protocol writes them.
    """
    if value is None:
        return None
    if not isinstance(value, str):
        value = _to_text(value, field)
    trimmed: str = value.strip(SPACE)
    if found := _FORBIDDEN.search(trimmed):
        advice = f"U+{ord(found[0]):04X} may stand in no XML file; remove it"
        raise ValueProblem(field, value, "text of characters that XML allows", advice)
    is_long = len(trimmed) * _MAX_ESCAPED > MAX_VALUE
    if is_long and (len(trimmed) > MAX_VALUE or len(escape(trimmed)) > MAX_VALUE):
        raise ValueProblem(field, value, f"at most {MAX_VALUE:,} characters, escaped", "shorten it")
    return trimmed or None


def lastmod(value: Any, written: Any) -> tuple[datetime | None, str | None]:
    """Validate a date, given as ``lastmod`` or ``lastmod_text``; return it in both forms.

    A W3C text keeps its precision and offset; an instant in UTC needs no text. Both must be the
    same instant.
    """
    if value is None and written is None:
        return None, None
    original = None if written is None else text(written, "lastmod_text")
    if value is None or (isinstance(value, str) and not value.strip(SPACE)):
        return (None, None) if original is None else _w3c(original, "lastmod_text")
    instant, own = _instant_of(value)
    if original is None:
        return instant, own
    date_ = _parse(original)
    if date_.instant is not None and date_.instant != instant:
        raise ValueProblem(
            "lastmod_text",
            written,
            f"the same instant as lastmod ({own or dates.format_date(instant)})",
            "set it to None when you change lastmod",
        )
    return instant, original if date_.instant is not None and date_.code is None else own


def _is_blank_text(value: Any) -> bool:
    """Return whether a value is a text without a visible character, as of an empty cell."""
    return isinstance(value, str) and not value.strip()


def changefreq(value: Any) -> str | None:
    """Validate a changefreq; return one of the seven values of the protocol, or None."""
    if value is None or _is_blank_text(value):
        return None
    if not isinstance(value, str) or value not in CHANGEFREQS:  # pandas.NA is equal to nothing
        raise ValueProblem(
            "changefreq",
            value,
            f"one of {', '.join(CHANGEFREQS)}",
            "leave it out: search engines ignore it",
        )
    return str(value)


def priority(value: Any) -> float | None:
    """Validate a priority; return a number from 0.0 to 1.0, or None; a text must be a decimal."""
    if value is None or _is_blank_text(value):
        return None
    number = math.nan
    if isinstance(value, str):
        if _DECIMAL.fullmatch(value.strip(ASCII_SPACE)):
            number = float(value)
    elif not isinstance(value, bool) and hasattr(value, "__float__"):
        with suppress(OverflowError, TypeError):  # a huge number, an array
            number = _shortest(value)
    if 0.0 <= number <= 1.0:
        return abs(number)  # also converts -0.0
    raise ValueProblem(
        "priority", value, "a number from 0.0 to 1.0", "use None where there is none"
    )


def _shortest(value: Any) -> float:
    """Return a number; one of less than eight bytes by its shortest text.

    0.1 in four bytes, as of numpy, is 0.10000000149011612 in eight.
    """
    number = float(value)
    size = getattr(getattr(value, "dtype", None), "itemsize", None)
    if isinstance(size, int) and size < 8:
        with suppress(Exception):  # the text of an array, or of a tensor
            return float(str(value))
        return float(f"{number:.7g}")
    return number


def _url_advice(flaw: UrlIssue, value: str, base: str | None) -> str:
    if flaw.code == "U001" and base is None and not value.lower().startswith("www."):
        return "give base_url to resolve it, or write it in full"
    return _ADVICE.get(flaw.code, "write it as it is to be requested")


def _to_text(value: Any, field: str) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    with suppress(OverflowError, ValueError):  # a number of thousands of digits
        if isinstance(value, Integral):
            return str(int(value))
        if isinstance(value, Decimal) and value.is_finite() and abs(value.adjusted()) < _MAX_DIGITS:
            return format(value, "f")
        if isinstance(value, Real) and math.isfinite(value):
            return format(Decimal(repr(float(value))), "f")
    if isinstance(value, date):
        instant, own = _instant_of(value, field)
        return own or dates.format_date(instant)
    raise ValueProblem(field, value, "text", "use None where there is none")


def _instant_of(value: Any, field: str = "lastmod") -> tuple[datetime, str | None]:
    """Convert a date to an instant, and to a text if that has more information."""
    if isinstance(value, str):
        return _w3c(value.strip(SPACE), field)  # as in tables and in XML
    if isinstance(value, datetime):
        return _from_datetime(value, field)
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day, tzinfo=UTC), value.isoformat()
    raise ValueProblem(field, value, "a date, a datetime or a W3C date as text", "convert it")


def _from_datetime(value: datetime, field: str) -> tuple[datetime, str | None]:
    if value != value:  # pandas.NaT
        raise ValueProblem(field, value, "a datetime", "use None where there is none")
    offset = value.utcoffset()
    if offset is None:
        raise ValueProblem(
            field,
            value,
            "a datetime with a time zone",
            f"{dates.UNKNOWN_ZONE}: add the zone (value.replace(tzinfo=UTC), "
            "TIMESTAMPTZ), or give a date",
        )
    if type(value) is not datetime:  # pandas.Timestamp counts nanoseconds
        value, offset = dates.from_microseconds(dates.microseconds(value)), _NO_OFFSET
    if not offset:
        return value.replace(tzinfo=UTC), None
    try:
        instant = value.astimezone(UTC)
    except OverflowError:
        raise ValueProblem(
            field, value, "a datetime of the years 1 to 9999", "leave it out"
        ) from None
    written = dates.format_date(value)
    # Local mean times of the 19th century have offsets with seconds, which W3C dates cannot hold.
    return instant, written if _parse(written).code is None else None


_NO_OFFSET = timedelta(0)


def _w3c(value: str, field: str) -> tuple[datetime, str]:
    date_ = _parse(value)
    if date_.code is not None or date_.instant is None:
        raise ValueProblem(
            field, value, "a W3C date (2026-01-31, 2026-01-31T12:00:00Z)", _date_advice(date_)
        )
    return date_.instant, value


def _date_advice(date_: dates.Date) -> str:
    if date_.code == "D002":
        return "add its time zone (Z or +hh:mm), or cut it to the date"
    if date_.instant is not None:
        return f"write {dates.format_date(date_.instant)}, if that is meant"
    return "fix it, or leave it out"


_parse = lru_cache(maxsize=16_384)(dates.parse_date)
