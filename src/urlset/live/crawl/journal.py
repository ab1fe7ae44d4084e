"""Journal of a crawl: rows of pages that are not in the tables yet."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from urlset.live.visits.page_rows import PageRows, rows_of_line
from urlset.temp_files import expect_no_outside_link


class Journal:
    """File with a line for each visited page, emptied when the tables have it.

    A line is written to the operating system before the page counts as visited, so that a killed
    process loses only the requests in flight. A power failure may lose the last seconds.

    Args:
        path: Path of the file; None to keep nothing, for a temporary store.
    """

    def __init__(self, path: str | None):
        self._path = path
        self._file: int | None = None

    def pages(self) -> Iterator[PageRows]:
        """Yield the pages in the file of a process that was killed; skip an incomplete line."""
        if self._path is None or not os.path.exists(self._path):
            return
        with Path(self._path).open(encoding="utf-8") as file:
            for line in file:
                try:
                    yield rows_of_line(line.removesuffix("\n"))
                except (ValueError, TypeError):
                    return

    def add(self, lines: Sequence[str]) -> None:
        """Append the lines of pages, by :func:`urlset.live.visits.page_rows.with_line`."""
        if self._path is None:
            return
        if self._file is None:
            expect_no_outside_link(self._path)
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
            self._file = os.open(self._path, flags, 0o644)
        data = memoryview("".join(f"{line}\n" for line in lines).encode())
        while data:
            data = data[os.write(self._file, data) :]

    def clear(self) -> None:
        """Empty the file, after its records were written to the tables."""
        if self._file is not None:
            os.ftruncate(self._file, 0)
        elif self._path is not None and os.path.exists(self._path):
            os.truncate(self._path, 0)

    def close(self) -> None:
        """Close the file, and remove it if it is empty."""
        if self._file is not None:
            os.close(self._file)
            self._file = None
        if (
            self._path is not None
            and os.path.exists(self._path)
            and not os.path.getsize(self._path)
        ):
            os.unlink(self._path)
