"""Record the response statuses of each URL in a log, and decide whether it was removed."""

from __future__ import annotations

from array import array
from datetime import UTC, datetime
from typing import NamedTuple

SUCCESS_STATUSES = frozenset((b"200", b"304"))
"""Statuses of an existing page; a server sends 304 only instead of a 200."""

REMOVAL_STATUSES = {
    status: f"{status.decode()} since" if status in (b"404", b"410") else "redirects since"
    for status in (b"404", b"410", b"301", b"302", b"303", b"307", b"308")
}
"""Statuses of a removed page, each with the text of the reason."""

# One 404 during a restart of a server is not a removal; a page that was requested a thousand times
# a day and was moved is recognised after ten responses.
FLICKER_SHARE = 0.01
FLICKER_ANSWERS = 10
# A temporary redirect may depend on the visitor (language, log-in): ten of them in a row are
# required, or as many as there were successes.
_PERMANENT = (b"404", b"410", b"301", b"308")

MAX_PENDING = 100_000


class UrlStatus(NamedTuple):
    """State of one URL: number of successes, first position, and why it is excluded, or None."""

    path: bytes
    hits: int
    file: int
    line: int
    reason: str | None


class StatusHistory:
    """The statuses of all URLs of a log, in a compact form.

    Each URL with a success takes 26 bytes, its path, and an entry in a dict. Others are forgotten
    after a while, so that their number is bounded. Times are seconds since 1970.

    The last state by time wins, whatever the order of the lines. This is exact if logs do not
    overlap; if they do, removals may also be counted from a little before the last success.
    """

    def __init__(self) -> None:
        self.known: dict[bytes, int] = {}
        """The number of each URL; below 0 for a refused path, see ``refuse``."""
        self.hits: array[int] = array("L")
        self.last: array[int] = array("q")
        self.removals: dict[int, list[int]] = {}
        self._file = array("H")
        self._line = array("L")
        self._statuses = sorted(REMOVAL_STATUSES)
        self._pending: dict[bytes, list[int]] = {}
        self._refused = 0

    def add(self, path: bytes, file: int, line: int) -> int:
        """Add a new path at a file and line; return its number."""
        number = self.known[path] = len(self.hits)
        self.hits.append(0)
        self.last.append(-(1 << 62))
        self._file.append(min(file, 0xFFFF))
        self._line.append(line)
        pending = self._pending.pop(path, None) if self._pending else None
        if pending is not None:
            self.removals[number] = pending
        return number

    def refuse(self, path: bytes, refusal: int) -> int:
        """Cache that a path is not a page, for a limited time; return a number below 0."""
        self._refused += 1
        if self._refused > MAX_PENDING:
            # Note: changed in place, because the reader of the lines has a reference to it.
            for key in [key for key, number in self.known.items() if number < 0]:
                del self.known[key]
            self._refused = 1
        self.known[path] = -1 - refusal
        return -1 - refusal

    def add_success(self, number: int, now: int) -> None:
        """Record a successful request, by time, for a URL that also has removals."""
        run = self.removals[number]
        if now >= run[2]:
            del self.removals[number]
        else:
            run[1] = max(run[1], now)

    def add_removal(self, path: bytes, status: bytes, now: int) -> None:
        """Record a response, by time, whose status says that a page was removed (404, 410, …)."""
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
        """Return the paths of pages, roughly in the order in which they first occurred."""
        return [path for path, number in self.known.items() if number >= 0]

    def status_of(self, path: bytes) -> UrlStatus:
        """Return the recorded state of a path: successes, position, reason to exclude."""
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
