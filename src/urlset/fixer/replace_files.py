"""Writes mended documents where they lay: staged, read back, compared, and swapped in."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

from urlset.atomic import is_outside_link
from urlset.document import parse
from urlset.errors import TargetError
from urlset.fixer.backups import Backups, needed
from urlset.fixer.container import open_container
from urlset.fixer.fix_set import FixedDocument
from urlset.protocol import READ_LIMIT
from urlset.publisher import FolderTarget

__all__ = ["Written", "replace_files", "write_fixed"]


class Written(NamedTuple):
    """A file that was replaced, and the copy of what it held; None where none was kept."""

    path: Path
    backup: Path | None


def write_fixed(
    documents: Iterable[FixedDocument], robots: Path | None = None, *, backup: bool | None = None
) -> list[Path]:
    """Write documents of files in place of those files; give back the paths.

    Links are followed within their folder: what they lead to is written, with its permissions.
    All of a folder appear at once, indexes last, or none. ``robots`` is the file of the
    robots.txt, if that is among them. What is replaced is kept as ``NAME.bak``: by default where
    git does not have it, always with ``backup=True``, never with ``False``. Raises
    :class:`urlset.TargetError` where a file cannot be written or kept, is a link that leads out
    of its folder, or was changed by somebody else since it was read.
    """
    return [written.path for written in replace_files(documents, robots, backup)]


def replace_files(
    documents: Iterable[FixedDocument], robots: Path | None, backup: bool | None
) -> list[Written]:
    """Do the same, and tell where the copies are."""
    folders: dict[Path, list[tuple[str, FixedDocument]]] = defaultdict(list)
    for document in documents:
        path = _path_of(document, robots)
        folders[path.parent].append((path.name, document))
    written: list[Written] = []
    with ExitStack() as stack:
        stages = [
            (stack.enter_context(FolderTarget(folder, "urlset-fix")), files)
            for folder, files in folders.items()
        ]
        for stage, files in stages:
            for name, document in files:
                _stage(stage, name, document)
        for stage, files in sorted(stages, key=lambda pair: _has_index(pair[1])):
            written += _swap(stage, sorted(files, key=lambda file: _is_index(file[1])), backup)
    return written


def _swap(
    stage: FolderTarget, files: list[tuple[str, FixedDocument]], backup: bool | None
) -> list[Written]:
    """Keep the old files of a folder, and let the new ones take their places."""
    backups = Backups()
    olds = [(stage.folder / name, document.before) for name, document in files]
    try:
        kept = {path: backups.keep(path) for path in needed(olds, backup)}
        for name, document in files:
            _expect_unchanged(stage, name, document)
        stage.swap([name for name, _ in files], ())
    except BaseException:
        backups.discard()
        raise
    return [Written(path, kept.get(path)) for path, _ in olds]


def _path_of(document: FixedDocument, robots: Path | None) -> Path:
    key = document.key
    if isinstance(key, str) and os.path.isabs(key):
        if is_outside_link(document.name):
            raise TargetError(
                f"cannot write {document.name}: it is a link that leads out of its folder; "
                f"name the file itself: {key}"
            )
        return Path(os.path.realpath(key))
    if isinstance(key, str) and key.endswith("/robots.txt") and robots is not None:
        if is_outside_link(robots):
            raise TargetError(f"cannot write {robots}: it is a link that leads out of its folder")
        return Path(os.path.realpath(robots))
    raise TargetError(f"expected a file to write to, found {document.name or 'bytes'}")


def _stage(stage: FolderTarget, name: str, document: FixedDocument) -> None:
    """Put a file beside, and see that it can be read as what it is to be."""
    _expect_unchanged(stage, name, document)
    stage.stage(name, document.after)
    back = stage.read_staged(name)
    raw = open_container(back, READ_LIMIT, None).raw
    if back != document.after or raw != document.text_after[: len(raw)]:
        raise TargetError(
            f"cannot write {stage.folder / name}: what was written cannot be read again; "
            "nothing was changed"
        )
    if parse(raw).kind in ("unknown", "html", "template") and not name.endswith("robots.txt"):
        raise TargetError(f"cannot write {stage.folder / name}: it would be no sitemap")


def _expect_unchanged(stage: FolderTarget, name: str, document: FixedDocument) -> None:
    if stage.read(name) != document.before:
        words = "lies there already" if document.before is None else "was changed meanwhile"
        raise TargetError(f"cannot write {stage.folder / name}: it {words}; nothing was written")


def _is_index(document: FixedDocument) -> bool:
    return b"<sitemapindex" in document.text_after[:4096]


def _has_index(files: list[tuple[str, FixedDocument]]) -> bool:
    return any(_is_index(document) for _, document in files)
