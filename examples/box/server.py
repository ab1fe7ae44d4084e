"""Serve the sites in the box on free ports of loopback, with random faults if a seed is given."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
import threading
from collections import Counter
from collections.abc import Iterable
from http import HTTPStatus
from random import Random
from types import TracebackType
from typing import Self

from .answers import Answer, answer, key_of
from .pages import Site, sites

KINDS = ("429", "503", "timeout", "reset")
"""What a random fault does: a status, no answer at all, or a connection that is reset."""


class RandomFaults:
    """Faults that a seed decides, for the pages of a site; never for files beside the pages.

    Args:
        seed: The seed.
        share: Share of the pages that fail at each visit.
        once: Share of the pages that fail at the first request only.
        kinds: Faults to choose from.
    """

    def __init__(
        self,
        seed: int,
        *,
        share: float = 0.05,
        once: float = 0.05,
        kinds: Iterable[str] = KINDS,
    ):
        self._seed = seed
        self._share, self._once = share, once
        self._kinds = tuple(kinds)

    def kind_of(self, site: Site, path: str) -> tuple[str, bool]:
        """Return the fault of a page, or "", and whether only the first request fails."""
        if path in ("/robots.txt", "/llms.txt") or path.endswith((".xml", ".xml.gz")):
            return "", False
        if path.startswith("/private/"):  # robots.txt disallows it, so it is never requested
            return "", False
        chance = Random(f"{self._seed} {site.name} {path}")
        kind = chance.choice(self._kinds)
        where = chance.random()
        if where < self._share:
            return kind, False
        return (kind, True) if where < self._share + self._once else ("", False)

    def affected(self, site: Site) -> set[str]:
        """Return the paths of the pages that fail at each visit."""
        kinds = {path: self.kind_of(site, path) for path in site.pages}
        return {path for path, (kind, is_once) in kinds.items() if kind and not is_once}


class Box:
    """A server in a thread: ``with Box() as box: audit(box.origin("shop"))``.

    Args:
        faults: Random faults; none by default.
        tls: Certificate of the sites that answer over TLS, at the port of their http; None for no
            TLS.
        untrusted: Certificate of sites whose data says that nobody trusts it.

    Attributes:
        sites: The sites by name; a site can be replaced by one with other sitemaps.
        requests: Requests by name of the site and target.
    """

    def __init__(
        self,
        *,
        faults: RandomFaults | None = None,
        tls: ssl.SSLContext | None = None,
        untrusted: ssl.SSLContext | None = None,
    ):
        self.sites = sites()
        self.requests: Counter[tuple[str, str]] = Counter()
        self._faults = faults
        self._contexts = {"same": tls, "redirect": tls, "untrusted": untrusted}
        self._ports: dict[str, int] = {}
        self._pages = {
            (site.name, key_of(path)): path for site in self.sites.values() for path in site.pages
        }
        self._loop = asyncio.new_event_loop()
        self._is_ready = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        self._is_ready.wait()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._loop.call_soon_threadsafe(self._closing.set)
        self._thread.join(5)

    def origin(self, name: str) -> str:
        """Return scheme, host and port of a site."""
        return f"http://127.0.0.1:{self._ports[name]}"

    def expected(self, name: str) -> set[tuple[str, str]]:
        """Return pairs of a rule and a URL: all that is wrong with a site."""
        origin, site = self.origin(name), self.sites[name]
        has_tls = self._contexts.get(site.https) is not None
        return {
            (rule, origin + path)
            for rule, path in site.expected
            if has_tls or rule != "https-available"
        }

    def affected(self, name: str) -> set[str]:
        """Return the URLs of a site that a random fault affects at each visit."""
        paths = self._faults.affected(self.sites[name]) if self._faults else set()
        return {self.origin(name) + path for path in paths}

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._serve())
        self._loop.close()

    async def _serve(self) -> None:
        self._closing = asyncio.Event()
        servers = [socket.create_server(("127.0.0.1", 0), backlog=256) for _ in self.sites]
        tasks = []
        for name, server in zip(self.sites, servers, strict=True):
            server.setblocking(False)
            self._ports[name] = server.getsockname()[1]
            tasks.append(asyncio.create_task(self._accept(name, server)))
        self._is_ready.set()
        await self._closing.wait()
        for server in servers:
            self._loop.remove_reader(server)
            server.close()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    async def _accept(self, name: str, server: socket.socket) -> None:
        tasks = set()
        while True:
            connection, _ = await self._loop.sock_accept(server)
            task = asyncio.create_task(self._connect(name, connection))
            tasks.add(task)
            task.add_done_callback(tasks.discard)

    async def _connect(self, name: str, connection: socket.socket) -> None:
        """Answer a connection in TLS if its first byte is that of TLS, else in plain HTTP."""
        context = None
        with contextlib.suppress(OSError, asyncio.CancelledError):
            if await self._first_byte(connection) == b"\x16":
                context = self._contexts.get(self.sites[name].https)
                if context is None:
                    connection.close()
                    return
            reader = asyncio.StreamReader()

            async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
                await self._connection(self.sites[name], reader, writer)

            protocol = asyncio.StreamReaderProtocol(reader, connected)
            await self._loop.connect_accepted_socket(lambda: protocol, connection, ssl=context)

    async def _first_byte(self, connection: socket.socket) -> bytes:
        """Return the first byte, which stays in the buffer of the connection."""
        connection.setblocking(False)
        is_ready = asyncio.Event()
        self._loop.add_reader(connection, is_ready.set)
        try:
            await is_ready.wait()
        finally:
            self._loop.remove_reader(connection)
        return connection.recv(1, socket.MSG_PEEK)

    async def _connection(
        self, site: Site, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        expected_errors = (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError)
        with contextlib.suppress(*expected_errors):
            while await self._exchange(site, reader, writer):
                pass
        writer.close()

    async def _exchange(
        self, site: Site, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        """Answer one request and return whether the connection stays open."""
        request = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        first, *lines = request.split("\r\n")
        method, target, _ = first.split(" ")
        pairs = [line.partition(":") for line in lines]
        headers = {name.lower(): value.strip() for name, _, value in pairs}
        path = target.partition("?")[0]
        path = self._pages.get((site.name, key_of(path)), path)
        if site.https == "redirect" and writer.get_extra_info("ssl_object") is not None:
            return await self._send(
                _moved(self.origin(site.name) + target), method, headers, writer
            )
        self.requests[site.name, target] += 1
        is_first = self.requests[site.name, target] == 1
        kind, is_once = self._faults.kind_of(site, path) if self._faults else ("", False)
        if kind and (is_first or not is_once):
            return await self._fail(kind, writer)
        found = answer(site, path, self.origin(site.name))
        if found.serve in ("hang-up", "reset"):
            return await self._fail(found.serve, writer)
        refusal = {"not-for-bots": "403", "limits-bots": "429"}.get(found.serve)
        if refusal and "bot" in headers.get("user-agent", "").lower():
            return await self._fail(refusal, writer)
        if found.first and is_first:
            return await self._fail(str(found.first), writer)
        return await self._send(found, method, headers, writer)

    async def _fail(self, kind: str, writer: asyncio.StreamWriter) -> bool:
        if kind == "timeout":
            await self._closing.wait()
        elif kind == "reset":
            writer.transport.abort()
        elif kind != "hang-up":
            retry = (("Retry-After", "0"),) if kind == "429" else ()
            writer.write(_head(int(kind), (*retry, ("Content-Length", "0"))))
            await writer.drain()
            return True
        return False

    async def _send(
        self, found: Answer, method: str, headers: dict[str, str], writer: asyncio.StreamWriter
    ) -> bool:
        status, fields, body = found.status, found.headers, found.body
        if method != "GET" and (found.serve == "no-head" or method != "HEAD"):
            status, body = 405, b""
        if found.serve != "ignores-conditions" and status == 200 and _is_unchanged(fields, headers):
            writer.write(_head(304, fields))
            await writer.drain()
            return True
        if found.serve == "chunked":
            writer.write(_head(status, (*fields, ("Transfer-Encoding", "chunked"))))
            for start in range(0, len(body), 100):
                piece = body[start : start + 100]
                writer.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
            writer.write(b"0\r\n\r\n")
        else:
            length = ("Content-Length", str(len(body)))
            is_cut = found.serve == "cut"
            sent = body[: len(body) // 2] if is_cut else body
            writer.write(_head(status, (*fields, length)) + (b"" if method == "HEAD" else sent))
        await writer.drain()
        return found.serve != "cut"


def _moved(url: str) -> Answer:
    return Answer(301, (("Location", url),), b"")


def _is_unchanged(fields: tuple[tuple[str, str], ...], headers: dict[str, str]) -> bool:
    """Return whether the answer is 304, by RFC 9110 section 13.1."""
    own = dict(fields)
    tags = headers.get("if-none-match")
    if tags is not None:
        return own.get("ETag", "none") in tags.split(", ")
    since = headers.get("if-modified-since")
    return since is not None and since == own.get("Last-Modified")


def _head(status: int, fields: tuple[tuple[str, str], ...]) -> bytes:
    lines = [f"HTTP/1.1 {status} {HTTPStatus(status).phrase}"]
    lines += [f"{name}: {value}" for name, value in fields]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()
