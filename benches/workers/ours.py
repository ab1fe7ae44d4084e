"""We ourselves, once with each engine; tasks are called ``WORK-ENGINE``."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from stopwatch import Done, Task, Work, main

# Chosen before urlset is imported, as people choose it.
ENGINE = os.environ["URLSET_ENGINE"] = sys.argv[1].rpartition("-")[2]
MAX_URLS, MAX_BYTES, MAX_NEWS = 50_000, 52_428_800, 1_000


def to_arrow(data: bytes, _: Path) -> Work:
    """Parse, gzip or not, and let another library take the table: nothing can be left for later."""
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


def to_xml(data: bytes, _: Path) -> Work:
    """Render an Arrow table."""
    return _renderer(data, gzip=False)


def to_gzip(data: bytes, _: Path) -> Work:
    """Render an Arrow table and pack it."""
    return _renderer(data, gzip=True)


def _renderer(data: bytes, *, gzip: bool) -> Work:
    from arro3.core import Table

    import urlset
    from urlset.engine import get

    engine = get(ENGINE)
    table = Table.from_arrow(urlset.parse(data).entries)

    def work() -> Done:
        columns = engine.columns(table)
        renderer = engine.renderer("urlset", MAX_URLS, MAX_BYTES, MAX_NEWS)
        stop = renderer.add(columns, 0)
        text = renderer.finish()
        return Done(stop, len(text), len(engine.gzip(text)) if gzip else None)

    return work


def pack(data: bytes, _: Path) -> Work:
    """Pack a document that is written."""
    from urlset.engine import get

    engine = get(ENGINE)
    return lambda: Done(None, len(data), len(engine.gzip(data)))


if __name__ == "__main__":
    from urlset.engine import available

    if ENGINE not in available():
        sys.exit(f"the {ENGINE} engine is not installed")
    works = {"arrow": to_arrow, "rows": to_rows, "xml": to_xml, "gzip": to_gzip, "pack": pack}
    main({f"{name}-{ENGINE}": Task("urlset", prepare) for name, prepare in works.items()})
