"""A source whose files are kept by git: its dates beside the rest."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from urlset.arrow import batches
from urlset.sources.candidates import Source
from urlset.sources.git.dates import GitDates, git_dates
from urlset.sources.git.layouts import is_language

__all__ = ["GitDatedSource"]

SHOWN = 2
"""Pages without a source that are named."""


class GitDatedSource:
    """A folder of pages with the dates of git: of the pages, or of what they were built from.

    ``root`` is the folder that git is asked about: by default that of the pages, or, where git
    keeps nothing of it, the next one above. ``patterns`` tell where in it the source of a page
    lies, see :class:`urlset.sources.GitDates`. Pages without a source are counted in ``notes``.
    """

    def __init__(
        self,
        source: Source,
        folder: str,
        *,
        root: str | None = None,
        patterns: tuple[str, ...] = (),
    ):
        self.name = source.name
        self.failures = source.failures
        self.notes = source.notes
        self._source = source
        self._folder = folder
        self._root = root
        self._patterns = patterns
        self._unmatched = 0
        self._examples: list[str] = []

    def use_cache(self, cache: Any) -> None:
        """Let the source use a cache, where it can."""
        if hasattr(self._source, "use_cache"):
            self._source.use_cache(cache)

    def batches(self) -> Iterator[Any]:
        """Yield the batches of the source, with ``git_lastmod``."""
        dates = git_dates(
            self._root or self._folder,
            patterns=self._patterns,
            languages=_languages(self._folder),
            may_ascend=self._root is None,
        )
        for batch in self._source.batches():
            places = batches.column(batch, "source")
            reasons = batches.column(batch, "reason")
            found = [
                self._date(dates, place, is_wanted=reason is None)
                for place, reason in zip(places, reasons, strict=True)
            ]
            column = {"git_lastmod": batches.text_array(found)}
            if "git_lastmod" in batch.schema.names:
                yield batches.replaced(batch, "git_lastmod", column["git_lastmod"])
            else:
                yield batches.beside(batch, column)
        self.notes += dates.notes
        if self._unmatched and dates.known:
            pages = "1 page has" if self._unmatched == 1 else f"{self._unmatched:,} pages have"
            more = ", …" if self._unmatched > SHOWN else ""
            self.notes.append(
                f"{pages} no source that git keeps ({', '.join(self._examples)}{more}); "
                "--git-path PATTERN says where it lies"
            )

    def _date(self, dates: GitDates, place: str | None, *, is_wanted: bool) -> str | None:
        if not place:
            return None
        path = os.path.relpath(place, self._folder).replace(os.sep, "/")
        source = dates.source_of(path)
        if source is not None:
            return dates.known[source]
        if is_wanted:
            self._unmatched += 1
            if len(self._examples) < SHOWN:
                self._examples.append(path)
        return None


def _languages(folder: str) -> list[str]:
    """The languages that have a folder of their own in a built site."""
    try:
        return [name for name in os.listdir(folder) if is_language(name)]
    except OSError:
        return []  # it is told by whoever reads it
