"""Open the source that a string names (path, URL, ``-``, database URL); expand glob patterns."""

from __future__ import annotations

import fnmatch
import glob
import os
import re
import shutil
import stat
import sys
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, ClassVar, get_args

from urlset.errors import SourceError, StoreError, similar
from urlset.formats.detect import (
    FileHead,
    SourceKind,
    TableForm,
    detect_kind,
    has_names_equal_but_for_case,
    is_json_array,
    read_head,
)
from urlset.option_names import option
from urlset.protocol import READ_LIMIT
from urlset.reader import is_url
from urlset.registry import provided
from urlset.sources.candidates import Source, SourceType, source_type_of
from urlset.sources.sitemaps import Sitemaps
from urlset.sources.tables.column_plan import parse_mapping
from urlset.sources.tables.query import Query
from urlset.sources.tables.table import Table
from urlset.sources.text import TextSource
from urlset.store import QUERY_S, Store
from urlset.temp_files import LockedTempDir, expect_safe_to_read

LARGE = 8 << 20
"""Bytes from which DuckDB reads CSV and JSON lines: ten times as fast, without line numbers."""

_PREFIX = re.compile(r"([a-z]{2,}):(?!//)(.*)", re.DOTALL)
_DATABASE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://", re.ASCII)
# Schemes of buckets and file servers; no database driver has one of these.
_UNSUPPORTED_SCHEMES = frozenset("s3 gs gcs az abfs abfss file ftp ftps sftp ssh git".split())


@dataclass(frozen=True)
class SourceOptions:
    """Options for opening sources; each kind of source uses those that apply to it.

    Attributes:
        mapping: Of tables, as are ``keep``, ``query``, ``query_timeout_s``, ``table`` and
            ``delimiter``: see :class:`urlset.sources.Table`.
        kind: The kind of the source; by default it is detected from the content.
        folder: Further arguments of :class:`urlset.sources.HtmlFolder`.
        log: Further arguments of :class:`urlset.sources.AccessLog`.
    """

    mapping: Mapping[str, str] | str | None = None
    keep: tuple[str, ...] = ()
    query: str | None = None
    table: str | None = None
    delimiter: str | None = None
    query_timeout_s: float | None = QUERY_S
    kind: SourceKind | None = None
    base_url: str | None = None
    engine: str | None = None
    fail_fast: bool = False
    policy: Any = None
    auth: str | tuple[str, str] | None = field(default=None, repr=False)
    cache: str | None = None
    folder: Mapping[str, Any] = field(default_factory=dict)
    log: Mapping[str, Any] = field(default_factory=dict)


def open_source(text: str, options: SourceOptions | None = None) -> Source:
    """Open a source by its name.

    A folder with HTML pages is a folder of pages, whatever else it contains. CSV and JSON lines of
    at least :data:`LARGE` bytes are read without line numbers.

    Args:
        text: A path, a URL, ``-`` for standard input, or the URL of a database to query. A prefix
            may state the kind: ``csv:``, ``html:``, ``log:``, ``crawl:``, ``sitemap:``,
            ``parquet:`` …
        options: The options of the source.

    Raises:
        urlset.SourceError: The source does not exist, or has none of the kinds.

    >>> type(open_source("https://example.com/sitemap.xml")).__name__
    'Sitemaps'
    """
    options = options or SourceOptions()
    found = _PREFIX.fullmatch(text)
    if found and found[1] in get_args(SourceKind):
        text, options = found[2], replace(options, kind=found[1])  # type: ignore[arg-type]
    elif found and not os.path.exists(text) and os.path.exists(found[2]):
        raise _unknown_kind(text, found[1])
    if options.kind is not None and options.kind not in get_args(SourceKind):
        raise _unknown_kind(text, options.kind)
    scheme, mark, _ = text.partition("://")
    if mark and scheme.lower() in _UNSUPPORTED_SCHEMES:
        from urlset.http import without_secrets

        raise SourceError(
            f"{without_secrets(text)}: expected a path, the URL of a site or of a database, "
            f"found {scheme.lower()}://; "
            "name a file on this machine"
        )
    if _is_database(text):
        return _open_query(text, options)
    if is_url(text) and options.kind == "crawl":
        return _opener("crawl")(text, options, text)
    if is_url(text):
        if options.kind not in (None, "sitemap"):
            from urlset.http import without_secrets

            shown = without_secrets(text)
            raise SourceError(
                f"{shown}: expected a file for a source of the kind {options.kind}, found a URL; "
                "download it first"
            )
        return _open_sitemaps(text, options, text)
    if text == "-" or _is_stream(text):
        return StreamSource(text, lambda path: _open_path(path, options, text))
    return _open_path(text, options, text)


