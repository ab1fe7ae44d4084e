"""One hop: a request is sent and its response taken in, and every fault becomes a word."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from http import HTTPStatus
from typing import NamedTuple

import aiohttp
from yarl import URL

from urlset.http.content_encoding import Unpacker
from urlset.http.memory_budget import Lease, MemoryBudget
from urlset.http.models import ErrorWord, Request, Response
from urlset.http.policy import Policy
from urlset.http.ssrf import BlockedError
from urlset.http.transport import PeerResponse

__all__ = ["Hop", "transfer"]

KEPT_HEADERS = frozenset(
    """content-type content-length content-encoding etag last-modified location link retry-after
    cache-control age date x-robots-tag server""".split()
)
# RuntimeError: aiohttp's "Connection closed." where the end of a connection overtakes a read.
FAULTS = (aiohttp.ClientError, OSError, RuntimeError, ValueError)


class Hop(NamedTuple):
    """One request on its way: a redirect makes another one."""

    url: str
    headers: Mapping[str, str]
    proxy: str | None
    left_s: float


class _Taken:
    """What has come so far; one object per hop."""

    def __init__(self, share: Lease) -> None:
        self.share = share
        self.waited_s = 0.0
        self.status: int | None = None
        self.headers: dict[str, str] = {}
        self.peer: str | None = None
        self.first_byte_s: float | None = None
        self.wire_size = 0
        self.is_whole = False
        self.unpacker = Unpacker(None, 0)
        self.is_over = False


async def transfer(
    session: aiohttp.ClientSession, request: Request, hop: Hop, policy: Policy, room: MemoryBudget
) -> tuple[Response, str | None]:
    """Send a request once and take what comes; also gives the address that answered."""
    started, began = datetime.now(UTC), time.monotonic()
    fault: BaseException | None = None
    with Lease(room) as share:
        taken = _Taken(share)
        try:
            async with asyncio.timeout(hop.left_s) as clock:
                await _take(session, request, hop, policy, taken, clock)
        except FAULTS as error:
            fault = error
    word, message = _verdict(taken, fault, policy)
    response = Response(
        request,
        hop.url,
        status=taken.status,
        headers=taken.headers,
        body=taken.unpacker.body(),
        wire_size=taken.wire_size,
        is_whole=taken.is_whole,
        error=word,
        message=message,
        started=started,
        seconds=time.monotonic() - began - taken.waited_s,
        first_byte_s=taken.first_byte_s,
    )
    return response, taken.peer


async def _take(
    session: aiohttp.ClientSession,
    request: Request,
    hop: Hop,
    policy: Policy,
    taken: _Taken,
    clock: asyncio.Timeout,
) -> None:
    began = time.monotonic()
    asking = session.get(
        URL(hop.url, encoded=True), headers=hop.headers, proxy=hop.proxy, allow_redirects=False
    )
    async with asking as got:
        assert isinstance(got, PeerResponse)
        taken.first_byte_s = time.monotonic() - began
        taken.status, taken.peer = got.status, got.peer
        taken.headers = {
            name: ", ".join(got.headers.getall(name)) for name in KEPT_HEADERS & _names(got)
        }
        limit = min(request.max_bytes or policy.max_bytes, policy.max_bytes)
        if not 200 <= got.status < 300:
            limit = min(limit, policy.max_error_bytes)
        taken.unpacker = Unpacker(taken.headers.get("content-encoding"), limit)
        await _take_body(got.content, min(limit, policy.max_wire_bytes), taken, clock)


async def _take_body(
    content: aiohttp.StreamReader, wire_limit: int, taken: _Taken, clock: asyncio.Timeout
) -> None:
    try:
        while data := await content.readany():
            # Beware: right before it is unpacked, as a piece may become a hundred megabytes.
            taken.waited_s += await taken.share.wait(clock)
            taken.wire_size += len(data)
            taken.unpacker.feed(data)
            taken.share.hold(taken.unpacker.size)
            if taken.unpacker.is_over or taken.wire_size > wire_limit:
                taken.is_over = True
                return
    except FAULTS:
        # aiohttp hands a fault out before the bytes that came before it, and those are ours.
        content.set_exception(None)  # type: ignore[arg-type]
        rest = content.read_nowait()
        taken.wire_size += len(rest)
        taken.unpacker.feed(rest)
        taken.unpacker.close()
        raise
    taken.unpacker.close()
    taken.is_whole = True


def _names(got: aiohttp.ClientResponse) -> frozenset[str]:
    return frozenset(name.lower() for name in got.headers)


def _verdict(
    taken: _Taken, fault: BaseException | None, policy: Policy
) -> tuple[ErrorWord | None, str | None]:
    """The word and the words for what went wrong: the first that does from the top."""
    if taken.status is not None and taken.status >= 400:
        return "status", f"HTTP {taken.status}{_phrase(taken.status)}"
    if fault is not None:
        word = _word(fault, taken)
        return word, _words(word, fault, taken, policy)
    if taken.is_over:
        kept = len(taken.unpacker.body())
        return "too-large", f"more than the {kept:,} bytes that are allowed; cut there"
    if taken.unpacker.fault is not None and taken.status != 304:
        taken.is_whole = not taken.unpacker.is_cut
        return "encoding", taken.unpacker.fault
    return None, None


def _word(fault: BaseException, taken: _Taken) -> ErrorWord:
    if _is_blocked(fault):
        return "blocked"
    for kinds, word in _WORDS:
        if isinstance(fault, kinds):
            return word
    return "connect" if taken.status is None else "cut"


_WORDS: tuple[tuple[tuple[type[BaseException], ...], ErrorWord], ...] = (
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
    ((aiohttp.ClientResponseError,), "protocol"),
    ((aiohttp.InvalidURL,), "bad-url"),
)


def _words(word: ErrorWord, fault: BaseException, taken: _Taken, policy: Policy) -> str:
    came = f"{taken.wire_size:,} bytes"
    expected = taken.headers.get("content-length", "")
    if expected.isascii() and expected.isdigit():
        came = f"{taken.wire_size:,} of {int(expected):,} bytes"
    if word == "cut":
        return f"the transfer was cut off after {came}"
    if word == "stalled":
        after = "no answer came" if taken.status is None else f"nothing came after {came}"
        return f"{after} for {policy.read_timeout_s:g} s"
    if word == "timeout" and isinstance(fault, aiohttp.ConnectionTimeoutError):
        return f"no connection within {policy.connect_timeout_s:g} s"
    if word == "timeout":
        return f"not done within {policy.total_timeout_s:g} s; {came} came"
    if word == "blocked":
        return (
            "not fetched: its address is in a private network or a special one, "
            "and the document that leads there is not"
        )
    if word == "dns":
        return f"the host has no address: {_reason(fault)}"
    if word == "tls":
        return f"no secure connection: {_reason(fault)}"
    if word == "protocol":
        return f"the answer is not HTTP: {_reason(fault)}"
    return f"no connection: {_reason(fault)}"


def _reason(fault: BaseException) -> str:
    """The shortest words of a fault, without what aiohttp wraps around them."""
    inner = getattr(fault, "os_error", None) or getattr(fault, "certificate_error", None) or fault
    words = getattr(inner, "strerror", None) or getattr(inner, "message", None) or str(inner)
    return " ".join(str(words).split())[:200] or type(inner).__name__


def _is_blocked(fault: BaseException | None) -> bool:
    while fault is not None:
        if isinstance(fault, BlockedError):
            return True
        fault = getattr(fault, "os_error", None) or fault.__cause__
    return False


def _phrase(status: int) -> str:
    try:
        return f" {HTTPStatus(status).phrase}"
    except ValueError:
        return ""
