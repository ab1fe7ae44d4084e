"""Walk over a folder of a stranger: without links, without hidden folders, to a limited depth."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator

MAX_DEPTH = 200
"""Folders in each other that are searched. An archive can nest thousands."""


def walk(
    top: str, on_error: Callable[[OSError], None] = lambda _: None
) -> Iterator[tuple[str, list[str]]]:
    """Yield each folder with the names of its files, sorted, a folder before those in it.

    Args:
        top: The folder at which the walk starts.
        on_error: Called for each folder that cannot be listed, ``top`` too, or that is too deep
            (``ENAMETOOLONG``); ``filename`` of the error is the folder.
    """
    stack = [(top, 1)]
    while stack:
        path, depth = stack.pop()
        if depth > MAX_DEPTH:
            text = f"more than {MAX_DEPTH} folders deep; not searched"
            on_error(OSError(errno.ENAMETOOLONG, text, path))
            continue
        folders: list[os.DirEntry[str]] = []
        files: list[os.DirEntry[str]] = []
        try:
            with os.scandir(path) as entries:
                for entry in entries:
                    (folders if _is_folder(entry) else files).append(entry)
        except OSError as error:
            on_error(error)
            continue
        yield path, sorted(entry.name for entry in files)
        inner = [each.name for each in folders if each.name[0] != "." and not each.is_symlink()]
        stack += [(os.path.join(path, name), depth + 1) for name in sorted(inner, reverse=True)]


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False
