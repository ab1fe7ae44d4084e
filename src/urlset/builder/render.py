"""The files that are to change: rendered, packed, staged, and read back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from hashlib import blake2b
from itertools import accumulate, pairwise
from threading import Lock
from typing import Any, NamedTuple

from urlset.arrow import batches
from urlset.builder.allocation import Allocator
from urlset.builder.file_mark import MARK, marked
from urlset.builder.guards import fail
from urlset.builder.ledger import File
from urlset.builder.options import BuildOptions
from urlset.builder.resolve import sort_key
from urlset.engine import Engine
from urlset.protocol import MAX_NEWS
from urlset.publisher import Target
from urlset.store import ScratchDatabase

__all__ = ["FileRenderer", "RowBatches", "RowRange", "digest_of"]

THREADS = 2


class FileRenderer:
    """Renders files of a placing into a staging; gives each as it was published.

    ``made`` are the names of those that were staged: what is published is not what they are.
    """

    def __init__(
        self,
        bench: ScratchDatabase,
        settings: BuildOptions,
        engine: Engine,
        target: Target,
        *,
        has_more: bool,
    ):
        self.made: set[str] = set()
        self._gathering = RowBatches(bench, settings, has_more=has_more)
        self._settings = settings
        self._engine = engine
        self._target = target
        self._lock = Lock()

    def render(
        self, placing: Allocator, names: Mapping[int, str], wanted: Iterable[int]
    ) -> Iterator[File]:
        """Render those files; yields each when it is staged."""

        def some(lot: RowRange) -> list[File]:
            return [
                self._file(replace(placing.files[number], name=names[number]), rows)
                for number, rows in self._gathering.tables(lot)
            ]

        with ThreadPoolExecutor(THREADS) as pool:
            lots = self._gathering.lots(placing, sorted(wanted))
            waiting = [pool.submit(some, lot) for lot in lots]
            try:
                for future in waiting:
                    yield from future.result()
            finally:
                for future in waiting:
                    future.cancel()

    def stage(self, file: File, data: bytes) -> File:
        """Stage a file, unless the same is published, and verify what came to lie there."""
        there = self._target.read(file.name)
        if there is not None and self._unpacked(there, len(data)) == data:
            digest = digest_of(there)
            lastmod = file.lastmod or self._target.modified(file.name)
            return self._published(file, data, len(there), digest, lastmod)
        packed = self._engine.gzip(data) if self._settings.gzip else data
        with self._lock:  # staging is for one thread at a time
            self._target.stage(file.name, packed)
            self.made.add(file.name)
            staged = self._target.read_staged(file.name)
        if self._unpacked(staged, len(data)) != data:
            fail("unreadable", self._settings, f"expected {file.name} to read back as it was")
        digest = digest_of(packed)
        # The target may have lost it (a site that is built from nothing in every run of CI).
        lastmod = file.lastmod if digest == file.digest else None
        return self._published(file, data, len(packed), digest, lastmod or self._settings.now)

    def _published(self, file: File, data: bytes, packed: int, digest: str, lastmod: Any) -> File:
        return replace(file, bytes=len(data), packed_bytes=packed, digest=digest, lastmod=lastmod)

    def _unpacked(self, data: bytes, size: int) -> bytes | None:
        return self._engine.gunzip(data, size) if self._settings.gzip else data

    def _file(self, file: File, rows: Iterable[Any]) -> File:
        return self.stage(file, self._document(file, rows))

    def _document(self, file: File, rows: Iterable[Any]) -> bytes:
        kind = "text" if self._settings.is_text else "urlset"
        limits = self._settings.max_urls, self._max_bytes, MAX_NEWS
        renderer = self._engine.renderer(kind, *limits, self._settings.stylesheet)
        for batch in rows:
            columns = self._engine.columns(batches.as_table(batch))
            if renderer.add(columns, 0) < batch.num_rows:
                fail("limits", self._settings, f"expected {file.urls:,} URLs to fit into a file")
        data = renderer.finish()
        self._verify(file, renderer.count, data)
        return data if self._settings.is_text else marked(data)

    @property
    def _max_bytes(self) -> int:
        """The most bytes of a document, before it is marked."""
        return self._settings.max_bytes - (0 if self._settings.is_text else len(MARK))

    def _again(self, entries: Any) -> bytes:
        """What was read back, written again: the same, where a problem is a mere suspicion."""
        kind = "text" if self._settings.is_text else "urlset"
        count = len(entries)
        renderer = self._engine.renderer(kind, count, 1 << 62, count, self._settings.stylesheet)
        renderer.add(self._engine.columns(entries), 0)
        return renderer.finish()

    def _verify(self, file: File, count: int, data: bytes) -> None:
        """Read the document back: it must be whole, without a problem, and the same again."""
        parsed = self._engine.parse(data, None, None, [])
        found = len(parsed.entries)
        if parsed.diagnostics and self._again(parsed.entries) != data:
            first = parsed.diagnostics[0]
            words = f"without a problem, found {first.code} ({first.detail})"
        elif found != file.urls or count != file.urls:
            words = f"with {file.urls:,} URLs, found {found:,}"
        elif len(data) > self._max_bytes:
            fail("limits", self._settings, f"expected a smaller file, found {len(data):,} bytes")
            return
        else:
            return
        fail("unreadable", self._settings, f"expected a file that reads back {words}")


def digest_of(data: bytes) -> str:
    """What tells whether a published file is the one that was published."""
    return blake2b(data, digest_size=16).hexdigest()


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
            self._bench.insert_rows("laid", laid)
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
