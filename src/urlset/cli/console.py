"""Write data to stdout or a file; write notices, errors and progress to stderr.

Data goes only to stdout, messages only to stderr.
"""

from __future__ import annotations

import json
import logging
import os
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO, Literal, TextIO

from urlset.errors import TargetError
from urlset.inflight import long_waits, slow_requests
from urlset.interrupts import delayed_interrupts
from urlset.temp_files import AtomicFile, expect_writable, is_special, write_error_reason
from urlset.terminal_text import Line, clip, escape_json, pluralize, sanitize


class ClosedPipeError(Exception):
    """The reader of stdout has closed it, as ``| head`` does; the command ends silently."""


def expect_target(option: str, path: Path | None) -> None:
    """Fail if the file of an option cannot be written; called before long work.

    Raises:
        urlset.TargetError: The file cannot be written.
    """
    if path is None:
        return
    from urlset.formats.detect import expect_no_store  # most commands write to stdout

    try:
        expect_writable(path)
        expect_no_store(path)
    except OSError as error:
        reason = sanitize(write_error_reason(path, error))
        raise TargetError(f"{option}: cannot write {sanitize(str(path))!r}: {reason}") from error


class Sink:
    """Output file for UTF-8 text, or stdout; a context manager.

    A file is replaced only if the context ends without an error.

    Attributes:
        is_terminal: Whether the text is shown on a terminal.

    Args:
        path: The file; None and ``-`` are stdout.

    Raises:
        urlset.TargetError: The data cannot be written.
        ClosedPipeError: The reader of stdout has closed it.
    """

    def __init__(self, path: Path | None):
        self._path = None if path is None or str(path) == "-" else Path(os.path.abspath(path))
        self._name = "stdout" if self._path is None else str(path)
        self._staged: AtomicFile | None = None
        self._file: TextIO = sys.stdout
        self.is_terminal: bool = self._path is None and sys.stdout.isatty()

    @property
    def is_stdout(self) -> bool:
        """Whether the data is written to stdout."""
        return self._path is None

    def __enter__(self) -> Sink:
        if self._path is None:
            reconfigure = getattr(sys.stdout, "reconfigure", None)
            if reconfigure is not None:
                # Data is UTF-8 whatever the locale is, and its format decides how lines end.
                reconfigure(encoding="utf-8", errors="replace", newline="")
            return self
        try:
            self._file = self._open(self._path)
        except OSError as error:
            raise self._write_error(error) from error
        except KeyboardInterrupt:
            self._discard()
            raise
        return self

    def write(self, text: str, *, is_markup: bool = False) -> None:
        """Write text; for a terminal it is escaped first, unless ``is_markup`` is set."""
        if self.is_terminal and not is_markup:
            text = "\n".join(map(sanitize, text.replace("\r\n", "\n").split("\n")))
        try:
            self._file.write(text)
        except OSError as error:
            raise self._write_error(error) from error

    def copy(self, file: BinaryIO) -> None:
        """Copy a binary file to stdout."""
        try:
            while chunk := file.read(1 << 20):
                sys.stdout.buffer.write(chunk)
        except OSError as error:
            raise self._write_error(error) from error

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            self._finish(is_complete=kind is None)
        except OSError as failure:
            if kind is None:
                raise self._write_error(failure) from failure
        finally:
            self._discard()

    def _discard(self) -> None:
        if self._staged is not None:
            self._staged.discard()

    def _open(self, path: Path) -> TextIO:
        place: Path | int = path
        if not is_special(path):  # a device or a pipe cannot be replaced; a folder raises an error
            from urlset.formats.detect import expect_no_store

            expect_no_store(path)
            with delayed_interrupts():  # a file that exists is known to `_discard`
                self._staged = AtomicFile(path)
            place = self._staged.descriptor
        return open(place, "w", encoding="utf-8", errors="replace", newline="")

    def _finish(self, *, is_complete: bool) -> None:
        if self._path is None:
            self._file.flush()
            return
        with self._file:  # closes the file even if flushing fails
            self._file.flush()
        if is_complete and self._staged is not None:
            self._staged.commit()

    def _write_error(self, error: OSError) -> Exception:
        if self._path is None:
            discard_stdout()
            if isinstance(error, BrokenPipeError):
                return ClosedPipeError()
        reason = sanitize(write_error_reason(self._name, error))
        return TargetError(f"cannot write {sanitize(self._name)!r}: {reason}")


