"""What is remembered of a document that was met."""

from __future__ import annotations

from typing import NamedTuple

from urlset.document import Document
from urlset.model import Kind, Problem

__all__ = ["SITEMAP_KINDS", "DocumentRecord", "Visit", "fault", "record_of"]

SITEMAP_KINDS = ("urlset", "index", "text", "rss", "atom")

_NOT_A_SITEMAP = {
    "html": "expected a sitemap, found a page of HTML",
    "empty": "expected a sitemap, found an empty file",
    "unknown": "expected a sitemap (XML, text, RSS or Atom), found something else",
}


class DocumentRecord(NamedTuple):
    """One document that was met: what it is, or why it could not be read.

    ``source`` is its path or URL, ``parent`` that of the index that lists it. ``kind`` is None
    where there was nothing to read. ``problem_count`` counts all problems, of which ``problems``
    holds those that were kept. ``error`` says why it is not, or not all of it, in the entries.
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


class Visit(NamedTuple):
    """A document while it is in memory; ``document`` is None where it could not be read."""

    record: DocumentRecord
    document: Document | None


def record_of(document: Document, parent: str | None) -> DocumentRecord:
    """Note the facts of a document, and all its problems."""
    return DocumentRecord(
        document.source,
        parent,
        document.kind,
        document.size,
        document.packed_size,
        document.encoding,
        len(document.entries),
        len(document.sitemaps),
        len(document.problems) + sum(document.omitted.values()),
        tuple(document.problems),
        fault(document),
    )


def fault(document: Document) -> str | None:
    """Tell why a document is no sitemap, or not a whole one; None for most."""
    if document.kind in _NOT_A_SITEMAP:
        return _NOT_A_SITEMAP[document.kind]
    if document.is_whole:
        return None
    return f"the document is cut off after {document.size:,} bytes; what comes after is not read"
