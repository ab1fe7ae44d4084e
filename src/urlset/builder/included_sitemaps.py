"""List the sitemaps of other systems in the index of a set, after they were read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from urlset.builder.options import BuildOptions
from urlset.builder.sections import FileNames
from urlset.engine import Engine
from urlset.errors import SourceError
from urlset.option_names import option
from urlset.protocol import MAX_BYTES, MAX_URLS
from urlset.publisher import Target
from urlset.reader import DocumentRecord, read
from urlset.urls import split_origin
from urlset.writer.file_set import read_index


class ListedSitemap(NamedTuple):
    """A sitemap of another system, as the index of the set lists it."""

    loc: str
    lastmod: datetime | None


@dataclass
class IncludedSitemaps:
    """The sitemaps to list, and the errors of those that cannot be read."""

    listed: list[ListedSitemap] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)


def read_included(settings: BuildOptions, engine: Engine, target: Target) -> IncludedSitemaps:
    """Read the sitemaps that ``include_sitemaps`` names; return those that the index lists.

    An index is replaced by the sitemaps that it lists, because no index may list another one
    (https://www.sitemaps.org/protocol.html#index). Their dates are those of their index; the date
    of a sitemap that the user named is not known.

    Raises ValueError for a file of the set itself, and SourceError if a sitemap cannot be read, or
    no engine would read it. With ``on_error="skip"`` what the published index lists of it stays.
    """
    found = IncludedSitemaps()
    names, existing = FileNames(settings), target.names()
    own_names = {name for name in existing if names.parse(name) is not None}
    own_names |= {names.index("", 1), *names.index_candidates(existing)}
    own = {settings.base + name for name in own_names}
    for url in settings.include_sitemaps:
        if url in own:
            raise ValueError(
                f"expected sitemaps of other systems in {option('include_sitemaps')}, found {url}, "
                "which is a file of this build or has the name of one; remove it, as the index "
                "lists these files anyway, or give the files of this build other names: "
                f"{option('name')}"
            )
    listed: dict[str, ListedSitemap] = {}
    for url in settings.include_sitemaps:
        try:
            sitemaps = list(_readable(url, settings))
        except SourceError as error:
            if settings.on_error == "raise":
                raise SourceError(
                    f"{option('include_sitemaps')}: {error}; nothing was published"
                ) from error
            found.failures.append(f"{option('include_sitemaps')}: {error}")
            folder = url.rpartition("/")[0] + "/"
            before = _listed_before(settings, engine, target)
            sitemaps = [one for one in before if one.loc.startswith(folder)]
        for sitemap in sitemaps:
            if sitemap.loc not in own:
                listed.setdefault(sitemap.loc, sitemap)
    found.listed = list(listed.values())
    return found


def is_in_folder(loc: str, base: str) -> bool:
    """Return whether a URL has the path of a file in the folder of a set, on any host.

    >>> is_in_folder("https://www.example.com/sitemap-1.xml", "https://example.com/")
    True
    >>> is_in_folder("https://example.com/docs/sitemap.xml", "https://example.com/")
    False
    """
    return split_origin(loc)[2].rpartition("/")[0] == split_origin(base)[2].rpartition("/")[0]


def _readable(url: str, settings: BuildOptions) -> Iterator[ListedSitemap]:
    """Yield a sitemap, or those that an index lists; raise an error unless all can be read."""
    # Note: the login of the sources is not sent. Sitemaps are public.
    cache = None if settings.cache is None else str(settings.cache)
    entries = read(url, engine=settings.engine, policy=settings.policy, cache=cache, keep=False)
    is_any = False
    for record, _, _ in entries.batches():
        if record.how not in ("given", "index"):
            continue
        if problem := _problem(record):
            failure = record.failure or "unreadable"
            raise SourceError(f"{record.loc or url}: {problem}", failure=failure)
        if record.kind == "index" and record.how == "given":
            continue
        if fault := settings.host_fault(record.loc or url):
            raise SourceError(fault)
        is_any = True
        if record.same_as is None:
            yield ListedSitemap(record.loc or url, record.lastmod)
    if not is_any:
        raise SourceError(f"{url}: expected the URL of a sitemap with entries, found none")


def _problem(record: DocumentRecord) -> str | None:
    """Return why an index must not list a document, or None."""
    if record.error:
        return record.error
    if record.same_as is not None:
        return None
    if record.kind == "index":
        return "an index within an index, which no index may list" if record.depth else None
    if not record.entries:
        return "expected a sitemap with entries, found none"
    if record.entries > MAX_URLS:
        return f"expected at most {MAX_URLS:,} URLs, found {record.entries:,}"
    if record.size > MAX_BYTES:
        return f"expected at most {MAX_BYTES:,} bytes, found {record.size:,}"
    return None


def _listed_before(
    settings: BuildOptions, engine: Engine, target: Target
) -> Iterator[ListedSitemap]:
    """Yield what the published indexes list outside of the folder of the set."""
    for name in FileNames(settings).index_candidates(set(target.names())):
        data = target.read(name)
        for sitemap in read_index(data, engine, is_packed=settings.gzip) or () if data else ():
            if not is_in_folder(sitemap.loc, settings.base):
                yield ListedSitemap(sitemap.loc, sitemap.lastmod)
