"""Writes mended documents where they lay: staged, read back, compared, and swapped in."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path

from urlset.checker.fixing.sets import FixedDocument
from urlset.checker.fixing.unpacking import opened
from urlset.document import parse
from urlset.errors import TargetError
from urlset.protocol import READ_LIMIT
from urlset.publisher import Staging

__all__ = ["write_fixed"]


def write_fixed(documents: Iterable[FixedDocument], robots: Path | None = None) -> list[Path]:
    """Write documents of files in place of those files; give back the paths.

    Links are followed: what they lead to is written, with its permissions. All of a folder
    appear at once, indexes last, or none. ``robots`` is the file of the robots.txt, if that is
    among them. Raises :class:`urlset.TargetError` where a file cannot be written, or was
    changed by somebody else since it was read.
    """
    folders: dict[Path, list[tuple[str, FixedDocument]]] = defaultdict(list)
    for document in documents:
        path = _path_of(document, robots)
        folders[path.parent].append((path.name, document))
    written: list[Path] = []
    with ExitStack() as stack:
        stages = [
            (stack.enter_context(Staging(folder, "urlset-fix")), files)
            for folder, files in folders.items()
        ]
        for stage, files in stages:
            for name, document in files:
                _stage(stage, name, document)
        for stage, files in sorted(stages, key=lambda pair: _has_index(pair[1])):
            names = [name for name, document in sorted(files, key=lambda f: _is_index(f[1]))]
            stage.swap(names, ())
            written += [stage.folder / name for name in names]
    return written


def _path_of(document: FixedDocument, robots: Path | None) -> Path:
    key = document.key
    if isinstance(key, str) and os.path.isabs(key):
        return Path(os.path.realpath(key))
    if isinstance(key, str) and key.endswith("/robots.txt") and robots is not None:
        return Path(os.path.realpath(robots))
    raise TargetError(f"expected a file to write to, found {document.name or 'bytes'}")


def _stage(stage: Staging, name: str, document: FixedDocument) -> None:
    """Put a file beside, and see that it can be read as what it is to be."""
    if stage.read(name) != document.before:
        words = "lies there already" if document.before is None else "was changed meanwhile"
        raise TargetError(f"cannot write {stage.folder / name}: it {words}; nothing was written")
    stage.put(name, document.after)
    back = stage.staged(name)
    raw = opened(back, READ_LIMIT, None).raw
    if back != document.after or raw != document.text_after[: len(raw)]:
        raise TargetError(
            f"cannot write {stage.folder / name}: what was written cannot be read again; "
            "nothing was changed"
        )
    if parse(raw).kind in ("unknown", "html") and not name.endswith("robots.txt"):
        raise TargetError(f"cannot write {stage.folder / name}: it would be no sitemap")


def _is_index(document: FixedDocument) -> bool:
    return b"<sitemapindex" in document.text_after[:4096]


def _has_index(files: list[tuple[str, FixedDocument]]) -> bool:
    return any(_is_index(document) for _, document in files)