def _unknown_kind(text: str, kind: str) -> SourceError:
    kinds = get_args(SourceKind)
    close = similar(kind, kinds)
    hint = f"; did you mean {close!r}?" if close else ""
    return SourceError(f"{text}: expected a kind ({', '.join(kinds)}), found {kind!r}{hint}")


def _open_path(path: str, options: SourceOptions, name: str) -> Source:
    _check_exists(path)
    kind = options.kind or detect_kind(path, _mapped_columns(options), name=name)
    if kind == "sql":
        raise SourceError(f"{name}: expected the URL of a database, or env:NAME, after sql:")
    if kind in ("sitemap", "text", "html", "log", "crawl") and options.query is not None:
        raise SourceError(f"{name}: expected a table for the query, found a source of kind {kind}")
    if kind == "duckdb" and options.query is None and options.table is None and _is_history(path):
        return _open_sitemaps(path, options, name)
    return _opener(kind)(path, replace(options, kind=kind), name)


def _is_history(path: str) -> bool:
    """Return whether a file is a store with snapshots of sitemaps, and no documents."""
    try:
        with Store.open(path, read_only=True) as store:
            return store.document_writer is not None
    except StoreError:
        return False  # no store; reading it reports other errors


def _check_exists(path: str) -> None:
    try:
        os.stat(path)
    except (FileNotFoundError, NotADirectoryError) as error:
        advice = "check the path, or begin a URL with https://"
        from urlset.http import without_secrets

        shown = without_secrets(path)
        raise SourceError(f"expected a source, found nothing at {shown!r}; {advice}") from error
    except (OSError, ValueError):
        return  # reported when it is read
    try:
        expect_safe_to_read(path)
    except OSError as error:
        raise SourceError(f"cannot read {path!r}: {error.strerror}") from error


def _mapped_columns(options: SourceOptions) -> tuple[str, ...]:
    mapping = options.mapping
    pairs = parse_mapping(mapping) if isinstance(mapping, str) else mapping or {}
    return tuple(value.rpartition(":")[2] for value in pairs.values())


def open_table_file(path: str, form: TableForm, name: str = "") -> Source:
    """Open a table whose form is known; ``-`` is standard input.

    ``name`` is that of the table in messages; the path by default.

    Raises SourceError if the file does not exist, or must not be read.
    """
    opener = partial(_open_table, options=SourceOptions(kind=form), name=name or path)
    if path == "-":
        return StreamSource(path, opener)
    _check_exists(path)
    return opener(path)


def _open_table(path: str, options: SourceOptions, name: str) -> Source:
    form: Any = options.kind
    common: dict[str, Any] = {"mapping": options.mapping, "keep": options.keep, "name": name}
    is_text = form in ("csv", "jsonl") and options.query is None
    if is_text and (os.path.getsize(path) < LARGE or _needs_row_reader(read_head(path, name))):
        return TextSource(path, form=form, delimiter=options.delimiter, **common)
    table_options: dict[str, Any] = {
        "query": options.query,
        "table": options.table,
        "delimiter": options.delimiter,
        "query_timeout_s": options.query_timeout_s,
    }
    return Table(path, form=form, **table_options, **common)


def _needs_row_reader(head: FileHead) -> bool:
    """Return whether DuckDB cannot read a file.

    It is UTF-16, JSON lines of strings, a mixed array, or has columns that differ only in case.
    """
    return (
        head.encoding == "utf-16"
        or head.text.startswith('"')
        or is_json_array(head)
        or (head.text[:1] != "{" and has_names_equal_but_for_case(head.first_line))
    )


