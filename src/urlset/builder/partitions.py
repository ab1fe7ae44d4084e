"""Portions of what is too much at once: DuckDB joins and sorts so many rows in a build's memory."""

from __future__ import annotations

from collections.abc import Iterator

from urlset.store import ScratchDatabase

__all__ = ["TOGETHER", "portions", "portions_of"]

TOGETHER = 12_500_000
"""Rows that are sorted or joined together; fifty million want more memory than a build takes."""


def portions(rows: int) -> int:
    """Into how many portions so many rows are to be cut.

    >>> portions(0), portions(TOGETHER), portions(50_000_000)
    (1, 1, 4)
    """
    return max(1, -(-rows // TOGETHER))


def portions_of(bench: ScratchDatabase, one: str, other: str) -> Iterator[tuple[str, str]]:
    """Two tables with a column ``loc``, cut so that what has the same one is in the same portion.

    They are for the FROM of a query, and have their ``rowid``.
    """
    ((rows,), (others,)) = (bench.one(f"SELECT count(*) FROM {name}") for name in (one, other))
    count = portions(max(rows, others))
    if count == 1:
        yield one, other
        return
    for number in range(count):
        its = f"WHERE hash(loc) % {count} = {number}"
        yield f"(SELECT * FROM {one} {its})", f"(SELECT rowid, * FROM {other} {its})"
