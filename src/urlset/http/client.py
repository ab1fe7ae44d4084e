"""HTTP fetcher: perform one request with rate limiting, redirects, retries and SSRF protection."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from types import TracebackType
from typing import Self

from urlset.http.connections import ClosedConnectionError
from urlset.http.exchange import Hop, transfer
from urlset.http.host_clocks import HostClocks, PausedHostError
from urlset.http.known_responses import KnownResponses
from urlset.http.limits import HostLimiter, MemoryBudget, OutOfTimeError
from urlset.http.models import ErrorCode, NetworkScope, Request, Response, Secrets
from urlset.http.policy import FORBIDDEN_IN_HEADERS, Policy, RunPolicy
from urlset.http.request_url import host_of, origin_of, request_url
from urlset.http.retry import Attempts, RedirectChain, retry_after_s
from urlset.http.silent_hosts import SilentHosts
from urlset.http.ssrf import is_allowed_via_proxy, literal_address, scope_after
from urlset.http.transport import SessionPool
from urlset.inflight import track, track_wait

logger: logging.Logger = logging.getLogger("urlset.http")

REFUSALS = frozenset({429, 503})
"""Statuses whose ``Retry-After`` applies to the whole host."""

_LIMIT = "redirects, and the limit of requests is reached"
_LIMIT_OF_REPEATS = "the connection was closed, and the limit of requests is reached"

MAX_VALIDATOR = 4_096
"""Characters of an ``ETag`` or ``Last-Modified`` that is sent back: servers refuse requests with
longer headers, such as Apache above 8,190 bytes."""

MAX_ORIGINS = 1_000
"""Origins whose headers are cached."""


class Fetcher:
    """HTTP client that fetches requests within the limits of a policy.

    The caller must call :meth:`release` when it no longer needs a document: at most
    ``policy.concurrency`` documents are in memory.
    """

    def __init__(self, policy: Policy, on_waiting: Callable[[], None] | None = None):
        """Create a client; ``on_waiting`` is called when ``waiting`` grows."""
        self._policy = policy
        self._clocks = policy.clocks if isinstance(policy, RunPolicy) else HostClocks()
        self._known = policy.known if isinstance(policy, RunPolicy) else KnownResponses()
        self._silent = policy.silent_hosts if isinstance(policy, RunPolicy) else SilentHosts()
        self._limiter = HostLimiter(
            policy.concurrency,
            policy.per_host,
            self._clocks,
            policy.max_retry_after_s,
            on_waiting,
        )
        self._budget = MemoryBudget(policy.max_held_bytes)
        self._sessions = SessionPool(policy)
        self._public_hosts: set[str] = set()
        self._common_headers: dict[str, dict[str, str]] = {}

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
        await self._sessions.close()

    def abandon(self) -> None:
        """Close all connections without waiting."""
        self._sessions.abandon()

    def release(self, size: int) -> None:
        """Release the slot and the memory of a fetched document whose body has ``size`` bytes."""
        self._budget.release(size)
        self._limiter.release_document()

    @property
    def waiting(self) -> int:
        """Number of requests that wait for their host and hold no document."""
        return self._limiter.waiting

    async def fetch(self, request: Request) -> Response:
        """Fetch a request with retries; of failed attempts, return that which says most.

        A response that an earlier phase of the run has is returned without a request.
        """
        if request.etag or request.last_modified:
            etag, last_modified = _validator(request.etag), _validator(request.last_modified)
            request = request._replace(etag=etag, last_modified=last_modified)
        if (known := self._known.take(request)) is not None:
            await self._limiter.acquire_document()
            self._budget.acquire(len(known.body))
            return known
        if request.wait_s > 0:
            reason = request.wait_reason or f"for {_host_key(request.url)}"
            with self._limiter.wait(), track_wait(reason, request.wait_s):
                await asyncio.sleep(request.wait_s)
        attempts = Attempts(self._policy)
        left = self._policy.total_timeout_s
        while True:
            response = await self._follow(request, left)
            left -= response.seconds
            wait = attempts.add(response)
            if wait is None or wait >= left or not _may_continue(request):
                best = attempts.best()
                self._known.keep(best)
                self._budget.acquire(len(best.body))
                return best
            logger.info(
                "%s failed (%s), attempt %d; retry in %.1f s",
                _shown(request, response.url),
                response.status or response.error,
                attempts.count,
                wait,
            )
            self._limiter.release_document()
            if not self._clocks.pause_s(_host_key(response.url)):  # else the limiter waits
                with self._limiter.wait():
                    await asyncio.sleep(wait)
            left -= wait

    async def _follow(self, request: Request, left_s: float) -> Response:
        """Make one attempt: send the request and follow its redirects, which are unconditional."""
        url = request_url(request.url)
        if url is None:
            await self._limiter.acquire_document()
            return _failed(request, request.url, "bad-url", "not an http or https URL")
        redirects = RedirectChain(self._policy)
        is_followed = request.follows_redirects and request.method == "GET"
        scope, secrets = request.scope, request.secrets
        seconds = 0.0
        while True:
            try:
                response, scope = await self._hop(request, url, scope, left_s - seconds, secrets)
            except PausedHostError as pause:
                message = (
                    f"not requested: {_host_key(url)} asked for a pause (Retry-After), of which "
                    f"{pause.seconds:,.0f} s are left; try again then"
                )
                response = _failed(request, url, "paused", message)
            except OutOfTimeError:
                response = _failed(request, url, "unsent", "the limit of time is reached")
            seconds += response.seconds
            if response.scope != scope:
                response = response._replace(scope=scope)
            response, target = redirects.add(response, is_followed=is_followed)
            if target is None or not _may_follow(request, target):
                return response
            if not _may_continue(request):
                return response._replace(status=None, error="limit", message=_LIMIT, is_whole=False)
            self._limiter.release_document()
            url, secrets = target, None  # secrets are not for the target of a redirect
            # The validators are those of another resource, which may have the same ones.
            request = request._replace(etag=None, last_modified=None)

    async def _hop(
        self,
        request: Request,
        url: str,
        scope: NetworkScope,
        left_s: float,
        secrets: Secrets | None,
    ) -> tuple[Response, NetworkScope]:
        """Wait for a slot of the host, and send one request without following redirects.

        It is sent once more, at the pace of the host, if its connection was idle and is closed.
        """
        origin = origin_of(url) or ""
        delay = max(self._policy.delay_s, min(request.delay_s, self._policy.max_delay_s))
        may_repeat = True
        while True:
            slot = await self._limiter.acquire_slot(_authority(origin), delay, request.may_wait)
            began = time.monotonic()
            try:
                return await self._send(
                    request, url, origin, scope, left_s, secrets, may_repeat=may_repeat
                )
            except ClosedConnectionError:
                logger.debug("%s: the connection was closed; sent again", _shown(request, url))
                left_s -= time.monotonic() - began
            finally:
                self._limiter.release_slot(slot)
            may_repeat = False
            if not _may_continue(request):
                await self._limiter.acquire_document()
                return _failed(request, url, "limit", _LIMIT_OF_REPEATS), scope

    async def _send(
        self,
        request: Request,
        url: str,
        origin: str,
        scope: NetworkScope,
        left_s: float,
        secrets: Secrets | None,
        *,
        may_repeat: bool,
    ) -> tuple[Response, NetworkScope]:
        """Send one request, whose host and document have a slot.

        Raises:
            ClosedConnectionError: The request may be sent once more; it has no document slot.
        """
        host = host_of(origin)
        is_named = request.scope == "anywhere"
        if (refusal := self._silent.refusal(_authority(origin), is_named=is_named)) is not None:
            return _failed(request, url, "silent", refusal), scope
        if self._policy.allow_private:
            scope = "anywhere"
        elif self._policy.only_public or (scope == "anywhere" and host in self._public_hosts):
            # A site that the user named may be private; a public one stays public, even if
            # its name has another address the next time (DNS rebinding).
            scope = "public"
        proxy = self._sessions.proxy_for(origin)
        if proxy is not None and not is_allowed_via_proxy(scope, host):
            message = "not fetched: a private address, linked from a public document"
            return _failed(request, url, "blocked", message), "public"
        hop = Hop(
            url,
            origin,
            "anywhere" if proxy else scope,
            self._headers(request, origin),
            secrets,
            proxy,
            max(left_s, 0.001),
            may_repeat,
        )
        try:
            with track(_shown(request, request.url)):
                response, peer = await transfer(
                    self._sessions, request, hop, self._policy, self._budget
                )
        except BaseException:
            self._limiter.release_document()
            raise
        self._obey_pause(response, origin)
        self._silent.observe(_authority(origin), response)
        if proxy is not None and response.status is None:
            text = f"{response.message}; via {self._sessions.proxy_text(origin, proxy)}"
            response = response._replace(message=text)
        if logger.isEnabledFor(logging.DEBUG):
            logger.debug(
                "%s %s: %s, %d bytes in %.3f s",
                request.method,
                _shown(request, url),
                response.status if response.error in (None, "status") else response.error,
                len(response.body),
                response.seconds,
            )
        if self._policy.allow_private:
            return response, "anywhere"
        if proxy is not None:  # the peer address is that of the proxy
            peer = literal_address(host)
        found = scope_after(scope, peer)
        if scope == "anywhere" and found == "public" and peer is not None:
            self._public_hosts.add(host)
        return response, found

    def _obey_pause(self, response: Response, origin: str) -> None:
        """Pause a host that refuses a request and states for how long (``Retry-After``)."""
        if response.status not in REFUSALS:
            return
        seconds = retry_after_s(response.headers.get("retry-after"))
        if seconds:
            host = _authority(origin)
            logger.info("%s asks for a pause of %.0f s (HTTP %d)", host, seconds, response.status)
            self._clocks.pause(host, seconds)

    def _headers(self, request: Request, origin: str) -> dict[str, str]:
        if origin not in self._common_headers:
            if len(self._common_headers) >= MAX_ORIGINS:
                self._common_headers.clear()
            self._common_headers[origin] = self._policy.headers_for(origin)
        headers = dict(self._common_headers[origin])
        if request.etag:
            headers["If-None-Match"] = request.etag
        if request.last_modified:
            headers["If-Modified-Since"] = request.last_modified
        headers.update(request.headers)
        return headers


def _host_key(url: str) -> str:
    """Return name and port of the host of a URL: http and https of one name are one host."""
    return _authority(origin_of(url) or "")


def _authority(origin: str) -> str:
    return origin.partition("://")[2]


def _validator(value: str | None) -> str | None:
    """Return a header value of a server if it can be sent back; None if not."""
    if value is None or len(value) > MAX_VALIDATOR or FORBIDDEN_IN_HEADERS.search(value):
        return None
    return value


def _may_continue(request: Request) -> bool:
    return request.may_continue is None or request.may_continue()


def _may_follow(request: Request, target: str) -> bool:
    return request.may_follow is None or request.may_follow(target)


def _shown(request: Request, url: str) -> str:
    """Return the URL as logs show it: only its origin if the request is secret."""
    return origin_of(url) or "" if request.is_secret else url


def _failed(request: Request, url: str, error: ErrorCode, message: str) -> Response:
    return Response(request, url, error=error, message=message, is_whole=False)
