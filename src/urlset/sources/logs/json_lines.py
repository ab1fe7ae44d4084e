"""Access logs in the JSON Lines format, with the field names of common servers and log shippers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from urlset.engine import Engine
from urlset.sources.logs.lines import (
    CommonFormat,
    LogLine,
    ParsedBlock,
    log_line,
    split_request,
    unparsed_line,
)

__all__ = ["JsonFormat"]

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

    def parse_block(self, block: bytes, engine: Engine, *, keeps_queries: bool) -> ParsedBlock:  # noqa: ARG002
        """Return all rows and no hits: the engines do not read this format."""
        return (), ((number, None, row) for number, row in enumerate(self.rows(block)))

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
        """Return the value of the first name present, starting with that of the previous line."""
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
