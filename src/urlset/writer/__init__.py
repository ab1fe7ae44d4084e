"""Write entries as sitemap files within the limits of the protocol, with a sitemap index."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from urlset import engine as engines
from urlset.arguments import checked_arguments
from urlset.engine import Engine
from urlset.errors import TargetError
from urlset.http.request_url import expect_no_login
from urlset.model import ProgressEvent
from urlset.option_schema import FileFormat, OnError, check_options, expect_local
from urlset.protocol import MAX_NEWS
from urlset.publisher import FolderTarget
from urlset.result import Completeness
from urlset.urls import parse_url
from urlset.writer import stylesheet as styles
from urlset.writer.file_set import FileNaming, PublishedSet, render_indexes
from urlset.writer.input_rows import InputBatch, Rules, batches
from urlset.writer.result import Publication, Rejection, WrittenFile
from urlset.writer.splitter import Limits, RenderedDocument, Splitter

__all__ = ["Publication", "Rejection", "WrittenFile", "render", "write"]

WrittenIndex = Literal["auto", "always"]
Duplicates = Literal["drop", "keep"]


@checked_arguments
def write(
    entries: Any,
    target: str | os.PathLike[str],
    *,
    # These are generated from urlset.option_schema by `make docs`.
    base_url: str | None = None,
    gzip: bool = False,
    max_urls: int = 50_000,
    max_bytes: int = 52_428_800,
    name: str = "sitemap",
    format: FileFormat = "xml",
    stylesheet: str | None = None,
    index: WrittenIndex = "auto",
    on_error: OnError = "raise",
    duplicates: Duplicates = "drop",
    allow_empty: bool = False,
    dry_run: bool = False,
    now: datetime | None = None,
    progress: Callable[[ProgressEvent], None] | None = None,
    engine: str | None = None,
) -> Publication:
    """Write entries as sitemaps to a folder, split at the limits of the protocol, with an index.

    One file is named ``sitemap.xml``. Several files are named ``sitemap-1.xml``, …, and
    ``sitemap.xml`` is their index. A file with unchanged content is not written and keeps its
    ``lastmod`` in the index. Files are staged, then swapped in, the index last; on a failure the
    folder is unchanged. Files that the previous index listed and the new one does not are removed.

    Args:
        entries: An iterable of :class:`urlset.Entry`, ``str`` or dicts, or a table of a library
            with Arrow export (polars, pandas, pyarrow, DuckDB). They are read in batches.
        target: Folder, created if it is missing; :func:`urlset.build` publishes to a bucket.
        base_url: The address of the target, against which relative URLs are resolved. Default: the
            root of the site of the first URL.
        gzip: Compress the files, such as sitemap.xml.gz.
        max_urls: Maximum number of URLs in a file (50,000).
        max_bytes: Maximum size of a file in bytes, uncompressed (52,428,800).
        name: Name of the files, without suffix (sitemap).
        format: Format of the files: sitemaps, or lists of URLs.
        stylesheet: CSS file that shows the sitemaps as tables in browsers, such as sitemap.css.
        index: Write an index if one is needed (auto), or always.
        on_error: ``raise`` at an invalid entry, without writing; or ``skip`` it.
        duplicates: ``keep`` writes repeated URLs, too; else they are excluded and reported as
            rejected.
        allow_empty: Whether a set without entries may be written.
        dry_run: Report what would be written, without writing.
        now: Current time; by default the clock's.
        progress: Called with a :class:`urlset.ProgressEvent`: how much was done so far.
        engine: ``native`` or ``reference``; by default the faster one that is installed.

    Raises:
        EntryError: An entry could not be read back as valid.
        TargetError: The folder cannot be written, an index has no ``base_url``, or there are no
            entries.
        ValueError: An option is invalid.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     write(["https://example.com/"], folder).files[0].name
    'sitemap.xml'
    """
    check_options("write", locals())
    expect_local("target", target)
    base = _base(base_url)
    naming = FileNaming.of(name, format, gzip)
    limits = Limits(max_urls, max_bytes)
    styles.check_address(stylesheet)
    chosen = engines.get(engine)
    rules = Rules(base, format == "text", engine)
    splitter_ = Splitter(chosen, rules, limits, on_error, duplicates, progress, stylesheet)
    documents = _require_entries(splitter_, batches(entries, chosen), allow_empty)
    with FolderTarget(Path(target), name) as folder_target:
        stager = _Stager(folder_target, naming, chosen, _resolve_now(now), stylesheet)
        files = list(stager.files(documents, is_indexed=index == "always"))
        is_indexed = index == "always" or len(files) > 1
        if is_indexed and base is None:
            counted = "1 file" if len(files) == 1 else f"{len(files):,} files"
            raise TargetError(
                f"expected base_url, because the index of {counted} lists full URLs, found none; "
                "pass the URL of the folder, "
                'e.g. base_url="https://example.com/"'
            )
        indexes = list(stager.indexes(files, base)) if is_indexed and base is not None else []
        names = [file.name for file in (*files, *indexes)]
        retired = stager.retired(names)
        style = stager.style(names)
        if not dry_run:
            changed = [file.name for file in (*files, *indexes) if file.changed]
            folder_target.swap([*style, *changed], retired)
    return Publication(
        folder_target.folder,
        splitter_.urls,
        tuple(files),
        tuple(indexes),
        tuple(retired),
        tuple(splitter_.rejected),
        base,
        entries.incomplete if isinstance(entries, Completeness) else (),
    )


@checked_arguments
def render(
    entries: Any,
    *,
    # These are generated from urlset.option_schema by `make docs`.
    base_url: str | None = None,
    gzip: bool = False,
    max_urls: int = 50_000,
    max_bytes: int = 52_428_800,
    format: FileFormat = "xml",
    stylesheet: str | None = None,
    duplicates: Duplicates = "drop",
    allow_empty: bool = False,
    on_rejected: Callable[[Rejection], None] | None = None,
    engine: str | None = None,
) -> bytes:
    """Render entries as the bytes of one sitemap, such as for a view of a web application.

    The options are those of :func:`write`; nothing is written to disk. The media
    type is ``application/xml``, or ``text/plain; charset=utf-8`` for ``format="text"``. With
    ``gzip`` the body is a gzip file (``application/gzip``, or ``Content-Encoding: gzip``).

    Args:
        entries: As for :func:`write`.
        base_url: The address of the target, against which relative URLs are resolved. Default: the
            root of the site of the first URL.
        gzip: Compress the files, such as sitemap.xml.gz.
        max_urls: Maximum number of URLs in a file (50,000).
        max_bytes: Maximum size of a file in bytes, uncompressed (52,428,800).
        format: Format of the files: sitemaps, or lists of URLs.
        stylesheet: CSS file that shows the sitemaps as tables in browsers, such as sitemap.css.
        duplicates: ``keep`` writes repeated URLs, too; else they are excluded and reported as
            rejected.
        allow_empty: Whether a set without entries may be written.
        on_rejected: Called with each :class:`urlset.writer.Rejection`, including duplicates. With
            it, invalid entries are excluded instead of raised.
        engine: ``native`` or ``reference``; by default the faster one that is installed.

    Raises:
        EntryError: An entry is invalid.
        TargetError: One sitemap cannot hold the entries, or there are none.
        ValueError: An option is invalid.

    >>> render(["https://example.com/"]).splitlines()[-2]
    b'<url><loc>https://example.com/</loc></url>'
    """
    check_options("render", locals())
    styles.check_address(stylesheet)
    chosen = engines.get(engine)
    rules, limits = Rules(_base(base_url), format == "text", engine), Limits(max_urls, max_bytes)
    on_error: OnError = "raise" if on_rejected is None else "skip"
    splitter_ = Splitter(chosen, rules, limits, on_error, duplicates, None, stylesheet)
    documents = _require_entries(splitter_, batches(entries, chosen), allow_empty)
    data = next(documents).data
    if next(documents, None) is not None:
        raise TargetError(
            f"expected entries that fit into one sitemap of at most {max_urls:,} URLs, "
            f"{MAX_NEWS:,} news articles and {max_bytes:,} bytes, found more; write them into a "
            "folder (urlset.write), or render each part of them"
        )
    if on_rejected is not None:
        for rejection in splitter_.rejected:
            on_rejected(rejection)
    return chosen.gzip(data) if gzip else data


class _Stager:
    """Stager of documents as files, which skips files that are unchanged in the folder."""

    def __init__(
        self,
        folder_target: FolderTarget,
        naming: FileNaming,
        engine: Engine,
        now: datetime,
        stylesheet: str | None,
    ):
        self._target = folder_target
        self._naming = naming
        self._engine = engine
        self._now = now
        self._stylesheet = stylesheet
        self._published = PublishedSet.of(naming, folder_target.read, engine)

    def files(
        self, documents: Iterator[RenderedDocument], *, is_indexed: bool
    ) -> Iterator[WrittenFile]:
        """Stage documents as files while they arrive; yield the file of each.

        A second document decides the name of the first.
        """
        first = next(documents)
        second = next(documents, None)
        if second is None and not is_indexed:
            yield self._file(self._naming.single(), first)
            return
        yield self._file(self._naming.child(1), first)
        del first
        number = 2
        while second is not None:
            yield self._file(self._naming.child(number), second)
            number, second = number + 1, next(documents, None)

    def indexes(self, files: list[WrittenFile], base: str) -> Iterator[WrittenFile]:
        """Stage index files that list given files; yield each."""
        pairs = ((file.name, file.lastmod) for file in files)
        for number, (data, count) in enumerate(render_indexes(pairs, base, self._stylesheet), 1):
            yield self._file(self._naming.index(number), RenderedDocument(data, count))

    def style(self, names: list[str]) -> list[str]:
        """Stage the style sheet if files use it and it is missing or outdated; return its name."""
        name = styles.local_file_name(self._stylesheet)
        if name is None or all(file.endswith((".txt", ".txt.gz")) for file in names):
            return []
        data = styles.updated_content(self._target.read(name))
        if data is None:
            return []
        self._target.stage(name, data)
        return [name]

    def retired(self, names: list[str]) -> list[str]:
        """Return the names of published files that are not in the new set, to be removed."""
        old = (*self._published.indexes, *self._published.files)
        kept = set(names)
        return [name for name in old if name not in kept and (self._target.folder / name).is_file()]

    def _file(self, name: str, document: RenderedDocument) -> WrittenFile:
        path = self._target.folder / name
        urls, size = document.urls, len(document.data)
        there = self._target.read(name)
        if there is not None and self._is_same(there, document.data):
            lastmod = self._published.files.get(name) or self._target.modified(name) or self._now
            return WrittenFile(name, path, urls, size, len(there), lastmod, changed=False)
        data = self._engine.gzip(document.data) if self._naming.is_packed else document.data
        self._target.stage(name, data)
        return WrittenFile(name, path, urls, size, len(data), self._now, changed=True)

    def _is_same(self, there: bytes, data: bytes) -> bool:
        """Return whether two files have the same content, regardless of their compression."""
        if self._naming.is_packed:
            return self._engine.gunzip(there, len(data)) == data
        return there == data


def _require_entries(
    splitter_: Splitter, rows: Iterator[InputBatch], allow_empty: bool
) -> Iterator[RenderedDocument]:
    documents = splitter_.documents(rows)
    first = next(documents, None)
    if first is not None:
        yield first
        yield from documents
    elif allow_empty:
        yield splitter_.empty()
    else:
        count = len(splitter_.rejected)
        why = (
            f"all {count:,} were rejected, first: {splitter_.rejected[0].reason}"
            if count
            else "none"
        )
        raise TargetError(
            f"expected entries, found {why}; a set without URLs is published only with "
            "allow_empty=True, and what was published before is unchanged"
        )


def _base(base_url: str | None) -> str | None:
    """Return the URL of the folder with a trailing slash; raise ``ValueError`` if it is invalid."""
    if base_url is None:
        return None
    expect_no_login(base_url, "base_url")
    read = parse_url(base_url)
    if read.url != base_url or read.issues or "?" in base_url or "#" in base_url:
        raise ValueError(
            f"expected base_url to be the http(s) URL of a folder, found {base_url!r}; "
            'write it as "https://example.com/" or "https://example.com/maps/"'
        )
    return base_url if base_url.endswith("/") else f"{base_url}/"


def _resolve_now(now: datetime | None) -> datetime:
    if now is None:
        return datetime.now(UTC).replace(microsecond=0)
    if now.tzinfo is None:
        raise ValueError(f"expected now with a time zone, found {now!r}; use datetime.now(UTC)")
    return now.astimezone(UTC)
