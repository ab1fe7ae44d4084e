"""aiohttp sessions with our DNS resolver, guarded sockets and the configured proxies."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
from collections.abc import Mapping
from functools import partial
from typing import Any
from urllib.request import getproxies_environment

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult

from urlset.http.connections import MAX_HEADER, READ_BUFFER, ConnectionHandler, OriginConnections
from urlset.http.models import NetworkScope
from urlset.http.policy import Policy
from urlset.http.request_url import origin_of
from urlset.http.ssrf import socket_factory

DNS_TTL_S = 60
"""Seconds for which the addresses of a name are kept; the system does not tell their lifetime."""
MAX_NAMES = 1_000
"""Names whose addresses are kept."""
MAX_ORIGINS = 1_000
"""Origins and network scopes whose connections are cached."""


class PeerResponse(aiohttp.ClientResponse):
    """Response of aiohttp that keeps the address of its peer after the connection is closed."""

    peer: str | None = None

    async def start(self, connection: Any) -> aiohttp.ClientResponse:
        """Record the address of the peer, then start as the base class does."""
        name = connection.transport.get_extra_info("peername") if connection.transport else None
        self.peer = str(name[0]) if isinstance(name, tuple) else None
        return await super().start(connection)


class SessionPool:
    """Sessions of aiohttp by network scope, so that scopes never share a connection."""

    def __init__(self, policy: Policy):
        self._policy = policy
        self._sessions: dict[NetworkScope, aiohttp.ClientSession] = {}
        self._origins: dict[tuple[NetworkScope, str], OriginConnections] = {}
        self._resolver = _Resolver()
        # The environment is read once: that takes a third of the time of a request.
        given = policy.proxies
        self._proxies: Mapping[str, str] = getproxies_environment() if given is None else given
        self._exceptions = self._proxies.get("no", "") if given is None else ""

    def session(self, scope: NetworkScope) -> aiohttp.ClientSession:
        """Return the session whose sockets connect to addresses of ``scope`` only."""
        if scope not in self._sessions:
            self._sessions[scope] = self._open(scope)
        return self._sessions[scope]

    def connections(self, scope: NetworkScope, origin: str) -> OriginConnections:
        """Return the connections to an origin, with addresses of ``scope`` only."""
        found = self._origins.get((scope, origin))
        if found is None:
            if len(self._origins) >= MAX_ORIGINS:
                self._origins.clear()
            found = OriginConnections(self.session(scope), origin)
            self._origins[scope, origin] = found
        return found

    def proxy_for(self, origin: str) -> str | None:
        """Return the proxy for an origin: that of the policy, or of the environment."""
        if not self._proxies:
            return None
        scheme, _, authority = origin.partition("://")
        if _is_direct(authority, self._exceptions):
            return None
        proxy = self._proxies.get(scheme) or self._proxies.get("all")
        return proxy if not proxy or "://" in proxy else f"http://{proxy}"

    def proxy_text(self, origin: str, proxy: str) -> str:
        """Return what a message says about the proxy of an origin: where it is and who set it."""
        name = origin.partition("://")[0]
        name = name if self._proxies.get(name) else "all"
        place = f"${name}_proxy" if self._policy.proxies is None else "Policy.proxies"
        return f"the proxy {origin_of(proxy) or 'with an invalid URL'}, which is set in {place}"

    async def close(self) -> None:
        """Close all connections."""
        for session in self._sessions.values():
            await session.close()
        await asyncio.sleep(0)  # a transport closes in the next iteration of the loop

    def abandon(self) -> None:
        """Start to close all connections without awaiting; the event loop ends the closing."""
        for session in self._sessions.values():
            connector = session.connector
            session.detach()
            if connector is not None:
                connector._close()  # the part of close() that is not async
        self._sessions.clear()

    def _open(self, scope: NetworkScope) -> aiohttp.ClientSession:
        policy = self._policy
        connector = aiohttp.TCPConnector(
            limit=0,  # HostLimiter limits them
            resolver=self._resolver,
            use_dns_cache=False,  # the resolver has one for all sessions
            socket_factory=socket_factory(scope),
        )
        # Note: a private name. If aiohttp removes it, test_length_too_short_… shows the effect.
        connector._factory = partial(ConnectionHandler, loop=asyncio.get_running_loop())  # type: ignore[assignment]
        session = aiohttp.ClientSession(
            connector=connector,
            response_class=PeerResponse,
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,  # content_encoding.py decodes, with a size limit
            read_bufsize=READ_BUFFER,
            max_line_size=MAX_HEADER,
            max_field_size=MAX_HEADER,
            timeout=aiohttp.ClientTimeout(
                total=None, connect=policy.connect_timeout_s, sock_read=policy.read_timeout_s
            ),
        )
        # Note: a private name. aiohttp sends a GET again at once, without the delay of its host.
        session._retry_connection = False
        return session


def _is_direct(authority: str, exceptions: str) -> bool:
    """Return whether ``no_proxy`` names a host: itself, a parent domain, or ``*`` for all."""
    host = authority.rpartition(":")[0] if ":" in authority.rpartition("]")[2] else authority
    for name in exceptions.replace(" ", ",").split(","):
        plain = name.strip().lower().removeprefix("*").removeprefix(".")
        if name.strip() == "*" or (plain and plain in (host, authority)):
            return True
        if plain and host.endswith(f".{plain}"):
            return True
    return False


class _Resolver(AbstractResolver):
    """DNS resolver that looks up names in daemon threads, and each name once for all sessions.

    The threads of the event loop are joined when Python exits: a name server that does not
    respond would delay Ctrl-C by half a minute.
    """

    def __init__(self) -> None:
        self._lookups: dict[tuple[str, int], _Lookup] = {}

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """Look up a name; raises ``OSError`` if it has no address."""
        key = (host, family)
        found = self._lookups.get(key)
        if found is None or found.is_over:
            if len(self._lookups) >= MAX_NAMES:
                self._lookups.clear()
            found = self._lookups[key] = _Lookup(host, family)
        # A request that ends does not end the lookup: others wait for it.
        addresses = await asyncio.shield(found.addresses)
        return [
            ResolveResult(
                hostname=host,
                host=address[0] if len(address) < 4 or not address[3] else _scoped(address),
                port=port,
                family=kind,
                proto=protocol,
                flags=socket.AI_NUMERICHOST | socket.AI_NUMERICSERV,
            )
            for kind, _, protocol, _, address in addresses
        ]

    async def close(self) -> None:
        """Do nothing, as the resolver has nothing to close."""


class _Lookup:
    """Lookup of a name, running or done."""

    def __init__(self, host: str, family: int):
        self._loop = asyncio.get_running_loop()
        self._ended: float | None = None
        self.addresses: asyncio.Future[list[Any]] = self._loop.create_future()
        run = partial(self._run, host, family)
        threading.Thread(target=run, daemon=True, name=f"lookup {host}").start()

    @property
    def is_over(self) -> bool:
        """Whether the result is not used again: it is old, or an error."""
        if self._ended is None:
            return False
        is_error = self.addresses.cancelled() or self.addresses.exception() is not None
        return is_error or self._loop.time() - self._ended >= DNS_TTL_S

    def _run(self, host: str, family: int) -> None:
        try:
            found: list[Any] | OSError = lookup(host, 0, family)
        except OSError as error:
            found = error
        except UnicodeError as error:  # a label of more than 63 characters
            found = socket.gaierror(socket.EAI_NONAME, str(error))
        with contextlib.suppress(RuntimeError):  # the loop is closed: the result is not needed
            self._loop.call_soon_threadsafe(self._settle, found)

    def _settle(self, found: list[Any] | OSError) -> None:
        self._ended = self._loop.time()
        if self.addresses.done():
            return
        if isinstance(found, OSError):
            self.addresses.set_exception(found)
            self.addresses.exception()  # retrieved, also if nobody waits any more
        else:
            self.addresses.set_result(found)


def lookup(host: str, port: int, family: int) -> list[Any]:
    """Return the addresses of a name from the system resolver."""
    return socket.getaddrinfo(host, port, family=family, type=socket.SOCK_STREAM)


def _scoped(address: tuple[Any, ...]) -> str:
    return socket.getnameinfo(address, socket.NI_NUMERICHOST)[0]
