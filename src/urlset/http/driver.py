"""Run a walk: fetch its requests concurrently, pass it the responses and yield its results."""

from __future__ import annotations

import asyncio
import queue
import threading
from collections import deque
from collections.abc import AsyncGenerator, Callable, Generator
from typing import TYPE_CHECKING, Generic, TypeVar

from urlset.http.models import EarlyWalk, Request, Response, Walk
from urlset.http.policy import Policy
from urlset.http.response_cache import ResponseCache
from urlset.interrupts import delayed_interrupts

if TYPE_CHECKING:
    from urlset.http.client import Fetcher

T = TypeVar("T")

LOOKAHEAD = 4
"""Requests taken from a walk per concurrent one, so that a slow host does not block the others.

If one host may have all concurrent requests, more are only taken while some wait for a delay or a
retry: each one that waits for the others costs a tenth of a request.
"""

JOIN_TIMEOUT_S = 1.0
"""How long closing waits for the thread, which may be in a DNS look-up."""


async def drive(
    walk: Walk[T], policy: Policy | None = None, *, cache: ResponseCache | None = None
) -> AsyncGenerator[T]:
    """Run a walk to its end and yield its results when they arrive.

    While the caller handles a result, fetching continues until ``policy.concurrency`` documents are
    waiting. To stop early, close the iterator (``contextlib.aclosing``): running requests are
    cancelled at once. Responses in ``cache`` are not fetched again, and new ones are added.
    """
    # Imported here: aiohttp takes a quarter of a second to import, and most callers do not fetch.
    from urlset.http.client import Fetcher

    policy = policy or Policy()
    done: asyncio.Queue[asyncio.Task[Response] | None] = asyncio.Queue()
    tasks: set[asyncio.Task[Response]] = set()
    cached: deque[Request] = deque()
    lookahead = _Lookahead(policy)
    fetcher = Fetcher(policy, lookahead.watch(lambda: done.put_nowait(None)))
    is_abandoned = False
    try:
        while True:
            while len(tasks) + len(cached) < lookahead.limit(fetcher.waiting):
                request = walk.next_request()
                if request is None:
                    break
                if cache is not None and cache.has(request):
                    cached.append(request)
                    continue
                task = asyncio.create_task(fetcher.fetch(request))
                task.add_done_callback(done.put_nowait)
                tasks.add(task)
            if cached and cache is not None:
                for result in walk.handle(cache.get(cached.popleft())):
                    yield result
                continue
            if not tasks:
                return
            ended = await done.get()
            if ended is None:
                continue
            tasks.discard(ended)
            response = ended.result()
            del ended
            size = len(response.body)
            if cache is not None:
                cache.put(response)
            for result in walk.handle(response):
                yield result
            del response
            fetcher.release(size)
    except GeneratorExit:
        is_abandoned = True
        raise
    finally:
        if is_abandoned:
            # Note: do not await here. A loop that ends right after a `break` cancels the task
            # that closes this generator, so that code after an await would never run.
            for task in tasks:
                task.cancel()
            fetcher.abandon()
        else:
            await _cancel(tasks)
            await fetcher.close()


def drive_in_thread(
    walk: Walk[T], policy: Policy | None = None, *, cache: ResponseCache | None = None
) -> Generator[T]:
    """Run a walk to its end as :func:`drive` does, for callers without an event loop.

    A separate thread fetches. The walk runs in the caller's thread, when the next result is
    requested.
    """
    yield from _ThreadDrive(walk, policy or Policy(), cache).results()


class _ThreadDrive(Generic[T]):
    """One run of a walk in the caller's thread, with requests that another thread sends."""

    def __init__(self, walk: Walk[T], policy: Policy, cache: ResponseCache | None):
        self._walk = walk
        self._policy = policy
        self._cache = cache
        self._lookahead = _Lookahead(policy)
        self._thread: _FetcherThread | None = None
        self._waiting = 0
        self._cached: deque[Request] = deque()
        self._early = walk if isinstance(walk, EarlyWalk) else None

    def results(self) -> Generator[T]:
        """Yield the results of the walk; end the thread when the generator ends."""
        cache, cached = self._cache, self._cached
        try:
            while True:
                self._request()
                if cached and cache is not None:
                    yield from self._walk.handle(cache.get(cached.popleft()))
                    continue
                if self._thread is None or not self._waiting:
                    return
                response = self._thread.receive()
                if response is None:
                    continue
                size: int | None = self._arrived(response)
                results = iter(self._walk.handle(response))
                del response
                for result in results:
                    size = self._pass_early(size)
                    yield result
                    if size is None:  # others have arrived meanwhile
                        self._pass_early(size)
                if size is not None:
                    self._thread.release(size)
        finally:
            if self._thread is not None:
                self._thread.close()

    def _request(self) -> None:
        """Send the next requests of the walk, up to the limit."""
        while True:
            on_hold = self._thread.waiting if self._thread else 0
            if self._waiting + len(self._cached) >= self._lookahead.limit(on_hold):
                return
            request = self._walk.next_request()
            if request is None:
                return
            if self._cache is not None and self._cache.has(request):
                self._cached.append(request)
                continue
            self._thread = self._thread or _FetcherThread(self._policy)
            self._thread.send(request)
            self._waiting += 1

    def _arrived(self, response: Response) -> int:
        """Count and store a response that has arrived; return the size of its document."""
        self._waiting -= 1
        if self._cache is not None:
            self._cache.put(response)
        return len(response.body)

    def _pass_early(self, size: int | None) -> int | None:
        """Pass the next responses to the walk while it yields results, as long as it takes them.

        Request others in their place, and in that of the document whose results it yields. Returns
        the ``size`` of that if it is still to be released.
        """
        if self._early is None or self._thread is None:
            return size
        is_any = False
        while (response := self._thread.first) is not None and self._early.take_early(response):
            self._thread.receive()
            self._thread.release(self._arrived(response))
            is_any = True
        if not is_any:
            return size
        if size is not None:
            self._thread.release(size)
        self._request()
        return None


