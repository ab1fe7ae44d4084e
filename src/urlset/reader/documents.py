"""What is remembered of a document that was met."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from urlset.document import Document
from urlset.errors import Failure
from urlset.model import Kind, Problem
from urlset.reader.detection import SITEMAP_KINDS
from urlset.reader.table_detection import is_table

if TYPE_CHECKING:
    from urlset.arrow.streams import NumberedRows

__all__ = [
    "SITEMAP_KINDS",
    "DocumentBatch",
    "DocumentRecord",
    "Fetched",
    "Visit",
    "with_document",
]

_NOT_A_SITEMAP = {
    "html": "expected a sitemap, found a page of HTML",
    "template": "expected a sitemap, found a template; give what is made from it",
    "empty": "expected a sitemap, found an empty file",
    "unknown": "expected a sitemap (XML, text, RSS or Atom), found something else",
}


class Fetched(NamedTuple):
    """How a document came: the facts of HTTP. ``url`` is the final one, ``wire_size`` in bytes.

    ``is_from_cache`` holds for what the server said had not changed.
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
    """One document that was met: what it is, or why it could not be read.

    ``source`` is its path or URL, ``parent`` that of who names it: an index, a robots.txt or a
    page. ``kind`` is None where there was nothing to read. ``problem_count`` counts all
    problems, of which ``problems`` holds those that were kept. ``error`` says why it is not, or
    not all of it, in the entries; ``skipped`` why nobody wanted it.

    ``how`` it was found: ``given``, ``index``, ``folder``, and on a site ``robots``, ``link``,
    ``well-known``, ``feed`` (or ``site``, where nothing was). ``declared_by`` is the robots.txt
    that declares it or an index above it (whose host may be listed in it, wherever it lies),
    ``disallowed_by`` the one that forbids to fetch it. ``lastmod`` is what the index says of it.
    ``same_as`` is the document that it redirects to and that was read already, so that its
    entries are counted there. ``fetched`` is None for what did not come over HTTP. ``loc`` is
    the URL by which its index lists it, ``base`` the one that it is known to have, if any.
    ``failure`` is the reason behind ``error`` as a word for programs; None for a document that
    arrived as a whole, whatever is wrong in it.
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
    base: str | None = None
    failure: Failure | None = None


class Visit(NamedTuple):
    """A document while it is in memory; ``document`` is None where it could not be read."""

    record: DocumentRecord
    document: Document | None


class DocumentBatch(NamedTuple):
    """A document while it is in memory, with those of its entries that are wanted, as a table.

    ``rows`` is an Arrow stream that is read while it is asked for
    (:class:`urlset.arrow.streams.NumberedRows`): the columns of entries behind ``entry``, the
    number of each in its document. None where there is no document.
    """

    record: DocumentRecord
    document: Document | None
    rows: NumberedRows | None


def with_document(record: DocumentRecord, document: Document) -> DocumentRecord:
    """Note the facts of a document, and all its problems."""
    return record._replace(
        kind=document.kind,
        size=document.size,
        packed_size=document.packed_size,
        encoding=document.encoding,
        entries=len(document.entries),
        sitemaps=len(document.sitemaps),
        problem_count=len(document.problems) + sum(document.omitted.values()),
        problems=tuple(document.problems),
        error=_fault(document),
    )


def _fault(document: Document) -> str | None:
    """Tell why a document is no sitemap, or not a whole one; None for most."""
    if (table := is_table(document)) is not None:
        return (
            f"expected a sitemap, found a table ({table}); `urlset read` and `urlset build` take a "
            "file of it, in Python urlset.sources.Table"
        )
    if document.kind in _NOT_A_SITEMAP:
        return _NOT_A_SITEMAP[document.kind]
    if document.is_whole:
        return None
    return f"the document is cut off after {document.size:,} bytes; what comes after is not read"
