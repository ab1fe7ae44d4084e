"""Folders for what goes when a job is done; those of processes that were killed go with the next.

Each is held by a lock, which ends with its process, however that ends.
"""

from __future__ import annotations

import os
import shutil
import stat
import sys
import tempfile
import time
import weakref
from contextlib import suppress
from pathlib import Path

__all__ = ["STALE_S", "LockedTempDir"]

_PREFIX = "urlset-"
_SUFFIX = ".tmp"
_LOCK = "lock"

STALE_S = 86_400
"""Seconds after which a folder without a lock is what a killed process left."""


class LockedTempDir:
    """A folder in ``TMPDIR``, closed to others; ``close`` takes it away.

    Making one takes away those that killed processes of the same user have left.
    Raises ``OSError`` where none can be made.

    >>> with LockedTempDir() as scratch:
    ...     Path(scratch.path, "rows").write_text("1") and Path(scratch.path).is_dir()
    True
    """

    def __init__(self) -> None:
        _sweep(Path(tempfile.gettempdir()))
        self.path = tempfile.mkdtemp(prefix=_PREFIX, suffix=_SUFFIX)
        self._remove = weakref.finalize(self, _remove, self.path, os.getpid())
        self._descriptor: int | None = None
        with suppress(OSError):  # a full disk, a file system without locks: nobody sweeps it
            self._descriptor = _held(Path(self.path))

    def close(self) -> None:
        """Take the folder away, with all that is in it."""
        self._remove()
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def __enter__(self) -> LockedTempDir:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _remove(path: str, owner: int) -> None:
    """Remove a folder; a fork of the process that made it leaves it to that one."""
    if os.getpid() == owner:
        shutil.rmtree(path, ignore_errors=True)


def _sweep(place: Path) -> None:
    """Take away the folders that nobody holds any more."""
    with suppress(OSError), os.scandir(place) as found:
        for entry in found:
            if entry.name.startswith(_PREFIX) and entry.name.endswith(_SUFFIX):
                with suppress(OSError):
                    _sweep_one(Path(entry.path))


if sys.platform == "win32":

    def _held(_: Path) -> int | None:
        """No folder with an open file in it could be taken away: none is held."""
        return None

    def _sweep_one(_: Path) -> None:
        """Left to the system: who lives cannot be told from who was killed."""

else:
    import fcntl

    def _held(folder: Path) -> int | None:
        """Hold a folder as long as this process lives; gives the descriptor of its lock."""
        # Beware: it gets its name when it is locked. What has no lock of that name is being made.
        descriptor = os.open(folder / f"{_LOCK}.new", os.O_CREAT | os.O_RDWR, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.rename(folder / f"{_LOCK}.new", folder / _LOCK)
        except OSError:
            os.close(descriptor)
            raise
        return descriptor

    def _sweep_one(folder: Path) -> None:
        here = folder.lstat()
        if not stat.S_ISDIR(here.st_mode) or here.st_uid != os.geteuid():
            return
        try:
            descriptor = os.open(folder / _LOCK, os.O_RDWR | os.O_NOFOLLOW)
        except FileNotFoundError:  # being made, or killed in that moment
            if time.time() - here.st_mtime > STALE_S:
                shutil.rmtree(folder, ignore_errors=True)
            return
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)  # refused while it is held
            shutil.rmtree(folder, ignore_errors=True)
        finally:
            os.close(descriptor)
