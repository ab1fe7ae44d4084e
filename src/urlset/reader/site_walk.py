"""The walk: what is asked next, what was read already, and what a document leads to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from typing import Any

from urlset.document import Document, parse
from urlset.errors import SourceError
from urlset.http import NetworkScope, Request, Response, document_key, origin_of, request_url
from urlset.model import Sitemap
from urlset.protocol import MAX_NESTING, READ_LIMIT
from urlset.reader.detection import is_sitemap
from urlset.reader.discovery import Attempt, Discovery, Lead
from urlset.reader.document_queue import AsTheyCome, InOrder, Task
from urlset.reader.documents import DocumentRecord, Visit
from urlset.reader.filters import skip_reason
from urlset.reader.http_documents import (
    failed_robots,
    failure_of,
    fetched,
    why_nothing,
    with_document,
)
from urlset.reader.robots_cache import RobotsCache
from urlset.urls import resolve

__all__ = ["SiteWalk", "walk_from"]

MAX_DOCUMENTS = 1_000_000
"""Documents of one site: 50 billion URLs. A hostile one has no end."""


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
    """Reads a site: ``start`` is a :class:`Discovery`, or the URLs of sitemaps.

    Yields a :class:`Visit` for each document, also for those that failed; nothing on the
    network raises. ``trials`` are the places that were tried, with what came of it; ``rulebook``
    has the robots.txt of each host that was asked for it: of the site, and with ``robots`` of
    all hosts that documents lie on, each before the first of them.

    ``ordered`` yields each index before its children and those as it lists them, with what they
    list, so that two walks over the same documents yield the same; :meth:`close` it then.
    """

    def __init__(
        self,
        start: Discovery | Iterable[str],
        *,
        engine: str | None = None,
        limit: int = READ_LIMIT,
        follow: bool = True,
        max_documents: int = MAX_DOCUMENTS,
        since: datetime | None = None,
        agent: str = "urlset",
        robots: bool = False,
        ordered: bool = False,
    ):
        self.finder = start if isinstance(start, Discovery) else None
        self._engine = engine
        self._limit = limit
        self._follow = follow
        self._room = max_documents
        self._since = since
        self.rulebook = RobotsCache(agent, is_asking=robots)
        self._tasks: InOrder | AsTheyCome = InOrder() if ordered else AsTheyCome()
        self._is_ordered = ordered
        self._waiting = 0
        self._found = 0
        self._named: set[str] = set()
        self._read: dict[str, str] = {}
        self._bodies: dict[int, str] = {}
        self._relative: dict[str, int] = {}
        self._rejected: set[str] = set()
        self._trials: list[Attempt] = []
        if not isinstance(start, Discovery):
            for url in start:
                if request_url(url) is None:
                    raise SourceError(f"expected an http or https URL, found {url!r}")
                self._enqueue(Task(url, None, "given", "anywhere"))

    @property
    def trials(self) -> list[Attempt]:
        """Where sitemaps were looked for, and what was there."""
        return [*(self.finder.trials if self.finder else ()), *self.rulebook.trials, *self._trials]

    def next_request(self) -> Request | None:
        """The next document; the finder's before the others, the children of an index in order."""
        if self.finder is not None and (request := self.finder.next_request()):
            self._waiting += 1
            return request
        while True:
            for task in self._tasks.candidates():
                if self._is_known(task):
                    continue
                request = self.rulebook.ask(task.url, task.scope)
                if self.rulebook.awaits(task.url):
                    self._tasks.hold(task)
                    if request is None:
                        continue
                    self._waiting += 1
                    return request
                self._waiting += 1
                self._tasks.ask(task)
                return Request(
                    task.url,
                    task.parent,
                    task.how,
                    scope=task.scope,
                    delay_s=max(task.delay_s, self.rulebook.delay_s(task.url)),
                    max_bytes=self._limit,
                    token=task,
                )
            if not self._resort():
                return None

    def handle(self, response: Response) -> Iterator[Visit]:
        """Take a document, and queue what it lists."""
        self._waiting -= 1
        if isinstance(response.request.token, Task):
            self._tasks.answer(response.request.token, response)
            del response
        elif self.rulebook.is_awaited(response):
            origin = self.rulebook.take(response)
            self._tasks.release(origin)
            if not self._is_ordered:
                yield from self.rulebook.publish(origin)
        elif self.finder is not None:
            yield from self._heard(self.finder, response)
        yield from self._ready()
        if not self._waiting and self._tasks.is_empty() and not self._resort():
            yield from self._end()

    def close(self) -> None:
        """Remove what waits on the disk for its turn."""
        self._tasks.close()

    def _ready(self) -> Iterator[Visit]:
        """Read the documents whose turn it is."""
        if self._is_ordered and self.finder is not None and not self.finder.is_done:
            return  # what the home page names may be named by a document, too
        for task, response in self._tasks.ready(self._is_known):
            yield from self.rulebook.publish(origin_of(task.url) or "")
            yield from self._visit(task, response)

    def _is_known(self, task: Task) -> bool:
        """Tell whether another document of an index led to this one in the meantime."""
        return task.how == "index" and document_key(task.url) in self._read

    def _heard(self, finder: Discovery, response: Response) -> Iterator[Visit]:
        for lead in finder.handle(response):
            self._lead(lead)
        robots = finder.robots
        if response.request.purpose != "robots" or robots is None:
            return
        self.rulebook.note(origin_of(finder.site) or "", robots)
        yield from failed_robots(response, robots)

    def _lead(self, lead: Lead) -> None:
        declared_by = lead.parent if lead.how == "robots" else None
        task = Task(lead.url, lead.parent, lead.how, lead.scope, lead.delay_s, declared_by)
        self._enqueue(task)

    def _enqueue(self, task: Task) -> None:
        key = document_key(task.url)
        if key not in self._named:
            self._named.add(key)
            self._tasks.add(task)

    def _resort(self) -> bool:
        """Queue the finder's next best places if there is need of them; tell if there are any."""
        finder = self.finder
        if self._waiting or self._found or finder is None or not finder.is_done or finder.is_mute:
            return False
        for lead in finder.last_resort():
            self._lead(lead)
        return not self._tasks.is_empty()

    def _end(self) -> Iterator[Visit]:
        if self.finder is None or self._found or not self.finder.is_done:
            return
        self._found = 1  # it is told once
        error = why_nothing(self.finder, self.trials)
        site = DocumentRecord(self.finder.site, how="site", error=error, failure="unreachable")
        yield Visit(site, None)

    def _visit(self, task: Task, response: Response) -> Iterator[Visit]:
        if task.declared_by is None:
            task = replace(task, declared_by=self.rulebook.declared_by(task.url))
        record = DocumentRecord(
            task.url,
            task.parent,
            how=task.how,
            depth=task.depth,
            declared_by=task.declared_by,
            disallowed_by=self.rulebook.disallowed_by(task.url),
            lastmod=task.lastmod,
            fetched=fetched(response),
            loc=task.url if task.how == "index" else None,
            base=response.url,
        )
        if not response.has_document:
            is_absent = response.status in (401, 403, 404, 410)
            outcome = "absent" if is_absent else "failed"
            error = response.message or f"HTTP {response.status}"
            record = record._replace(error=error, failure=failure_of(response))
            yield from self._told(task, response, outcome, record, None)
            return
        key = document_key(response.url)
        if key in task.above:
            error = "leads to an index above it; not followed again"
            record = record._replace(error=error, failure="cycle")
            yield from self._told(task, response, "failed", record, None)
            return
        first = self._read.setdefault(key, task.url)
        if task.depth == 0 and first == task.url:
            # Well-known paths often are two names of one file.
            first = self._bodies.setdefault(hash(response.body), first)
        document = None
        if first in self._relative and first != self._read[key]:
            document = self._parsed(task, response)
            if (urls := _digest(document)) != self._relative[first]:
                # The same bytes at another place mean other URLs.
                first = self._bodies.setdefault(hash((response.body, urls)), task.url)
        if first in self._rejected:
            # Soft 404s lead to one page, or are the same page under every name.
            error = f"the same page as {first}, which is no sitemap"
            record = record._replace(error=error, failure="same-answer")
            yield from self._told(task, response, "not-a-sitemap", record, None)
            return
        if first != task.url:
            yield from self._told(task, response, "same", record._replace(same_as=first), None)
            return
        document = document or self._parsed(task, response)
        if task.depth == 0 and _is_relative(document):
            self._relative[task.url] = _digest(document)
        record = with_document(record, document, response)
        outcome = "found"
        if not is_sitemap(document, is_guess=task.how != "given"):
            outcome = "not-a-sitemap"
            self._rejected.add(task.url)
        late = list(self._children(task, response, document)) if self._follow else []
        yield from self._told(task, response, outcome, record, document)
        del document  # its children need the room
        for failed in late:
            yield Visit(failed, None)

    def _parsed(self, task: Task, response: Response) -> Document:
        return parse(
            response.body,
            base=response.url,
            content_type=response.headers.get("content-type"),
            engine=self._engine,
            source=task.url,
            limit=self._limit,
        )

    def _told(
        self,
        task: Task,
        response: Response,
        outcome: str,
        record: DocumentRecord,
        document: Document | None,
    ) -> Iterator[Visit]:
        """Hand a document out, unless it was only guessed to be there and is not."""
        if outcome in ("found", "same"):
            self._found += 1
        if task.how not in ("index", "given"):
            detail = record.same_as or record.error
            self._trials.append(Attempt(task.url, task.how, outcome, response.status, detail))
        if task.how not in ("well-known", "feed") or outcome == "found":
            yield Visit(record, document)

    def _children(
        self, task: Task, response: Response, document: Document
    ) -> Iterator[DocumentRecord]:
        """Queue the children of an index, before all that waits; gives those that are not read."""
        above = (*task.above, document_key(task.url), document_key(response.url))
        own = origin_of(response.url)
        queued: list[Task] = []
        for child in {child.loc: child for child in document.sitemaps}.values():
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
            if why := self._why_not(task, key, above):
                yield failed._replace(error=why, failure="cycle" if key in above else "unreadable")
            elif key not in self._named and (why := skip_reason(child, self._since)):
                yield failed._replace(skipped=why)
            elif key not in self._named and self._has_room():
                self._named.add(key)
                delay = task.delay_s if origin_of(child.loc) == own else 0.0
                queued.append(_child(task, child, response.scope, delay, above))
            elif self._room < 0:
                error = "more documents than are allowed; not read"
                yield failed._replace(error=error, failure="unreadable")
        self._tasks.add_first(queued)

    def _why_not(self, task: Task, key: str, above: tuple[str, ...]) -> str | None:
        if key in above:
            return "an index lists itself, or an index above it; not followed again"
        if task.depth >= MAX_NESTING:
            return f"more than {MAX_NESTING} indexes deep; not read"
        return None

    def _has_room(self) -> bool:
        self._room -= 1
        return self._room >= 0


def _is_relative(document: Document) -> bool:
    """Whether URLs in a document are resolved against its own."""
    return any(problem.code == "U001" for problem in document.problems)


def _digest(document: Document) -> int:
    """A digest of all URLs in a document, resolved."""
    rows = (*document.entries, *document.sitemaps)
    return hash(tuple(row.loc for row in rows))


def _child(
    task: Task, child: Sitemap, scope: NetworkScope, delay_s: float, above: tuple[str, ...]
) -> Task:
    return Task(
        child.loc,
        task.url,
        "index",
        scope,
        delay_s,
        task.declared_by,
        child.lastmod,
        above,
        task.depth + 1,
    )
