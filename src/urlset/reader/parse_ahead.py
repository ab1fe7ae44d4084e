"""Parsing of the next documents in threads, while the caller uses the one before."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor

from urlset import engine as engines
from urlset.document import Document

MIN_BYTES = 1 << 19
"""Decompressed bytes of a document from which the next ones are parsed ahead.

A document of this size is parsed in about half a millisecond; to hand it to another thread and back
takes about a tenth of that.
"""

MAX_BYTES = 1 << 26
"""Decompressed bytes of documents that are parsed ahead, if they are as large as the last one."""

MAX_THREADS = 4


class ParseAhead:
    """Threads that parse the documents after the one that the caller uses.

    The threads begin with the first large document, since documents of one site usually have
    similar sizes. There are none with one processor, nor with the reference engine, whose threads
    only take turns.

    Args:
        engine: Name of the engine.
        threads: Number of threads; None for one per processor, up to :data:`MAX_THREADS`.
    """

    def __init__(self, engine: str | None = None, *, threads: int | None = None):
        self._engine = engine
        self._threads = threads
        self._pool: ThreadPoolExecutor | None = None
        self._parsed: dict[Hashable, Future[Document]] = {}
        self.limit: int = 0
        """Documents to parse ahead, at most; 0 if the last one was small."""

    def observe(self, document: Document) -> None:
        """Adapt ``limit`` to the size of a document that was parsed."""
        self.limit = 0
        if document.size >= MIN_BYTES:
            if self._threads is None:
                self._threads = _threads(self._engine)
            self.limit = min(self._threads, max(1, MAX_BYTES // document.size))

    def start(self, documents: Mapping[Hashable, Callable[[], Document]]) -> None:
        """Parse documents in threads: those that the caller takes next, by their key.

        Others that were started and not taken are dropped.
        """
        for key in self._parsed.keys() - documents.keys():
            self._parsed.pop(key).cancel()
        for key, parse in documents.items():
            if key not in self._parsed and len(self._parsed) < self.limit:
                if self._pool is None:
                    self._pool = ThreadPoolExecutor(self._threads, "urlset-parse")
                try:
                    self._parsed[key] = self._pool.submit(parse)
                except RuntimeError:  # no more threads are allowed
                    self._threads = self.limit = 0

    def take(self, key: Hashable) -> Document | None:
        """Return a document that was started, or raise the error of its function; None without.

        Also None if no thread has begun with it: the caller is as fast then.
        """
        future = self._parsed.pop(key, None)
        return None if future is None or future.cancel() else future.result()

    def close(self) -> None:
        """Drop what was not taken; the threads end when they have parsed what they have begun."""
        self._parsed.clear()
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool = None
        self.limit = 0


def _threads(engine: str | None) -> int:
    """Return the number of threads that can parse at once."""
    count = min(os.cpu_count() or 1, MAX_THREADS)
    return count if count > 1 and engines.get(engine).name == "native" else 0
