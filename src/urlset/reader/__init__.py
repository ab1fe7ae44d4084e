"""Reads sitemaps from anywhere: any source in, entries, problems and documents out."""

from __future__ import annotations

import os
import re
import sys
from typing import IO, Any

from urlset import engine as engines
from urlset.errors import SourceError
from urlset.protocol import READ_LIMIT
from urlset.reader.disk import Disk
from urlset.reader.entries import Entries
from urlset.reader.places import Alone, Finder, read_at_most
from urlset.reader.records import DocumentRecord, Visit

__all__ = ["DocumentRecord", "Entries", "Source", "Visit", "read"]

Source = str | os.PathLike[str] | bytes | bytearray | memoryview | IO[bytes]
"""A path (``-`` is stdin), the bytes of a document, or a file that is open for reading them."""

_HTTP = re.compile(r"https?://", re.IGNORECASE | re.ASCII)


def read(
    source: Source,
    *,
    base: str | None = None,
    engine: str | None = None,
    limit_bytes: int = READ_LIMIT,
    follow: bool = True,
    fail_fast: bool = False,
) -> Entries:
    """Read sitemaps of any format: a file, a folder of them, bytes, an open file, ``-`` for stdin.

    An index is followed to its children, which must lie beside it: below its folder, under the
    longest end of their path that exists there; ``follow=False`` leaves them alone. In a folder
    every file that is a sitemap by its content is read. ``base`` is the URL of the document (of
    a folder: that of the folder) for references in it; ``limit_bytes`` caps each document.

    Raises :class:`urlset.SourceError` where there is nothing to read at all. A child that is
    missing, a page of HTML or half a file does not raise but is a record with an ``error`` in
    :attr:`Entries.documents`, unless ``fail_fast`` is set.

    >>> [entry.loc for entry in read(b"https://example.com/")]
    ['https://example.com/']
    """
    engines.get(engine)  # one that is not there is told now, not with the first row
    finder = _finder(source, base, limit_bytes)
    return Entries(finder, engine=engine, limit=limit_bytes, follow=follow, fail_fast=fail_fast)


def _finder(source: Any, base: str | None, limit: int) -> Finder:
    if isinstance(source, bytes | bytearray | memoryview):
        data = bytes(source)
        return Alone(None, base, lambda: data)
    if hasattr(source, "read"):
        name = getattr(source, "name", None)  # of a descriptor, a number
        return Alone(name if isinstance(name, str) else None, base, lambda: _drain(source, limit))
    if source == "-":
        return Alone("-", base, lambda: _drain(sys.stdin.buffer, limit))
    if isinstance(source, str) and _HTTP.match(source):
        # The next finder comes in here: it asks for documents instead of opening them.
        raise SourceError(
            f"expected a path, found the URL {source!r}: reading over HTTP is not built yet; "
            "save the sitemap and read the file"
        )
    if isinstance(source, str | os.PathLike):
        return Disk(os.fspath(source), base, limit)
    raise SourceError(
        f"expected a path, '-', bytes or an open binary file, found {type(source).__name__}"
    )


def _drain(file: IO[bytes], limit: int) -> bytes:
    try:
        return read_at_most(file, limit)
    except TypeError as error:
        raise SourceError(f'expected a file opened in binary mode ("rb"): {error}') from error
    except OSError as error:
        raise SourceError(f"expected an open file that can be read: {error.strerror}") from error
