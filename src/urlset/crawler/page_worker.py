"""Process that reads pages for a crawl, while the main process fetches the next ones.

It is started as a program of its own, not by ``multiprocessing``: scripts without a guard around
their main part then work as well.
"""

from __future__ import annotations

import pickle
import queue
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from typing import Any, BinaryIO, NamedTuple

from urlset.crawler.page_record import PageRecord, read_record, to_json
from urlset.crawler.page_urls import UrlResolver
from urlset.http import Response

__all__ = ["MAX_PENDING", "PageWorker", "ReadPage", "serve"]

MAX_PENDING = 16
"""Pages that wait for the worker; they count as in flight."""

MAX_UNSENT = 4
"""Pages that are sent to the worker at once."""

JOIN_TIMEOUT_S = 5.0


class ReadPage(NamedTuple):
    """Record of a page, and its line for the journal."""

    record: PageRecord
    line: str


class PageWorker:
    """Worker process that converts responses to records.

    If it ends unexpectedly, the pages that it had are read in this process, and ``is_alive`` is
    False.
    """

    def __init__(self) -> None:
        self.is_alive = True
        self._unsent = 0
        self._pending: dict[str, tuple[Response, dict[str, Any]]] = {}
        self._results: queue.SimpleQueue[tuple[PageRecord, str] | None] = queue.SimpleQueue()
        code = "from urlset.crawler.page_worker import serve; serve()"
        self._process = subprocess.Popen(
            [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self._thread = threading.Thread(target=self._receive, daemon=True, name="urlset pages")
        self._thread.start()

    @property
    def pending(self) -> int:
        """Number of pages that were submitted and not taken."""
        return len(self._pending)

    def submit(self, response: Response, values: dict[str, Any]) -> None:
        """Send a response to the worker; ``values`` are columns to add to its row."""
        plain = response._replace(
            headers=dict(response.headers), request=response.request._replace(token=None)
        )
        self._pending[response.request.url] = plain, values
        try:
            assert self._process.stdin is not None
            pickle.dump((plain, values), self._process.stdin, pickle.HIGHEST_PROTOCOL)
            self._unsent += 1
        except OSError:
            self._results.put(None)
        if self._unsent >= MAX_UNSENT:
            self._flush()

    def take(self, *, waits: bool) -> list[ReadPage]:
        """Return the pages that are ready; with ``waits``, at least one of those pending."""
        if not self.is_alive:
            return self._read_pending()
        found: list[ReadPage] = []
        if waits:
            self._flush()
        while self._pending:
            try:
                result = self._results.get(block=waits and not found)
            except queue.Empty:
                break
            if result is None:
                self.is_alive = False
                return found + self._read_pending()
            if self._pending.pop(result[0].url, None) is not None:
                found.append(ReadPage(*result))
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

    def _flush(self) -> None:
        self._unsent = 0
        try:
            assert self._process.stdin is not None
            self._process.stdin.flush()
        except OSError:
            self._results.put(None)

    def _read_pending(self) -> list[ReadPage]:
        resolver = UrlResolver()
        pages = [_read(response, values, resolver) for response, values in self._pending.values()]
        self._pending.clear()
        return pages

    def _receive(self) -> None:
        assert self._process.stdout is not None
        try:
            while True:
                self._results.put(pickle.load(self._process.stdout))
        except (OSError, EOFError, ValueError, pickle.UnpicklingError):
            self._results.put(None)


def serve(
    source: BinaryIO = sys.stdin.buffer, target: BinaryIO = sys.stdout.buffer
) -> None:  # pragma: no cover - in another process
    """Read responses from stdin and write records to stdout, until stdin ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the main process
    resolver = UrlResolver()
    try:
        while True:
            response, values = pickle.load(source)
            pickle.dump(tuple(_read(response, values, resolver)), target, pickle.HIGHEST_PROTOCOL)
            target.flush()
    except (EOFError, OSError):
        return


def _read(response: Response, values: dict[str, Any], resolver: UrlResolver) -> ReadPage:
    record = read_record(response, resolver)
    record.row.update(values)
    return ReadPage(record, to_json(record))
