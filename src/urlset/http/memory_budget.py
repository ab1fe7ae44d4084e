"""How many bytes of all documents may be in memory at once, however many are fetched at once."""

from __future__ import annotations

import asyncio

__all__ = ["Lease", "MemoryBudget"]


class Lease:
    """What one transfer holds of the room while it goes on."""

    def __init__(self, room: MemoryBudget):
        self._room = room
        self._size = 0

    def hold(self, size: int) -> None:
        """Hold so many bytes, all in all."""
        self._room.hold(size - self._size)
        self._size = size

    async def wait(self, clock: asyncio.Timeout) -> float:
        """Wait until there is room, with the clock stopped; gives the seconds."""
        if self._room.is_free_for(self):
            return 0.0
        now = asyncio.get_running_loop().time
        began, end = now(), clock.when()
        clock.reschedule(None)
        await self._room.wait(self)
        waited = now() - began
        clock.reschedule(None if end is None else end + waited)
        return waited

    def __enter__(self) -> Lease:
        self._room.enter(self)
        return self

    def __exit__(self, *_: object) -> None:
        self.hold(0)
        self._room.exit(self)


class MemoryBudget:
    """Counts bytes: of transfers, and of what was fetched and is not done with.

    Where there is no room left, transfers wait. Where nobody is going to make any, because
    nothing is fetched yet, the oldest one goes on. So there always is an end, and what is in
    memory is at most ``size``, one document and a piece.
    """

    def __init__(self, size: int):
        self._left = size
        self._kept = 0
        self._shares: dict[Lease, None] = {}
        self._news = asyncio.Event()

    def keep(self, size: int) -> None:
        """Count a document that was fetched."""
        self._kept += 1
        self.hold(size)

    def drop(self, size: int) -> None:
        """Count it no more: it is done with."""
        self._kept -= 1
        self.hold(-size)
        self._news.set()

    def hold(self, count: int) -> None:
        """Count bytes that are in memory, or (less than 0) are not any more."""
        self._left -= count
        if count < 0:
            self._news.set()

    def is_free_for(self, share: Lease) -> bool:
        """Tell whether a transfer may go on."""
        return self._left > 0 or (not self._kept and next(iter(self._shares)) is share)

    async def wait(self, share: Lease) -> None:
        """Wait until a transfer may go on."""
        while not self.is_free_for(share):
            self._news.clear()
            await self._news.wait()

    def enter(self, share: Lease) -> None:
        """A transfer begins."""
        self._shares[share] = None

    def exit(self, share: Lease) -> None:
        """A transfer ends, so that another one is the oldest."""
        del self._shares[share]
        self._news.set()
