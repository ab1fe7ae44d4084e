"""Print notices, errors and progress on stderr, and style text with colours for a terminal.

Data never goes to stderr: see :mod:`urlset.cli.sink`.
"""

from __future__ import annotations

import logging
import os
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterable
from enum import StrEnum
from types import TracebackType
from typing import Any, TextIO

from urlset.inflight import slow_requests
from urlset.terminal_text import Line, pluralize, sanitize

__all__ = [
    "Color",
    "Progress",
    "format_size",
    "line_renderer",
    "pluralize",
    "print_error",
    "print_errors",
    "print_info",
    "set_color",
    "start_logging",
    "stop_logging",
    "terminal_width",
]

LOG_INTERVAL_S = 5.0
"""Seconds between lines of progress if stderr is no terminal: it shows activity in a CI log."""

REFRESH_INTERVAL_S = 0.1
"""Seconds between two updates of a terminal: a person cannot follow faster ones."""

SLOW_S = 3.0
"""Age in seconds from which a request in flight is named; most requests take less than one."""

_logger = logging.getLogger("urlset")

MAX_LISTED = 20
MAX_REQUESTS = 3

_STYLES = {
    "place": "bold",
    "error": "bold red",
    "warning": "yellow",
    "info": "cyan",
    "rule": "magenta",
    "excerpt": "dim",
    "caret": "bold green",
    "good": "green",
    "heading": "bold",
}


class Color(StrEnum):
    """When stdout has colours."""

    auto = "auto"
    always = "always"
    never = "never"


_color = Color.auto


def set_color(color: Color) -> None:
    """Set when text is styled, until it is set again; ``auto`` is the default."""
    global _color
    _color = color


def print_info(text: str) -> None:
    """Print a notice."""
    _print(text)


def print_error(text: str) -> None:
    """Print an error on one line, prefixed with the name of the command."""
    _print(f"urlset: {' '.join(text.splitlines())}")


def print_errors(texts: Iterable[str]) -> None:
    """Print the first few of several errors, and how many more there are."""
    more = 0
    for number, text in enumerate(texts):
        if number < MAX_LISTED:
            print_error(text)
        else:
            more += 1
    if more:
        print_info(f"… and {more:,} more like these")


def format_size(count: int) -> str:
    """Return a number of bytes with a decimal unit.

    >>> format_size(512), format_size(45_200_000)
    ('512 bytes', '45.2 MB')
    """
    if count < 1_000:
        return pluralize(count, "byte")
    size, unit = count / 1_000, "KB"
    for larger in ("MB", "GB", "TB"):
        if size >= 1_000:
            size, unit = size / 1_000, larger
    return f"{size:.1f} {unit}"


def start_logging(verbosity: int) -> None:
    """Print the log records of urlset on stderr.

    Args:
        verbosity: 0 for no records, 1 for the level info, 2 or more for debug.
    """
    stop_logging()
    if verbosity:
        _logger.addHandler(_LogHandler())
        _logger.setLevel(logging.INFO if verbosity == 1 else logging.DEBUG)


def stop_logging() -> None:
    """Undo :func:`start_logging`."""
    for handler in [*_logger.handlers]:
        if isinstance(handler, _LogHandler):
            _logger.removeHandler(handler)
            _logger.setLevel(logging.NOTSET)


class _LogHandler(logging.Handler):
    """Print log records, with the name of their logger."""

    def emit(self, record: logging.LogRecord) -> None:
        _print(f"{record.name}: {record.getMessage()}")


def line_renderer(*, is_stdout: bool) -> Callable[[Line], str]:
    """Return a function that renders a line as text.

    It adds colours if ``is_stdout`` and stdout shows colours.
    """
    if not (is_stdout and _is_coloured(sys.stdout)):
        return lambda line: "".join(span.text for span in line)
    from rich.color import ColorSystem
    from rich.style import Style

    styles = {role: Style.parse(style) for role, style in _STYLES.items()}
    plain = Style.null()

    def render(line: Line) -> str:
        return "".join(
            styles.get(span.role, plain).render(span.text, color_system=ColorSystem.STANDARD)
            for span in line
        )

    return render


def terminal_width() -> int:
    """Return the width of the terminal in cells, at least 40; 80 if there is no terminal."""
    return max(40, shutil.get_terminal_size((80, 24)).columns)


def _is_coloured(stream: TextIO) -> bool:
    """Return whether a stream shows colours: a capable terminal, and NO_COLOR is not set.

    ``--color`` overrides both, and FORCE_COLOR that a stream is no terminal.
    """
    if _color != Color.auto:
        return _color == Color.always
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":  # https://no-color.org
        return False
    return bool(os.environ.get("FORCE_COLOR")) or stream.isatty()


class Progress:
    """Progress display on stderr: a status line on a terminal, else a plain line at intervals.

    A thread updates it, so that it continues while no data arrives and names the slow requests in
    flight. With ``is_shown=False`` nothing is printed, for instance if data goes to the same
    terminal.
    """

    def __init__(self, *, is_shown: bool = True):
        self._status: Any = None
        self._is_shown = is_shown
        self._text = self._last_line = ""
        self._details: list[str] = []
        self._next_update = time.monotonic() + LOG_INTERVAL_S
        self._lock = threading.Lock()
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True, name="urlset progress")

    def __enter__(self) -> Progress:
        if self._is_shown and sys.stderr.isatty():
            from rich.console import Console

            console = Console(stderr=True, no_color=not _is_coloured(sys.stderr))
            self._status = console.status("")
            self._status.start()
            self._next_update = 0.0
        if self._is_shown:
            self._thread.start()
        return self

    def update(self, text: str, details: Iterable[str] = ()) -> None:
        """Set the text of the display; cheap enough to call for each document.

        Args:
            text: The state of the work, in one line.
            details: Further lines, which only a terminal shows.
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
        """Remove the display, so that other output can follow; may be called again."""
        self._is_over.set()
        if self._thread.is_alive():
            self._thread.join()
        if self._status is not None:
            self._status.stop()

    def _run(self) -> None:
        while not self._is_over.wait(REFRESH_INTERVAL_S):
            self._show()

    def _show(self) -> None:
        with self._lock:
            if time.monotonic() < self._next_update:
                return
            requests = [
                f"waiting for {url}, {seconds:,.0f} s"
                for url, seconds in slow_requests(SLOW_S)[:MAX_REQUESTS]
            ]
            if self._status is None:
                self._next_update = time.monotonic() + LOG_INTERVAL_S
                line = " · ".join(filter(None, [self._text, *requests]))
                if line != self._last_line:
                    print_info(line)
                    self._last_line = line
                return
            from rich.text import Text

            self._next_update = time.monotonic() + REFRESH_INTERVAL_S
            lines = [self._text, *(f"  {line}" for line in (*requests, *self._details))]
            self._status.update(Text("\n".join(map(sanitize, lines)), overflow="ellipsis"))


def _print(text: str) -> None:
    try:
        # Characters that the encoding of the locale lacks are escaped, instead of an error.
        encoding = sys.stderr.encoding or "utf-8"
        safe = sanitize(text).encode(encoding, "backslashreplace").decode(encoding)
        sys.stderr.write(f"{safe}\n")
        sys.stderr.flush()
    except OSError:
        pass  # stderr is closed
