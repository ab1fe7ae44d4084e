"""Responses of one walk, kept so that the next walk over the same site need not fetch them."""

from __future__ import annotations

from collections.abc import Hashable

from urlset.http.models import Request, Response
from urlset.http.response_store import ResponseStore
from urlset.http.retry import is_worth_retrying

__all__ = ["Memory"]

MAX_BYTES = 256 << 20
"""Packed bytes that are kept, some 3 GB of sitemaps; those of a greater site are dropped."""


class Memory:
    """Responses by their request; of faults that may pass none, so that they are fetched again."""

    def __init__(self, max_bytes: int = MAX_BYTES) -> None:
        self._store = ResponseStore(max_bytes)

    @property
    def is_full(self) -> bool:
        """Whether there were too many bytes, so that nothing is kept any more."""
        return self._store.is_full

    def has(self, request: Request) -> bool:
        """Tell whether the response to a request is kept."""
        return _key(request) in self._store

    def recall(self, request: Request) -> Response:
        """Return the response that is kept, as one to this request."""
        return self._store.get(_key(request))._replace(request=request)

    def keep(self, response: Response) -> None:
        """Keep a response, unless it reports a fault that may pass, or is "not modified"."""
        if response.status != 304 and not is_worth_retrying(response):
            bare = response.request._replace(token=None)
            try:
                self._store.put(_key(bare), response._replace(request=bare))
            except OSError:  # TMPDIR is full: treated as too many bytes
                self._store.give_up()

    def close(self) -> None:
        """Forget everything."""
        self._store.close()


def _key(request: Request) -> Hashable:
    return request.url, request.max_bytes, request.reach
