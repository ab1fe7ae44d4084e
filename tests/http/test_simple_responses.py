"""Responses that are read without the parser of aiohttp, compared with that parser."""

from __future__ import annotations

import asyncio
from unittest.mock import Mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.http_walks import fetch, quick
from tests.site_box import Hit, SiteBox, Wire
from urlset.http import connections
from urlset.http.connections import MAX_HEADER, READ_BUFFER, ConnectionHandler
from urlset.http.exchange import ERRORS, _kept_headers

PARAMS = {
    "read_until_eof": True,
    "auto_decompress": False,
    "read_timeout": 30.0,
    "read_bufsize": READ_BUFFER,
    "max_line_size": MAX_HEADER,
    "max_field_size": MAX_HEADER,
}
SIMPLE = b'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 4\r\nETag: "a"\r\n\r\nbody'

STARTS = (
    *(f"HTTP/1.1 {status} Some text".encode() for status in (200, 203, 301, 404, 503)),
    *(f"HTTP/1.1 {status} No body".encode() for status in (101, 103, 204, 205, 304)),
    *(b"HTTP/1.0 200 OK", b"HTTP/1.1 200", b"HTTP/1.1  200 OK", b"http/1.1 200 OK"),
    *(b"HTTP/1.1 999 Odd", b"HTTP/1.1 20 OK", b"HTTP/2 200", b"\r\nHTTP/1.1 200 OK"),
)
LINES = (
    *(b"Content-Length: 4", b"content-length: 4", b"Content-Length: 0", b"Content-Length: 5"),
    *(b"Content-Length:4", b"Content-Length: 04", b"Content-Length: +4", b"Content-Length: 4, 4"),
    *(b"Transfer-Encoding: chunked", b"Transfer-Encoding: identity", b"Upgrade: h2c"),
    *(b"Connection: close", b"Connection: Keep-Alive", b"Connection: upgrade", b"Connection: x"),
    *(b"Proxy-Connection: close", b"Keep-Alive: timeout=5", b"Content-Encoding: gzip"),
    *(b"Link: <a>", b"Link: <b>", b"link: <c>", b'ETag: "x  y"', b"Server: a: b", b"Date:"),
    *(b"Date: ", b"Date:  two", b"Date: end ", b"Date: \t", b" folded", b"\tfolded", b"no colon"),
    *(b"Sp ace: a", b"Date : a", b": a", b"Location: /\xc3\xa4", b"Location: /\xff", b"X: \0"),
    *(b"X: a\rb", b"X: a\nb", b"X_y: 1", b"X.y: 1", b"1x: 1", b"Vary: *", b"Retry-After: 1"),
)
BODIES = (b"body", b"", b"bodyHTTP/1.1 200 OK\r\n", b"4\r\nbody\r\n0\r\n\r\n", b"\r\n\r\n")


def received(data: bytes, *, is_simple: bool) -> tuple[object, ...]:
    """Return what a connection receives, and whether it is used again."""

    async def run() -> tuple[object, ...]:
        handler = ConnectionHandler(asyncio.get_running_loop())
        handler.connection_made(Mock())
        if is_simple:
            handler.expect(PARAMS)
        else:
            handler.set_response_params(**PARAMS)
        reading = asyncio.ensure_future(handler.read())
        await asyncio.sleep(0)
        handler.data_received(data)
        await asyncio.sleep(0)
        is_reusable = handler.is_reusable
        handler.connection_lost(None)
        try:
            message, content = await reading
            body = b""
            while chunk := await content.readany():
                body += chunk
        except ERRORS as error:
            return type(error), is_reusable
        return message.code, _kept_headers(message.headers), body, is_reusable

    return asyncio.run(run())


@given(
    st.sampled_from(STARTS),
    st.lists(st.sampled_from(LINES), max_size=5),
    st.booleans(),
    st.sampled_from(BODIES),
)
def test_a_response_is_the_same_as_of_the_parser(
    start: bytes, lines: list[bytes], has_length: bool, body: bytes
):
    own = [b"Content-Length: %d" % len(body)] if has_length else []
    data = b"\r\n".join([start, *own, *lines, b"", body])

    assert received(data, is_simple=True) == received(data, is_simple=False)


def test_a_usual_response_needs_no_parser(monkeypatch: pytest.MonkeyPatch):
    expected = received(SIMPLE, is_simple=False)
    monkeypatch.setattr(ConnectionHandler, "_create_parser", lambda _: pytest.fail("created"))
    monkeypatch.setattr(ConnectionHandler, "connection_lost", lambda *_: None)

    assert received(SIMPLE, is_simple=True) == expected
    assert expected[:3] == (
        200,
        {"content-type": "text/html", "content-length": "4", "etag": '"a"'},
        b"body",
    )


@pytest.mark.parametrize("parts", [1, 2, len(SIMPLE)])
def test_a_response_is_the_same_in_any_number_of_parts(box: SiteBox, parts: int):
    async def play(_hit: Hit, wire: Wire) -> bool:
        size = -(-len(SIMPLE) // parts)
        for start in range(0, len(SIMPLE), size):
            await wire.send(SIMPLE[start : start + size])
            await asyncio.sleep(0)
        return True

    response = fetch(box.play("/a", play), quick(retries=0))

    assert (response.status, response.body, response.is_whole) == (200, b"body", True)
    assert response.headers["etag"] == '"a"'


def test_a_simple_head_has_a_limit():
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\nX: %s\r\n\r\n"

    assert connections._read_simple(head % b"a" + b"body") is not None
    assert connections._read_simple(head % (b"a" * connections.MAX_SIMPLE_HEAD) + b"body") is None
    assert connections._read_simple(_many_lines()) is None


def _many_lines() -> bytes:
    lines = b"".join(b"X-%d: a\r\n" % number for number in range(101))
    return b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n" + lines + b"\r\n"


def test_a_response_before_the_request_is_not_waited_for():
    async def run() -> int:
        handler = ConnectionHandler(asyncio.get_running_loop())
        handler.connection_made(Mock())
        handler.data_received(b"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n")
        handler.expect(PARAMS)
        message, _ = await asyncio.wait_for(handler.read(), 5)
        return message.code

    assert asyncio.run(run()) == 503
