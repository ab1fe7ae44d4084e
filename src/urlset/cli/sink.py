"""Where data go: to stdout, or to a file that appears when it is whole."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, TextIO

from urlset.atomic import AtomicFile, is_special, write_error_reason
from urlset.errors import TargetError
from urlset.terminal_text import sanitize

__all__ = ["ClosedPipeError", "Sink"]


class ClosedPipeError(Exception):
    """Nobody reads stdout any more, as after ``| head``: no error, but the end."""


class Sink:
    """Takes lines of text, as UTF-8; a context manager.

    A ``path`` is written beside and renamed when the context ends well; else what was there
    stays. ``None`` and ``-`` are stdout. ``is_terminal`` tells whether a person sees the data
    while they come. What the system refuses is a
    :class:`urlset.TargetError`; :class:`ClosedPipeError` ends the work.
    """

    def __init__(self, path: Path | None):
        self._path = None if path is None or str(path) == "-" else Path(os.path.abspath(path))
        self._shown = "stdout" if self._path is None else str(path)
        self._beside: AtomicFile | None = None
        self._file: TextIO = sys.stdout
        self.is_terminal = self._path is None and sys.stdout.isatty()

    @property
    def is_stdout(self) -> bool:
        """Whether data go to stdout."""
        return self._path is None

    def __enter__(self) -> Sink:
        if self._path is None:
            reconfigure = getattr(sys.stdout, "reconfigure", None)
            if reconfigure is not None:
                # Data are UTF-8 whatever the locale says, and end lines as their format does.
                reconfigure(encoding="utf-8", errors="replace", newline="")
            return self
        try:
            self._file = self._open(self._path)
        except OSError as error:
            raise self._refused(error) from error
        return self

    def write(self, text: str, *, is_markup: bool = False) -> None:
        """Write text. On a terminal it is made sanitize, unless it ``is_markup`` of our own."""
        if self.is_terminal and not is_markup:
            text = "\n".join(map(sanitize, text.replace("\r\n", "\n").split("\n")))
        try:
            self._file.write(text)
        except OSError as error:
            raise self._refused(error) from error

    def copy(self, file: BinaryIO) -> None:
        """Write what is no text; to stdout only."""
        try:
            while piece := file.read(1 << 20):
                sys.stdout.buffer.write(piece)
        except OSError as error:
            raise self._refused(error) from error

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            self._finish(is_good=kind is None)
        except OSError as failure:
            if kind is None:
                raise self._refused(failure) from failure
        finally:
            if self._beside is not None:
                self._beside.discard()

    def _open(self, path: Path) -> TextIO:
        if is_special(path):
            # A device or a pipe cannot be replaced; a folder says so itself.
            return path.open("w", encoding="utf-8", errors="replace", newline="")
        self._beside = AtomicFile(path)
        number = self._beside.descriptor
        return open(number, "w", encoding="utf-8", errors="replace", newline="")

    def _finish(self, *, is_good: bool) -> None:
        if self._path is None:
            self._file.flush()
            return
        with self._file:  # closes it also when flushing fails
            self._file.flush()
        if is_good and self._beside is not None:
            self._beside.commit()

    def _refused(self, error: OSError) -> Exception:
        if self._path is None:
            _forget_stdout()
            if isinstance(error, BrokenPipeError):
                return ClosedPipeError()
        words = sanitize(write_error_reason(self._path or "", error))
        return TargetError(f"cannot write {sanitize(self._shown)!r}: {words}")


def _forget_stdout() -> None:
    """Let what is left in the buffer go nowhere: Python flushes again at its end, and complains."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
