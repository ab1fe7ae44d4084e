"""Walk of a crawl: choose the next page, handle its response; no network I/O."""

from __future__ import annotations

import os
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from functools import partial

from urlset.html import MAX_BYTES
from urlset.http import NetworkScope, Request, Response, retry_after_s
from urlset.live.crawl.frontier import Frontier, Job
from urlset.live.crawl.options import CrawlOptions
from urlset.live.visits.pace import Pace
from urlset.live.visits.page_record import (
    PageRecord,
    confirm_failure,
    disallowed_record,
    is_doubtful,
    is_excluded_meanwhile,
    read_record,
)
from urlset.live.visits.page_rows import PageRows, read_rows
from urlset.live.visits.page_urls import UrlResolver, origin_of_page, page_url
from urlset.live.visits.page_worker import MAX_PENDING, STOP_S, PageWorker
from urlset.live.visits.polite_walk import MAX_FAILURES, REFUSALS
from urlset.robots import MAX_BYTES as MAX_ROBOTS
from urlset.robots import Robots, robots_from_response
from urlset.urls import split_origin

WORKER_FROM = 100
"""Pages of a session from which a second process reads them: its start takes half a second."""

REPEAT_DELAY_S = 1.0
"""Least time between two requests when pages are visited a second time, if there is a pause."""


