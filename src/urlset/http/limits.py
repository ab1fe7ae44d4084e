"""Limits of a fetcher: concurrent requests, the time between them, and bytes in memory."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from math import inf
from threading import Lock

from urlset.inflight import track_wait

MAX_CLOCKS = 10_000
"""Hosts whose clocks are kept; then those without a delay or a pause are dropped."""


class PausedHostError(Exception):
    """A host asked for a longer pause than the limit; ``seconds`` of it are left."""

    def __init__(self, seconds: float):
        super().__init__(seconds)
        self.seconds = seconds


class _Clock:
    """Times of the requests to one host: the latest one, and the next possible one."""

    __slots__ = ("asked_s", "earliest", "latest", "resume_at")

    def __init__(self) -> None:
        self.latest = -inf
        self.earliest = -inf
        self.resume_at = -inf
        self.asked_s = 0.0


class HostClocks:
    """Times of the requests to each host. All clients of one run share them.

    So the delay between two requests and the pause that a host asks for also apply if the
    requests belong to different phases of the run. Threads may use it at the same time.

    Args:
        now: Monotonic clock in seconds.
    """

    def __init__(self, now: Callable[[], float] = time.monotonic):
        self._now = now
        self._clocks: dict[str, _Clock] = {}
        self._lock = Lock()

    def start(self, host: str, delay_s: float, max_pause_s: float = inf) -> float:
        """Start a request to a host if that is possible now; else return the seconds until it is.

        Args:
            host: Name and port of the host.
            delay_s: Least time between this request and those before and after it.
            max_pause_s: Longest pause that is waited for.

        Raises:
            PausedHostError: The host asked for a longer pause, which is not over.
        """
        with self._lock:
            wait = self._wait_s(host, delay_s, max_pause_s)
            if wait <= 0:
                clock = self._clock(host)
                clock.latest = self._now()
                clock.earliest = max(clock.earliest, clock.latest + delay_s)
            return wait

    def wait_s(self, host: str, delay_s: float, max_pause_s: float = inf) -> float:
        """Return the seconds until a request may start, as :meth:`start` does; start nothing."""
        with self._lock:
            return self._wait_s(host, delay_s, max_pause_s)

    def pause(self, host: str, seconds: float) -> None:
        """Start no request to a host for some seconds."""
        with self._lock:
            clock = self._clock(host)
            resume_at = self._now() + seconds
            if resume_at > clock.resume_at:
                clock.resume_at, clock.asked_s = resume_at, seconds

    def pause_s(self, host: str) -> float:
        """Return the seconds for which a host is paused; 0 if it is not."""
        clock = self._clocks.get(host)
        return 0.0 if clock is None else max(0.0, clock.resume_at - self._now())

    def _wait_s(self, host: str, delay_s: float, max_pause_s: float) -> float:
        clock = self._clocks.get(host)
        if clock is None:
            return 0.0
        pause = clock.resume_at - self._now()
        if pause > 0 and clock.asked_s > max_pause_s:
            raise PausedHostError(pause)
        earliest = max(clock.earliest, clock.latest + delay_s)
        return max(0.0, pause, earliest - self._now())

    def _clock(self, host: str) -> _Clock:
        if host not in self._clocks:
            if len(self._clocks) >= MAX_CLOCKS:
                now = self._now()
                self._clocks = {
                    name: clock
                    for name, clock in self._clocks.items()
                    if max(clock.earliest, clock.resume_at) > now
                }
            self._clocks[host] = _Clock()
        return self._clocks[host]


class _Host:
    """Slots of one host. It is removed when no request uses it."""

    def __init__(self, slots: int):
        self.slots = asyncio.Semaphore(slots)
        self.line = asyncio.Lock()
        self.users = 0


class HostLimiter:
    """Limiter of concurrent requests per host, and of documents in memory.

    A request needs a slot of its host and a document slot. The caller owns the document slot
    until it calls :meth:`release_document`: as long as the document is in memory.

    Args:
        documents: Documents in memory.
        per_host: Concurrent requests to one host.
        clocks: Times of the requests, which the clients of a run share.
        max_pause_s: Longest pause of a host that is waited for.
    """

    def __init__(self, documents: int, per_host: int, clocks: HostClocks, max_pause_s: float):
        self._documents = asyncio.Semaphore(documents)
        self._per_host = per_host
        self._hosts: dict[str, _Host] = {}
        self._clocks = clocks
        self._max_pause_s = max_pause_s

    @asynccontextmanager
    async def host_slot(self, name: str, delay_s: float) -> AsyncIterator[None]:
        """Hold a slot of a host in a ``with`` block; acquire a document slot, too, and keep it.

        Args:
            name: Name and port of the host.
            delay_s: Least time between this request and the others to this host, in seconds.

        Raises:
            PausedHostError: The host asked for a pause that is longer than the limit; there is a
                document slot nevertheless.
        """
        host = self._hosts.get(name)
        if host is None:
            host = self._hosts[name] = _Host(self._per_host)
        host.users += 1
        try:
            async with host.slots:
                # Note: the order matters. The owner of a document slot must never wait for a
                # host, or the slots of hosts and of documents could deadlock.
                try:
                    await self._wait_in_line(host, name, delay_s)
                except PausedHostError:
                    await self._documents.acquire()
                    raise
                yield
        finally:
            host.users -= 1
            if not host.users:
                self._hosts.pop(name, None)

    async def acquire_document(self) -> None:
        """Wait for a document slot, without a slot of any host."""
        await self._documents.acquire()

    def release_document(self) -> None:
        """Release a document slot."""
        self._documents.release()

    async def _wait_in_line(self, host: _Host, name: str, delay_s: float) -> None:
        clocks, limit = self._clocks, self._max_pause_s
        is_free = not host.line.locked() and not self._documents.locked()
        if is_free and not clocks.start(name, delay_s, limit):
            await self._documents.acquire()  # it is free, so this does not wait
            return
        async with host.line:
            while True:
                while (wait := clocks.wait_s(name, delay_s, limit)) > 0:
                    await self._sleep(name, wait)
                await self._documents.acquire()
                try:
                    if not clocks.start(name, delay_s, limit):
                        return
                except PausedHostError:
                    self._documents.release()
                    raise
                self._documents.release()  # the host was paused in the meantime

    async def _sleep(self, name: str, seconds: float) -> None:
        pause = self._clocks.pause_s(name)
        if pause <= 0:
            reason = f"before the next request to {name} (--delay, Crawl-delay)"
            with track_wait(reason, seconds, is_logged=False):  # there is one for each request
                await asyncio.sleep(seconds)
            return
        with track_wait(f"because {name} asks for a pause (Retry-After)", seconds):
            await asyncio.sleep(seconds)


class Lease:
    """Share of a memory budget that one running transfer uses."""

    def __init__(self, budget: MemoryBudget):
        self._budget = budget
        self._size = 0

    def resize(self, size: int) -> None:
        """Set the number of bytes that this transfer uses."""
        self._budget.adjust(size - self._size)
        self._size = size

    async def wait(self, clock: asyncio.Timeout) -> float:
        """Wait until the budget has bytes left, with the timeout paused; return the seconds."""
        if self._budget.may_proceed(self):
            return 0.0
        now = asyncio.get_running_loop().time
        began, end = now(), clock.when()
        clock.reschedule(None)
        await self._budget.wait(self)
        waited = now() - began
        clock.reschedule(None if end is None else end + waited)
        return waited

    def __enter__(self) -> Lease:
        self._budget.add_lease(self)
        return self

    def __exit__(self, *_: object) -> None:
        self.resize(0)
        self._budget.remove_lease(self)


class MemoryBudget:
    """Memory budget of a fetcher: bytes of running transfers and of documents still in use.

    When no bytes are left, transfers wait. When no fetched document is in use, so that nothing
    would free memory, the oldest transfer continues. So there is no deadlock, and at most
    ``size`` bytes, one document and one chunk are in memory.
    """

    def __init__(self, size: int):
        self._left = size
        self._documents = 0
        self._leases: dict[Lease, None] = {}
        self._changed = asyncio.Event()

    def acquire(self, size: int) -> None:
        """Add a fetched document of ``size`` bytes."""
        self._documents += 1
        self.adjust(size)

    def release(self, size: int) -> None:
        """Remove a fetched document that is no longer in use."""
        self._documents -= 1
        self.adjust(-size)
        self._changed.set()

    def adjust(self, count: int) -> None:
        """Add ``count`` bytes to those in memory; a negative count frees them."""
        self._left -= count
        if count < 0:
            self._changed.set()

    def may_proceed(self, lease: Lease) -> bool:
        """Return whether a transfer may read more bytes."""
        return self._left > 0 or (not self._documents and next(iter(self._leases)) is lease)

    async def wait(self, lease: Lease) -> None:
        """Wait until a transfer may read more bytes."""
        while not self.may_proceed(lease):
            self._changed.clear()
            await self._changed.wait()

    def add_lease(self, lease: Lease) -> None:
        """Register a transfer that starts."""
        self._leases[lease] = None

    def remove_lease(self, lease: Lease) -> None:
        """Remove a transfer that has ended; the next one becomes the oldest."""
        del self._leases[lease]
        self._changed.set()
