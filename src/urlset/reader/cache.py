"""Documents kept on disk between readings, so that what did not change is not fetched again."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, NamedTuple

from urlset.errors import TargetError
from urlset.http import Request, Response, Walk, document_key
from urlset.reader.documents import Visit

__all__ = ["CachedWalk"]

_MAGIC = "urlset-cache-1"
_KEPT = ("content-type", "etag", "last-modified", "link")


class CachedWalk:
    """A walk whose requests ask for what changed, and whose answers come from a folder if nothing.

    A file for each document has its facts and its body, and appears whole or not at all: two
    processes may share a folder without a lock, the later one wins. What is damaged or gone is
    fetched again. Only what came whole, and with an ETag or a Last-Modified, is kept.
    """

    def __init__(self, walk: Walk[Visit], folder: str):
        self._walk = walk
        self._folder = folder
        self._again: list[Request] = []
        try:
            os.makedirs(folder, exist_ok=True)
        except OSError as error:
            raise TargetError(f"cannot keep documents in {folder!r}: {error.strerror}") from error

    def next_request(self) -> Request | None:
        """The next request, conditional where there is something to fall back on."""
        if self._again:
            return self._again.pop()
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
        """Take a response; 304 is answered with what is kept."""
        request = response.request
        path = self._path(request.url)
        if response.status == 304:
            kept = _load(path, with_body=True)
            if kept is None:  # another process took it away in the meantime
                self._again.append(request._replace(etag=None, last_modified=None))
                return
            response = response._replace(
                url=kept.url,
                status=200,
                headers={**kept.headers, **response.headers},
                body=kept.body,
                is_from_cache=True,
            )
        elif response.has_document and response.is_whole and response.error is None:
            self._keep(path, response)
        yield from self._walk.handle(response)

    def _path(self, url: str) -> str:
        name = hashlib.sha256(document_key(url).encode(errors="surrogatepass")).hexdigest()
        return os.path.join(self._folder, name)

    def _keep(self, path: str, response: Response) -> None:
        headers = {name: response.headers[name] for name in _KEPT if name in response.headers}
        if "etag" not in headers and "last-modified" not in headers:
            return
        facts = {
            "format": _MAGIC,
            "url": response.url,
            "headers": headers,
            "sha256": hashlib.sha256(response.body).hexdigest(),
        }
        beside: str | None = None
        try:
            number, beside = tempfile.mkstemp(prefix=".part-", dir=self._folder)
            with os.fdopen(number, "wb") as file:
                file.write(json.dumps(facts).encode() + b"\n")
                file.write(response.body)
            os.replace(beside, path)
            beside = None
        except OSError as error:
            raise TargetError(
                f"cannot keep documents in {self._folder!r}: {error.strerror}"
            ) from error
        finally:
            if beside is not None:
                with suppress(OSError):
                    os.unlink(beside)


class _Kept(NamedTuple):
    url: str
    headers: dict[str, str]
    body: bytes


def _load(path: str, *, with_body: bool) -> _Kept | None:
    """What is kept of a document; None where there is nothing, or nothing to be relied on."""
    try:
        with open(path, "rb") as file:
            facts: Any = json.loads(file.readline())
            body = file.read() if with_body else b""
        if facts["format"] != _MAGIC:
            return None
        if with_body and hashlib.sha256(body).hexdigest() != facts["sha256"]:
            os.unlink(path)
            return None
        return _Kept(facts["url"], facts["headers"], body)
    except (OSError, ValueError, TypeError, KeyError):
        return None
