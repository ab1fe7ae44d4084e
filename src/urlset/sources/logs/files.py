"""Read log files in blocks of complete lines; detect compression, format and first timestamp."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from typing import IO, Any

from urlset.errors import SourceError
from urlset.formats.compression import DAMAGE, open_decompressed
from urlset.formats.detect import log_form
from urlset.formats.encoding import BOM
from urlset.sources.logs.json_lines import JsonFormat
from urlset.sources.logs.lines import CommonFormat, ExtendedFormat, LogFormat, unparsed_line
from urlset.sources.logs.timestamps import TimestampParser

__all__ = ["blocks", "detect_format", "first_timestamp"]

BLOCK_BYTES = 1 << 20


def blocks(path: str, name: str) -> Iterator[bytes]:
    """Yield the lines of a file in blocks of about a megabyte; ``-`` is standard input.

    gzip, bzip2 and xz are detected by their first bytes. A line of more than a megabyte is cut, and
    counts as damaged.

    Raises:
        urlset.SourceError: The file (``name`` in the message) cannot be read to its end. The
            readable part is yielded first.
    """
    try:
        with _open(path) as file:
            yield from _whole_lines(file)
    except (OSError, *DAMAGE, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise SourceError(f"{name}: cannot be read to its end: {reason}") from error


@contextmanager
def _open(path: str) -> Iterator[IO[bytes]]:
    if path == "-":
        yield _decompressed(sys.stdin.buffer)
        return
    with open(path, "rb") as file:
        yield _decompressed(file)


def _decompressed(file: Any) -> Any:
    return open_decompressed(file, file.peek(8) if hasattr(file, "peek") else b"")


def _whole_lines(file: IO[bytes]) -> Iterator[bytes]:
    rest = b""
    is_first = True
    while chunk := _read(file):
        if is_first:
            chunk, is_first = chunk.removeprefix(BOM), False
        end = chunk.rfind(b"\n") + 1
        if end:
            yield rest + chunk[:end]
            rest = chunk[end:]
        else:
            # Only the beginning of a line that is too long is kept: the line counts as damaged.
            rest = rest + chunk if len(rest) < BLOCK_BYTES else rest
    if rest:
        yield rest + b"\n"


def _read(file: Any) -> bytes:
    read = getattr(file, "read1", None) if isinstance(file, io.BufferedReader) else None
    data: bytes = read(BLOCK_BYTES) if read else file.read(BLOCK_BYTES)
    return data


def detect_format(block: bytes) -> LogFormat:
    """Detect the format of a log from the first line that is not empty."""
    form = log_form(block)
    if form == "extended":
        return ExtendedFormat()
    return JsonFormat() if form == "json" else CommonFormat()


def first_timestamp(path: str) -> int:
    """Return the time of the first line that has one, in seconds; 2^60 if there is none."""
    parser = TimestampParser()
    try:
        for block in islice(blocks(path, path), 1):
            log_format = detect_format(block)
            for row in islice(log_format.rows(block), 1_000):
                line = row if not row[7] else log_format.row(row[7].strip()) or unparsed_line(b"")
                timestamp = parser.parse(line[2])
                if timestamp is not None:
                    return timestamp
    except SourceError:
        pass
    return 1 << 60
