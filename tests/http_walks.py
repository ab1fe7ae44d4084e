"""Helpers that fetch from a fake site: a list of requests, one URL, a whole site walk."""

from __future__ import annotations

from typing import Any

from tests.site_box import SiteBox
from urlset.http import Policy, Request, Response, drive_in_thread
from urlset.reader import DocumentRecord
from urlset.reader.site_walk import SiteWalk


def quick(**changes: Any) -> Policy:
    """Return a policy with short waits between attempts.

    Its timeouts are those of users. Tests of servers that do not answer set shorter ones; with
    others, a server that a busy machine delays must not look like one that does not answer.
    """
    known: dict[str, Any] = {"backoff_s": 0.01, "proxies": {}}
    return Policy(**(known | changes))


class RequestList:
    """A walk over a list of requests that yields the responses."""

    def __init__(self, *requests: Request):
        self._requests = list(requests)

    def next_request(self) -> Request | None:
        return self._requests.pop(0) if self._requests else None

    def handle(self, response: Response) -> list[Response]:
        return [response]


def fetch(url: str, policy: Policy | None = None, **facts: Any) -> Response:
    """Fetch one URL that the user named."""
    request = Request(url, **({"scope": "anywhere"} | facts))
    (response,) = drive_in_thread(RequestList(request), policy or quick())
    return response


class Result:
    """The records, URLs and errors of a site walk."""

    def __init__(self, box: SiteBox, *starts: str, limit: int = 104_857_600, **policy: object):
        self.walk = SiteWalk([box.url(start) for start in starts or ("/s.xml",)], max_bytes=limit)
        self.records: list[DocumentRecord] = []
        self.locs: list[str] = []
        for record, document in drive_in_thread(self.walk, quick(**policy)):
            self.records.append(record)
            self.locs += [entry.loc for entry in document.entries] if document else []
        self.requests = sum(path != "/robots.txt" for path in box.paths)
        self.errors = {
            str(r.source).removeprefix(box.site): r.error for r in self.records if r.error
        }
