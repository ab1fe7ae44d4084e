"""A stream as a source: kept in a file of its own until it was read, then gone."""

from __future__ import annotations

import os
import shutil
import sys
import weakref
from collections.abc import Callable, Iterator
from typing import Any

from urlset.errors import SourceError
from urlset.sources.candidates import Source
from urlset.tempdirs import LockedTempDir

__all__ = ["StreamSource"]


class StreamSource:
    """Stdin (``-``) or a pipe: any of the kinds of files, told apart when it has come.

    ``make`` makes the source of the file that it was copied to, and has it call itself ``name``;
    the file goes when the batches end, or with this object. Raises :class:`urlset.SourceError`.
    """

    def __init__(self, name: str, make: Callable[[str], Source]):
        self.name = name
        self.failures: list[str] = []
        self.notes: list[str] = []
        self._make = make

    def batches(self) -> Iterator[Any]:
        """Copy the stream, then yield the record batches of what it is."""
        scratch = LockedTempDir()
        path = os.path.join(scratch.path, "stream")
        forget = weakref.finalize(self, scratch.close)
        try:
            self._copy(path)
            source = self._make(path)
            source.failures, source.notes = self.failures, self.notes
            yield from source.batches()
        finally:
            forget()

    def _copy(self, path: str) -> None:
        try:
            with open(path, "wb") as target:
                if self.name == "-":
                    shutil.copyfileobj(sys.stdin.buffer, target, 1 << 20)
                else:
                    with open(self.name, "rb") as stream:
                        shutil.copyfileobj(stream, target, 1 << 20)
        except OSError as error:
            raise SourceError(f"cannot read {self.name!r}: {error.strerror}") from error
