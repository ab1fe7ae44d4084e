"""Publish files to a local folder by staging and renaming, or simulate that in a dry run."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from urlset.engine import DocumentBytes
from urlset.errors import TargetError
from urlset.publisher.journal import (
    FolderLock,
    Step,
    apply,
    make_staging,
    recover,
    sync_files,
    sync_folder,
    undo,
    write_journal,
)
from urlset.publisher.target import check_swap, checked_name, has_content
from urlset.temp_files import LockedTempDir, expect_no_outside_link

MODE = 0o644
"""Permissions of a new file, less the umask: the web server runs as another user."""


class FolderTarget:
    """Target for the files of a local folder: a :class:`urlset.publisher.Target`.

    The folder is created if it is missing. A lock rejects a second publication at the same time.
    An unfinished publication of a killed process is rolled back first.

    A replaced file keeps its permissions and, where permitted, its owner. Files that are read-only
    are replaced, too, as by ``mv``: the permissions of the folder decide. A link within the folder
    stays a link, and its target is replaced; a link out of the folder is rejected. Retiring a link
    removes the link, not its target.
    """

    def __init__(self, folder: Path, label: str):
        self.folder = folder
        self._label = checked_name(label)
        self._real = folder  # resolved once, so that a link to the folder may change meanwhile
        self._created_folders: list[Path] = []
        self._lock = FolderLock(folder)
        self._staging: Path | None = None
        # Strings: a Path per call would take as long as everything else for thousands of files.
        self._staged_paths: dict[str, str] = {}
        self._steps: list[Step] = []
        self._is_swapped = False

    @property
    def location(self) -> str:
        """The path of the folder, as passed by the caller."""
        return str(self.folder)

    @property
    def is_remote(self) -> bool:
        """Whether reading a published file needs a network request; always false."""
        return False

    def __enter__(self) -> FolderTarget:
        self._expect_no_file()
        try:
            with _map_errors("create", self.folder):
                self._make_folder()
                self._real = Path(os.path.realpath(self.folder))
                self._lock = FolderLock(self._real)
            with _map_errors("lock", self.folder):
                self._lock.acquire()
            with _map_errors("clean up what a killed publication left in", self.folder):
                recover(self._real, self._label, is_alone=self._lock.is_held)
            with _map_errors("create a folder in", self.folder):
                self._staging = make_staging(self._real, self._label)
        except BaseException:
            self._release()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        try:
            if not self._is_swapped:
                self._roll_back()
            if self._staging is not None:
                shutil.rmtree(self._staging, ignore_errors=True)
        finally:
            self._release()

    def names(self) -> list[str]:
        """Return the names of the files in the folder, sorted, without hidden ones."""
        with _map_errors("list", self.folder), os.scandir(self._real) as found:
            return sorted(f.name for f in found if f.is_file() and not f.name.startswith("."))

    def read(self, name: str) -> bytes | None:
        """Return the bytes of a published file; None if there is none."""
        path = os.path.join(self._real, checked_name(name))
        with _map_errors("read", self.folder, name):
            return _bytes_of(path) if os.path.isfile(path) else None

    def modified(self, name: str) -> datetime | None:
        """Return when a published file was written, in UTC to the second; None if there is none."""
        path = self._real / checked_name(name)
        with _map_errors("read", self.folder, name):
            return (
                datetime.fromtimestamp(int(path.stat().st_mtime), UTC) if path.is_file() else None
            )

    def stage(self, name: str, data: DocumentBytes) -> None:
        """Write a file to the hidden staging folder; :meth:`swap` waits until it is on disk."""
        final = self._final_path(name)
        staged = os.path.join(self._stage, f"{name}.put")
        with _map_errors("write", self.folder, name):
            if os.path.isdir(final):
                raise IsADirectoryError(None, "a folder has that name")
            with open(staged, "xb", opener=_created) as file:
                file.write(data)
            if os.path.exists(final):
                _copy_permissions(Path(staged), Path(final))
        self._staged_paths[name] = staged

    def read_staged(self, name: str) -> bytes:
        """Return the bytes of a staged file, read back from disk."""
        with _map_errors("read", self.folder, name):
            return _bytes_of(self._staged_path(name))

    def has_staged(self, name: str, data: DocumentBytes) -> bool:
        """Return whether a staged file, read back from disk, has these bytes."""
        with _map_errors("read", self.folder, name):
            return has_content(self._staged_path(name), data)

    def _staged_path(self, name: str) -> str:
        return os.path.join(self._stage, f"{checked_name(name)}.put")

    def swap(self, names: Sequence[str], retired: Sequence[str]) -> None:
        """Move the staged files into place, in this order; then remove the retired files.

        On a failure the previous files are restored. A process that is killed during the swap
        leaves no index with missing files, and the next publication rolls the swap back.
        """
        check_swap(names, retired, self._staged_paths)
        backups = self._stage / "old"
        with _map_errors("write into", self.folder):
            sync_files([self._staged_paths[name] for name in names])
            backups.mkdir()
            steps = [
                Step.of(Path(self._final_path(n)), Path(self._staged_paths[n]), backups / n)
                for n in names
            ]
            removals = [Step.of(self._real / n, None, backups / n) for n in retired]
            removals = [step for step in removals if step.before is not None]
            self._steps = [*steps, *removals]
            journal = write_journal(self._stage, self._steps)
            for number, step in enumerate(self._steps):
                # Before the last file, which is the index, and before the first removal: a power
                # failure must not keep the later of two renames and lose the earlier one.
                if number in (len(steps) - 1, len(steps)):
                    self._sync()
                apply(step)
            self._sync()
            journal.unlink()
        self._is_swapped = True

    def _expect_no_file(self) -> None:
        if self.folder.exists() and not self.folder.is_dir():
            raise TargetError(
                f"expected a folder to write into, found a file: {self.folder}; pass its folder"
            )

    def _roll_back(self) -> None:
        try:
            undo(self._steps)
        except OSError as error:
            failure = TargetError(
                f"cannot restore the previous files of {self.folder}: {error.strerror or error}; "
                f"it holds files of the old and the new set, {self._stage} holds the rest, "
                "and the next publication restores the old set first"
            )
            failure.errno = error.errno
            raise failure from error
        self._steps = []

    def _final_path(self, name: str) -> str:
        """Return the path to write for a file name; follow a symbolic link within the folder."""
        path = os.path.join(self._real, checked_name(name))
        if not os.path.islink(path):
            return path
        with _map_errors("write", self.folder, name):
            expect_no_outside_link(path)
        final = os.path.realpath(path)
        with _map_errors("write", self.folder, name):
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
            self._created_folders.append(path)

    def _release(self) -> None:
        self._lock.release()
        if not self._is_swapped:
            for path in reversed(self._created_folders):
                with suppress(OSError):
                    path.rmdir()


class DryRun(FolderTarget):
    """Target that simulates a publication to a folder: a :class:`urlset.publisher.Target`.

    Files are staged in a temporary folder, and never published. Nothing in the target folder is
    changed, not even a lock or the remains of a killed publication. It need not exist and may be
    read-only, and another process may publish to it meanwhile.
    """

    def __enter__(self) -> DryRun:
        self._expect_no_file()
        self._scratch = LockedTempDir()
        self._staging = Path(self._scratch.path)
        return self

    def __exit__(self, *_: object) -> None:
        if self._staging is not None:
            self._scratch.close()

    def names(self) -> list[str]:
        """Return the names of the files in the folder, sorted, without hidden ones."""
        return super().names() if self.folder.exists() else []

    def stage(self, name: str, data: DocumentBytes) -> None:
        """Write a file to the temporary folder."""
        path = self._stage / f"{checked_name(name)}.put"
        try:
            path.write_bytes(data)
        except OSError as error:
            raise TargetError(
                f"cannot stage {name} in {path.parent}: "
                f"{error.strerror or error}; set TMPDIR to another folder"
            ) from error
        self._staged_paths[name] = str(path)

    def swap(self, names: Sequence[str], retired: Sequence[str]) -> None:
        """Check the arguments of a swap, and change nothing."""
        check_swap(names, retired, self._staged_paths)


def _created(path: str, flags: int) -> int:
    return os.open(path, flags, MODE)


def _bytes_of(path: str) -> bytes:
    with open(path, "rb", buffering=0) as file:
        return file.read()


def _copy_permissions(staged: Path, final: Path) -> None:
    """Copy permissions and, where permitted, the owner of the replaced file to the staged one."""
    if os.name != "nt":
        old, new = final.stat(), staged.stat()
        if (old.st_uid, old.st_gid) != (new.st_uid, new.st_gid):
            with suppress(PermissionError):
                os.chown(staged, -1, old.st_gid)
                os.chown(staged, old.st_uid, -1)
    shutil.copymode(final, staged)


@contextmanager
def _map_errors(what: str, folder: Path, name: str = "") -> Iterator[None]:
    """Raise errors of the operating system as :class:`urlset.TargetError`."""
    try:
        yield
    except TargetError:
        raise
    except OSError as error:
        path = folder / name
        reason = error.strerror or str(error)
        if isinstance(error, NotADirectoryError):
            reason = "a folder above it is a file; name another folder"
        elif isinstance(error, PermissionError):
            reason = f"{reason}; change the permissions, or name another folder"
        failure = TargetError(
            f"cannot {what} {path}: {reason}; what was published before is unchanged"
        )
        failure.errno = error.errno  # without strerror: with both, str() would show nothing else
        raise failure from error
