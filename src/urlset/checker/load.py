"""Load the documents of a check: entries into the store, texts into a cache, facts of markup."""

from __future__ import annotations

import re
import tempfile
from bisect import bisect_right
from collections import Counter, deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, suppress
from types import TracebackType
from typing import NamedTuple

from urlset.arrow.streams import ColumnType, LazyStream, rows_to_stream
from urlset.checker.evaluate import FindingKey, Tally
from urlset.checker.markup_facts import MarkupFacts
from urlset.checker.views import BROKEN
from urlset.document import Document
from urlset.engine import OffsetRun, source_offset
from urlset.engine_rules import RULES
from urlset.errors import StoreError
from urlset.model import Kind, ProgressEvent
from urlset.reader import DocumentRecord, Entries
from urlset.result import Closing
from urlset.store import Store

IN_MEMORY = 64 << 20
"""Bytes of text in memory; beyond this, all of it moves to a temporary file."""

BEFORE, AFTER = 160, 240
"""Characters of a line shown around a finding: a document may be one line of 50 MB."""

_LINE_END = re.compile(rb"[\r\n]")
_CONTINUATION = bytes(range(0x80, 0xC0))  # the bytes of a UTF-8 character after its first


class Excerpt(NamedTuple):
    """Part of the line of a finding, and the position of the finding in it (characters from 0)."""

    text: str
    start: int


class Text(NamedTuple):
    """Text of a document as UTF-8; ``runs`` map its offsets to those of the original bytes."""

    kind: Kind
    data: bytes
    runs: list[OffsetRun]

    def position_of(self, offset: int) -> int:
        """Return the position in ``data`` of an offset in the original bytes."""
        if not self.runs:
            return offset
        number = bisect_right(self.runs, offset, key=lambda run: run.source_start) - 1
        run = self.runs[max(0, number)]
        return run.text_start + (offset - run.source_start) // run.source_width * run.text_width

    def offset_of(self, start: int) -> int:
        """Return the offset in the original bytes of a position in ``data`` (UTF-8)."""
        return source_offset(start, self.runs)

    def excerpt(self, start: int) -> Excerpt:
        """Return the line around a position, shortened for display."""
        # A character has at most four bytes, so enough characters remain after decoding.
        left = _LINE_END.split(self.data[max(0, start - 4 * BEFORE) : start])[-1]
        right = _LINE_END.split(self.data[start : start + 4 * AFTER], maxsplit=1)[0]
        before = left.decode(errors="ignore")[-BEFORE:]
        return Excerpt(before + right.decode(errors="ignore")[:AFTER], len(before))


def count_lines(data: bytes, begin: int, end: int) -> int:
    r"""Return the number of line ends between two positions; "\r\n" is one."""
    ends = data.count(b"\n", begin, end) + data.count(b"\r", begin, end)
    return ends - data.count(b"\r\n", begin, end + 1)


def count_characters(data: bytes, begin: int, end: int) -> int:
    """Return the number of characters that begin between two positions of UTF-8."""
    return len(data[begin:end].translate(None, _CONTINUATION))


def line_begin(data: bytes, start: int) -> int:
    """Return the start of the line of a position."""
    begin = data.rfind(b"\n", 0, start) + 1
    # Most documents have no "\r", so it is searched in this line only.
    return max(begin, data.rfind(b"\r", begin, start) + 1)


class _CachedText(NamedTuple):
    """Range of a cached text in the temporary file, with the map of its offsets."""

    kind: Kind
    start: int
    size: int
    runs: list[OffsetRun]


class TextCache(Closing):
    """Cache of the texts of documents, by document number; a context manager."""

    def __init__(self) -> None:
        # Closed at the end of the context.
        self._file = tempfile.SpooledTemporaryFile(IN_MEMORY, prefix="urlset-")  # noqa: SIM115
        self._texts: dict[int, _CachedText] = {}
        self._end = 0

    def add(self, number: int, document: Document) -> None:
        """Add the text of a document to the cache."""
        try:
            self._file.seek(self._end)
            self._file.write(document.text)
        except OSError as error:
            raise _write_error(error) from error
        size = len(document.text)
        self._texts[number] = _CachedText(document.kind, self._end, size, document.runs)
        self._end += size

    def get(self, number: int) -> Text | None:
        """Return the text of a document, or None if it is not in the cache."""
        cached = self._texts.get(number)
        if cached is None:
            return None
        try:
            self._file.seek(cached.start)  # this flushes the write buffer
            return Text(cached.kind, self._file.read(cached.size), cached.runs)
        except OSError as error:
            raise _write_error(error) from error

    def close(self) -> None:
        """Remove the temporary file."""
        with suppress(OSError):  # of unwritten data, which is no longer needed
            self._file.close()


def _write_error(error: OSError) -> StoreError:
    return StoreError(
        f"cannot store the texts of documents in {tempfile.gettempdir()!r}: {error.strerror}; "
        "free space there, or set TMPDIR to another folder"
    )


MAX_WAITING = 4
"""Maximum number of queued background tasks; each keeps its documents."""

TASK_BYTES = 256 << 10
"""Text for which a background task is worth while: small documents share one."""

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

    Return the number of problems that the engine counted beyond those that it reports.
    """
    omitted: Tally = Counter()
    documents = urls = 0
    with (
        _BackgroundWorker(texts.add, markup.add) as worker,
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
                worker.add(number, document)
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
    """Background thread that passes documents to functions, in order; a context manager.

    Parsing and storing release Python's interpreter lock, so this thread can scan the texts.
    """

    def __init__(self, *functions: Callable[[int, Document], None]) -> None:
        self._functions = functions
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="urlset-texts")
        self._waiting: deque[Future[None]] = deque()
        self._documents: list[tuple[int, Document]] = []
        self._bytes = 0

    def add(self, number: int, document: Document) -> None:
        """Queue a document; block while :data:`MAX_WAITING` tasks are queued."""
        self._documents.append((number, document))
        self._bytes += len(document.text)
        if self._bytes >= TASK_BYTES:
            self._submit()

    def _submit(self) -> None:
        while len(self._waiting) >= MAX_WAITING:
            self._waiting.popleft().result()
        self._waiting.append(self._thread.submit(self._run, self._documents))
        self._documents, self._bytes = [], 0

    def _run(self, documents: list[tuple[int, Document]]) -> None:
        for number, document in documents:
            for function in self._functions:
                function(number, document)

    def __enter__(self) -> _BackgroundWorker:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if kind is None:
                self._submit()
        finally:
            self._thread.shutdown(cancel_futures=kind is not None)
        if kind is None:
            for task in self._waiting:
                task.result()
