"""Walk of a site with known documents: request only those that may have changed.

The walk of :func:`urlset.read` decides what is requested. Requests are conditional here, and
documents that have not changed are answered from the history.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Literal, NamedTuple

from urlset.http import Request, Response
from urlset.live.history.reader import DocumentState
from urlset.model import Sitemap
from urlset.reader import Visit
from urlset.reader.document_queue import FetchTask
from urlset.reader.site_walk import SiteWalk
from urlset.robots import Robots, robots_from_response

HOME_EVERY = timedelta(days=1)
"""Time between two requests of the home page, if it names no sitemap."""

FALLBACKS = ("well-known", "feed")
"""How documents are found that are requested only if nothing names a sitemap."""


class UnreadRobots(NamedTuple):
    """Why a robots.txt that was read before has no content: it is refused, or is an HTML page."""

    state: Literal["refused", "html"]
    why: str


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
        unread_robots: Robots.txt files, by URL, that were read before and have no content now.
        has_skipped_paths: Whether a path that may be a sitemap was not tried, because the site had
            sitemaps at the step before.
    """

    same: set[str] = field(default_factory=set)
    trusted: set[str] = field(default_factory=set)
    validators: dict[str, dict[str, str | None]] = field(default_factory=dict)
    request_count: int = 0
    byte_count: int = 0
    home: Response | None = None
    unread_robots: dict[str, UnreadRobots] = field(default_factory=dict)
    has_skipped_paths: bool = False


