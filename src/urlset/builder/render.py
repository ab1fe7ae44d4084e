"""The files that are to change: rendered, packed, staged, and read back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from hashlib import blake2b
from threading import Lock
from typing import Any

from urlset.arrow import batches
from urlset.builder.allocation import Allocator
from urlset.builder.file_mark import MARK, marked
from urlset.builder.guards import fail
from urlset.builder.ledger import File
from urlset.builder.options import BuildOptions
from urlset.builder.row_batches import RowBatches, RowRange
from urlset.engine import Engine
from urlset.protocol import MAX_NEWS
from urlset.publisher import Target
from urlset.store import ScratchDatabase

__all__ = ["FileRenderer", "digest_of"]

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
            self._target.put(file.name, packed)
            self.made.add(file.name)
            staged = self._target.staged(file.name)
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
        if parsed.marks and self._again(parsed.entries) != data:
            words = f"without a problem, found {parsed.marks[0].code} ({parsed.marks[0].detail})"
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
