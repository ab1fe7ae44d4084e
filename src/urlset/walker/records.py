"""What is remembered of a document that came over HTTP."""

from __future__ import annotations

from urlset.document import Document
from urlset.fetcher import Response
from urlset.reader import records
from urlset.reader.records import DocumentRecord, Fetched

__all__ = ["fetched", "with_document"]


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
        response.is_from_cache,
    )


def with_document(record: DocumentRecord, document: Document, response: Response) -> DocumentRecord:
    """Note the facts of a document; what went wrong on its way comes before what is wrong in it."""
    record = records.with_document(record, document)
    if response.error is not None:
        return record._replace(error=f"{response.message}; what came is read")
    return record
