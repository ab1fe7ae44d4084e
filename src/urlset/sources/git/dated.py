"""A source whose files are kept by git: its dates beside the rest."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from urlset.arrow import batches
from urlset.sources.candidates import Source
from urlset.sources.git.dates import PATTERNS, git_dates

__all__ = ["WithGit"]


class WithGit:
    """A folder of pages with the dates of git: of the pages, or of what they were built from.

    ``root`` is the folder that git is asked about: by default that of the pages. ``patterns``
    tell where in it the source of a page lies, see :data:`urlset.sources.git.PATTERNS`.
    """

    def __init__(
        self,
        source: Source,
        folder: str,
        *,
        root: str | None = None,
        patterns: tuple[str, ...] = PATTERNS,
    ):
        self.name = source.name
        self.failures = source.failures
        self.notes = source.notes
        self._source = source
        self._folder = folder
        self._root = root or folder
        self._patterns = patterns

    def batches(self) -> Iterator[Any]:
        """Yield the batches of the source, with ``git_lastmod``."""
        dates = git_dates(self._root, patterns=self._patterns)
        for batch in self._source.batches():
            places = batches.column(batch, "source")
            found = [dates.date_of(os.path.relpath(p, self._folder)) if p else None for p in places]
            column = {"git_lastmod": batches.text_array(found)}
            if "git_lastmod" in batch.schema.names:
                yield batches.replaced(batch, "git_lastmod", column["git_lastmod"])
            else:
                yield batches.beside(batch, column)
        self.notes += dates.notes
