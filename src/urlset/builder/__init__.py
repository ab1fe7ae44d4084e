"""Builds the sitemaps of a site from whatever its owner has, and rewrites only what changed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from urlset.builder.inputs import (
    InputOptions,
    as_tuple,
    infer_base_url,
    open_inputs,
    parse_duration,
    parse_evidence,
)
from urlset.builder.options import EVIDENCE, GATES, BuildOptions, Filter, Gate, Rewrite
from urlset.builder.pipeline import LEDGER, Pipeline
from urlset.builder.reports import Excluded
from urlset.builder.result import Build, BuiltFile
from urlset.protocol import MAX_BYTES, MAX_URLS
from urlset.publisher import CACHE_CONTROL, Encoding
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
    filters: str | Filter | Iterable[str | Filter] = (),
    rewrites: str | Rewrite | Iterable[str | Rewrite] = (),
    obey_robots: StrPath | None = None,
    lastmod: str | Iterable[str] | None = None,
    sections: str | Iterable[str] = (),
    gzip: bool = False,
    max_urls: int = MAX_URLS,
    max_bytes: int = MAX_BYTES,
    name: str = "sitemap",
    pattern: str | None = None,
    format: Literal["xml", "text"] = "xml",
    index: Literal["auto", "always", "section"] = "auto",
    stylesheet: str | None = None,
    on_error: Literal["raise", "skip"] = "raise",
    ledger: StrPath | None = None,
    trust_mtime: bool = True,
    adopt: bool = False,
    compact: bool = False,
    robots: StrPath | None = None,
    changes: StrPath | None = None,
    excluded: StrPath | None = None,
    hosts: str | Iterable[str] = (),
    min_share: float = 0.5,
    force: Gate | Iterable[Gate] = (),
    grace: str | timedelta = timedelta(0),
    cache_control: str | None = CACHE_CONTROL,
    encoding: Encoding | None = None,
    dry_run: bool = False,
    why: str | Iterable[str] = (),
    now: datetime | None = None,
    progress: Callable[[str], None] | None = None,
    engine: str | None = None,
) -> Build:
    r"""Build the sitemaps of a site, publish them, and remember in a ledger what was published.

    ``sources`` is what the command ``urlset build`` takes, as ``str`` or ``Path``: a folder of
    HTML, a list of URLs, CSV, JSON lines, Parquet, Arrow, SQLite, DuckDB, an access log, a
    sitemap, a site or a database by its URL, a pattern (``"data/*.csv"``); with options of its
    own, a dict of ``path``, ``kind``, ``map``, ``query``, ``table`` and ``delimiter``. It is also
    a table in memory (polars, pandas, pyarrow, DuckDB), what :func:`urlset.read` gave, an iterable
    of :class:`urlset.Entry` or dicts as :func:`urlset.write` takes them, a source of
    :mod:`urlset.sources`, or a list of any of these (a ``str`` in a list names a source). The
    first source that gives a URL decides what is said of it.

    ``target`` is a folder or a bucket (``s3://…``), ``base_url`` its address: by default the root
    of the site of the first URL.

    Options of sources:

    - ``map``: columns of tables, ``"loc=url,lastmod=updated_at"`` or a dict.
    - ``query``, ``query_timeout_s``: rows of a database or of a file; the seconds that a query over
      a file may take, None for no limit.
    - ``table``, ``delimiter``: a table of several; the separator of cells of CSV.
    - ``strip_html``, ``trailing_slash``: how pages of a folder are served: ``about.html`` as
      ``/about``; folders and pages with a slash at the end, or without.
    - ``with_``: what is taken from pages, too: ``"images,alternates"``, ``["videos", "news"]``.
    - ``git_root``, ``git_paths``: the folder in git that pages are built from, and patterns for
      the file of a page in it (``"posts/{page}.txt"``).
    - ``keep_parameters``, ``min_hits``: query parameters of a log that make another page; how
      often a URL of a log must have been there.
    - ``policy``, ``auth``, ``cache``: how sites are fetched; see :func:`urlset.read`.

    Options of URLs and dates:

    - ``filters``: ``"drop:/private/"``, ``"keep:…"``; the first that matches counts.
    - ``rewrites``: ``"PATTERN=>TEXT"``, one after another, before all else.
    - ``obey_robots``: the robots.txt whose rules for all crawlers are obeyed.
    - ``lastmod``: where dates may come from, the best first: ``"git,page"``, or a list of
      ``given``, ``page``, ``git``, ``content``, ``header``, ``mtime`` and ``created``; ``"none"``
      for no dates.
    - ``on_error``: ``"raise"`` at an entry that may not be written, or ``"skip"`` it.

    Options of files and of publishing: ``sections``, ``gzip``, ``max_urls``, ``max_bytes``,
    ``name``, ``pattern``, ``format``, ``index``, ``stylesheet``, ``ledger``, ``trust_mtime``,
    ``adopt``, ``compact``, ``robots``, ``changes``, ``excluded``, ``hosts``, ``min_share``,
    ``force``, ``grace`` (also ``"36h"``, ``"7d"``), ``cache_control``, ``encoding``, ``dry_run``,
    ``why`` and ``now`` are those of :class:`urlset.builder.BuildOptions`. ``progress`` is called
    with a
    sentence now and then.

    What was published and did not change is not written again. A URL stays in its file while it
    lives. Its ``lastmod`` comes from the first of ``lastmod`` that knows one, and from nowhere
    else. Nothing is published before all of it was read back and has passed the gates; then the
    files take their places, the index last.

    Raises :class:`urlset.SourceError` for a source that cannot be read,
    :class:`urlset.EntryError` for an entry that may not be written (``on_error="skip"`` leaves it
    out), :class:`urlset.GateError` for a set that looks like an accident,
    :class:`urlset.TargetError` and :class:`urlset.StoreError` for what cannot be written,
    ``ValueError`` for options that cannot be meant, and ``TypeError`` for what is no source.

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
        sections=as_tuple(sections),
        filters=tuple(Filter.of(f) if isinstance(f, str) else f for f in as_tuple(filters)),
        rewrites=tuple(Rewrite.of(r) if isinstance(r, str) else r for r in as_tuple(rewrites)),
        lastmod=EVIDENCE if evidence is None else evidence,
        on_error=on_error,
        ledger=_path(ledger),
        trust_mtime=trust_mtime,
        stylesheet=stylesheet,
        robots=_path(robots),
        obey_robots=_path(obey_robots),
        changes=_path(changes),
        excluded=_path(excluded),
        why=as_tuple(why),
        cache_control=cache_control,
        encoding=encoding,
        grace=parse_duration(grace),
        min_share=min_share,
        hosts=as_tuple(hosts),
        force=frozenset(as_tuple(force)),
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
        with_=tuple(word.strip() for text in as_tuple(with_) for word in text.split(",")),
        git_root=None if git_root is None else os.fspath(git_root),
        git_paths=as_tuple(git_paths),
        keep_parameters=as_tuple(keep_parameters),
        min_hits=min_hits,
        lastmod=evidence,
        sections=as_tuple(sections),
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
"""Stands for the base URL until the first URL is known, so that options are checked before."""


def _path(given: StrPath | None) -> Path | None:
    return None if given is None else Path(given)