def _open_text(path: str, _options: SourceOptions, name: str) -> Source:
    return TextSource(path, form="text", name=name)


def _open_sitemaps(source: str, options: SourceOptions, name: str) -> Source:
    content: str | bytes = source
    if source != name:  # a copy of a stream: its path must not appear in messages
        with open(source, "rb") as file:
            content = file.read(READ_LIMIT + 1)
    return Sitemaps(
        content,
        name=name,
        base_url=None if is_url(source) else options.base_url,
        engine=options.engine,
        fail_fast=options.fail_fast,
        policy=options.policy,
        auth=options.auth,
        cache=options.cache,
    )


def _open_pages(path: str, options: SourceOptions, name: str) -> Source:
    from urlset.sources.html.folder import HtmlFolder

    if path != name:
        raise SourceError(
            f"{name}: expected a folder of pages, found a stream; "
            "name the folder that a server shows"
        )
    return HtmlFolder(path, _base_url(options, name, "a folder of pages"), **options.folder)


def _open_log(path: str, options: SourceOptions, name: str) -> Source:
    from urlset.sources.logs.source import AccessLog

    base = _base_url(options, name, "an access log")
    return AccessLog(path, base, engine=options.engine, name=name, **options.log)


def _base_url(options: SourceOptions, name: str, what: str) -> str:
    if options.base_url is None:
        raise SourceError(
            f"{name}: expected a base URL for {what}, found none; "
            f"set {option('base_url')}, the URL that the server shows it at"
        )
    return options.base_url


_Opener = Callable[[str, SourceOptions, str], Source]

_OPENERS: dict[str, _Opener] = {
    "text": _open_text,
    "sitemap": _open_sitemaps,
    "html": _open_pages,
    "log": _open_log,
}


def _opener(kind: str) -> _Opener:
    if kind in _OPENERS:
        return _OPENERS[kind]
    openers: dict[str, _Opener] = {}
    for others in provided("SOURCES"):
        openers |= others
    return openers.get(kind, _open_table)


def _open_query(text: str, options: SourceOptions) -> Source:
    if options.query is None:
        name = Query(text, "").name
        raise SourceError(
            f"{name}: expected a query for a database, found none; add {option('query')}"
        )
    return Query(
        text,
        options.query,
        mapping=options.mapping,
        keep=options.keep,
        timeout_s=options.query_timeout_s,
    )


def _is_database(text: str) -> bool:
    if text.startswith("env:"):
        return True
    return _DATABASE.match(text) is not None and not is_url(text) and not os.path.exists(text)


def _is_stream(path: str) -> bool:
    """Return whether a path can be read only once: a pipe, as in ``<(curl …)``."""
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        return False  # reported when it is read
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


class StreamSource:
    """Standard input (``-``) or a pipe, copied to a temporary file, then read as a file.

    ``open_copy`` opens the source of the copy, whose name in messages is ``name``. The copy is
    deleted when the batches end, or with this object.
    """

    source_type: ClassVar[SourceType] = "stream"

    def __init__(self, name: str, open_copy: Callable[[str], Source]):
        self.name = name
        self.failures: list[str] = []
        self.notes: list[str] = []
        self._open = open_copy

    def batches(self) -> Iterator[Any]:
        """Copy the stream to a temporary file, then yield the Arrow record batches of the file.

        Raises SourceError if the stream or its copy cannot be read.
        """
        directory = LockedTempDir()
        path = os.path.join(directory.path, "stream")
        cleanup = weakref.finalize(self, directory.close)
        try:
            self._copy(path)
            source = self._open(path)
            source.failures, source.notes = self.failures, self.notes
            yield from source.batches()
        finally:
            cleanup()

    def _copy(self, path: str) -> None:
        try:
            with open(path, "wb") as target:
                if self.name == "-":
                    shutil.copyfileobj(sys.stdin.buffer, target, 1 << 20)
                else:
                    with open(self.name, "rb") as stream:
                        shutil.copyfileobj(stream, target, 1 << 20)
        except OSError as error:
            raise SourceError(f"cannot read {self.name!r}: {error.strerror}") from error


