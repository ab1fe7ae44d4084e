"""Keeps two publications out of one folder: a lock that goes with the process that holds it."""

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
    """The right to publish into a folder, held from ``acquire`` to ``release``.

    The operating system holds it, on a dot file that says by whom: when the process ends, however
    it ends, it is free. ``is_held`` is false on a file system that knows no locks.
    """

    def __init__(self, folder: Path):
        self._folder = folder
        self._path = folder / LOCK_NAME
        self._descriptor: int | None = None

    @property
    def is_held(self) -> bool:
        """Whether nobody else on this machine can be publishing into the folder."""
        return self._descriptor is not None

    def acquire(self) -> None:
        """Take the lock, or raise ``TargetError`` that says who has it; never waits."""
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
            # Beware: who had it before may have removed the file between our opening and locking.
            if _is_at(descriptor, self._path):
                self._descriptor = descriptor
                _write_note(descriptor)
            else:
                os.close(descriptor)

    def release(self) -> None:
        """Give the lock back and take its file away; does nothing where it is not held."""
        if self._descriptor is None:
            return
        # While it is still locked: later it might be another's. Windows wants it closed first,
        # and refuses to remove what another has open.
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
            else "a process that has only begun"
        )
        told = TargetError(
            f"expected to be the only one who publishes into {self._folder}, found another at "
            f"work: {who}; wait until it is done, or end it: its lock ends with it"
        )
        told.errno = errno.EWOULDBLOCK
        return told


def _opened(path: Path) -> int:
    flags = os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
    try:
        return os.open(path, flags | os.O_RDWR, 0o644)
    except PermissionError:
        # Another user's, killed: to lock it, to read is enough.
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
    with suppress(OSError):  # a full disk, another user's file: the lock holds without
        os.ftruncate(descriptor, 0)
        os.lseek(descriptor, 0, os.SEEK_SET)
        os.write(descriptor, json.dumps(note).encode() + b"\n")


if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> None:
        # Behind the note: Windows lets nobody read what is locked.
        os.lseek(descriptor, 1 << 20, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
