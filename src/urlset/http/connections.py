"""Connections of aiohttp's pool: receive responses within limits, and send without its session."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import aiohttp
from aiohttp.client_proto import ResponseHandler
from aiohttp.connector import Connection
from aiohttp.http import RawResponseMessage
from aiohttp.http_exceptions import BadHttpMessage, HttpProcessingError
from yarl import URL

from urlset.hidden_fields import repr_without
from urlset.http.policy import FORBIDDEN_IN_HEADERS

MAX_HEADER = 32_768
READ_BUFFER = 262_144
MAX_OVERHEAD = 1_048_576
"""Bytes of a response that are not content: heads, sizes and extensions of chunks, trailers,"""
MAX_OVERHEAD_SHARE = 16
"""and bytes of these for each byte of content."""
READ_SIZE = 65_536
"""Bytes that are read at once at the start of a response; :data:`READ_BUFFER` after a full read.
asyncio allocates them for each read; memory of 128 KiB or more is mapped each time, which takes
longer than to receive a small page."""
MAX_HEADS = 100
"""Requests to one origin whose headers are cached as bytes."""
MAX_SIMPLE_HEAD = 8_192
"""Bytes of a head that is read without the parser of aiohttp."""

_LENGTH = re.compile(rb"\r\nContent-Length: ([0-9]{1,9})\r\n", re.IGNORECASE)
# Heads that every parser reads alike: printable ASCII, no white space around a name or a value.
_SIMPLE_HEAD = re.compile(
    rb"HTTP/1\.1 ([2-5][0-9][0-9]) [ -~]*+\r\n"
    rb"((?>(?:[A-Za-z][A-Za-z0-9-]*+: [!-~]++(?>(?: ++[!-~]++)*)\r\n){1,100}))\r\n"
)
_FRAMING = frozenset(("transfer-encoding", "upgrade", "proxy-connection"))
"""Names that decide where a body ends, or whether the connection stays open."""
_NO_BODY = (204, 304)


class ClosedConnectionError(aiohttp.ServerDisconnectedError):
    """A connection that was used before has been closed before a response.

    The server may have closed it while it was idle, so the request may be sent once more (RFC 9112
    section 9.3.1).
    """


class _SimpleHead(NamedTuple):
    """Head of a response that was read without the parser of aiohttp."""

    code: int
    headers: dict[str, str]

    def __repr__(self) -> str:
        """Show no header: it may hold a secret."""
        return repr_without(self, "headers")


class _WholeBody:
    """Body that arrived with its head, with the method of ``aiohttp.StreamReader`` that is used."""

    __slots__ = ("_data",)

    def __init__(self, data: bytes) -> None:
        self._data = data

    async def readany(self) -> bytes:
        """Return the body, then nothing."""
        data, self._data = self._data, b""
        return data


class ConnectionHandler(ResponseHandler):
    """Protocol handler that passes the head of a response to aiohttp separately from the body.

    A body that is longer than its Content-Length looks like an invalid next response. If both
    are in one chunk, aiohttp also drops the valid response.

    A body with an invalid chunk size, of which aiohttp tells only who waits for the next response,
    ends at once. So does a response that consists of chunk extensions, trailers or 1xx responses:
    they are neither data nor silence, so no other limit than that of the whole time ends them.

    The timer of the read timeout is not replaced when data arrives, but checked when it is due.

    A small response that arrives as a whole, as most do, is read here if its head is simple. The
    parser of aiohttp, its stream and its headers take twice the time.
    """

    was_used = False
    peer: str | None = None
    _expected: Mapping[str, Any] | None = None
    _received = 0
    _read_size = READ_SIZE
    _silent_since: float | None = None

    @property
    def is_reusable(self) -> bool:
        """Whether the response was received to its end, and nothing after it."""
        return not (self.should_close or self._reading_paused)

    @property
    def has_received(self) -> bool:
        """Whether a part of the response was received."""
        return self._received > 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport and the address of the peer, and begin with small reads."""
        super().connection_made(transport)
        name = transport.get_extra_info("peername")
        self.peer = str(name[0]) if isinstance(name, tuple) else None
        self._set_read_size(READ_SIZE)

    def set_response_params(self, **values: Any) -> None:
        """Begin a response."""
        self._begin()
        super().set_response_params(**values)

    def expect(self, values: Mapping[str, Any]) -> None:
        """Begin a response to a GET, which :meth:`set_response_params` does if it is not simple."""
        self._begin()
        self._expected = values
        if self._tail:  # it arrived before the request
            self._create_parser()

    def _begin(self) -> None:
        self._received = 0
        self.was_used = True
        if self._read_size != READ_SIZE:
            self._set_read_size(READ_SIZE)

    def _create_parser(self) -> None:
        """Create the parser of aiohttp, if a response has begun without it."""
        values, self._expected = self._expected, None
        if values is not None:
            super().set_response_params(**values)

    def set_exception(self, exc: BaseException, *cause: Any) -> None:
        """End the response, also its body."""
        super().set_exception(exc, *cause)
        payload = self._payload
        is_invalid = isinstance(exc, HttpProcessingError)
        if is_invalid and payload is not None and not payload.is_eof():
            payload.set_exception(aiohttp.ClientPayloadError("the body is not HTTP"))

    def data_received(self, data: bytes) -> None:
        """Pass received bytes to aiohttp, split after the head of the response."""
        self._received += len(data)
        if self._expected is not None:
            simple = _read_simple(data)
            if simple is not None:
                self._expected = None
                self._drop_timeout()
                self.feed_data(simple, 0)
                return
            self._create_parser()
        if len(data) >= self._read_size < READ_BUFFER:
            self._set_read_size(READ_BUFFER)
        body = getattr(self._payload, "total_bytes", 0)
        if self._received - body > MAX_OVERHEAD + body * MAX_OVERHEAD_SHARE:
            if self.transport is not None:
                self.transport.close()
            self.set_exception(BadHttpMessage("more control data than content"))
            return
        end = data.find(b"\r\n\r\n") + 4 if data.startswith(b"HTTP/") else 0
        if 4 <= end < len(data):
            super().data_received(data[:end])
            data = data[end:]
        super().data_received(data)

    def _set_read_size(self, size: int) -> None:
        self._read_size = size
        transport = self.transport
        if transport is not None and hasattr(transport, "max_size"):  # asyncio's, without TLS
            transport.max_size = size

    def resume_reading(self, resume_parser: bool = True) -> None:
        """Continue a response that was paused; aiohttp calls this after each read of a body."""
        if self._reading_paused:
            super().resume_reading(resume_parser)

    def connection_lost(self, exc: BaseException | None) -> None:
        """End the response, and the timer."""
        self._create_parser()
        super().connection_lost(exc)
        if self._read_timeout_handle is not None:
            self._read_timeout_handle.cancel()
            self._read_timeout_handle = None

    # Note: private names. If aiohttp renames them, it replaces the timer each time, as by default.
    def _drop_timeout(self) -> None:
        self._silent_since = None

    def _reschedule_timeout(self) -> None:
        timeout = self._read_timeout
        if timeout:
            self._silent_since = self._loop.time()
            if self._read_timeout_handle is None:
                self._read_timeout_handle = self._loop.call_later(timeout, self._check_timeout)

    def _check_timeout(self) -> None:
        self._read_timeout_handle = None
        if self._silent_since is None or not self._read_timeout:
            return
        end = self._silent_since + self._read_timeout
        if self._loop.time() < end:
            self._read_timeout_handle = self._loop.call_at(end, self._check_timeout)
        else:
            self._on_read_timeout()


