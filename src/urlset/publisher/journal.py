"""Journal of the file moves of a swap, so that any process can roll an unfinished swap back."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, Self

__all__ = [
    "Step",
    "apply",
    "is_untouched",
    "read_journal",
    "sync_files",
    "sync_folder",
    "undo",
    "write_journal",
]

_JOURNAL = "swap.json"
_WAITERS = 8

Mark = tuple[int, int]
"""Size in bytes and modification time in ns, which identify a state of a file."""


class Step(NamedTuple):
    """Move of one file in a swap.

    Attributes:
        final: Path of the published file.
        staged: Path of the new file; None to remove the published one.
        backup: Path to which the old file is moved.
        before: Mark of the old file; None if there is none.
        after: Mark of the new file; None if there is none.
    """

    final: Path
    staged: Path | None
    backup: Path
    before: Mark | None
    after: Mark | None

    @classmethod
    def of(cls, final: Path, staged: Path | None, backup: Path) -> Self:
        """Create a step with the current marks of its files."""
        after = None if staged is None else _mark(staged)
        return cls(final, staged, backup, _mark(final), after)


def apply(step: Step) -> None:
    """Execute a step; between two system calls, ``final`` is either the old file or the new one."""
    if step.staged is None:
        os.replace(step.final, step.backup)
        return
    if step.before is not None:
        _link(step.final, step.backup)
    os.replace(step.staged, step.final)


def undo(steps: Sequence[Step]) -> None:
    """Restore the old files, last step first; steps not executed, or already undone, are skipped.

    It depends on the files on disk only, so that it can be interrupted and repeated.
    """
    for step in reversed(steps):
        if step.staged is None:
            if os.path.lexists(step.backup) and not os.path.lexists(step.final):
                os.replace(step.backup, step.final)
        elif os.path.lexists(step.staged):
            continue
        elif os.path.lexists(step.backup):
            os.replace(step.backup, step.final)
        elif step.before is None:
            step.final.unlink(missing_ok=True)


def is_untouched(steps: Sequence[Step]) -> bool:
    """Return whether the files of the steps were not changed by others since."""
    return all(
        _mark(step.final) in (step.before, *(() if _is_staged(step) else (step.after,)))
        for step in steps
    )


def write_journal(folder: Path, steps: Sequence[Step]) -> Path:
    """Write the steps of a swap to its staging folder, synced to disk; return the path."""
    path = folder / _JOURNAL
    from_here = cache(lambda there: os.path.relpath(there, folder))

    def named(path: Path) -> str:
        return os.path.join(from_here(os.path.dirname(path)), os.path.basename(path))

    rows = [
        {
            "final": named(step.final),
            "staged": step.staged and step.staged.name,
            "backup": named(step.backup),
            "before": step.before,
            "after": step.after,
        }
        for step in steps
    ]
    with open(path, "x", encoding="utf-8") as file:
        file.write(json.dumps({"steps": rows}))  # implemented in C, unlike json.dump
        file.flush()
        os.fsync(file.fileno())
    sync_folder(folder)
    return path


def read_journal(folder: Path) -> list[Step]:
    """Return the steps of an unfinished swap; an empty list if there is none."""
    # Note: steps are executed only after the complete journal is on disk; ignore a partial one.
    with suppress(OSError, ValueError, KeyError, TypeError):
        rows = json.loads((folder / _JOURNAL).read_text(encoding="utf-8"))["steps"]
        return [_step(folder, row) for row in rows]
    return []


def sync_files(paths: Sequence[str]) -> None:
    """Sync files to disk.

    Several at once, after all are written: the disk then writes many together instead of one
    after another.
    """
    with ThreadPoolExecutor(_WAITERS) as pool:
        for _ in pool.map(_sync, [paths[n::_WAITERS] for n in range(_WAITERS)]):
            pass


def _sync(paths: Sequence[str]) -> None:
    for path in paths:
        # Windows syncs writable files only; on other systems a file may be read-only by now.
        descriptor = os.open(path, os.O_RDWR if os.name == "nt" else os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def sync_folder(folder: str | Path) -> None:
    """Sync a folder, so that renames survive a power failure, where folders can be synced."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _step(folder: Path, row: dict[str, Any]) -> Step:
    return Step(
        Path(os.path.normpath(folder / row["final"])),
        None if row["staged"] is None else folder / row["staged"],
        folder / row["backup"],
        _pair(row["before"]),
        _pair(row["after"]),
    )


def _pair(value: list[int] | None) -> Mark | None:
    return None if value is None else (int(value[0]), int(value[1]))


def _is_staged(step: Step) -> bool:
    return step.staged is not None and os.path.lexists(step.staged)


def _mark(path: Path) -> Mark | None:
    try:
        found = path.lstat()
    except FileNotFoundError:
        return None
    return found.st_size, found.st_mtime_ns


def _link(path: Path, other: Path) -> None:
    """Create a hard link; copy the file if the file system has no links."""
    try:
        os.link(path, other)
    except OSError:
        shutil.copy2(path, other)
