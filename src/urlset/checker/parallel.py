"""Run tasks with dependencies on several database connections at once.

A check of one document is a hundred queries, and planning them takes longer than running them.
DuckDB plans a query on one core, so several connections plan several queries at once.
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
"""Function that uses a connection exclusively until it returns."""

_NO_NEEDS: Mapping[str, Collection[str]] = MappingProxyType({})


def run_tasks(
    sessions: Sequence[StoreSession],
    tasks: Mapping[str, Task[T]],
    needs: Mapping[str, Collection[str]] = _NO_NEEDS,
) -> dict[str, T]:
    """Run tasks, each after those that it needs.

    Args:
        sessions: The connections; each runs one task at a time.
        tasks: The tasks by name.
        needs: The names that a task needs. Names that are not tasks count as done. Two tasks must
            not need each other.

    Returns:
        The results by name, in the order of ``tasks``.

    Raises:
        BaseException: The error of the first task, in the order of ``tasks``, among those started.
    """
    scheduler = _Scheduler(tasks, needs)
    with ThreadPoolExecutor(len(sessions), thread_name_prefix="urlset-rules") as pool:
        for session in sessions[1:]:
            pool.submit(scheduler.run, session)
        try:
            scheduler.run(sessions[0])
        except BaseException:
            scheduler.stop()
            raise
    for name in tasks:
        if name in scheduler.failures:
            raise scheduler.failures[name]
    return {name: scheduler.results[name] for name in tasks}


class _Scheduler(Generic[T]):
    """Pending tasks, and the results and errors of finished ones."""

    def __init__(self, tasks: Mapping[str, Task[T]], needs: Mapping[str, Collection[str]]):
        self.results: dict[str, T] = {}
        self.failures: dict[str, BaseException] = {}
        self._pending = dict(tasks)
        self._needs = {name: tasks.keys() & needs.get(name, ()) for name in tasks}
        self._changed = Condition()

    def run(self, session: StoreSession) -> None:
        """Run tasks until none is pending or one has failed."""
        while (found := self._next()) is not None:
            name, task = found
            try:
                self.results[name] = task(session)
            except BaseException as error:  # noqa: BLE001 - `run_tasks` raises it
                self.failures[name] = error
            with self._changed:
                self._changed.notify_all()

    def stop(self) -> None:
        """Drop the pending tasks."""
        with self._changed:
            self._pending.clear()
            self._changed.notify_all()

    def _next(self) -> tuple[str, Task[T]] | None:
        """Wait for a task whose needs are done and return it; None if no task is left."""
        with self._changed:
            while self._pending and not self.failures:
                for name in self._pending:
                    if self._needs[name] <= self.results.keys():
                        return name, self._pending.pop(name)
                self._changed.wait()
            return None
