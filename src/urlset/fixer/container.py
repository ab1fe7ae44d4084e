"""X025 to X029: what a document is packed in; it is packed anew with gzip, without a time."""

from __future__ import annotations

import bz2
import io
import lzma
import zipfile
import zlib
from typing import NamedTuple

from urlset import engine as engines
from urlset.engine.compression import inflate
from urlset.entry_spans import IN_PACKED

__all__ = ["CONTAINERS", "Container", "open_container"]

CONTAINERS = frozenset({"X025", "X026", "X027", "X028", "X029"})
"""The rules that are mended by packing anew, or not at all."""

_WHOLE = frozenset({"L009"})  # what is over the limit was not read


class Container(NamedTuple):
    """The bytes of a document without what they were packed in.

    ``faults`` are the codes of what was wrong with that; ``is_packed`` tells whether the
    document is to be packed again.
    """

    raw: bytes
    is_packed: bool
    faults: frozenset[str]

    @property
    def is_cut(self) -> bool:
        """Whether a part of the document is not there."""
        return bool(self.faults & _WHOLE)

    def packed(self, raw: bytes, engine: str | None) -> bytes:
        """The bytes of a file that has ``raw`` in it."""
        return engines.get(engine).gzip(raw) if self.is_packed else raw


def open_container(data: bytes, limit: int, engine: str | None) -> Container:
    """Unpack a document; of an archive, its only member."""
    inflated = inflate(data, limit, engines.get(engine).gunzip)
    faults = frozenset(mark.code for mark in inflated.diagnostics if mark.code in IN_PACKED)
    raw = inflated.data
    if "X029" in faults and inflated.layers == 0:
        member = _member(raw, limit)
        if member is None:
            return Container(raw, False, faults | _WHOLE)
        return Container(member, True, faults)
    return Container(raw, inflated.layers > 0, faults)


def _member(data: bytes, limit: int) -> bytes | None:
    """The only member of an archive; None where there are several, or it cannot be read."""
    try:
        if data.startswith(b"BZh"):
            return _limited(bz2.BZ2Decompressor().decompress(data, limit + 1), limit)
        if data.startswith(b"\xfd7zXZ\0"):
            return _limited(lzma.LZMADecompressor().decompress(data, limit + 1), limit)
        if data.startswith(b"PK\x03\x04"):
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                files = [info for info in archive.infolist() if not info.is_dir()]
                if len(files) != 1 or files[0].file_size > limit:
                    return None
                with archive.open(files[0]) as member:
                    return _limited(member.read(limit + 1), limit)
    except (OSError, EOFError, lzma.LZMAError, zlib.error, zipfile.BadZipFile, RuntimeError):
        return None
    except NotImplementedError:  # a method of compression that zipfile does not have
        return None
    return None


def _limited(data: bytes, limit: int) -> bytes | None:
    return data if len(data) <= limit else None
