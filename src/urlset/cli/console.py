"""What is said to the person, on stderr: progress, notes, failures; never data."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterable
from types import TracebackType
from typing import Any, TextIO

from urlset.inflight import slow_requests
from urlset.terminal_text import sanitize

__all__ = [
    "Progress",
    "complain_each",
    "count_of",
    "is_coloured",
    "print_error",
    "print_info",
    "size_of",
]

EVERY_S = 5.0
"""Seconds between lines of progress where there is no terminal: a sign of life in a log of CI."""

TICK_S = 0.1
"""Seconds between two looks at a terminal: what comes faster nobody sees."""

SLOW_S = 3.0
"""Seconds after which a document that does not come is told by name; most take less than one."""

MAX_LISTED = 20
MAX_WAITS = 3


def print_info(text: str) -> None:
    """Say something that is good to know."""
    _say(text)


def print_error(text: str) -> None:
    """Say what went wrong, on one line."""
    _say(f"urlset: {' '.join(text.splitlines())}")


def complain_each(texts: Iterable[str]) -> None:
    """Say what went wrong in several places, and how many more there are after the first few."""
    more = 0
    for number, text in enumerate(texts):
        if number < MAX_LISTED:
            print_error(text)
        else:
            more += 1
    if more:
        print_info(f"… and {more:,} more like these")


def count_of(number: int, one: str, many: str | None = None) -> str:
    """A number with its noun.

    >>> count_of(1, "file"), count_of(2_000, "index", "indexes")
    ('1 file', '2,000 indexes')
    """
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def size_of(count: int) -> str:
    """A number of bytes as people say it.

    >>> size_of(512), size_of(45_200_000)
    ('512 bytes', '45.2 MB')
    """
    if count < 1_000:
        return count_of(count, "byte")
    size, unit = count / 1_000, "KB"
    for larger in ("MB", "GB", "TB"):
        if size >= 1_000:
            size, unit = size / 1_000, larger
    return f"{size:.1f} {unit}"


def is_coloured(stream: TextIO) -> bool:
    """Tell whether colours are wanted there: a terminal that has them, and no NO_COLOR."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":  # https://no-color.org
        return False
    return bool(os.environ.get("FORCE_COLOR")) or stream.isatty()


class Progress:
    """Shows how far the work is: a moving line on a terminal, else a plain line now and then.

    Goes on while nothing comes, and tells what is waited for. ``is_shown=False`` keeps still,
    for instance where data come on the same terminal.
    """

    def __init__(self, *, is_shown: bool = True):
        self._status: Any = None
        self._is_shown = is_shown
        self._text = self._said = ""
        self._details: list[str] = []
        self._next = time.monotonic() + EVERY_S
        self._lock = threading.Lock()
        self._is_over = threading.Event()
        self._ticker = threading.Thread(target=self._tick, daemon=True, name="urlset progress")

    def __enter__(self) -> Progress:
        if self._is_shown and sys.stderr.isatty():
            from rich.console import Console

            self._status = Console(stderr=True).status("")
            self._status.start()
            self._next = 0.0
        if self._is_shown:
            self._ticker.start()
        return self

    def update(self, text: str, details: Iterable[str] = ()) -> None:
        """Say where the work is; cheap enough to be called for every document.

        A terminal has room for ``details``, a line each.
        """
        self._text = text
        if self._status is not None:
            self._details = list(details)
        if self._is_shown:
            self._show()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.end()

    def end(self) -> None:
        """Take it off the terminal, so that nothing is written into its midst; may be repeated."""
        self._is_over.set()
        if self._ticker.is_alive():
            self._ticker.join()
        if self._status is not None:
            self._status.stop()

    def _tick(self) -> None:
        while not self._is_over.wait(TICK_S):
            self._show()

    def _show(self) -> None:
        with self._lock:
            if time.monotonic() < self._next:
                return
            waits = [
                f"waiting for {url}, {s:,.0f} s" for url, s in slow_requests(SLOW_S)[:MAX_WAITS]
            ]
            if self._status is None:
                self._next = time.monotonic() + EVERY_S
                line = " · ".join(filter(None, [self._text, *waits]))
                if line != self._said:  # a log needs no line that says the same again
                    print_info(line)
                    self._said = line
                return
            from rich.text import Text

            self._next = time.monotonic() + TICK_S
            lines = [self._text, *(f"  {line}" for line in (*waits, *self._details))]
            self._status.update(Text("\n".join(map(sanitize, lines)), overflow="ellipsis"))


def _say(text: str) -> None:
    try:
        # A locale that has no words for it gets escapes, not an error.
        encoding = sys.stderr.encoding or "utf-8"
        safe = sanitize(text).encode(encoding, "backslashreplace").decode(encoding)
        sys.stderr.write(f"{safe}\n")
        sys.stderr.flush()
    except OSError:
        pass  # nobody listens