_KIND = re.compile(r"[a-z]{2,}:")


def split_kind(text: str) -> tuple[str, str | None]:
    """Split the name of a source into a prefix for its kind, and a path (None if it is no path).

    >>> split_kind("csv:data/*.txt"), split_kind("https://example.com/"), split_kind("env:DATABASE")
    (('csv:', 'data/*.txt'), ('', None), ('', None))
    """
    if "://" in text or text == "-" or text.startswith("env:"):
        return "", None
    kind = _KIND.match(text)
    prefix = kind[0] if kind is not None else ""
    return prefix, text[len(prefix) :]


def expand_pattern(source: str | Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield a source description for each file that a glob pattern matches, by name.

    ``*``, ``?`` and ``[…]`` mean the same as in a shell, ``**`` any folders. The name of a file
    that exists is no pattern, and neither is a name without these characters.

    Raises:
        urlset.SourceError: The pattern matches nothing; or, after the files that were found, a
            folder in which it may match others cannot be read.
    """
    table = source if isinstance(source, Mapping) else {"path": source}
    text = table["path"]
    kind, path = split_kind(text)
    if path is None or not glob.has_magic(path) or os.path.exists(path):
        yield table
        return
    found = sorted(glob.glob(path, recursive=True))
    unreadable = next(_unreadable_folders(_root(path), _parts(path)), None)
    if not found and unreadable is None:
        from urlset.http import without_secrets

        shown = without_secrets(text)
        root = _root(path) if shown == text else "."  # a URL begins in no folder
        raise SourceError(
            f"expected sources, found nothing that matches {shown!r}; check the pattern, and the "
            f"folder that it begins in ({os.path.abspath(root)})"
        )
    for name in found:
        yield {**table, "path": kind + name}
    if unreadable is not None:
        raise SourceError(f"cannot read a folder that {text!r} may match in: {unreadable}")


def _parts(path: str) -> list[str]:
    """Return the folders of a glob pattern below its root, and the name, as patterns."""
    return os.path.relpath(path, _root(path)).split(os.sep)


def _unreadable_folders(folder: str, parts: Sequence[str]) -> Iterator[str]:
    """Yield folders that cannot be read, in which a pattern may match; ``glob`` skips them."""
    first, rest = parts[0], parts[1:]
    try:
        if not glob.has_magic(first):
            path = os.path.join(folder, first)
            os.lstat(path)
            if rest:
                yield from _unreadable_folders(path, rest)
            return
        with os.scandir(folder) as entries:
            names = sorted(entry.name for entry in entries if entry.is_dir(follow_symlinks=False))
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        yield f"{folder}: {error.strerror}"
        return
    is_recursive = first == "**"
    if is_recursive and rest:
        yield from _unreadable_folders(folder, rest)
    if is_recursive or rest:
        for name in fnmatch.filter(names, "*" if is_recursive else first):
            if first.startswith(".") or not name.startswith("."):
                inner = os.path.join(folder, name)
                yield from _unreadable_folders(inner, parts if is_recursive else rest)


def _root(path: str) -> str:
    """Return the part of a glob pattern before the first folder with wildcards."""
    folder = os.path.dirname(path)
    while glob.has_magic(folder):
        folder = os.path.dirname(folder)
    return folder or "."


class FailedSource:
    """A source that could not be opened, in a build that continues without it."""

    source_type: ClassVar[SourceType] = "failed"

    def __init__(self, name: str, error: str):
        self.name = name
        self.failures: list[str] = [error]
        self.notes: list[str] = []

    def batches(self) -> Iterator[Any]:
        """Yield no batch: the source could not be opened, see ``failures``."""
        return iter(())


def merge_logs(sources: Iterable[Source]) -> Iterator[Source]:
    """Merge all access logs into one source: a later log may show that a URL was removed."""
    log: Any = None
    for source in sources:
        if source_type_of(source) != "log":
            yield source
        elif log is None:
            log = source
            yield log
        else:
            log.merge(source)
