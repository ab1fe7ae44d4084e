"""Documents that were read: what each one is, whether it is a sitemap, how it arrived, errors.

`read`, `check`, `check --fix` and `build` share the decision whether a document is a sitemap. It
takes the whole content; :mod:`urlset.formats.detect` examines the first bytes before.
"""

from __future__ import annotations

import logging
import re
from collections.abc import AsyncGenerator, Callable, Generator, Iterable, Iterator
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple

from urlset.document import Document
from urlset.errors import Failure, SourceError
from urlset.formats.compression import HEAD_BYTES
from urlset.formats.detect import TableKind, has_sitemap_name, table_kind
from urlset.formats.encoding import skip_space
from urlset.formats.signatures import FileKind, file_kind
from urlset.model import Kind, Problem, Sitemap
from urlset.option_names import option
from urlset.protocol import FIND_ROOT, READ_LIMIT
from urlset.reader.unreadable_entries import unreadable_count
from urlset.terminal_text import pluralize
from urlset.urls import split_origin

if TYPE_CHECKING:
    from urlset.arrow.streams import NumberedRows
    from urlset.http import Response
    from urlset.robots import Robots

KEPT_PROBLEMS = 100_000
"""Problems that one reading keeps, some 30 MB; :func:`urlset.check` reports all of them."""

NOT_OVER = "the reading is not over: not all documents were read"
"""Why a reading is not complete that its caller ended."""

logger: logging.Logger = logging.getLogger("urlset.read")

SITEMAP_KINDS = ("urlset", "index", "text", "rss", "atom")

# http://web.resource.org/rss/1.0/spec and the namespace of 0.90; other RDF is not a feed.
_RSS_1 = re.compile(rb"purl\.org/rss/|my\.netscape\.com/rdf/simple/|purl\.org/net/rss1\.1#")
_COMMENT = re.compile(rb"<!--.*?(?:-->|$)|<!\[CDATA\[.*?(?:\]\]>|$)|<\?.*?(?:\?>|$)", re.DOTALL)
_TAG = re.compile(rb"<(/?)([A-Za-z_\x80-\xff][-.:\w\x80-\xff]*+)([^<>]*+)>")
_VOID = frozenset(b"br hr img meta link input p li".split())  # HTML allows these without an end tag


def rejection_reason(document: Document) -> str | None:
    """Return why the content of a document is not a sitemap; None for a sitemap, even a bad one.

    >>> from urlset import parse
    >>> image = b'<svg><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"/></svg>'
    >>> rejection_reason(parse(image))
    'it is RDF, but not RSS'
    """
    text = document.text
    if document.kind == "text":
        if b"\0" in text:
            return "it contains NUL bytes"
        if table_kind_of_document(document) is not None:
            return "it is a table"
        strays = sum(problem.code == "T001" for problem in document.problems)
        strays += document.omitted.get("text-not-a-url", 0)
        if len(document.entries) <= strays:
            return "most of its lines are not URLs"
        return None
    if document.kind not in SITEMAP_KINDS:
        return "its root is not that of a sitemap, an index or a feed"
    if not skip_space(text).startswith(b"<") and not _may_have_leading_text(document.source):
        return "there is text before its root"
    root = FIND_ROOT.search(text)
    if root is not None and root[0].lower().endswith(b"rdf") and not _RSS_1.search(text):
        return "it is RDF, but not RSS"
    if root is not None and (outer := _enclosing(text, root.start())):
        return f"its root is inside <{outer}>"
    return None


def is_sitemap(document: Document, *, is_guess: bool) -> bool:
    """Return whether a document is a sitemap.

    A document of a known kind that the user or an index named is always one. If ``is_guess`` is
    set, the document was only found, and its whole content must be that of a sitemap.
    """
    return rejection_reason(document) is None if is_guess else document.kind in SITEMAP_KINDS


