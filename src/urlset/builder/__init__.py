"""Build the sitemaps of a site from pages, tables, logs or sitemaps; rewrite only changed files."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from urlset.arguments import checked_arguments
from urlset.builder.inputs import expect_own_outputs, infer_base_url, open_inputs
from urlset.builder.options import (
    EVIDENCE,
    GATES,
    BuildOptions,
    Filter,
    Gate,
    Rewrite,
    parse_duration,
    parse_evidence,
)
from urlset.builder.pipeline import Pipeline
from urlset.builder.result import Build, BuiltFile, Excluded, check_outputs
from urlset.model import ProgressEvent
from urlset.option_names import option
from urlset.option_schema import (
    LEDGER,
    Encoding,
    FileFormat,
    IndexMode,
    OnError,
    StrPath,
    as_tuple,
    settings_of,
)
from urlset.pattern_warnings import warn_of_patterns
from urlset.reader.filters import Patterns, pattern_texts
from urlset.sources.memory import InMemorySource

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
    "build_settings",
]


@checked_arguments
def build(
    sources: Any,
    target: StrPath,
    *,
    # These are generated from urlset.option_schema by `make docs`.
    engine: str | None = None,
    map: Mapping[str, str] | str | None = None,
    query: str | None = None,
    query_timeout_s: float | None = 600.0,
    table: str | None = None,
    delimiter: str | None = None,
    strip_html: bool = False,
    trailing_slash: bool | None = None,
    with_: str | Iterable[str] = (),
    keep_parameters: str | Iterable[str] = (),
    min_hits: int | None = None,
    trust_mtime: bool = True,
    base_url: str | None = None,
    include: Patterns = (),
    exclude: Patterns = (),
    filters: str | Filter | Iterable[str | Filter] = (),
    rewrites: str | Rewrite | Iterable[str | Rewrite] = (),
    exclude_by_robots: StrPath | None = None,
    allowed_hosts: str | Iterable[str] = (),
    git_root: StrPath | None = None,
    git_paths: str | Iterable[str] = (),
    lastmod: str | Iterable[str] | None = None,
    sections: str | Iterable[str] = (),
    gzip: bool = False,
    max_urls: int = 50_000,
    max_bytes: int = 52_428_800,
    name: str = "sitemap",
    name_pattern: str | None = None,
    format: FileFormat = "xml",
    index: IndexMode = "auto",
    include_sitemaps: str | Iterable[str] = (),
    stylesheet: str | None = None,
    ledger: StrPath | None = None,
    adopt: bool = False,
    compact: bool = False,
    robots: StrPath | None = None,
    changes: StrPath | None = None,
    grace: str | timedelta = timedelta(0),
    cache_control: str | None = "max-age=3600",
    encoding: Encoding | None = None,
    dry_run: bool = False,
    why: str | Iterable[str] = (),
    on_error: OnError = "raise",
    excluded: StrPath | None = None,
    min_share: float | str = 0.5,
    max_removed: int | str | None = None,
    force: Gate | Iterable[Gate] = (),
    policy: Policy | None = None,
    auth: str | tuple[str, str] | None = None,
    cache: StrPath | None = None,
    now: datetime | None = None,
    progress: Callable[[ProgressEvent], None] | None = None,
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
        engine: ``native`` or ``reference``; by default the faster one that is installed.
        map: Columns of a table: ``"loc=url,lastmod=updated_at"``, or a dict.
        query: Query over a database, or over a file as the table input.
        query_timeout_s: Maximum seconds of a query over a file; None for no limit.
        table: Table to read from a database file (SQLite, DuckDB) with several tables; a database
            server takes ``query``.
        delimiter: Delimiter of CSV; by default detected from the header.
        strip_html: Whether ``about.html`` is served as ``/about``.
        trailing_slash: Whether pages and folders are served as ``/about/`` and ``/blog/``, or as
            ``/about`` and ``/blog``.
        with_: Extensions to read from pages: ``"images,alternates"``, ``["videos", "news"]``.
        keep_parameters: Query parameters of logs that identify pages, such as ``id``.
        min_hits: Minimum number of successful requests of a URL in logs (1).
        trust_mtime: Skip pages whose file is unchanged by its size and times; the default.
        base_url: The address of the target, against which relative URLs are resolved. Default: the
            root of the site of the first URL.
        include: Regular expression, or several; only URLs that contain a match of one count.
        exclude: Regular expression, or several; URLs that contain a match of one do not count.
        filters: Rules in order, after ``include`` and ``exclude``: ``"drop:/private/"``,
            ``"keep:…"``; the first match counts.
        rewrites: ``"PATTERN=>TEXT"``, applied in order, before everything else.
        exclude_by_robots: Exclude URLs that this robots.txt disallows.
        allowed_hosts: Further hosts whose URLs may be listed.
        git_root: Git folder with the sources of the pages, for their dates.
        git_paths: Paths of the sources of pages in it, such as ``posts/{page}.txt`` or ``{file}``.
        lastmod: Evidence for dates, best first: ``"git,page"``, or a list of ``given``, ``page``,
            ``git``, ``content``, ``header``, ``mtime`` and ``created``; ``"none"`` for no dates.
        sections: ``NAME=PATTERN``, ``column:NAME`` or ``source``; the first match counts.
        gzip: Compress the files, such as sitemap.xml.gz.
        max_urls: Maximum number of URLs in a file (50,000).
        max_bytes: Maximum size of a file in bytes, uncompressed (52,428,800).
        name: Name of the files, without suffix (sitemap).
        name_pattern: Names of several files: ``{name}-{section}-{number:03}``.
        format: Format of the files: sitemaps, or lists of URLs.
        index: Write an index if one is needed (auto), always, or one for each section.
        include_sitemaps: URLs of sitemaps of other systems that the index lists, too, after they
            were read. Of an index, the sitemaps that it lists.
        stylesheet: CSS file that shows the sitemaps as tables in browsers, such as sitemap.css.
        ledger: Record of the published URLs (.urlset/ledger.duckdb).
        adopt: Take over the sitemaps that another tool published in the target.
        compact: Rewrite all files, each as full as possible.
        robots: Update the Sitemap lines of this robots.txt.
        changes: File to which added, changed and removed URLs are written, as JSON lines, when the
            set is published.
        grace: Delete files that are no longer listed after this time: a timedelta, or a text such
            as ``36h`` or ``7d``.
        cache_control: Cache-Control header of files in a bucket (max-age=3600).
        encoding: Content-Encoding header of .xml and .txt files in a bucket.
        dry_run: Report what would be written, without writing.
        why: URLs to explain in :attr:`urlset.builder.Build.why`, without writing.
        on_error: ``raise`` at an invalid entry or unreadable source, without writing; or ``skip``
            it: exclude the entry, and keep what is published of the source.
        excluded: File to which excluded URLs are written, as JSON lines: URL, source, reason.
        min_share: Least number of URLs, as a share of the number that is published: 0.5 or
            ``"50%"``.
        max_removed: Number (100) or share (``"5%"``) of the published URLs that may disappear;
            ``min_share`` compares totals only. None for no limit.
        force: Safety gates to skip: ``zero``, ``shrunk``, ``limits``, ``hosts``, ``unreadable``,
            ``source``.
        policy: Limits and behaviour of the HTTP client (:class:`urlset.Policy`).
        auth: Bearer token, or user and password; sent to the origin of the site only.
        cache: Cache documents of sites in this folder; fetch only those that changed.
        now: Current time; by default the clock's.
        progress: Called with a :class:`urlset.ProgressEvent`: how much was done so far.

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
    settings = build_settings(locals())
    place = os.fspath(target)
    expect_own_outputs(sources, place, settings)
    check_outputs(settings, place)
    found = list(open_inputs(sources, settings))
    if base_url is None:
        base_url, based = infer_base_url(found, place)
        settings = replace(settings, base_url=base_url)
    else:
        based = found
    for source in found:
        if isinstance(source, InMemorySource):
            source.base_url = base_url
    return Pipeline(based, place, settings, progress).run()


def build_settings(arguments: Mapping[str, Any]) -> BuildOptions:
    """Return the settings of a call of :func:`build`: its arguments by name, all of them."""
    settings = settings_of(
        BuildOptions,
        "build",
        arguments,
        include=pattern_texts(arguments["include"]),
        exclude=pattern_texts(arguments["exclude"]),
        filters=_each(arguments["filters"], "filters", Filter),
        rewrites=_each(arguments["rewrites"], "rewrites", Rewrite),
        lastmod=None if arguments["lastmod"] is None else parse_evidence(arguments["lastmod"]),
        with_=tuple(
            word.strip()
            for text in as_tuple(arguments["with_"], "with_")
            for word in text.split(",")
        ),
        grace=parse_duration(arguments["grace"]),
    )
    warn_of_patterns(
        {
            option("include"): settings.include,
            option("exclude"): settings.exclude,
            option("filters"): [rule.pattern for rule in settings.filters],
            option("sections"): [text.partition("=")[2] for text in settings.sections],
        }
    )
    return settings


def _each(given: Any, name: str, kind: type[Filter] | type[Rewrite]) -> tuple[Any, ...]:
    """Return rules, from their texts or as they are."""
    rules = tuple(kind.of(one) if isinstance(one, str) else one for one in as_tuple(given, name))
    for rule in rules:
        if not isinstance(rule, kind):
            raise TypeError(
                f"build(): {name}: expected texts or {kind.__name__} objects, found {rule!r:.200}"
            )
    return rules
