"""One run over several sources: what was read, what failed, and the exit code of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from urlset.cli.talk import Progress, complain_each, count_of
from urlset.errors import SourceError
from urlset.model import Entry
from urlset.reader import DocumentRecord
from urlset.reader import read as open_source

__all__ = ["Session"]


class Session:
    """Reads sources one after another; one that fails does not keep the others from being read."""

    def __init__(self, *, engine: str | None, base: str | None, follow: bool = True):
        self.documents = 0
        self.indexes = 0
        self.entries_read = 0
        self.problems = 0
        self.failures: list[str] = []
        self._engine = engine
        self._base = base
        self._follow = follow

    def entries(self, sources: Sequence[str], progress: Progress) -> Iterator[Entry]:
        """The entries of all sources, a document at a time."""
        for source in sources:
            try:
                entries = open_source(
                    source, base=self._base, engine=self._engine, follow=self._follow
                )
                for record, document in entries.visits():
                    self.count(record)
                    progress.update(self._so_far(record))
                    if document is not None:
                        yield from document.entries
            except SourceError as error:
                self.failures.append(str(error))

    def count(self, record: DocumentRecord) -> None:
        """Take a document into the totals."""
        if record.error:
            self.failures.append(f"{record.source or 'the document'}: {record.error}")
        if record.kind in ("urlset", "index", "text", "rss", "atom"):
            self.documents += 1
            self.indexes += record.kind == "index"
            self.entries_read += record.entries
            self.problems += record.problem_count

    def tell_failures(self) -> None:
        """List what could not be read, on stderr."""
        complain_each(self.failures)

    def total(self, shown: int, *, is_filtered: bool, is_limited: bool) -> str:
        """One line that sums up what was shown."""
        text = count_of(shown, "entry", "entries")
        if is_limited:
            return f"{text}, and no more: --limit"
        if is_filtered:
            text += f" of {self.entries_read:,}"
        text += f" from {count_of(self.documents, 'document', 'documents')}"
        if self.indexes:
            text += f", {count_of(self.indexes, 'index', 'indexes')} among them"
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

    def _so_far(self, record: DocumentRecord) -> str:
        documents = count_of(self.documents, "document")
        return f"{documents}, {self.entries_read:,} entries · {record.source or 'stdin'}"
