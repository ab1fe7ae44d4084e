"""Open the inputs of a build as sources: paths, URLs, patterns, tables and rows in memory.

The command and :func:`urlset.build` both open their sources here, so that both accept the same.
"""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from urlset.arrow import is_arrow, is_series, lazy_advice
from urlset.arrow.batches import column_values
from urlset.builder.options import EXTENSIONS, BuildOptions, expect_query_or_table
from urlset.builder.resolve import filter_sql
from urlset.builder.sections import FileNames
from urlset.errors import SourceError
from urlset.model import Entry
from urlset.option_names import option
from urlset.own_files import expect_own_files
from urlset.reader import Entries
from urlset.sources import (
    Candidate,
    CandidateRows,
    RowVersion,
    Sitemaps,
    Source,
    SourceOptions,
    open_source,
)
from urlset.sources.candidates import source_type_of
from urlset.sources.factory import FailedSource, expand_pattern, merge_logs, split_kind
from urlset.sources.memory import InMemorySource
from urlset.writer.stylesheet import local_file_name

_OF_SOURCE = ("path", "kind", "map", "query", "table", "delimiter")


def open_inputs(inputs: Any, options: BuildOptions) -> Iterator[Source]:
    """Open one input or several inputs as sources.

    Raises TypeError for an input that is no source, SourceError if one cannot be opened. With
    ``on_error="skip"`` that is a source without rows that reports a failure.
    """
    for source in merge_logs(_open_each(_as_inputs(inputs), options)):
        if source_type_of(source) == "crawl":
            crawled: Any = source
            crawled.excluded = filter_sql(options, "url")
        yield source


def _open_each(inputs: Iterable[Any], options: BuildOptions) -> Iterator[Source]:
    for item in inputs:
        _expect_no_series(item)
        if isinstance(item, (str, os.PathLike, Mapping)):
            table = item if isinstance(item, Mapping) else {"path": os.fspath(item)}
            yield from _open_named(table, options)
        elif isinstance(item, Entries):
            yield Sitemaps(item, fail_fast=options.on_error == "raise")
        elif isinstance(item, _Rows):
            yield _in_memory(item.rows, options)
        elif is_arrow(item):
            yield _in_memory(item, options)
        elif hasattr(item, "batches"):
            yield item
        else:
            raise TypeError(
                "expected a path, a URL, a source, a table, or an iterable of entries, "
                f"found {type(item).__name__}{lazy_advice(item)}"
            )


def _expect_no_series(value: object) -> None:
    """Raise ``TypeError`` for a series: its URLs would be read as sites."""
    if type(value).__name__ == "Series" and is_series(value):
        raise TypeError("expected a table, found Series; .to_frame('loc') of it is a table")


def _as_inputs(inputs: Any) -> Iterable[Any]:
    """Return the inputs as a list of sources; rows (entries, dicts with ``loc``) are one source."""
    _expect_no_series(inputs)
    if isinstance(inputs, (str, os.PathLike)) or is_arrow(inputs) or hasattr(inputs, "batches"):
        return [inputs]
    if isinstance(inputs, Mapping):
        return [_Rows([inputs])] if _is_row(inputs) else [inputs]
    if isinstance(inputs, (bytes, bytearray, Entry, Candidate)) or not isinstance(inputs, Iterable):
        raise TypeError(
            "expected a path, a URL, a source, a table, or a list of them, found "
            f"{type(inputs).__name__}{lazy_advice(inputs) or '; pass a single entry in a list'}"
        )
    items = iter(inputs)
    first = next(items, None)
    if first is None:
        return [_Rows([])]  # the gate `zero` decides
    everything = chain([first], items)
    if isinstance(first, Candidate):
        return [CandidateRows(everything)]
    return [_Rows(everything)] if _is_row(first) else everything


class _Rows(NamedTuple):
    """Entries and dicts that are one source."""

    rows: Iterable[Any]


def _in_memory(rows: Any, options: BuildOptions) -> Source:
    return InMemorySource(
        rows,
        base_url=options.base_url,
        mapping=options.map,
        keep=options.kept_columns,
        engine=options.engine,
    )


def _is_row(item: Any) -> bool:
    return isinstance(item, Entry) or (isinstance(item, Mapping) and "path" not in item)


def _open_named(table: Mapping[str, Any], options: BuildOptions) -> Iterator[Source]:
    """Open the sources that a path, a pattern or a URL names."""
    unknown = sorted(set(table) - set(_OF_SOURCE))
    if unknown or "path" not in table:
        raise ValueError(
            f"expected a source with the keys {', '.join(_OF_SOURCE)}, "
            f"found {', '.join(unknown) or 'no path'}"
        )
    expect_query_or_table(table.get("query"), table.get("table"))
    table = {**table, "path": os.fspath(table["path"])}
    name = table["path"]
    try:
        for one in expand_pattern(table):
            yield _opened(one, options)
    except SourceError as error:
        if options.on_error != "skip":
            raise
        yield FailedSource(name, str(error))


def _opened(table: Mapping[str, Any], options: BuildOptions) -> Source:
    try:
        return _source(table, options)
    except SourceError as error:
        if options.on_error != "skip":
            raise
        return FailedSource(table["path"], str(error))


