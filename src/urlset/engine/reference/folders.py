"""List the pages and folders in a folder."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from typing import Literal

from urlset.engine import ListedFile


def list_folder(path: str, endings: Sequence[str]) -> tuple[list[str], list[ListedFile]]:
    """List the visible names of a folder, and its folders and pages; see `urlset.engine.Engine`."""
    with os.scandir(path) as entries:
        visible = [entry for entry in entries if not entry.name.startswith(".")]
    # Note: a name may contain bytes that are not UTF-8; names are sorted by their bytes.
    visible.sort(key=lambda entry: os.fsencode(entry.name))
    ends = tuple(endings)
    rows = [_listed(entry, is_page=entry.name.lower().endswith(ends)) for entry in visible]
    return [entry.name for entry in visible], [row for row in rows if row is not None]


def _listed(entry: os.DirEntry[str], *, is_page: bool) -> ListedFile | None:
    is_link = entry.is_symlink()
    try:
        if entry.is_dir():
            return entry.name, is_link, "folder", 0, 0, None
        if not is_page:
            return None
        found = entry.stat()
    except OSError:
        return (entry.name, is_link, None, 0, 0, None) if is_page else None
    size, modified, inode = found.st_size, found.st_mtime_ns, found.st_ino
    # Without inode numbers, one file may replace another unnoticed.
    state = f"{size} {modified} {found.st_ctime_ns} {inode}" if inode else None
    kind: Literal["file", "other"] = "file" if stat.S_ISREG(found.st_mode) else "other"
    return entry.name, is_link, kind, size, modified, state
