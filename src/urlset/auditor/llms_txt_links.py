"""Request the llms.txt of a site, and read its links."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import islice
from typing import NamedTuple

from urlset.auditor.visits import Budget, PoliteWalk, RobotsFiles, VisitTarget
from urlset.crawler.pace import Pace
from urlset.crawler.page_urls import MAX_URL, page_url
from urlset.document import parse
from urlset.formats.llms_txt import llms_txt_links
from urlset.http import Request, Response
from urlset.robots import Robots
from urlset.urls import resolve

MAX_BYTES = 1 << 20
"""Bytes of an llms.txt that are received; of a longer one, the whole lines are read."""

MAX_LINKS = 10_000
"""Links of an llms.txt that are read."""

_PAGE_TYPES = ("text/html", "application/xhtml")


class LlmsTxtLink(NamedTuple):
    """Link of an llms.txt: the URL of the file, the line, and the normalized URL of the target."""

    source: str
    line: int
    url: str


class LlmsTxt(NamedTuple):
    """The llms.txt of a site.

    Attributes:
        url: URL that was requested.
        links: Its links; empty if there is no llms.txt.
        is_known: Whether the response shows which links there are: not a refusal, an error of the
            server or a transfer that failed.
    """

    url: str
    links: tuple[LlmsTxtLink, ...]
    is_known: bool


class LlmsTxtWalk(PoliteWalk[VisitTarget, LlmsTxt]):
    """Walk that requests one llms.txt, unless robots.txt disallows it."""

    def __init__(
        self,
        url: str,
        robots: RobotsFiles,
        pace: Pace,
        budget: Budget,
        *,
        hosts: Collection[str] = (),
    ):
        super().__init__(iter([VisitTarget(url)]), robots, pace, budget, hosts=hosts)

    def request_for(self, target: VisitTarget) -> Request:
        """Return the request for the llms.txt."""
        return Request(target.url, None, "probe", max_bytes=MAX_BYTES)

    def results_of(self, response: Response) -> Iterator[LlmsTxt]:
        """Yield the llms.txt in a response."""
        status = response.status
        is_known = status in (200, 404, 410) and response.error in (None, "status", "too-large")
        yield LlmsTxt(response.request.url, tuple(_links(response)), is_known)

    def results_of_refusal(self, target: VisitTarget, robots: Robots) -> Iterator[LlmsTxt]:  # noqa: ARG002
        """Yield nothing: what robots.txt disallows is unknown."""
        yield from ()


def _links(response: Response) -> Iterator[LlmsTxtLink]:
    """Yield the links of an llms.txt; none of an HTML page, which many servers send instead."""
    content_type = response.headers.get("content-type", "")
    if response.status != 200 or content_type.lower().startswith(_PAGE_TYPES):
        return
    source, body = response.request.url, response.body
    if not response.is_whole or response.error is not None:
        # The last line may be a part of a link, which may look whole.
        body = body[: max(body.rfind(b"\n"), body.rfind(b"\r")) + 1]
    document = parse(body, content_type=content_type, source=source, max_bytes=MAX_BYTES)
    if document.kind != "llms-txt":
        return
    for line, target in islice(llms_txt_links(document.text), MAX_LINKS):
        url = page_url(resolve(target, response.url))
        if url is not None and len(url) <= MAX_URL:
            yield LlmsTxtLink(source, line, url)
