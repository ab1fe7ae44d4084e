"""Load the documents of a check: entries into the store, texts and markup facts next to it."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from functools import partial
from types import TracebackType

from urlset.arrow.streams import ColumnType, LazyStream, rows_to_stream
from urlset.checker.evaluate import FindingKey, Tally
from urlset.checker.markup_facts import MarkupFacts
from urlset.checker.text_cache import TextCache
from urlset.checker.views import BROKEN
from urlset.document import Document
from urlset.engine_rules import RULES
from urlset.model import ProgressEvent
from urlset.reader import DocumentRecord, Entries
from urlset.store import Store

__all__ = ["Failures", "load"]

MAX_WAITING = 8
"""Maximum number of queued background tasks; each document has two, and each keeps a document."""

_CODES = {rule.name: code for code, rule in RULES.items()}

_COLUMNS: list[tuple[str, ColumnType]] = [
    ("document", "uint32"),
    ("failure", "string"),
    ("parent", "string"),
    ("how", "string"),
    ("loc", "string"),
    ("error", "string"),
]


def load(
    store: Store,
    texts: TextCache,
    markup: MarkupFacts,
    failures: Failures,
    entries: Entries,
    progress: Callable[[ProgressEvent], None] | None = None,
) -> Tally:
    """Read documents into a store; fill the caches of texts, markup facts and failures.

    Returns:
        The number of problems that the engine counted beyond those that it reports.
    """
    omitted: Tally = Counter()
    documents = urls = 0
    with (
        _BackgroundWorker() as worker,
        store.writer(None) as writer,
        closing(entries.batches(writer.on_response)) as batches,
    ):
        for record, document, rows in batches:
            number = writer.add(record, document, rows)
            failures.add(number, record, document)
            documents, urls = documents + 1, urls + record.entries
            if progress is not None:
                progress(ProgressEvent(urls, documents, None, record.source, record.error))
            if document is None:
                continue
            if document.text:  # a document from a store has no text
                worker.run(partial(texts.add, number, document))
                worker.run(partial(markup.add, number, document))
            is_broken = any(problem.code in BROKEN for problem in document.problems)
            for name, count in document.omitted.items():
                rule = RULES[_CODES[name]]
                if rule.code.startswith("X") or not is_broken:
                    omitted[FindingKey(rule.code, rule.level, record.source)] += count
    return omitted


class Failures:
    """Collector of the documents that could not be read, as rows of the table ``failures``."""

    def __init__(self) -> None:
        self._rows: list[tuple[object, ...]] = []

    def add(self, number: int, record: DocumentRecord, document: Document | None) -> None:
        """Add a document to the failures if it could not be read and has no content."""
        failure = record.failure
        if not record.error or (document is not None and failure is None):
            return
        row = (record.parent, record.how, record.loc or record.source, record.error)
        self._rows.append((number, failure or "unreadable", *row))

    def flow(self) -> LazyStream:
        """Return the failures as an Arrow stream."""
        return rows_to_stream(_COLUMNS, self._rows)


class _BackgroundWorker:
    """Background thread that runs tasks one after another; a context manager.

    Parsing and storing release Python's interpreter lock, so this thread can scan the texts.
    """

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="urlset-texts")
        self._waiting: deque[Future[None]] = deque()

    def run(self, task: Callable[[], None]) -> None:
        """Queue a task; block while :data:`MAX_WAITING` tasks are queued."""
        while len(self._waiting) >= MAX_WAITING:
            self._waiting.popleft().result()
        self._waiting.append(self._thread.submit(task))

    def __enter__(self) -> _BackgroundWorker:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._thread.shutdown(cancel_futures=kind is not None)
        if kind is None:
            for task in self._waiting:
                task.result()
