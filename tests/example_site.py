"""Check the example sites of rules with given responses, without a network."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from datetime import datetime
from http import HTTPStatus

from urlset.checker import CATALOGUE, FAILURE_CODES, Findings, selector
from urlset.checker.examples import HOME, Example, ExampleResponse, documents_of
from urlset.http import Request, Response
from urlset.reader import Entries, Visit
from urlset.reader.entries import OnResponse
from urlset.reader.filters import EntryFilter
from urlset.reader.site_walk import walk_from
from urlset.urls import resolve

__all__ = ["answered_check", "is_answered"]

ALL = EntryFilter.of(since=None, match=None, exclude=None, hosts=None, in_scope=False)


def is_answered(example: Example) -> bool:
    return isinstance(example, Mapping) and any(
        isinstance(p, ExampleResponse) for p in example.values()
    )


def answered_check(example: Example, *, moment: datetime) -> Findings:
    """A check of ``/sitemap.xml`` if the example has that, and of the site otherwise."""
    assert isinstance(example, Mapping)
    start = f"{HOME}sitemap.xml" if "sitemap.xml" in example else HOME
    return Findings(
        Entries(
            Answered(start, example), source=start, entry_filter=ALL, limit=None, fail_fast=False
        ),
        CATALOGUE,
        selector(None, always=FAILURE_CODES),
        max_excerpts=0,
        now=moment,
        profile=None,
    )


class Answered:
    """Reader of a site with given responses; other URLs return 404."""

    def __init__(self, start: str, example: Mapping[str, object]):
        self._start = start
        self._bodies = documents_of(example)  # type: ignore[arg-type]
        self._answers = {
            resolve(name, HOME): piece if isinstance(piece, ExampleResponse) else ExampleResponse()
            for name, piece in example.items()
        }

    def visits(self, heard: OnResponse | None = None) -> Generator[Visit]:
        walk = walk_from(self._start, robots=True)
        while request := walk.next_request():
            response = self._answer(request)
            if heard is not None:
                heard(response)
            yield from walk.handle(response)

    def visits_async(self):
        raise NotImplementedError

    def _answer(self, request: Request) -> Response:
        answer = self._answers.get(request.url, ExampleResponse(status=404))
        body = self._bodies.get(request.url, b"")
        if answer.error is not None:
            status = 200 if body else None
            return Response(
                request,
                request.url,
                status=status,
                body=body,
                error=answer.error,  # type: ignore[arg-type]
                message=f"the transfer failed ({answer.error})",
                is_whole=False,
            )
        if answer.status >= 400:
            words = f"HTTP {answer.status} {HTTPStatus(answer.status).phrase}"
            return Response(
                request, request.url, status=answer.status, error="status", message=words
            )
        return Response(request, request.url, status=answer.status, body=body)
