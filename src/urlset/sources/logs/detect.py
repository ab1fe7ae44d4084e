"""Tells how a log is written, and when it begins."""

from __future__ import annotations

from itertools import islice

from urlset.errors import SourceError
from urlset.sources.logs.files import blocks
from urlset.sources.logs.json_lines import ObjectLines
from urlset.sources.logs.lines import CommonLines, FieldLines, Lines, unread
from urlset.sources.logs.timestamps import Clock

__all__ = ["begin_of", "lines_of"]


def lines_of(block: bytes) -> Lines:
    """Tell the format by the first line that is not empty."""
    first = block.lstrip()[:1]
    if first == b"#":
        return FieldLines()
    return ObjectLines() if first == b"{" else CommonLines()


def begin_of(path: str) -> int:
    """The time of the first line that has one; late where there is none."""
    clock = Clock()
    try:
        for block in islice(blocks(path, path), 1):
            lines = lines_of(block)
            for row in islice(lines.rows(block), 1_000):
                found = row if not row[7] else lines.row(row[7].strip()) or unread(b"")
                begin = clock.read(found[2])
                if begin is not None:
                    return begin
    except SourceError:
        pass
    return 1 << 60
