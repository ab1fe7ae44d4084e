"""What was answered for each URL of a log, and whether it is still there."""

from __future__ import annotations

from array import array
from datetime import UTC, datetime
from typing import NamedTuple

__all__ = ["REMOVAL_STATUSES", "SUCCESS_STATUSES", "StatusHistory", "UrlStatus"]

SUCCESS_STATUSES = frozenset((b"200", b"304"))
"""Statuses of a page that is there; 304 is given only for what would have been a 200."""

REMOVAL_STATUSES = {
    status: f"{status.decode()} since" if status in (b"404", b"410") else "redirects since"
    for status in (b"404", b"410", b"301", b"302", b"303", b"307", b"308")
}
"""Statuses that speak against a URL, and how that is told."""

# One 404 while a server was restarted is no removal; a page that was asked for a thousand times
# a day and was moved is known as such after ten answers.
FLICKER_SHARE = 0.01
FLICKER_ANSWERS = 10
# A temporary redirect may depend on the visitor (language, log-in): of those it takes ten in a
# row, or as many as there were good answers.
_PERMANENT = (b"404", b"410", b"301", b"308")

MAX_PENDING = 100_000


class UrlStatus(NamedTuple):
    """One URL: how often it was there, where it was seen first, what speaks against it."""

    path: bytes
    hits: int
    file: int
    line: int
    reason: str | None


class StatusHistory:
    """One small record per URL that was ever there: 26 bytes, its path, and its place in a table.

    What was never there is forgotten sooner or later, however much of it there is. Times are
    seconds of the epoch. The last state by time wins, in whatever order the lines come: exactly
    so where logs do not overlap; of those that do, the answers against a URL are counted from
    the last time that it was there, or a little before.
    """

    def __init__(self) -> None:
        self.known: dict[bytes, int] = {}
        """The number of each URL; below 0 for what is refused, see ``refuse``."""
        self.hits = array("L")
        self.last = array("q")
        self.removals: dict[int, list[int]] = {}
        self._file = array("H")
        self._line = array("L")
        self._statuses = sorted(REMOVAL_STATUSES)
        self._pending: dict[bytes, list[int]] = {}
        self._refused = 0

    def add(self, path: bytes, file: int, line: int) -> int:
        """Number a new URL."""
        number = self.known[path] = len(self.hits)
        self.hits.append(0)
        self.last.append(-(1 << 62))
        self._file.append(min(file, 0xFFFF))
        self._line.append(line)
        pending = self._pending.pop(path, None)
        if pending is not None:
            self.removals[number] = pending
        return number

    def refuse(self, path: bytes, refusal: int) -> int:
        """Remember for a while that a path is none of a page, as a number below 0."""
        self._refused += 1
        if self._refused > MAX_PENDING:
            # Beware: whoever goes through the lines holds this very table.
            for key in [key for key, number in self.known.items() if number < 0]:
                del self.known[key]
            self._refused = 1
        self.known[path] = -1 - refusal
        return -1 - refusal

    def add_success(self, number: int, now: int) -> None:
        """Record a success at a time for a URL with removals."""
        run = self.removals[number]
        if now >= run[2]:
            del self.removals[number]
        else:
            run[1] = max(run[1], now)

    def add_removal(self, path: bytes, status: bytes, now: int) -> None:
        """Note an answer of :data:`REMOVAL_STATUSES` at a time."""
        number = self.known.get(path)
        if number is None:
            if len(self._pending) >= MAX_PENDING and path not in self._pending:
                self._pending.clear()
            run = self._pending.setdefault(path, [0, now, now, 0])
        elif number < 0 or now < self.last[number]:
            return
        else:
            run = self.removals.setdefault(number, [0, now, now, 0])
        run[0] += 1
        run[1] = min(run[1], now)
        if now >= run[2]:
            run[2], run[3] = now, self._statuses.index(status)

    def page_paths(self) -> list[bytes]:
        """The paths of pages, about in the order in which they were first seen."""
        return [path for path, number in self.known.items() if number >= 0]

    def status_of(self, path: bytes) -> UrlStatus:
        """All that is known of a path."""
        number = self.known[path]
        return UrlStatus(
            path, self.hits[number], self._file[number], self._line[number], self._reason(number)
        )

    def _reason(self, number: int) -> str | None:
        run = self.removals.get(number)
        if run is None or run[2] < self.last[number]:
            return None
        answers, first, _, status = run
        share = FLICKER_SHARE if self._statuses[status] in _PERMANENT else 1
        if answers < min(FLICKER_ANSWERS, self.hits[number] * share):
            return None
        day = datetime.fromtimestamp(max(first, self.last[number], 0), UTC).date()
        text = REMOVAL_STATUSES[self._statuses[status]]
        return f"{text} {day}" if first > 0 else text.removesuffix(" since")
