"""Whose turn it is: how many requests at once, in all and to each host, and how far apart."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

__all__ = ["HostLimiter"]


class _Host:
    """The turns at one host; it is forgotten when nobody waits for one and none is owed."""

    def __init__(self, slots: int):
        self.slots = asyncio.Semaphore(slots)
        self.line = asyncio.Lock()
        self.earliest = 0.0
        self.users = 0


class HostLimiter:
    """Hands out turns. A turn at a host comes with a *place*, of which there are few in all.

    Whoever has a turn owns its place until :meth:`leave`: so long the document is in memory.
    """

    def __init__(self, places: int, per_host: int):
        self._places = asyncio.Semaphore(places)
        self._per_host = per_host
        self._hosts: dict[str, _Host] = {}

    @asynccontextmanager
    async def at(self, name: str, delay_s: float) -> AsyncIterator[None]:
        """Wait for a turn at a host, and hold it within; the place is the caller's to leave."""
        host = self._hosts.get(name)
        if host is None:
            host = self._hosts[name] = _Host(self._per_host)
        host.users += 1
        try:
            async with host.slots:
                # Beware of the order: who owns a place must never wait for a host, or the hosts'
                # turns and the places could be waiting for each other.
                await self._wait_in_line(host, delay_s)
                yield
        finally:
            host.users -= 1
            if not host.users and host.earliest <= asyncio.get_running_loop().time():
                self._hosts.pop(name, None)

    async def enter(self) -> None:
        """Wait for a place without a turn at any host."""
        await self._places.acquire()

    def leave(self) -> None:
        """Give a place back."""
        self._places.release()

    def pause(self, name: str, seconds: float) -> None:
        """Let nobody begin at a host for a while."""
        host = self._hosts.setdefault(name, _Host(self._per_host))
        host.earliest = max(host.earliest, asyncio.get_running_loop().time() + seconds)

    async def _wait_in_line(self, host: _Host, delay_s: float) -> None:
        now = asyncio.get_running_loop().time
        async with host.line:
            while True:
                while (wait := host.earliest - now()) > 0:
                    await asyncio.sleep(wait)
                await self._places.acquire()
                if host.earliest <= now():
                    break
                self._places.release()  # somebody was told to come later in the meantime
            host.earliest = max(host.earliest, now() + delay_s)
