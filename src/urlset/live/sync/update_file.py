"""Write updates as JSON lines so that they survive a crash: whole lines, on the disk."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from urlset.errors import TargetError
from urlset.formats.detect import expect_no_store
from urlset.live.sync.update import PageUpdate
from urlset.temp_files import expect_no_outside_link, write_error_reason
from urlset.terminal_text import escape_json, sanitize


class UpdateFile:
    """Open file to which updates are appended as JSON lines; ``name`` is for messages.

    Raises:
        urlset.TargetError: The file cannot be written; so does every method.
    """

    def __init__(self, file: BinaryIO, name: str):
        self._file = file
        self._name = name
        self._is_on_disk = name != "stdout" and _is_on_disk(file)

    @classmethod
    @contextmanager
    def opened(cls, target: str | os.PathLike[str] | BinaryIO) -> Iterator[UpdateFile]:
        """Open a path, without the incomplete line of a killed run; or use an open binary file."""
        if not isinstance(target, str | os.PathLike):
            yield cls(target, "stdout")
            return
        path = Path(target)
        name = repr(sanitize(str(path)))
        try:
            expect_no_outside_link(path)
            expect_no_store(path)
            file = path.open("ab+", buffering=0)  # closing does not write again what failed
        except OSError as error:
            raise TargetError(f"cannot write {name}: {write_error_reason(path, error)}") from error
        with file:
            if _is_on_disk(file):
                _cut_incomplete_line(file)
            yield cls(file, name)

    def write(self, updates: Iterable[PageUpdate]) -> None:
        """Write one line for each update, to the disk if the file is on one."""
        lines = (json.dumps(update.to_dict(), ensure_ascii=False) for update in updates)
        data = "".join(f"{escape_json(line)}\n" for line in lines).encode()
        try:
            rest = memoryview(data)
            while rest:
                rest = rest[self._file.write(rest) :]
            self._file.flush()
            if self._is_on_disk:
                os.fsync(self._file.fileno())
        except BrokenPipeError:
            raise
        except OSError as error:
            raise TargetError(f"cannot write {self._name}: {error.strerror or error}") from error


def _is_on_disk(file: BinaryIO) -> bool:
    """Return whether an open file is a regular one: no pipe and no device, such as /dev/null."""
    return stat.S_ISREG(os.fstat(file.fileno()).st_mode)


def _cut_incomplete_line(file: BinaryIO) -> None:
    end = position = file.seek(0, os.SEEK_END)
    while position > 0:
        begin = max(0, position - 65_536)
        file.seek(begin)
        found = file.read(position - begin).rfind(b"\n")
        if found >= 0:
            position = begin + found + 1
            break
        position = begin
    if position < end:
        file.truncate(position)
    file.seek(0, os.SEEK_END)
