"""Reads sitemaps from anywhere: any source in, entries, problems and documents out."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Mapping
from typing import IO, TYPE_CHECKING, Any, TypeGuard
from urllib.parse import unquote
from urllib.request import url2pathname

from urlset import engine as engines
from urlset.errors import SourceError
from urlset.object_store import is_object_url
from urlset.protocol import READ_LIMIT
from urlset.reader.documents import SITEMAP_KINDS, DocumentBatch, DocumentRecord, Fetched, Visit
from urlset.reader.entries import Entries
from urlset.reader.file_walk import FileWalk
from urlset.reader.filesystem import FileSystemSource
from urlset.reader.filters import EntryFilter, Moment
from urlset.reader.locations import DocumentSource, SingleDocument, read_at_most
from urlset.reader.memory import MemorySource
from urlset.reader.store_source import StoredDocuments, stored_form

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
    "entries_from",
    "finder_of",
    "is_url",
    "read",
    "read_stored",
]

Source = str | os.PathLike[str] | bytes | bytearray | memoryview | IO[bytes] | Mapping[str, bytes]
"""A path (``-`` is stdin), a URL (http, https, file, or of an object store: s3, gs, az), the bytes
of a document, a file that is open, or many documents by their URL."""

_FILE = re.compile(r"file://", re.IGNORECASE)
# A host with a domain that is no ending of a file, and a path behind it, or none.
_SITE = re.compile(
    r"(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+"
    r"(?!(?:xml|txt|gz|csv|tsv|json|jsonl|ndjson|rss|atom|html?|parquet|duckdb|db|sqlite|arrow)\b)"
    r"[a-z]{2,}(?::\d+)?(?:/.*)?",
    re.IGNORECASE,
)
_HTTP = re.compile(r"https?://", re.IGNORECASE | re.ASCII)


def read(
    source: Source,
    *,
    base: str | None = None,
    engine: str | None = None,
    limit_bytes: int = READ_LIMIT,
    follow: bool = True,
    fail_fast: bool = False,
    since: Moment | None = None,
    match: str | re.Pattern[str] | None = None,
    exclude: str | re.Pattern[str] | None = None,
    hosts: Iterable[str] | None = None,
    in_scope: bool = False,
    limit: int | None = None,
    policy: Policy | None = None,
    auth: str | tuple[str, str] | None = None,
    cache: str | os.PathLike[str] | None = None,
    robots: bool = False,
    ordered: bool = True,
    keep: bool = True,
) -> Entries:
    """Read sitemaps of any format: a site, a file, a folder, bytes, an open file, ``-`` for stdin.

    Of ``https://example.com/`` all sitemaps are read that its robots.txt, its home page or the
    well-known paths lead to; every other URL is that of a sitemap. ``policy`` says how to fetch
    (:class:`urlset.Policy`); ``auth`` is a bearer token, or a user and a password, and goes to
    the origin of the URL only. ``cache`` is a folder: what is kept there is only fetched again
    where the server says that it has changed. ``robots`` asks each host that documents lie on
    for its robots.txt, a request more a host: so it is known which one declares or disallows
    what, also where the URL is that of a sitemap.

    The entries of a site come in the order of its sitemaps, each index followed by its children
    as it lists them, so that two readings are equal; a document that arrives before its turn
    waits in ``TMPDIR``. ``ordered=False`` yields them in the order of arrival, which is faster
    where one document is slow. A site is fetched once however often its entries are iterated: the
    responses are kept in ``TMPDIR`` as long as the object lives, up to 256 MB packed. Beyond, or
    with ``keep=False``, a second iteration raises :class:`urlset.SourceError`.

    A URL of an object store (``s3://bucket/sitemap.xml``; ``s3://bucket/maps/`` for all sitemaps
    below) is read with ``urlset[cloud]``, ``file://`` like its path.

    An index is followed to its children, ``follow=False`` leaves them alone. Those of a file
    must lie beside it: below its folder, under the longest end of their path that exists there.
    In a folder every file is read that may be a sitemap by its ending (``.xml``, ``.txt``,
    ``.rss``, ``.atom``, also with ``.gz``) and is one by its content. ``base`` is the URL at which
    the source is to lie, for references in it: of a folder, or of a document itself; a file lies
    below a ``base`` that ends with a slash. ``limit_bytes`` caps each document. A store
    (``.duckdb``) gives back what was read into it, a file of Parquet its rows.

    ``since`` (a date) leaves out entries whose ``lastmod`` is older or absent, and skips the
    children that have not changed since by the word of their index. ``match`` and ``exclude``
    are regular expressions for URLs, ``hosts`` the hosts to be kept. ``in_scope`` keeps what a
    sitemap may list: what lies below its folder, and what is of a host whose robots.txt declares
    it. After ``limit`` entries the reading ends.

    Raises :class:`urlset.SourceError` where there is nothing to read at all. A child that is
    missing, a page of HTML or half a file does not raise but is a record with an ``error`` in
    :attr:`Entries.documents`, unless ``fail_fast`` is set.

    >>> [entry.loc for entry in read(b"https://example.com/")]
    ['https://example.com/']
    """
    engines.get(engine)  # one that is not there is told now, not with the first row
    selection = EntryFilter.of(
        since=since, match=match, exclude=exclude, hosts=hosts, in_scope=in_scope
    )
    if limit is not None and limit < 0:
        raise ValueError(f"limit: expected 0 or more, found {limit}")
    common: dict[str, Any] = {
        "engine": engine,
        "limit": limit_bytes,
        "follow": follow,
        "since": selection.since,
    }
    form = stored_form(source)
    if is_url(source):
        from urlset.reader.site import Site

        folder = None if cache is None else os.fspath(cache)
        reading: Any = Site(
            source,
            policy=policy,
            auth=auth,
            cache=folder,
            robots=robots,
            ordered=ordered,
            keep=keep,
            **common,
        )
    elif form is not None:
        reading = StoredDocuments(form, os.fspath(source))  # type: ignore[arg-type]
    else:
        reading = FileWalk(finder_of(source, base, limit_bytes), **common)
    name = getattr(source, "name", None) if hasattr(source, "read") else source
    return Entries(
        reading,
        source=os.fspath(name) if isinstance(name, str | os.PathLike) else None,
        selection=selection,
        limit=limit,
        fail_fast=fail_fast,
        is_in_memory=isinstance(source, bytes | bytearray | memoryview),
    )


def read_stored(
    path: str,
    name: str,
    *,
    since: Moment | None = None,
    match: str | re.Pattern[str] | None = None,
    exclude: str | re.Pattern[str] | None = None,
    hosts: Iterable[str] | None = None,
    in_scope: bool = False,
) -> Entries:
    """Read a file of Parquet as the document ``name``, whose entries were put there."""
    selection = EntryFilter.of(
        since=since, match=match, exclude=exclude, hosts=hosts, in_scope=in_scope
    )
    reading = StoredDocuments("parquet", path, name)
    return Entries(reading, source=name, selection=selection, limit=None, fail_fast=False)


def is_url(source: object) -> TypeGuard[str]:
    """Tell a source that is to be fetched."""
    return isinstance(source, str) and _HTTP.match(source) is not None


def entries_from(finder: DocumentSource, engine: str | None, limit: int) -> Entries:
    """The entries of documents that lie where ``finder`` finds them; each has ``limit`` bytes."""
    reading = FileWalk(finder, engine=engine, limit=limit, follow=True)
    selection = EntryFilter.of(since=None, match=None, exclude=None, hosts=None, in_scope=False)
    return Entries(reading, selection=selection, limit=None, fail_fast=False)


def finder_of(source: Source, base: str | None, limit: int) -> DocumentSource:
    """Who finds the documents of a source that is no URL; raises :class:`urlset.SourceError`."""
    if isinstance(source, bytes | bytearray | memoryview):
        data = bytes(source)
        return SingleDocument(None, base, lambda: data)
    if hasattr(source, "read"):
        name = getattr(source, "name", None)  # of a descriptor, a number
        shown = name if isinstance(name, str) else None
        file: Any = source
        return SingleDocument(shown, base, lambda: _drain(file, limit))
    if source == "-":
        return SingleDocument("-", base, lambda: _drain(sys.stdin.buffer, limit))
    if isinstance(source, str | os.PathLike):
        path = os.fspath(source)
        if is_object_url(path):
            from urlset.reader.object_store import Objects

            return Objects(path, base, limit)
        if _FILE.match(path):
            path = _path_of(path)
        elif _SITE.fullmatch(path) and not os.path.lexists(path):
            raise SourceError(
                f"expected a file or a folder, found nothing at {path!r}; to read the site of "
                f"that name, write https://{path}"
            )
        return FileSystemSource(path, base, limit)
    if isinstance(source, Mapping):
        return MemorySource(source)
    raise SourceError(
        f"expected a path, a URL, '-', bytes or an open binary file, found {type(source).__name__}"
    )


def _path_of(url: str) -> str:
    """The path of a ``file://`` URL; of this machine only."""
    host, slash, rest = url.partition("://")[2].partition("/")
    if host.lower() not in ("", "localhost"):
        raise SourceError(f"expected file:///path, found {url!r}, which names the host {host!r}")
    return url2pathname(slash + rest) if os.name == "nt" else unquote(slash + rest)


def _drain(file: IO[bytes], limit: int) -> bytes:
    try:
        return read_at_most(file, limit)
    except TypeError as error:
        raise SourceError(f'expected a file opened in binary mode ("rb"): {error}') from error
    except OSError as error:
        raise SourceError(f"expected an open file that can be read: {error.strerror}") from error
