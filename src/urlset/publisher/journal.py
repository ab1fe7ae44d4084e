"""What a swap does, step by step, written down first: so that it can be undone, by anybody."""

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
    "intact",
    "read_journal",
    "sync_files",
    "sync_folder",
    "take",
    "undo",
    "write_journal",
]

_JOURNAL = "swap.json"
_WAITERS = 8

Mark = tuple[int, int]
"""Size in bytes and time of the last change in ns: what tells one state of a file from another."""


class Step(NamedTuple):
    """One file moved: where it stands, the new one (None: taken away), where the old one waits.

    ``before`` and ``after`` are the marks of the old and the new one, None where there is none.
    """

    final: Path
    staged: Path | None
    backup: Path
    before: Mark | None
    after: Mark | None

    @classmethod
    def of(cls, final: Path, staged: Path | None, backup: Path) -> Self:
        """Plan a step, from what lies there."""
        after = None if staged is None else _mark(staged)
        return cls(final, staged, backup, _mark(final), after)


def take(step: Step) -> None:
    """Do a step; between two system calls, ``final`` is either the old file or the new one."""
    if step.staged is None:
        os.replace(step.final, step.backup)
        return
    if step.before is not None:
        _link(step.final, step.backup)
    os.replace(step.staged, step.final)


def undo(steps: Sequence[Step]) -> None:
    """Put back what stood there, last step first; what was not done, or was undone, is left.

    It looks at nothing but the disk, so that it can be interrupted and done again.
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


def intact(steps: Sequence[Step]) -> bool:
    """Tell whether nobody has touched what the steps have moved, or would have."""
    return all(
        _mark(step.final) in (step.before, *(() if _is_staged(step) else (step.after,)))
        for step in steps
    )


def write_journal(folder: Path, steps: Sequence[Step]) -> Path:
    """Write the plan of a swap into its staging folder, on the disk for good."""
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
        file.write(json.dumps({"steps": rows}))  # in C, which json.dump is not
        file.flush()
        os.fsync(file.fileno())
    sync_folder(folder)
    return path


def read_journal(folder: Path) -> list[Step]:
    """The steps of a swap that was begun; none where it was not, or was completed."""
    # Beware: steps are taken only after the whole journal is on the disk. Half of one is none.
    with suppress(OSError, ValueError, KeyError, TypeError):
        rows = json.loads((folder / _JOURNAL).read_text(encoding="utf-8"))["steps"]
        return [_step(folder, row) for row in rows]
    return []


def sync_files(paths: Sequence[str]) -> None:
    """Wait until files are on the disk for good.

    All at the end, and several at once: the disk then writes many in one go, where it would be
    waited for after each.
    """
    with ThreadPoolExecutor(_WAITERS) as pool:
        for _ in pool.map(_sync, [paths[n::_WAITERS] for n in range(_WAITERS)]):
            pass


def _sync(paths: Sequence[str]) -> None:
    for path in paths:
        # Windows syncs only what may be written to; elsewhere a file may be read-only by then.
        descriptor = os.open(path, os.O_RDWR if os.name == "nt" else os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def sync_folder(folder: str | Path) -> None:
    """Make renames last through a power cut, where folders can be synced at all."""
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
    """Give a file a second name; where the file system knows no links, copy it."""
    try:
        os.link(path, other)
    except OSError:
        shutil.copy2(path, other)
