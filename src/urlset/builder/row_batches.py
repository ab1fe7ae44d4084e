"""The rows of the files that are to change: of many small files by one query, cut file by file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

from urlset.builder.allocation import Allocator
from urlset.builder.options import BuildOptions
from urlset.builder.resolve import sort_key
from urlset.store import ScratchDatabase

__all__ = ["RowBatches", "RowRange"]

ROWS = 50_000
"""Rows of one query, which costs 5 ms whatever it gives: of a full file, or of many others."""

_ROW = "loc, lastmod, changefreq, priority, id"
_NESTED = "e.images, e.videos, e.news, e.alternates, e.extra"


class RowRange(NamedTuple):
    """Rows of some files, one file after another.

    ``rows`` is the query of them, ``order`` sorts them; ``files`` are the number of each and
    which rows are its, counted from 0: the first, and the one after the last.
    """

    rows: str
    order: str
    files: list[tuple[int, int, int]]


class RowBatches:
    """Gives the rows of files of a placing, those of each in its order."""

    def __init__(self, bench: ScratchDatabase, settings: BuildOptions, *, has_more: bool):
        self._bench = bench
        self._settings = settings
        self._has_more = has_more

    def lots(self, placing: Allocator, numbers: list[int]) -> list[RowRange]:
        """Put those files into lots, each of the rows of one query."""
        is_new = {n for n in placing.ranges if placing.files[n].digest is None}
        old = [n for n in numbers if n not in is_new]
        return [
            *self._new(sorted(placing.ranges[n] + (n,) for n in numbers if n in is_new)),
            *(self._old(old, placing) if old else []),
        ]

    def tables(self, lot: RowRange) -> Iterator[tuple[int, list[Any]]]:
        """The number of each file of a lot, and its rows."""
        more, join = "", ""
        if self._has_more:
            more, join = f", {_NESTED}", "LEFT JOIN extended e ON e.id = r.id"
        found = self._bench.batches(
            "SELECT r.loc, r.lastmod AS lastmod_text, r.changefreq, r.priority"
            f"{more} FROM ({lot.rows}) r {join} ORDER BY {lot.order}"
        )
        yield from _cut(found, lot.files)

    def _new(self, files: list[tuple[int, int, int]]) -> Iterator[RowRange]:
        """Files of nothing but rows of the queue, which has them in their order."""
        for some in _grouped(files):
            first, last = some[0][0], some[-1][1]
            rows = f"SELECT {_ROW}, n FROM queue WHERE n BETWEEN {first} AND {last}"
            yield RowRange(
                rows, "r.n", [(n, start - first, end - first + 1) for start, end, n in some]
            )

    def _old(self, numbers: list[int], placing: Allocator) -> Iterator[RowRange]:
        """Files with rows that stay: those and the new ones are laid into ``kept`` first."""
        self._bench.run(f"""
            CREATE OR REPLACE TABLE kept AS
            SELECT {_ROW}, old_file AS file FROM decided d
            WHERE old_file IN ({", ".join(map(str, numbers))}) AND NOT EXISTS
                (SELECT 1 FROM differing x WHERE x.loc = d.loc AND x.state = 'moved')
            ORDER BY file""")
        laid = [(n, *placing.ranges[n]) for n in numbers if n in placing.ranges]
        if laid:
            self._bench.run("CREATE OR REPLACE TABLE laid (file INTEGER, a BIGINT, z BIGINT)")
            self._bench.fill("laid", laid)
            self._bench.run(f"""
                INSERT INTO kept SELECT {_ROW}, file FROM queue
                JOIN (SELECT file, unnest(range(a, z + 1)) AS n FROM laid) USING (n)""")
        counts = dict(self._bench.rows("SELECT file, count(*) FROM kept GROUP BY file"))
        ends = list(accumulate((counts.get(n, 0) for n in numbers), initial=0))
        files = [(a, z - 1, n) for n, (a, z) in zip(numbers, pairwise(ends), strict=True)]
        for some in _grouped(files):
            rows = (
                f"SELECT {_ROW}, file FROM kept WHERE file BETWEEN {some[0][2]} AND {some[-1][2]}"
            )
            order = f"r.file, {sort_key(self._settings, 'r.loc')}"
            first = some[0][0]
            yield RowRange(
                rows, order, [(n, start - first, end - first + 1) for start, end, n in some]
            )


def _grouped(files: list[tuple[int, int, int]]) -> Iterator[list[tuple[int, int, int]]]:
    """Put files in order, each as its first and last row and its number, into groups."""
    group: list[tuple[int, int, int]] = []
    for file in files:
        if group and file[1] - group[0][0] >= ROWS:
            yield group
            group = []
        group.append(file)
    if group:
        yield group


def _cut(
    found: Iterable[Any], files: list[tuple[int, int, int]]
) -> Iterator[tuple[int, list[Any]]]:
    """Cut batches into those of each file."""
    waiting, at = iter(found), 0
    batch = None
    for number, start, stop in files:
        parts: list[Any] = []
        while start < stop:
            while batch is None or at + batch.num_rows <= start:
                at += 0 if batch is None else batch.num_rows
                batch = next(waiting)
            taken = min(stop, at + batch.num_rows) - start
            parts.append(batch.slice(start - at, taken))
            start += taken
        yield number, parts
