"""Signatures of binary files: the bytes with which they begin (magic bytes)."""

from __future__ import annotations

import os
from typing import Literal

__all__ = ["Signature", "file_signature", "is_gzip", "signature"]

Signature = Literal[
    "gzip", "zlib", "bzip2", "xz", "zstd", "zip", "7z", "rar", "tar",
    "parquet", "sqlite", "duckdb", "arrow", "arrow-stream", "feather-1",
]  # fmt: skip
"""Format that the first bytes of a binary file name."""

_SIGNATURE_BYTES = 16  # they show the signature of every format but tar
_GZIP = b"\x1f\x8b"  # RFC 1952 section 2.3.1
_SIGNATURES: tuple[tuple[int, bytes, Signature], ...] = (
    # First: the checksum before it may begin like any other format.
    (8, b"DUCK", "duckdb"),  # https://duckdb.org/docs/stable/internals/storage
    (0, _GZIP, "gzip"),
    (0, b"PK\x03\x04", "zip"),
    (0, b"BZh", "bzip2"),
    (0, b"\xfd7zXZ\0", "xz"),
    (0, b"\x28\xb5\x2f\xfd", "zstd"),  # RFC 8878 section 3.1.1
    (0, b"7z\xbc\xaf\x27\x1c", "7z"),
    (0, b"Rar!", "rar"),
    (0, b"PAR1", "parquet"),  # https://parquet.apache.org/docs/file-format/
    (
        0,
        b"SQLite format 3\0",
        "sqlite",
    ),  # https://www.sqlite.org/fileformat.html#magic_header_string
    # https://arrow.apache.org/docs/format/Columnar.html#ipc-file-format
    (0, b"ARROW1", "arrow"),
    (0, b"\xff\xff\xff\xff", "arrow-stream"),
    (0, b"FEA1", "feather-1"),
    (0, b"\x78\x01", "zlib"),  # RFC 1950 section 2.2: the four levels of compression
    (0, b"\x78\x5e", "zlib"),
    (0, b"\x78\x9c", "zlib"),
    (0, b"\x78\xda", "zlib"),
    (257, b"ustar", "tar"),
)


def signature(head: bytes) -> Signature | None:
    r"""Return the format that the first bytes of a file name; None for text and other files.

    >>> signature(b"PAR1\x15\x04"), signature(b"<urlset>")
    ('parquet', None)
    """
    return next((name for at, magic, name in _SIGNATURES if head.startswith(magic, at)), None)


def file_signature(path: str | os.PathLike[str]) -> Signature | None:
    """Return the format that the first bytes of a file name; raises as ``open`` does."""
    with open(path, "rb") as file:
        return signature(file.read(_SIGNATURE_BYTES))


def is_gzip(data: bytes, start: int = 0) -> bool:
    """Return whether bytes begin like gzip at an offset."""
    return data.startswith(_GZIP, start)
