"""Interface of publication targets, and rules that all of them share."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Protocol, Self

from urlset.engine import DocumentBytes
from urlset.errors import TargetError


class Target(Protocol):
    """Location that a publication writes to; a context manager, one per publication.

    ``stage`` files, verify them with ``read_staged``, then ``swap`` them in. Leaving the context
    without a swap leaves the location unchanged. Names are those of files directly in the
    location, without separators. Failures raise :class:`urlset.TargetError`, whose message says
    in which state the location is.
    """

    @property
    def location(self) -> str:
        """Where the target publishes: the path of a folder, or the URL of a prefix in a bucket."""

    @property
    def is_remote(self) -> bool:
        """Whether reading needs a network request, and should be avoided."""

    def __enter__(self) -> Self:
        """Start a publication."""

    def __exit__(self, *_: object) -> None:
        """End the publication; staged files that were not swapped in are discarded."""

    def names(self) -> list[str]:
        """Return the names of the published files, sorted, without hidden ones."""

    def read(self, name: str) -> bytes | None:
        """Return the bytes of a published file; None if there is none."""

    def modified(self, name: str) -> datetime | None:
        """Return when a published file was written, in UTC to the second; None if there is none."""

    def stage(self, name: str, data: DocumentBytes) -> None:
        """Write a file to the staging area, invisible to visitors; once per name."""

    def read_staged(self, name: str) -> bytes:
        """Return the bytes of a staged file, read back from the staging area."""

    def has_staged(self, name: str, data: DocumentBytes) -> bool:
        """Return whether a staged file, read back from the staging area, has these bytes."""

    def swap(self, names: Sequence[str], retired: Sequence[str]) -> None:
        """Move the staged files into place, in this order; then remove the retired files.

        All files are synced to disk before the first move. Call it once per publication.

        Args:
            names: Staged names; child sitemaps before their index, so that visitors never find
                an index that lists a missing file.
            retired: Names to remove; an index before its children. Missing files are ignored.

        Raises:
            TargetError: The swap failed. The previous files are restored; the message names
                those that could not be.
        """


def expired_orphans(orphans: Mapping[str, datetime], now: datetime, grace: timedelta) -> list[str]:
    """Return the orphans (files that left the set) whose grace period is over.

    Args:
        orphans: Names of files that no index lists any more, with the time since when.
        now: The current time.
        grace: Grace period. If it is longer than the caching time of an index
            (``cache_control``), visitors with a cached index find all of its files.

    >>> from datetime import UTC
    >>> noon = datetime(2026, 1, 31, 12, tzinfo=UTC)
    >>> expired_orphans({"sitemap-9.xml": noon}, noon + timedelta(hours=2), timedelta(hours=1))
    ['sitemap-9.xml']
    """
    return [name for name, since in orphans.items() if now - since >= grace]


def update_orphans(
    orphans: Mapping[str, datetime], names: Iterable[str], now: datetime
) -> dict[str, datetime]:
    """Return the new orphans, ``names``, each with the time when it first left the set.

    >>> from datetime import UTC
    >>> noon = datetime(2026, 1, 31, 12, tzinfo=UTC)
    >>> later = noon + timedelta(hours=1)
    >>> known = update_orphans({"a.xml": noon, "b.xml": noon}, ["b.xml", "c.xml"], later)
    >>> {name: since.hour for name, since in known.items()}
    {'b.xml': 12, 'c.xml': 13}
    """
    return {name: orphans.get(name, now) for name in names}


_PIECE = 1 << 20
"""Bytes of a file that are read at once, for a comparison in little memory."""


def has_content(path: str | os.PathLike[str], data: DocumentBytes) -> bool:
    """Return whether a file has exactly these bytes.

    Raises:
        OSError: The file cannot be read.
    """
    expected, piece, at = memoryview(data), bytearray(_PIECE), 0
    with open(path, "rb", buffering=0) as file:
        while count := file.readinto(piece):
            found = piece if count == _PIECE else piece[:count]
            # Views are compared number by number, unlike a bytearray.
            if found != expected[at : at + count]:
                return False
            at += count
    return at == len(expected)


def checked_name(name: str) -> str:
    """Return a file name if it has no folder and no forbidden character, else raise an error.

    Raises:
        TargetError: The name contains a separator, or is empty.
    """
    wrong = {"/", "\\", "\0", *((":",) if os.name == "nt" else ())}
    if not name or name in (".", "..") or not wrong.isdisjoint(name):
        raise TargetError(
            f"expected the name of a file without its folder, found {name!r}; "
            'write it as "sitemap.xml", and pass the folder as the output'
        )
    return name


def check_swap(names: Sequence[str], retired: Sequence[str], staged: Iterable[str]) -> None:
    """Raise :class:`urlset.TargetError` if the arguments of a swap are inconsistent."""
    missing = sorted(set(names) - set(staged))
    if missing or len(set(names)) < len(names):
        raise TargetError(
            f"expected names of staged files, each once, found {missing or list(names)}; "
            "nothing was published"
        )
    both = sorted(set(names).intersection(retired))
    if both:
        raise TargetError(
            f"expected files to be either published or retired, found both for {both}; "
            "nothing was published"
        )
    for name in retired:
        checked_name(name)
