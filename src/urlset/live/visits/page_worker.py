"""Process that reads pages, while the main process fetches the next ones.

It is started as a program of its own, not by ``multiprocessing``: scripts without a guard around
their main part then work as well. The working directory is not on its ``sys.path``: it may be the
checkout of a stranger.
"""

from __future__ import annotations

import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, BinaryIO

from urlset.http import Response
from urlset.live.visits.page_rows import PageRows

Read = Callable[[Response, dict[str, Any]], PageRows]
"""Function that reads a page, and adds values to its row; it can be pickled."""

MAX_PENDING = 32
"""Pages that wait for the worker; they count as in flight."""

MAX_UNSENT = 8
"""Pages that are sent to a busy worker at once: each message wakes two threads."""

JOIN_TIMEOUT_S = 5.0

WORKER_FROM = 100
"""Pages of a walk from which a second process reads them: its start takes half a second."""

STOP_S = 1.0
"""Seconds after an interruption in which the worker may finish pages."""

# With -c alone, the working directory is first on sys.path. The folder of this package is last: for
# a program that has extended its own sys.path.
_PROGRAM = f"import sys; sys.path.append(sys.argv[1]); from {__name__} import serve; serve()"
_PACKAGES = os.path.dirname(os.path.abspath(sys.modules["urlset"].__path__[0]))


class PageReader:
    """Reader of the pages of a walk, from :data:`WORKER_FROM` pages on with a worker process."""

    def __init__(self, read: Read) -> None:
        self._read = read
        self._count = 0
        self._worker: PageWorker | None = None

    @property
    def pending(self) -> int:
        """Number of pages whose rows were not returned yet."""
        return 0 if self._worker is None else self._worker.pending

    def read(self, response: Response, values: dict[str, Any]) -> list[PageRows]:
        """Read the page in a response; return rows that are ready.

        Args:
            response: The response.
            values: Columns to add to its row.
        """
        if self._worker is None and self._count >= WORKER_FROM and (os.cpu_count() or 1) > 1:
            self._worker = PageWorker(self._read)
        self._count += 1
        if self._worker is None:
            return [self._read(response, values)]
        self._worker.submit(response, values)
        return self._worker.take(waits=self._worker.pending >= MAX_PENDING)

    def wait(self) -> list[PageRows]:
        """Return the rows of one page or more, if any is pending."""
        return [] if self._worker is None else self._worker.take(waits=True)

    def close(self) -> Iterator[PageRows]:
        """Yield the rows of all pages that are pending, and end the worker."""
        worker, self._worker = self._worker, None
        if worker is not None:
            try:
                while worker.pending:
                    yield from worker.take(waits=True)
            finally:
                worker.close()

    def stop(self) -> list[PageRows]:
        """End the worker after an interruption; return the rows that are ready soon."""
        worker, self._worker = self._worker, None
        return [] if worker is None else worker.stop(STOP_S)


