"""Run iterators in threads, and yield what they yield as it comes."""

from __future__ import annotations

import queue
import time
from collections import deque
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from threading import Event, Thread
from typing import Any, TypeVar

Item = TypeVar("Item")

_WAIT_S = 0.2
"""Time after which a thread looks whether the consumer has ended."""

_END_S = 1.0
"""Time for which threads are waited for if the consumer ends early."""


def merged(jobs: Sequence[Callable[[], Generator[Item]]], threads: int) -> Generator[Item]:
    """Run jobs in threads, and yield the items of all in the order in which they come.

    At most ``threads`` items wait for the consumer. If it ends early, the running jobs are closed
    after their current item.

    Args:
        jobs: Functions that return generators; each is called in one thread, in this order.
        threads: Maximum number of jobs at the same time.

    Raises:
        BaseException: The first one that a job raises.
    """
    ready: queue.Queue[tuple[str, Any]] = queue.Queue(threads)
    is_over = Event()

    def put(kind: str, value: Any) -> bool:
        while not is_over.is_set():
            try:
                ready.put((kind, value), timeout=_WAIT_S)
            except queue.Full:
                continue
            return True
        return False

    waiting = deque(jobs)

    def run(job: Callable[[], Generator[Item]]) -> None:
        try:
            with closing(job()) as items:
                for item in items:
                    if not put("item", item):
                        return
        except BaseException as error:  # noqa: BLE001 - raised in the thread of the consumer
            put("error", error)
        else:
            put("end", None)

    def work() -> None:
        while not is_over.is_set():
            try:
                job = waiting.popleft()
            except IndexError:
                return
            run(job)

    # Daemons: a thread that waits for a server must not keep the process after Ctrl-C.
    workers = [Thread(target=work, name="urlset-site", daemon=True) for _ in range(threads)]
    try:
        for worker in workers:
            worker.start()
        running = len(jobs)
        while running:
            kind, value = ready.get()
            if kind == "error":
                raise value
            if kind == "end":
                running -= 1
            else:
                yield value
    finally:
        is_over.set()
        end = time.monotonic() + _END_S
        for worker in workers:
            worker.join(max(0.0, end - time.monotonic()))
