"""Walk of a crawl: choose the next page, handle its response; no network I/O."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Unpack

from urlset.html import MAX_BYTES
from urlset.http import Request, Response
from urlset.live.crawl.frontier import Frontier
from urlset.live.visits.page_record import (
    REPEAT_DELAY_S,
    PageRecord,
    confirm_failure,
    disallowed_record,
    is_doubtful,
    is_excluded_meanwhile,
    is_page,
    read_record,
)
from urlset.live.visits.page_rows import PageRows, read_rows
from urlset.live.visits.page_urls import UrlResolver, page_url
from urlset.live.visits.page_worker import PageReader
from urlset.live.visits.polite_walk import Manner, PoliteWalk, VisitTarget
from urlset.live.visits.politeness import Politeness
from urlset.option_names import option
from urlset.robots import Robots


class CrawlWalk(PoliteWalk[VisitTarget, PageRows]):
    """Walk over the pages of a site that yields the rows of each visit, after they were stored.

    Pages that fail are visited a second time, after all others, ``confirm_after_s`` later.
    ``start`` is the normalized URL of the start, ``visited`` the number of pages that an earlier
    session of this crawl has visited. With ``counts_requests`` the budget counts all requests, and
    not the pages.
    """

    def __init__(
        self,
        frontier: Frontier,
        politeness: Politeness,
        start: str,
        *,
        confirm_after_s: float,
        visited: int = 0,
        counts_requests: bool = False,
    ):
        super().__init__(iter(()), politeness)
        self.visited: int = visited
        self.request_count: int = 0
        self.byte_count: int = 0
        self._frontier = frontier
        self._start = start
        self._confirm_after_s = confirm_after_s
        self._counts_requests = counts_requests
        self._resolver = UrlResolver()
        self._reader = PageReader(partial(read_rows, self._resolver))
        self._last_doubt: float | None = None

    def next_target(self) -> VisitTarget | None:
        """Return the next URL of the frontier; it depends on the pages that are being read."""
        while (job := self._frontier.next_job()) is None and self._reader.pending:
            self._results.extend(self._stored(self._reader.wait()))
        return job

    def cost_of(self, target: VisitTarget) -> int:
        """Return 1 for a page that is visited the first time, or if all requests are counted."""
        return int(self._counts_requests or not target.attempts)

    def request_for(self, target: VisitTarget, **manner: Unpack[Manner]) -> Request:
        """Return the request for a page; a second visit waits, and is slower."""
        if target.attempts and self._last_doubt is not None and self._confirm_after_s:
            wait_s = self._last_doubt + self._confirm_after_s - self.politeness.clock()
            manner["wait_s"] = max(manner["wait_s"], wait_s)
            manner["delay_s"] = max(manner["delay_s"], REPEAT_DELAY_S)
        return Request(
            target.url,
            purpose="page",
            etag=target.etag,
            last_modified=target.last_modified,
            max_bytes=MAX_BYTES,
            token=target,
            follows_redirects=False,
            wait_reason=f"to visit pages again ({option('confirm_after_s')})"
            if target.attempts
            else "",
            retries=0,  # a page that fails is visited again at the end
            **manner,
        )

    def handle(self, response: Response) -> Iterator[PageRows]:
        """Process a response; yield the rows of visited pages."""
        self.request_count += response.attempts if response.error != "unsent" else 0
        self.byte_count += response.wire_size
        return super().handle(response)

    def results_of(self, response: Response) -> Sequence[PageRows]:
        """Store and return the rows of pages; the page of the response may be read later."""
        job = response.request.token
        assert isinstance(job, VisitTarget)
        if is_excluded_meanwhile(response):
            self._ready.append(job._replace(etag=None, last_modified=None))
            if not self._counts_requests:
                self.politeness.budget.refund(self.cost_of(job))
            return ()
        if is_page(response):
            values = {"crawl": self._frontier.crawl, "attempts": job.attempts + 1}
            return self._stored(self._reader.read(response, {**values, "is_repeated": False}))
        record = read_record(response, self._resolver)
        self._follow_start(record)
        is_repeated = is_doubtful(record) and job.attempts == 0
        if is_repeated:
            self._last_doubt = self.politeness.clock()
        elif is_doubtful(record):
            confirm_failure(record)
        record.row["attempts"] = job.attempts + 1
        self.visited += not is_repeated
        return [self._frontier.finish(record, is_repeated=is_repeated)]

    def results_of_refusal(self, target: VisitTarget, robots: Robots) -> Sequence[PageRows]:
        """Store that a page is not requested, because of robots.txt; it is no result."""
        self._frontier.finish(disallowed_record(target.url, robots))
        return ()

    def close(self) -> Iterator[PageRows]:
        """Store the pages that the worker process has not returned yet, and end the worker."""
        yield from self._stored(list(self._reader.close()))

    def stop(self) -> Iterator[PageRows]:
        """End the walk after an interruption; pages that the worker has not read are dropped.

        The next session visits them.
        """
        yield from self._stored(self._reader.stop())

    def _stored(self, pages: list[PageRows]) -> list[PageRows]:
        self.visited += len(pages)
        self._frontier.finish_all(pages)
        return pages

    def _follow_start(self, record: PageRecord) -> None:
        """Add the host to which the start redirects, e.g. ``www.``, to the scope."""
        if record.url != self._start or record.row["verdict"] != "redirect":
            return
        target = record.row["final_url"]
        if target is not None and page_url(target) == target:
            self._start = target
            self._frontier.add_host(target)
