"""Which entries are wanted: --since, --match and --limit, of rows and of columns alike."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

from urlset.dates import microseconds
from urlset.engine import Rows
from urlset.model import Entry

__all__ = ["Wanted"]


class Wanted:
    """Lets the wanted entries through, and counts them."""

    def __init__(self, since: datetime | None, pattern: re.Pattern[str] | None, limit: int | None):
        self.limit = limit
        self.count = 0
        self._since = since
        self._pattern = pattern

    @property
    def is_all(self) -> bool:
        """Whether everything is wanted."""
        return self._since is None and self._pattern is None and self.limit is None

    @property
    def is_full(self) -> bool:
        """Whether there are as many as were wanted, and maybe more."""
        return self.limit is not None and self.count >= self.limit

    def entries(self, entries: Iterable[Entry]) -> Iterator[Entry]:
        """The wanted ones among entries; no more is asked for than is needed."""
        if self.limit == 0:
            return
        for entry in entries:
            if self._since is not None and (entry.lastmod is None or entry.lastmod < self._since):
                continue
            if self._pattern is None or self._pattern.search(entry.loc):
                self.count += 1
                yield entry
                if self.is_full:
                    return

    def columns(self, rows: Rows) -> Any:
        """The wanted ones as a stream, read while it is asked for."""
        if self.is_all:
            self.count += len(rows)
            return rows
        from urlset.arrow.streams import pick

        return pick(rows, ("loc", "lastmod"), self._choose)

    def _choose(self, locs: list[str], instants: list[int | None]) -> list[int]:
        kept = list(range(len(locs)))
        if self._since is not None:
            since = microseconds(self._since)
            kept = [n for n in kept if (instant := instants[n]) is not None and instant >= since]
        if self._pattern is not None:
            search = self._pattern.search
            kept = [n for n in kept if search(locs[n])]
        if self.limit is not None:
            kept = kept[: self.limit - self.count]
        self.count += len(kept)
        return kept
