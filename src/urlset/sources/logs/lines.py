"""Parse the lines of access logs (common, combined, W3C extended, JSON) and their timestamps."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from operator import itemgetter
from typing import Any, NamedTuple, Protocol

from urlset.dates import COMMON_LOG_TIME, ISO_LOG_TIME, LOG_TIME_AND_ZONE
from urlset.engine import LogAggregator, LogHit
from urlset.engine.reference.logs import lines

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


class LogLine(NamedTuple):
    """Fields of one log line as written; a line that is not parsed yet is in ``other``.

    ``host`` is valid only if ``marker`` is not empty. The target is ``path`` and ``tail``, which
    begins with the first special character (``?``, ``;``, ``%``, a byte over 127).
    """

    host: bytes
    marker: bytes
    time: bytes
    method: bytes
    path: bytes
    tail: bytes
    status: bytes
    other: bytes


ParsedBlock = tuple[Iterable[LogHit], Iterable[tuple[int, int | None, int, Any]], int]
"""Hits, rows and number of lines of a block; see :class:`urlset.engine.LogAggregator`."""


class LogFormat(Protocol):
    """Protocol of a format of access logs: parses blocks and lines."""

    def parse_block(self, block: bytes, aggregator: LogAggregator) -> ParsedBlock:
        """Parse a block of complete lines to hits (counted requests) and rows (other lines).

        See :class:`urlset.engine.LogAggregator`. Other threads may use the format meanwhile.
        """

    def rows(self, block: bytes) -> Iterable[tuple[bytes, ...]]:
        """Yield a row for each line of a block, in order."""

    def row(self, line: bytes) -> LogLine | None:
        """Parse the unparsed line in the field ``other`` of a row; None if it is not a request."""


def unparsed_line(line: bytes) -> LogLine:
    """Return a row with a line in the field ``other``, to be parsed later."""
    return LogLine(b"", b"", b"", b"", b"", b"", b"", line)


_PLAIN_PATH = re.compile(rb"/[!$&-.0-9:=@A-Z_a-z~/]*+")
_TIME = re.compile(rf"\[({LOG_TIME_AND_ZONE})\] ".encode())
_REQUEST = re.compile(rb'"((?>(?:[^"\\]++|\\.)*))" (\d{3})(?![^ ])')
_ESCAPE = re.compile(rb"\\(?:x([0-9A-Fa-f]{2})|(.))", re.DOTALL)
_CONTROLS = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"v": b"\v", b"f": b"\f", b"b": b"\b"}
_CELLS = re.compile(rb'"(?>(?:[^"]|"")*)"|[^ ]++')
_MAX_LINE = 1 << 16


class CommonFormat:
    """Formats of Apache and nginx: common and combined, with or without a leading virtual host.

    >>> line = b'192.0.2.1 - - [03/Nov/2026:12:00:00 +0000] "GET /a?b=1 HTTP/1.1" 200 512'
    >>> CommonFormat().row(line)[2:7]
    (b'03/Nov/2026:12:00:00 +0000', b'GET', b'/a', b'?b=1', b'200')
    """

    def parse_block(self, block: bytes, aggregator: LogAggregator) -> ParsedBlock:
        """Parse a block with the aggregator: plain requests become hits, other lines rows."""
        return aggregator.add(block)

    def rows(self, block: bytes) -> Iterable[tuple[bytes, ...]]:
        """Yield the rows of a block of lines."""
        return lines(block)

    def row(self, line: bytes) -> LogLine | None:
        """Parse a line with escapes in its request, or with additional fields."""
        time = _TIME.search(line) if len(line) <= _MAX_LINE else None
        request = _REQUEST.match(line, time.end()) if time else None
        if time is None or request is None:
            return None
        before = line[: time.start()].split()
        has_host = len(before) == 4 and before[1] != b"-"
        method, target = split_request(_ESCAPE.sub(_unescaped, request[1]))
        return log_line(before[0] if has_host else b"", time[1], method, target, request[2])


class ExtendedFormat:
    """W3C extended format (https://www.w3.org/TR/WD-logfile) of IIS, CloudFront and others.

    The directive ``#Fields:`` names the columns, and may be repeated when they change.
    """

    _NAMES = (
        ("x-host-header", "cs-host", "cs(host)"),
        ("date",),
        ("time",),
        ("cs-method",),
        ("cs-uri-stem", "cs-uri"),
        ("cs-uri-query",),
        ("sc-status",),
    )

    def __init__(self) -> None:
        self._width = 0
        self._date = b""
        self._pick: Callable[[list[bytes]], tuple[bytes, ...]] = itemgetter(*(0,) * 7)

    def parse_block(self, block: bytes, aggregator: LogAggregator) -> ParsedBlock:  # noqa: ARG002
        """Return all rows and no hits: the engines do not read this format."""
        rows = ((number, None, 1, row) for number, row in enumerate(self.rows(block)))
        return (), rows, block.count(b"\n")

    def rows(self, block: bytes) -> Iterator[tuple[bytes, ...]]:
        """Yield the rows of a block of lines; the rows of directives are empty."""
        for raw_line in block.split(b"\n")[:-1]:
            line = raw_line.rstrip(b"\r")
            if line.startswith(b"#"):
                self._read_directive(line)
                yield unparsed_line(b"")
            else:
                yield self._row(line) or unparsed_line(line)

    def row(self, line: bytes) -> LogLine | None:  # noqa: ARG002 - of the protocol
        """Return None, because ``rows`` has already tried the only way to parse a line."""
        return None

    def _read_directive(self, line: bytes) -> None:
        name, _, value = line.partition(b":")
        if name.lower() == b"#fields":
            fields = value.decode("ascii", "replace").lower().split()
            self._width = len(fields)
            # A missing field reads the empty cell after all others.
            indexes = [
                next((fields.index(name) for name in names if name in fields), self._width)
                for names in self._NAMES
            ]
            self._pick = itemgetter(*indexes)
        elif name.lower() == b"#date":
            self._date = value.split()[0] if value.split() else b""

    def _row(self, line: bytes) -> tuple[bytes, ...] | None:
        cells = _cells(line)
        if len(cells) != self._width or not cells:
            return None
        cells.append(b"")
        host, date, time, method, stem, query, status = self._pick(cells)
        if not (method and stem and status):
            return None
        day = date or self._date
        time = day + b" " + time if day and time else b""
        target = stem + b"?" + query if query and query != b"-" else stem
        return log_line(host, time, method, target, status)


def _cells(line: bytes) -> list[bytes]:
    if b"\t" in line:
        return line.split(b"\t")
    return _CELLS.findall(line) if b'"' in line else line.split()


def log_line(host: bytes, time: bytes, method: bytes, target: bytes, status: bytes) -> LogLine:
    """Return the row of a request from its fields; a host ``-`` or ``_`` becomes empty."""
    marker = b"" if host in (b"", b"-", b"_") else host
    plain = _PLAIN_PATH.match(target)
    end = plain.end() if plain else 0
    return LogLine(host, marker, time, method, target[:end], target[end:], status, b"")


def split_request(line: bytes) -> tuple[bytes, bytes]:
    """Return method and target of a request line; the method is ``-`` if it is invalid."""
    parts = line.split(b" ")
    if len(parts) > 3 or len(parts) < 2 or (len(parts) == 3 and not parts[2].startswith(b"HTTP/")):
        return b"-", b""
    return parts[0], parts[1]


def _unescaped(found: re.Match[bytes]) -> bytes:
    if found[1]:
        return bytes((int(found[1], 16),))
    return _CONTROLS.get(found[2], found[2])


# Names in the order in which they are searched; a dot leads into an object. Source: the manuals of
# nginx (variables), Caddy, Traefik, CloudFront, Cloudflare, Google Cloud and the Elastic schema.
_METHODS = (
    "request_method method RequestMethod ClientRequestMethod requestMethod cs-method cs_method "
    "http_method verb request.method http.request.method httpRequest.requestMethod http.method"
).split()
_TARGETS = (
    "request_uri uri RequestPath ClientRequestURI ClientRequestPath cs-uri-stem cs_uri_stem path "
    "url request_url requestUrl request.uri request.url url.original url.path "
    "httpRequest.requestUrl http.url http.target"
).split()
_STATUSES = (
    "status DownstreamStatus OriginStatus EdgeResponseStatus sc-status sc_status status_code "
    "statusCode response_status response response.status http.response.status_code "
    "httpRequest.status http.status_code"
).split()
_HOSTS = (
    "http_host RequestHost ClientRequestHost x-host-header x_host_header request.host url.domain "
    "cs-host cs_host cs(Host) vhost host server_name domain"
).split()
_TIMES = (
    "time_iso8601 time_local @timestamp timestamp ts StartUTC StartLocal time msec datetime "
    "EdgeStartTimestamp start_time"
).split()
_TEXTS = ("log", "message", "msg")


class JsonFormat:
    """Format with one JSON object per line.

    >>> line = b'{"ts": 1793707205.5, "request": {"method": "GET", "uri": "/a"}, "status": 200}'
    >>> next(iter(JsonFormat().rows(line)))[2:7]
    (b'1793707205.5', b'GET', b'/a', b'', b'200')
    """

    def __init__(self) -> None:
        self._common = CommonFormat()
        self._last_names: dict[int, str] = {}

    def parse_block(self, block: bytes, aggregator: LogAggregator) -> ParsedBlock:  # noqa: ARG002
        """Return all rows and no hits: the engines do not read this format."""
        rows = ((number, None, 1, row) for number, row in enumerate(self.rows(block)))
        return (), rows, block.count(b"\n")

    def rows(self, block: bytes) -> Iterator[LogLine]:
        """Yield the rows of a block of lines."""
        for line in block.split(b"\n"):
            if line:
                yield self._row(line) or unparsed_line(line)
            else:
                yield unparsed_line(b"")

    def row(self, line: bytes) -> LogLine | None:
        """Parse the text line that some shippers wrap in an object; None if it is no request."""
        record = _loaded(line)
        text = next((record[name] for name in _TEXTS if isinstance(record.get(name), str)), "")
        return self._common.row(text.strip().encode("utf-8", "replace"))

    def _row(self, line: bytes) -> LogLine | None:
        record = _loaded(line)
        status = self._value(record, _STATUSES)
        method, target = self._value(record, _METHODS), self._value(record, _TARGETS)
        if not (method and target) and isinstance(record.get("request"), str):
            method, target = split_request(_bytes(record["request"]))
        if not (method and target and len(status) == 3):
            return None
        query = record.get("cs-uri-query") or record.get("cs_uri_query")
        if isinstance(query, str) and query != "-":
            target += b"?" + _bytes(query)
        host = self._value(record, _HOSTS)
        # A name without a dot (web-1) is that of a machine, and not of the site.
        host = host if b"." in host or host.startswith((b"[", b"localhost")) else b""
        return log_line(host, self._time(record), method, target, status)

    def _time(self, record: dict[str, Any]) -> bytes:
        date, time = record.get("date"), record.get("time")
        if isinstance(date, str) and isinstance(time, str):
            return _bytes(f"{date} {time}")
        return self._value(record, _TIMES)

    def _value(self, record: dict[str, Any], names: list[str]) -> bytes:
        """Return the value of the first of some names in a record; try the last found first."""
        last = self._last_names.get(id(names))
        value = _at(record, last) if last else None
        if value is None:
            for name in names:
                value = _at(record, name)
                if value is not None:
                    self._last_names[id(names)] = name
                    break
        return b"" if value is None else _bytes(value)


def _loaded(line: bytes) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return record if isinstance(record, dict) else {}


def _at(record: Any, name: str) -> str | None:
    value = record.get(name)
    if value is None and "." in name:
        first, _, rest = name.partition(".")
        inner = record.get(first)
        return _at(inner, rest) if isinstance(inner, dict) else None
    if isinstance(value, str):
        return value or None
    return str(value) if isinstance(value, (int, float)) and abs(value) < 1e20 else None


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
