"""Rate limiter: concurrent requests in total and per host, and the delay between them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

__all__ = ["HostLimiter"]


class _Host:
    """State of one host; removed when no request uses it and no delay is left."""

    def __init__(self, slots: int):
        self.slots = asyncio.Semaphore(slots)
        self.line = asyncio.Lock()
        self.earliest = 0.0
        self.users = 0


class HostLimiter:
    """Limit the concurrent requests per host and the documents in memory.

    A request needs a slot of its host and a document slot. The caller owns the document slot
    until it calls :meth:`release_document`: as long as the document is in memory.
    """

    def __init__(self, documents: int, per_host: int):
        self._documents = asyncio.Semaphore(documents)
        self._per_host = per_host
        self._hosts: dict[str, _Host] = {}

    @asynccontextmanager
    async def host_slot(self, name: str, delay_s: float) -> AsyncIterator[None]:
        """Hold a slot of a host within the block; also acquire a document slot, and keep it.

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
        async with host.line:
            while True:
                while (wait := host.earliest - now()) > 0:
                    await asyncio.sleep(wait)
                await self._documents.acquire()
                if host.earliest <= now():
                    break
                self._documents.release()  # the host was paused in the meantime
            host.earliest = max(host.earliest, now() + delay_s)
