"""Responses kept for later, in bounded memory: small ones as they are, the rest in files."""

from __future__ import annotations

import weakref
import zlib
from collections.abc import Hashable
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from urlset.http.models import Response
from urlset.tempdirs import LockedTempDir

__all__ = ["ResponseStore"]

MAX_MEMORY = 8 << 20
"""Bytes of bodies in memory; what comes after them is written to a folder in ``TMPDIR``."""

_GZIP = b"\x1f\x8b"


class _Kept(NamedTuple):
    """A response without its body, and the body: in memory, or in a file of this name."""

    response: Response
    body: bytes
    name: str | None
    size: int
    is_packed: bool


class ResponseStore:
    """Responses by any key; of at most ``max_bytes`` packed bytes, if that is given.

    Files are compressed and are removed with the store. May be used from several threads.
    """

    def __init__(self, max_bytes: int | None = None):
        self.is_full = False
        self.size = 0
        self._max_bytes = max_bytes
        self._memory_left = MAX_MEMORY
        self._kept: dict[Hashable, _Kept] = {}
        self._scratch: LockedTempDir | None = None
        self._number = 0
        self._lock = Lock()

    def __contains__(self, key: Hashable) -> bool:
        return key in self._kept

    def __len__(self) -> int:
        return len(self._kept)

    def put(self, key: Hashable, response: Response) -> None:
        """Keep a response in place of what is kept under this key.

        Where the limit is reached, everything is dropped: :attr:`is_full`. Raises ``OSError``
        where a file cannot be written.
        """
        body = response.body
        is_small = len(body) <= self._memory_left
        is_packed = not is_small and not body.startswith(_GZIP)
        packed = zlib.compress(body, 1) if is_packed else body
        with self._lock:
            self._drop(key)
            if self.is_full:
                return
            if self._max_bytes is not None and self.size + len(packed) > self._max_bytes:
                self.is_full = True
                self._clear()
                return
            name = None
            if is_small:
                self._memory_left -= len(body)
            else:
                name = self._write(packed)
            self.size += len(packed)
            bare = response._replace(body=b"")
            kept = body if is_small else b""
            self._kept[key] = _Kept(bare, kept, name, len(packed), is_packed)

    def get(self, key: Hashable) -> Response:
        """Return a response that is kept; raises ``KeyError`` or ``OSError``."""
        with self._lock:
            kept = self._kept[key]
            if kept.name is None or self._scratch is None:
                return kept.response._replace(body=kept.body)
            packed = Path(self._scratch.path, kept.name).read_bytes()
        body = zlib.decompress(packed) if kept.is_packed else packed
        return kept.response._replace(body=body)

    def pop(self, key: Hashable) -> Response:
        """Return a response and keep it no longer; raises ``KeyError`` or ``OSError``."""
        response = self.get(key)
        with self._lock:
            self._drop(key)
        return response

    def give_up(self) -> None:
        """Drop everything, and keep nothing from now on."""
        with self._lock:
            self.is_full = True
            self._clear()

    def close(self) -> None:
        """Drop everything; the store is empty then, and can be used again."""
        with self._lock:
            self._clear()

    def _write(self, data: bytes) -> str:
        if self._scratch is None:
            self._scratch = LockedTempDir()
            weakref.finalize(self, self._scratch.close)
        self._number += 1
        name = str(self._number)
        Path(self._scratch.path, name).write_bytes(data)
        return name

    def _drop(self, key: Hashable) -> None:
        kept = self._kept.pop(key, None)
        if kept is None:
            return
        self.size -= kept.size
        if kept.name is None:
            self._memory_left += kept.size
        elif self._scratch is not None:
            Path(self._scratch.path, kept.name).unlink(missing_ok=True)

    def _clear(self) -> None:
        self._kept.clear()
        self.size = 0
        self._memory_left = MAX_MEMORY
        if self._scratch is not None:
            self._scratch.close()
            self._scratch = None
