"""Where documents are: a place, whoever finds places, and the bytes from there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import IO, NamedTuple, Protocol

from urlset.errors import SourceError

__all__ = ["DocumentSource", "Location", "SingleDocument", "read_at_most"]

_PIECE = 1 << 20


class Location(NamedTuple):
    """One document: how people call it, its URL if that is known, and how to get its bytes.

    ``key`` is equal for the same document. ``load`` raises :class:`SourceError`. ``is_named``
    holds for what the user asked for: without it there is nothing to read; ``is_guess`` for a
    file that was only found, and is passed over when it turns out to be no sitemap.
    """

    name: str | None
    base: str | None
    load: Callable[[], bytes]
    key: object
    is_named: bool = False
    is_guess: bool = False


class DocumentSource(Protocol):
    """What knows where documents are: on a disk, or in memory."""

    def places(self) -> Iterator[Location]:
        """The documents that a reading begins with."""

    def child(self, loc: str, parent: Location, /) -> Location:
        """The document that an index lists; raises :class:`SourceError` where it is not found."""

    def robots(self) -> Iterator[tuple[str, bytes | SourceError]]:
        """The robots.txt files that lie there, each with its URL, or why one cannot be read."""


class SingleDocument:
    """One document that comes once, as a stream or in memory: it is kept, to be read again."""

    def __init__(self, name: str | None, base: str | None, load: Callable[[], bytes]):
        self._name = name
        self._base = base
        self._load: Callable[[], bytes] | None = load
        self._data = b""

    def __getstate__(self) -> dict[str, object]:
        """Pickle the bytes in place of the stream, which is read now."""
        self._bytes()
        return vars(self)

    def places(self) -> Iterator[Location]:
        """The one document."""
        yield Location(self._name, self._base, self._bytes, key=None, is_named=True)

    def child(self, _loc: str, parent: Location, /) -> Location:
        """Nothing lies beside a stream."""
        raise SourceError(
            f"nothing lies beside the index that lists it ({parent.name or 'bytes'}); "
            "read the index by its path, or without its children",
            failure="stream",
        )

    def robots(self) -> Iterator[tuple[str, bytes | SourceError]]:
        """None."""
        yield from ()

    def _bytes(self) -> bytes:
        if self._load is not None:
            self._data = self._load()
            self._load = None
        return self._data


def read_at_most(file: IO[bytes], limit: int) -> bytes:
    """Read a file to its end, or to one byte more than ``limit``: enough to see that it is over."""
    pieces: list[bytes] = []
    left = limit + 1
    # Beware: an unbuffered file gives less than is asked for long before its end.
    while left > 0 and (piece := file.read(min(left, _PIECE))):
        pieces.append(piece)
        left -= len(piece)
    return b"".join(pieces)
