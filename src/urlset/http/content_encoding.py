"""Undoes Content-Encoding while the bytes come in, and stops at a cap."""

from __future__ import annotations

import contextlib
import zlib

__all__ = ["Unpacker"]

_PIECE = 1 << 20
_GZIP = b"\x1f\x8b"
_UNDONE = {"gzip": 31, "x-gzip": 31, "deflate": 15}
_MAX_LAYERS = 3


class Unpacker:
    """Takes the pieces of a body as they come and keeps them unpacked, up to ``limit`` bytes.

    A body that is not what its header says is kept as it is: servers put ``Content-Encoding:
    gzip`` over what a proxy has unpacked already. ``fault`` tells what cannot be undone.
    """

    def __init__(self, encoding: str | None, limit: int):
        names = [name.strip().lower() for name in (encoding or "").split(",")]
        names = [name for name in names if name not in ("", "identity")]
        self.fault: str | None = None
        if len(names) > _MAX_LAYERS or any(name not in _UNDONE for name in names):
            self.fault = f"Content-Encoding {encoding} was not asked for and is not undone"
            names = []
        self._layers = [_Layer(name) for name in reversed(names)]
        self._limit = limit
        self._pieces: list[bytes] = []
        self._size = 0

    @property
    def is_over(self) -> bool:
        """Whether there is more than the limit allows."""
        return self._size > self._limit

    @property
    def size(self) -> int:
        """The bytes that are kept."""
        return self._size

    def feed(self, data: bytes) -> None:
        """Take the next bytes of the transfer."""
        self._take(data, 0)

    def close(self) -> None:
        """Take note that no more will come, so that an unfinished layer is told."""
        if self.is_over:
            return
        for depth, layer in enumerate(self._layers):
            self._take(layer.rest(), depth + 1)
            if layer.fault or not layer.is_done:
                self.fault = layer.fault or f"the {layer.name} stream ends before its end"

    @property
    def is_cut(self) -> bool:
        """Whether something is missing: a layer is damaged or ends before its end."""
        return any(layer.fault or not layer.is_done for layer in self._layers)

    def body(self) -> bytes:
        """What was unpacked, cut at the limit."""
        return b"".join(self._pieces)[: self._limit]

    def _take(self, data: bytes, depth: int) -> None:
        if depth == len(self._layers):
            self._pieces.append(data)
            self._size += len(data)
            return
        layer = self._layers[depth]
        while data and not self.is_over:
            piece, data = layer.unpack(data)
            if piece:
                self._take(piece, depth + 1)


class _Layer:
    """One name in Content-Encoding."""

    def __init__(self, name: str):
        self.name = name
        self.fault: str | None = None
        self.is_done = True  # nothing at all is nothing unfinished
        self._head = b""
        self._is_plain = False
        self._is_past_end = False
        self._unpacker: zlib._Decompress | None = None

    def unpack(self, data: bytes) -> tuple[bytes, bytes]:
        """Unpack a part of ``data``: what it gave, and what of it is left."""
        if self._is_plain:
            return data, b""
        if self._is_past_end or self.fault:
            return b"", b""
        if self._unpacker is None:
            data = self._head + data
            if len(data) < 2:
                self._head = data
                return b"", b""
            self._head = b""
            self._unpacker = self._opened(data)
        if self._unpacker is None:
            self._is_plain = True
            return data, b""
        before = self._unpacker.copy()
        try:
            piece = self._unpacker.decompress(data, _PIECE)
        except zlib.error as error:
            self.fault = f"the {self.name} stream is damaged: {str(error).rpartition(': ')[2]}"
            return _before_damage(before, data), b""
        left = self._unpacker.unconsumed_tail
        if self._unpacker.eof:
            left = self._next_member(self._unpacker.unused_data)
        return piece, left

    def rest(self) -> bytes:
        """A body of one byte, which is too short to tell what it is."""
        rest, self._head = self._head, b""
        return rest

    def _opened(self, data: bytes) -> zlib._Decompress | None:
        bits = _UNDONE[self.name]
        if data.startswith(_GZIP):
            bits = 31  # "deflate" over gzip is met, too
        elif bits == 31:
            return None
        elif data[0] & 0x0F != 8 or int.from_bytes(data[:2]) % 31:
            bits = -15  # "deflate" is a zlib stream by RFC 9110 and a bare one from old servers
        self.is_done = False
        return zlib.decompressobj(bits)

    def _next_member(self, rest: bytes) -> bytes:
        self.is_done = True
        if rest.startswith(_GZIP):
            self._unpacker = None
            return rest
        self._is_past_end = len(rest) > 1  # padding and junk behind the end
        return b""


def _before_damage(unpacker: zlib._Decompress, data: bytes) -> bytes:
    """Unpack byte for byte up to the damage, so that what lies before it is not lost with it."""
    kept: list[bytes] = []
    with contextlib.suppress(zlib.error):
        kept.extend(unpacker.decompress(data[i : i + 1], _PIECE) for i in range(len(data)))
    return b"".join(kept)
