"""What is remembered of a document that came over HTTP."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from urlset.document import Document
from urlset.errors import Failure
from urlset.http import Response
from urlset.reader import documents
from urlset.reader.discovery import Attempt, Discovery
from urlset.reader.documents import DocumentRecord, Fetched, Visit
from urlset.robots import Robots

__all__ = ["failed_robots", "failure_of", "fetched", "why_nothing", "with_document"]


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
    record = documents.with_document(record, document)
    if response.error is not None:
        error = f"{response.message}; what came is read"
        return record._replace(error=error, failure="incomplete")
    return record


def failure_of(response: Response) -> Failure:
    """Return why an answer holds no document.

    401, 403, 407 and 429 come from logins and firewalls: the document may well exist.
    """
    if response.status in (401, 403, 407, 429):
        return "refused"
    is_status = response.status is not None and response.error in (None, "status")
    return "status" if is_status else "unreachable"


def failed_robots(response: Response, robots: Robots) -> Iterator[Visit]:
    """Tell of a robots.txt of which something did not come: what it declares is lost with it."""
    if robots.state == "unreachable" or (robots.state == "read" and response.error):
        record = DocumentRecord(response.request.url, how="robots", fetched=fetched(response))
        failure = "incomplete" if response.has_document else failure_of(response)
        error = f"robots.txt: {response.message}"
        yield Visit(record._replace(error=error, failure=failure), None)


def why_nothing(finder: Discovery, trials: Sequence[Attempt]) -> str:
    """Tell what was tried on a site where no sitemap was found."""
    if finder.is_mute:
        return f"the site does not answer: {trials[-1].detail}"
    forbidden = sum(trial.outcome == "disallowed" for trial in trials)
    places = len(trials) - forbidden
    why = f"no sitemap found: {places} {'place' if places == 1 else 'places'} tried"
    if failed := [trial for trial in trials if trial.outcome == "failed"]:
        why += f", of which {len(failed)} failed ({failed[0].url}: {failed[0].detail})"
    return why + (f"; robots.txt disallows {forbidden} more" if forbidden else "")
