"""Builds the sitemaps of a site from whatever its owner has, and rewrites only what changed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from urlset.builder.job import LEDGER, Job
from urlset.builder.result import Build, BuiltFile
from urlset.builder.settings import EVIDENCE, GATES, Filter, Rewrite, Settings
from urlset.sources import Source

__all__ = [
    "EVIDENCE",
    "GATES",
    "LEDGER",
    "Build",
    "BuiltFile",
    "Filter",
    "Rewrite",
    "Settings",
    "build",
]

_PATHS = frozenset({"ledger", "robots", "obey_robots", "changes"})


def build(
    sources: Source | Iterable[Source],
    target: str | os.PathLike[str],
    *,
    base_url: str,
    progress: Callable[[str], None] | None = None,
    **options: Any,
) -> Build:
    """Build the sitemaps of a site, publish them, and remember in a ledger what was published.

    ``sources`` are those of :mod:`urlset.sources`: the first that gives a URL decides what is
    said of it. ``target`` is a folder or a bucket (``s3://…``), ``base_url`` its address. The
    other options are the fields of :class:`urlset.builder.Settings`, by name; paths may be text.

    What was published and did not change is not written again. A URL stays in its file while it
    lives. Its ``lastmod`` comes from the first of ``lastmod`` that knows one, and from nowhere
    else. Nothing is published before all of it was read back and has passed the gates; then the
    files take their places, the index last.

    Raises :class:`urlset.SourceError` for a source that cannot be read,
    :class:`urlset.EntryError` for an entry that may not be written (``on_error="skip"`` leaves it
    out), :class:`urlset.GateError` for a set that looks like an accident,
    :class:`urlset.TargetError` and :class:`urlset.StoreError` for what cannot be written, and
    ``ValueError`` for options that cannot be meant.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from urlset.sources import Candidate, Rows
    >>> pages = [Candidate("/"), Candidate("/about", lastmod_text="2026-11-02")]
    >>> with TemporaryDirectory() as folder:
    ...     ledger = Path(folder, "ledger.duckdb")
    ...     out = Path(folder, "public")
    ...     first = build(Rows(pages), out, base_url="https://example.com/", ledger=ledger)
    ...     again = build(Rows(pages), out, base_url="https://example.com/", ledger=ledger)
    >>> first.urls, [file.name for file in first.changed_files], again.changed_files
    (2, ['sitemap.xml'], ())
    """
    listed = list(sources) if isinstance(sources, Iterable) else [sources]
    for name in _PATHS & options.keys():
        options[name] = None if options[name] is None else Path(options[name])
    settings = Settings(base_url, **options)
    return Job(listed, os.fspath(target), settings, progress).run()
