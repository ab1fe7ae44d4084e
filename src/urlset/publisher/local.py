"""A folder as a target: staged in it, out of sight, then renamed into place."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType

from urlset.atomic import expect_no_outside_link
from urlset.errors import TargetError
from urlset.publisher.file_lock import FolderLock
from urlset.publisher.journal import Step, sync_files, sync_folder, take, undo, write_journal
from urlset.publisher.recovery import make_staging, recover
from urlset.publisher.target import checked_name, checked_swap

__all__ = ["FolderTarget"]

MODE = 0o644
"""Of a new file, less the umask: a web server is another user than who publishes."""


class FolderTarget:
    """The next state of some files of a folder: a :class:`urlset.publisher.Target`.

    The folder is created when it is missing, and nobody else publishes into it meanwhile: a second
    one is refused. What a killed publication had begun is undone first.

    A file that is replaced keeps its permissions and, where we may, its owner; that it is
    read-only does not protect it, as it does not from ``mv``: the rights on the folder decide. A
    link within the folder stays a link, and what it leads to is replaced; one that leads out of
    the folder is refused. A retired link goes, what it leads to stays.
    """

    def __init__(self, folder: Path, label: str):
        self.folder = folder
        self._label = checked_name(label)
        self._real = folder  # so that a link to it may change meanwhile
        self._made: list[Path] = []
        self._lock = FolderLock(folder)
        self._staging: Path | None = None
        # Of thousands of files a Path for each call would take as long as all else.
        self._put: dict[str, str] = {}
        self._steps: list[Step] = []
        self._is_swapped = False

    @property
    def location(self) -> str:
        """The path of the folder as it was given."""
        return str(self.folder)

    @property
    def is_remote(self) -> bool:
        """Whether reading costs a request."""
        return False

    def __enter__(self) -> FolderTarget:
        if self.folder.exists() and not self.folder.is_dir():
            raise TargetError(
                f"expected a folder to write into, found a file: {self.folder}; give its folder"
            )
        try:
            with _told("make", self.folder):
                self._make_folder()
                self._real = Path(os.path.realpath(self.folder))
                self._lock = FolderLock(self._real)
            with _told("lock", self.folder):
                self._lock.acquire()
            with _told("clean up what a killed publication left in", self.folder):
                recover(self._real, self._label, is_alone=self._lock.is_held)
            with _told("make a folder in", self.folder):
                self._staging = make_staging(self._real, self._label)
        except BaseException:
            self._leave()
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
            if self._staging is not None:
                shutil.rmtree(self._staging, ignore_errors=True)
        finally:
            self._leave()

    def names(self) -> list[str]:
        """The names of the files in the folder, sorted, hidden ones left out."""
        with _told("list", self.folder), os.scandir(self._real) as found:
            return sorted(f.name for f in found if f.is_file() and not f.name.startswith("."))

    def read(self, name: str) -> bytes | None:
        """The bytes of a file as it lies in the folder, None where there is none."""
        path = os.path.join(self._real, checked_name(name))
        with _told("read", self.folder, name):
            return _bytes_of(path) if os.path.isfile(path) else None

    def modified(self, name: str) -> datetime | None:
        """The moment in UTC, to the second, at which a file of the folder was written, or None."""
        path = self._real / checked_name(name)
        with _told("read", self.folder, name):
            return (
                datetime.fromtimestamp(int(path.stat().st_mtime), UTC) if path.is_file() else None
            )

    def stage(self, name: str, data: bytes) -> None:
        """Write a file where nobody sees it yet; :meth:`swap` waits until it is on the disk."""
        final = self._final(name)
        staged = os.path.join(self._stage, f"{name}.put")
        with _told("write", self.folder, name):
            if os.path.isdir(final):
                raise IsADirectoryError(None, "a folder has its name")
            with open(staged, "xb", opener=_created) as file:
                file.write(data)
            if os.path.exists(final):
                _dress(Path(staged), Path(final))
        self._put[name] = staged

    def read_staged(self, name: str) -> bytes:
        """The bytes of a file that was put, as they came to lie on the disk."""
        with _told("read", self.folder, name):
            return _bytes_of(os.path.join(self._stage, f"{checked_name(name)}.put"))

    def swap(self, names: Sequence[str], retired: Sequence[str]) -> None:
        """Let the staged files take their places, in this order; then take away the retired.

        Whatever fails, all that stood there before stands there again. A process that is killed
        in the middle leaves a folder without a false index, and the next publication undoes it.
        """
        checked_swap(names, retired, self._put)
        backups = self._stage / "old"
        with _told("write into", self.folder):
            sync_files([self._put[name] for name in names])
            backups.mkdir()
            steps = [Step.of(Path(self._final(n)), Path(self._put[n]), backups / n) for n in names]
            gone = [Step.of(self._real / n, None, backups / n) for n in retired]
            gone = [step for step in gone if step.before is not None]
            self._steps = [*steps, *gone]
            journal = write_journal(self._stage, self._steps)
            for number, step in enumerate(self._steps):
                # Before the last file, the index, and before the first is taken away: a power cut
                # must not keep the later of two renames, and lose the earlier.
                if number in (len(steps) - 1, len(steps)):
                    self._sync()
                take(step)
            self._sync()
            journal.unlink()
        self._is_swapped = True

    def _undo(self) -> None:
        try:
            undo(self._steps)
        except OSError as error:
            told = TargetError(
                f"cannot put back what was in {self.folder}: {error.strerror or error}; "
                f"it is half of the old set and half of the new one, {self._stage} has the rest, "
                "and the next publication puts it back before it begins"
            )
            told.errno = error.errno
            raise told from error
        self._steps = []

    def _final(self, name: str) -> str:
        """Where a file of that name comes to lie: behind a link, where one stays in the folder."""
        path = os.path.join(self._real, checked_name(name))
        if not os.path.islink(path):
            return path
        with _told("write", self.folder, name):
            expect_no_outside_link(path)
        final = os.path.realpath(path)
        with _told("write", self.folder, name):
            is_near = os.stat(os.path.dirname(final)).st_dev == self._real.stat().st_dev
        if not is_near:  # another file system may be mounted below the folder
            raise TargetError(
                f"expected a file, or a link on the same file system, found {self.folder / name}, "
                f"which leads to {final}; publish into {os.path.dirname(final)}, or remove the link"
            )
        return final

    @property
    def _stage(self) -> Path:
        assert self._staging is not None, "entered as a context manager"
        return self._staging

    def _sync(self) -> None:
        for folder in {os.path.dirname(step.final) for step in self._steps} | {str(self._real)}:
            sync_folder(folder)

    def _make_folder(self) -> None:
        missing = [path for path in (self.folder, *self.folder.parents) if not path.exists()]
        for path in reversed(missing):
            path.mkdir()
            self._made.append(path)

    def _leave(self) -> None:
        self._lock.release()
        if not self._is_swapped:
            for path in reversed(self._made):
                with suppress(OSError):
                    path.rmdir()


def _created(path: str, flags: int) -> int:
    return os.open(path, flags, MODE)


def _bytes_of(path: str) -> bytes:
    with open(path, "rb", buffering=0) as file:
        return file.read()


def _dress(staged: Path, final: Path) -> None:
    """Give a new file the owner, where we may, and the permissions of the one it replaces."""
    if os.name != "nt":
        old, new = final.stat(), staged.stat()
        if (old.st_uid, old.st_gid) != (new.st_uid, new.st_gid):
            with suppress(PermissionError):
                os.chown(staged, -1, old.st_gid)
                os.chown(staged, old.st_uid, -1)
    shutil.copymode(final, staged)


@contextmanager
def _told(what: str, folder: Path, name: str = "") -> Iterator[None]:
    """Say in our words what the operating system refused."""
    try:
        yield
    except TargetError:
        raise
    except OSError as error:
        path = folder / name
        told = TargetError(
            f"cannot {what} {path}: {error.strerror or error}; "
            "what was published before is unchanged"
        )
        told.errno = error.errno  # and no strerror: with both, str() would show nothing else
        raise told from error
