"""Roll back and remove unfinished publications of killed processes."""

from __future__ import annotations

import os
import re
import shutil
import socket
import stat
import tempfile
import time
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

from urlset.publisher.journal import Step, is_untouched, read_journal, sync_folder, undo

__all__ = ["STALE_S", "make_staging", "recover"]

STALE_S = 86_400
"""Seconds after which a staging folder of another machine counts as abandoned."""

_STAGING_NAME = re.compile(r"\..+-([0-9a-f]{6})([0-9a-f]{6})-[^-]+\.new", re.DOTALL)


def make_staging(folder: Path, label: str) -> Path:
    """Create a staging folder for a publication of this machine, private to the user."""
    prefix = f".{label}-{''.join(_machine())}-"
    return Path(tempfile.mkdtemp(prefix=prefix, suffix=".new", dir=folder))


def recover(folder: Path, label: str, *, is_alone: bool) -> None:
    """Roll back and remove the remains of killed publications in a folder.

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
        if found is None and not _is_old_name(name, label):
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
    # A journal may come from a cloned repository: it may only move files of its own folder.
    if not all(_is_within(staging, step) for step in steps):
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


def _is_old_name(name: str, label: str) -> bool:
    return name.startswith(f".{label}-") and name.endswith(".new")
