"""Records of documents: what each one is, how it was fetched, and why it was not read."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from urlset.document import Document
from urlset.errors import Failure
from urlset.model import Kind, Problem
from urlset.reader.detection import SITEMAP_KINDS, table_kind_of_document

if TYPE_CHECKING:
    from urlset.arrow.streams import NumberedRows
    from urlset.http import Response
    from urlset.robots import Robots

__all__ = [
    "SITEMAP_KINDS",
    "DocumentBatch",
    "DocumentRecord",
    "Fetched",
    "Visit",
    "failure_of",
    "fetched",
    "robots_failure",
    "with_document",
]

_NOT_A_SITEMAP = {
    "html": "expected a sitemap, found an HTML page",
    "template": "expected a sitemap, found a template; read the file that is generated from it",
    "empty": "expected a sitemap, found an empty file",
    "unknown": "expected a sitemap (XML, text, RSS or Atom), found something else",
}


class Fetched(NamedTuple):
    """How a document arrived over HTTP.

    ``url`` is the final URL, after ``redirects``. ``wire_size`` is the number of transferred
    bytes. ``is_whole`` is False if a part is missing. ``seconds`` is the duration of the last of
    ``attempts``, ``first_byte_s`` the time until its headers arrived. ``is_from_cache`` is True
    if the server confirmed that a cached document has not changed.
    """

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
    is_from_cache: bool = False


class DocumentRecord(NamedTuple):
    """One document of a source: what it is, how it was found, or why it could not be read.

    Attributes:
        source: Path or URL of the document.
        parent: Document that lists it: an index, a robots.txt or a page.
        kind: Kind of the document; None if it was not read.
        size: Bytes, decompressed.
        packed_size: Bytes, as received.
        encoding: Character encoding.
        entries: Number of entries.
        sitemaps: Number of sitemaps that it lists, if it is an index.
        problem_count: Number of all problems.
        problems: The problems that were kept.
        error: Why entries of the document are missing; None if all were read.
        how: How it was found: ``given``, ``index`` or ``folder``; on a site also ``robots``,
            ``link``, ``well-known`` or ``feed``, and ``site`` if no sitemap was found.
        depth: Number of indexes above it.
        declared_by: The robots.txt that declares it, or an index above it. It may list the URLs
            of that host from any location.
        disallowed_by: The robots.txt that disallows fetching it.
        lastmod: Date of the document in its index.
        same_as: A document that was already read and that this one equals or redirects to; the
            entries are counted there.
        skipped: Why it was not read although it is listed: unchanged since the requested date.
        fetched: Facts of the HTTP transfer; None for other sources.
        loc: URL by which its index lists it.
        base_url: URL of the document, if known.
        failure: Reason of ``error``, for programs; None for a document that arrived completely,
            whatever its problems are.
    """

    source: str | None
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
    disallowed_by: str | None = None
    lastmod: datetime | None = None
    same_as: str | None = None
    skipped: str | None = None
    fetched: Fetched | None = None
    loc: str | None = None
    base_url: str | None = None
    failure: Failure | None = None


class Visit(NamedTuple):
    """A record with its document, while that is in memory; None if it could not be read."""

    record: DocumentRecord
    document: Document | None


class DocumentBatch(NamedTuple):
    """A record, its document and the entries that pass the filter, as an Arrow stream.

    ``rows`` (:class:`urlset.arrow.streams.NumberedRows`) has the columns of entries after a column
    ``entry``: the number of the entry in its document. None if there is no document.
    """

    record: DocumentRecord
    document: Document | None
    rows: NumberedRows | None


def fetched(response: Response) -> Fetched:
    """Return the HTTP facts of a response."""
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
        response.is_from_cache,
    )


def with_document(
    record: DocumentRecord, document: Document, response: Response | None = None
) -> DocumentRecord:
    """Return a record with the facts and problems of its document.

    An error of the transfer, in ``response``, takes precedence over one of the content.
    """
    record = record._replace(
        kind=document.kind,
        size=document.size,
        packed_size=document.packed_size,
        encoding=document.encoding,
        entries=len(document.entries),
        sitemaps=len(document.sitemaps),
        problem_count=len(document.problems) + sum(document.omitted.values()),
        problems=tuple(document.problems),
        error=_error_of(document),
    )
    if response is not None and response.error is not None:
        error = f"{response.message}; the part that arrived is read"
        return record._replace(error=error, failure="incomplete")
    return record


def failure_of(response: Response) -> Failure:
    """Return the reason why a response has no document.

    401, 403, 407 and 429 come from logins and firewalls: the document may exist.
    """
    if response.status in (401, 403, 407, 429):
        return "refused"
    is_status = response.status is not None and response.error in (None, "status")
    return "status" if is_status else "unreachable"


def robots_failure(response: Response, robots: Robots) -> Iterator[Visit]:
    """Yield a failure record for a truncated or failed robots.txt: Sitemap lines may be lost."""
    if robots.state == "unreachable" or (robots.state == "read" and response.error):
        record = DocumentRecord(response.request.url, how="robots", fetched=fetched(response))
        failure = "incomplete" if response.has_document else failure_of(response)
        error = f"robots.txt: {response.message}"
        yield Visit(record._replace(error=error, failure=failure), None)


def _error_of(document: Document) -> str | None:
    """Return why a document is not a sitemap, or not a complete one; None for most."""
    if (table := table_kind_of_document(document)) is not None:
        return (
            f"expected a sitemap, found a table ({table}); `urlset read` and `urlset build` accept "
            "it as a file, in Python urlset.sources.Table"
        )
    if document.kind in _NOT_A_SITEMAP:
        return _NOT_A_SITEMAP[document.kind]
    if document.is_whole:
        return None
    return f"the document is cut off after {document.size:,} bytes; the rest is not read"
