"""Walk of a site: request its sitemaps, parse each one, and follow indexes to their children."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any

from urlset.document import Document, parse_document
from urlset.errors import Failure, SourceError
from urlset.http import Request, Response, document_key, origin_of, request_url, site_host
from urlset.model import Sitemap
from urlset.protocol import MAX_NESTING, READ_LIMIT
from urlset.reader.discovery import Attempt, Discovery, Lead, RobotsCache, no_sitemap_message
from urlset.reader.document_queue import ArrivalQueue, FetchTask, OrderedQueue
from urlset.reader.documents import (
    DocumentRecord,
    Visit,
    failure_of,
    fetched,
    is_sitemap,
    robots_failure,
    with_document,
)
from urlset.reader.filters import EVERY_CHILD, ChildChoice, ChildFilter
from urlset.reader.parse_ahead import ParseAhead
from urlset.urls import resolve

MAX_DOCUMENTS = 1_000_000
"""Documents of one site that are read: up to 50 billion URLs. A hostile site is endless."""


def walk_from(url: str, *, agent: str = "urlset", obey: bool = True, **options: Any) -> SiteWalk:
    """Return the walk of a URL: of a whole site if it is a home page or a robots.txt.

    Every other URL is read as a sitemap. ``obey`` is passed to :class:`Discovery`, ``options``
    to :class:`SiteWalk`. Raises :class:`urlset.SourceError` if it is not an http(s) URL.
    """
    target = request_url(url)
    if target is None:
        raise SourceError(f"expected an http or https URL, found {url!r}")
    homes = [document_key(resolve(path, target)) for path in ("/", "/robots.txt")]
    start = Discovery(url, agent=agent, obey=obey) if document_key(target) in homes else [url]
    return SiteWalk(start, agent=agent, **options)


class SiteWalk:
    """Walk that yields a :class:`Visit` for each document of a site, also for failed ones.

    Network errors do not raise. ``attempts`` are the URLs that were tried, with the outcome.
    The robots.txt of a host is requested before its documents, for its ``Crawl-delay``; that of a
    sitemap that the user named only if it is an index, before its children. ``robots_cache`` has
    the robots.txt of the site, and with ``robots`` those of all hosts.

    Args:
        start: A :class:`Discovery`, or the URLs of sitemaps.
        engine: Name of the engine.
        max_bytes: Most bytes of a document.
        children: Filter of the children of indexes.
        max_documents: Most documents of the site.
        agent: Product token for robots.txt.
        robots: Record the robots.txt of all hosts, also that of a sitemap that the user named.
        hosts: Hosts, as :func:`urlset.http.site_host` returns them, to which requests are sent;
            a sitemap on another one is reported and not read. None for all hosts.
        ordered: Yield each index before its children, and those in the order of the index, so
            that two walks over the same documents yield the same. Call :meth:`close` at the end.
    """

    def __init__(
        self,
        start: Discovery | Iterable[str],
        *,
        engine: str | None = None,
        max_bytes: int = READ_LIMIT,
        children: ChildFilter = EVERY_CHILD,
        max_documents: int = MAX_DOCUMENTS,
        agent: str = "urlset",
        robots: bool = False,
        ordered: bool = False,
        hosts: frozenset[str] | None = None,
    ):
        self.discovery: Discovery | None = start if isinstance(start, Discovery) else None
        self._engine = engine
        self._max_bytes = max_bytes
        self._follow = children.follow
        self._choice = ChildChoice(children)
        self._documents_left = max_documents
        self.robots_cache: RobotsCache = RobotsCache(agent, records=robots)
        self._records_robots = robots
        self._hosts = hosts
        self._tasks: OrderedQueue | ArrivalQueue = OrderedQueue() if ordered else ArrivalQueue()
        self._is_ordered = ordered
        self._ahead = ParseAhead(engine)
        self._is_reading = False
        self._waiting = 0
        self._found = 0
        self._named: set[str] = set()
        self._read: dict[str, str] = {}
        self._bodies: dict[int, str] = {}
        self._relative: dict[str, int] = {}
        self._rejected: set[str] = set()
        self._attempts: list[Attempt] = []
        if not isinstance(start, Discovery):
            for url in start:
                if request_url(url) is None:
                    raise SourceError(f"expected an http or https URL, found {url!r}")
                self._enqueue(FetchTask(url, None, "given", "anywhere"))

    @property
    def attempts(self) -> list[Attempt]:
        """The URLs that were tried in the search for sitemaps, with the outcome."""
        found = self.discovery.attempts if self.discovery else ()
        return [*found, *self.robots_cache.attempts, *self._attempts]

    def next_request(self) -> Request | None:
        """Return the next request: those of the discovery first, then documents in order."""
        if self.discovery is not None and (request := self.discovery.next_request()):
            self._waiting += 1
            return request
        while True:
            for task in self._tasks.candidates():
                if self._is_known(task):
                    continue
                request = None
                if self._records_robots or task.how != "given":
                    # Also without a record: the Crawl-delay applies to all but the first request.
                    request = self.robots_cache.request_for(task.url, task.scope)
                if self.robots_cache.is_pending(task.url):
                    self._tasks.wait_for_robots(task)
                    if request is None:
                        continue
                    self._waiting += 1
                    return request
                self._waiting += 1
                self._tasks.mark_requested(task)
                return Request(
                    task.url,
                    task.parent,
                    task.how,
                    scope=task.scope,
                    delay_s=max(task.delay_s, self.robots_cache.delay_s(task.url)),
                    max_bytes=self._max_bytes,
                    token=task,
                )
            if not self._queue_fallbacks():
                return None

    def handle(self, response: Response) -> Iterator[Visit]:
        """Read a document, queue the documents that it lists, and yield those that are ready."""
        self._waiting -= 1
        if isinstance(response.request.token, FetchTask):
            self._tasks.add_response(response.request.token, response)
            del response
        elif self.robots_cache.has_requested(response):
            origin = self.robots_cache.receive(response)
            self._tasks.resume(origin)
            if not self._is_ordered:
                yield from self.robots_cache.publish(origin)
        elif self.discovery is not None:
            yield from self._on_discovery(self.discovery, response)
        yield from self._ready()
        if not self._waiting and self._tasks.is_empty() and not self._queue_fallbacks():
            yield from self._end()

    def take_early(self, response: Response) -> bool:
        """Take the response for a document between the visits that :meth:`handle` yields.

        It is parsed in a thread, if it is one of the next in order. Returns False if enough of them
        have arrived, or the latest document was small.
        """
        task, count = response.request.token, self._ahead.limit
        if not count or not self._is_reading or not isinstance(task, FetchTask):
            return False
        if len(self._tasks.following(count)) >= count:
            return False
        self._waiting -= 1
        self._tasks.add_response(task, response)
        self._parse_following()
        return True

    def handle_unchanged(
        self, response: Response, sitemaps: Iterable[Sitemap] = ()
    ) -> Iterator[Visit]:
        """Process the response for a document that has not changed; yield visits.

        It is not parsed again, and its visit has no document. Status and body of the response are
        ignored. ``sitemaps`` are those that the document lists; they are followed.
        """
        task = response.request.token
        assert isinstance(task, FetchTask)
        task.known = tuple(sitemaps)
        return self.handle(response)

    def close(self) -> None:
        """Remove the documents that are stored on disk, and end the threads."""
        self._ahead.close()
        self._tasks.close()

    def _ready(self) -> Iterator[Visit]:
        """Parse the documents that are next in order; yield their visits."""
        if self._is_ordered and self.discovery is not None and not self.discovery.is_done:
            return  # the home page and a document may name the same sitemap
        self._is_reading = True
        try:
            for task, response in self._tasks.ready(self._is_known):
                yield from self.robots_cache.publish(origin_of(task.url) or "")
                yield from self._read_document(task, response)
        finally:
            self._is_reading = False

    def _is_known(self, task: FetchTask) -> bool:
        """Return whether the document of a queued task was read meanwhile, under another URL."""
        return task.how == "index" and task.key in self._read

    def _on_discovery(self, discovery: Discovery, response: Response) -> Iterator[Visit]:
        for lead in discovery.handle(response):
            if self._is_on_other_host(lead.url):
                self._found += 1
                yield Visit(_other_host(DocumentRecord(lead.url, lead.parent, how=lead.how)), None)
            else:
                self._follow_lead(lead)
        robots = discovery.robots
        if response.request.purpose != "robots" or robots is None:
            return
        self.robots_cache.add(origin_of(discovery.site) or "", robots)
        yield from robots_failure(response, robots)

    def _follow_lead(self, lead: Lead) -> None:
        declared_by = lead.parent if lead.how == "robots" else None
        task = FetchTask(lead.url, lead.parent, lead.how, lead.scope, lead.delay_s, declared_by)
        self._enqueue(task)

    def _enqueue(self, task: FetchTask) -> None:
        if task.key not in self._named:
            self._named.add(task.key)
            self._tasks.append(task)

    def _queue_fallbacks(self) -> bool:
        """Queue the next fallback leads if no sitemap was found; return whether there are any."""
        discovery = self.discovery
        if self._waiting or self._is_reading or self._found or discovery is None:
            return False
        if not discovery.is_done or discovery.is_unreachable:
            return False
        for lead in discovery.fallback():
            self._follow_lead(lead)
        return not self._tasks.is_empty()

    def _end(self) -> Iterator[Visit]:
        if self.discovery is None or self._found or not self.discovery.is_done:
            return
        self._found = 1  # report it once
        error = no_sitemap_message(self.discovery, self.attempts)
        site = DocumentRecord(self.discovery.site, how="site", error=error, failure="unreachable")
        yield Visit(site, None)

    def _read_document(self, task: FetchTask, response: Response) -> Iterator[Visit]:
        if task.declared_by is None:
            task.declared_by = self.robots_cache.declared_by(task.url)
        record = DocumentRecord(
            task.url,
            task.parent,
            how=task.how,
            depth=task.depth,
            declared_by=task.declared_by,
            disallowed_by=self.robots_cache.disallowed_by(task.url),
            lastmod=task.lastmod,
            fetched=fetched(response),
            loc=task.url if task.how == "index" else None,
            base_url=response.url,
        )
        if task.known is None and not response.has_document:
            is_absent = response.status in (401, 403, 404, 410)
            outcome = "absent" if is_absent else "failed"
            error = response.message or f"HTTP {response.status}"
            record = record._replace(error=error, failure=failure_of(response))
            yield from self._emit(task, response, outcome, record, None)
            return
        key = task.key if response.url == task.url else document_key(response.url)
        if key in task.above:
            error = "redirects to an index above it; not followed again"
            record = record._replace(error=error, failure="cycle")
            yield from self._emit(task, response, "failed", record, None)
            return
        first = self._read.setdefault(key, task.url)
        if task.known is not None and first == task.url:
            not_read = list(self._queue_children(task, response, task.known))
            yield from self._emit(task, response, "found", record, None)
            yield from (Visit(child, None) for child in not_read)
            return
        if task.depth == 0 and first == task.url:
            # Several well-known paths often lead to one file.
            first = self._bodies.setdefault(hash(response.body), first)
        document = None
        if first in self._relative and first != self._read[key]:
            document = self._parse(task, response)
            if (urls := _digest(document)) != self._relative[first]:
                # The same bytes at another URL resolve to other URLs.
                first = self._bodies.setdefault(hash((response.body, urls)), task.url)
        if first in self._rejected:
            # Soft 404s redirect to one page, or return the same page for every URL.
            error = f"the same page as {first}, which is not a sitemap"
            record = record._replace(error=error, failure="same-answer")
            yield from self._emit(task, response, "not-a-sitemap", record, None)
            return
        if first != task.url:
            yield from self._emit(task, response, "same", record._replace(same_as=first), None)
            return
        document = document or self._parse(task, response)
        # The URL of a document with relative URLs affects its entries.
        if task.depth == 0 and any(problem.code == "U001" for problem in document.problems):
            self._relative[task.url] = _digest(document)
        record = with_document(record, document, response)
        outcome = "found"
        if not is_sitemap(document, is_guess=task.how != "given"):
            outcome = "not-a-sitemap"
            self._rejected.add(task.url)
        not_read = list(self._queue_children(task, response, document.sitemaps))
        yield from self._emit(task, response, outcome, record, document)
        del document  # frees memory for its children
        for child in not_read:
            yield Visit(child, None)

    def _parse(self, task: FetchTask, response: Response) -> Document:
        document = self._ahead.take(task) or self._parse_now(task, response)
        self._ahead.observe(document)
        self._parse_following()
        return document

    def _parse_following(self) -> None:
        """Parse the documents in threads that are read next and have arrived."""
        if not self._ahead.limit:
            return
        following = self._tasks.following(self._ahead.limit)
        self._ahead.start(
            {
                task: partial(self._parse_now, task, response)
                for task, response in following
                if task.known is None and response.has_document
            }
        )

    def _parse_now(self, task: FetchTask, response: Response) -> Document:
        return parse_document(
            response.body,
            base_url=response.url,
            content_type=response.headers.get("content-type"),
            engine=self._engine,
            source=task.url,
            max_bytes=self._max_bytes,
        )

    def _emit(
        self,
        task: FetchTask,
        response: Response,
        outcome: str,
        record: DocumentRecord,
        document: Document | None,
    ) -> Iterator[Visit]:
        """Yield a document and record the attempt; a missing well-known path is not yielded."""
        if outcome in ("found", "same"):
            self._found += 1
        if task.how not in ("index", "given"):
            detail = record.same_as or record.error
            self._attempts.append(Attempt(task.url, task.how, outcome, response.status, detail))
        if task.how not in ("well-known", "feed") or outcome == "found":
            yield Visit(record, document)

    def _queue_children(
        self, task: FetchTask, response: Response, children: Sequence[Sitemap]
    ) -> Iterator[DocumentRecord]:
        """Queue the children of an index at the front; yield records of those not read."""
        if not children:
            return
        above = (*task.above, task.key, document_key(response.url))
        own = origin_of(response.url)
        queued: list[FetchTask] = []
        for child in {child.loc: child for child in children if self._follow}.values():
            key = document_key(child.loc)
            failed = DocumentRecord(
                child.loc,
                task.url,
                how="index",
                depth=task.depth + 1,
                declared_by=task.declared_by,
                lastmod=child.lastmod,
                loc=child.loc,
            )
            if error := self._nesting_error(task, key, above):
                failure: Failure = "cycle" if key in above else "unreadable"
                yield failed._replace(error=error, failure=failure)
            elif key not in self._named and (reason := self._choice.skip_reason(child)):
                yield failed._replace(skipped=reason)
            elif self._is_on_other_host(child.loc):
                yield _other_host(failed)
            elif key not in self._named and self._may_queue():
                self._named.add(key)
                delay = task.delay_s if origin_of(child.loc) == own else 0.0
                found = (task.declared_by, child.lastmod, above, task.depth + 1)
                queued.append(
                    FetchTask(child.loc, task.url, "index", response.scope, delay, *found)
                )
            elif self._documents_left < 0:
                error = "more documents than are allowed; not read"
                yield failed._replace(error=error, failure="unreadable")
        self._tasks.prepend(queued)

    def _nesting_error(self, task: FetchTask, key: str, above: tuple[str, ...]) -> str | None:
        if key in above:
            return "an index lists itself, or an index above it; not followed again"
        if task.depth >= MAX_NESTING:
            return f"more than {MAX_NESTING} indexes deep; not read"
        return None

    def _is_on_other_host(self, url: str) -> bool:
        return self._hosts is not None and site_host(url) not in self._hosts

    def _may_queue(self) -> bool:
        """Count a document to be queued; return whether the limit of documents allows it."""
        self._documents_left -= 1
        return self._documents_left >= 0


def _other_host(record: DocumentRecord) -> DocumentRecord:
    error = "on a host of another part; plan it as a source of its own"
    return record._replace(error=error, failure="other-host")


def _digest(document: Document) -> int:
    """Return a hash of all resolved URLs in a document, by which copies are recognized."""
    rows = (*document.entries, *document.sitemaps)
    return hash(tuple(row.loc for row in rows))
