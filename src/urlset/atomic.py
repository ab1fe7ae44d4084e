"""A file on its way to a path: written beside it, and renamed when it is whole."""

from __future__ import annotations

import errno
import os
import re
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

__all__ = [
    "AtomicFile",
    "expect_inside",
    "expect_replaceable",
    "is_special",
    "leads_out",
    "why_unwritten",
]


_OF_SYSTEM = ("/dev", "/dev/fd", "/proc/self/fd")


class AtomicFile:
    """A new file in the folder of ``path``, with the permissions that the final one shall have.

    ``descriptor`` is open for writing; ``put`` renames the file, ``discard`` removes it, and does
    nothing after ``put``. A link is followed as long as it stays in its folder
    (:func:`expect_inside`). Raises ``OSError`` as the system does. ``is_alone`` says that a lock
    keeps other writers of this path away: what a killed one has left is removed.
    """

    def __init__(self, path: Path, *, is_alone: bool = False):
        expect_inside(path)
        self.final = Path(os.path.realpath(path))
        for left in self._left() if is_alone else ():
            with suppress(OSError):
                left.unlink()
        existing = self.final.stat().st_mode if self.final.exists() else None
        self.descriptor, name = tempfile.mkstemp(
            prefix=f".{self.final.name}.", suffix=".part", dir=self.final.parent
        )
        self.path = Path(name)
        os.chmod(name, 0o666 & ~_umask() if existing is None else stat.S_IMODE(existing))

    def _left(self) -> list[Path]:
        """What a killed writer of the same path has left."""
        start = f".{self.final.name}."
        names = sorted(os.listdir(self.final.parent))
        form = re.compile(rf"{re.escape(start)}[a-z0-9_]{{8}}\.part")
        return [self.final.parent / name for name in names if form.fullmatch(name)]

    def put(self) -> None:
        """Let the file appear; what was there goes."""
        os.replace(self.path, self.final)

    def discard(self) -> None:
        """Leave no trace of it."""
        with suppress(OSError):
            self.path.unlink()


def leads_out(path: str | os.PathLike[str]) -> bool:
    """Tell whether a path is a link to something outside the folder that it lies in.

    >>> leads_out("sitemap.xml")
    False
    """
    if not os.path.islink(path):
        return False
    folder = os.path.join(os.path.realpath(os.path.dirname(path) or "."), "")
    return not os.path.realpath(path).startswith(folder)


def expect_inside(path: str | os.PathLike[str]) -> None:
    """Raise ``OSError`` for a link that leads out of its folder, before it is written through.

    Who can put a link into a folder, such as a repository that was cloned, could
    otherwise have any file of this user overwritten. Links of the system (``/dev/stdout``) are
    followed.
    """
    if leads_out(path) and os.path.dirname(os.path.abspath(path)) not in _OF_SYSTEM:
        words = f"it is a link that leads out of its folder, to {os.path.realpath(path)}"
        raise OSError(errno.ELOOP, f"{words}; name that file itself, or remove the link")


def is_special(path: Path) -> bool:
    """Tell whether there is something that no file can replace: a device, a pipe, a folder."""
    return path.exists() and not path.is_file()


def expect_replaceable(path: Path) -> None:
    """Raise ``OSError`` for a path that no file can replace: a folder, a device, a pipe."""
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if is_special(path):
        raise OSError(errno.EINVAL, "it is a device or a pipe; name a file")


def why_unwritten(path: str | os.PathLike[str], error: OSError) -> str:
    """Return why a file cannot be written and what to do, for a message that names the file.

    >>> why_unwritten("none/a.txt", FileNotFoundError())
    "its folder 'none' does not exist; create it"
    """
    if isinstance(error, FileNotFoundError):
        return f"its folder {os.path.dirname(path) or '.'!r} does not exist; create it"
    if isinstance(error, IsADirectoryError):
        return "it is a folder; name a file in it"
    return error.strerror or str(error)


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
