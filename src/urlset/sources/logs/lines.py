"""Parse text lines of access logs: common, combined, with a virtual host, and W3C extended."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from operator import itemgetter
from typing import Any, NamedTuple, Protocol

from urlset.dates import LOG_TIME_AND_ZONE
from urlset.engine import Engine, LogHit
from urlset.engine.reference.logs import lines

__all__ = [
    "CommonFormat",
    "ExtendedFormat",
    "LogFormat",
    "LogLine",
    "log_line",
    "split_request",
    "unparsed_line",
]


class LogLine(NamedTuple):
    """Fields of one line, as written; a line that is not parsed yet is in ``other``.

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


ParsedBlock = tuple[Iterable[LogHit], Iterable[tuple[int, int | None, Any]]]
"""Hits and rows of a block of lines; see :meth:`urlset.engine.Engine.aggregate_log`."""


class LogFormat(Protocol):
    """A format of access logs."""

    def parse_block(self, block: bytes, engine: Engine, *, keeps_queries: bool) -> ParsedBlock:
        """Return the hits and rows of a block of complete lines.

        See :meth:`urlset.engine.Engine.aggregate_log`. Other threads may use the format meanwhile.
        """

    def rows(self, block: bytes) -> Iterable[tuple[bytes, ...]]:
        """Yield a row for each line of a block, in order."""

    def row(self, line: bytes) -> LogLine | None:
        """Parse a line that a row has in ``other``; None if it is no request."""


def unparsed_line(line: bytes) -> LogLine:
    """Return a row for a line that is not parsed yet."""
    return LogLine(b"", b"", b"", b"", b"", b"", b"", line)


_PLAIN_PATH = re.compile(rb"/[!$&-.0-9:=@A-Z_a-z~/]*+")
_TIME = re.compile(rf"\[({LOG_TIME_AND_ZONE})\] ".encode())
_REQUEST = re.compile(rb'"((?>(?:[^"\\]|\\.)*))" (\d{3})(?![^ ])')
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

    def parse_block(self, block: bytes, engine: Engine, *, keeps_queries: bool) -> ParsedBlock:
        """Return the hits and rows that the engine finds in a block."""
        return engine.aggregate_log(block, keeps_queries)

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

    def parse_block(self, block: bytes, engine: Engine, *, keeps_queries: bool) -> ParsedBlock:  # noqa: ARG002
        """Return all rows and no hits: the engines do not read this format."""
        return (), ((number, None, row) for number, row in enumerate(self.rows(block)))

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
        """Return None: ``rows`` has already tried the only way to parse a line."""
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
    """Return a row of these fields; a host that is ``-`` or ``_`` is empty."""
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
