"""Write data to stdout, or atomically to a file."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, TextIO

from urlset.atomic import AtomicFile, expect_writable, is_special, write_error_reason
from urlset.errors import TargetError
from urlset.terminal_text import sanitize

__all__ = ["ClosedPipeError", "Sink", "discard_stdout", "expect_target"]


class ClosedPipeError(Exception):
    """The reader of stdout has closed it, as ``| head`` does; the command ends silently."""


def expect_target(option: str, path: Path | None) -> None:
    """Fail if the file of an option cannot be written; called before long work.

    Raises:
        urlset.TargetError: The file cannot be written, or is ``-``, which only data can be.
    """
    if path is None:
        return
    if str(path) == "-":
        raise TargetError(f"{option}: expected the path of a file, found -; stdout has the result")
    try:
        expect_writable(path)
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
        self.is_terminal = self._path is None and sys.stdout.isatty()

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

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            self._finish(is_complete=kind is None)
        except OSError as failure:
            if kind is None:
                raise self._write_error(failure) from failure
        finally:
            if self._staged is not None:
                self._staged.discard()

    def _open(self, path: Path) -> TextIO:
        if is_special(path):
            # A device or a pipe cannot be replaced; opening a folder raises an error.
            return path.open("w", encoding="utf-8", errors="replace", newline="")
        self._staged = AtomicFile(path)
        descriptor = self._staged.descriptor
        return open(descriptor, "w", encoding="utf-8", errors="replace", newline="")

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
        reason = sanitize(write_error_reason(self._path or "", error))
        return TargetError(f"cannot write {sanitize(self._name)!r}: {reason}")


def discard_stdout() -> None:
    """Redirect stdout to the null device: Python flushes it at exit and would report an error."""
    with suppress(OSError, ValueError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)
