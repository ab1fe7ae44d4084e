"""Walk of a site with known documents: request only those that may have changed.

The walk of :func:`urlset.read` decides what is requested. Requests are conditional here, and
documents that have not changed are answered from the history: an index by its children, any other
sitemap by one without entries.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from html import escape
from types import MappingProxyType

from urlset.http import Request, Response
from urlset.reader import Visit
from urlset.reader.document_queue import FetchTask
from urlset.reader.site_walk import SiteWalk
from urlset.store import DocumentState

HOME_EVERY = timedelta(days=1)
"""Time between two requests of the home page, if it names no sitemap."""

_XML = MappingProxyType({"content-type": "application/xml"})


@dataclass
class Revisit:
    """Facts of a revisit besides its visits: unchanged documents, validators, request counts.

    Attributes:
        same: Documents that the server reports as unchanged, or that have the same bytes.
        trusted: Documents that were not requested, because their index has the same date.
        validators: Header values of each response with a document, and the hash of its body.
        request_count: Requests that were sent.
        byte_count: Bytes of the bodies that were transferred.
        home: Response to the request of the home page, if it was sent.
    """

    same: set[str] = field(default_factory=set)
    trusted: set[str] = field(default_factory=set)
    validators: dict[str, dict[str, str | None]] = field(default_factory=dict)
    request_count: int = 0
    byte_count: int = 0
    home: Response | None = None


class RevisitWalk:
    """Walk that wraps a :class:`SiteWalk` and answers what has not changed from the history.

    Args:
        walk: The walk of the site.
        known: Documents by URL, as of the step before.
        rechecked: URLs that are requested even if their index has the same date.
        now: Time of the step.
        skips_home: Whether the home page is not requested.
    """

    def __init__(
        self,
        walk: SiteWalk,
        known: Mapping[str, DocumentState],
        *,
        rechecked: frozenset[str] = frozenset(),
        skips_home: bool = False,
    ):
        self.revisit: Revisit = Revisit()
        self._walk = walk
        self._known = known
        self._rechecked = rechecked
        self._skips_home = skips_home
        self._visits: list[Visit] = []
        roots = (each for each in known.values() if each.state == "listed")
        self._has_roots = any(each.how != "index" for each in roots)

    def next_request(self) -> Request | None:
        """Return the next request that has to be sent, conditional if the document is known."""
        while (request := self._walk.next_request()) is not None:
            answer = self._answer(request)
            if answer is None:
                return self._conditional(request)
            self._visits += self._walk.handle(answer)
        return None

    def handle(self, response: Response) -> Iterator[Visit]:
        """Process a response, or the known document if it reports no change; yield visits."""
        revisit, request = self.revisit, response.request
        revisit.request_count += 1
        revisit.byte_count += response.wire_size
        if request.purpose == "home":
            revisit.home = response
        if isinstance(request.token, FetchTask):
            response = self._checked(response)
        yield from self._walk.handle(response)
        yield from self.pending()

    def pending(self) -> Iterator[Visit]:
        """Yield the visits of documents that were answered without a request."""
        while self._visits:
            yield self._visits.pop(0)

    def _answer(self, request: Request) -> Response | None:
        """Return a response from the history to a request; None if the request must be sent."""
        known = self._known.get(request.url)
        if request.purpose == "home" and self._skips_home:
            return Response(request, request.url, status=404)
        task = request.token
        if not isinstance(task, FetchTask):
            return None
        if known is None or known.state not in ("listed", "failed"):
            is_search = task.how in ("well-known", "feed") and self._has_roots
            return Response(request, request.url, status=404) if is_search else None
        if (
            task.how == "index"
            and known.state == "listed"
            and known.kind not in (None, "index")
            and known.verified_at is not None
            and task.lastmod is not None
            and task.lastmod == known.lastmod
            and request.url not in self._rechecked
        ):
            self.revisit.trusted.add(request.url)
            return self._unchanged(Response(request, request.url, scope=request.scope), known)
        return None

    def _conditional(self, request: Request) -> Request:
        known = self._known.get(request.url)
        if known is None or known.verified_at is None or known.kind is None:
            return request
        return request._replace(etag=known.etag, last_modified=known.last_modified)

    def _checked(self, response: Response) -> Response:
        """Return the response, or one made from the history if the document has not changed."""
        url = response.request.url
        known = self._known.get(url)
        is_conditional = response.request.etag or response.request.last_modified
        if response.status == 304 and known is not None and is_conditional:
            headers = response.headers
            self.revisit.validators[url] = {
                "etag": headers.get("etag", known.etag),
                "last_modified": headers.get("last-modified", known.last_modified),
            }
            self.revisit.same.add(url)
            return self._unchanged(response, known)
        if not response.has_document or not response.is_whole or response.error is not None:
            return response
        digest = digest_of(response.body)
        self.revisit.validators[url] = {
            "etag": response.headers.get("etag"),
            "last_modified": response.headers.get("last-modified"),
            "digest": digest,
        }
        is_same = known is not None and known.verified_at is not None and known.digest == digest
        if is_same and known is not None and known.kind is not None:
            self.revisit.same.add(url)
            # An index is parsed anew: its children are in it.
            return response if known.kind == "index" else self._unchanged(response, known)
        return response

    def _unchanged(self, response: Response, known: DocumentState) -> Response:
        """Return a response with a minimal document in place of an unchanged one."""
        if known.kind == "index":
            rows = "".join(
                f"<sitemap><loc>{escape(child.source)}</loc>{_lastmod(child.lastmod)}</sitemap>"
                for child in self._known.values()
                if child.parent == known.source and child.state != "unlisted"
            )
            body = f'<sitemapindex xmlns="{_NAMESPACE}">{rows}</sitemapindex>'
        else:
            row = f"<url><loc>{escape(known.source)}</loc></url>"
            body = f'<urlset xmlns="{_NAMESPACE}">{row}</urlset>'
        return response._replace(
            status=200, headers=_XML, body=body.encode(), is_whole=True, error=None, message=None
        )


_NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"


def _lastmod(moment: datetime | None) -> str:
    return "" if moment is None else f"<lastmod>{moment.isoformat()}</lastmod>"


def digest_of(body: bytes) -> str:
    """Return the hash of the bytes of a document.

    >>> digest_of(b"")
    'e3b0c44298fc1c149afbf4c8996fb924'
    """
    return hashlib.sha256(body).hexdigest()[:32]
