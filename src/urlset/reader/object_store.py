"""Documents in an object store: an object, or all sitemaps below a prefix, and their children."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

from urlset.errors import SourceError, TargetError
from urlset.http import Request, Response, ResponseCache
from urlset.object_store import ObjectStore
from urlset.reader.filesystem import path_tails
from urlset.reader.locations import Location
from urlset.urls import split_origin

__all__ = ["Objects"]

MAX_KEYS = 100_000
"""Objects below a prefix that are listed: a bucket may hold billions."""

_SITEMAP = re.compile(r"(?:.*/)?[^/.][^/]*\.(?:xml|txt|rss|atom)(?:\.gz)?", re.IGNORECASE)


class Objects:
    """A URL as ``s3://bucket/sitemap.xml``, or ``s3://bucket/maps/`` for all sitemaps there."""

    def __init__(self, url: str, base: str | None, limit: int):
        prefix, slash, self._name = url.partition("://")[2].partition("/")
        folder, _, self._name = self._name.rpartition("/")
        scheme = url.partition("://")[0].lower()
        self._url = f"{scheme}://{prefix}{slash if folder else ''}{folder}"
        self._base = base
        self._limit = limit
        self._cache = ResponseCache()
        try:
            self._cloud = ObjectStore.of(self._url, allow_http=False)
        except TargetError as error:
            raise SourceError(str(error), failure="unreadable") from error

    def places(self) -> Iterator[Location]:
        """The object; or those below the prefix whose names are those of sitemaps."""
        if self._cache.is_full:
            raise SourceError(
                f"{self._url} was read already, and is too large to be kept: expected one pass "
                "over its entries; call urlset.read() again to fetch it again"
            )
        if self._name:
            yield self._place(self._name)._replace(is_named=True)
            return
        names = [key for key in self._keys if _SITEMAP.fullmatch(key)]
        if not names:
            raise SourceError(
                f"expected sitemaps below {self._url}/, found none: no object is called .xml, "
                ".txt, .rss or .atom"
            )
        for name in sorted(names, key=lambda name: ("index" not in name.lower(), name)):
            yield self._place(name)._replace(is_guess=True)

    def child(self, loc: str, parent: Location, /) -> Location:
        """The object below the prefix that the longest end of the path of ``loc`` names."""
        folder = str(parent.key).rpartition("/")[0]
        keys = set(self._keys)
        for tail in path_tails(loc):
            for start in dict.fromkeys((folder, "")):
                key = "/".join([*([start] if start else []), *tail])
                if key in keys:
                    return self._place(key)._replace(base=loc)
        raise SourceError(
            f"listed but missing: expected an object below {self._url}/ for {loc}",
            failure="missing",
        )

    def robots(self) -> Iterator[tuple[str, bytes]]:
        """The robots.txt at the prefix, where that is to be the top of a site."""
        scheme, host, path = split_origin(self._base or "")
        if host and not path.rpartition("/")[0].strip("/") and "robots.txt" in self._keys:
            yield f"{scheme}://{host}/robots.txt", self._load("robots.txt")

    @cached_property
    def _keys(self) -> list[str]:
        try:
            return self._cloud.keys(MAX_KEYS)
        except TargetError as error:
            raise SourceError(str(error), failure="unreachable") from error

    def _place(self, key: str) -> Location:
        return Location(f"{self._url}/{key}", self._url_of(key), lambda: self._load(key), key)

    def _url_of(self, key: str) -> str | None:
        if self._base is None or (self._name and not self._base.endswith("/")):
            return self._base
        return f"{self._base.rstrip('/')}/{key}"

    def _load(self, key: str) -> bytes:
        request = Request(f"{self._url}/{key}")
        if self._cache.has(request):
            return self._cache.get(request).body
        data = self._fetch(key)
        self._cache.put(Response(request, request.url, status=200, body=data))
        return data

    def _fetch(self, key: str) -> bytes:
        try:
            data = self._cloud.read(key, self._limit)
        except TargetError as error:
            raise SourceError(str(error), failure="unreachable") from error
        if data is None:
            raise SourceError(
                f"expected an object, found nothing at {self._url}/{key}; check the name, and "
                "end it with a slash to read all sitemaps below it",
                failure="missing",
            )
        return data
