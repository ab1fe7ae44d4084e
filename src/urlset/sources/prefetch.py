"""Reads one batch ahead, in a thread: while one is worked on, the next is made ready."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

__all__ = ["prefetch"]

T = TypeVar("T")
_END = object()


def prefetch(items: Iterator[T]) -> Iterator[T]:
    """The same items, each asked for before the one before it is done with.

    >>> list(prefetch(iter("abc")))
    ['a', 'b', 'c']
    """
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(next, items, _END)
        while (item := future.result()) is not _END:
            future = pool.submit(next, items, _END)
            yield item  # type: ignore[misc] # the end is none of them
