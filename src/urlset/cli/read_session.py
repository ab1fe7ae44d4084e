"""One run over several sources: what was read, what failed, and the exit code of it."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from typing import TYPE_CHECKING, Any

from urlset.cli.console import Progress, complain_each, count_of, print_info, size_of
from urlset.errors import SourceError
from urlset.model import Entry
from urlset.reader import SITEMAP_KINDS, DocumentBatch, DocumentRecord
from urlset.reader import read as open_source
from urlset.reader.detection import table_kind_of_file
from urlset.reader.entries import Entries, OnResponse

if TYPE_CHECKING:
    from urlset.arrow.streams import RowLimit

__all__ = ["Session"]

SLOW_S = 5.0
"""From so many seconds on a document is told as slow; most come in less than one."""


class Session:
    """Reads sources one after another; one that fails does not keep the others from being read."""

    def __init__(self, *, is_quiet: bool = False, **options: Any):
        self.documents = 0
        self.indexes = 0
        self.entries_read = 0
        self.problems = 0
        self.skipped = 0
        self.failures: list[str] = []
        self.unread: set[str] = set()
        self.records: list[DocumentRecord] = []
        self._is_quiet = is_quiet
        self._options = options
        self._met = 0
        self._found = 0
        self._bytes = 0
        self._is_remote = False
        self._began = time.monotonic()
        self._slow: list[tuple[float, str]] = []
        self._disallowed: list[str] = []

    def progress(self, *, is_shown: bool = True) -> Progress:
        """Return the progress display of this run; it shows nothing if the run is quiet."""
        return Progress(is_shown=is_shown and not self._is_quiet)

    def note(self, text: str) -> None:
        """Print what is good to know, unless the run is quiet."""
        if not self._is_quiet:
            print_info(text)

    def entries(self, sources: Sequence[str], progress: Progress) -> Generator[Entry]:
        """The entries of all sources, a document at a time."""
        for source in sources:
            try:
                with self._opened(source) as entries, closing(entries.visits()) as visits:
                    for visit in visits:
                        self.count(visit.record)
                        progress.update(self._so_far(visit.record), self._details())
                        yield from entries.filtered(visit)
            except SourceError as error:
                self.failures.append(str(error))

    def portions(
        self, source: str, progress: Progress, row_limit: RowLimit, heard: OnResponse | None = None
    ) -> Generator[DocumentBatch]:
        """The documents of one source with their wanted entries, counted by ``row_limit``.

        It ends early where the source cannot be read.
        """
        try:
            with (
                self._opened(source) as entries,
                closing(entries.batches(heard, row_limit)) as portions,
            ):
                for portion in portions:
                    self.count(portion.record)
                    progress.update(self._so_far(portion.record), self._details())
                    yield portion
        except SourceError as error:
            self.failures.append(str(error))
            self.unread.add(source)

    def count(self, record: DocumentRecord) -> None:
        """Take a document into the totals."""
        self.records.append(record._replace(problems=()))
        self._met += 1
        self._found += record.sitemaps + (record.how != "index")
        self._bytes += record.packed_size
        if record.fetched is not None:
            self._is_remote = True
            self._bytes += record.fetched.wire_size - record.packed_size
            if record.fetched.seconds >= SLOW_S:
                self._slow = sorted([*self._slow, (record.fetched.seconds, str(record.source))])
                del self._slow[:-3]
        if record.disallowed_by:
            self._disallowed.append(str(record.source))
        if record.error:
            self.failures.append(f"{record.source or 'the document'}: {record.error}")
        self.skipped += record.skipped is not None
        if record.kind in SITEMAP_KINDS:
            self.documents += 1
            self.indexes += record.kind == "index"
            self.entries_read += record.entries
            self.problems += record.problem_count

    def tell_failures(self) -> None:
        """List what could not be read, on stderr; and what went well, but slowly or unasked."""
        for seconds, source in reversed(self._slow):
            self.note(f"{source} took {seconds:,.1f} s")
        if self._disallowed:
            self.note(
                f"robots.txt disallows {count_of(len(self._disallowed), 'sitemap')} that it leads "
                f"to, so engines do not read them: {self._disallowed[0]}"
            )
        complain_each(self.failures)

    def total(self, shown: int, *, is_filtered: bool, is_limited: bool) -> str:
        """One line that sums up what was shown."""
        text = count_of(shown, "entry", "entries")
        if is_limited:
            return f"{text}, and no more: --limit{self._on_the_wire()}"
        if is_filtered:
            text += f" of {self.entries_read:,}"
        text += f" from {count_of(self.documents, 'document', 'documents')}"
        if self.indexes:
            text += f", {count_of(self.indexes, 'index', 'indexes')} among them"
        text += self._on_the_wire()
        if self.skipped:
            text += f"; {count_of(self.skipped, 'document')} skipped: not changed since"
        if self.problems:
            problems = count_of(self.problems, "problem was", "problems were")
            text += f"; {problems} forgiven, `urlset check` tells which"
        return text

    @property
    def exit_code(self) -> int:
        """0 where all was read, 1 where some of it failed, 2 where nothing could be read."""
        if not self.failures:
            return 0
        return 1 if self.documents else 2

    def _opened(self, source: str) -> AbstractContextManager[Entries]:
        if table_kind_of_file(source) is None:
            return nullcontext(open_source(source, **self._options))
        from urlset.cli.input_tables import open_table  # with DuckDB

        chosen = ("base", "since", "match", "exclude", "hosts", "in_scope")
        return open_table(source, self.failures, **{name: self._options[name] for name in chosen})

    def _on_the_wire(self) -> str:
        seconds = time.monotonic() - self._began
        return f", {size_of(self._bytes)} in {seconds:,.1f} s" if self._is_remote else ""

    def _so_far(self, record: DocumentRecord) -> str:
        name = record.source or "stdin"
        if not self._is_remote:
            documents = count_of(self.documents, "document")
            return f"{documents}, {self.entries_read:,} entries · {name}"
        rate = self._bytes / max(time.monotonic() - self._began, 0.001)
        found = max(self._found, self._met)
        return (
            f"{self._met:,} of {count_of(found, 'document')}, {self.entries_read:,} entries, "
            f"{size_of(self._bytes)}, {size_of(int(rate))}/s · {name}"
        )

    def _details(self) -> Iterator[str]:
        """The slow ones and the latest that failed, for whoever waits."""
        for seconds, source in self._slow:
            yield f"slow: {source}, {seconds:,.1f} s"
        if len(self.failures) > 3:
            yield f"{len(self.failures):,} failed, the latest:"
        for failure in self.failures[-3:]:
            yield f"failed: {failure}"
