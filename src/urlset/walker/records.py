"""What is remembered of a document of a site."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from urlset.document import Document
from urlset.fetcher import Response
from urlset.model import Kind, Problem

__all__ = ["Fetched", "SiteRecord", "SiteVisit", "fetched", "is_sitemap", "with_document"]

SITEMAP_KINDS = ("urlset", "index", "text", "rss", "atom")

_NOT_A_SITEMAP = {
    "html": "expected a sitemap, found a page of HTML",
    "empty": "expected a sitemap, found an empty file",
    "unknown": "expected a sitemap (XML, text, RSS or Atom), found something else",
}


class Fetched(NamedTuple):
    """How a document came: the facts of HTTP. ``url`` is the final one, ``wire_size`` in bytes."""

    url: str
    status: int | None
    redirects: tuple[str, ...]
    wire_size: int
    is_whole: bool
    attempts: int
    started: datetime | None
    seconds: float
    first_byte_s: float | None
    content_type: str | None
    etag: str | None
    last_modified: str | None


class SiteRecord(NamedTuple):
    """One document of a site: what it is, or why it could not be read, or not all of it.

    ``parent`` is who names it, an index or a robots.txt, and ``how``: ``given``, ``robots``,
    ``link``, ``well-known``, ``feed`` or ``index``. ``declared_by`` is the robots.txt that
    declares it or an index above it (whose host may be listed in it, wherever it lies).
    ``lastmod`` is what the index says of it. ``same_as`` is the document that it redirects to
    and that was read already, so that its entries are counted there.
    """

    source: str
    parent: str | None = None
    kind: Kind | None = None
    size: int = 0
    packed_size: int = 0
    encoding: str | None = None
    entries: int = 0
    sitemaps: int = 0
    problem_count: int = 0
    problems: tuple[Problem, ...] = ()
    error: str | None = None
    how: str = "given"
    depth: int = 0
    declared_by: str | None = None
    lastmod: datetime | None = None
    same_as: str | None = None
    fetched: Fetched | None = None


class SiteVisit(NamedTuple):
    """A document while it is in memory; ``document`` is None where there is nothing to read."""

    record: SiteRecord
    document: Document | None


def fetched(response: Response) -> Fetched:
    """Note how a document came."""
    headers = response.headers
    return Fetched(
        response.url,
        response.status,
        response.redirects,
        response.wire_size,
        response.is_whole,
        response.attempts,
        response.started,
        response.seconds,
        response.first_byte_s,
        headers.get("content-type"),
        headers.get("etag"),
        headers.get("last-modified"),
    )


def with_document(record: SiteRecord, document: Document, response: Response) -> SiteRecord:
    """Note the facts of a document, and all its problems."""
    return record._replace(
        kind=document.kind,
        size=document.size,
        packed_size=document.packed_size,
        encoding=document.encoding,
        entries=len(document.entries),
        sitemaps=len(document.sitemaps),
        problem_count=len(document.problems),
        problems=tuple(document.problems),
        error=_fault(document, response),
    )


def _fault(document: Document, response: Response) -> str | None:
    """Tell why a document is no sitemap, or not a whole one; None for most."""
    if response.error is not None:
        return f"{response.message}; what came is read"
    if document.kind in _NOT_A_SITEMAP:
        return _NOT_A_SITEMAP[document.kind]
    if document.is_whole:
        return None
    return f"the document is cut off after {document.size:,} bytes; what comes after is not read"


def is_sitemap(document: Document, how: str) -> bool:
    """Tell by its content whether it is a sitemap; of a guess in text most lines must be URLs."""
    if document.kind != "text" or how == "given":
        return document.kind in SITEMAP_KINDS
    strays = sum(problem.code == "T001" for problem in document.problems)
    return len(document.entries) > strays
