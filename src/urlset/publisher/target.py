"""What a publication is written to, whatever it is: the contract of every target."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from types import TracebackType
from typing import Protocol, Self

from urlset.errors import TargetError

__all__ = ["Target", "checked_name", "checked_swap", "expired_orphans", "update_orphans"]


class Target(Protocol):
    """The next state of some files of one place; a context manager, one for each publication.

    ``put`` files, look at them with ``staged``, then ``swap`` them in. Leaving the context without
    a swap, by an exception or not, leaves the place as it was found. Names are those of files
    directly in the place, without separators. Whatever cannot be done is a
    :class:`urlset.TargetError` that says in which state the place is.
    """

    @property
    def location(self) -> str:
        """What was given as the output: the path of a folder, or the URL of a bucket's prefix."""

    @property
    def is_remote(self) -> bool:
        """Whether reading costs a request and a transfer: then it is not done without need."""

    def __enter__(self) -> Self:
        """Begin a publication."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """End it; what was not swapped in is gone."""

    def names(self) -> list[str]:
        """The names of the files that are there, sorted, hidden ones left out."""

    def read(self, name: str) -> bytes | None:
        """The bytes of a file as it is published, None where there is none."""

    def modified(self, name: str) -> datetime | None:
        """The moment in UTC, to the second, at which a published file was written, or None."""

    def stage(self, name: str, data: bytes) -> None:
        """Stage a file where no visitor sees it. Once for each name."""

    def read_staged(self, name: str) -> bytes:
        """The bytes of a file that was put, read back from where it waits."""

    def swap(self, names: Sequence[str], retired: Sequence[str]) -> None:
        """Let the staged files take their places, in this order; then take away the retired.

        They are on the disk for good before the first of them does. Children belong before the
        index in ``names``, and an index before its children in ``retired``: so no visitor ever
        finds an index that names a missing file. A retired file that is not there is no error.
        Whatever fails, all that stood there before stands there again, or the error tells what
        does not. Once for each publication.
        """


def expired_orphans(orphans: Mapping[str, datetime], now: datetime, grace: timedelta) -> list[str]:
    """Tell which orphans have been so for long enough to be taken away, in their order.

    ``orphans`` maps names to the moment since when no index names them; whoever publishes
    remembers it. A grace longer than caches keep an index (see ``cache_control``) spares visitors
    with an old index its missing files.

    >>> from datetime import UTC
    >>> noon = datetime(2026, 1, 31, 12, tzinfo=UTC)
    >>> expired_orphans({"sitemap-9.xml": noon}, noon + timedelta(hours=2), timedelta(hours=1))
    ['sitemap-9.xml']
    """
    return [name for name, since in orphans.items() if now - since >= grace]


def update_orphans(
    orphans: Mapping[str, datetime], names: Iterable[str], now: datetime
) -> dict[str, datetime]:
    """What to remember: of each orphan in ``names`` since when it is one; others are forgotten.

    >>> from datetime import UTC
    >>> noon = datetime(2026, 1, 31, 12, tzinfo=UTC)
    >>> later = noon + timedelta(hours=1)
    >>> known = update_orphans({"a.xml": noon, "b.xml": noon}, ["b.xml", "c.xml"], later)
    >>> {name: since.hour for name, since in known.items()}
    {'b.xml': 12, 'c.xml': 13}
    """
    return {name: orphans.get(name, now) for name in names}


def checked_name(name: str) -> str:
    """Give back the name of a file in the place itself; any other raises ``TargetError``."""
    wrong = {"/", "\\", "\0", *((":",) if os.name == "nt" else ())}
    if not name or name in (".", "..") or not wrong.isdisjoint(name):
        raise TargetError(
            f"expected the name of a file without its folder, found {name!r}; "
            'write it as "sitemap.xml", and give the folder as the output'
        )
    return name


def checked_swap(names: Sequence[str], retired: Sequence[str], put: Iterable[str]) -> None:
    """Raise ``TargetError`` for a swap that contradicts itself, before it has begun."""
    missing = sorted(set(names) - set(put))
    if missing or len(set(names)) < len(names):
        raise TargetError(
            f"expected names that were put, each once, found {missing or list(names)}; "
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