class _Lookahead:
    """How many requests are taken from a walk."""

    def __init__(self, policy: Policy):
        self._maximum = policy.concurrency * LOOKAHEAD
        self._is_fixed = policy.per_host < policy.concurrency
        self._least = self._maximum if self._is_fixed else policy.concurrency

    def limit(self, waiting: int) -> int:
        """Return the number of requests to take if some of them wait for their host."""
        return min(self._least + waiting, self._maximum)

    def watch(self, on_waiting: Callable[[], None]) -> Callable[[], None] | None:
        """Return what is to be called when a request begins to wait; None if it changes nothing."""
        return None if self._is_fixed else on_waiting


class _FetcherThread:
    """A thread that runs an event loop with a fetcher, with queues to and from it."""

    def __init__(self, policy: Policy):
        self._policy = policy
        with delayed_interrupts():  # an exception in the constructor leaves a loop half made
            self._loop = asyncio.new_event_loop()
        self._results: queue.SimpleQueue[list[Response | BaseException]] = queue.SimpleQueue()
        self._finished: list[Response | BaseException] = []
        self._received: deque[Response | BaseException] = deque()
        self._messages: deque[Request | int] = deque()
        self._is_woken = False
        self._tasks: set[asyncio.Task[Response]] = set()
        self._stop = asyncio.Event()
        self._fetcher: Fetcher | None = None
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, name="urlset fetcher", daemon=True)
        self._thread.start()
        self._ready.wait()
        if self._fetcher is None:
            self.receive()  # raises the error of the thread

    def send(self, request: Request) -> None:
        self._post(request)

    @property
    def waiting(self) -> int:
        """Number of requests that wait for their host."""
        return 0 if self._fetcher is None else self._fetcher.waiting

    def receive(self) -> Response | None:
        """Wait for a response; return None if a request has begun to wait for its host."""
        if not self._received:
            self._received.extend(self._results.get())
        if not self._received:
            return None
        result = self._received.popleft()
        if isinstance(result, BaseException):
            raise result
        return result

    @property
    def first(self) -> Response | None:
        """The response that :meth:`receive` returns next, if it has arrived."""
        if not self._received and not self._results.empty():
            self._received.extend(self._results.get())
        first = self._received[0] if self._received else None
        return first if isinstance(first, Response) else None

    def release(self, size: int) -> None:
        self._post(size)

    def _post(self, message: Request | int) -> None:
        """Queue a request, or the size of a released document, for the thread.

        Waking the loop costs as much as a tenth of a request, so it is done once for all messages
        that are waiting.
        """
        self._messages.append(message)
        if not self._is_woken:
            self._is_woken = True
            self._loop.call_soon_threadsafe(self._take_messages)

    def _take_messages(self) -> None:
        self._is_woken = False  # first: a message that comes meanwhile wakes the loop again
        while self._messages:
            message = self._messages.popleft()
            if isinstance(message, Request):
                self._start(message)
            elif self._fetcher is not None:
                self._fetcher.release(message)

    def close(self) -> None:
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stop.set)
            self._thread.join(JOIN_TIMEOUT_S)

    def _run(self) -> None:
        try:
            self._loop.run_until_complete(self._serve())
        except BaseException as error:  # noqa: BLE001 - receive() raises it
            self._results.put([error])
        finally:
            self._ready.set()
            self._loop.close()

    async def _serve(self) -> None:
        from urlset.http.client import Fetcher

        watch = _Lookahead(self._policy).watch(lambda: self._results.put([]))
        async with Fetcher(self._policy, watch) as fetcher:
            self._fetcher = fetcher
            self._ready.set()
            await self._stop.wait()
            await _cancel(self._tasks)

    def _start(self, request: Request) -> None:
        assert self._fetcher is not None
        task = self._loop.create_task(self._fetcher.fetch(request))
        self._tasks.add(task)
        task.add_done_callback(self._finish)

    def _finish(self, task: asyncio.Task[Response]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            if not self._finished:  # those that finish in one iteration of the loop go together
                self._loop.call_soon(self._deliver)
            self._finished.append(task.exception() or task.result())

    def _deliver(self) -> None:
        finished, self._finished = self._finished, []
        self._results.put(finished)


async def _cancel(tasks: set[asyncio.Task[Response]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
