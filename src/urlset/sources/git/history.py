"""Parse the history of a repository, and find the last change of each file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

__all__ = ["LOG", "Commit", "FileChange", "History", "commits"]

LOG = (
    "log", "-z", "--format=%x02%h %H %cI", "--name-status", "-c", "--root",
    "--find-renames=100%",  # by the hash of the content only: no file is compared
    "--no-ext-diff", "--no-textconv", "--no-color", "--no-decorate", "--no-notes", "HEAD", "--",
)  # fmt: skip
"""Arguments of git for one pass over the history. Of a merge it lists what differs from both
parents, which is what was changed in it.

The date is the committer's. The author's may be months older than the publication of the change,
and merging, cloning or filtering keeps both dates.
"""

_STATUS = re.compile(rb"[ACDMRTUX]+|[RC]\d+")
_DATE = re.compile(rb"(?:19[7-9]|20\d)\d-\d\d-\d\dT\d\d:\d\d:\d\d(?:Z|[+-]\d\d:\d\d)")


class FileChange(NamedTuple):
    """A change of a path, with git's letter for it; ``previous_path`` only if it was moved."""

    status: str
    path: bytes
    previous_path: bytes | None = None


class Commit(NamedTuple):
    """A commit: short and full hash, date in W3C form (None if invalid), and changes."""

    short: str
    name: str
    date: str | None
    changes: list[FileChange]


def commits(tokens: Iterable[bytes]) -> Iterator[Commit]:
    """Parse the output of :data:`LOG`, split at zero bytes, into commits.

    A path may contain any byte but zero, so only its position distinguishes it from a status.
    """
    commit: Commit | None = None
    remaining = iter(tokens)
    for token in remaining:
        text = token.lstrip(b"\n")
        if text.startswith(b"\x02"):
            if commit is not None:
                yield commit
            commit = _commit(text)
        elif commit is not None and _STATUS.fullmatch(text):
            path = next(remaining, b"")
            is_rename = text[1:].isdigit()
            change = (
                FileChange(text[:1].decode(), next(remaining, b""), path) if is_rename else None
            )
            commit.changes.append(change or FileChange(text[:1].decode(), path))
    if commit is not None:
        yield commit


def _commit(text: bytes) -> Commit:
    short, name, date = (*text[1:].split(b" ", 2), b"", b"")[:3]
    found = _DATE.fullmatch(date)
    w3c = date.decode().replace("+00:00", "Z") if found else None
    return Commit(short.decode("ascii", "replace"), name.decode("ascii", "replace"), w3c, [])


@dataclass
class History:
    """Reads commits, newest first, until each file has its date or cannot have one.

    Attributes:
        wanted: The current paths of the files.
        pages: The paths of pages, of which a bulk commit changes a large share.
        boundary: The first commits of a shallow clone, which seem to add every file.
        bulk_share: A commit that changes more than this share of ``pages``
        bulk_least: and at least this number of them is ignored.
        dates: The dates found, by current path.
        cut_off: Number of files last changed before the history of a shallow clone.
        bulk: Descriptions of the bulk commits.
        only_bulk: Number of files that only bulk commits changed.
    """

    wanted: set[bytes]
    pages: set[bytes]
    boundary: frozenset[str]
    bulk_share: float
    bulk_least: int
    dates: dict[bytes, str] = field(default_factory=dict)
    cut_off: int = 0
    bulk: list[str] = field(default_factory=list)
    only_bulk: int = 0

    def __post_init__(self) -> None:
        self._current = {path: path for path in self.wanted}
        """Path at the time of a commit → current path, for the files without a date so far."""

    def read(self, history: Iterable[Commit]) -> None:
        """Process commits, newest first; stop when each file is done."""
        for commit in history:
            if commit.name in self.boundary:
                self._stop_at(commit)
            else:
                self._apply(commit)
            if not self._current:
                return

    def _apply(self, commit: Commit) -> None:
        is_bulk = self._is_bulk(commit)
        moved: dict[bytes, bytes] = {}
        for status, path, previous_path in commit.changes:
            current_path = self._current.get(path)
            if current_path is None:
                continue
            if status == "R" and previous_path is not None:
                moved[previous_path] = self._current.pop(path)
            elif not is_bulk:
                del self._current[path]
                if commit.date is not None:
                    self.dates[current_path] = commit.date
            elif status == "A":
                del self._current[path]
                self.only_bulk += 1
        self._current.update(moved)

    def _stop_at(self, commit: Commit) -> None:
        for change in commit.changes:
            if self._current.pop(change.path, None) is not None:
                self.cut_off += 1

    def _is_bulk(self, commit: Commit) -> bool:
        if len(commit.changes) < self.bulk_least:
            return False
        touched = sum(
            status != "R" and self._current.get(path, path) in self.pages
            for status, path, _ in commit.changes
        )
        if touched < self.bulk_least or touched <= self.bulk_share * len(self.pages):
            return False
        day = (commit.date or "")[:10]
        self.bulk.append(f"{commit.short} of {day} touches {touched:,} of {len(self.pages):,}")
        return True
