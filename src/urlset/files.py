"""A file on its way to a path: written beside it, and renamed when it is whole."""

from __future__ import annotations

import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

__all__ = ["Beside", "is_special"]


class Beside:
    """A new file in the folder of ``path``, with the permissions that the final one shall have.

    ``descriptor`` is open for writing; ``put`` renames the file, ``discard`` removes it, and does
    nothing after ``put``. Links are followed. Raises ``OSError`` as the system does.
    """

    def __init__(self, path: Path):
        self.final = Path(os.path.realpath(path))
        existing = self.final.stat().st_mode if self.final.exists() else None
        self.descriptor, name = tempfile.mkstemp(
            prefix=f".{self.final.name}.", suffix=".part", dir=self.final.parent
        )
        self.path = Path(name)
        os.chmod(name, 0o666 & ~_umask() if existing is None else stat.S_IMODE(existing))

    def put(self) -> None:
        """Let the file appear; what was there goes."""
        os.replace(self.path, self.final)

    def discard(self) -> None:
        """Leave no trace of it."""
        with suppress(OSError):
            self.path.unlink()


def is_special(path: Path) -> bool:
    """Tell whether there is something that no file can replace: a device, a pipe, a folder."""
    return path.exists() and not path.is_file()


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
