"""Builds the sitemaps of a site from whatever its owner has, and rewrites only what changed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from urlset.builder.job import Job
from urlset.builder.result import Build, BuiltFile
from urlset.builder.settings import EVIDENCE, GATES, Filter, Rewrite, Settings
from urlset.sources import Source

__all__ = [
    "EVIDENCE",
    "GATES",
    "Build",
    "BuiltFile",
    "Filter",
    "Rewrite",
    "Settings",
    "build",
]


def build(
    sources: Iterable[Source],
    target: str | os.PathLike[str],
    settings: Settings,
    *,
    progress: Callable[[str], None] | None = None,
) -> Build:
    """Build."""
    return Job(list(sources), os.fspath(target), settings, progress).run()
