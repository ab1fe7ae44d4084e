"""The tasks of urlset with each engine; a task is named ``WORK-ENGINE``."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from stopwatch import Done, Task, Work, main

# Set before urlset is imported, as users do.
ENGINE = os.environ["URLSET_ENGINE"] = sys.argv[1].rpartition("-")[2]


def to_arrow(data: bytes, _: Path) -> Work:
    """Parse, gzipped or not, and import the table into another library, so that nothing is lazy."""
    from arro3.core import Table

    import urlset

    return lambda: Done(Table.from_arrow(urlset.parse(data).entries).num_rows)


def to_rows(data: bytes, _: Path) -> Work:
    """Parse, make every entry a Python object and read all its fields."""
    import urlset

    def work() -> Done:
        count = 0
        for entry in urlset.parse(data).entries:
            _ = (entry.loc, entry.lastmod, entry.changefreq, entry.priority)
            _ = (entry.images, entry.videos, entry.news, entry.alternates)
            count += 1
        return Done(count)

    return work


def _table(data: bytes) -> Any:
    from arro3.core import Table

    import urlset

    return Table.from_arrow(urlset.parse(data).entries)


def _entries(data: bytes) -> Any:
    import urlset

    return list(urlset.parse(data).entries)


def _dicts(data: bytes) -> Any:
    return [entry.to_dict() for entry in _entries(data)]


def rendering(
    given: Callable[[bytes], Any], *, gzip: bool = False
) -> Callable[[bytes, Path], Work]:
    """``urlset.render``: entries validated, de-duplicated and written as bytes."""

    def prepare(data: bytes, _: Path) -> Work:
        import urlset

        entries = given(data)
        count = len(urlset.parse(data).entries)
        size = len(urlset.render(entries))

        def work() -> Done:
            written = urlset.render(entries, gzip=gzip)
            return Done(count, size, len(written) if gzip else None)

        return work

    return prepare


def writing(given: Callable[[bytes], Any]) -> Callable[[bytes, Path], Work]:
    """``urlset.write``: the same into a file of a new folder, synced and moved into place."""

    def prepare(data: bytes, _: Path) -> Work:
        import urlset

        entries = given(data)

        def work() -> Done:
            with TemporaryDirectory() as folder:
                made = urlset.write(entries, folder)
                return Done(made.urls, sum(file.bytes for file in made.files))

        return work

    return prepare


def pack(data: bytes, _: Path) -> Work:
    """Compress a written document."""
    from urlset.engine import get

    engine = get(ENGINE)
    return lambda: Done(None, len(data), len(engine.gzip(data)))


if __name__ == "__main__":
    from urlset.engine import available

    if ENGINE not in available():
        sys.exit(f"the {ENGINE} engine is not installed")
    works = {
        "arrow": to_arrow,
        "rows": to_rows,
        "xml": rendering(_table),
        "xml-of-entries": rendering(_entries),
        "xml-of-dicts": rendering(_dicts),
        "gzip": rendering(_table, gzip=True),
        "file": writing(_table),
        "file-of-entries": writing(_entries),
        "file-of-dicts": writing(_dicts),
        "pack": pack,
    }
    main({f"{name}-{ENGINE}": Task("urlset", prepare) for name, prepare in works.items()})
