"""A site in a box: a server on loopback that plays real sites, with all that goes wrong there.

It writes the bytes of its answers itself, so that it can misbehave. A *player* plays one answer:
``async def player(hit, wire) -> bool``, true where the connection may be used again.
"""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import threading
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from http import HTTPStatus
from threading import Event
from typing import NamedTuple, Self

XML = "application/xml"


class Hit(NamedTuple):
    """A request that came: its target, its headers in lower case, and which of its path it is."""

    path: str
    headers: dict[str, str]
    number: int
    at: float
    method: str = "GET"
    body: bytes = b""


class Wire:
    """The server's end of a connection."""

    def __init__(self, writer: asyncio.StreamWriter, closing: asyncio.Event):
        self._writer = writer
        self._closing = closing

    async def send(self, data: bytes) -> None:
        self._writer.write(data)
        await self._writer.drain()

    async def wait(self, seconds: float | None = None) -> None:
        """Do nothing for a while, or until the box is closed."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._closing.wait(), seconds)

    def reset(self) -> None:
        self._writer.transport.abort()


Player = Callable[[Hit, Wire], Awaitable[bool]]


class SiteBox:
    """A server in a thread: ``with SiteBox() as box: box.put("/sitemap.xml", …)``."""

    def __init__(self, host: str = "127.0.0.1"):
        self.host = host
        self.port = 0
        self.hits: list[Hit] = []
        self.players: dict[str, Player] = {}
        self.otherwise: Player = page(b"<html>nothing here</html>", 404, kind="text/html")
        self.open_now = self.open_most = 0
        self._counts: Counter[str] = Counter()
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        self._ready.wait()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._closing.set)
        self._thread.join(5)

    @property
    def site(self) -> str:
        return f"http://{self.host}:{self.port}"

    @property
    def paths(self) -> list[str]:
        """What was asked for, in order."""
        return [hit.path for hit in self.hits]

    def url(self, path: str) -> str:
        return self.site + path

    def play(self, path: str, player: Player) -> str:
        """Play something at a path, and give its URL."""
        self.players[path] = player
        return self.url(path)

    def put(self, path: str, body: bytes | str, status: int = 200, **headers: str) -> str:
        return self.play(path, page(body, status, **headers))

    def put_urlset(self, path: str, count: int = 1) -> str:
        """Put a sitemap whose URLs begin with its own."""
        return self.put(path, urlset_of(self.url(path), count))

    def put_index(self, path: str, children: Iterable[str]) -> str:
        """Put an index of children, given as paths or URLs."""
        locs = [child if "://" in child else self.url(child) for child in children]
        return self.put(path, index_of(locs))

    def put_robots(self, *lines: str) -> str:
        return self.put("/robots.txt", "\n".join(lines), kind="text/plain")

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._serve())
        self._loop.close()

    async def _serve(self) -> None:
        self._closing = asyncio.Event()
        server = await asyncio.start_server(self._connection, self.host, 0, limit=1 << 20)
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._closing.wait()
        for sock in server.sockets:
            self._loop.remove_reader(sock.fileno())
        # A connection that was accepted before gets its transport first: asyncio leaves its socket
        # open if the server is closed, or its task cancelled, between the two.
        await self._next_steps()
        server.close()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)
        await self._next_steps()  # in which the transports close their sockets

    @staticmethod
    async def _next_steps() -> None:
        """Let what is under way in the loop take its next steps: those of a new connection."""
        for _ in range(5):
            await asyncio.sleep(0)

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        wire = Wire(writer, self._closing)
        try:
            while hit := await self._hit(reader, wire):
                self.open_now += 1
                self.open_most = max(self.open_most, self.open_now)
                try:
                    player = self.players.get(hit.path, self.otherwise)
                    is_open = await player(hit, wire)
                finally:
                    self.open_now -= 1
                if not is_open:
                    break
        # Cancelled: asyncio 3.11 complains of a connection that is, though the box only closes.
        except (
            ConnectionError,
            asyncio.IncompleteReadError,
            asyncio.LimitOverrunError,
            asyncio.CancelledError,
        ):
            pass
        finally:
            writer.close()

    async def _hit(self, reader: asyncio.StreamReader, wire: Wire) -> Hit | None:
        start = await reader.readexactly(1)
        if start == b"\x16":  # a client that wants TLS
            await wire.send(head(400, 0))
            return None
        request = start + await reader.readuntil(b"\r\n\r\n")
        first, *lines = request.decode("latin-1").split("\r\n")
        method, path, _ = first.split(" ")
        headers = {}
        for line in lines:
            name, colon, value = line.partition(":")
            if colon:
                headers[name.lower()] = value.strip()
        self._counts[path] += 1
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        hit = Hit(path, headers, self._counts[path], time.monotonic(), method, body)
        self.hits.append(hit)
        return hit


# What a site serves.


def urlset_of(prefix: str, count: int) -> bytes:
    rows = "".join(f"<url><loc>{prefix}/{n}</loc></url>\n" for n in range(count))
    root = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{root}\n{rows}</urlset>'.encode()


def index_of(locs: Iterable[str]) -> bytes:
    rows = "".join(f"<sitemap><loc>{loc}</loc></sitemap>\n" for loc in locs)
    root = '<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{root}\n{rows}</sitemapindex>'.encode()


def gz(data: bytes) -> bytes:
    return gzip.compress(data, 6, mtime=0)


def head(
    status: int = 200, length: int | None = None, kind: str | None = XML, **headers: str
) -> bytes:
    """The head of an answer; ``x_y`` is the header ``x-y``."""
    known = {s.value: s.phrase for s in HTTPStatus}
    lines = [f"HTTP/1.1 {status} {known.get(status, 'Odd')}"]
    if length is not None:
        lines.append(f"content-length: {length}")
    if kind is not None:
        lines.append(f"content-type: {kind}")
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode(errors="surrogateescape")


# Players: how it is served.


def page(body: bytes | str, status: int = 200, *, kind: str | None = XML, **headers: str) -> Player:
    """An honest answer."""
    data = body.encode() if isinstance(body, str) else body

    async def play(_hit: Hit, wire: Wire) -> bool:
        await wire.send(head(status, len(data), kind, **headers) + data)
        return True

    return play


def redirect(to: str, status: int = 302, **headers: str) -> Player:
    return page(b"", status, location=to, **headers)


def in_turn(*players: Player) -> Player:
    """A different answer each time; the last one for ever."""

    async def play(hit: Hit, wire: Wire) -> bool:
        return await players[min(hit.number, len(players)) - 1](hit, wire)

    return play


def slow(seconds: float, player: Player) -> Player:
    async def play(hit: Hit, wire: Wire) -> bool:
        await wire.wait(seconds)
        return await player(hit, wire)

    return play


def held(is_free: Event, player: Player) -> Player:
    """Answer only when the test allows it."""

    async def play(hit: Hit, wire: Wire) -> bool:
        while not is_free.is_set():
            await wire.wait(0.01)
        return await player(hit, wire)

    return play


def cut(body: bytes, at: int, **headers: str) -> Player:
    """The connection ends before the body does."""

    async def play(_hit: Hit, wire: Wire) -> bool:
        await wire.send(head(200, len(body), **headers) + body[:at])
        return False

    return play


def claims(length: int, body: bytes) -> Player:
    """A Content-Length that is not that of the body."""

    async def play(_hit: Hit, wire: Wire) -> bool:
        await wire.send(head(200, length) + body)
        return True

    return play


def chunked(body: bytes, size: int, *, cut_at: int | None = None, **headers: str) -> Player:
    """A chunked body, with its end or without."""

    async def play(_hit: Hit, wire: Wire) -> bool:
        await wire.send(head(200, None, transfer_encoding="chunked", **headers))
        for start in range(0, len(body if cut_at is None else body[:cut_at]), size):
            piece = body[start : start + size]
            await wire.send(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
        if cut_at is None:
            await wire.send(b"0\r\n\r\n")
        return cut_at is None

    return play


def until_close(body: bytes) -> Player:
    """No length at all: the end of the connection is the end of the body."""

    async def play(_hit: Hit, wire: Wire) -> bool:
        await wire.send(head(200, None, connection="close") + body)
        return False

    return play


def stalled(body: bytes, at: int) -> Player:
    """A part of the body, and then nothing, for ever."""

    async def play(_hit: Hit, wire: Wire) -> bool:
        await wire.send(head(200, len(body)) + body[:at])
        await wire.wait()
        return False

    return play


async def silent(_hit: Hit, wire: Wire) -> bool:
    """No answer at all, for ever."""
    await wire.wait()
    return False


async def reset(_hit: Hit, wire: Wire) -> bool:
    wire.reset()
    return False


async def hang_up(_hit: Hit, _wire: Wire) -> bool:
    """Closes the connection instead of an answer."""
    return False


async def gibberish(_hit: Hit, wire: Wire) -> bool:
    await wire.send(b"\x16\x03\x01 this is not HTTP\r\n\r\n")
    return False


def endless(start: bytes, piece: bytes, pause_s: float = 0.0) -> Player:
    """A body without an end, fast or one piece now and then.

    It is cut after ten seconds or 300 MB, so that who has no limit of his own fails.
    """

    async def play(_hit: Hit, wire: Wire) -> bool:
        await wire.send(head(200, None) + start)
        end, left = time.monotonic() + 10, 300_000_000
        while left > 0 and time.monotonic() < end:
            await wire.send(piece)
            left -= len(piece)
            if pause_s:
                await wire.wait(pause_s)
        wire.reset()
        return False

    return play
