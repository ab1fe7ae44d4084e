"""Temporary files: atomic writes by renaming, and locked folders that are removed afterwards.

The lock ends with its process, however that ends. So the folders of killed processes are
recognised, and removed when the next folder is created.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import stat
import sys
import tempfile
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

from urlset.result import Closing

_SYSTEM_FOLDERS = ("/dev", "/dev/fd", "/proc/self/fd")


class AtomicFile:
    """Temporary file in the folder of ``path``, with the permissions of the final file.

    Write to ``descriptor``, then call :meth:`commit` to rename the file or :meth:`discard` to
    remove it. A symbolic link is followed if its destination is in the folder of the link.

    Args:
        path: The file to create or replace.
        is_locked: Whether the caller holds a lock that excludes other writers of ``path``.
            Temporary files of writers that were killed are then removed.

    Raises:
        OSError: The file cannot be created, or ``path`` is a link out of its folder
            (:func:`expect_no_outside_link`).
    """

    def __init__(self, path: Path, *, is_locked: bool = False):
        expect_no_outside_link(path)
        self.final: Path = Path(os.path.realpath(path))
        for abandoned in self._abandoned() if is_locked else ():
            with suppress(OSError):
                abandoned.unlink()
        existing = self.final.stat().st_mode if self.final.exists() else None
        descriptor, name = tempfile.mkstemp(
            prefix=f".{self.final.name}.", suffix=".part", dir=self.final.parent
        )
        self.descriptor: int = descriptor
        self.path: Path = Path(name)
        os.chmod(name, 0o666 & ~_umask() if existing is None else stat.S_IMODE(existing))

    def _abandoned(self) -> list[Path]:
        """Return the temporary files that killed writers of the same path left behind."""
        prefix = f".{self.final.name}."
        names = sorted(os.listdir(self.final.parent))
        pattern = re.compile(rf"{re.escape(prefix)}[a-z0-9_]{{8}}\.part")
        return [self.final.parent / name for name in names if pattern.fullmatch(name)]

    def commit(self) -> None:
        """Atomically replace the destination."""
        os.replace(self.path, self.final)

    @contextmanager
    def writing(self, *, errors: str = "strict") -> Iterator[TextIO]:
        """Write UTF-8 in a ``with`` block; commit at its end, discard the file after an error."""
        try:
            with open(self.descriptor, "w", encoding="utf-8", errors=errors, newline="") as file:
                yield file
            self.commit()
        finally:
            self.discard()

    def discard(self) -> None:
        """Remove the temporary file; does nothing after :meth:`commit`."""
        with suppress(OSError):
            self.path.unlink()


def is_outside_link(path: str | os.PathLike[str]) -> bool:
    """Return whether a path is a symbolic link to something outside its own folder.

    A folder ``.git`` counts as outside: a repository has no files there, but may have links to it.

    >>> is_outside_link("sitemap.xml")
    False
    """
    if not os.path.islink(path):
        return False
    folder = os.path.join(os.path.realpath(os.path.dirname(path) or "."), "")
    real = os.path.realpath(path)
    return not real.startswith(folder) or ".git" in real[len(folder) :].lower().split(os.sep)


def expect_no_outside_link(path: str | os.PathLike[str]) -> None:
    """Raise ``OSError`` if a path is a symbolic link to something outside its own folder.

    Call it before writing to the path. Otherwise anyone who can create a link in a folder, such as
    the author of a cloned repository, could have any file of this user overwritten. Links of the
    system (``/dev/stdout``) are allowed.
    """
    if is_outside_link(path) and os.path.dirname(os.path.abspath(path)) not in _SYSTEM_FOLDERS:
        message = f"it is a link that leads out of its folder, to {os.path.realpath(path)}"
        raise OSError(errno.ELOOP, f"{message}; name that file itself, or remove the link")


def expect_safe_to_read(path: str) -> None:
    """Raise ``OSError`` for a named pipe, or a link of a stranger that leads out of a checkout.

    In CI (the variable ``CI``), and if the link belongs to another user, a path within the working
    directory must not lead out of it: whoever opens a pull request could have any file of the
    machine printed, such as the environment of the process.
    """
    if path.startswith(("/dev/", "/proc/")):  # of the shell, for `<(command)`
        return
    if _is_pipe(path):
        raise OSError(errno.EINVAL, "it is a pipe, which may never end; use - for standard input")
    here = os.path.join(os.getcwd(), "")
    given = os.path.abspath(path)
    if not given.startswith(here):
        return
    real = os.path.realpath(given)
    if real.startswith(here) or real.startswith(os.path.join(os.path.realpath(here), "")):
        return
    is_ci = os.environ.get("CI", "").lower() not in ("", "0", "false")
    if is_ci or (hasattr(os, "getuid") and os.lstat(given).st_uid not in (os.getuid(), 0)):
        message = "it is a link that leads out of the working directory"
        raise OSError(errno.ELOOP, f"{message}; name the file itself, or remove the link")


def _is_pipe(path: str) -> bool:
    try:
        return stat.S_ISFIFO(os.stat(path).st_mode)
    except (OSError, ValueError):
        return False


def is_special(path: Path) -> bool:
    """Return whether a path exists and is no regular file: a device, a pipe, a socket, a folder."""
    return path.exists() and not path.is_file()


MAX_TEXT_FILE = 100 << 20


def bounded_text(path: Path) -> str:
    """Return the text of a configuration or a baseline; raises ``OSError`` for an endless one."""
    with path.open("rb") as file:
        data = file.read(MAX_TEXT_FILE + 1)
    if len(data) > MAX_TEXT_FILE:
        raise OSError(errno.EFBIG, f"a file of more than {MAX_TEXT_FILE:,} bytes")
    return data.decode("utf-8")


def expect_replaceable(path: Path) -> None:
    """Raise ``OSError`` if a path exists and is not a regular file.

    A file cannot replace a folder, a device or a pipe.
    """
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if is_special(path):
        raise OSError(errno.EINVAL, "it is a device or a pipe; name a file")


def expect_writable(path: Path) -> None:
    """Raise ``OSError`` if a regular file cannot be created or replaced at a path.

    Call it before long work whose result is written to the path.
    """
    expect_replaceable(path)
    expect_no_outside_link(path)
    folder = Path(os.path.realpath(path)).parent
    if folder.is_file():
        raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
    if not folder.is_dir():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
    if not os.access(folder, os.W_OK):
        raise PermissionError(errno.EACCES, f"its folder {str(folder)!r} is not writable")


def write_error_reason(path: str | os.PathLike[str], error: OSError) -> str:
    """Return why a file cannot be written and what to do, for a message that names the file.

    >>> write_error_reason("none/a.txt", FileNotFoundError())
    "its folder 'none' does not exist; create it"
    """
    if isinstance(error, FileNotFoundError):
        return f"its folder {os.path.dirname(path) or '.'!r} does not exist; create it"
    if isinstance(error, NotADirectoryError):
        return f"its folder {os.path.dirname(path)!r} is a file; name another one"
    if isinstance(error, IsADirectoryError):
        return "it is a folder; name a file in it"
    if error.errno == errno.EACCES and error.strerror == os.strerror(errno.EACCES):
        return "permission denied; name another file, or change the permissions"
    return error.strerror or str(error)


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


_PREFIX = "urlset-"
_SUFFIX = ".tmp"
_LOCK_NAME = "lock"

STALE_S = 86_400
"""Age in seconds from which a folder without a lock counts as left by a killed process."""


class LockedTempDir(Closing):
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
        self.path: str = tempfile.mkdtemp(prefix=_PREFIX, suffix=_SUFFIX)
        descriptor = None
        with suppress(OSError):  # full disk, or no locks: no other process will remove the folder
            descriptor = _lock(Path(self.path))
        self._remove = weakref.finalize(self, _remove, self.path, os.getpid(), descriptor)

    def close(self) -> None:
        """Remove the folder and its content; may be called again."""
        self._remove()


def _remove(path: str, owner: int, descriptor: int | None) -> None:
    """Remove a folder, if this process created it and is not a fork of the one that did."""
    if os.getpid() == owner:
        shutil.rmtree(path, ignore_errors=True)
    if descriptor is not None:
        os.close(descriptor)


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
