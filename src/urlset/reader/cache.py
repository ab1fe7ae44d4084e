"""Cache of documents on disk between runs, validated with conditional requests."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, NamedTuple

from urlset.errors import TargetError
from urlset.http import Request, Response, Walk, document_key
from urlset.reader.documents import Visit

__all__ = ["CachedWalk"]

logger = logging.getLogger("urlset.http")

_MAGIC = "urlset-cache-1"
_HEADERS = ("content-type", "etag", "last-modified", "link")


class CachedWalk:
    """A walk with conditional requests, whose unchanged documents are read from a folder.

    Each document is one file with its headers and its body, written atomically: processes may
    share a folder without a lock, and the last one wins. A damaged or missing file is fetched
    again. Only complete documents with an ETag or a Last-Modified are stored.
    """

    def __init__(self, walk: Walk[Visit], folder: str):
        self._walk = walk
        self._folder = folder
        self._repeated: list[Request] = []
        try:
            os.makedirs(folder, exist_ok=True)
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
        """Handle a response; for status 304 with the cached document."""
        request = response.request
        path = self._path(request.url)
        if response.status == 304:
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
        elif response.has_document and response.is_whole and response.error is None:
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
    except (OSError, ValueError, TypeError, KeyError):
        return None
