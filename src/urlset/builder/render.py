"""Render, compress and stage the changed files, and verify them by reading them back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import accumulate, pairwise
from threading import Lock
from typing import Any, NamedTuple

from urlset.arrow import batches
from urlset.builder.allocation import Allocator
from urlset.builder.file_mark import MARK, digest_of, is_marked
from urlset.builder.ledger import File
from urlset.builder.options import BuildOptions, fail
from urlset.builder.resolve import sort_key
from urlset.builder.working_tables import ADDED_RANGES, RETAINED
from urlset.engine import DocumentBytes, Engine
from urlset.protocol import MAX_BYTES, MAX_NEWS
from urlset.publisher import Target
from urlset.store import ScratchDatabase

THREADS = 2


class FileRenderer:
    """Renderer of allocated files into the staging area of a target.

    ``staged_names`` has the names of the staged files, whose published version differs. ``files``
    are the files and indexes of the ledger: a date of the ledger holds for the bytes that had it.
    ``replaced_names`` has those whose published version no build wrote, as far as is known.
    """

    def __init__(
        self,
        db: ScratchDatabase,
        settings: BuildOptions,
        engine: Engine,
        target: Target,
        *,
        files: Sequence[File],
        own_names: Iterable[str],
        extensions: Sequence[str],
    ):
        self._dates = {file.digest: file.lastmod for file in files if file.digest is not None}
        self._digests = {**dict.fromkeys(own_names), **{file.name: file.digest for file in files}}
        self.staged_names: set[str] = set()
        self.replaced_names: set[str] = set()
        self._batches = RowBatches(db, settings, extensions)
        self._settings = settings
        self._engine = engine
        self._target = target
        self._lock = Lock()

    def render(
        self, allocator: Allocator, names: Mapping[int, str], numbers: Iterable[int]
    ) -> Iterator[File]:
        """Render files by number; yield each after it is staged."""

        def some(row_range: RowRange) -> list[File]:
            return [
                self._file(replace(allocator.files[number], name=names[number]), rows)
                for number, rows in self._batches.tables(row_range)
            ]

        with ThreadPoolExecutor(THREADS) as pool:
            ranges = self._batches.ranges_of(allocator, sorted(numbers))
            pending = [pool.submit(some, row_range) for row_range in ranges]
            try:
                for future in pending:
                    yield from future.result()
            finally:
                for future in pending:
                    future.cancel()

    def stage(self, file: File, data: DocumentBytes) -> File:
        """Stage a file unless an identical one is published, and verify the staged bytes."""
        published = self._target.read(file.name)
        if published is not None and self._unpacked(published, len(data)) == data:
            digest = digest_of(published)
            # The ledger may be older than the file: a killed build, a restored CI cache.
            lastmod = self._dates.get(digest) or self._target.modified(file.name)
            lastmod = lastmod or self._settings.now
            return self._published(file, data, len(published), digest, lastmod)
        if published is not None and self._is_foreign(file.name, published):
            self.replaced_names.add(file.name)
        packed = self._engine.gzip(data) if self._settings.gzip else data
        with self._lock:  # the target stages one file at a time
            self._target.stage(file.name, packed)
            self.staged_names.add(file.name)
            is_same = self._reads_back(file.name, data)
        if not is_same:
            fail("unreadable", self._settings, f"expected {file.name} to read back unchanged")
        digest = digest_of(packed)
        # The file may be missing in the target (a site that CI builds from scratch in every run).
        # A file with other bytes may have been read, so these bytes are new under this name.
        lastmod = self._dates.get(digest) if published is None else None
        return self._published(file, data, len(packed), digest, lastmod or self._settings.now)

    def _reads_back(self, name: str, data: DocumentBytes) -> bool:
        """Return whether a staged file has the bytes of a document, when unpacked."""
        if not self._settings.gzip:
            return self._target.has_staged(name, data)
        return self._unpacked(self._target.read_staged(name), len(data)) == data

    def _is_foreign(self, name: str, published: bytes) -> bool:
        """Return whether a published file is neither known to the ledger nor has the mark."""
        if self._settings.is_text and name in self._digests:
            return False  # a list has no mark: a killed build may have written it
        if name in self._digests and self._digests[name] in (None, digest_of(published)):
            return False
        text = self._unpacked(published, MAX_BYTES)
        return text is None or not is_marked(text)

    def _published(
        self, file: File, data: DocumentBytes, packed: int, digest: str, lastmod: Any
    ) -> File:
        return replace(file, bytes=len(data), packed_bytes=packed, digest=digest, lastmod=lastmod)

    def _unpacked(self, data: bytes, size: int) -> bytes | None:
        return self._engine.gunzip(data, size) if self._settings.gzip else data

    def _file(self, file: File, rows: Iterable[Any]) -> File:
        return self.stage(file, self._document(file, rows))

    def _document(self, file: File, rows: Iterable[Any]) -> DocumentBytes:
        kind = "text" if self._settings.is_text else "urlset"
        limits = self._settings.max_urls, self._max_bytes, MAX_NEWS
        renderer = self._engine.renderer(kind, *limits, self._settings.stylesheet)
        for batch in rows:
            columns = self._engine.columns(batches.as_table(batch))
            if renderer.add(columns, 0) < batch.num_rows:
                fail("limits", self._settings, f"expected {file.urls:,} URLs to fit into a file")
        count, data = renderer.count, renderer.document(MARK.decode())
        self._verify(file, count, data)
        return data

    @property
    def _max_bytes(self) -> int:
        """Maximum size of a document in bytes without the mark of the build."""
        return self._settings.max_bytes - (0 if self._settings.is_text else len(MARK))

    def _rerender(self, entries: Any) -> DocumentBytes:
        """Render parsed entries again; if the bytes are equal, a reported problem is harmless."""
        kind = "text" if self._settings.is_text else "urlset"
        count = len(entries)
        renderer = self._engine.renderer(kind, count, 1 << 62, count, self._settings.stylesheet)
        renderer.add(self._engine.columns(entries), 0)
        return renderer.document(MARK.decode())

    def _verify(self, file: File, count: int, data: DocumentBytes) -> None:
        """Parse a rendered document; fail if it is incomplete, too large or has problems."""
        parsed = self._engine.parse(data, None, None, [])
        found = len(parsed.entries)
        if parsed.diagnostics and self._rerender(parsed.entries) != data:
            first = parsed.diagnostics[0]
            problem = f"without a problem, found {first.code} ({first.detail})"
        elif found != file.urls or count != file.urls:
            problem = f"with {file.urls:,} URLs, found {found:,}"
        elif len(data) > self._settings.max_bytes:
            fail("limits", self._settings, f"expected a smaller file, found {len(data):,} bytes")
            return
        else:
            return
        fail("unreadable", self._settings, f"expected a file that reads back {problem}")


ROWS = 50_000
"""Rows of one query, of one full file or of many small ones: a query costs 5 ms in any case."""

_ROW = "loc, lastmod, changefreq, priority, id"


class RowRange(NamedTuple):
    """Range of rows of consecutive files, and the query that selects them.

    ``rows`` is their query, ``order`` its sort order. ``files`` has the number of each file with
    its rows, counted from 0: the first, and the one after the last.
    """

    rows: str
    order: str
    files: list[tuple[int, int, int]]


class RowBatches:
    """Reader of the rows of allocated files, in file order."""

    def __init__(self, db: ScratchDatabase, settings: BuildOptions, extensions: Sequence[str]):
        self._db = db
        self._settings = settings
        self._extensions = extensions

    def ranges_of(self, allocator: Allocator, numbers: list[int]) -> list[RowRange]:
        """Group files into ranges, each with the rows of one query."""
        is_new = {n for n in allocator.ranges if allocator.files[n].digest is None}
        old = [n for n in numbers if n not in is_new]
        return [
            *self._new_files(sorted(allocator.ranges[n] + (n,) for n in numbers if n in is_new)),
            *(self._changed_files(old, allocator) if old else []),
        ]

    def tables(self, row_range: RowRange) -> Iterator[tuple[int, list[Any]]]:
        """Query a range; yield each file number with the batches of its rows."""
        more, join = "", ""
        if self._extensions:
            more = "".join(f", e.{name}" for name in self._extensions)
            join = "LEFT JOIN extended_rows e ON e.id = r.id"
        found = self._db.batches(
            "SELECT r.loc, r.lastmod AS lastmod_text, r.changefreq, r.priority"
            f"{more} FROM ({row_range.rows}) r {join} ORDER BY {row_range.order}"
        )
        yield from _split_by_file(found, row_range.files)

    def _new_files(self, files: list[tuple[int, int, int]]) -> Iterator[RowRange]:
        """Yield ranges of new files, whose rows are already in order."""
        for some in _group(files):
            first, last = some[0][0], some[-1][1]
            rows = f"SELECT {_ROW}, n FROM new_rows WHERE n BETWEEN {first} AND {last}"
            yield RowRange(
                rows, "r.n", [(n, start - first, end - first + 1) for start, end, n in some]
            )

    def _changed_files(self, numbers: list[int], allocator: Allocator) -> Iterator[RowRange]:
        """Yield ranges of changed files; first collect their old and new rows in ``retained``."""
        self._db.run(f"""
            {RETAINED.create_table}
            SELECT {_ROW}, old_file AS file FROM resolved d
            WHERE old_file IN ({", ".join(map(str, numbers))}) AND NOT EXISTS
                (SELECT 1 FROM diff x WHERE x.loc = d.loc AND x.state = 'moved')
            ORDER BY file""")
        added = [(n, *allocator.ranges[n]) for n in numbers if n in allocator.ranges]
        if added:
            self._db.run(ADDED_RANGES.create_empty())
            self._db.insert_rows(ADDED_RANGES.name, added)
            self._db.run(f"""
                INSERT INTO retained SELECT {_ROW}, file FROM new_rows
                JOIN (SELECT file, unnest(range(a, z + 1)) AS n FROM added_ranges) USING (n)""")
        counts = dict(self._db.rows("SELECT file, count(*) FROM retained GROUP BY file"))
        ends = list(accumulate((counts.get(n, 0) for n in numbers), initial=0))
        files = [(a, z - 1, n) for n, (a, z) in zip(numbers, pairwise(ends), strict=True)]
        for some in _group(files):
            low, high = some[0][2], some[-1][2]
            rows = f"SELECT {_ROW}, file FROM retained WHERE file BETWEEN {low} AND {high}"
            order = f"r.file, {sort_key(self._settings, 'r.loc')}"
            first = some[0][0]
            yield RowRange(
                rows, order, [(n, start - first, end - first + 1) for start, end, n in some]
            )


def _group(files: list[tuple[int, int, int]]) -> Iterator[list[tuple[int, int, int]]]:
    """Group files in order, each given as its first row, its last row and its number."""
    group: list[tuple[int, int, int]] = []
    for file in files:
        if group and file[1] - group[0][0] >= ROWS:
            yield group
            group = []
        group.append(file)
    if group:
        yield group


def _split_by_file(
    found: Iterable[Any], files: list[tuple[int, int, int]]
) -> Iterator[tuple[int, list[Any]]]:
    """Split a stream of batches at the row numbers where files begin."""
    pending, at = iter(found), 0
    batch = None
    for number, start, stop in files:
        parts: list[Any] = []
        while start < stop:
            while batch is None or at + batch.num_rows <= start:
                at += 0 if batch is None else batch.num_rows
                batch = next(pending)
            count = min(stop, at + batch.num_rows) - start
            parts.append(batch.slice(start - at, count))
            start += count
        yield number, parts
