"""The documents that a walk is to fetch: in the order of their sitemaps, or as they come."""

from __future__ import annotations

import tempfile
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Literal

from urlset.errors import SourceError
from urlset.http import NetworkScope, Response, ResponseStore, origin_of

__all__ = ["AsTheyCome", "InOrder", "Task"]

MAX_AHEAD = 64
"""Documents that are fetched, or asked for, before the one whose turn it is."""

MAX_AHEAD_BYTES = 256 << 20
"""Bytes of documents, packed, that wait for their turn on the disk; then no more are asked for."""


@dataclass(slots=True, eq=False)
class Task:
    """A document to be fetched; ``above`` are the keys of those above it, and shared."""

    url: str
    parent: str | None
    how: str
    scope: NetworkScope
    delay_s: float = 0.0
    declared_by: str | None = None
    lastmod: datetime | None = None
    above: tuple[str, ...] = ()
    depth: int = 0
    state: Literal["new", "asked", "answered"] = "new"


class AsTheyCome:
    """Tasks in the order of their responses."""

    def __init__(self) -> None:
        self._queue: deque[Task] = deque()
        self._held: dict[str, list[Task]] = {}
        self._answered: deque[tuple[Task, Response]] = deque()

    def add(self, task: Task) -> None:
        """Put a task behind all others."""
        self._queue.append(task)

    def add_first(self, tasks: list[Task]) -> None:
        """Put the children of a document before all others."""
        self._queue.extendleft(reversed(tasks))

    def candidates(self) -> Iterator[Task]:
        """Yield the tasks that may be asked for, the next one first."""
        while self._queue:
            yield self._queue.popleft()

    def ask(self, task: Task) -> None:
        """Note that a task is asked for."""
        task.state = "asked"

    def hold(self, task: Task) -> None:
        """Note that the robots.txt of the host of a task is waited for."""
        self._held.setdefault(origin_of(task.url) or "", []).append(task)

    def release(self, origin: str) -> None:
        """Note that the robots.txt of a host has been read."""
        self._queue.extendleft(reversed(self._held.pop(origin, ())))

    def answer(self, task: Task, response: Response) -> None:
        """Take the response to a task."""
        self._answered.append((task, response))

    def ready(self, _: Callable[[Task], bool], /) -> Iterator[tuple[Task, Response]]:
        """Yield the tasks whose turn it is; more may be added in between."""
        while self._answered:
            yield self._answered.popleft()

    def is_empty(self) -> bool:
        """Tell whether no task is left to be asked for."""
        return not self._queue

    def close(self) -> None:
        """There is nothing to remove."""


class InOrder:
    """Tasks in the order of their documents: each index before its children, as it lists them.

    What is fetched before its turn waits: in memory if it is small, else in a file. The order
    depends on the documents only, not on which of them comes first.
    """

    def __init__(self) -> None:
        self._queue: deque[Task] = deque()
        self._store = ResponseStore()
        self._current: Response | None = None  # of the first task, if it has come

    def add(self, task: Task) -> None:
        """Put a task behind all others."""
        self._queue.append(task)

    def add_first(self, tasks: list[Task]) -> None:
        """Put the children of a document before all others."""
        self._queue.extendleft(reversed(tasks))

    def candidates(self) -> Iterator[Task]:
        """Yield the tasks that may be asked for: the next one, and some of those behind it."""
        is_full = len(self._store) >= MAX_AHEAD or self._store.size >= MAX_AHEAD_BYTES
        window = list(islice(self._queue, 1 if is_full else MAX_AHEAD))
        yield from (task for task in window if task.state == "new")

    def ask(self, task: Task) -> None:
        """Note that a task is asked for."""
        task.state = "asked"

    def hold(self, _: Task, /) -> None:
        """A task that waits for a robots.txt keeps its place."""

    def release(self, _: str, /) -> None:
        """Those that waited are candidates again."""

    def answer(self, task: Task, response: Response) -> None:
        """Take the response to a task; it waits for its turn."""
        task.state = "answered"
        if task is self._queue[0]:
            self._current = response
        else:
            try:
                self._store.put(id(task), response)
            except OSError as error:
                raise SourceError(
                    f"cannot keep documents until it is their turn in {tempfile.gettempdir()}: "
                    f"{error.strerror}; free disk space there, set TMPDIR to another folder, "
                    "or use --unordered"
                ) from error

    def ready(self, is_known: Callable[[Task], bool], /) -> Iterator[tuple[Task, Response]]:
        """Yield the tasks whose turn it is; more may be added in between.

        ``is_known`` says that the document of a task was read already, so that it has no turn.
        """
        while self._queue:
            task = self._queue[0]
            if task.state == "new" and is_known(task):
                self._queue.popleft()
            elif task.state == "answered":
                self._queue.popleft()
                response, self._current = self._current, None
                response = self._store.pop(id(task)) if response is None else response
                if not is_known(task):
                    yield task, response
                del response
            else:
                return

    def is_empty(self) -> bool:
        """Tell whether no task is left at all."""
        return not self._queue

    def close(self) -> None:
        """Remove what waits on the disk."""
        self._store.close()
