"""Files on their way into a folder: staged beside it, then swapped in all together, or not at all.

A visitor of the folder sees whole files at every moment, and an index only after the files that
it names. Until the last rename everything can be undone, and is, whatever went wrong.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

from urlset.errors import TargetError

__all__ = ["Staging"]

STALE_S = 86_400
"""Seconds after which a staging folder is a leftover of a process that was killed."""


class _Step(NamedTuple):
    """One file moved: where it stands, the new one (None: taken away), what stood there before."""

    final: Path
    staged: Path | None
    backup: Path


class Staging:
    """The next state of some files of a folder; a context manager, one for each publication.

    The folder is created when it is missing. ``put`` files, then ``swap`` them in; leaving the
    context without a swap, by an exception or not, leaves the folder as it was found. What the
    operating system refuses is a :class:`urlset.errors.TargetError`.
    """

    def __init__(self, folder: Path, label: str):
        self.folder = folder
        self._label = label
        self._made: list[Path] = []
        self._staging = folder
        self._steps: list[_Step] = []
        self._is_swapped = False

    def __enter__(self) -> Staging:
        if self.folder.exists() and not self.folder.is_dir():
            raise TargetError(
                f"expected a folder to write into, found a file: {self.folder}; give its folder"
            )
        missing = [path for path in (self.folder, *self.folder.parents) if not path.exists()]
        try:
            with _told("make", self.folder):
                for path in reversed(missing):
                    path.mkdir()
                    self._made.append(path)
                self._sweep()
                made = tempfile.mkdtemp(prefix=f".{self._label}-", suffix=".new", dir=self.folder)
                self._staging = Path(made)
        except BaseException:
            self._remove_made()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        try:
            if not self._is_swapped:
                self._undo()
        finally:
            shutil.rmtree(self._staging, ignore_errors=True)
            if not self._is_swapped:
                self._remove_made()

    def read(self, name: str) -> bytes | None:
        """The bytes of a file as it lies in the folder, None where there is none."""
        path = self.folder / name
        with _told("read", path):
            return path.read_bytes() if path.is_file() else None

    def put(self, name: str, data: bytes) -> None:
        """Write a file to the disk, where nobody sees it yet."""
        staged, final = self._staging / name, self.folder / name
        with _told("write", final):
            with open(staged, "xb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            if final.exists():
                shutil.copymode(final, staged)

    def staged(self, name: str) -> bytes:
        """The bytes of a file that was put, as they came to lie on the disk."""
        path = self._staging / name
        with _told("read", path):
            return path.read_bytes()

    def swap(self, names: Sequence[str], retired: Sequence[str]) -> None:
        """Let the staged files take their places, in this order; then take away the retired.

        An index belongs at the end of ``names``. Whatever fails, all that stood there before
        stands there again.
        """
        backups = self._staging / "old"
        with _told("write into", self.folder):
            backups.mkdir()
            for name in names:
                self._move(_Step(self.folder / name, self._staging / name, backups / name))
            for name in retired:
                self._move(_Step(self.folder / name, None, backups / name))
            _sync_folder(self.folder)
        self._is_swapped = True

    def _move(self, step: _Step) -> None:
        if step.staged is not None and step.final.exists():
            _link(step.final, step.backup)
        # Beware: noted before it is done, so that an interrupt in between is undone, too.
        self._steps.append(step)
        if step.staged is not None:
            os.replace(step.staged, step.final)
        else:
            os.replace(step.final, step.backup)

    def _undo(self) -> None:
        for step in reversed(self._steps):
            if step.backup.exists():
                os.replace(step.backup, step.final)
            elif step.staged is not None and not step.staged.exists():
                step.final.unlink(missing_ok=True)
        self._steps.clear()

    def _sweep(self) -> None:
        """Remove what a killed process left here, once it is old enough to be nobody's work."""
        for path in self.folder.glob(f".{self._label}-*.new"):
            with suppress(OSError):
                if time.time() - path.stat().st_mtime > STALE_S:
                    shutil.rmtree(path, ignore_errors=True)

    def _remove_made(self) -> None:
        for path in reversed(self._made):
            with suppress(OSError):
                path.rmdir()


def _link(path: Path, other: Path) -> None:
    """Give a file a second name; where the file system knows no links, copy it."""
    try:
        os.link(path, other)
    except OSError:
        shutil.copy2(path, other)


def _sync_folder(folder: Path) -> None:
    """Make renames last through a power cut, where folders can be synced at all."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


@contextmanager
def _told(what: str, path: Path) -> Iterator[None]:
    """Say in our words what the operating system refused."""
    try:
        yield
    except TargetError:
        raise
    except OSError as error:
        told = TargetError(
            f"cannot {what} {path}: {error.strerror or error}; "
            "what was published before is unchanged"
        )
        told.errno = error.errno  # and no strerror: with both, str() would show nothing else
        raise told from error
