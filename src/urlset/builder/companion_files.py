"""What lies beside the sitemaps: the style sheet, and the lines of robots.txt."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from urlset.atomic import AtomicFile, expect_no_outside_link, expect_replaceable, write_error_reason
from urlset.builder.options import BuildOptions
from urlset.builder.publish import Published
from urlset.engine import Engine
from urlset.errors import TargetError
from urlset.protocol import MAX_BYTES
from urlset.publisher import Target
from urlset.writer import stylesheet
from urlset.writer.robots_txt import with_sitemaps

__all__ = ["check_robots", "named_urls", "stage_companion_files", "stale_notes", "write_robots"]

# What other generators call their files, beside the forms of the name of ours.
_OTHERS = ("sitemap_index.xml", "sitemap-index.xml")

_PROBE = "https://example.com/sitemap.xml"


def stage_companion_files(published: Published, settings: BuildOptions, target: Target) -> None:
    """Stage the style sheet, where it is ours and not there yet."""
    name = stylesheet.file_of(settings.stylesheet)
    data = stylesheet.to_write(target.read(name)) if name else None
    if name and data is not None:
        target.stage(name, data)
        published.besides.append(name)


def stale_notes(
    published: Published, settings: BuildOptions, engine: Engine, target: Target
) -> list[str]:
    """Sentences about sitemaps of other tools that lie beside those of the set, and stay there.

    Search engines that know their addresses go on reading them. The same document in another
    packing is none of them.
    """
    name = settings.name
    forms = [f"{name}.xml", f"{name}.txt", *(_OTHERS if name == "sitemap" else ())]
    ours = {*published.names, *published.retired, *published.orphans, *published.besides}
    there = set(target.names()) - ours
    found = [form for one in forms for form in (one, f"{one}.gz") if form in there]
    return [
        f"{one} is of another tool, and stays beside this set, where it may still be read; "
        "remove it"
        for one in found
        if not _is_same_document(one, published, engine, target)
    ]


def _is_same_document(name: str, published: Published, engine: Engine, target: Target) -> bool:
    twin = name.removesuffix(".gz") if name.endswith(".gz") else f"{name}.gz"
    if twin not in published.names:
        return False
    documents = [
        data if not one.endswith(".gz") else engine.gunzip(data, MAX_BYTES)
        for one in (name, twin)
        if (data := target.read(one)) is not None
    ]
    return len(documents) == 2 and documents[0] == documents[1]


def check_robots(path: Path, urls: Sequence[str] = (_PROBE,), *, place: str) -> None:
    """Tell what would keep robots.txt from being written, before anything is published.

    ``urls`` are those that it is to name. ``place`` is what is published to, whose folder may
    come with the first publication. Raises :class:`urlset.TargetError`.
    """
    try:
        folder = path.parent
        expect_no_outside_link(path)
        expect_replaceable(path)
        if not folder.is_dir():
            if os.path.abspath(folder) != os.path.abspath(place):
                raise FileNotFoundError
        elif not os.access(folder, os.W_OK):
            raise PermissionError(None, f"its folder {str(folder)!r} may not be written")
        with_sitemaps(path.read_bytes() if path.exists() else None, urls)
    except OSError as error:
        words = str(error) if isinstance(error, TargetError) else write_error_reason(path, error)
        raise TargetError(f"cannot write {path}: {words}; nothing was published") from error


def write_robots(published: Published, settings: BuildOptions) -> bool:
    """Have robots.txt name the indexes, between markers; tells whether it had to be changed.

    It is written after the publication, so that it never names what is not there.
    """
    path = settings.robots
    assert path is not None  # it was asked for
    urls = named_urls(published, settings)
    try:
        before = path.read_bytes() if path.exists() else None
        after = with_sitemaps(before, urls)
        if after == before:
            return False
        _replace(path, after)
    except OSError as error:
        if isinstance(error, TargetError):
            raise
        raise TargetError(
            f"cannot write {path}: {write_error_reason(path, error)}; the sitemaps are published"
        ) from error
    return True


def named_urls(published: Published, settings: BuildOptions) -> list[str]:
    """The URLs that robots.txt is to name: of the indexes, or else of the only file."""
    return [settings.base + file.name for file in published.indexes or published.files]


def _replace(path: Path, data: bytes) -> None:
    staged = AtomicFile(path, is_locked=True)
    try:
        with os.fdopen(staged.descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        staged.commit()
    finally:
        staged.discard()