class PageWorker:
    """Worker process that reads the pages in responses and converts them to table rows.

    If it ends unexpectedly, the pages that it had are read in this process, and ``is_alive`` is
    False.
    """

    def __init__(self, read: Read) -> None:
        self.is_alive: bool = True
        self._read = read
        self._unsent: list[tuple[Response, dict[str, Any]]] = []
        self._pending: dict[str, tuple[Response, dict[str, Any]]] = {}
        self._results: queue.SimpleQueue[list[PageRows] | None] = queue.SimpleQueue()
        # A group of its own: Ctrl-C in a terminal is for the main process, also while this starts.
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", _PROGRAM, _PACKAGES],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            process_group=None if os.name == "nt" else 0,
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
        )
        self._thread = threading.Thread(target=self._receive, daemon=True, name="urlset pages")
        self._thread.start()
        self._send(read)

    @property
    def pending(self) -> int:
        """Number of pages that were submitted, and whose rows were not taken yet."""
        return len(self._pending)

    def submit(self, response: Response, values: dict[str, Any]) -> None:
        """Send a response to the worker; ``values`` are columns to add to its row."""
        plain = response
        if type(response.headers) is not dict:  # a view of one cannot be pickled
            plain = plain._replace(headers=dict(response.headers))
        request = response.request
        if request.token is not None or request.may_continue is not None:
            bare = request._replace(token=None, may_continue=None, may_wait=None, may_follow=None)
            plain = plain._replace(request=bare)
        self._pending[response.request.url] = plain, values
        self._unsent.append((plain, values))
        if len(self._unsent) >= min(MAX_UNSENT, len(self._pending)):
            self._flush()

    def take(self, *, waits: bool) -> list[PageRows]:
        """Remove and return the rows that are ready; with ``waits``, at least one page."""
        if not self.is_alive:
            return self._read_pending()
        found: list[PageRows] = []
        if waits:
            self._flush()
        # This thread is the only one that takes results, so one that is there does not go away.
        while self._pending and ((waits and not found) or not self._results.empty()):
            pages = self._results.get()
            if pages is None:
                self.is_alive = False
                return found + self._read_pending()
            found += [page for page in pages if self._pending.pop(page.url, None) is not None]
        if self._unsent and len(self._unsent) == len(self._pending):  # the worker is idle
            self._flush()
        return found

    def close(self) -> None:
        """End the worker."""
        self.is_alive = False
        with suppress(OSError):
            if self._process.stdin is not None:
                self._process.stdin.close()
        try:
            self._process.wait(JOIN_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._thread.join(JOIN_TIMEOUT_S)
        if self._process.stdout is not None:
            self._process.stdout.close()

    def stop(self, seconds: float) -> list[PageRows]:
        """End the worker after an interruption; return the rows of the pages that are read.

        Pages that were not sent, or that take longer than ``seconds`` in all, are dropped.
        """
        found: list[PageRows] = []
        end = time.monotonic() + seconds
        sent = self._pending.keys() - {response.request.url for response, _ in self._unsent}
        while self.is_alive and not sent.isdisjoint(self._pending):
            try:
                pages = self._results.get(timeout=max(0.0, end - time.monotonic()))
            except queue.Empty:
                break
            self.is_alive = pages is not None
            found += [page for page in pages or () if self._pending.pop(page.url, None) is not None]
        self._pending.clear()
        self._unsent.clear()
        self._process.kill()
        self.close()
        return found

    def _flush(self) -> None:
        unsent, self._unsent = self._unsent, []
        if unsent:
            self._send(unsent)

    def _send(self, message: object) -> None:
        try:
            assert self._process.stdin is not None
            pickle.dump(message, self._process.stdin, pickle.HIGHEST_PROTOCOL)
            self._process.stdin.flush()
        except OSError:
            self._results.put(None)
        except BaseException:
            # Ctrl-C: the worker would wait for the rest of this message, and this process for it.
            self._process.kill()
            raise

    def _read_pending(self) -> list[PageRows]:
        pages = [self._read(response, values) for response, values in self._pending.values()]
        self._pending.clear()
        return pages

    def _receive(self) -> None:
        assert self._process.stdout is not None
        try:
            while True:
                self._results.put(pickle.load(self._process.stdout))
        except (OSError, EOFError, ValueError, pickle.UnpicklingError):
            self._results.put(None)
        finally:
            # Nobody reads its results any more: it would wait for that, and this process for it.
            self._process.kill()


def serve(
    source: BinaryIO = sys.stdin.buffer, target: BinaryIO = sys.stdout.buffer
) -> None:  # pragma: no cover - in another process
    """Read a function and responses from stdin, write rows to stdout, until stdin ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the main process
    try:
        read: Read = pickle.load(source)
        while True:
            pages = [read(response, values) for response, values in pickle.load(source)]
            pickle.dump(pages, target, pickle.HIGHEST_PROTOCOL)
            target.flush()
    except (EOFError, OSError, pickle.UnpicklingError):  # the main process has ended
        return
