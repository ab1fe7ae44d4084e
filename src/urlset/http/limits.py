"""Limits of a fetcher: concurrent requests, and bytes in memory."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from urlset.http.host_clocks import HostClocks, PausedHostError
from urlset.inflight import track_wait
from urlset.option_names import option


class HostSlots:
    """Slots of one host. They are removed when no request uses them."""

    def __init__(self, name: str, slots: int):
        self.name = name
        self.slots = asyncio.Semaphore(slots)
        self.line = asyncio.Lock()
        self.users = 0


class OutOfTimeError(Exception):
    """A request may not wait as long as the delays between the requests to its host require."""


class HostLimiter:
    """Limiter of concurrent requests ``per_host``, and of ``documents`` in memory.

    A request needs a slot of its host and a document slot. The caller owns the document slot until
    it calls :meth:`release_document`: as long as the document is in memory. The clients of a run
    share the ``clocks``. ``on_waiting`` is called when a request begins to wait for its host.

    Attributes:
        waiting: Number of requests that wait for a slot of their host, a delay or a retry, without
            a document slot: other hosts need not wait for them.
    """

    def __init__(
        self,
        documents: int,
        per_host: int,
        clocks: HostClocks,
        max_pause_s: float,
        on_waiting: Callable[[], None] | None = None,
    ):
        self.waiting: int = 0
        self._on_waiting = on_waiting
        self._documents = asyncio.Semaphore(documents)
        self._per_host = per_host
        self._hosts: dict[str, HostSlots] = {}
        self._clocks = clocks
        self._max_pause_s = max_pause_s

    async def acquire_slot(
        self, name: str, delay_s: float, may_wait: Callable[[float], bool] | None = None
    ) -> HostSlots:
        """Wait for a slot of a host and for a document slot; return the slots of the host.

        The caller passes them to :meth:`release_slot` at the end of the request. ``delay_s`` is the
        least time between the requests to the host, ``name`` its name and port. ``may_wait``
        returns whether it may wait for some seconds.

        Raises:
            PausedHostError: The host asked for a pause that is longer than the limit; there is a
                document slot nevertheless.
            OutOfTimeError: It may not wait; there is a document slot nevertheless.
        """
        host = self._hosts.get(name)
        if host is None:
            host = self._hosts[name] = HostSlots(name, self._per_host)
        host.users += 1
        try:
            if self._on_waiting is not None and host.slots.locked():
                with self.wait():
                    await host.slots.acquire()
            else:
                await host.slots.acquire()
        except BaseException:
            self._leave(host)
            raise
        # Note: the order matters. The owner of a document slot must never wait for a host, or the
        # slots of hosts and of documents could deadlock.
        try:
            await self._wait_in_line(host, delay_s, may_wait)
        except BaseException as error:
            self.release_slot(host)
            if isinstance(error, PausedHostError | OutOfTimeError):
                await self._documents.acquire()
            raise
        return host

    def release_slot(self, host: HostSlots) -> None:
        """Release a slot of a host; the document slot is kept."""
        host.slots.release()
        self._leave(host)

    def _leave(self, host: HostSlots) -> None:
        host.users -= 1
        if not host.users:
            self._hosts.pop(host.name, None)

    @contextmanager
    def wait(self) -> Iterator[None]:
        """Count a request that waits without a document slot in ``waiting``."""
        self.waiting += 1
        if self._on_waiting is not None:
            self._on_waiting()
        try:
            yield
        finally:
            self.waiting -= 1

    async def acquire_document(self) -> None:
        """Wait for a document slot, without a slot of any host."""
        await self._documents.acquire()

    def release_document(self) -> None:
        """Release a document slot."""
        self._documents.release()

    async def _wait_in_line(
        self, host: HostSlots, delay_s: float, may_wait: Callable[[float], bool] | None
    ) -> None:
        clocks, limit, name = self._clocks, self._max_pause_s, host.name
        is_free = not host.line.locked() and not self._documents.locked()
        if is_free and not clocks.start(name, delay_s, limit):
            await self._documents.acquire()  # it is free, so this does not wait
            return
        with self.wait():
            await host.line.acquire()
        try:
            while True:
                while (wait := clocks.wait_s(name, delay_s, limit)) > 0:
                    if may_wait is not None and not may_wait(wait):
                        raise OutOfTimeError
                    with self.wait():
                        await self._sleep(name, wait)
                await self._documents.acquire()
                try:
                    if not clocks.start(name, delay_s, limit):
                        return
                except PausedHostError:
                    self._documents.release()
                    raise
                self._documents.release()  # the host was paused in the meantime
        finally:
            host.line.release()

    async def _sleep(self, name: str, seconds: float) -> None:
        pause = self._clocks.pause_s(name)
        if pause <= 0:
            reason = (
                f"before the next request to {name} ({option('delay_s')}, Crawl-delay or its load)"
            )
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
