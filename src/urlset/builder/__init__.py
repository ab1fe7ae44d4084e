"""Build the sitemaps of a site from pages, tables, logs or sitemaps; rewrite only changed files."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from urlset.arguments import checked_arguments
from urlset.builder.inputs import (
    InputOptions,
    as_tuple,
    infer_base_url,
    open_inputs,
    parse_duration,
    parse_evidence,
)
from urlset.builder.options import EVIDENCE, GATES, BuildOptions, Filter, Gate, Rewrite
from urlset.builder.pipeline import Pipeline
from urlset.builder.result import Build, BuiltFile, Excluded
from urlset.model import ProgressEvent
from urlset.option_schema import LEDGER, Encoding, FileFormat, IndexMode, OnError
from urlset.protocol import MAX_BYTES, MAX_URLS
from urlset.publisher import CACHE_CONTROL
from urlset.reader.filters import Patterns, pattern_texts
from urlset.sources.memory import InMemorySource
from urlset.store import QUERY_S

if TYPE_CHECKING:
    from urlset.http import Policy

__all__ = [
    "EVIDENCE",
    "GATES",
    "LEDGER",
    "Build",
    "BuildOptions",
    "BuiltFile",
    "Excluded",
    "Filter",
    "Rewrite",
    "build",
]

StrPath = str | os.PathLike[str]


@checked_arguments
def build(
    sources: Any,
    target: StrPath,
    *,
    base_url: str | None = None,
    map: Mapping[str, str] | str | None = None,
    query: str | None = None,
    query_timeout_s: float | None = QUERY_S,
    table: str | None = None,
    delimiter: str | None = None,
    strip_html: bool = False,
    trailing_slash: bool | None = None,
    with_: str | Iterable[str] = (),
    git_root: StrPath | None = None,
    git_paths: str | Iterable[str] = (),
    keep_parameters: str | Iterable[str] = (),
    min_hits: int | None = None,
    policy: Policy | None = None,
    auth: str | tuple[str, str] | None = None,
    cache: StrPath | None = None,
    include: Patterns = (),
    exclude: Patterns = (),
    filters: str | Filter | Iterable[str | Filter] = (),
    rewrites: str | Rewrite | Iterable[str | Rewrite] = (),
    exclude_by_robots: StrPath | None = None,
    lastmod: str | Iterable[str] | None = None,
    sections: str | Iterable[str] = (),
    gzip: bool = False,
    max_urls: int = MAX_URLS,
    max_bytes: int = MAX_BYTES,
    name: str = "sitemap",
    pattern: str | None = None,
    format: FileFormat = "xml",
    index: IndexMode = "auto",
    stylesheet: str | None = None,
    on_error: OnError = "raise",
    ledger: StrPath | None = None,
    trust_mtime: bool = True,
    adopt: bool = False,
    compact: bool = False,
    robots: StrPath | None = None,
    changes: StrPath | None = None,
    excluded: StrPath | None = None,
    allowed_hosts: str | Iterable[str] = (),
    min_share: float = 0.5,
    force: Gate | Iterable[Gate] = (),
    grace: str | timedelta = timedelta(0),
    cache_control: str | None = CACHE_CONTROL,
    encoding: Encoding | None = None,
    dry_run: bool = False,
    why: str | Iterable[str] = (),
    now: datetime | None = None,
    progress: Callable[[ProgressEvent], None] | None = None,
    engine: str | None = None,
) -> Build:
    r"""Build the sitemaps of a site, publish them, and record them in a ledger.

    Unchanged files are not written again. A URL keeps its file while it exists. Its ``lastmod``
    comes from the first evidence in ``lastmod`` that has a date, and from nowhere else. All files
    are read back and checked by the gates before anything is published. Then the files are
    swapped in, the index last.

    Args:
        sources: The inputs, as for the command ``urlset build``, as ``str`` or ``Path``: a folder
            of HTML, a list of URLs, CSV, JSON lines, Parquet, Arrow, SQLite, DuckDB, an access
            log, a sitemap, the URL of a site or a database, a pattern (``"data/*.csv"``). A dict
            with ``path``, ``kind``, ``map``, ``query``, ``table`` and ``delimiter`` has its own
            options. Also a table in memory (polars, pandas, pyarrow, DuckDB), the result of
            :func:`urlset.read`, an iterable of :class:`urlset.Entry` or dicts as for
            :func:`urlset.write`, a source of :mod:`urlset.sources`, or a list of any of these (a
            ``str`` in a list names a source). The values of a URL come from the first source
            that lists it.
        target: The folder or bucket (``s3://…``) to publish to.
        base_url: The address of the target. Default: the root of the site of the first URL.
        map: Columns of tables: ``"loc=url,lastmod=updated_at"`` or a dict.
        query: Rows of a database or a file.
        query_timeout_s: Maximum seconds of a query over a file; None for no limit.
        table: The table to read, if there are several.
        delimiter: The separator of CSV cells.
        strip_html: Whether ``about.html`` is served as ``/about``.
        trailing_slash: Whether folders and pages are served with a slash at the end.
        with_: Extensions to read from pages: ``"images,alternates"``, ``["videos", "news"]``.
        git_root: The folder in git from which the pages are built.
        git_paths: Patterns for the file of a page in git (``"posts/{page}.txt"``).
        keep_parameters: Query parameters of a log that identify different pages.
        min_hits: How often a log must contain a URL.
        policy: How sites are fetched; see :func:`urlset.read`, as for ``auth`` and ``cache``.
        include: Regular expression (RE2), or several; only URLs that contain a match are listed.
        exclude: Regular expression (RE2), or several; URLs that contain a match are excluded.
        filters: Rules in order, after ``include`` and ``exclude``: ``"drop:/private/"``,
            ``"keep:…"``; the first match counts.
        rewrites: ``"PATTERN=>TEXT"``, applied in order, before everything else.
        exclude_by_robots: The robots.txt whose rules exclude URLs.
        lastmod: Evidence for dates, best first: ``"git,page"``, or a list of ``given``, ``page``,
            ``git``, ``content``, ``header``, ``mtime`` and ``created``; ``"none"`` for no dates.
        on_error: ``"raise"`` at an invalid entry, or ``"skip"`` it.
        grace: How long removed files stay: a timedelta, or a text such as ``"36h"``, ``"7d"``.
        progress: Callback with the number of URLs read, then of files written.

    The other options (``sections``, ``gzip``, ``max_urls``, ``max_bytes``, ``name``, ``pattern``,
    ``format``, ``index``, ``stylesheet``, ``ledger``, ``trust_mtime``, ``adopt``, ``compact``,
    ``robots``, ``changes``, ``excluded``, ``allowed_hosts``, ``min_share``, ``force``,
    ``cache_control``, ``encoding``, ``dry_run``, ``why``, ``now`` and ``engine``) are those of
    :class:`urlset.builder.BuildOptions`.

    Returns:
        The files, the number of changed URLs, and the excluded URLs with reasons.

    Raises:
        urlset.SourceError: A source cannot be read.
        urlset.EntryError: An entry is invalid (``on_error="skip"`` excludes it).
        urlset.GateError: The set looks like an accident.
        urlset.TargetError: A file cannot be written.
        urlset.StoreError: The ledger cannot be written.
        ValueError: An option has an invalid value.
        TypeError: An input is not a source.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     urls, out = Path(folder, "urls.txt"), Path(folder, "public")
    ...     _ = urls.write_text("https://example.com/\nhttps://example.com/drafts/1\n")
    ...     ledger = Path(folder, "ledger.duckdb")
    ...     first = build(urls, out, filters="drop:/drafts/", lastmod="git,page", ledger=ledger)
    ...     again = build(urls, out, filters="drop:/drafts/", lastmod="git,page", ledger=ledger)
    >>> first.urls, [file.name for file in first.changed_files], again.changed_files
    (1, ['sitemap.xml'], ())
    """
    evidence = None if lastmod is None else parse_evidence(lastmod)
    settings = BuildOptions(
        _ANY_BASE if base_url is None else base_url,
        gzip=gzip,
        format=format,
        max_urls=max_urls,
        max_bytes=max_bytes,
        name=name,
        pattern=pattern,
        index=index,
        sections=as_tuple(sections, "sections"),
        include=pattern_texts(include),
        exclude=pattern_texts(exclude),
        filters=tuple(
            Filter.of(f) if isinstance(f, str) else f for f in as_tuple(filters, "filters")
        ),
        rewrites=tuple(
            Rewrite.of(r) if isinstance(r, str) else r for r in as_tuple(rewrites, "rewrites")
        ),
        lastmod=EVIDENCE if evidence is None else evidence,
        on_error=on_error,
        ledger=_path(ledger),
        trust_mtime=trust_mtime,
        stylesheet=stylesheet,
        robots=_path(robots),
        exclude_by_robots=_path(exclude_by_robots),
        changes=_path(changes),
        excluded=_path(excluded),
        why=as_tuple(why, "why"),
        cache_control=cache_control,
        encoding=encoding,
        grace=parse_duration(grace),
        min_share=min_share,
        allowed_hosts=as_tuple(allowed_hosts, "allowed_hosts"),
        force=frozenset(as_tuple(force, "force")),
        compact=compact,
        adopt=adopt,
        dry_run=dry_run,
        engine=engine,
        **({} if now is None else {"now": now}),
    )
    options = InputOptions(
        base_url=base_url,
        map=map,
        query=query,
        query_timeout_s=query_timeout_s,
        table=table,
        delimiter=delimiter,
        strip_html=strip_html,
        trailing_slash=trailing_slash,
        with_=tuple(word.strip() for text in as_tuple(with_, "with_") for word in text.split(",")),
        git_root=None if git_root is None else os.fspath(git_root),
        git_paths=as_tuple(git_paths, "git_paths"),
        keep_parameters=as_tuple(keep_parameters, "keep_parameters"),
        min_hits=min_hits,
        lastmod=evidence,
        sections=as_tuple(sections, "sections"),
        on_error=on_error,
        engine=engine,
        policy=policy,
        auth=auth,
        cache=None if cache is None else os.fspath(cache),
    )
    found = list(open_inputs(sources, options))
    place = os.fspath(target)
    if base_url is None:
        base_url, based = infer_base_url(found, place)
        settings = replace(settings, base_url=base_url)
    else:
        based = found
    for source in found:
        if isinstance(source, InMemorySource):
            source.base_url = base_url
    return Pipeline(based, place, settings, progress).run()


_ANY_BASE = "https://example.com/"
"""Placeholder for the base URL until the first URL is known, so that options are checked first."""


def _path(value: StrPath | None) -> Path | None:
    return None if value is None else Path(value)
