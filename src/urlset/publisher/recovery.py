"""Cleans up after publications that were killed: what they had begun is undone, and taken away."""

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

from urlset.publisher.journal import Step, intact, read_journal, sync_folder, undo

__all__ = ["STALE_S", "make_staging", "recover"]

STALE_S = 86_400
"""Seconds after which a staging folder of another machine is a leftover of a killed process."""

_OURS = re.compile(r"\..+-([0-9a-f]{6})([0-9a-f]{6})-[^-]+\.new", re.DOTALL)


def make_staging(folder: Path, label: str) -> Path:
    """Make the folder, closed to others, in which a publication of this machine prepares."""
    prefix = f".{label}-{''.join(_machine())}-"
    return Path(tempfile.mkdtemp(prefix=prefix, suffix=".new", dir=folder))


def recover(folder: Path, label: str, *, is_alone: bool) -> None:
    """Undo and remove what killed publications left in a folder.

    ``is_alone`` says that no other process of this machine publishes into it: what is of this
    machine is a leftover, then, and a swap that was begun is undone (unless somebody has changed
    its files since). What another machine left, on a network file system, goes after a day.
    Raises ``OSError`` where a swap cannot be undone.
    """
    # Of names alone, until one is ours: there may be thousands of files, and each a Path is slow.
    for name in sorted(os.listdir(folder)):
        found = _OURS.fullmatch(name)
        if found is None and not _is_old_style(name, label):
            continue
        path = folder / name
        with suppress(FileNotFoundError):
            here = path.lstat()
            if not stat.S_ISDIR(here.st_mode):
                continue
            if is_alone and found is not None and _is_of_here(found):
                # Beware: another user's journal could name any file of ours.
                if os.name == "nt" or here.st_uid == os.geteuid():
                    _take_back(path)
                shutil.rmtree(path, ignore_errors=True)
            elif time.time() - here.st_mtime > STALE_S:
                shutil.rmtree(path, ignore_errors=True)


def _take_back(staging: Path) -> None:
    steps = read_journal(staging)
    # A journal may come from a cloned repository: it may only move files of its own folder.
    if not all(_is_within(staging, step) for step in steps):
        return
    if steps and intact(steps):
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
    """Two names of this machine: of the host, and of the running kernel.

    A host keeps its name when it starts anew, a container shares the kernel, and with it the
    locks, of its neighbours and successors.
    """
    try:
        kernel = Path("/proc/sys/kernel/random/boot_id").read_bytes()
    except OSError:
        kernel = b""
    host = socket.gethostname().encode()
    return _digest(host), _digest(kernel.strip() or host)


def _digest(data: bytes) -> str:
    return blake2b(data, digest_size=3).hexdigest()


def _is_of_here(found: re.Match[str]) -> bool:
    host, kernel = _machine()
    return found[1] == host or found[2] == kernel


def _is_old_style(name: str, label: str) -> bool:
    return name.startswith(f".{label}-") and name.endswith(".new")
