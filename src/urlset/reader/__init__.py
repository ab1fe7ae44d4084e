"""Read sitemaps of any format from a site, files, an object store, a stream or memory."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeGuard

from urlset import engine as engines
from urlset.arguments import checked_arguments
from urlset.formats.detect import stored_form
from urlset.model import ProgressEvent
from urlset.option_names import option
from urlset.option_schema import StrPath, check_options
from urlset.pattern_warnings import warn_of_patterns
from urlset.reader.document_sources import DocumentSource, RobotsFile
from urlset.reader.document_walk import FileWalk
from urlset.reader.documents import (
    SITEMAP_KINDS,
    DocumentBatch,
    DocumentRecord,
    Fetched,
    Visit,
    faults_of,
)
from urlset.reader.entries import Entries
from urlset.reader.files import Source, document_source
from urlset.reader.filters import (
    EVERY_CHILD,
    ChildFilter,
    EntryFilter,
    EntryScope,
    Moment,
    Patterns,
    compile_patterns,
)
from urlset.reader.planned import PlannedDocument, PlannedReader
from urlset.reader.store_source import StoredDocuments, stored_reader

if TYPE_CHECKING:
    from urlset.http import Policy

__all__ = [
    "SITEMAP_KINDS",
    "DocumentBatch",
    "DocumentRecord",
    "Entries",
    "Fetched",
    "Source",
    "Visit",
    "document_source",
    "faults_of",
    "is_url",
    "read",
    "read_documents",
    "read_planned",
    "read_site",
    "read_store",
    "read_stored",
]

_HTTP = re.compile(r"https?://", re.IGNORECASE | re.ASCII)


@checked_arguments
def read(
    source: Source,
    *,
    # These are generated from urlset.option_schema by `make docs`.
    since: Moment | None = None,
    include: Patterns = (),
    exclude: Patterns = (),
    hosts: Iterable[str] | None = None,
    scope: EntryScope = "any",
    limit: int | None = None,
    follow: bool = True,
    follow_only: Patterns = (),
    max_documents: int | None = None,
    cache: StrPath | None = None,
    base_url: str | None = None,
    engine: str | None = None,
    max_bytes: int = 104_857_600,
    fail_fast: bool = False,
    read_robots: bool = False,
    ordered: bool = True,
    keep: bool = True,
    policy: Policy | None = None,
    auth: str | tuple[str, str] | None = None,
    progress: Callable[[ProgressEvent], None] | None = None,
) -> Entries:
    """Read the entries of a sitemap, of all sitemaps of a site, or of a folder.

    Documents are read when the result is iterated. Every format is detected by its content: XML
    sitemaps and indexes, text, RSS and Atom, also in gzip. A faulty document is read as far as
    possible, and its problems are reported in :attr:`Entries.problems`.

    >>> [entry.loc for entry in read(b"https://example.com/")]
    ['https://example.com/']

    Args:
        source: One of

            - a home page or robots.txt (``https://example.com/``): all sitemaps that robots.txt,
              the home page or well-known paths lead to;
            - any other http(s) URL: one sitemap, or an index with its children;
            - a file, or ``-`` for stdin. The children of an index are looked up below its
              folder, by the longest suffix of their path that exists there;
            - a folder: every file that has the ending of a sitemap (``.xml``, ``.txt``, ``.rss``,
              ``.atom``, also with ``.gz``) and the content of one;
            - ``s3://bucket/sitemap.xml``, or ``s3://bucket/maps/`` for all sitemaps below (needs
              ``urlset[cloud]``; also ``gs://`` and ``az://``);
            - a store (``.duckdb``) or a Parquet file that urlset wrote;
            - a WARC file (needs ``urlset[warc]``): every sitemap in it;
            - the bytes of a document, an open binary file, or a mapping of URLs to bytes.
        since: Exclude entries whose ``lastmod`` is older or missing; skip the children of an index
            whose date is older.
        include: Regular expression, or several; only URLs that contain a match of one count.
        exclude: Regular expression, or several; URLs that contain a match of one do not count.
        hosts: Only URLs of these hosts.
        scope: ``any``, or ``sitemap`` to exclude URLs that the location rule forbids: those outside
            the folder of the sitemap, unless the robots.txt of their host declares it.
        limit: Most entries that are read.
        follow: Read the sitemaps that an index lists.
        follow_only: Regular expression, or several: of the sitemaps that an index lists, only those
            whose URL contains a match of one are read.
        max_documents: Most sitemaps that are read of those that indexes list; the others are
            skipped.
        cache: Cache documents of sites in this folder; fetch only those that changed.
        base_url: URL at which the source is published: of the folder, or of the file. One that ends
            with / is the folder that contains the file.
        engine: ``native`` or ``reference``; by default the faster one that is installed.
        max_bytes: Maximum size of a decompressed document; the rest is not read.
        fail_fast: Raise the first error instead of recording it.
        read_robots: Request the robots.txt of each host of a document, to record which one declares
            or disallows it, even if the URL is that of a sitemap.
        ordered: Return the entries of a site in the order of its sitemaps, each index followed by
            its children, so that two runs are equal; documents that arrive early are stored in
            ``TMPDIR``. With False, in order of arrival, which is faster if a document is slow.
        keep: Keep the responses of a site in ``TMPDIR`` as long as the result exists, up to 256 MB
            compressed, so that it can be iterated again.
        policy: Limits and behaviour of the HTTP client (:class:`urlset.Policy`).
        auth: Bearer token, or user and password; sent to the origin of the site only.
        progress: Called with a :class:`urlset.ProgressEvent` for each document, while the result is
            iterated or exported: how much was read so far, before the filters.

    Returns:
        The entries, an iterable that is read on demand.

    Raises:
        SourceError: No document of the source can be read; raised during the iteration, or at
            once if the source does not exist. A missing child, an HTML page or a truncated file
            does not raise: it is a record with an ``error`` in :attr:`Entries.documents`, unless
            ``fail_fast`` is set. The second iteration of a site raises if its responses were not
            kept, because of ``keep=False`` or their size.
        EngineError: The engine is not installed.
        ValueError: An argument is invalid.
    """
    check_options("read", locals())
    engines.get(engine)  # raises now, not at the first entry
    entry_filter = EntryFilter.of(
        since=since, include=include, exclude=exclude, hosts=hosts, scope=scope
    )
    followed = compile_patterns(option("follow_only"), follow_only)
    warn_of_patterns(
        {
            option("include"): entry_filter.include,
            option("exclude"): entry_filter.exclude,
            option("follow_only"): followed,
        }
    )
    common: dict[str, Any] = {
        "engine": engine,
        "max_bytes": max_bytes,
        "children": ChildFilter(follow, entry_filter.since, followed, max_documents),
    }
    form = stored_form(source)
    if is_url(source):
        from urlset.reader.site import SiteReader

        folder = None if cache is None else os.fspath(cache)
        reader: Any = SiteReader(
            source,
            policy=policy,
            auth=auth,
            cache=folder,
            robots=read_robots,
            ordered=ordered,
            keep=keep,
            **common,
        )
    elif form is not None:
        reader = stored_reader(form, os.fspath(source), engine, max_bytes)  # type: ignore[arg-type]
    else:
        documents = document_source(source, base_url, max_bytes)
        reader = FileWalk(documents, robots=read_robots or scope == "sitemap", **common)
    name = getattr(source, "name", None) if hasattr(source, "read") else source
    if isinstance(name, str) and ":" in name:
        from urlset.http import without_secrets

        name = without_secrets(name)
    return Entries(
        reader,
        source=os.fspath(name) if isinstance(name, str | os.PathLike) else None,
        entry_filter=entry_filter,
        limit=limit,
        fail_fast=fail_fast,
        is_in_memory=isinstance(source, bytes | bytearray | memoryview),
        progress=progress,
    )


def read_stored(path: str, name: str, entry_filter: EntryFilter, unreadable_count: int) -> Entries:
    """Return the entries of a Parquet file, as those of the file ``name`` that it was made from.

    ``unreadable_count`` is the number of its entries without a readable URL, which are not there.
    """
    reader = StoredDocuments("parquet", path, name, unreadable_count)
    return Entries(reader, source=name, entry_filter=entry_filter, limit=None, fail_fast=False)


def is_url(source: object) -> TypeGuard[str]:
    """Return whether a source is an http(s) URL."""
    return isinstance(source, str) and _HTTP.match(source) is not None


def read_documents(source: DocumentSource, engine: str | None, max_bytes: int) -> Entries:
    """Return the entries of all documents of a source, of each at most ``max_bytes`` bytes."""
    reader = FileWalk(source, engine=engine, max_bytes=max_bytes, children=EVERY_CHILD)
    everything = EntryFilter()
    return Entries(reader, entry_filter=everything, limit=None, fail_fast=False)


def read_planned(
    documents: Sequence[PlannedDocument],
    entry_filter: EntryFilter,
    *,
    engine: str | None,
    max_bytes: int,
    follow: bool,
    robots: Sequence[RobotsFile] = (),
) -> Entries:
    """Return the entries of planned documents; nothing that cannot be read raises."""
    reader = PlannedReader(
        documents, engine=engine, max_bytes=max_bytes, follow=follow, robots=robots
    )
    return Entries(reader, entry_filter=entry_filter, limit=None, fail_fast=None)


def read_site(
    url: str,
    entry_filter: EntryFilter,
    *,
    hosts: frozenset[str] | None,
    policy: Policy | None,
    **options: Any,
) -> Entries:
    """Return the entries of a site, read once; nothing that cannot be read raises.

    ``url`` is that of the site, or of a sitemap. ``hosts`` are those to which requests are sent, as
    :func:`urlset.http.site_host` returns them; None for all. ``options`` are further arguments of
    :class:`urlset.reader.site.SiteReader`.
    """
    from urlset.http import without_secrets
    from urlset.reader.site import SiteReader

    reader = SiteReader(url, policy=policy, hosts=hosts, keep=False, **options)
    return Entries(
        reader, source=without_secrets(url), entry_filter=entry_filter, limit=None, fail_fast=None
    )


def read_store(
    path: str, entry_filter: EntryFilter, *, engine: str | None, max_bytes: int
) -> Entries:
    """Return the entries of a store, Parquet or WARC file; a faulty document does not raise."""
    reader = stored_reader(stored_form(path) or "parquet", path, engine, max_bytes)
    return Entries(reader, source=path, entry_filter=entry_filter, limit=None, fail_fast=None)