def is_undecodable(document: Document) -> bool:
    """Return whether nothing of a document could be decompressed, so that it may be a sitemap."""
    return document.kind == "empty" and not document.is_whole


def table_kind_of_document(document: Document) -> TableKind | FileKind | None:
    """Return the kind of table that was parsed as text or as an unknown document; or None."""
    if document.kind not in ("text", "unknown"):
        return None
    head = document.text[:HEAD_BYTES]
    return table_kind(head) or file_kind(head)


def _may_have_leading_text(source: str | None) -> bool:
    """Return whether text before the root is ignored in a source of that name."""
    return source in (None, "-") or has_sitemap_name(re.split(r"[/\\]", source or "")[-1])


_MAX_OUTER = 16
"""Open elements before the root, from the outermost, whose ends are searched after it."""


def _enclosing(text: bytes, start: int) -> str | None:
    """Return the name of the element that encloses the root at ``start``, if any.

    Images and manuals have one. Markup that a server wrote before a sitemap
    (``<b>Warning</b>``) ends before the root.

    The element spans of the engine do not help: the engine skips the text before the root that it
    recognizes, so its spans begin there, and that text may be HTML, which has tags without an end.
    """
    head = text[:start]
    if head.startswith(b"<?") and head.count(b"<") == 1:
        return None  # only an XML declaration is before the root
    stack: list[bytes] = []
    for tag in _TAG.finditer(_COMMENT.sub(b"", head)):
        is_end, name, is_empty = tag[1], tag[2].lower(), tag[3].endswith(b"/")
        if is_end and name in stack:
            del stack[stack.index(name) :]
        elif not is_end and not is_empty and name not in _VOID:
            stack.append(name)
    lowered = text[start:].lower() if stack else b""
    # Each name is a search of the whole document.
    outer = next((name for name in stack[:_MAX_OUTER] if b"</" + name in lowered), None)
    return None if outer is None else outer.decode(errors="replace")


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
        unreadable_count: Number of entries, and of sitemaps in an index, that have no readable URL.
            They are not among ``entries`` and ``sitemaps``, but among the problems.
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
    unreadable_count: int = 0


class Visit(NamedTuple):
    """Record of a document, with the document while it is in memory; None if it failed."""

    record: DocumentRecord
    document: Document | None


class DocumentBatch(NamedTuple):
    """Record of a document, the document, and its entries that pass the filter, in Arrow.

    ``rows`` (:class:`urlset.arrow.streams.NumberedRows`) has the columns of entries after a column
    ``entry``: the number of the entry in its document. None if there is no document.
    """

    record: DocumentRecord
    document: Document | None
    rows: NumberedRows | None


class FileReader:
    """Base of the readers of files, for callers in an event loop."""

    def visits(self, on_response: Callable[[Response], None] | None = None) -> Generator[Visit]:
        """Yield document after document; pass each robots.txt to ``on_response``."""
        raise NotImplementedError

    async def visits_async(self) -> AsyncGenerator[Visit]:
        """Yield document after document without blocking the event loop."""
        import asyncio  # slow to import, and most callers have no event loop

        visits = self.visits()
        while (visit := await asyncio.to_thread(next, visits, None)) is not None:
            yield visit


def faults_of(documents: Iterable[DocumentRecord]) -> tuple[str, ...]:
    """Return a text for each document that could not be read completely."""
    return tuple(
        f"{record.source or 'the document'}: {record.error}" for record in documents if record.error
    )


def skipped_by_limit(documents: Iterable[DocumentRecord]) -> tuple[str, ...]:
    """Return a text with the number of sitemaps that ``max_documents`` skipped; none without."""
    limit = option("max_documents")
    count = sum(limit in (record.skipped or "") for record in documents)
    return (f"{pluralize(count, 'document')} skipped by {limit}",) if count else ()


