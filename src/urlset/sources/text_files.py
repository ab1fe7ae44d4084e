"""Open text files, compressed or not."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import IO

from urlset.errors import SourceError
from urlset.formats.compression import DAMAGE, open_gzip
from urlset.formats.detect import FileHead

__all__ = ["MAX_LINE", "open_text"]

MAX_LINE = 1 << 24
"""Maximum characters of a line, and of a cell; far more than any valid entry has."""


@contextmanager
def open_text(path: str, name: str, head: FileHead) -> Iterator[IO[str]]:
    """Open a text file, decompressed and decoded.

    Raises:
        urlset.SourceError: Bytes that are read within the block are invalid.
    """
    with ExitStack() as stack:
        try:
            data: IO[bytes] = stack.enter_context(open(path, "rb"))
            if head.is_compressed:
                data = stack.enter_context(open_gzip(data))
            yield stack.enter_context(io.TextIOWrapper(data, encoding=head.encoding, newline=""))
        except UnicodeDecodeError as error:
            raise SourceError(
                f"{name}: expected UTF-8, found byte 0x{error.object[error.start]:02x}; "
                "convert it, e.g. with `iconv -f windows-1252 -t utf-8`"
            ) from error
        except UnicodeError as error:
            raise SourceError(f"{name}: expected text, found: {error}") from error
        except DAMAGE as error:
            raise SourceError(f"{name}: expected complete gzip data, found: {error}") from error
        except csv.Error as error:
            raise SourceError(f"{name}: expected CSV, found: {error}") from error
        except OSError as error:
            if isinstance(error, SourceError):
                raise
            raise SourceError(f"cannot read {name!r}: {error.strerror or error}") from error