def _read_simple(data: bytes) -> tuple[Any, Any] | None:
    """Return head and body of a response, if it is whole and its head is simple; else None."""
    end = data.find(b"\r\n\r\n", 0, MAX_SIMPLE_HEAD) + 4
    length = _LENGTH.search(data, 0, end)
    if length is None or end + int(length[1]) != len(data):
        return None
    head = _SIMPLE_HEAD.fullmatch(data, 0, end)
    if head is None:
        return None
    lines = head[2].decode()[:-2].split("\r\n")
    headers: dict[str, str] = {}
    for line in lines:
        name, _, value = line.partition(": ")
        headers[name.lower()] = value
    status = int(head[1])
    is_simple = (
        len(headers) == len(lines)
        and _FRAMING.isdisjoint(headers)
        and headers.get("connection", "keep-alive").lower() == "keep-alive"
        and status not in _NO_BODY
    )
    return (_SimpleHead(status, headers), _WholeBody(data[end:])) if is_simple else None


class OpenResponse(NamedTuple):
    """A response whose head has been received. The caller closes it."""

    message: RawResponseMessage
    content: aiohttp.StreamReader
    connection: Connection
    peer: str | None

    def close(self) -> None:
        """Keep the connection for the next request; close it if the response is not complete."""
        protocol = self.connection.protocol
        if isinstance(protocol, ConnectionHandler) and protocol.is_reusable:
            self.connection.release()
        else:
            self.connection.close()