class CrawlWalk:
    """Walk over the pages of a site that yields the rows of each visit, after they were stored.

    ``next_request`` returns None at the end, and when the next URL depends on a response. A limit
    (``max_pages``, ``max_minutes``) ends it; ``limits`` then has its name.

    Args:
        frontier: The URLs.
        options: Options of the crawl.
        start: Normalized URL of the start; its host may be private.
        agent: Product token for robots.txt.
        pace: Pace of the requests.
        robots: Known robots.txt files by origin.
        visited: Pages that an earlier session of this crawl has visited.
        clock: Monotonic clock in seconds.
        began: Time of the clock from which ``max_minutes`` counts; None for now.
        counts_repeats: Whether ``max_pages`` limits first and second visits together.
    """

    def __init__(
        self,
        frontier: Frontier,
        options: CrawlOptions,
        start: str,
        *,
        agent: str = "urlset",
        pace: Pace | None = None,
        robots: dict[str, Robots] | None = None,
        visited: int = 0,
        clock: Callable[[], float] = time.monotonic,
        began: float | None = None,
        counts_repeats: bool = False,
    ):
        self.verdicts: Counter[str] = Counter()
        self.limits: list[str] = []
        self.unread_robots: list[str] = []
        self.visited: int = visited
        self.request_count: int = 0
        self.byte_count: int = 0
        self.pace: Pace = pace or Pace()
        self.robots: dict[str, Robots] = {} if robots is None else robots
        self._frontier = frontier
        self._options = options
        self._start = start
        self._agent = agent
        self._clock = clock
        self._began = clock() if began is None else began
        self._resolver = UrlResolver()
        self._requested_robots: set[str] = set()
        self._held: dict[str, deque[Job]] = {}
        self._ready: deque[Job] = deque()
        self._scopes: dict[str, NetworkScope] = {split_origin(start)[1]: "anywhere"}
        self._last_doubt: float | None = None
        self._started_pages = visited
        self._counts_repeats = counts_repeats
        self._failures = 0
        self._handled = 0
        self._worker: PageWorker | None = None
        self._collected: list[PageRows] = []
        for origin, file in self.robots.items():
            self.pace.of(origin, file.crawl_delay_s(agent))

    def next_request(self) -> Request | None:
        """Return the next request: for a page, or for a robots.txt before it."""
        while True:
            if self._is_over():
                return None
            job = self._ready.popleft() if self._ready else self._frontier.next_job()
            if job is None:
                if self._worker is not None and self._worker.pending:
                    self._collected = self._collect(waits=True)
                    continue
                return None
            origin = origin_of_page(job.url)
            robots = self.robots.get(origin)
            if robots is None:
                self._held.setdefault(origin, deque()).append(job)
                if origin not in self._requested_robots:
                    self._requested_robots.add(origin)
                    return self._robots_request(origin)
                continue
            if not robots.allows(job.url, self._agent):
                self._record(disallowed_record(job.url, robots))
                continue
            request = self._page_request(job, origin)
            if self._is_over(request.wait_s):
                return None
            if not job.attempts or self._counts_repeats:
                self._started_pages += 1
            return request

    def handle(self, response: Response) -> Iterator[PageRows]:
        """Process a response; yield the rows of visited pages."""
        self.request_count += response.attempts
        self.byte_count += response.wire_size
        if response.request.purpose == "robots":
            self._receive_robots(response)
            return
        job = response.request.token
        assert isinstance(job, Job)
        self._observe(response)
        self._failures = 0 if response.status is not None else self._failures + 1
        if is_excluded_meanwhile(response):
            self._ready.append(job._replace(etag=None, last_modified=None))
            self._started_pages -= not job.attempts or self._counts_repeats
            return
        if self._may_use_worker(response):
            assert self._worker is not None
            values = {"crawl": self._frontier.crawl, "attempts": job.attempts + 1}
            self._worker.submit(response, {**values, "is_repeated": False})
            yield from self._collect(waits=self._worker.pending >= MAX_PENDING)
            return
        record = read_record(response, self._resolver)
        self._follow_start(record)
        is_repeated = is_doubtful(record) and job.attempts == 0
        if is_repeated:
            self._last_doubt = self._clock()
        elif is_doubtful(record) and (response.status is not None or self.verdicts["ok"]):
            # An error of the network is one of the page only if other pages respond.
            confirm_failure(record)
        record.row["attempts"] = job.attempts + 1
        yield self._record(record, is_repeated=is_repeated)

    def close(self) -> None:
        """Store the pages that the worker process has not returned yet, and end the worker."""
        if self._worker is not None:
            while self._worker.pending:
                self._collect(waits=True)
            self._worker.close()
            self._worker = None

    def stop(self) -> None:
        """End the walk after an interruption; pages that the worker has not read are dropped.

        The next session visits them.
        """
        worker, self._worker = self._worker, None
        if worker is not None:
            pages = worker.stop(STOP_S)
            for page in pages:
                self._count(page.verdict)
            self._frontier.finish_all(pages)

    def _may_use_worker(self, response: Response) -> bool:
        """Return whether the worker reads a page; start it once there are enough pages."""
        is_page = response.has_document and response.error is None
        is_page = is_page and "cf-mitigated" not in response.headers  # a challenge: see `handle`
        if self._worker is None and self._handled >= WORKER_FROM and (os.cpu_count() or 1) > 1:
            self._worker = PageWorker(partial(read_rows, self._resolver))
        self._handled += 1
        return is_page and self._worker is not None and self._worker.is_alive

    def _collect(self, *, waits: bool) -> list[PageRows]:
        """Store the pages that the worker has read; return their rows."""
        assert self._worker is not None
        pages = self._worker.take(waits=waits)
        for page in pages:
            self._count(page.verdict)
        self._frontier.finish_all(pages)
        collected, self._collected = self._collected, []
        return collected + pages

    def _is_over(self, wait_s: float = 0.0) -> bool:
        """Return whether a limit of the crawl is reached now, or will be in ``wait_s`` seconds."""
        limits = self._options
        if limits.max_pages is not None and self._started_pages >= limits.max_pages:
            self._end("max-pages")
        elif (
            limits.max_minutes is not None
            and self._clock() - self._began + wait_s >= limits.max_minutes * 60
        ):
            self._end("max-minutes")
        if self.is_unanswered:
            self._end(f"no-response: the last {MAX_FAILURES} requests failed")
        return bool(self.limits)

    @property
    def is_unanswered(self) -> bool:
        """Whether too many requests in sequence failed, so that the walk ends."""
        return self._failures >= MAX_FAILURES

    @property
    def pages_requested(self) -> int:
        """Number of pages that were requested; second visits count with ``counts_repeats``."""
        return self._started_pages

    def _end(self, limit: str) -> None:
        if limit not in self.limits:
            self.limits.append(limit)

    def _robots_request(self, origin: str) -> Request:
        return Request(
            f"{origin}/robots.txt",
            purpose="robots",
            scope=self._scope_of(origin),
            max_bytes=MAX_ROBOTS + 1,
            token=origin,
        )

    def _receive_robots(self, response: Response) -> None:
        origin = str(response.request.token)
        robots = robots_from_response(response)
        self.robots[origin] = robots
        if robots.state == "unreachable":
            self.unread_robots.append(
                f"robots.txt: {response.request.url} could not be read ({response.message}), so "
                "that every page of its host is disallowed"
            )
        self.pace.of(origin, robots.crawl_delay_s(self._agent))
        self._ready.extend(self._held.pop(origin, ()))

    def _page_request(self, job: Job, origin: str) -> Request:
        host = self.pace.of(origin)
        now = self._clock()
        wait, delay = self.pace.wait_s(origin, now), host.delay_s
        if job.attempts and self._last_doubt is not None and self._options.confirm_after_s:
            wait = max(wait, self._last_doubt + self._options.confirm_after_s - now)
            delay = max(delay, REPEAT_DELAY_S)
        return Request(
            job.url,
            purpose="page",
            etag=job.etag,
            last_modified=job.last_modified,
            scope=self._scope_of(origin),
            delay_s=delay,
            max_bytes=MAX_BYTES,
            token=job,
            follows_redirects=False,
            wait_s=max(0.0, wait),
            wait_reason="to visit pages again (--confirm-after)" if job.attempts else "",
            retries=0,  # a page that fails is visited again at the end
        )

    def _scope_of(self, origin: str) -> NetworkScope:
        return self._scopes.get(origin.partition("://")[2], "public")

    def _observe(self, response: Response) -> None:
        """Adapt the pace of the host to its response."""
        host = self.pace.of(origin_of_page(response.request.url))
        if response.status in REFUSALS:
            host.refuse(self._clock(), retry_after_s(response.headers.get("retry-after")))
        elif response.first_byte_s is not None:
            host.observe(response.first_byte_s, self._clock())

    def _follow_start(self, record: PageRecord) -> None:
        """Add the host to which the start redirects, e.g. ``www.``, to the scope."""
        if record.url != self._start or record.row["verdict"] != "redirect":
            return
        target = record.row["final_url"]
        if target is not None and page_url(target) == target:
            self._start = target
            self._frontier.scope.add_host(target)

    def _record(self, record: PageRecord, *, is_repeated: bool = False) -> PageRows:
        if not is_repeated:
            self._count(record.row["verdict"])
        return self._frontier.finish(record, is_repeated=is_repeated)

    def _count(self, verdict: str) -> None:
        self.visited += verdict != "disallowed"
        self.verdicts[verdict] += 1