class ReadLog:
    """Collects the document records and the listed sitemaps of one reading.

    Attributes:
        urls: Number of entries so far, before the filters.
        records: Records of the documents so far.
        sitemaps: Sitemaps that the indexes among them list.
        is_over: Whether all documents were read.
        limit: The limit on the number of entries that ended the reading, as the caller writes it.
    """

    def __init__(self) -> None:
        self.urls: int = 0
        self.records: list[DocumentRecord] = []
        self.sitemaps: list[Sitemap] = []
        self.is_over: bool = False
        self.limit: str | None = None
        self._problems_left = KEPT_PROBLEMS

    @property
    def incomplete(self) -> tuple[str, ...]:
        """Why not everything was read, as far as it was; empty if it was."""
        ended = NOT_OVER if self.limit is None else f"stopped by {self.limit}"
        skipped = skipped_by_limit(self.records)
        return (*faults_of(self.records), *skipped, *[ended] * (not self.is_over))

    def add(self, visit: Visit, *, fail_fast: bool | None) -> Visit:
        """Record a visit; raise :class:`SourceError` if it shows that nothing can be read."""
        record, document = visit = _without_table(visit)
        if len(record.problems) > self._problems_left:
            record = record._replace(problems=record.problems[: self._problems_left])
            visit = Visit(record, document)
        self._problems_left -= len(record.problems)
        self.records.append(record)
        if logger.isEnabledFor(logging.DEBUG):
            result = record.error or record.skipped or f"{record.entries:,} entries"
            kind = "" if record.kind is None else f"{record.kind}, "
            logger.debug("%s: %s%s", record.source, kind, result)
        self.urls += record.entries
        is_source = document is None and record.how in ("given", "site")
        is_fatal = fail_fast or (is_source and fail_fast is not None)
        if record.error and is_fatal:
            message = f"{record.source or 'the document'}: {record.error}"
            raise SourceError(message, failure=record.failure or "unreadable")
        if document is not None:
            self.sitemaps.extend(document.sitemaps)
        return visit


def _without_table(visit: Visit) -> Visit:
    """Return a visit, without the document if it is a table that was parsed as a list of URLs."""
    record, document = visit
    if document is None or not record.error or table_kind_of_document(document) is None:
        return visit
    return Visit(record._replace(kind="unknown", entries=0), None)


def fetched(response: Response) -> Fetched:
    """Convert a response to the facts about it that a document record keeps."""
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
    """Add the facts and problems of a document to its record.

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
        error=_error_of(document, record),
        unreadable_count=unreadable_count(document),
    )
    if response is not None and response.error is not None:
        rest = "the part that arrived is read" if document.size else "nothing of it can be read"
        error = f"{response.message}; {rest}"
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
        yield Visit(record._replace(error=response.message, failure=failure), None)


def _error_of(document: Document, record: DocumentRecord) -> str | None:
    """Return why a document is not a sitemap, or an incomplete one; None if it is complete."""
    if (table := table_kind_of_document(document)) in ("Parquet", "DuckDB"):
        return (
            f"expected a sitemap, found a {table} file, which is read by its path only; save it, "
            "and name the file"
        )
    if table is not None:
        return (
            f"expected a sitemap, found a table ({table}); `urlset read` and `urlset build` accept "
            "it as a file, in Python urlset.sources.Table"
        )
    if is_undecodable(document):
        return "expected a sitemap, found data that cannot be decompressed; write the file again"
    if document.kind in _NOT_A_SITEMAP:
        error = _NOT_A_SITEMAP[document.kind]
        scheme, host, path = split_origin(record.source or "")
        if record.how == "given" and document.kind == "html" and scheme.startswith("http") and path:
            error += f"; name its sitemap, or {scheme}://{host}/ to search for the sitemaps"
        return error
    if document.is_whole:
        return None
    if document.omits_relative_urls:
        return f"its relative URLs expand to more than {READ_LIMIT:,} bytes; the rest is not read"
    return f"the document is cut off after {document.size:,} bytes; the rest is not read"
