"""Memory budget of a fetcher: a limit on the bytes of all documents that are in memory at once."""

from __future__ import annotations

import asyncio

__all__ = ["Lease", "MemoryBudget"]


class Lease:
    """The bytes of a memory budget that one running transfer uses."""

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
    """Count the bytes of running transfers and of fetched documents that are still in use.

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