class OriginConnections:
    """Connections to one origin, such as ``https://example.com``, for requests without a body.

    aiohttp's pool opens and keeps the connections, and its parser reads the responses. The objects
    that its session makes for each request take as long as all the rest of a small page.
    """

    def __init__(self, session: aiohttp.ClientSession, origin: str) -> None:
        assert session.connector is not None
        self._connector = session.connector
        self._timeout = session.timeout
        # The pool needs a request to know the host; this one stands for all of them.
        loop = asyncio.get_running_loop()
        url = URL(f"{origin}/", encoded=True)
        self._request = aiohttp.ClientRequest("GET", url, loop=loop, session=session)
        self._path_from = len(origin)
        self._params = {
            "read_until_eof": True,
            "auto_decompress": False,  # content_encoding.py decodes, with a size limit
            "read_timeout": self._timeout.sock_read,
            "read_bufsize": READ_BUFFER,
            "max_line_size": MAX_HEADER,
            "max_field_size": MAX_HEADER,
        }
        self._heads: dict[tuple[tuple[str, str], ...], bytes] = {}

    async def get(self, url: str, headers: Mapping[str, str]) -> OpenResponse:
        """Send a GET, and return its response when the head has arrived.

        Raises:
            ValueError: A header has a control character.
            ClosedConnectionError: The request may be sent once more.
            aiohttp.ClientError: No connection, or no response.
            HttpProcessingError: The response is not HTTP.
        """
        data = f"GET {url[self._path_from :]} HTTP/1.1\r\n".encode() + self._head(headers)
        connection = await self._connect()
        protocol = connection.protocol
        handler = protocol if isinstance(protocol, ConnectionHandler) else None
        was_used = handler is not None and handler.was_used
        try:
            return await self._exchange(connection, data)
        except ClosedConnectionError:
            connection.close()
            raise
        except (aiohttp.ClientOSError, aiohttp.ServerDisconnectedError) as error:
            connection.close()
            has_part = handler is not None and handler.has_received
            if was_used and not has_part:
                raise ClosedConnectionError from error
            if has_part:
                raise BadHttpMessage("it ends before the end of its headers") from error
            raise
        except BaseException:
            connection.close()
            raise

    async def _connect(self) -> Connection:
        try:
            connection = await self._connector.connect(self._request, [], self._timeout)
            protocol = connection.protocol
            if isinstance(protocol, ConnectionHandler) and not protocol.is_reusable:
                # Bytes that followed the previous response are not the response to this request.
                connection.close()
                connection = await self._connector.connect(self._request, [], self._timeout)
        except TimeoutError as error:
            raise aiohttp.ConnectionTimeoutError from error
        return connection

    async def _exchange(self, connection: Connection, data: bytes) -> OpenResponse:
        protocol = connection.protocol
        if protocol is None or protocol.transport is None:
            raise ClosedConnectionError
        assert isinstance(protocol, ConnectionHandler)
        protocol.read_timeout = self._timeout.sock_read
        protocol.expect(self._params)
        protocol.start_timeout()
        protocol.transport.write(data)
        message, content = await protocol.read()
        while 100 <= message.code < 200 and message.code != 101:
            message, content = await protocol.read()
        return OpenResponse(message, content, connection, protocol.peer)

    def _head(self, headers: Mapping[str, str]) -> bytes:
        """Return the header lines of a request, from a cache."""
        key = tuple(headers.items())
        head = self._heads.get(key)
        if head is None:
            if len(self._heads) >= MAX_HEADS:
                self._heads.clear()
            head = self._heads[key] = self._new_head(headers)
        return head

    def _new_head(self, headers: Mapping[str, str]) -> bytes:
        # Of names that differ in case only, the last one applies.
        lines = {"host": f"Host: {self._request.headers['Host']}\r\n"}
        for name, value in headers.items():
            if FORBIDDEN_IN_HEADERS.search(name) or FORBIDDEN_IN_HEADERS.search(value):
                raise ValueError(f"control character in the header {name!r}")
            lines[name.lower()] = f"{name}: {value}\r\n"
        return ("".join(lines.values()) + "\r\n").encode()
