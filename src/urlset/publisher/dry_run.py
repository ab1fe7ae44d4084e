"""A folder as a target that nothing is written into: what is put waits elsewhere, and goes."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from urlset.errors import TargetError
from urlset.publisher.local import FolderTarget
from urlset.publisher.target import checked_name, checked_swap
from urlset.tempdirs import LockedTempDir

__all__ = ["DryRun"]


class DryRun:
    """What a publication would make of a folder: a :class:`urlset.publisher.Target`.

    The folder need not exist, may be read-only, and may be published into by others meanwhile:
    nothing in it is touched, not even a lock or the leftovers of a killed publication.
    """

    def __init__(self, folder: Path, label: str):
        self._target = FolderTarget(folder, label)
        self._folder = folder
        self._scratch: LockedTempDir | None = None
        self._put: set[str] = set()

    @property
    def location(self) -> str:
        """The path of the folder as it was given."""
        return self._target.location

    @property
    def is_remote(self) -> bool:
        """Whether reading costs a request."""
        return self._target.is_remote

    def __enter__(self) -> DryRun:
        if self._folder.exists() and not self._folder.is_dir():
            raise TargetError(
                f"expected a folder to write into, found a file: {self._folder}; give its folder"
            )
        self._scratch = LockedTempDir()
        return self

    def __exit__(self, *_: object) -> None:
        if self._scratch is not None:
            self._scratch.close()

    def names(self) -> list[str]:
        """The names of the files in the folder, sorted, hidden ones left out."""
        return self._target.names() if self._folder.exists() else []

    def read(self, name: str) -> bytes | None:
        """The bytes of a file as it lies in the folder, None where there is none."""
        return self._target.read(name)

    def modified(self, name: str) -> datetime | None:
        """The moment in UTC, to the second, at which a file of the folder was written, or None."""
        return self._target.modified(name)

    def stage(self, name: str, data: bytes) -> None:
        """Keep a file in a folder of our own."""
        try:
            self._beside(name).write_bytes(data)
        except OSError as error:
            raise TargetError(
                f"cannot rehearse {name} in {self._beside(name).parent}: "
                f"{error.strerror or error}; TMPDIR names another folder"
            ) from error
        self._put.add(name)

    def read_staged(self, name: str) -> bytes:
        """The bytes of a file that was put."""
        return self._beside(name).read_bytes()

    def swap(self, names: Sequence[str], retired: Sequence[str]) -> None:
        """Do nothing, where it could be done."""
        checked_swap(names, retired, self._put)

    def _beside(self, name: str) -> Path:
        assert self._scratch is not None, "entered as a context manager"
        return Path(self._scratch.path, f"{checked_name(name)}.put")