def discard_stdout() -> None:
    """Redirect stdout to the null device, as Python flushes it at exit and would report errors."""
    with suppress(OSError, ValueError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)


LOG_INTERVAL_S = 5.0
"""Seconds between lines of progress if stderr is no terminal: it shows activity in a CI log."""

REFRESH_INTERVAL_S = 0.1
"""Seconds between two updates of a terminal: a person cannot follow faster ones."""

SLOW_S = 3.0
"""Age in seconds from which a request in flight is named; most requests take less than one."""

_SPINNER_WIDTH = 3  # cells of the sign that turns, the space after it and one at the end

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


Color = Literal["auto", "always", "never"]
"""Values of ``--color``: when text on stdout is coloured."""

_color: Color = "auto"


def set_color(color: Color) -> None:
    """Set when text is styled, until it is set again; ``auto`` is the default."""
    global _color
    _color = color


def print_info(text: str) -> None:
    """Print an informational message to stderr."""
    try:
        # Characters that the encoding of the locale lacks are escaped, instead of an error.
        encoding = sys.stderr.encoding or "utf-8"
        safe = sanitize(text).encode(encoding, "backslashreplace").decode(encoding)
        sys.stderr.write(f"{safe}\n")
        sys.stderr.flush()
    except OSError:
        pass  # stderr is closed


def print_error(text: str) -> None:
    """Print an error on one line, prefixed with the name of the command."""
    print_info(f"urlset: {' '.join(text.splitlines())}")


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


def print_incomplete(reasons: Iterable[str]) -> None:
    """Print why a result is not complete, if its summary is not on stderr or without reasons."""
    for reason in reasons:
        print_info(f"not complete: {reason}")


def write_report(found: Any, path: Path | None, *, is_quiet: bool) -> None:
    """Write the HTML report of a result if it has a path, and print the path."""
    if path is not None:
        found.report(path)
        if not is_quiet:
            print_info(f"report written to {str(path)!r}")


def json_or(found: Any, format_: str, text: Iterable[str]) -> Iterable[str]:
    """Return the lines of a result: one with its JSON, or those of the text."""
    return [json_text(found.to_dict())] if format_ == "json" else text


def json_text(value: Any) -> str:
    r"""Return a value as JSON on one line, in which harmful characters are escaped.

    >>> print(json_text({"title": "\u202egpj.exe"}))
    {"title": "\u202egpj.exe"}
    """
    return escape_json(json.dumps(value, ensure_ascii=False, default=datetime.isoformat))


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
    """Print the log records of urlset on stderr: with 1 those of the level info, with 2 debug."""
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
        print_info(f"{record.name}: {record.getMessage()}")


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
    if _color != "auto":
        return _color == "always"
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
        """Set the text of the display, and further lines, which only a terminal shows.

        It is cheap enough to call for each document.
        """
        self._text = text
        if self._status is not None:
            self._details = list(details)
        if self._is_shown:
            self._show()

    def __exit__(self, *_: object) -> None:
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
            slow = slow_requests(SLOW_S)[:MAX_REQUESTS]
            waits = [*long_waits(SLOW_S).items()][:MAX_REQUESTS]
            requests = [f"waiting {left:,.0f} s {reason}" for reason, left in waits]
            requests += [f"waiting for {url}, {seconds:,.0f} s" for url, seconds in slow]
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
            width = self._status.console.width - _SPINNER_WIDTH
            self._status.update(Text("\n".join(clip(sanitize(line), width) for line in lines)))
