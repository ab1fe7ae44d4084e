"""Decompress gzip: nested, with several members, or damaged, up to a size limit."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import NamedTuple

from urlset.engine import Diagnostic

__all__ = ["ZLIB_HEADER", "Inflated", "inflate"]

ZLIB_HEADER = 2
"""Bytes of the header of a zlib stream. X029 covers them where such a stream was unpacked, and four
bytes where an archive was not."""

GZIP = b"\x1f\x8b"
MAX_LAYERS = 3
_OTHERS = (
    (b"PK\x03\x04", "A zip archive"),
    (b"BZh", "A bzip2 archive"),
    (b"\xfd7zXZ\0", "An xz archive"),
    (b"\x28\xb5\x2f\xfd", "A zstd archive"),
    (b"7z\xbc\xaf\x27\x1c", "A 7-Zip archive"),
    (b"Rar!", "A RAR archive"),
)
_ZLIB = (b"\x78\x01", b"\x78\x5e", b"\x78\x9c", b"\x78\xda")
_ARCHIVE_HEADER = 4
_PIECE = 1 << 16
_GZIP_BITS, _ZLIB_BITS = 31, 15  # what zlib calls these formats


class Inflated(NamedTuple):
    """Unpacked bytes and the number of gzip layers."""

    data: bytes
    layers: int
    diagnostics: list[Diagnostic]


def inflate(data: bytes, limit: int, gunzip: Callable[[bytes, int], bytes | None]) -> Inflated:
    """Unpack data that begins like gzip, up to three layers and ``limit`` bytes.

    ``gunzip`` is the function of the engine for intact data. Of damaged data, all bytes before the
    damage are returned. Never raises; problems are X025 to X029 and L009, with offsets in the
    packed bytes.
    """
    diagnostics: list[Diagnostic] = []
    layers = 0
    while data.startswith(GZIP) and layers < MAX_LAYERS:
        layers += 1
        if layers == 2:
            diagnostics.append(Diagnostic("X028", 0, 2, ""))
        whole = gunzip(data, limit)
        data = whole if whole is not None else _salvage(data, limit, diagnostics)
    if layers == 0 and data.startswith(_ZLIB):
        unpacked = _unpack_zlib(data, limit, diagnostics)
        if unpacked is not None:
            return Inflated(unpacked, 1, diagnostics)
    if layers < MAX_LAYERS or not data.startswith(GZIP):
        found = next((words for magic, words in _OTHERS if data.startswith(magic)), None)
        if found is None and data[257:262] == b"ustar":
            found = "A tar archive"
        if found:
            diagnostics.append(Diagnostic("X029", 0, _ARCHIVE_HEADER, found))
    if len(data) > limit:
        diagnostics.append(
            Diagnostic("L009", limit, limit, f"Document is longer than {limit:,} bytes; cut")
        )
        data = data[:limit]
    return Inflated(data, layers, diagnostics)


def _salvage(data: bytes, limit: int, diagnostics: list[Diagnostic]) -> bytes:
    """Return the unpacked members up to the end, the damage or the limit."""
    pieces: list[bytes] = []
    size = position = 0
    while data.startswith(GZIP, position):
        unpacked, used, fault = _member(data, position, limit - size, _GZIP_BITS)
        pieces.append(unpacked)
        size += len(unpacked)
        position += used
        if fault:
            diagnostics.append(_fault_diagnostic(fault, position, len(data), limit))
            return b"".join(pieces)
    rest = data[position:]
    if rest.strip(b"\0"):
        diagnostics.append(Diagnostic("X026", position, len(data), str(len(rest))))
    return b"".join(pieces)


def _fault_diagnostic(fault: str, position: int, end: int, limit: int) -> Diagnostic:
    if fault == "limit":
        words = f"Unpacks to more than {limit:,} bytes from {end:,}; cut there"
        return Diagnostic("L009", position, end, words)
    return Diagnostic("X025", position, end, fault)


def _member(data: bytes, start: int, limit: int, bits: int) -> tuple[bytes, int, str | None]:
    """Return the bytes of one gzip member, its packed size, and its fault or None."""
    unpacker = zlib.decompressobj(bits)
    view = memoryview(data)
    pieces: list[bytes] = []
    size, position = 0, start
    while not unpacker.eof and position < len(data):
        before = unpacker.copy()
        try:
            piece = unpacker.decompress(view[position : position + _PIECE], limit - size + 1)
        except zlib.error as error:
            pieces.append(_up_to_damage(before, view[position : position + _PIECE], limit - size))
            return b"".join(pieces), position - start, str(error).rpartition(": ")[2]
        pieces.append(piece)
        size += len(piece)
        if size > limit:
            return b"".join(pieces)[:limit], position - start, "limit"
        taken = len(view[position : position + _PIECE])
        position += taken - len(unpacker.unconsumed_tail) - len(unpacker.unused_data)
    if not unpacker.eof:
        return b"".join(pieces), position - start, "it ends before its trailer"
    return b"".join(pieces), position - start, None


def _up_to_damage(unpacker: zlib._Decompress, data: memoryview, limit: int) -> bytes:
    """Return the bytes before the damage; smaller and smaller steps keep every byte."""
    kept = bytearray()
    step = _PIECE
    while step > 1 and len(kept) < limit:
        attempt = unpacker.copy()
        try:
            piece = attempt.decompress(data, min(step, limit - len(kept)))
        except zlib.error:
            step //= 2
            continue
        if not piece:
            break
        kept += piece
        unpacker, data = attempt, memoryview(attempt.unconsumed_tail)
    return bytes(kept) + _bytewise(unpacker, data, limit - len(kept))


def _bytewise(unpacker: zlib._Decompress, data: memoryview, limit: int) -> bytes:
    """Unpack with one byte of input and one byte of output at a time."""
    kept = bytearray()
    try:
        # Empty input first: a byte may be buffered, and a later error would lose it.
        for byte_in in (b"", *(bytes((byte,)) for byte in data)):
            piece = unpacker.decompress(byte_in, 1)
            while piece and len(kept) < limit:
                kept += piece
                piece = unpacker.decompress(unpacker.unconsumed_tail, 1)
    except zlib.error:
        pass
    return bytes(kept)


def _unpack_zlib(data: bytes, limit: int, diagnostics: list[Diagnostic]) -> bytes | None:
    """Unpack a zlib stream, which some servers send as "deflate"; None if it is not one."""
    unpacked, used, fault = _member(data, 0, limit, _ZLIB_BITS)
    if fault and not unpacked:
        return None
    diagnostics.append(Diagnostic("X029", 0, ZLIB_HEADER, "A zlib stream"))
    if fault:
        diagnostics.append(_fault_diagnostic(fault, used, len(data), limit))
    return unpacked
