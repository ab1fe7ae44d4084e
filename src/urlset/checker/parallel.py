"""Shares tasks out to several connections: planning a query keeps one core busy, whatever it is.

A check of one document is a hundred queries, and planning them takes longer than running them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Condition
from types import MappingProxyType
from typing import Generic, TypeVar

from urlset.store import StoreSession

__all__ = ["Task", "run_tasks"]

T = TypeVar("T")
Task = Callable[[StoreSession], T]
"""What is to be done with a connection, which is its own until it ends."""

_NO_NEEDS: Mapping[str, Collection[str]] = MappingProxyType({})


def run_tasks(
    askings: Sequence[StoreSession],
    tasks: Mapping[str, Task[T]],
    needs: Mapping[str, Collection[str]] = _NO_NEEDS,
) -> dict[str, T]:
    """Do tasks, each when those that it needs are done; gives what came of them, in their order.

    Needs that are no task are taken for done; no two tasks may need each other. Raises what the
    first task in that order has raised, of those that were begun.
    """
    work = _Work(tasks, needs)
    with ThreadPoolExecutor(len(askings), thread_name_prefix="urlset-rules") as pool:
        for asking in askings[1:]:
            pool.submit(work.go_on, asking)
        try:
            work.go_on(askings[0])
        except BaseException:
            work.stop()
            raise
    for name in tasks:
        if name in work.failures:
            raise work.failures[name]
    return {name: work.results[name] for name in tasks}


class _Work(Generic[T]):
    """Tasks on their way."""

    def __init__(self, tasks: Mapping[str, Task[T]], needs: Mapping[str, Collection[str]]):
        self.results: dict[str, T] = {}
        self.failures: dict[str, BaseException] = {}
        self._waiting = dict(tasks)
        self._needs = {name: tasks.keys() & needs.get(name, ()) for name in tasks}
        self._changed = Condition()

    def go_on(self, asking: StoreSession) -> None:
        """Do one task after another, as long as there are any and none has failed."""
        while (found := self._next()) is not None:
            name, task = found
            try:
                self.results[name] = task(asking)
            except BaseException as error:  # noqa: BLE001 - it is raised again by `share`
                self.failures[name] = error
            with self._changed:
                self._changed.notify_all()

    def stop(self) -> None:
        """Begin nothing more."""
        with self._changed:
            self._waiting.clear()
            self._changed.notify_all()

    def _next(self) -> tuple[str, Task[T]] | None:
        """Take the first task that may begin; waits for one, None where there is none any more."""
        with self._changed:
            while self._waiting and not self.failures:
                for name in self._waiting:
                    if self._needs[name] <= self.results.keys():
                        return name, self._waiting.pop(name)
                self._changed.wait()
            return None
