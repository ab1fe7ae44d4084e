"""Extract the sitemaps of a git revision, such as ``HEAD~1:public/``, to a folder."""

from __future__ import annotations

import os
import re
from typing import NamedTuple, get_args

from urlset.errors import SourceError
from urlset.formats.detect import SourceKind, has_sitemap_ending
from urlset.http import without_secrets
from urlset.protocol import READ_LIMIT
from urlset.sources.git.repository import GitError, read_blobs, run_git

_REVISION = re.compile(r"([^:\0-\x1f-][^:\0-\x1f]+):([^\0]*)")
_MODES = (b"100644", b"100755", b"100664")
"""Modes of files; links and submodules are not followed."""


class Revision(NamedTuple):
    """A revision of git and a path in it, as the user names them."""

    commit: str
    path: str

    def __str__(self) -> str:
        """Return the name as git writes it."""
        return f"{self.commit}:{self.path}"


def split_revision(name: str) -> Revision | None:
    """Return the parts of ``REVISION:PATH``; None for other names, such as URLs.

    >>> split_revision("HEAD~1:public/")
    Revision(commit='HEAD~1', path='public/')
    >>> split_revision("https://example.com/"), split_revision("C:/public")
    (None, None)
    """
    found = _REVISION.fullmatch(name)
    if found is None or found[2].startswith("//"):
        return None
    return Revision(found[1], found[2])


def extract_revision(revision: Revision, folder: str) -> str:
    """Write the sitemaps of a revision below a folder; return the path of the file or folder.

    The path is relative to the root of the repository, as in git; ``./`` makes it relative to the
    working directory. Nothing that the repository configures is run, and no object is fetched.

    Raises:
        SourceError: Git is missing, or does not find the revision or the path.
    """
    path = revision.path.rstrip("/")
    try:
        kind, name = _object(revision.commit, path)
        if kind == b"tree":
            _write_tree(name, folder)
            return folder
        if kind != b"blob" or revision.path.endswith("/"):
            raise SourceError(f"expected a file or a folder at {str(revision)!r}, found neither")
        # With the files next to it, because an index lists some of them.
        above, _, file = path.rpartition("/")
        _write_tree(_object(revision.commit, above)[1], folder, file)
        return os.path.join(folder, file)
    except GitError as error:
        reason = error.reason or "git finds no such revision or path"
        expected = "expected a file, a folder or REVISION:PATH of git"
        message = f"{expected}, found {without_secrets(str(revision))!r}: {reason}"
        # A source of a build may state its kind: crawl:site.duckdb.
        if revision.commit in get_args(SourceKind) and os.path.exists(revision.path):
            message += f"; name the file as {revision.path!r}"
        raise SourceError(message, failure="missing") from error


def _object(commit: str, path: str) -> tuple[bytes, str]:
    """Return the kind (tree, blob) and the hash of the git object at a path of a commit."""
    shown = "./" if path == "." else path
    name = run_git(".", "rev-parse", "--verify", "--quiet", f"{commit}:{shown}").strip().decode()
    return run_git(".", "cat-file", "-t", name).strip(), name


def _write_tree(name: str, folder: str, wanted: str = "") -> None:
    """Write the files of a git tree that may be sitemaps, and the file ``wanted``, to a folder."""
    listed = run_git(".", "ls-tree", "-r", "-z", "--full-tree", name)
    paths: list[bytes] = []
    names: list[bytes] = []
    for row in filter(None, listed.split(b"\0")):
        facts, _, path = row.partition(b"\t")
        mode, _, identifier = facts.split(b" ")
        shown = path.decode("utf-8", "replace")
        is_sitemap = has_sitemap_ending(shown.rpartition("/")[2]) or shown == wanted
        if mode in _MODES and is_sitemap and _is_safe(path):
            paths.append(path)
            names.append(identifier)
    for path, data in zip(paths, read_blobs(".", names, READ_LIMIT), strict=True):
        target = os.path.join(folder, os.fsdecode(path))
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "xb") as file:
            file.write(data)


def _is_safe(path: bytes) -> bool:
    """Return whether a path of a git tree cannot leave the folder it is written to."""
    text = os.fsdecode(path)
    parts = text.split("/")
    return not (
        {"", ".", ".."} & set(parts)
        or os.path.isabs(text)
        or (os.name == "nt" and re.search(r"[\\:]", text))
    )
