"""Scan the pages of files in threads, in the order of the files."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import compress
from typing import Generic, NamedTuple, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")

FIRST_FILES = 64
BATCH_FILES = 512
BATCH_BYTES = 8 * 1_048_576
"""Files that a thread scans at once, and their size. The first batches are smaller, so that all
threads begin soon, and few files are distributed; each batch waits for the GIL, up to 5 ms. An
interruption waits for a batch."""

PENDING = 64
PENDING_BYTES = 32 * BATCH_BYTES
"""Number of batches that are scanned ahead, and the size of their files. Small pages keep the
caller busy, and large ones the threads; on a site, each kind is in folders of its own."""

MAX_THREADS = 4
"""More threads wait for the one that creates the rows."""


def scan_ahead(
    items: Iterator[Item],
    size_of: Callable[[Item], int | None],
    scan: Callable[[Sequence[Item]], Iterable[Result]],
) -> Generator[tuple[Item, Result | None], None, None]:
    """Yield items with the results of ``scan``, in their order; threads scan the next ones.

    Args:
        items: The items; only some batches of them are in memory.
        size_of: Returns the size of an item in bytes, or None for one that is not scanned.
        scan: Called in threads with a batch of items; returns a result of each.

    >>> list(scan_ahead(iter("ab"), lambda item: 1 if item == "b" else None, "".join))
    [('a', None), ('b', 'b')]
    """
    threads = min(os.cpu_count() or 1, MAX_THREADS)
    with ThreadPoolExecutor(threads, thread_name_prefix="urlset-pages") as pool:
        pending: deque[tuple[_Batch[Item], Future[Iterable[Result]]]] = deque()
        total = 0
        try:
            for batch in _batches(items, size_of):
                scanned = list(compress(batch.items, batch.is_scanned))
                pending.append((batch, pool.submit(scan, scanned)))
                total += batch.size
                while len(pending) > PENDING or (total > PENDING_BYTES and len(pending) > threads):
                    total -= pending[0][0].size
                    yield from _results(*pending.popleft())
            while pending:
                yield from _results(*pending.popleft())
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


class _Batch(NamedTuple, Generic[Item]):
    """Items, whether each is scanned, and the size of these."""

    items: list[Item]
    is_scanned: list[bool]
    size: int


def _batches(
    items: Iterator[Item], size_of: Callable[[Item], int | None]
) -> Iterator[_Batch[Item]]:
    batch: _Batch[Item] = _Batch([], [], 0)
    total, files = 0, FIRST_FILES
    for item in items:
        size = size_of(item)
        batch.items.append(item)
        batch.is_scanned.append(size is not None)
        total += size or 0
        if len(batch.items) >= files or total >= BATCH_BYTES:
            yield batch._replace(size=total)
            batch, total = _Batch([], [], 0), 0
            files = min(2 * files, BATCH_FILES)
    if batch.items:
        yield batch._replace(size=total)


def _results(
    batch: _Batch[Item], future: Future[Iterable[Result]]
) -> Iterator[tuple[Item, Result | None]]:
    results = iter(future.result())
    for item, is_scanned in zip(batch.items, batch.is_scanned, strict=True):
        yield item, next(results) if is_scanned else None
