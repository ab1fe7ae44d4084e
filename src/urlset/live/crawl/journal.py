"""Journal of a crawl: rows of pages that are not in the tables yet."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator, Sequence

from urlset.errors import StoreError
from urlset.live.visits.page_rows import PageRows, rows_of_line
from urlset.temp_files import expect_no_outside_link

MAX_LINE = 100 << 20
"""Bytes of a line.

The longest lines are those of pages with 10,000 links of 4,096 characters and as many alternates
and images as are read: 75 MB. Only a page that repeats long text in another script has more.
"""


class Journal:
    """File with a line for each visited page, emptied when the tables have it.

    A line is written to the operating system before the page counts as visited, so that a killed
    process loses only the requests in flight. A power failure may lose the last seconds.

    Args:
        path: Path of the file; None to keep nothing, for a temporary store.

    Raises:
        StoreError: There is something else than a file at the path, or a link out of its folder.
    """

    def __init__(self, path: str | None):
        self._path = path
        self._file: int | None = None
        if path is not None and os.path.lexists(path):
            os.close(self._opened(os.O_RDONLY))

    def pages(self) -> Iterator[PageRows]:
        """Yield the pages in the file of a process that was killed, up to an incomplete line.

        A line of more than :data:`MAX_LINE` bytes is not of a crawl; nothing after it is read.
        """
        if self._path is None or not os.path.exists(self._path):
            return
        with open(self._opened(os.O_RDONLY), "rb") as file:
            while line := file.readline(MAX_LINE + 1):
                if len(line) > MAX_LINE:
                    return
                try:
                    yield rows_of_line(line.decode().rstrip("\r\n"))
                except (ValueError, TypeError, RecursionError):
                    return

    def add(self, lines: Sequence[str]) -> None:
        """Append the lines of pages, by :func:`urlset.live.visits.page_rows.with_line`.

        A line of :data:`MAX_LINE` bytes or more is omitted: its page is to be written to the
        tables at once.
        """
        if self._path is None:
            return
        if self._file is None:
            self._file = self._opened(os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        kept = [f"{line}\n" for line in lines if len(line) < MAX_LINE]
        data = memoryview("".join(kept).encode())
        while data:
            data = data[os.write(self._file, data) :]

    def clear(self) -> None:
        """Empty the file, after its records were written to the tables."""
        if self._file is None and self._path is not None and os.path.exists(self._path):
            self._file = self._opened(os.O_WRONLY | os.O_APPEND)
        if self._file is not None:
            os.ftruncate(self._file, 0)

    def close(self) -> None:
        """Close the file, and remove it if it is empty."""
        if self._file is not None:
            os.close(self._file)
            self._file = None
        path = self._path
        if path is not None and os.path.isfile(path) and not os.path.getsize(path):
            os.unlink(path)

    def _opened(self, flags: int) -> int:
        """Open the file: not one that a link outside of the folder names, a pipe or a device."""
        assert self._path is not None
        try:
            expect_no_outside_link(self._path)
            descriptor = os.open(self._path, flags | getattr(os, "O_NONBLOCK", 0), 0o644)
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                os.close(descriptor)
                raise OSError(errno.EINVAL, "it is no regular file; remove it")
        except OSError as error:
            message = f"cannot use the journal {self._path!r}: {error.strerror}"
            raise StoreError(message) from error
        return descriptor
