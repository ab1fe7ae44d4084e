"""Identify the rows of a local file by the digest of its bytes, so that a build need not read them.

Size, inode and times do not prove that a file is unchanged: a write within the granularity of the
clock of the file system may leave all of them as they are. Reading the bytes takes a fraction of
the time of reading the rows.
"""

from __future__ import annotations

import os
import stat
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from hashlib import blake2b
from typing import IO, Any

from urlset.sources.candidates import RowVersion

_PART_BYTES = 1 << 19
_THREADS = 2


def file_version(path: str, *options: Any) -> RowVersion | None:
    """Return the version of the rows of a file; None if it is no regular file, or unreadable.

    ``options`` is what else decides about the rows.
    """
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            return None
        with open(path, "rb") as file:
            before = _state(os.fstat(file.fileno()))
            digest = _digest(file)
    except OSError:
        return None

    def is_current() -> bool:
        try:
            return _state(os.stat(path)) == before
        except OSError:
            return False

    digest.update(repr(options).encode(errors="surrogatepass"))
    return RowVersion(digest.hexdigest(), None, is_current)


def _digest(file: IO[bytes]) -> blake2b:
    """Return a digest of the digests of the parts of a file; threads compute these."""
    whole = blake2b()
    with ThreadPoolExecutor(_THREADS, thread_name_prefix="urlset-digest") as pool:
        pending: deque[Future[bytes]] = deque()
        while part := file.read(_PART_BYTES):
            pending.append(pool.submit(lambda data: blake2b(data).digest(), part))
            if len(pending) > _THREADS:
                whole.update(pending.popleft().result())
        for digest in pending:
            whole.update(digest.result())
    return whole


def _state(found: os.stat_result) -> tuple[int, ...]:
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns
