"""The loop that drives any walk: it fetches what the walk asks for and hands out the results."""

from __future__ import annotations

import asyncio
import queue
import threading
from collections import deque
from collections.abc import AsyncGenerator, Generator
from typing import TYPE_CHECKING, TypeVar

from urlset.http.models import Request, Response, Walk
from urlset.http.policy import Policy
from urlset.http.response_cache import Memory

if TYPE_CHECKING:
    from urlset.http.client import Fetcher

__all__ = ["drive", "drive_in_thread"]

T = TypeVar("T")

LOOKAHEAD = 4
"""Requests taken from a walk for each that is under way, so that one slow host stops no other."""

PATIENCE_S = 1.0


async def drive(
    walk: Walk[T], policy: Policy | None = None, *, memory: Memory | None = None
) -> AsyncGenerator[T]:
    """Drive a walk to its end and yield its results as they come.

    What ``memory`` has is not fetched again, and what is fetched is kept there.

    While a result is in the hands of the caller, fetching goes on until ``concurrency``
    documents wait; then it waits, too. Whoever leaves early closes the iterator
    (``contextlib.aclosing``): what is under way is cancelled at once.
    """
    # aiohttp takes a quarter of a second to import, and not everybody fetches.
    from urlset.http.client import Fetcher

    policy = policy or Policy()
    done: asyncio.Queue[asyncio.Task[Response]] = asyncio.Queue()
    tasks: set[asyncio.Task[Response]] = set()
    remembered: deque[Request] = deque()
    fetcher = Fetcher(policy)
    is_left = False
    try:
        while True:
            while len(tasks) + len(remembered) < policy.concurrency * LOOKAHEAD:
                request = walk.ask()
                if request is None:
                    break
                if memory is not None and memory.has(request):
                    remembered.append(request)
                    continue
                task = asyncio.create_task(fetcher.fetch(request))
                task.add_done_callback(done.put_nowait)
                tasks.add(task)
            if remembered and memory is not None:
                for result in walk.answer(memory.recall(remembered.popleft())):
                    yield result
                continue
            if not tasks:
                return
            task = await done.get()
            tasks.discard(task)
            response = task.result()
            del task
            size = len(response.body)
            if memory is not None:
                memory.keep(response)
            for result in walk.answer(response):
                yield result
            del response
            fetcher.leave(size)
    except GeneratorExit:
        is_left = True
        raise
    finally:
        if is_left:
            # Note: nothing may be awaited here. A loop that ends right after a `break` cancels the
            # task that closes this generator, and what follows an await would never be done.
            for task in tasks:
                task.cancel()
            fetcher.abandon()
        else:
            await _cancel(tasks)
            await fetcher.close()


def drive_in_thread(
    walk: Walk[T], policy: Policy | None = None, *, memory: Memory | None = None
) -> Generator[T]:
    """Drive a walk to its end as :func:`drive` does, for callers without a loop.

    Fetching is done in a thread of its own; the walk runs in that of the caller, whenever the
    next result is asked for.
    """
    policy = policy or Policy()
    line: _Line | None = None
    waiting = 0
    remembered: deque[Request] = deque()
    try:
        while True:
            while waiting + len(remembered) < policy.concurrency * LOOKAHEAD:
                request = walk.ask()
                if request is None:
                    break
                if memory is not None and memory.has(request):
                    remembered.append(request)
                    continue
                line = line or _Line(policy)
                line.send(request)
                waiting += 1
            if remembered and memory is not None:
                yield from walk.answer(memory.recall(remembered.popleft()))
                continue
            if line is None or not waiting:
                return
            response = line.receive()
            waiting -= 1
            size = len(response.body)
            if memory is not None:
                memory.keep(response)
            yield from walk.answer(response)
            del response
            line.leave(size)
    finally:
        if line is not None:
            line.close()


class _Line:
    """A thread with a loop and a fetcher in it, and the two ends of the line to it."""

    def __init__(self, policy: Policy):
        self._policy = policy
        self._loop = asyncio.new_event_loop()
        self._answers: queue.SimpleQueue[Response | BaseException] = queue.SimpleQueue()
        self._tasks: set[asyncio.Task[Response]] = set()
        self._stop = asyncio.Event()
        self._fetcher: Fetcher | None = None
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, name="urlset fetcher", daemon=True)
        self._thread.start()
        self._ready.wait()
        if self._fetcher is None:
            self.receive()  # raises why not

    def send(self, request: Request) -> None:
        self._loop.call_soon_threadsafe(self._start, request)

    def receive(self) -> Response:
        answer = self._answers.get()
        if isinstance(answer, BaseException):
            raise answer
        return answer

    def leave(self, size: int) -> None:
        if self._fetcher is not None:
            self._loop.call_soon_threadsafe(self._fetcher.leave, size)

    def close(self) -> None:
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stop.set)
            self._thread.join(PATIENCE_S)

    def _run(self) -> None:
        try:
            self._loop.run_until_complete(self._serve())
        except BaseException as error:  # noqa: BLE001 - it is raised where it is waited for
            self._answers.put(error)
        finally:
            self._ready.set()
            self._loop.close()

    async def _serve(self) -> None:
        from urlset.http.client import Fetcher

        async with Fetcher(self._policy) as self._fetcher:
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
            self._answers.put(task.exception() or task.result())


async def _cancel(tasks: set[asyncio.Task[Response]]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
