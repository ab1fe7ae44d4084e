"""Journal and lock of a folder: one publication at a time; an unfinished one is rolled back."""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
import socket
import stat
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple, Self

from urlset.errors import TargetError

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
        """Whether this object has the lock, so that no other process can publish to the folder."""
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
    except PermissionError as error:
        # The file of another user whose process was killed: read permission suffices to lock it.
        try:
            return os.open(path, flags & ~os.O_CREAT | os.O_RDONLY)
        except FileNotFoundError:  # there is no such file, and the folder may not be written
            raise error from None


def _is_at(descriptor: int, path: Path) -> bool:
    with suppress(FileNotFoundError):
        return os.path.samestat(os.fstat(descriptor), os.lstat(path))
    return False


def _note(descriptor: int) -> dict[str, object]:
    with suppress(OSError, ValueError, RecursionError):
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


_JOURNAL = "swap.json"
_WAITERS = 8

Mark = tuple[int, int]
"""Size in bytes and modification time in ns, which identify a state of a file."""


class Step(NamedTuple):
    """Step of a swap: the move of one staged file into place, or the removal of a file.

    Attributes:
        final: Path of the published file.
        staged: Path of the new file; None to remove the published one.
        backup: Path to which the old file is moved.
        before: Mark of the old file; None if there is none.
        after: Mark of the new file; None if there is none.
    """

    final: Path
    staged: Path | None
    backup: Path
    before: Mark | None
    after: Mark | None

    @classmethod
    def of(cls, final: Path, staged: Path | None, backup: Path) -> Self:
        """Create a step; record marks of its files by which later changes are noticed."""
        after = None if staged is None else _mark(staged)
        return cls(final, staged, backup, _mark(final), after)


def apply(step: Step) -> None:
    """Execute a step; between two system calls, ``final`` is either the old file or the new one."""
    if step.staged is None:
        os.replace(step.final, step.backup)
        return
    if step.before is not None:
        _link(step.final, step.backup)
    os.replace(step.staged, step.final)


def undo(steps: Sequence[Step]) -> None:
    """Undo steps, last one first: restore the old files; skip steps that were not executed.

    It depends on the files on disk only, so that it can be interrupted and repeated.
    """
    for step in reversed(steps):
        if step.staged is None:
            if os.path.lexists(step.backup) and not os.path.lexists(step.final):
                os.replace(step.backup, step.final)
        elif os.path.lexists(step.staged):
            continue
        elif os.path.lexists(step.backup):
            os.replace(step.backup, step.final)
        elif step.before is None:
            step.final.unlink(missing_ok=True)


def is_untouched(steps: Sequence[Step]) -> bool:
    """Return whether no other program changed the files of the steps since the swap began."""
    return all(
        _mark(step.final) in (step.before, *(() if _is_staged(step) else (step.after,)))
        for step in steps
    )


def write_journal(folder: Path, steps: Sequence[Step]) -> Path:
    """Write the steps of a swap to its staging folder, synced to disk; return the path."""
    path = folder / _JOURNAL
    from_here = cache(lambda there: os.path.relpath(there, folder))

    def named(path: Path) -> str:
        return os.path.join(from_here(os.path.dirname(path)), os.path.basename(path))

    rows = [
        {
            "final": named(step.final),
            "staged": step.staged and step.staged.name,
            "backup": named(step.backup),
            "before": step.before,
            "after": step.after,
        }
        for step in steps
    ]
    with open(path, "x", encoding="utf-8") as file:
        file.write(json.dumps({"steps": rows}))  # implemented in C, unlike json.dump
        file.flush()
        os.fsync(file.fileno())
    sync_folder(folder)
    return path


def read_journal(folder: Path) -> list[Step]:
    """Return the steps of an unfinished swap; an empty list if there is none."""
    # Note: steps are executed only after the complete journal is on disk; ignore a partial one.
    with suppress(OSError, ValueError, KeyError, TypeError, RecursionError):
        rows = json.loads((folder / _JOURNAL).read_text(encoding="utf-8"))["steps"]
        return [_step(folder, row) for row in rows]
    return []


def sync_files(paths: Sequence[str]) -> None:
    """Sync files to disk.

    Several at once, after all are written: the disk then writes many together instead of one
    after another.
    """
    with ThreadPoolExecutor(_WAITERS) as pool:
        for _ in pool.map(_sync, [paths[n::_WAITERS] for n in range(_WAITERS)]):
            pass


