"""Send one HTTP request and receive its response; map every exception to an error code."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from http import HTTPStatus
from typing import NamedTuple
from urllib.parse import urlencode

import aiohttp
from aiohttp.http_exceptions import HttpProcessingError
from yarl import URL

from urlset.hidden_fields import repr_without
from urlset.http.connections import ClosedConnectionError
from urlset.http.content_encoding import BodyDecoder
from urlset.http.limits import Lease, MemoryBudget
from urlset.http.models import (
    DOCUMENT_STATUSES,
    ErrorCode,
    NetworkScope,
    Request,
    Response,
    Secrets,
)
from urlset.http.policy import Policy
from urlset.http.ssrf import BlockedError
from urlset.http.transport import PeerResponse, SessionPool

KEPT_HEADERS = frozenset(
    """content-type content-length content-encoding etag last-modified location link retry-after
    cache-control age date x-robots-tag server cf-mitigated content-usage
    tdm-reservation tdm-policy""".split()
)
_MAX_DIGITS = 18  # of a length
_HEAD_LIMIT = 1_048_576  # the end of the head is searched in this many bytes
_HEAD_END = re.compile(rb"</head\s*>|<body[\s>]", re.IGNORECASE)
# RuntimeError: aiohttp raises "Connection closed." if a connection ends during a read.
ERRORS = (aiohttp.ClientError, HttpProcessingError, OSError, RuntimeError, ValueError)


_NO_BODY = BodyDecoder(None, 0)


class Hop(NamedTuple):
    """One HTTP request of a fetch; each redirect leads to another hop.

    With ``may_repeat`` it may be sent once more if its connection is closed before a response.
    """

    url: str
    origin: str
    scope: NetworkScope
    headers: Mapping[str, str]
    secrets: Secrets | None
    proxy: str | None
    left_s: float
    may_repeat: bool = False

    def __repr__(self) -> str:
        return repr_without(self, "headers", "secrets", "proxy")


class _Received:
    """Part of a response that has been received so far: status, headers, decoded body."""

    def __init__(self, lease: Lease) -> None:
        self.lease = lease
        self.waited_s = 0.0
        self.status: int | None = None
        self.headers: dict[str, str] = {}
        self.peer: str | None = None
        self.first_byte_s: float | None = None
        self.wire_size = 0
        self.is_whole = False
        self.decoder = _NO_BODY
        self.is_over = False
        self.may_end_at_head = False


async def transfer(
    sessions: SessionPool, request: Request, hop: Hop, policy: Policy, budget: MemoryBudget
) -> tuple[Response, str | None]:
    """Send a request once; return the response and the address of the peer.

    Raises:
        ClosedConnectionError: The connection was closed, and the hop may be repeated.
    """
    started, began = datetime.now(UTC), time.monotonic()
    failure: BaseException | None = None
    with Lease(budget) as lease:
        received = _Received(lease)
        try:
            async with asyncio.timeout(hop.left_s) as clock:
                await _send(sessions, request, hop, policy, received, clock)
        except ClosedConnectionError as error:
            if hop.may_repeat:
                raise
            failure = error.__cause__ or error
        except ERRORS as error:
            failure = error
    code, message = _error_of(received, failure, policy, request.method)
    response = Response(
        request,
        hop.url,
        status=received.status,
        headers=received.headers,
        body=received.decoder.body(),
        wire_size=received.wire_size,
        is_whole=received.is_whole,
        error=code,
        message=message,
        started=started,
        seconds=time.monotonic() - began - received.waited_s,
        first_byte_s=received.first_byte_s,
    )
    return response, received.peer


async def _send(
    sessions: SessionPool,
    request: Request,
    hop: Hop,
    policy: Policy,
    received: _Received,
    clock: asyncio.Timeout,
) -> None:
    """Send a request and receive its response, without the session of aiohttp where possible."""
    began = time.monotonic()
    url, headers = _with_secrets(hop, policy)
    if request.method == "GET" and request.body is None and hop.proxy is None:
        opened = await sessions.connections(hop.scope, hop.origin).get(url, headers)
        try:
            received.first_byte_s = time.monotonic() - began
            received.peer = opened.peer
            message, content = opened.message, opened.content
            await _receive(message.code, message.headers, content, request, policy, received, clock)
        finally:
            opened.close()
        return
    exchange = sessions.session(hop.scope).request(
        request.method,
        URL(url, encoded=True),
        data=request.body,
        headers=headers,
        proxy=hop.proxy,
        allow_redirects=False,
    )
    try:
        answer = await exchange
    except aiohttp.ClientConnectorError:
        raise
    except (aiohttp.ClientOSError, aiohttp.ServerDisconnectedError) as error:
        if request.method == "GET":  # through a proxy
            raise ClosedConnectionError from error
        raise
    async with answer as got:
        assert isinstance(got, PeerResponse)
        received.first_byte_s = time.monotonic() - began
        received.peer = got.peer
        await _receive(got.status, got.headers, got.content, request, policy, received, clock)


async def _receive(
    status: int,
    headers: Mapping[str, str],
    content: aiohttp.StreamReader,
    request: Request,
    policy: Policy,
    received: _Received,
    clock: asyncio.Timeout,
) -> None:
    received.status = status
    received.headers = _kept_headers(headers)
    limit = min(request.max_bytes or policy.max_bytes, policy.max_bytes)
    is_success = 200 <= status < 300
    if not is_success:
        limit = min(limit, policy.max_error_bytes)
    received.decoder = BodyDecoder(received.headers.get("content-encoding"), limit)
    received.may_end_at_head = request.ends_at_head and is_success
    await _receive_body(content, min(limit, policy.max_wire_bytes), received, clock)


def _with_secrets(hop: Hop, policy: Policy) -> tuple[str, Mapping[str, str]]:
    """Add the secrets of a request to its URL and headers, as they are sent."""
    secrets, url = hop.secrets, policy.sent_url(hop.url)
    if secrets is None:
        return url, hop.headers
    query = urlencode(secrets.query)
    mark = "" if not query else "&" if "?" in url else "?"
    return f"{url}{mark}{query}", {**hop.headers, **secrets.headers}


async def _receive_body(
    content: aiohttp.StreamReader, wire_limit: int, received: _Received, clock: asyncio.Timeout
) -> None:
    try:
        while data := await content.readany():
            # Note: wait right before decoding, as one chunk may decode to a hundred megabytes.
            received.waited_s += await received.lease.wait(clock)
            received.wire_size += len(data)
            received.decoder.feed(data)
            received.lease.resize(received.decoder.size)
            if received.decoder.is_over or received.wire_size > wire_limit:
                received.is_over = True
                return
            is_searched = received.may_end_at_head and received.decoder.size <= _HEAD_LIMIT
            if is_searched and _HEAD_END.search(received.decoder.body()):
                return
    except ERRORS:
        # aiohttp raises before it returns the bytes that it received before the error; read them.
        content.set_exception(None)  # type: ignore[arg-type]
        rest = content.read_nowait()
        received.wire_size += len(rest)
        received.decoder.feed(rest)
        received.decoder.close()
        raise
    received.decoder.close()
    received.is_whole = True


def _kept_headers(headers: Mapping[str, str]) -> dict[str, str]:
    kept: dict[str, str] = {}
    for name, value in headers.items():
        key = name.lower()
        if key in KEPT_HEADERS:
            if not value.isascii():
                value = _header_text(value, "latin-1" if key == "location" else None)
            kept[key] = f"{kept[key]}, {value}" if key in kept else value
    return kept


def _header_text(value: str, fallback: str | None) -> str:
    """Return a header without the surrogates to which aiohttp decodes bytes that are not UTF-8.

    No store can keep a surrogate. ``fallback`` is the encoding of such a header, as the target of a
    redirect needs its bytes; without one they become question marks.
    """
    raw = value.encode(errors="surrogateescape")
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.decode(fallback) if fallback else value.encode(errors="replace").decode()


def _error_of(
    received: _Received, failure: BaseException | None, policy: Policy, method: str
) -> tuple[ErrorCode | None, str | None]:
    """Return the code and message of the first error that applies to a transfer, or Nones."""
    status = received.status or 0
    if method == "GET" and 200 <= status < 300 and status not in DOCUMENT_STATUSES:
        return "status", f"HTTP {status}{_phrase(status)} instead of the whole document (200)"
    if received.status is not None and received.status >= 400:
        return "status", f"HTTP {received.status}{_phrase(received.status)}"
    if failure is not None:
        code = _error_code(failure, received)
        return code, _error_message(code, failure, received, policy)
    if received.is_over:
        kept = len(received.decoder.body())
        return "too-large", f"more than the {kept:,} bytes that are allowed; cut there"
    if received.decoder.fault is not None and received.status != 304:
        received.is_whole = not received.decoder.is_cut
        return "encoding", received.decoder.fault
    return None, None


def _error_code(failure: BaseException, received: _Received) -> ErrorCode:
    if _is_blocked(failure):
        return "blocked"
    for kinds, code in _ERROR_CODES:
        if isinstance(failure, kinds):
            return code
    return "connect" if received.status is None else "cut"


_ERROR_CODES: tuple[tuple[tuple[type[BaseException], ...], ErrorCode], ...] = (
    ((aiohttp.ClientConnectorDNSError,), "dns"),
    (
        (
            aiohttp.ClientSSLError,
            aiohttp.ClientConnectorCertificateError,
            aiohttp.ServerFingerprintMismatch,
        ),
        "tls",
    ),
    ((aiohttp.SocketTimeoutError,), "stalled"),
    ((TimeoutError,), "timeout"),
    ((aiohttp.ClientPayloadError,), "cut"),
    ((aiohttp.ClientResponseError, HttpProcessingError), "protocol"),
    ((aiohttp.InvalidURL,), "bad-url"),
)


def _error_message(
    code: ErrorCode, failure: BaseException, received: _Received, policy: Policy
) -> str:
    size = f"{received.wire_size:,} bytes"
    expected = received.headers.get("content-length", "")
    if expected.isascii() and expected.isdigit() and len(expected) <= _MAX_DIGITS:
        size = f"{received.wire_size:,} of {int(expected):,} bytes"
    if code == "cut":
        return f"the transfer was cut off after {size}"
    if code == "stalled":
        missing = "no response" if received.status is None else f"no data after {size}"
        return f"{missing} for {policy.read_timeout_s:g} s"
    if code == "timeout" and isinstance(failure, aiohttp.ConnectionTimeoutError):
        return f"no connection within {policy.connect_timeout_s:g} s"
    if code == "timeout":
        return f"not complete within {policy.total_timeout_s:g} s; received {size}"
    if code == "blocked":
        reason = "a server named it, in a document or a redirect"
        if policy.only_public:
            reason = "only public addresses are requested here"
        return f"not fetched: its address is private or special, and {reason}"
    if code == "dns":
        return f"the host has no address: {_reason(failure)}"
    if code == "tls":
        return f"no secure connection: {_reason(failure)}"
    if code == "protocol":
        return f"the response is not HTTP: {_reason(failure)}"
    return f"no connection: {_reason(failure)}"


def _reason(error: BaseException) -> str:
    """Return the message of the system or certificate error, without the text that aiohttp adds."""
    inner = getattr(error, "os_error", None) or getattr(error, "certificate_error", None) or error
    if isinstance(inner, aiohttp.ServerDisconnectedError) and not isinstance(inner.message, str):
        return "it was closed before the end of the headers"  # the message is a part of them
    message = getattr(inner, "strerror", None) or getattr(inner, "message", None) or str(inner)
    return " ".join(str(message).split())[:200] or type(inner).__name__


def _is_blocked(error: BaseException | None) -> bool:
    while error is not None:
        if isinstance(error, BlockedError):
            return True
        error = getattr(error, "os_error", None) or error.__cause__
    return False


def _phrase(status: int) -> str:
    try:
        return f" {HTTPStatus(status).phrase}"
    except ValueError:
        return ""
