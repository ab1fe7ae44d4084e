"""Tracked files of a working tree, and which of them have uncommitted changes.

``git status`` and ``git diff-files`` run the filters that a repository configures, so the index is
compared with the files in Python.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import IO, NamedTuple

from urlset.sources.git.repository import run_git, stream_git

SUBMODULE = b"160000"
_FILES = (b"100644", b"100755")
_LINK = b"120000"
_LEADS = 5  # lines of --debug after a path
_STATE = re.compile(
    rb"\s++ctime: (\d{1,20}):(\d{1,10})\n\s++mtime: (\d{1,20}):(\d{1,10})\n"
    rb"[^\n]*+\n[^\n]*+\n\s++size: (\d{1,20})\s++flags: ([0-9a-f]{1,16})"
)
_ASSUMED_UNCHANGED = 0x8000 | 1 << 30  # --assume-unchanged, --skip-worktree
_SIZE_MASK = (1 << 32) - 1
_PIECE_SIZE = 1 << 20


class IndexEntry(NamedTuple):
    """Entry of the index: mode, hash of the content, and what ``lstat`` returned when it was added.

    The times are in nanoseconds; ``state`` is None if git does not print it.
    """

    mode: bytes
    name: bytes
    state: tuple[int, int, int] | None = None
    is_assumed_unchanged: bool = False


def tracked_files(root: str) -> dict[bytes, IndexEntry]:
    """Return the entries of the index by path."""
    return _entries(stream_git(root, "ls-files", "-z", "--stage", "--debug"))


def uncommitted(root: str, tracked: Mapping[bytes, IndexEntry]) -> set[bytes]:
    """Return the tracked paths that have uncommitted changes; no filter is run."""
    options = ("-z", "--name-only", "--no-ext-diff", "--ignore-submodules=all", "--no-renames")
    staged = set(stream_git(root, "diff-index", "--cached", *options, "HEAD", "--"))
    written = _time_of_index(root)
    return staged | {
        path for path, entry in tracked.items() if _is_changed(root, path, entry, written)
    }


def _entries(tokens: Iterable[bytes]) -> dict[bytes, IndexEntry]:
    """Parse entries: ``mode hash stage<TAB>path<NUL>`` and lines about it, without a separator."""
    found: dict[bytes, IndexEntry] = {}
    path = b""
    for token in tokens:
        rest = token
        if path:
            lines = token.split(b"\n", _LEADS)
            rest = lines[_LEADS] if len(lines) > _LEADS else b""
            if known := _STATE.match(token):
                flags = int(known[6], 16)
                seconds, more, changed, ns, size = map(int, known.groups()[:5])
                state = seconds * 10**9 + more, changed * 10**9 + ns, size
                found[path] = found[path]._replace(
                    state=state, is_assumed_unchanged=bool(flags & _ASSUMED_UNCHANGED)
                )
        about, _, path = rest.partition(b"\t")
        if path:
            mode, name, _ = about.split(b" ")
            found[path] = IndexEntry(mode, name)
    return found


def _time_of_index(root: str) -> int:
    """Return when the index was written; entries as new as that may have changed since."""
    path = os.fsdecode(run_git(root, "rev-parse", "--git-path", "index").removesuffix(b"\n"))
    try:
        return os.stat(os.path.join(root, path)).st_mtime_ns
    except OSError:
        return 0


def _is_changed(root: str, path: bytes, entry: IndexEntry, written: int) -> bool:
    if entry.mode == SUBMODULE or entry.is_assumed_unchanged:
        return False
    full = os.path.join(os.fsencode(root), path)
    try:
        status = os.lstat(full)
        state = status.st_ctime_ns, status.st_mtime_ns, status.st_size & _SIZE_MASK
        if entry.state == state and status.st_mtime_ns < written:
            return False
        if entry.mode == _LINK:
            return not os.path.islink(full) or not _has_content(entry, os.readlink(full))
        if entry.mode not in _FILES or os.path.islink(full) or not os.path.isfile(full):
            return True
        return not _is_file_of(entry, full)
    except OSError:
        return True


def _has_content(entry: IndexEntry, content: bytes) -> bool:
    digest = _digest(entry, len(content))
    digest.update(content)
    return bool(digest.hexdigest().encode() == entry.name)


def _is_file_of(entry: IndexEntry, path: bytes) -> bool:
    """Return whether a file has the content of an entry, whatever its line ends are."""
    with open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        digest = _digest(entry, size)
        returns = 0
        is_after_return = False
        # Not more than its size: a file of /proc behind a link of a folder has no end.
        for piece in _pieces(file, size):
            digest.update(piece)
            returns += piece.count(b"\r\n") + (is_after_return and piece.startswith(b"\n"))
            is_after_return = piece.endswith(b"\r")
        if digest.hexdigest().encode() == entry.name:
            return True
        if not returns:
            return False
        file.seek(0)
        digest = _digest(entry, size - returns)
        rest = b""
        for read in _pieces(file, size):
            piece = rest + read
            rest = piece[-1:] if piece.endswith(b"\r") else b""
            digest.update(piece[: len(piece) - len(rest)].replace(b"\r\n", b"\n"))
        digest.update(rest)
    return bool(digest.hexdigest().encode() == entry.name)


def _pieces(file: IO[bytes], size: int) -> Iterator[bytes]:
    while size > 0 and (piece := file.read(min(size, _PIECE_SIZE))):
        size -= len(piece)
        yield piece


def _digest(entry: IndexEntry, size: int) -> hashlib._Hash:
    digest = hashlib.new("sha256" if len(entry.name) == 64 else "sha1", usedforsecurity=False)
    digest.update(b"blob %d\0" % size)
    return digest
