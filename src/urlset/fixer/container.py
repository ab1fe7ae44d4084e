"""Compressed containers of a document (rules X025 to X029): decompress, compress again as gzip.

The gzip header has no timestamp, so that equal documents give equal bytes.
"""

from __future__ import annotations

import bz2
import io
import lzma
import zipfile
from typing import NamedTuple

from urlset import engine as engines
from urlset.entry_spans import IN_PACKED
from urlset.formats.compression import DAMAGE, inflate
from urlset.formats.signatures import signature

__all__ = ["Container", "open_container"]

_TRUNCATED = frozenset({"L009"})  # the part over the limit was not read


class Container(NamedTuple):
    """Decompressed bytes of a document, and how to compress them again.

    Attributes:
        raw: Decompressed bytes.
        is_packed: Whether the file is gzip.
        faults: Codes of the problems of the compressed file.
    """

    raw: bytes
    is_packed: bool
    faults: frozenset[str]

    @property
    def is_cut(self) -> bool:
        """Whether a part of the document is missing."""
        return bool(self.faults & _TRUNCATED)

    def packed(self, raw: bytes, engine: str | None) -> bytes:
        """Return ``raw`` as the bytes of a file: as gzip if the document was compressed."""
        return engines.get(engine).gzip(raw) if self.is_packed else raw


def open_container(data: bytes, max_bytes: int, engine: str | None) -> Container:
    """Decompress a document; of an archive with one member, that member."""
    inflated = inflate(data, max_bytes, engines.get(engine).gunzip)
    faults = frozenset(mark.code for mark in inflated.diagnostics if mark.code in IN_PACKED)
    raw = inflated.data
    if "X029" in faults and inflated.layers == 0:
        member = _member(raw, max_bytes)
        if member is None:
            return Container(raw, False, faults | _TRUNCATED)
        return Container(member, True, faults)
    return Container(raw, inflated.layers > 0, faults)


def _member(data: bytes, max_bytes: int) -> bytes | None:
    """Return the only member of an archive; None if it has several or cannot be read."""
    try:
        form = signature(data)
        if form == "bzip2":
            return _limited(bz2.BZ2Decompressor().decompress(data, max_bytes + 1), max_bytes)
        if form == "xz":
            return _limited(lzma.LZMADecompressor().decompress(data, max_bytes + 1), max_bytes)
        if form == "zip":
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                files = [info for info in archive.infolist() if not info.is_dir()]
                if len(files) != 1 or files[0].file_size > max_bytes:
                    return None
                with archive.open(files[0]) as member:
                    return _limited(member.read(max_bytes + 1), max_bytes)
    except (OSError, *DAMAGE, zipfile.BadZipFile, RuntimeError):
        return None
    except NotImplementedError:  # a compression method that zipfile does not support
        return None
    return None


def _limited(data: bytes, max_bytes: int) -> bytes | None:
    return data if len(data) <= max_bytes else None
