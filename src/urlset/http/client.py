"""A fetch from beginning to end: its turn, its redirects, its retries."""

from __future__ import annotations

import asyncio
from itertools import count
from types import TracebackType
from typing import Self

from urlset.http.exchange import Hop, transfer
from urlset.http.memory_budget import MemoryBudget
from urlset.http.models import ErrorWord, NetworkScope, Request, Response
from urlset.http.policy import Policy
from urlset.http.rate_limiter import HostLimiter
from urlset.http.request_url import host_of, origin_of, request_url
from urlset.http.retry import retry_after_s, wait_before_retry_s
from urlset.http.ssrf import literal_address, may_ask_proxy, scope_after
from urlset.http.transport import SessionPool
from urlset.inflight import track
from urlset.urls import resolve

__all__ = ["Fetcher"]

REDIRECTS = frozenset({301, 302, 303, 307, 308})


class Fetcher:
    """Fetches, each request to its end, whatever that is.

    Whoever gets a response calls :meth:`leave` when the document is done with: there is room
    for ``policy.concurrency`` of them.
    """

    def __init__(self, policy: Policy):
        self._policy = policy
        self._turns = HostLimiter(policy.concurrency, policy.per_host)
        self._room = MemoryBudget(policy.max_held_bytes)
        self._connections = SessionPool(policy)
        self._public_hosts: set[str] = set()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Close all connections."""
        await self._connections.close()

    def abandon(self) -> None:
        """Close all connections without waiting for it."""
        self._connections.abandon()

    def leave(self, size: int) -> None:
        """Make room for another document; ``size`` is that of the body that is done with."""
        self._room.drop(size)
        self._turns.leave()

    async def fetch(self, request: Request) -> Response:
        """Fetch, with retries; of several attempts that failed the one that brought most counts."""
        left = self._policy.total_timeout_s
        best: Response | None = None
        for attempt in count(1):
            response = await self._follow(request, left)
            left -= response.seconds
            best = _better(best, response)
            wait = wait_before_retry_s(response, attempt, self._policy)
            if wait is None or wait >= left:
                self._room.keep(len(best.body))
                return _told(best, response, attempt)
            is_asked = response.error == "status" and "retry-after" in response.headers
            if is_asked:
                self._turns.pause(origin_of(response.url) or "", wait)
            self._turns.leave()
            if not is_asked:
                await asyncio.sleep(wait)
            left -= wait
        raise AssertionError("unreachable")

    async def _follow(self, request: Request, left_s: float) -> Response:
        """Go after the redirects of one attempt."""
        url = request_url(request.url)
        if url is None:
            await self._turns.enter()
            return _failed(request, request.url, "bad-url", "not an http or https URL")
        reach = request.reach
        hops: list[str] = []
        seconds = 0.0
        while True:
            response, reach = await self._hop(request, url, reach, left_s - seconds)
            seconds += response.seconds
            response = response._replace(redirects=tuple(hops), seconds=seconds, reach=reach)
            if response.status not in REDIRECTS:
                return response
            hops.append(url)
            location = _location(response)
            fault = self._why_not(location, url, hops)
            if location is None or fault is not None:
                word, words = fault or ("bad-redirect", "a redirect without a target")
                return response._replace(error=word, message=words, body=b"", is_whole=False)
            self._turns.leave()
            url = location

    def _why_not(
        self, location: str | None, url: str, hops: list[str]
    ) -> tuple[ErrorWord, str] | None:
        """Why a redirect is not followed, or None."""
        if location is None:
            return "bad-redirect", f"{url} redirects, but not to an http or https URL"
        if location in hops:
            return "redirect-loop", f"redirects in a circle: back to {location}"
        if len(hops) > self._policy.max_redirects:
            return "too-many-redirects", f"more than {self._policy.max_redirects} redirects"
        return None

    async def _hop(
        self, request: Request, url: str, reach: NetworkScope, left_s: float
    ) -> tuple[Response, NetworkScope]:
        """Wait for a turn and send one request: its response, and the reach of what it says."""
        origin = origin_of(url) or ""
        host = host_of(origin)
        delay = max(self._policy.delay_s, min(request.delay_s, self._policy.max_delay_s))
        async with self._turns.at(origin, delay):
            if self._policy.allow_private:
                reach = "anywhere"
            elif reach == "anywhere" and host in self._public_hosts:
                # A site that the user named may be private; one that is public stays so, even
                # where its name has another address the next time.
                reach = "public"
            proxy = self._connections.proxy_for(origin)
            if proxy is not None and not may_ask_proxy(reach, host):
                words = "not fetched: a private address, and the document that leads there is not"
                return _failed(request, url, "blocked", words), "public"
            hop = Hop(url, self._headers(request, origin), proxy, max(left_s, 0.001))
            session = self._connections.session("anywhere" if proxy else reach)
            try:
                with track(request.url):
                    response, peer = await transfer(session, request, hop, self._policy, self._room)
            except BaseException:
                self._turns.leave()
                raise
        if self._policy.allow_private:
            return response, "anywhere"
        if proxy is not None:  # then the address is the proxy's, and tells nothing
            peer = literal_address(host)
        found = scope_after(reach, peer)
        if reach == "anywhere" and found == "public" and peer is not None:
            self._public_hosts.add(host)
        return response, found

    def _headers(self, request: Request, origin: str) -> dict[str, str]:
        headers = self._policy.headers_for(origin)
        if request.etag:
            headers["If-None-Match"] = request.etag
        if request.last_modified:
            headers["If-Modified-Since"] = request.last_modified
        return headers | dict(request.headers)


def _better(best: Response | None, response: Response) -> Response:
    if best is None or (response.has_document and response.error is None):
        return response
    return best if best.has_document and len(best.body) >= len(response.body) else response


def _told(best: Response, last: Response, attempts: int) -> Response:
    """The response that is given out, with what the attempts came to."""
    message = best.message
    if message and attempts > 1:
        message += f" ({attempts} attempts)"
    asked = retry_after_s(last.headers.get("retry-after"))
    if message and asked and last is best and best.error == "status":
        message += f"; the server asks to come back after {asked:,.0f} s"
    return best._replace(attempts=attempts, message=message)


def _failed(request: Request, url: str, error: ErrorWord, message: str) -> Response:
    return Response(request, url, error=error, message=message, is_whole=False)


def _location(response: Response) -> str | None:
    """Where a redirect leads, as a URL to be requested."""
    text = response.headers.get("location")
    if text is None:
        return None
    # HTTP has bytes there; aiohttp makes half surrogates of those that are not UTF-8.
    raw = text.strip().encode(errors="surrogateescape")
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        text = raw.decode("latin-1")
    return request_url(resolve(text, response.url))