class RevisitWalk:
    """Walk that wraps a :class:`SiteWalk` and answers what has not changed from the history.

    ``known`` has the documents by URL, as of the step before. Those of ``rechecked`` are requested
    even if their index has the same date; with ``skips_home`` the home page is not requested.
    ``declared`` has the sitemaps of each robots.txt, by its URL: those of one that is refused now,
    or is an HTML page, are requested, too. ``held_steps`` is the number of failures up to which a
    document is requested in each step: up to it, no step before has accepted what it has.
    """

    def __init__(
        self,
        walk: SiteWalk,
        known: Mapping[str, DocumentState],
        *,
        held_steps: int,
        rechecked: frozenset[str] = frozenset(),
        skips_home: bool = False,
        declared: Mapping[str, Iterable[str]] | None = None,
    ):
        self._declared = declared or {}
        self.revisit: Revisit = Revisit()
        self._walk = walk
        self._known = known
        # The entries of a document that nothing listed are not kept.
        self._kept = {
            url: each
            for url, each in known.items()
            if each.verified_at is not None and each.kind is not None and each.state != "unlisted"
        }
        self._rechecked = rechecked
        self._held_steps = held_steps
        self._skips_home = skips_home
        self._visits: list[Visit] = []
        roots = [each for each in known.values() if each.how not in ("index", "home")]
        # One that was not found at the step before may have moved: all paths are tried.
        self._has_roots = any(each.state == "listed" for each in roots) and not any(
            each.state == "failed" and each.how in FALLBACKS for each in roots
        )

    def next_request(self) -> Request | None:
        """Return the next request that has to be sent, conditional if the document is known."""
        while (request := self._walk.next_request()) is not None:
            answer = self._answer(request)
            if answer is None:
                return self._conditional(request)
            self._visits += answer
        return None

    def handle(self, response: Response) -> Iterator[Visit]:
        """Process a response, or the known document if it reports no change; yield visits."""
        revisit, request = self.revisit, response.request
        revisit.request_count += 1
        revisit.byte_count += response.wire_size
        if request.purpose == "home":
            revisit.home = response
        if request.purpose == "robots":
            response = self._with_former_sitemaps(response)
        known = self._unchanged(response) if isinstance(request.token, FetchTask) else None
        if known is None:
            yield from self._walk.handle(response)
        else:
            yield from self._walk.handle_unchanged(response, self._children_of(known))
        yield from self.pending()

    def pending(self) -> Iterator[Visit]:
        """Yield the visits of documents that were answered without a request."""
        while self._visits:
            yield self._visits.pop(0)

    def _answer(self, request: Request) -> Iterable[Visit] | None:
        """Return the visits of a document that is not requested; None if it has to be."""
        known = self._known.get(request.url)
        if request.purpose == "home" and self._skips_home:
            return self._walk.handle(Response(request, request.url, status=404))
        task = request.token
        if not isinstance(task, FetchTask):
            return None
        if known is None or known.state not in ("listed", "failed"):
            if task.how not in FALLBACKS or not self._has_roots:
                return None
            self.revisit.has_skipped_paths = True
            return self._walk.handle(Response(request, request.url, status=404))
        if (
            task.how == "index"
            and known.state == "listed"
            # While it holds back removals, and once after that, what it has is not known.
            and (not known.failures or known.failures > self._held_steps)
            and known.kind not in (None, "index")
            and known.verified_at is not None
            and task.lastmod is not None
            and task.lastmod == known.lastmod
            and request.url not in self._rechecked
        ):
            self.revisit.trusted.add(request.url)
            response = Response(request, request.url, scope=request.scope)
            return self._walk.handle_unchanged(response, self._children_of(known))
        return None

    def _conditional(self, request: Request) -> Request:
        known = self._kept.get(request.url)
        if known is None:
            return request
        return request._replace(etag=known.etag, last_modified=known.last_modified)

    def _unchanged(self, response: Response) -> DocumentState | None:
        """Return the known document if a response reports no change; None to read the response."""
        url = response.request.url
        known = self._kept.get(url)
        is_conditional = response.request.etag or response.request.last_modified
        if response.status == 304 and known is not None and is_conditional:
            self.revisit.validators[url] = {
                "etag": response.headers.get("etag", known.etag),
                "last_modified": response.headers.get("last-modified", known.last_modified),
            }
            self.revisit.same.add(url)
            return known
        if not response.has_document or not response.is_whole or response.error is not None:
            return None
        digest = digest_of(response.body)
        # After a redirect, they are those of another URL.
        headers = {} if response.redirects else response.headers
        self.revisit.validators[url] = {
            "etag": headers.get("etag"),
            "last_modified": headers.get("last-modified"),
            "digest": digest,
        }
        if known is not None and known.digest == digest:
            self.revisit.same.add(url)
            # An index is parsed anew: its children are in it.
            return None if known.kind == "index" else known
        return None

    def _with_former_sitemaps(self, response: Response) -> Response:
        """Return a response for a robots.txt; one without content declares the former sitemaps."""
        url = response.request.url
        if url not in self._declared:
            return response
        robots = robots_from_response(response)
        if robots.state == "refused":
            answer = response.message or f"HTTP {response.status}"
            why = f"{answer}; it may exist, so its former content is kept"
            self.revisit.unread_robots[url] = UnreadRobots("refused", why)
        elif is_html_page(robots):
            why = "expected robots.txt, found an HTML page; the former content is kept"
            self.revisit.unread_robots[url] = UnreadRobots("html", why)
        else:
            return response
        lines = "".join(f"Sitemap: {sitemap}\n" for sitemap in self._declared[url])
        return response._replace(
            status=200, headers={}, body=lines.encode(), is_whole=True, error=None, message=None
        )

    def _children_of(self, known: DocumentState) -> Iterator[Sitemap]:
        """Yield the sitemaps that an unchanged document lists."""
        if known.kind == "index":
            for child in self._known.values():
                if child.parent == known.source and child.state != "unlisted":
                    yield Sitemap(child.source, child.lastmod)


_FIELD = re.compile(r"^[ \t]*(?:user-?agent|allow|disallow|crawl-delay)[ \t]*:", re.I | re.M)


def is_html_page(robots: Robots) -> bool:
    """Return whether a robots.txt is markup without a line of the protocol."""
    is_markup = robots.state == "read" and robots.text.lstrip().startswith("<")
    return is_markup and not robots.sitemaps and not _FIELD.search(robots.text)


def digest_of(body: bytes) -> str:
    """Return the hash of the bytes of a document.

    >>> digest_of(b"")
    'e3b0c44298fc1c149afbf4c8996fb924'
    """
    return hashlib.sha256(body).hexdigest()[:32]
