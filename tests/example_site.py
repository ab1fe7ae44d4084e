"""Check the example sites of rules with given responses, without a network."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from datetime import datetime
from http import HTTPStatus
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest import mock

from urlset.checker import CATALOGUE, FAILURE_CODES, Finding, Findings, Rule, selector
from urlset.checker.examples import HOME, Example, ExampleResponse, documents_of
from urlset.http import REDIRECTS, Policy, Request, Response, Walk, redirect_target
from urlset.live.audit import Audit, AuditSettings
from urlset.live.audit.pipeline import audit_entries
from urlset.reader import Entries, Visit
from urlset.reader.entries import OnResponse
from urlset.reader.filters import EntryFilter
from urlset.reader.site_walk import walk_from
from urlset.urls import resolve

__all__ = ["SimulatedServer", "answered_check", "audit_findings", "audited", "is_answered"]

ALL = EntryFilter()


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
        self._server = SimulatedServer(example)

    def visits(self, heard: OnResponse | None = None) -> Generator[Visit]:
        walk = walk_from(self._start, robots=True)
        while request := walk.next_request():
            response = self._server.response(request)
            if heard is not None:
                heard(response)
            yield from walk.handle(response)

    def visits_async(self):
        raise NotImplementedError


class SimulatedServer:
    """Server with given responses by path or URL; ``folder/*`` answers for the rest of a folder.

    The header ``x-seconds`` sets the duration of a response, ``x-agent-status`` the status for a
    client that calls itself Googlebot.
    """

    def __init__(self, example: Mapping[str, object]):
        self._bodies = documents_of(example)  # type: ignore[arg-type]
        self._answers = {
            resolve(name, HOME): piece if isinstance(piece, ExampleResponse) else ExampleResponse()
            for name, piece in example.items()
        }

    def drive(self, walk: Walk[Any], policy: Policy) -> Generator[Any]:  # noqa: ARG002
        """Run a walk, with one request after another."""
        while request := walk.next_request():
            yield from walk.handle(self.response(request))

    def response(self, request: Request) -> Response:
        url = request.url
        hops: list[str] = []
        statuses: list[int] = []
        while True:
            response = self._response(request, url)
            response = response._replace(
                redirects=tuple(hops), redirect_statuses=tuple(statuses), url=url
            )
            if response.status not in REDIRECTS or not request.follows_redirects:
                return response
            hops.append(url)
            statuses.append(response.status)
            url = str(redirect_target(response))
            if url in hops:
                return response._replace(
                    redirects=tuple(hops),
                    redirect_statuses=tuple(statuses),
                    error="redirect-loop",
                    message=f"redirects in a circle: back to {url}",
                )

    def _response(self, request: Request, url: str) -> Response:
        key = url if url in self._answers else f"{url.rpartition('/')[0]}/*"
        answer = self._answers.get(key, ExampleResponse(status=404))
        body = self._bodies.get(key, b"")
        headers = dict(answer.headers)
        status = answer.status
        if "Googlebot" in dict(request.headers).get("User-Agent", ""):
            status = int(headers.get("x-agent-status", status))
        if body and "content-type" not in headers:
            is_page = body.lstrip()[:9].lower() in (b"<!doctype", b"<!doctyp")
            headers["content-type"] = "text/html" if is_page else "application/xml"
        seconds = float(headers.get("x-seconds", 0.01))
        common: dict[str, Any] = {"headers": headers, "seconds": seconds, "first_byte_s": seconds}
        if answer.error is not None:
            return Response(
                request,
                url,
                status=200 if body else None,
                body=body,
                error=answer.error,  # type: ignore[arg-type]
                message=f"the transfer failed ({answer.error})",
                is_whole=False,
            )
        if status >= 400:
            words = f"HTTP {status} {HTTPStatus(status).phrase}"
            return Response(request, url, status=status, error="status", message=words, **common)
        return Response(request, url, status=status, body=body, **common)


def audited(example: Example, moment: datetime, path: str | None = None, **settings: Any) -> Audit:
    """Audit an example site; names with ``before:`` are its state at an audit before."""
    assert isinstance(example, Mapping)
    before = {
        name.removeprefix("before:"): piece
        for name, piece in example.items()
        if name.startswith("before:")
    }
    now = {name: piece for name, piece in example.items() if not name.startswith("before:")}
    if before:
        audited({**now, **before}, moment, path, **settings).close()
    start = f"{HOME}sitemap.xml" if "sitemap.xml" in now and "robots.txt" not in now else HOME
    options = AuditSettings(now=moment, confirm_after_s=0, confirm_delay_s=0, **settings)
    entries = Entries(
        Answered(start, now), source=start, entry_filter=ALL, limit=None, fail_fast=False
    )
    drive = SimulatedServer(now).drive
    with mock.patch("urlset.live.crawl.runner.drive_in_thread", drive):
        return audit_entries(entries, options, path=path, drive=drive)


def audit_findings(example: Example, rule: Rule, *, moment: datetime) -> list[Finding]:
    """The findings of an audit of an example with the default rules and this one.

    ``access.log`` and ``indexnow-key.txt`` are options of the audit instead of files of the site.
    """
    assert isinstance(example, Mapping)
    pieces = dict(example)
    settings: dict[str, Any] = {"extend_select": [rule.code]}
    settings["crawl"] = rule.code in ("N131", "P503", "P504")
    settings["indexnow_key"] = pieces.pop("indexnow-key.txt", None)
    log = pieces.pop("access.log", None)
    with TemporaryDirectory() as folder:
        if log is not None:
            Path(folder, "access.log").write_text(str(log), encoding="utf-8")
            settings["logs"] = [str(Path(folder, "access.log"))]
        is_repeated = any(name.startswith("before:") for name in pieces)
        path = str(Path(folder, "site.duckdb")) if is_repeated else None
        with audited(pieces, moment, path, **settings) as found:
            return found.findings
