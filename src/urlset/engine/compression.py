"""Unpacking: gzip in layers and members, damaged gzip for what is still in it, and no bombs."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import NamedTuple

from urlset.engine import Mark

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
    """The unpacked bytes, and how many layers of gzip lay around them."""

    data: bytes
    layers: int
    marks: list[Mark]


def inflate(data: bytes, limit: int, gunzip: Callable[[bytes, int], bytes | None]) -> Inflated:
    """Unpack what is gzip by its first two bytes, up to three layers and ``limit`` bytes.

    ``gunzip`` is the engine's, for flawless data. Of damaged data everything is kept that can
    be unpacked before the damage. Never raises; X025 to X029 and L009 tell what was met.
    Offsets in those are in the packed bytes.
    """
    marks: list[Mark] = []
    layers = 0
    while data.startswith(GZIP) and layers < MAX_LAYERS:
        layers += 1
        if layers == 2:
            marks.append(Mark("X028", 0, 2, ""))
        whole = gunzip(data, limit)
        data = whole if whole is not None else _salvage(data, limit, marks)
    if layers == 0 and data.startswith(_ZLIB):
        unpacked = _unpack_zlib(data, limit, marks)
        if unpacked is not None:
            return Inflated(unpacked, 1, marks)
    if layers < MAX_LAYERS or not data.startswith(GZIP):
        found = next((words for magic, words in _OTHERS if data.startswith(magic)), None)
        if found is None and data[257:262] == b"ustar":
            found = "A tar archive"
        if found:
            marks.append(Mark("X029", 0, _ARCHIVE_HEADER, found))
    if len(data) > limit:
        marks.append(Mark("L009", limit, limit, f"Document is longer than {limit:,} bytes; cut"))
        data = data[:limit]
    return Inflated(data, layers, marks)


def _salvage(data: bytes, limit: int, marks: list[Mark]) -> bytes:
    """Unpack member after member until the end, the damage or the limit."""
    pieces: list[bytes] = []
    size = position = 0
    while data.startswith(GZIP, position):
        unpacked, used, fault = _member(data, position, limit - size, _GZIP_BITS)
        pieces.append(unpacked)
        size += len(unpacked)
        position += used
        if fault:
            marks.append(_fault_mark(fault, position, len(data), limit))
            return b"".join(pieces)
    rest = data[position:]
    if rest.strip(b"\0"):
        marks.append(Mark("X026", position, len(data), str(len(rest))))
    return b"".join(pieces)


def _fault_mark(fault: str, position: int, end: int, limit: int) -> Mark:
    if fault == "limit":
        words = f"Unpacks to more than {limit:,} bytes from {end:,}; cut there"
        return Mark("L009", position, end, words)
    return Mark("X025", position, end, fault)


def _member(data: bytes, start: int, limit: int, bits: int) -> tuple[bytes, int, str | None]:
    """Unpack one gzip member: its bytes, how much of ``data`` it took, and what was wrong."""
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
    """Unpack up to the damage, in ever smaller steps, so that no byte is lost with the error."""
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
    """Unpack one byte out at a time, and one byte in."""
    kept = bytearray()
    try:
        # Nothing first: a byte may wait inside, which would be lost with an error behind it.
        for given in (b"", *(bytes((byte,)) for byte in data)):
            piece = unpacker.decompress(given, 1)
            while piece and len(kept) < limit:
                kept += piece
                piece = unpacker.decompress(unpacker.unconsumed_tail, 1)
    except zlib.error:
        pass
    return bytes(kept)


def _unpack_zlib(data: bytes, limit: int, marks: list[Mark]) -> bytes | None:
    """Unpack a bare zlib stream, which some servers send for "deflate"; None where it is none."""
    unpacked, used, fault = _member(data, 0, limit, _ZLIB_BITS)
    if fault and not unpacked:
        return None
    marks.append(Mark("X029", 0, ZLIB_HEADER, "A zlib stream"))
    if fault:
        marks.append(_fault_mark(fault, used, len(data), limit))
    return unpacked
