"""Keep what a fix replaces: a copy beside each file, unless git has it."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from urlset.errors import TargetError
from urlset.sources.git.command import GitError, run_git

__all__ = ["Backups", "needed"]

ENDING = ".bak"
"""No folder is searched for sitemaps with this ending, so that no backup counts as one."""

MAX_BACKUPS = 1_000


class Backups:
    """The copies that one run makes; :meth:`discard` removes them where the run fails."""

    def __init__(self) -> None:
        self.made: list[Path] = []

    def keep(self, path: Path) -> Path:
        """Keep a file under another name; return that.

        The first of ``NAME.bak``, ``NAME.bak2``, … that is free: none is ever replaced. Raises
        :class:`urlset.TargetError` where the file cannot be kept.
        """
        for number in range(1, MAX_BACKUPS):
            backup = path.with_name(f"{path.name}{ENDING}{'' if number == 1 else number}")
            try:
                _copy(path, backup)
            except FileExistsError:
                continue
            except OSError as error:
                raise TargetError(
                    f"cannot keep a copy of {path}: {error.strerror or error}; nothing was "
                    "written; --no-backup writes without one"
                ) from error
            self.made.append(backup)
            return backup
        raise TargetError(
            f"cannot keep a copy of {path}: {MAX_BACKUPS - 1} older ones lie beside it; remove "
            "them, or use --no-backup"
        )

    def discard(self) -> None:
        """Remove the copies again: what they are copies of was not replaced."""
        for backup in self.made:
            with suppress(OSError):
                backup.unlink()


def _copy(path: Path, backup: Path) -> None:
    """Link the file under a second name, which costs no space; copy it where that cannot be.

    The fixed file is another one that takes the first name, so that the link keeps the old bytes,
    their owner and their time.
    """
    try:
        os.link(path, backup)
    except FileExistsError:
        raise
    except OSError:
        with open(path, "rb") as source, open(backup, "xb") as target:
            try:
                shutil.copyfileobj(source, target)
            except OSError:
                backup.unlink(missing_ok=True)
                raise
        shutil.copystat(path, backup)


def are_in_git(path: Path, data: bytes) -> bool:
    """Tell whether the index of a git repository has exactly these bytes for a file.

    What is committed or staged can be had back, what is untracked, ignored or changed cannot.
    """
    try:
        listed = run_git(str(path.parent), "ls-files", "-s", "-z", "--", _literal(path.name))
    except GitError:
        return False
    blob = b"blob %d\0%s" % (len(data), data)
    hashes = {hashlib.sha1(blob).hexdigest(), hashlib.sha256(blob).hexdigest()}
    known = [entry.split()[1].decode() for entry in listed.split(b"\0") if entry.count(b" ") >= 2]
    return bool(hashes & set(known))


def _literal(name: str) -> str:
    """A name for git in which no character is a pattern."""
    return f":(literal){name}"


def needed(files: Sequence[tuple[Path, bytes | None]], wanted: bool | None) -> list[Path]:
    """Return the files to be kept before they are replaced.

    ``wanted`` says all or none; None those whose bytes git does not have.
    """
    if wanted is False:
        return []
    return [
        path
        for path, before in files
        if before is not None and (wanted or not are_in_git(path, before))
    ]
