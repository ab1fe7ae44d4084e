"""Limits of a fetcher: concurrent requests and the delay between them, and bytes in memory."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

__all__ = ["HostLimiter", "Lease", "MemoryBudget"]


class _Host:
    """State of one host: its slots and the time of its next request.

    It is removed when no request uses it and no delay is left.
    """

    def __init__(self, slots: int):
        self.slots = asyncio.Semaphore(slots)
        self.line = asyncio.Lock()
        self.earliest = 0.0
        self.users = 0


class HostLimiter:
    """Limiter of concurrent requests per host, and of documents in memory.

    A request needs a slot of its host and a document slot. The caller owns the document slot
    until it calls :meth:`release_document`: as long as the document is in memory.
    """

    def __init__(self, documents: int, per_host: int):
        self._documents = asyncio.Semaphore(documents)
        self._per_host = per_host
        self._hosts: dict[str, _Host] = {}

    @asynccontextmanager
    async def host_slot(self, name: str, delay_s: float) -> AsyncIterator[None]:
        """Hold a slot of a host in a ``with`` block; acquire a document slot, too, and keep it.

        Args:
            name: Key of the host.
            delay_s: Least time until the next request to this host, in seconds.
        """
        host = self._hosts.get(name)
        if host is None:
            host = self._hosts[name] = _Host(self._per_host)
        host.users += 1
        try:
            async with host.slots:
                # Note: the order matters. The owner of a document slot must never wait for a
                # host, or the slots of hosts and of documents could deadlock.
                await self._wait_in_line(host, delay_s)
                yield
        finally:
            host.users -= 1
            if not host.users and host.earliest <= asyncio.get_running_loop().time():
                self._hosts.pop(name, None)

    async def acquire_document(self) -> None:
        """Wait for a document slot, without a slot of any host."""
        await self._documents.acquire()

    def release_document(self) -> None:
        """Release a document slot."""
        self._documents.release()

    def pause(self, name: str, seconds: float) -> None:
        """Start no request to a host for some seconds."""
        host = self._hosts.setdefault(name, _Host(self._per_host))
        host.earliest = max(host.earliest, asyncio.get_running_loop().time() + seconds)

    async def _wait_in_line(self, host: _Host, delay_s: float) -> None:
        now = asyncio.get_running_loop().time
        if not host.line.locked() and not self._documents.locked() and host.earliest <= now():
            await self._documents.acquire()  # it is free, so this does not wait
            host.earliest = max(host.earliest, now() + delay_s)
            return
        async with host.line:
            while True:
                while (wait := host.earliest - now()) > 0:
                    await asyncio.sleep(wait)
                await self._documents.acquire()
                if host.earliest <= now():
                    break
                self._documents.release()  # the host was paused in the meantime
            host.earliest = max(host.earliest, now() + delay_s)


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
