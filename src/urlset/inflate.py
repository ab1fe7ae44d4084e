"""Decompress gzip, zlib and deflate in pieces of limited size, up to the damage, if any.

This is the only module that decompresses with zlib.
"""

from __future__ import annotations

import zlib
from typing import Literal

DeflateFormat = Literal["gzip", "zlib", "deflate"]

_WINDOW_BITS: dict[DeflateFormat, int] = {"gzip": 31, "zlib": 15, "deflate": -15}
_PIECE = 1 << 16


class InflateStream:
    """Decompressor of one gzip member, zlib stream or raw deflate stream.

    Args:
        form: Format of the stream; ``deflate`` has neither header nor checksum.
        salvages: Whether to return every byte before damage. It costs a copy of the state of zlib
            for each piece.

    Attributes:
        fault: Description of the damage in the words of zlib; None if there is none.

    >>> stream = InflateStream("zlib")
    >>> stream.feed(zlib.compress(b"urlset"), 3), stream.feed(stream.rest, 9), stream.is_done
    (b'url', b'set', True)
    """

    def __init__(self, form: DeflateFormat, *, salvages: bool = False):
        self.fault: str | None = None
        self._stream = zlib.decompressobj(_WINDOW_BITS[form])
        self._salvages = salvages

    @property
    def is_done(self) -> bool:
        """Whether the end of the stream was reached, and its checksum is right."""
        return self._stream.eof

    @property
    def rest(self) -> bytes:
        """Input of the last call that was not used: beyond its limit, or after the end."""
        return self._stream.unused_data if self._stream.eof else self._stream.unconsumed_tail

    def feed(self, data: bytes | memoryview, limit: int) -> bytes:
        """Decompress ``data``; return at most ``limit`` bytes (1 or more) of the result."""
        before = self._stream.copy() if self._salvages else None
        try:
            return self._stream.decompress(data, limit)
        except zlib.error as error:
            self.fault = str(error).rpartition(": ")[2]
        return b"" if before is None else _up_to_damage(before, memoryview(data), limit)


def _up_to_damage(stream: zlib._Decompress, data: memoryview, limit: int) -> bytes:
    """Decompress damaged data in ever smaller steps; return every byte before the damage."""
    kept = bytearray()
    step = _PIECE
    while step > 1 and len(kept) < limit:
        attempt = stream.copy()
        try:
            piece = attempt.decompress(data, min(step, limit - len(kept)))
        except zlib.error:
            step //= 2
            continue
        if not piece:
            break
        kept += piece
        stream, data = attempt, memoryview(attempt.unconsumed_tail)
    return bytes(kept) + _bytewise(stream, data, limit - len(kept))


def _bytewise(stream: zlib._Decompress, data: memoryview, limit: int) -> bytes:
    """Decompress byte by byte, and return every byte before the damage."""
    kept = bytearray()
    try:
        # Empty input first: a byte may be buffered, and a later error would lose it.
        for byte_in in (b"", *(bytes((byte,)) for byte in data)):
            piece = stream.decompress(byte_in, 1)
            while piece and len(kept) < limit:
                kept += piece
                piece = stream.decompress(stream.unconsumed_tail, 1)
    except zlib.error:
        pass
    return bytes(kept)
