"""Read sitemaps from an object store: one, or all below a prefix."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property, partial
from typing import ClassVar

from urlset.errors import SourceError, TargetError
from urlset.formats.compression import HEAD_BYTES
from urlset.http import Request, Response, ResponseCache
from urlset.object_store import ObjectStore
from urlset.reader.document_sources import (
    Head,
    Location,
    find_child,
    has_whole_path,
    is_same_url,
    path_suffixes,
    url_of_file,
)
from urlset.urls import split_origin

MAX_KEYS = 100_000
"""Objects that are listed below a prefix; a bucket may hold billions."""

_SITEMAP = re.compile(r"(?:.*/)?[^/.][^/]*\.(?:xml|txt|rss|atom)(?:\.gz)?", re.IGNORECASE)


class ObjectStoreSource:
    """Source of ``s3://bucket/sitemap.xml``, or ``s3://bucket/maps/`` for all sitemaps below."""

    is_local: ClassVar[bool] = False

    def __init__(self, url: str, base_url: str | None, max_bytes: int):
        prefix, slash, self._name = url.partition("://")[2].partition("/")
        folder, _, self._name = self._name.rpartition("/")
        scheme = url.partition("://")[0].lower()
        self._url = f"{scheme}://{prefix}{slash if folder else ''}{folder}"
        self._base_url = base_url
        self._max_bytes = max_bytes
        self._cache = ResponseCache()
        try:
            self._cloud = ObjectStore.of(self._url, allow_http=False)
        except TargetError as error:
            raise SourceError(str(error), failure="unreadable") from error

    def __getstate__(self) -> dict[str, object]:
        """Return the state to pickle: no credentials, no list of objects, no responses."""
        left_out = ("_cloud", "_cache", "_sizes", "_keys")
        return {name: value for name, value in vars(self).items() if name not in left_out}

    def __setstate__(self, state: dict[str, object]) -> None:
        vars(self).update(state)
        self._cache = ResponseCache()
        self._cloud = ObjectStore.of(self._url, allow_http=False)

    def locations(self) -> Iterator[Location]:
        """Yield the object, or the objects below the prefix with a file ending of sitemaps."""
        if self._cache.is_full:
            raise SourceError(
                f"{self._url} was already read, and is too large to cache: expected one pass "
                "over its entries; call urlset.read() again to fetch it again"
            )
        if self._name:
            yield self._location(self._name)._replace(is_named=True)
            return
        names = [key for key in self._keys if _SITEMAP.fullmatch(key)]
        if not names:
            raise SourceError(
                f"expected sitemaps below {self._url}/, found none: no name of an object ends "
                "with .xml, .txt, .rss or .atom"
            )
        for name in sorted(names, key=lambda name: ("index" not in name.lower(), name)):
            yield self._location(name)._replace(is_guess=True)

    def child(self, loc: str, above: Sequence[Location], /) -> Location:
        """Return the object below the prefix whose key is the longest suffix of the path."""
        place = f"an object below {self._url}/ for {loc}"
        return find_child(loc, above, self._candidates(loc, above[-1]), place)

    def _candidates(self, loc: str, parent: Location) -> Iterator[Location]:
        folder = str(parent.key).rpartition("/")[0]
        for suffix in path_suffixes(loc):
            for start in dict.fromkeys((folder, "")):
                key = "/".join([*([start] if start else []), *suffix])
                if key in self._sizes:
                    found = self._location(key)
                    top = self._url.partition("://")[2].split("/")[1:]
                    is_exact = (
                        has_whole_path(top, key.split("/"), loc)
                        if found.base_url is None
                        else is_same_url(found.base_url, loc)
                    )
                    yield found._replace(base_url=loc, is_exact=is_exact)

    def robots_files(self) -> Iterator[tuple[str, bytes]]:
        """Yield the robots.txt at the prefix, if that is the root of the site."""
        scheme, host, path = split_origin(self._base_url or "")
        if host and not path.rpartition("/")[0].strip("/") and "robots.txt" in self._keys:
            yield f"{scheme}://{host}/robots.txt", self._load("robots.txt")

    @property
    def _keys(self) -> list[str]:
        return list(self._sizes)

    @cached_property
    def _sizes(self) -> dict[str, int]:
        try:
            return self._cloud.sizes(MAX_KEYS)
        except TargetError as error:
            raise SourceError(str(error), failure="unreachable") from error

    def _location(self, key: str) -> Location:
        return Location(
            f"{self._url}/{key}",
            self._url_of(key),
            partial(self._load, key),
            key,
            load_head=partial(self._load_head, key),
        )

    def _url_of(self, key: str) -> str | None:
        if self._base_url is None:
            return None
        base = self._base_url
        if self._name:
            own = url_of_file(self._name, base) or base
            if key == self._name:
                return own
            base = own.rpartition("/")[0]
        return f"{base.rstrip('/')}/{key}"

    def _load(self, key: str) -> bytes:
        request = Request(f"{self._url}/{key}")
        if self._cache.has(request):
            return self._cache.get(request).body
        data = self._fetch(key, self._max_bytes)
        self._cache.put(Response(request, request.url, status=200, body=data))
        return data

    def _load_head(self, key: str) -> Head:
        head = self._fetch(key, HEAD_BYTES - 1)
        return Head(head, max(len(head), self._sizes.get(key, 0)))

    def _fetch(self, key: str, limit: int) -> bytes:
        try:
            data = self._cloud.read(key, limit)
        except TargetError as error:
            raise SourceError(str(error), failure="unreachable") from error
        if data is None:
            raise SourceError(
                f"expected an object, found nothing at {self._url}/{key}; check the name, or "
                "end it with a slash to read all sitemaps below it",
                failure="missing",
            )
        return data
