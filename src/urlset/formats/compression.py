"""Decompress gzip: nested, with several members, or damaged, up to a size limit; open archives."""

from __future__ import annotations

import bz2
import gzip
import lzma
import zlib
from collections.abc import Callable
from typing import IO, Any, NamedTuple, cast

from urlset.engine import Diagnostic
from urlset.formats.signatures import Signature, is_gzip, signature
from urlset.inflate import DeflateFormat, InflateStream

DAMAGE = (EOFError, gzip.BadGzipFile, zlib.error, lzma.LZMAError)
"""Exceptions of :func:`open_decompressed` files that are damaged; bzip2 raises ``OSError``."""

HEAD_BYTES = 65_536
"""Bytes of a file from which its kind is detected."""


ZLIB_HEADER = 2
"""Bytes of the header of a zlib stream. X029 covers them where such a stream was unpacked, and four
bytes where an archive was not."""

MAX_LAYERS = 3
_ARCHIVES: dict[Signature | None, str] = {
    "zip": "A zip archive",
    "bzip2": "A bzip2 archive",
    "xz": "An xz archive",
    "zstd": "A zstd archive",
    "7z": "A 7-Zip archive",
    "rar": "A RAR archive",
    "tar": "A tar archive",
}
_ARCHIVE_HEADER = 4
_PIECE = 1 << 16


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
    while is_gzip(data) and layers < MAX_LAYERS:
        layers += 1
        if layers == 2:
            diagnostics.append(Diagnostic("X028", 0, 2, ""))
        whole = gunzip(data, limit)
        data = whole if whole is not None else _salvage(data, limit, diagnostics)
    kind = signature(data)
    if layers == 0 and kind == "zlib":
        unpacked = _unpack_zlib(data, limit, diagnostics)
        if unpacked is not None:
            return Inflated(unpacked, 1, diagnostics)
    if found := _ARCHIVES.get(kind):
        diagnostics.append(Diagnostic("X029", 0, _ARCHIVE_HEADER, found))
    if len(data) > limit:
        diagnostics.append(
            Diagnostic("L009", limit, limit, f"Document is longer than {limit:,} bytes; cut")
        )
        data = data[:limit]
    return Inflated(data, layers, diagnostics)


def inflated_head(head: bytes, limit: int = HEAD_BYTES) -> bytes | None:
    """Return the first bytes of a file, decompressed if it is gzip; None if that is damaged."""
    if not is_gzip(head):
        return head
    stream = InflateStream("gzip")
    data = stream.feed(head, limit)
    return None if stream.fault else data


def open_gzip(file: IO[bytes]) -> IO[bytes]:
    """Return a file that decompresses gzip while it is read."""
    return cast(IO[bytes], gzip.GzipFile(fileobj=file, mode="rb"))


def open_decompressed(file: Any, head: bytes) -> IO[bytes]:
    """Return a file that decompresses gzip, bzip2 or xz while it is read, as ``head`` requires.

    Args:
        file: Open binary file.
        head: Its first bytes; a file of another kind is returned unchanged.
    """
    match signature(head):
        case "gzip":
            return open_gzip(file)
        case "bzip2":
            return bz2.BZ2File(file)
        case "xz":
            return lzma.LZMAFile(file)
        case _:
            return cast(IO[bytes], file)


def _salvage(data: bytes, limit: int, diagnostics: list[Diagnostic]) -> bytes:
    """Decompress the members of damaged gzip data, up to the end, the damage or the limit."""
    pieces: list[bytes] = []
    size = position = 0
    while is_gzip(data, position):
        unpacked, used, fault = _member(data, position, limit - size, "gzip")
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


def _member(
    data: bytes, start: int, limit: int, form: DeflateFormat
) -> tuple[bytes, int, str | None]:
    """Decompress one gzip member; return its bytes, its packed size, and its fault or None."""
    stream = InflateStream(form, salvages=True)
    view = memoryview(data)
    pieces: list[bytes] = []
    size, position = 0, start
    while not stream.is_done and position < len(data):
        packed = view[position : position + _PIECE]
        pieces.append(stream.feed(packed, limit - size + 1))
        size += len(pieces[-1])
        fault = stream.fault or ("limit" if size > limit else None)
        if fault:
            return b"".join(pieces)[:limit], position - start, fault
        position += len(packed) - len(stream.rest)
    if not stream.is_done:
        return b"".join(pieces), position - start, "it ends before its trailer"
    return b"".join(pieces), position - start, None


def _unpack_zlib(data: bytes, limit: int, diagnostics: list[Diagnostic]) -> bytes | None:
    """Unpack a zlib stream, which some servers send as "deflate"; None if it is not one."""
    unpacked, used, fault = _member(data, 0, limit, "zlib")
    if fault and not unpacked:
        return None
    diagnostics.append(Diagnostic("X029", 0, ZLIB_HEADER, "A zlib stream"))
    if fault:
        diagnostics.append(_fault_diagnostic(fault, used, len(data), limit))
    return unpacked
