"""Read the sources of one ``urlset read``: count documents and failures, and show progress."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from itertools import islice
from typing import TYPE_CHECKING, Any

from urlset.cli.console import Progress, format_size, print_errors, print_info
from urlset.errors import SourceError
from urlset.formats.detect import TableForm, stored_form, table_form_of_file
from urlset.model import Entry
from urlset.reader import SITEMAP_KINDS, DocumentBatch, DocumentRecord
from urlset.reader import read as open_source
from urlset.reader.documents import skipped_by_limit
from urlset.reader.entries import Entries, OnResponse
from urlset.reader.filters import EntryFilter, host_of_loc
from urlset.terminal_text import pluralize

if TYPE_CHECKING:
    from urlset.arrow.streams import RowLimit
    from urlset.document import Document

MAX_HOSTS = 10
"""Hosts that are remembered for a note."""

_REASONS = ("--follow-only", "--max-documents", "another capture")
"""Parts of the reasons for which a document is skipped; `--since` is in none."""

SLOW_S = 5.0
"""Seconds from which a document is reported as slow; most arrive in less than one."""


class ReadSession:
    """Read several sources in sequence, with the options of :func:`urlset.read`.

    If one fails, the others are still read.
    """

    def __init__(self, *, is_quiet: bool = False, **options: Any):
        self.documents: int = 0
        self.indexes: int = 0
        self.entries_read: int = 0
        self.problems: int = 0
        self.unreadable: int = 0
        self.skipped: int = 0
        self.skipped_by: set[str] = set()
        self.failures: list[str] = []
        self.unread: set[str] = set()
        self.records: list[DocumentRecord] = []
        self._is_quiet = is_quiet
        self._options = options
        self._finished = 0
        self._found = 0
        self._bytes = 0
        self._is_remote = False
        self._start = time.monotonic()
        self._slow: list[tuple[float, str]] = []
        self._disallowed: list[str] = []
        self._notes: list[str] = []
        self._hosts: dict[str, None] = {}

    def progress(self, *, is_shown: bool = True) -> Progress:
        """Return the progress display of this run; it shows nothing if the run is quiet."""
        return Progress(is_shown=is_shown and not self._is_quiet)

    def note(self, text: str) -> None:
        """Print a notice, unless the run is quiet."""
        if not self._is_quiet:
            print_info(text)

    def entries(self, sources: Sequence[str], progress: Progress) -> Generator[Entry]:
        """Yield the entries of all sources, document by document."""
        for source in sources:
            try:
                with self._open(source) as entries, closing(entries.visits()) as visits:
                    for visit in visits:
                        self._note(visit.record, visit.document, progress)
                        yield from entries.filtered(visit)
            except SourceError as error:
                self.failures.append(str(error))

    def batches(
        self,
        source: str,
        progress: Progress,
        row_limit: RowLimit,
        on_response: OnResponse | None = None,
    ) -> Generator[DocumentBatch]:
        """Yield the documents of one source with their selected entries.

        A source that cannot be read is noted in ``failures`` and ends the iteration.
        """
        try:
            with (
                self._open(source) as entries,
                closing(entries.batches(on_response, row_limit)) as batches,
            ):
                for batch in batches:
                    self._note(batch.record, batch.document, progress)
                    yield batch
        except SourceError as error:
            self.failures.append(str(error))
            self.unread.add(source)

    def _note(self, record: DocumentRecord, document: Document | None, progress: Progress) -> None:
        self.count(record)
        self._note_hosts(document)
        progress.update(self._progress_text(record), self._details())

    def count(self, record: DocumentRecord) -> None:
        """Count a document and its entries, and note its failure, if any."""
        self.records.append(record._replace(problems=()))
        self._finished += 1
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
        if record.skipped is not None:
            self.skipped += 1
            chosen = [text for text in _REASONS if text in record.skipped]
            self.skipped_by.add(next(iter(chosen), "--since"))
        if record.kind in SITEMAP_KINDS:
            self.documents += 1
            self.indexes += record.kind == "index"
            self.entries_read += record.entries
            self.problems += record.problem_count
            self.unreadable += record.unreadable_count

    def _note_hosts(self, document: Document | None) -> None:
        """Remember hosts of the first entries, for the note about ``--hosts`` without a match."""
        if document is not None and self._options.get("hosts") and len(self._hosts) < MAX_HOSTS:
            found = (host_of_loc(entry.loc) for entry in islice(document.entries, 100))
            self._hosts |= dict.fromkeys(host for host in found if host)

    def report_hosts(self) -> None:
        """Print which hosts there are, if no URL has one of ``--hosts``."""
        wanted = EntryFilter.of(hosts=self._options.get("hosts")).hosts or frozenset()
        if self._hosts and not wanted & self._hosts.keys():
            names = [*self._hosts]
            more = ", …" if len(names) > 3 else ""
            self.note(
                f"--hosts {', '.join(sorted(wanted))}: no URL has such a host; found "
                f"{', '.join(names[:3])}{more}"
            )

    def report_failures(self) -> None:
        """Print what could not be read or used, and documents that were slow or disallowed."""
        for seconds, source in reversed(self._slow):
            self.note(f"{source} took {seconds:,.1f} s")
        for text in self._notes:
            self.note(text)
        if self._disallowed:
            self.note(
                f"robots.txt disallows {pluralize(len(self._disallowed), 'sitemap')} that it "
                f"declares, so search engines do not read them: {self._disallowed[0]}"
            )
        print_errors(self.failures)

    def total(self, shown: int, *, is_filtered: bool, is_limited: bool) -> str:
        """Return one line with the number of entries and documents."""
        text = pluralize(shown, "entry", "entries")
        if is_limited:
            return f"{text}, --limit reached{self._transfer()}"
        if is_filtered:
            text += f" of {self.entries_read:,}"
        text += f" from {pluralize(self.documents, 'document', 'documents')}"
        if self.indexes:
            text += f", including {pluralize(self.indexes, 'index', 'indexes')}"
        text += self._transfer()
        if self.skipped:
            by = ", ".join(sorted(self.skipped_by))
            text += f"; {pluralize(self.skipped, 'document')} skipped by {by}"
        if self.problems:
            text += f"; {pluralize(self.problems, 'problem')}, see `urlset check`"
        if self.unreadable:
            entries = pluralize(self.unreadable, "entry", "entries")
            text += f"; {entries} without a readable URL omitted"
        return f"{text}; not complete" if self.failures or self.skipped_by_limit else text

    @property
    def skipped_by_limit(self) -> tuple[str, ...]:
        """How many documents --max-documents skipped, as a text; empty if it skipped none."""
        return skipped_by_limit(self.records)

    @property
    def exit_code(self) -> int:
        """Exit code: 0 if everything was read, 1 if a part failed, 2 if nothing could be read."""
        if not self.failures:
            return 0
        return 1 if self.documents else 2

    def _open(self, source: str) -> AbstractContextManager[Entries]:
        form = table_form_of_file(source) or _foreign_form(source)
        if form is None:
            return nullcontext(open_source(source, **self._options))
        from urlset.sources.entry_table import open_table  # with DuckDB

        names = ("base_url", "since", "include", "exclude", "hosts", "scope")
        return open_table(
            source,
            form,
            self.failures,
            self._notes,
            **{name: self._options[name] for name in names if name in self._options},
        )

    def _transfer(self) -> str:
        seconds = time.monotonic() - self._start
        return f", {format_size(self._bytes)} in {seconds:,.1f} s" if self._is_remote else ""

    def _progress_text(self, record: DocumentRecord) -> str:
        name = record.source or "stdin"
        if not self._is_remote:
            documents = pluralize(self.documents, "document")
            return f"{documents}, {self.entries_read:,} entries · {name}"
        rate = self._bytes / max(time.monotonic() - self._start, 0.001)
        found = max(self._found, self._finished)
        return (
            f"{self._finished:,} of {pluralize(found, 'document')}, {self.entries_read:,} entries, "
            f"{format_size(self._bytes)}, {format_size(int(rate))}/s · {name}"
        )

    def _details(self) -> Iterator[str]:
        """Yield the slow documents and the latest failures, for the progress display."""
        for seconds, source in self._slow:
            yield f"slow: {source}, {seconds:,.1f} s"
        if len(self.failures) > 3:
            yield f"{len(self.failures):,} failed; the latest:"
        for failure in self.failures[-3:]:
            yield f"failed: {failure}"


def _foreign_form(source: str) -> TableForm | None:
    """Return ``parquet`` for such a file with other columns or types than urlset writes; or None.

    It is read as the other tables: rows without a URL are reported, dates keep their text. Times
    without a zone as ``lastmod`` are read as UTC, since there is no option that says what they are.
    """
    if stored_form(source) != "parquet":
        return None
    from urlset.sources.tables.casts import is_naive
    from urlset.store import has_entry_columns, parquet_columns  # with DuckDB

    columns = parquet_columns(source)
    dates = [kind for name, kind in columns.items() if name.lower() == "lastmod"]
    return None if any(map(is_naive, dates)) or has_entry_columns(columns) else "parquet"
