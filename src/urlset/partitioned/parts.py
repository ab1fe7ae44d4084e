"""Divide a source into parts that other processes read."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

from urlset import engine as engines
from urlset.arguments import checked_arguments
from urlset.errors import SourceError
from urlset.formats.detect import stored_form
from urlset.protocol import READ_LIMIT
from urlset.reader import Source, document_source, is_url
from urlset.reader.document_sources import RobotsFile
from urlset.reader.filters import ChildFilter, EntryFilter, Moment
from urlset.reader.planned import PlannedDocument, PlanWalk

if TYPE_CHECKING:
    from urlset.http import Policy

PART_BYTES = 64 << 20
"""Estimated bytes of the documents of a part, after decompression: some 500,000 URLs."""

MAX_HOST_PARTS = 256
"""Parts into which the hosts of many sites are divided, unless the caller names a number."""

PartSource = Source | Iterable[str | os.PathLike[str]]
"""A source of :func:`urlset.read`, or several paths and URLs."""

PartKind = Literal["documents", "sites", "store", "warc"]


@dataclass(frozen=True, kw_only=True)
class ReadPart:
    """Part of a source, for :func:`urlset.partitioned.read` in any process; it can be pickled.

    Paths and buckets must be accessible there. Credentials of buckets are not part of it; those of
    a site (``auth``, ``policy``) are.

    Attributes:
        kind: ``documents`` of files, folders, buckets or memory; ``sites`` for URLs; ``store`` for
            a file that urlset wrote; ``warc`` for a web archive.
        size: Estimated bytes of its documents after decompression; 0 if unknown.
        documents: The documents, of a part of that kind.
        sources: The URLs of sites, or the path of a store or an archive.
        hosts: Hosts to which the part sends requests, without ``www.``; None if it is the only part
            with URLs.
        engine: Name of the engine; None for the fastest.
        max_bytes: Most bytes of a document.
        follow: Whether the children of indexes are read.
        since: Time from which entries are read.
        policy: Policy of requests.
        auth: Credentials for the origin of the URLs.
        cache: Folder with cached documents.
        robots: Whether robots.txt of every host is read.
        robots_files: The robots.txt files of a folder; only the first part of it has them.
    """

    kind: PartKind
    size: int = 0
    documents: tuple[PlannedDocument, ...] = field(default=(), repr=False)
    sources: tuple[str, ...] = ()
    hosts: frozenset[str] | None = None
    engine: str | None = None
    max_bytes: int = READ_LIMIT
    follow: bool = True
    since: datetime | None = None
    policy: Policy | None = None
    auth: str | tuple[str, str] | None = field(default=None, repr=False)
    cache: str | None = None
    robots: bool = False
    robots_files: tuple[RobotsFile, ...] = field(default=(), repr=False)

    def __repr__(self) -> str:
        from urlset.http import without_secrets

        values = {each.name: getattr(self, each.name) for each in fields(self) if each.repr}
        if self.kind == "sites":
            values["sources"] = tuple(map(without_secrets, self.sources))
        return f"ReadPart({', '.join(f'{name}={value!r}' for name, value in values.items())})"


@checked_arguments
def plan(
    source: PartSource,
    *,
    parts: int | None = None,
    part_bytes: int = PART_BYTES,
    base_url: str | None = None,
    engine: str | None = None,
    max_bytes: int = READ_LIMIT,
    follow: bool = True,
    since: Moment | None = None,
    policy: Policy | None = None,
    auth: str | tuple[str, str] | None = None,
    cache: str | os.PathLike[str] | None = None,
    read_robots: bool = False,
) -> list[ReadPart]:
    r"""Divide a source into parts that can be read independently, in other processes.

    Together the parts have the entries and documents of :func:`urlset.read`:

    - Of files, folders, buckets and documents in memory, the indexes are read here, and of other
      documents the first 64 KiB. The documents are grouped by their size.
    - A WARC file is one part.
    - Nothing of a site is requested here. All sites of one host are in one part, so that its
      robots.txt and its rate limits apply to all requests. If there are several such parts, a
      sitemap on a host of none of the URLs of a part is not read there: it is a row of
      ``documents`` with an error. Plan these URLs as a second step, which groups them by host.

    >>> from urlset.partitioned import read
    >>> maps = {f"https://example.com/{name}.txt": f"https://example.com/{name}/".encode()
    ...         for name in ("a", "b")}
    >>> for part in plan(maps, part_bytes=10):
    ...     for batch in read(part, columns=["loc"]):
    ...         print(batch.column("loc").to_pylist())
    ['https://example.com/a/']
    ['https://example.com/b/']

    Args:
        source: What to read, as in :func:`urlset.read`, or several paths and URLs.
        parts: Number of parts that is aimed at; by default it follows from ``part_bytes``, and for
            sites it is at most 256.
        part_bytes: Estimated bytes of the documents of a part, after decompression.
        base_url: URL of the source; see :func:`urlset.read`, as for the following.
        engine: Name of the engine.
        max_bytes: Most bytes that are read of one document.
        follow: Read the children of indexes.
        since: Exclude entries whose ``lastmod`` is older or missing; skip the children of an
            index that have not changed since then.
        policy: Limits and behaviour of the HTTP client.
        auth: Bearer token, or user and password.
        cache: Folder in which documents of sites are cached, on the machine that reads the part.
        read_robots: Request the robots.txt of each host of a document.

    Returns:
        The parts, in the order of their documents.

    Raises:
        SourceError: The source does not exist, or no document of it can be read.
        EngineError: The engine is not installed.
        ValueError: An argument is invalid.
    """
    engines.get(engine)
    for name, number in (("parts", 1 if parts is None else parts), ("part_bytes", part_bytes)):
        if number < 1:
            raise ValueError(f"{name}: expected 1 or more, found {number}")
    instant = EntryFilter.of(since=since)
    urls: list[str] = []
    planned: list[PlannedDocument] = []
    robots_files: list[RobotsFile] = []
    stores: list[str] = []
    archives: list[str] = []
    for one in _sources(source):
        if is_url(one):
            urls.append(one)
        elif (form := stored_form(one)) is not None:
            paths = archives if form == "warc" else stores
            paths.append(os.fspath(one))  # type: ignore[arg-type]
        else:
            walk = PlanWalk(
                document_source(one, base_url, max_bytes),
                engine=engine,
                max_bytes=max_bytes,
                children=ChildFilter(follow, instant.since),
            )
            planned += walk.documents()
            robots_files += walk.robots_files()
    if parts is not None:
        part_bytes = max(1, -(-sum(each.size for each in planned) // parts))
    common = ReadPart(
        kind="sites",
        policy=policy,
        auth=auth,
        cache=None if cache is None else os.fspath(cache),
        robots=read_robots,
        engine=engine,
        max_bytes=max_bytes,
        follow=follow,
        since=instant.since,
    )
    return [
        *(replace(common, kind="store", sources=(path,)) for path in stores),
        *(replace(common, kind="warc", sources=(path,)) for path in archives),
        *_document_parts(planned, part_bytes, common, robots_files),
        *_site_parts(urls, parts, common),
    ]


def _sources(source: Any) -> list[Source]:
    is_one = isinstance(source, str | os.PathLike | bytes | bytearray | memoryview)
    is_one = is_one or hasattr(source, "keys") or hasattr(source, "read")
    if is_one or not isinstance(source, Iterable):
        return [source]
    found = list(source)
    if not found:
        raise SourceError("expected paths or URLs, found none")
    return found


def _document_parts(
    documents: Iterable[PlannedDocument],
    part_bytes: int,
    common: ReadPart,
    robots_files: Iterable[RobotsFile],
) -> Iterator[ReadPart]:
    """Group documents in their order: at most ``part_bytes``, or one larger document."""
    common = replace(common, kind="documents")
    first = replace(common, robots_files=tuple(robots_files))
    group: list[PlannedDocument] = []
    size = 0
    for document in documents:
        if group and size + document.size > part_bytes:
            yield replace(first, size=size, documents=tuple(group))
            first, group, size = common, [], 0
        group.append(document)
        size += document.size
    if group:
        yield replace(first, size=size, documents=tuple(group))


def sites_of(part: ReadPart) -> list[tuple[str, ...]]:
    """Return the URLs of a part with sites, those of a host together; nothing for other parts."""
    return [*map(tuple, _by_host(part.sources).values())] if part.kind == "sites" else []


def _site_parts(urls: Iterable[str], parts: int | None, common: ReadPart) -> Iterator[ReadPart]:
    """Group URLs by host, and distribute the hosts evenly."""
    by_host = _by_host(urls)
    count = min(len(by_host), parts or MAX_HOST_PARTS)
    groups: dict[int, list[str]] = {}
    for number, host in enumerate(by_host):
        groups.setdefault(number % count, []).append(host)
    for hosts in groups.values():
        sources = tuple(url for host in hosts for url in by_host[host])
        gate = None if len(groups) == 1 else frozenset(hosts)
        yield replace(common, sources=sources, hosts=gate)


def _by_host(urls: Iterable[str]) -> dict[str, list[str]]:
    from urlset.http import site_host, without_secrets

    by_host: dict[str, list[str]] = {}
    for url in dict.fromkeys(urls):
        host = site_host(url)
        if host is None:
            raise SourceError(f"expected an http or https URL, found {without_secrets(url)!r}")
        by_host.setdefault(host, []).append(url)
    return by_host
