"""Queues of the documents that a site walk fetches, in sitemap order or in order of arrival."""

from __future__ import annotations

import tempfile
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from typing import Literal

from urlset.errors import SourceError
from urlset.http import NetworkScope, Response, ResponseStore, document_key, origin_of
from urlset.model import Sitemap
from urlset.option_names import option

MAX_AHEAD = 64
"""Documents that are requested or fetched ahead of the next one in order."""

MAX_AHEAD_BYTES = 256 << 20
"""Packed bytes of documents fetched ahead and stored on disk; above it, no more are requested."""


@dataclass(slots=True, eq=False)
class FetchTask:
    """A document to fetch; ``above`` holds the keys of the indexes above it, and is shared.

    ``known`` are the sitemaps that it lists if it has not changed, so that it is not parsed.
    """

    url: str
    parent: str | None
    how: str
    scope: NetworkScope
    delay_s: float = 0.0
    declared_by: str | None = None
    lastmod: datetime | None = None
    above: tuple[str, ...] = ()
    depth: int = 0
    state: Literal["new", "requested", "fetched"] = "new"
    known: tuple[Sitemap, ...] | None = None
    key: str = field(init=False, repr=False)
    """The key of the URL, as :func:`urlset.http.document_key` returns it."""

    def __post_init__(self) -> None:
        self.key = document_key(self.url)


class _TaskQueue:
    """Base of the queues: tasks in order."""

    def __init__(self) -> None:
        self._queue: deque[FetchTask] = deque()

    def append(self, task: FetchTask) -> None:
        """Add a task at the end."""
        self._queue.append(task)

    def prepend(self, tasks: list[FetchTask]) -> None:
        """Add the children of a document at the front."""
        self._queue.extendleft(reversed(tasks))

    def mark_requested(self, task: FetchTask) -> None:
        """Record that the document of a task has been requested."""
        task.state = "requested"

    def is_empty(self) -> bool:
        """Return whether no task is left: to request, or in order to read."""
        return not self._queue


class ArrivalQueue(_TaskQueue):
    """Queue that returns documents in the order of their responses."""

    def __init__(self) -> None:
        super().__init__()
        self._waiting: dict[str, list[FetchTask]] = {}
        self._fetched: deque[tuple[FetchTask, Response]] = deque()

    def candidates(self) -> Iterator[FetchTask]:
        """Yield the tasks that may be requested, the next one first."""
        while self._queue:
            yield self._queue.popleft()

    def wait_for_robots(self, task: FetchTask) -> None:
        """Hold a task back until the robots.txt of its host has been read."""
        self._waiting.setdefault(origin_of(task.url) or "", []).append(task)

    def resume(self, origin: str) -> None:
        """Queue the tasks again that waited for the robots.txt of a host."""
        self._queue.extendleft(reversed(self._waiting.pop(origin, ())))

    def add_response(self, task: FetchTask, response: Response) -> None:
        """Queue a task with its response, to be read."""
        self._fetched.append((task, response))

    def ready(self, _: Callable[[FetchTask], bool], /) -> Iterator[tuple[FetchTask, Response]]:
        """Yield the tasks whose documents can be read now; tasks may be added meanwhile."""
        while self._fetched:
            yield self._fetched.popleft()

    def following(self, count: int) -> list[tuple[FetchTask, Response]]:
        """Return the tasks whose documents are read next, as far as they have arrived."""
        return list(islice(self._fetched, count))

    def close(self) -> None:
        """Do nothing, because this queue stores nothing on disk."""


class OrderedQueue(_TaskQueue):
    """Queue that returns each index before its children, and those in the order of the index.

    Documents that arrive earlier wait, in memory if they are small, otherwise in a file. The
    order depends on the documents only, not on the order of the responses.
    """

    def __init__(self) -> None:
        super().__init__()
        self._store = ResponseStore()
        self._loaded: dict[FetchTask, Response] = {}  # of the first tasks, which are not stored

    def candidates(self) -> Iterator[FetchTask]:
        """Yield the tasks that may be requested: the next one, and some of those after it."""
        is_full = len(self._store) >= MAX_AHEAD or self._store.size >= MAX_AHEAD_BYTES
        window = list(islice(self._queue, 1 if is_full else MAX_AHEAD))
        yield from (task for task in window if task.state == "new")

    def wait_for_robots(self, _: FetchTask, /) -> None:
        """Do nothing, because a task that waits for a robots.txt keeps its position."""

    def resume(self, _: str, /) -> None:
        """Do nothing, because waiting tasks are candidates again without a call."""

    def add_response(self, task: FetchTask, response: Response) -> None:
        """Add the response to a task; store it until its document is the next in order."""
        task.state = "fetched"
        if task is self._queue[0]:
            self._loaded[task] = response
        else:
            try:
                self._store.put(id(task), response)
            except OSError as error:
                raise SourceError(
                    f"cannot store fetched documents in {tempfile.gettempdir()} until they are "
                    f"next in order: {error.strerror}; free disk space there, set TMPDIR to "
                    f"another folder, or use {option('unordered', python='ordered=False')}"
                ) from error

    def ready(
        self, is_known: Callable[[FetchTask], bool], /
    ) -> Iterator[tuple[FetchTask, Response]]:
        """Yield the tasks whose documents can be read now; tasks may be added meanwhile.

        Tasks for which ``is_known`` is true are dropped: their document was already read.
        """
        while self._queue:
            task = self._queue[0]
            if task.state == "new" and is_known(task):
                self._queue.popleft()
            elif task.state == "fetched":
                self._queue.popleft()
                response = self._loaded.pop(task, None) or self._store.pop(id(task))
                if not is_known(task):
                    yield task, response
                del response
            else:
                return

    def following(self, count: int) -> list[tuple[FetchTask, Response]]:
        """Return the tasks whose documents are read next, as far as they have arrived."""
        tasks = [task for task in islice(self._queue, count) if task.state == "fetched"]
        for task in tasks:
            if task not in self._loaded:
                self._loaded[task] = self._store.pop(id(task))
        return [(task, self._loaded[task]) for task in tasks]

    def close(self) -> None:
        """Remove the documents that are stored on disk."""
        self._loaded.clear()
        self._store.close()
