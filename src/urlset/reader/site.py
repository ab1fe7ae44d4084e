"""Read a site, or one of its sitemaps, over HTTP, with an optional cache on disk."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import tempfile
from collections.abc import AsyncGenerator, Generator, Iterator
from contextlib import aclosing, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from urlset.errors import SourceError, TargetError
from urlset.hidden_fields import repr_without
from urlset.http import (
    Policy,
    Request,
    Response,
    ResponseCache,
    RunPolicy,
    Walk,
    document_key,
    drive,
    drive_in_thread,
    request_url,
    run_policy,
    with_login,
    without_secrets,
)
from urlset.reader.documents import Visit
from urlset.reader.entries import OnResponse
from urlset.reader.site_walk import SiteWalk, walk_from

if TYPE_CHECKING:
    from urlset.reader.discovery import Attempt
    from urlset.robots import Robots

T = TypeVar("T")

logger: logging.Logger = logging.getLogger("urlset.http")

_MAGIC = "urlset-cache-1"
_HEADERS = ("content-type", "etag", "last-modified", "link")


class CachedWalk:
    """A walk with conditional requests, whose unchanged documents are read from a folder.

    Each document is one file with its headers and its body, written atomically: processes may
    share a folder without a lock, and the last one wins. A damaged or missing file is fetched
    again. Only complete documents with an ETag or a Last-Modified are stored, without redirects.
    """

    def __init__(self, walk: Walk[Visit], folder: str):
        self._walk = walk
        self._folder = folder
        self._repeated: list[Request] = []
        try:
            os.makedirs(folder, exist_ok=True)
        except FileExistsError as error:
            raise TargetError(
                f"cannot cache documents in {folder!r}: expected a folder, found a file; "
                "name another folder"
            ) from error
        except OSError as error:
            raise TargetError(f"cannot cache documents in {folder!r}: {error.strerror}") from error

    def next_request(self) -> Request | None:
        """Return the next request, conditional if the document is cached."""
        if self._repeated:
            return self._repeated.pop()
        request = self._walk.next_request()
        if request is None:
            return None
        facts = _load(self._path(request.url), with_body=False)
        if facts is None:
            return request
        headers = facts.headers
        return request._replace(
            etag=headers.get("etag"), last_modified=headers.get("last-modified")
        )

    def handle(self, response: Response) -> Iterator[Visit]:
        """Process a response, or the cached document for status 304; yield visits."""
        request = response.request
        path = self._path(request.url)
        if response.status == 304 and (request.etag or request.last_modified):
            cached = _load(path, with_body=True)
            if cached is None:  # another process removed it in the meantime
                self._repeated.append(request._replace(etag=None, last_modified=None))
                return
            logger.debug("%s: not modified, read from the cache", request.url)
            response = response._replace(
                url=cached.url,
                status=200,
                headers={**cached.headers, **response.headers},
                body=cached.body,
                is_from_cache=True,
            )
        elif (
            response.has_document
            and response.is_whole
            and response.error is None
            and not response.redirects  # else the headers are those of another URL
        ):
            self._store(path, response)
        yield from self._walk.handle(response)

    def _path(self, url: str) -> str:
        name = hashlib.sha256(document_key(url).encode(errors="surrogatepass")).hexdigest()
        return os.path.join(self._folder, name)

    def _store(self, path: str, response: Response) -> None:
        headers = {name: response.headers[name] for name in _HEADERS if name in response.headers}
        if "etag" not in headers and "last-modified" not in headers:
            return
        facts = {
            "format": _MAGIC,
            "url": response.url,
            "headers": headers,
            "sha256": hashlib.sha256(response.body).hexdigest(),
        }
        temporary: str | None = None
        try:
            number, temporary = tempfile.mkstemp(prefix=".part-", dir=self._folder)
            with os.fdopen(number, "wb") as file:
                file.write(json.dumps(facts).encode() + b"\n")
                file.write(response.body)
            os.replace(temporary, path)
            temporary = None
            logger.debug("%s: stored in the cache", response.url)
        except OSError as error:
            raise TargetError(
                f"cannot cache documents in {self._folder!r}: {error.strerror}"
            ) from error
        finally:
            if temporary is not None:
                with suppress(OSError):
                    os.unlink(temporary)


class _CachedDocument(NamedTuple):
    url: str
    headers: dict[str, str]
    body: bytes

    def __repr__(self) -> str:
        return repr_without(self, "headers", "body")


def _load(path: str, *, with_body: bool) -> _CachedDocument | None:
    """Return a cached document; None if it is missing or damaged."""
    try:
        with open(path, "rb") as file:
            facts: Any = json.loads(file.readline())
            body = file.read() if with_body else b""
        if facts["format"] != _MAGIC:
            return None
        if with_body and hashlib.sha256(body).hexdigest() != facts["sha256"]:
            os.unlink(path)
            return None
        return _CachedDocument(facts["url"], facts["headers"], body)
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return None


Auth = str | tuple[str, str]
"""A bearer token, or a user and a password."""


_NEW = "new"
"""Represents an empty response cache in a pickle."""


class SiteReader:
    """Reader of a site, or of one of its sitemaps, that can be used several times.

    Each reading reuses the responses of the one before. Responses with temporary errors are
    fetched again. ``options`` are further arguments of :class:`urlset.reader.site_walk.SiteWalk`.
    """

    def __init__(
        self,
        url: str,
        *,
        policy: Policy | None,
        auth: Auth | None,
        max_bytes: int,
        cache: str | None = None,
        ordered: bool = True,
        keep: bool = True,
        **options: Any,
    ):
        if request_url(url) is None:
            raise SourceError(f"expected an http or https URL, found {without_secrets(url)!r}")
        shared = run_policy(policy or _default(max_bytes))
        self._policy, self._url = with_login(shared, url, auth)
        self._options = {"max_bytes": max_bytes, "ordered": ordered, **options}
        self._cache = cache
        self._responses = ResponseCache() if keep else None
        self._was_read = False
        self._walk: SiteWalk | None = None

    def __getstate__(self) -> dict[str, object]:
        """Return the state to pickle: the arguments without the responses."""
        responses = None if self._responses is None else _NEW
        return {**vars(self), "_responses": responses, "_walk": None, "_was_read": False}

    def __setstate__(self, state: dict[str, object]) -> None:
        vars(self).update(state)
        if state["_responses"] == _NEW:
            self._responses = ResponseCache()

    @property
    def attempts(self) -> list[Attempt]:
        """The URLs that the latest reading tried in its search for sitemaps, with the outcome."""
        return self._walk.attempts if self._walk else []

    @property
    def robots(self) -> dict[str, Robots]:
        """The robots.txt files of the latest reading, by origin."""
        return self._walk.robots_cache.files if self._walk else {}

    def visits(self, on_response: OnResponse | None = None) -> Generator[Visit]:
        """Fetch in a thread, and yield document after document."""
        responses = self._cached_responses()
        site = self._walk = self._site_walk()
        walk = self._wrap(site, on_response)
        try:
            yield from drive_in_thread(walk, self._policy, cache=responses)
        finally:
            site.close()

    async def visits_async(self) -> AsyncGenerator[Visit]:
        """Yield document after document, fetched in the running event loop."""
        responses = self._cached_responses()
        site = self._walk = self._site_walk()
        walk = self._wrap(site, None)
        try:
            async with aclosing(drive(walk, self._policy, cache=responses)) as visits:
                async for visit in visits:
                    yield visit
        finally:
            site.close()

    def _cached_responses(self) -> ResponseCache | None:
        """Return the stored responses of the previous reading; raise an error if incomplete."""
        is_lost = self._was_read if self._responses is None else self._responses.is_full
        if self._was_read and isinstance(self._policy, RunPolicy):
            self._policy.known.forget_failures()
            self._policy.silent_hosts.clear()
        self._was_read = True
        if is_lost:
            reason = "with keep=False" if self._responses is None else "and is too large to cache"
            raise SourceError(
                f"{self._url} was already read, {reason}: expected one pass over its entries; call "
                "urlset.read() again to fetch it again, or read once with to_parquet or to_duckdb"
            )
        return self._responses

    def _site_walk(self) -> SiteWalk:
        agent, obey = product_token(self._policy.user_agent), self._policy.obey_robots
        return walk_from(self._url, agent=agent, obey=obey, **self._options)

    def _wrap(self, site: SiteWalk, on_response: OnResponse | None) -> Walk[Visit]:
        walk: Walk[Visit] = site if on_response is None else _ObservedWalk(site, on_response)
        return walk if self._cache is None else CachedWalk(walk, self._cache)


class _ObservedWalk:
    """Walk that wraps another one, and calls a function with every response."""

    def __init__(self, walk: SiteWalk, on_response: OnResponse):
        self.next_request = walk.next_request
        self._walk = walk
        self._on_response = on_response

    def handle(self, response: Response) -> Iterator[Visit]:
        """Call the function with a response, then let the wrapped walk process it."""
        self._on_response(response)
        yield from self._walk.handle(response)

    def take_early(self, response: Response) -> bool:
        """Let the wrapped walk take a response early; call the function if it does."""
        is_taken = self._walk.take_early(response)
        if is_taken:
            self._on_response(response)
        return is_taken


def _default(max_bytes: int) -> Policy:
    policy = Policy()
    most = max(max_bytes, policy.max_bytes)
    return replace(policy, max_bytes=most, max_wire_bytes=most)


def product_token(user_agent: str | None) -> str:
    """Return the product token for robots.txt: ``Bot`` of ``Bot/1.0 (+https://…)``."""
    return (user_agent or "").partition("/")[0].partition(" ")[0] or "urlset"
