"""Lock for one publication per folder at a time; the system releases it with the process."""

from __future__ import annotations

import errno
import json
import os
import socket
import sys
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from urlset.errors import TargetError

__all__ = ["LOCK_NAME", "FolderLock"]

LOCK_NAME = ".urlset.lock"

_HELD = (errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES, errno.EDEADLK)
_UNKNOWN = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL)
_MAX_NOTE = 4096


class FolderLock:
    """Exclusive lock of a folder for publication, held from ``acquire`` to ``release``.

    It is a lock of the operating system on a hidden file, which names the holder; it is freed
    when the process ends for any reason. File systems without locks are not locked.
    """

    def __init__(self, folder: Path):
        self._folder = folder
        self._path = folder / LOCK_NAME
        self._descriptor: int | None = None

    @property
    def is_held(self) -> bool:
        """Whether no other process of this machine can publish to the folder."""
        return self._descriptor is not None

    def acquire(self) -> None:
        """Acquire the lock without waiting.

        Raises:
            TargetError: Another process holds the lock; the message names it.
        """
        while self._descriptor is None:
            descriptor = _opened(self._path)
            try:
                _lock(descriptor)
            except OSError as error:
                note = _note(descriptor)
                os.close(descriptor)
                if error.errno in _HELD:
                    raise self._refusal(note) from error
                if error.errno in _UNKNOWN:
                    self._path.unlink(missing_ok=True)
                    return
                raise
            # Note: the previous holder may have removed the file between open and lock.
            if _is_at(descriptor, self._path):
                self._descriptor = descriptor
                _write_note(descriptor)
            else:
                os.close(descriptor)

    def release(self) -> None:
        """Release the lock and remove its file; does nothing if it is not held."""
        if self._descriptor is None:
            return
        # Remove while locked: later the file may belong to another process. Windows requires
        # closing it first, and does not remove a file that another process has open.
        if os.name == "nt":
            os.close(self._descriptor)
        with suppress(OSError):
            self._path.unlink()
        if os.name != "nt":
            os.close(self._descriptor)
        self._descriptor = None

    def _refusal(self, note: dict[str, object]) -> TargetError:
        who = (
            f"process {note.get('pid')} on {note.get('host')} since {note.get('since')}"
            if note
            else "a process that has just started"
        )
        failure = TargetError(
            f"expected no other publication to {self._folder}, found one in progress: {who}; "
            "wait until it ends, or end it, which frees its lock"
        )
        failure.errno = errno.EWOULDBLOCK
        return failure


def _opened(path: Path) -> int:
    flags = os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
    try:
        return os.open(path, flags | os.O_RDWR, 0o644)
    except PermissionError:
        # The file of another user whose process was killed: read permission suffices to lock it.
        return os.open(path, flags & ~os.O_CREAT | os.O_RDONLY)


def _is_at(descriptor: int, path: Path) -> bool:
    with suppress(FileNotFoundError):
        return os.path.samestat(os.fstat(descriptor), os.lstat(path))
    return False


def _note(descriptor: int) -> dict[str, object]:
    with suppress(OSError, ValueError):
        os.lseek(descriptor, 0, os.SEEK_SET)
        note = json.loads(os.read(descriptor, _MAX_NOTE))
        if isinstance(note, dict):
            return note
    return {}


def _write_note(descriptor: int) -> None:
    since = datetime.now(UTC).isoformat(timespec="seconds")
    note = {"pid": os.getpid(), "host": socket.gethostname(), "since": since}
    with suppress(OSError):  # full disk, or file of another user: the lock works without it
        os.ftruncate(descriptor, 0)
        os.lseek(descriptor, 0, os.SEEK_SET)
        os.write(descriptor, json.dumps(note).encode() + b"\n")


if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> None:
        # Behind the note: Windows does not let other processes read locked bytes.
        os.lseek(descriptor, 1 << 20, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
