"""What lies beside the sitemaps: the style sheet, and the lines of robots.txt."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from urlset.builder.publishing import Published
from urlset.builder.settings import Settings
from urlset.errors import TargetError
from urlset.publisher import Target
from urlset.writer import stylesheet
from urlset.writer.robots_lines import with_sitemaps

__all__ = ["stage_besides", "write_robots"]


def stage_besides(published: Published, settings: Settings, target: Target) -> None:
    """Stage the style sheet, where it is ours and not there yet."""
    name = stylesheet.file_of(settings.stylesheet)
    data = stylesheet.to_write(target.read(name)) if name else None
    if name and data is not None:
        target.put(name, data)
        published.besides.append(name)


def write_robots(published: Published, settings: Settings) -> bool:
    """Have robots.txt name the indexes, between markers; tells whether it had to be changed.

    It is written after the publication, so that it never names what is not there.
    """
    path = settings.robots
    assert path is not None  # it was asked for
    urls = [settings.base + file.name for file in published.indexes or published.files]
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
            f"cannot write {path}: {error.strerror or error}; the sitemaps are published"
        ) from error
    return True


def _replace(path: Path, data: bytes) -> None:
    staged = path.with_name(f".{path.name}.new")  # what was killed leaves one file at most
    try:
        with open(staged, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(staged, path.stat().st_mode if path.exists() else 0o644)
        os.replace(staged, path)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(staged)