def _sync(paths: Sequence[str]) -> None:
    for path in paths:
        # Windows syncs writable files only; on other systems a file may be read-only by now.
        descriptor = os.open(path, os.O_RDWR if os.name == "nt" else os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def sync_folder(folder: str | Path) -> None:
    """Sync a folder, so that renames survive a power failure, where folders can be synced."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _step(folder: Path, row: dict[str, Any]) -> Step:
    return Step(
        Path(os.path.normpath(folder / row["final"])),
        None if row["staged"] is None else folder / row["staged"],
        folder / row["backup"],
        _pair(row["before"]),
        _pair(row["after"]),
    )


def _pair(value: list[int] | None) -> Mark | None:
    return None if value is None else (int(value[0]), int(value[1]))


def _is_staged(step: Step) -> bool:
    return step.staged is not None and os.path.lexists(step.staged)


def _mark(path: Path) -> Mark | None:
    try:
        found = path.lstat()
    except FileNotFoundError:
        return None
    return found.st_size, found.st_mtime_ns


def _link(path: Path, other: Path) -> None:
    """Create a hard link; copy the file if the file system has no links."""
    try:
        os.link(path, other)
    except OSError:
        shutil.copy2(path, other)


STALE_S = 86_400
"""Seconds after which a staging folder of another machine counts as abandoned."""

_STAGING_NAME = re.compile(r"\..+-([0-9a-f]{6})([0-9a-f]{6})-[^-]+\.new", re.DOTALL)


def make_staging(folder: Path, label: str) -> Path:
    """Create a staging folder for a publication of this machine, private to the user."""
    prefix = f".{label}-{''.join(_machine())}-"
    return Path(tempfile.mkdtemp(prefix=prefix, suffix=".new", dir=folder))


def recover(folder: Path, label: str, *, is_alone: bool) -> None:
    """Restore files after interrupted publications to a folder, and remove their staging folders.

    Staging folders of another machine, on a network file system, are removed after a day.

    Args:
        folder: The folder.
        label: Name of the set.
        is_alone: Whether no other process of this machine publishes to the folder. Then staging
            folders of this machine are abandoned, and an unfinished swap is rolled back, unless
            its files were changed since.

    Raises:
        OSError: A swap cannot be rolled back.
    """
    # Match names first: there may be thousands of files, and a Path for each is slow.
    for name in sorted(os.listdir(folder)):
        found = _STAGING_NAME.fullmatch(name)
        is_old_name = name.startswith(f".{label}-") and name.endswith(".new")
        if found is None and not is_old_name:
            continue
        path = folder / name
        with suppress(FileNotFoundError):
            here = path.lstat()
            if not stat.S_ISDIR(here.st_mode):
                continue
            if is_alone and found is not None and _is_local(found):
                # Note: the journal of another user could name any file of this user.
                if os.name == "nt" or here.st_uid == os.geteuid():
                    _roll_back(path)
                shutil.rmtree(path, ignore_errors=True)
            elif time.time() - here.st_mtime > STALE_S:
                shutil.rmtree(path, ignore_errors=True)


def _roll_back(staging: Path) -> None:
    steps = read_journal(staging)
    # A journal may come from a cloned repository: it may only move files of its own folder, and
    # restore what was there. Otherwise it could create a hook of git in a folder below.
    if not all(_is_within(staging, step) and _is_own_backup(step) for step in steps):
        return
    if steps and is_untouched(steps):
        undo(steps)
        for folder in {step.final.parent for step in steps}:
            sync_folder(folder)


def _is_within(staging: Path, step: Step) -> bool:
    inside = (step.backup, *(() if step.staged is None else (step.staged,)))
    folders = {staging: inside, staging.parent: (step.final,)}
    return all(
        Path(os.path.realpath(path.parent)).is_relative_to(os.path.realpath(folder))
        for folder, paths in folders.items()
        for path in paths
    )


def _is_own_backup(step: Step) -> bool:
    """Return whether a backup that is needed is the old file: its time cannot be known before."""
    return _is_staged(step) or _mark(step.backup) in (None, step.before)


def _machine() -> tuple[str, str]:
    """Return two identifiers of this machine: of the host, and of the running kernel.

    A host keeps its name across restarts. A container shares the kernel, and its locks, with
    other containers and with those that replace it.
    """
    try:
        kernel = Path("/proc/sys/kernel/random/boot_id").read_bytes()
    except OSError:
        kernel = b""
    host = socket.gethostname().encode()
    return _digest(host), _digest(kernel.strip() or host)


def _digest(data: bytes) -> str:
    return blake2b(data, digest_size=3).hexdigest()


def _is_local(found: re.Match[str]) -> bool:
    host, kernel = _machine()
    return found[1] == host or found[2] == kernel
