"""Write the CSS style sheet of the sitemaps, and the Sitemap lines of robots.txt."""

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

__all__ = [
    "check_robots",
    "other_tool_notes",
    "sitemap_urls",
    "stage_companion_files",
    "write_robots",
]

# File names of other generators, in addition to the variants of the name of this set.
_OTHER_TOOL_NAMES = ("sitemap_index.xml", "sitemap-index.xml")

_PROBE = "https://example.com/sitemap.xml"


def stage_companion_files(published: Published, settings: BuildOptions, target: Target) -> None:
    """Stage the bundled style sheet, if the set uses it and it is not published yet."""
    name = stylesheet.local_file_name(settings.stylesheet)
    data = stylesheet.updated_content(target.read(name)) if name else None
    if name and data is not None:
        target.stage(name, data)
        published.companions.append(name)


def other_tool_notes(
    published: Published, settings: BuildOptions, engine: Engine, target: Target
) -> list[str]:
    """Return notes about sitemaps of other tools that remain in the folder of the set.

    Search engines that know their addresses continue to read them. The same document with another
    compression is not reported.
    """
    name = settings.name
    forms = [f"{name}.xml", f"{name}.txt", *(_OTHER_TOOL_NAMES if name == "sitemap" else ())]
    ours = {*published.names, *published.retired, *published.orphans, *published.companions}
    existing = set(target.names()) - ours
    names = [form for one in forms for form in (one, f"{one}.gz") if form in existing]
    return [
        f"{one} was written by another tool and remains next to this set, where it may still "
        "be read; remove it"
        for one in names
        if not _is_same_document(one, published, engine, target)
    ]


def _is_same_document(name: str, published: Published, engine: Engine, target: Target) -> bool:
    other = name.removesuffix(".gz") if name.endswith(".gz") else f"{name}.gz"
    if other not in published.names:
        return False
    documents = [
        data if not one.endswith(".gz") else engine.gunzip(data, MAX_BYTES)
        for one in (name, other)
        if (data := target.read(one)) is not None
    ]
    return len(documents) == 2 and documents[0] == documents[1]


def check_robots(path: Path, urls: Sequence[str] = (_PROBE,), *, target_name: str) -> None:
    """Check that robots.txt can be written, before anything is published.

    Args:
        path: The robots.txt.
        urls: The URLs that it will list.
        target_name: Where the set is published; its folder may be created by the first publication.

    Raises:
        urlset.TargetError: The file cannot be written.
    """
    try:
        folder = path.parent
        expect_no_outside_link(path)
        expect_replaceable(path)
        if not folder.is_dir():
            if os.path.abspath(folder) != os.path.abspath(target_name):
                raise FileNotFoundError
        elif not os.access(folder, os.W_OK):
            raise PermissionError(None, f"its folder {str(folder)!r} may not be written")
        with_sitemaps(path.read_bytes() if path.exists() else None, urls)
    except OSError as error:
        reason = str(error) if isinstance(error, TargetError) else write_error_reason(path, error)
        raise TargetError(f"cannot write {path}: {reason}; nothing was published") from error


def write_robots(published: Published, settings: BuildOptions) -> bool:
    """List the indexes in robots.txt, between markers; return whether the file changed.

    It is written after the publication, so that it never lists a missing file.
    """
    path = settings.robots
    assert path is not None  # only called if the option is set
    urls = sitemap_urls(published, settings)
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


def sitemap_urls(published: Published, settings: BuildOptions) -> list[str]:
    """Return the URLs to list in robots.txt: of the indexes, or else of the only file."""
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
