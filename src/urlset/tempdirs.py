"""Temporary folders that are locked while they are in use and removed afterwards.

The lock ends with its process, however that ends. So the folders of killed processes are
recognised, and removed when the next folder is created.
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
_LOCK_NAME = "lock"

STALE_S = 86_400
"""Age in seconds from which a folder without a lock counts as left by a killed process."""


class LockedTempDir:
    """Temporary folder in ``TMPDIR`` that only this user can open; a context manager.

    Creating one also removes the folders that killed processes of the same user left behind.

    Attributes:
        path: The path of the folder.

    Raises:
        OSError: The folder cannot be created.

    >>> with LockedTempDir() as folder:
    ...     Path(folder.path, "rows").write_text("1") and Path(folder.path).is_dir()
    True
    """

    def __init__(self) -> None:
        _remove_abandoned(Path(tempfile.gettempdir()))
        self.path = tempfile.mkdtemp(prefix=_PREFIX, suffix=_SUFFIX)
        self._remove = weakref.finalize(self, _remove, self.path, os.getpid())
        self._descriptor: int | None = None
        with suppress(OSError):  # full disk, or no locks: no other process will remove the folder
            self._descriptor = _lock(Path(self.path))

    def close(self) -> None:
        """Remove the folder and its content; may be called again."""
        self._remove()
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def __enter__(self) -> LockedTempDir:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _remove(path: str, owner: int) -> None:
    """Remove a folder, if this process created it and is not a fork of the one that did."""
    if os.getpid() == owner:
        shutil.rmtree(path, ignore_errors=True)


def _remove_abandoned(parent: Path) -> None:
    """Remove the temporary folders whose process has ended."""
    with suppress(OSError), os.scandir(parent) as found:
        for entry in found:
            if entry.name.startswith(_PREFIX) and entry.name.endswith(_SUFFIX):
                with suppress(OSError):
                    _remove_if_abandoned(Path(entry.path))


if sys.platform == "win32":

    def _lock(_: Path) -> int | None:
        """Return None: Windows cannot remove a folder with an open lock file in it."""
        return None

    def _remove_if_abandoned(_: Path) -> None:
        """Do nothing: without locks, folders in use and abandoned ones look alike."""

else:
    import fcntl

    def _lock(folder: Path) -> int | None:
        """Lock a folder for the life of this process; return the descriptor of the lock file."""
        # Note: the file gets its final name once it is locked. Until then, the folder counts as
        # being created, not as abandoned.
        descriptor = os.open(folder / f"{_LOCK_NAME}.new", os.O_CREAT | os.O_RDWR, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.rename(folder / f"{_LOCK_NAME}.new", folder / _LOCK_NAME)
        except OSError:
            os.close(descriptor)
            raise
        return descriptor

    def _remove_if_abandoned(folder: Path) -> None:
        status = folder.lstat()
        if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid():
            return
        try:
            descriptor = os.open(folder / _LOCK_NAME, os.O_RDWR | os.O_NOFOLLOW)
        except FileNotFoundError:  # being created, or its process was killed meanwhile
            if time.time() - status.st_mtime > STALE_S:
                shutil.rmtree(folder, ignore_errors=True)
            return
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)  # fails while it is in use
            shutil.rmtree(folder, ignore_errors=True)
        finally:
            os.close(descriptor)
