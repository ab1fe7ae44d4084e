"""The connections: aiohttp, with our resolver, our sockets and the proxies that are set."""

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
from aiohttp.client_proto import ResponseHandler

from urlset.http.models import NetworkScope
from urlset.http.policy import Policy
from urlset.http.ssrf import socket_factory

__all__ = ["PeerResponse", "SessionPool"]

DNS_TTL_S = 10
MAX_HEADER = 32_768
PIECE = 262_144


class PeerResponse(aiohttp.ClientResponse):
    """A response that remembers who gave it, which aiohttp forgets with the connection."""

    peer: str | None = None

    async def start(self, connection: Any) -> aiohttp.ClientResponse:
        """Note the address, and go on."""
        name = connection.transport.get_extra_info("peername") if connection.transport else None
        self.peer = str(name[0]) if isinstance(name, tuple) else None
        return await super().start(connection)


class _Handler(ResponseHandler):
    """Takes the head of a response by itself.

    A body that is longer than its Content-Length looks like a bad next response, and aiohttp
    drops the good one for it, too, where both are in one piece.
    """

    def data_received(self, data: bytes) -> None:
        """Take a piece, or the two that it is."""
        end = data.find(b"\r\n\r\n") + 4 if data.startswith(b"HTTP/") else 0
        if 4 <= end < len(data):
            super().data_received(data[:end])
            data = data[end:]
        super().data_received(data)


class SessionPool:
    """One pool of connections for each reach, so that none is used for what may not reach it."""

    def __init__(self, policy: Policy):
        self._policy = policy
        self._sessions: dict[NetworkScope, aiohttp.ClientSession] = {}
        self._resolver = _Resolver()

    def session(self, reach: NetworkScope) -> aiohttp.ClientSession:
        """The session whose sockets go no farther than ``reach``."""
        if reach not in self._sessions:
            self._sessions[reach] = self._open(reach)
        return self._sessions[reach]

    def proxy_for(self, origin: str) -> str | None:
        """The proxy for an origin: the policy's, or that of the environment."""
        scheme, _, authority = origin.partition("://")
        proxies: Mapping[str, str] | None = self._policy.proxies
        if proxies is None:
            proxies = getproxies_environment()
            if _is_direct(authority, proxies.get("no", "")):
                return None
        proxy = proxies.get(scheme) or proxies.get("all")
        return proxy if not proxy or "://" in proxy else f"http://{proxy}"

    async def close(self) -> None:
        """Close all connections, at once."""
        for session in self._sessions.values():
            await session.close()
        await asyncio.sleep(0)  # a transport closes in the next round of the loop

    def abandon(self) -> None:
        """Close all connections where nothing can be awaited; their ends come with the loop."""
        for session in self._sessions.values():
            connector = session.connector
            session.detach()
            if connector is not None:
                connector._close()  # as close(), which is to be awaited
        self._sessions.clear()

    def _open(self, reach: NetworkScope) -> aiohttp.ClientSession:
        policy = self._policy
        connector = aiohttp.TCPConnector(
            limit=0,  # turns.py counts
            resolver=self._resolver,
            ttl_dns_cache=DNS_TTL_S,
            socket_factory=socket_factory(reach),
        )
        # Beware: of a private name. Where it goes, test_length_too_short_… says what is lost.
        connector._factory = partial(_Handler, loop=asyncio.get_running_loop())  # type: ignore[assignment]
        return aiohttp.ClientSession(
            connector=connector,
            response_class=PeerResponse,
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,  # unpacking.py does, under a cap
            read_bufsize=PIECE,
            max_line_size=MAX_HEADER,
            max_field_size=MAX_HEADER,
            timeout=aiohttp.ClientTimeout(
                total=None, connect=policy.connect_timeout_s, sock_read=policy.read_timeout_s
            ),
        )


def _is_direct(authority: str, exceptions: str) -> bool:
    """Tell a host that ``no_proxy`` names: itself, a domain above it, or ``*`` for all."""
    host = authority.rpartition(":")[0] if ":" in authority.rpartition("]")[2] else authority
    for name in exceptions.replace(" ", ",").split(","):
        plain = name.strip().lower().removeprefix("*").removeprefix(".")
        if name.strip() == "*" or (plain and plain in (host, authority)):
            return True
        if plain and host.endswith(f".{plain}"):
            return True
    return False


class _Resolver(AbstractResolver):
    """Looks names up in a thread that nobody waits for.

    The loop's own threads are joined when Python ends: a name server that does not answer
    would hold Ctrl-C up for half a minute.
    """

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """Look a name up; raises ``OSError`` where it has no address."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[list[Any]] = loop.create_future()

        def settle(found: list[Any] | OSError) -> None:
            if future.done():
                return
            if isinstance(found, OSError):
                future.set_exception(found)
            else:
                future.set_result(found)

        def run() -> None:
            try:
                found: list[Any] | OSError = lookup(host, port, family)
            except OSError as error:
                found = error
            except UnicodeError as error:  # a label of more than 63 characters
                found = socket.gaierror(socket.EAI_NONAME, str(error))
            with contextlib.suppress(RuntimeError):  # the loop is closed: nobody wants to know
                loop.call_soon_threadsafe(settle, found)

        threading.Thread(target=run, daemon=True, name=f"lookup {host}").start()
        return [
            ResolveResult(
                hostname=host,
                host=address[0] if len(address) < 4 or not address[3] else _scoped(address),
                port=address[1],
                family=kind,
                proto=protocol,
                flags=socket.AI_NUMERICHOST | socket.AI_NUMERICSERV,
            )
            for kind, _, protocol, _, address in await future
        ]

    async def close(self) -> None:
        """There is nothing to close."""


def lookup(host: str, port: int, family: int) -> list[Any]:
    """The addresses of a name, as the system knows them."""
    return socket.getaddrinfo(host, port, family=family, type=socket.SOCK_STREAM)


def _scoped(address: tuple[Any, ...]) -> str:
    return socket.getnameinfo(address, socket.NI_NUMERICHOST)[0]