def _source(table: Mapping[str, Any], options: BuildOptions) -> Source:
    source_options = SourceOptions(
        mapping=table.get("map", options.map),
        keep=options.kept_columns,
        query=table.get("query", options.query),
        query_timeout_s=options.query_timeout_s,
        table=table.get("table", options.table),
        delimiter=_delimiter(table.get("delimiter", options.delimiter)),
        kind=table.get("kind"),
        base_url=options.base_url,
        engine=options.engine,
        fail_fast=options.on_error == "raise",
        policy=options.policy,
        auth=options.auth,
        cache=None if options.cache is None else str(options.cache),
        folder={
            "strip_html": options.strip_html,
            "trailing_slash": options.trailing_slash,
            "evidence": options.evidence,
            "engine": options.engine,
            **{name: name in options.with_ for name in EXTENSIONS},
        },
        log={"keep_parameters": options.keep_parameters}
        | ({} if options.min_hits is None else {"min_hits": options.min_hits}),
    )
    source = open_source(table["path"], source_options)
    if source_type_of(source) != "html" or "git" not in options.evidence:
        return source
    place = Path(source.name).resolve()
    is_named = options.lastmod is not None or options.git_root is not None
    # By default, git dates are used only if the folder is in a repository.
    if not is_named and not any((one / ".git").exists() for one in (place, *place.parents)):
        return source
    from urlset.sources.git import GitDatedSource

    root = None if options.git_root is None else str(options.git_root)
    return GitDatedSource(source, source.name, root=root, patterns=options.git_paths)


def _delimiter(text: str | None) -> str | None:
    r"""Validate the separator of cells; ``\t``, as a shell passes it, becomes a tab."""
    mark = "\t" if text == r"\t" else text
    if mark is not None and (len(mark) != 1 or mark in '"\r\n'):
        name = option("delimiter")
        raise ValueError(f"{name}: expected one character such as ;, found {text!r}")
    return mark


_SITEMAP = r"(?i:(?:-.*)?\.(?:xml|txt)(?:\.gz)?)"
"""What follows the name of a set in the names of its files and indexes."""


def expect_own_outputs(sources: Any, target: str, settings: BuildOptions) -> None:
    """Raise ``ValueError`` for an output file that is a source, a sitemap or another one.

    Nothing is read. A robots.txt may also be the one that excludes URLs: only its lines of sitemaps
    change.
    """
    robots = option("robots")
    outputs = {
        robots: settings.robots,
        option("changes"): settings.changes,
        option("excluded"): settings.excluded,
        option("ledger"): settings.ledger,
    }
    files = {name: os.fspath(path) for name, path in outputs.items() if path is not None}
    inputs = list(_paths_of(sources))
    for name, path in files.items():
        names = [os.path.basename(path)] if _may_be_published(path, settings) else []
        others = inputs
        if settings.exclude_by_robots is not None and name != robots:
            others = [*inputs, str(settings.exclude_by_robots)]
        expect_own_files({name: path}, others, target, names)
    expect_own_files(files, ())


def _may_be_published(path: str, settings: BuildOptions) -> bool:
    """Return whether the set may write a file of this name."""
    name = os.path.basename(path)
    return (
        re.fullmatch(re.escape(settings.name) + _SITEMAP, name) is not None
        or FileNames(settings).parse(name) is not None
        or name == local_file_name(settings.stylesheet)
    )


def _paths_of(sources: Any) -> Iterator[str]:
    """Yield the paths of sources: those that patterns match, without prefixes for their kind."""
    several = sources if isinstance(sources, (list, tuple)) else [sources]
    for item in several:
        text = item.get("path") if isinstance(item, Mapping) else item
        if isinstance(text, (str, os.PathLike)):
            _, path = split_kind(os.fspath(text))
            yield os.fspath(text)
            if path is not None:
                yield path
                yield from glob.iglob(path, recursive=True) if glob.has_magic(path) else ()


def infer_base_url(sources: list[Source], target: str) -> tuple[str, list[Source]]:
    """Return the root of the site of the first URL, and the sources, with that URL still in them.

    Raises ``ValueError`` if the first URL is relative, or there is no URL.
    """
    if not sources:
        raise ValueError("expected a source, found none; name a folder, a file or a site")
    peeked: list[Source] = []
    for source in sources:
        first = _PeekedSource(source)
        peeked.append(first)
        loc = first.loc
        if loc is not None:
            break
    failures = [text for source in peeked for text in source.failures]
    if loc is None and failures:
        raise SourceError(f"{failures[0]}; nothing was published")
    split = urlsplit(loc or "")
    if not split.scheme.startswith("http") or not split.netloc:
        flag = option("base_url")
        named = flag if flag == "base_url" else f"base_url ({flag})"
        begin = f"{first.name} begins with {loc!r}" if loc else f"no URL in {sources[0].name}"
        raise ValueError(
            f"expected the URL that {target} is served at, found none, and "
            f"{begin}; set {named}, e.g. https://example.com/"
        )
    host = split.netloc.rpartition("@")[2]  # a URL with a login is refused, with its row
    return f"{split.scheme}://{host}/", [*peeked, *sources[len(peeked) :]]


class _PeekedSource:
    """Source whose first batch was read ahead."""

    def __init__(self, source: Source):
        self.name, self.failures, self.notes = source.name, source.failures, source.notes
        self.table = getattr(source, "table", None)
        self.source_type = source_type_of(source)
        row_version = getattr(source, "row_version", None)
        stated = None if row_version is None else row_version()  # before the rows are read
        self.row_version: Callable[[], RowVersion | None] = lambda: stated
        self._batches = iter(source.batches())
        self._first = next(self._batches, None)

    @property
    def loc(self) -> str | None:
        """The first URL of the source."""
        if self._first is None or not self._first.num_rows:
            return None
        name = "loc" if "loc" in self._first.schema.names else "url"
        found: str | None = column_values(self._first.slice(0, 1), name)[0]
        return found

    def batches(self) -> Iterator[Any]:
        """Return all batches, including the first."""
        return chain([] if self._first is None else [self._first], self._batches)
