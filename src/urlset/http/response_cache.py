"""Storage of responses in bounded memory and temporary files, and a cache of them by request."""

from __future__ import annotations

import errno
import os
import weakref
import zlib
from collections import Counter
from collections.abc import Hashable
from io import FileIO
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from urlset.formats.signatures import is_gzip
from urlset.http.models import Request, Response
from urlset.http.retry import is_worth_retrying
from urlset.temp_files import LockedTempDir

MAX_CACHED_BYTES = 256 << 20
"""Packed bytes that a cache stores, some 3 GB of sitemaps; those of a larger site are dropped."""

MAX_MEMORY = 8 << 20
"""Bytes of bodies in memory; further bodies are written to a folder in ``TMPDIR``."""

FILE_BYTES = 16 << 20
"""Size from which a file gets no further bodies. It is removed with the last of its bodies."""

_MIN_PACKED = 4_096
"""Bytes of a body that is compressed; it takes as long to compress a smaller one as to parse it."""


class ResponseCache:
    """Cache of the responses of one walk, so that the next walk need not fetch them again.

    Responses with an error that a retry may fix are not stored.
    """

    def __init__(self, max_bytes: int = MAX_CACHED_BYTES) -> None:
        self._store = ResponseStore(max_bytes)

    @property
    def is_full(self) -> bool:
        """Whether the size limit was exceeded, so that nothing is stored any more."""
        return self._store.is_full

    def has(self, request: Request) -> bool:
        """Return whether the response to a request is stored."""
        return _key(request) in self._store

    def get(self, request: Request) -> Response:
        """Return the stored response, with ``request`` as its request."""
        return self._store.get(_key(request))._replace(request=request)

    def put(self, response: Response) -> None:
        """Store a response, unless its error may be temporary or its status is 304."""
        if response.status != 304 and not is_worth_retrying(response):
            try:
                # get() sets the request; that of the response keeps objects of its walk in memory.
                key = _key(response.request)
                self._store.put(key, response._replace(request=_NO_REQUEST))
            except OSError:  # TMPDIR is full: handled like a cache that is full
                self._store.disable()

    def close(self) -> None:
        """Remove all responses."""
        self._store.close()


_NO_REQUEST = Request("")


def _key(request: Request) -> Hashable:
    return request.url, request.max_bytes, request.scope


class _Place(NamedTuple):
    """Where a body is on disk: the number of its file, and the offset."""

    file: int
    offset: int


class _Stored(NamedTuple):
    """Stored response: its fields, and its body in memory or on disk."""

    response: Response
    body: bytes
    place: _Place | None
    size: int
    is_packed: bool


class ResponseStore:
    """Storage of responses by key: small bodies in memory, large ones in temporary files.

    Holds at most ``max_bytes`` packed bytes, if set. A file has many bodies, and is removed with
    the last of them, or with the store. May be used from several threads.
    """

    def __init__(self, max_bytes: int | None = None):
        self.is_full: bool = False
        self.size: int = 0
        self._max_bytes = max_bytes
        self._memory_left = MAX_MEMORY
        self._stored: dict[Hashable, _Stored] = {}
        self._scratch: LockedTempDir | None = None
        self._file: FileIO | None = None
        self._close_file: weakref.finalize[..., ResponseStore] | None = None
        self._number = 0
        self._file_size = 0
        self._bodies: Counter[int] = Counter()
        self._lock = Lock()

    def __contains__(self, key: Hashable) -> bool:
        return key in self._stored

    def __len__(self) -> int:
        return len(self._stored)

    def put(self, key: Hashable, response: Response) -> None:
        """Store a response under a key, in place of the previous one.

        When the limit is exceeded, everything is removed: see :attr:`is_full`. Raises OSError if a
        file cannot be written.
        """
        body = response.body
        is_small = len(body) <= self._memory_left
        is_packed = not is_small and len(body) >= _MIN_PACKED and not is_gzip(body)
        packed = zlib.compress(body, 1) if is_packed else body
        with self._lock:
            self._remove(key)
            if self.is_full:
                return
            if self._max_bytes is not None and self.size + len(packed) > self._max_bytes:
                self.is_full = True
                self._clear()
                return
            place = None
            if is_small:
                self._memory_left -= len(body)
            else:
                place = self._write(packed)
            self.size += len(packed)
            bare = response._replace(body=b"")
            in_memory = body if is_small else b""
            self._stored[key] = _Stored(bare, in_memory, place, len(packed), is_packed)

    def get(self, key: Hashable) -> Response:
        """Return the response stored under a key; raise KeyError without one.

        Raises OSError if its file cannot be read.
        """
        with self._lock:
            stored = self._stored[key]
            if stored.place is None:
                return stored.response._replace(body=stored.body)
            with open(self._path(stored.place.file), "rb") as file:
                file.seek(stored.place.offset)
                packed = file.read(stored.size)
        body = zlib.decompress(packed) if stored.is_packed else packed
        return stored.response._replace(body=body)

    def pop(self, key: Hashable) -> Response:
        """Return the response stored under a key, and remove it; raises as :meth:`get` does."""
        response = self.get(key)
        with self._lock:
            self._remove(key)
        return response

    def disable(self) -> None:
        """Remove all responses, and store none from now on."""
        with self._lock:
            self.is_full = True
            self._clear()

    def close(self) -> None:
        """Remove all responses; the storage can be used again."""
        with self._lock:
            self._clear()

    def _write(self, data: bytes) -> _Place:
        """Append a body to the current file, or to the next one if that is full."""
        if self._file is None or self._file_size >= FILE_BYTES:
            self._end_file()
            self._number += 1
            self._file = FileIO(self._path(self._number), "xb")
            self._file_size = 0
            self._close_file = weakref.finalize(self, self._file.close)
        place = _Place(self._number, self._file_size)
        written = self._file.write(data)
        self._file_size += written
        if written != len(data):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        self._bodies[place.file] += 1
        return place

    def _end_file(self) -> None:
        if self._close_file is not None:
            self._close_file()
        self._file = self._close_file = None

    def _path(self, number: int) -> Path:
        if self._scratch is None:
            self._scratch = LockedTempDir()
            weakref.finalize(self, self._scratch.close)
        return Path(self._scratch.path, str(number))

    def _remove(self, key: Hashable) -> None:
        stored = self._stored.pop(key, None)
        if stored is None:
            return
        self.size -= stored.size
        if stored.place is None:
            self._memory_left += stored.size
            return
        number = stored.place.file
        self._bodies[number] -= 1
        if not self._bodies[number]:
            if number == self._number:
                self._end_file()
            self._path(number).unlink(missing_ok=True)

    def _clear(self) -> None:
        self._stored.clear()
        self._bodies.clear()
        self.size = 0
        self._memory_left = MAX_MEMORY
        self._end_file()
        if self._scratch is not None:
            self._scratch.close()
            self._scratch = None
