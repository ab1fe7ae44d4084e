"""Simulated site: documents in memory that a walk reads without a network, with ETags."""

from __future__ import annotations

import hashlib
from collections.abc import Generator, Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from urlset.http import Policy, Request, Response, Walk
from urlset.live.watch.pipeline import StepSettings, watch_with
from urlset.live.watch.result import Watch
from urlset.store import Store

SITE = "https://example.com"
NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"

Row = tuple[str, str | None]
"""Path and text of the lastmod."""


def sitemap(rows: Iterable[Row]) -> str:
    """Return a sitemap."""
    return _xml("urlset", "url", rows)


def index(rows: Iterable[Row]) -> str:
    """Return an index."""
    return _xml("sitemapindex", "sitemap", rows)


def _xml(root: str, element: str, rows: Iterable[Row]) -> str:
    lines = (
        f"<{element}><loc>{SITE}{path}</loc>"
        + (f"<lastmod>{lastmod}</lastmod>" if lastmod else "")
        + f"</{element}>"
        for path, lastmod in rows
    )
    return f'<{root} xmlns="{NAMESPACE}">{"".join(lines)}</{root}>'


class SimulatedSite:
    """Documents by path, a clock, and the requests that were received.

    A document is a text, or the status of an error. ``step`` takes one step of a watch.
    """

    def __init__(self, path: Path, start: datetime = datetime(2026, 1, 5, tzinfo=UTC)):
        self.path = str(path)
        self.documents: dict[str, str | int] = {}
        self.now = start
        self.requests: list[Request] = []
        self.put_robots()

    def put_robots(self, *lines: str, sitemap: str = "/sitemap.xml") -> None:
        """Replace robots.txt; by default it allows everything."""
        rules = lines or ("User-agent: *", "Allow: /")
        self.documents["/robots.txt"] = "\n".join((*rules, f"Sitemap: {SITE}{sitemap}"))

    def put(self, path: str, rows: Iterable[Row]) -> None:
        """Replace a sitemap."""
        self.documents[path] = sitemap(rows)

    def put_index(self, path: str, rows: Iterable[Row]) -> None:
        """Replace an index."""
        self.documents[path] = index(rows)

    @property
    def paths(self) -> list[str]:
        """Paths of the requests of the latest step."""
        return [request.url.removeprefix(SITE) for request in self.requests]

    def drive(self, walk: Walk[Any], _policy: Policy) -> Generator[Any]:
        """Run a walk on the documents."""
        while (request := walk.next_request()) is not None:
            self.requests.append(request)
            yield from walk.handle(self._respond(request))

    def step(self, hours: float = 8, site: str = f"{SITE}/", **settings: Any) -> Watch:
        """Let time pass, then take a step; by default three of them are a day."""
        self.now += timedelta(hours=hours)
        self.requests.clear()
        return watch_with(
            site, self.path, StepSettings(**settings), drive=self.drive, now=lambda: self.now
        )

    def query(self, sql: str) -> list[tuple[Any, ...]]:
        """Return the rows of a query on the store."""
        with Store.open(self.path, read_only=True) as store:
            return list(store.query(sql))

    def _respond(self, request: Request) -> Response:
        found = self.documents.get(request.url.removeprefix(SITE), 404)
        if isinstance(found, int):
            message = f"HTTP {found}"
            return Response(request, request.url, status=found, error="status", message=message)
        etag = f'"{hashlib.sha256(found.encode()).hexdigest()[:8]}"'
        kind = "text/html" if found.startswith("<!doctype html") else "application/xml"
        headers = {"etag": etag, "content-type": kind}
        if request.etag == etag:
            return Response(request, request.url, status=304, headers=headers)
        body = found.encode()
        return Response(
            request, request.url, status=200, headers=headers, body=body, wire_size=len(body)
        )
