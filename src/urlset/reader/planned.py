"""Plan which documents of a source are read, and read some of them later, in any process."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from urlset.document import Document
from urlset.errors import SourceError
from urlset.formats.signatures import is_gzip
from urlset.model import Sitemap
from urlset.reader.document_sources import DocumentSource, Head, Location, RobotsFile
from urlset.reader.document_walk import DocumentWalk, parse_location, robots_responses
from urlset.reader.documents import (
    DocumentRecord,
    FileReader,
    Visit,
    is_sitemap,
    is_undecodable,
    with_document,
)
from urlset.reader.filters import ChildFilter

if TYPE_CHECKING:
    from collections.abc import Callable

    from urlset.http import Response

GZIP_RATIO = 10
"""Bytes of a sitemap per byte of gzip, to estimate its size."""

_LEAVES = ("urlset", "text", "rss", "atom")


class PlannedDocument(NamedTuple):
    """A document to read, or a record of one that is not read, with an error or a reason.

    ``location`` is None if it is not read. ``size`` is an estimate of its bytes after
    decompression. ``is_followed`` is whether its children are planned, too.
    """

    record: DocumentRecord
    location: Location | None = None
    size: int = 0
    is_followed: bool = False


class PlanWalk(DocumentWalk):
    """Walk of a source that reads indexes, and only the first bytes of other documents.

    A document is read as a whole if its first bytes do not show that it is no index.
    """

    def __init__(
        self, source: DocumentSource, *, engine: str | None, max_bytes: int, children: ChildFilter
    ):
        super().__init__(source, self._parse_head, children)
        self._engine = engine
        self._max_bytes = max_bytes
        self._follow = children.follow
        self._latest: tuple[Location, int] | None = None
        self._is_whole = False

    def documents(self) -> Iterator[PlannedDocument]:
        """Yield the documents of the source, in the order in which a reading yields them.

        Raises SourceError if the source cannot be read.
        """
        for record, document in self.visits():
            if document is None or self._latest is None:
                yield PlannedDocument(record)
                continue
            location, size = self._latest
            is_followed = self._is_whole and self._follow
            yield PlannedDocument(_unread(record), location, size, is_followed)

    def robots_files(self) -> Iterator[RobotsFile]:
        """Yield the robots.txt files of the source."""
        return self._source.robots_files()

    def _parse_head(self, location: Location) -> Document:
        head = location.load_head() if location.load_head is not None else None
        if head is not None:
            self._latest = location, _estimated_size(head)
            self._is_whole = len(head.data) >= head.size
            document = self._parse_bytes(location, head.data)
            if self._is_whole or (document.kind in _LEAVES and not document.sitemaps):
                return document
        data = location.load()
        self._latest = location, _estimated_size(Head(data[:4], len(data)))
        self._is_whole = True
        return self._parse_bytes(location, data)

    def _parse_bytes(self, location: Location, data: bytes) -> Document:
        return parse_location(location, data, self._engine, self._max_bytes)

    def _is_rejected(self, document: Document) -> bool:
        return self._is_whole and super()._is_rejected(document)


class PlannedReader(FileReader):
    """Reader of planned documents: a :class:`urlset.reader.entries.SourceReader`.

    It follows no index. A child that is listed after the first bytes of a document, which is no
    index by these, is not planned: it is a record with an error.
    """

    def __init__(
        self,
        documents: Sequence[PlannedDocument],
        *,
        engine: str | None,
        max_bytes: int,
        follow: bool,
        robots: Sequence[RobotsFile] = (),
    ):
        self._documents = documents
        self._robots = robots
        self._engine = engine
        self._max_bytes = max_bytes
        self._follow = follow

    def visits(self, on_response: Callable[[Response], None] | None = None) -> Generator[Visit]:
        """Yield document after document."""
        if on_response is not None:
            for response in robots_responses(self._robots):
                on_response(response)
        for planned in self._documents:
            record, location = planned.record, planned.location
            if location is None:
                yield Visit(record, None)
                continue
            try:
                data = location.load()
            except SourceError as error:
                yield Visit(record._replace(error=str(error), failure=error.failure), None)
                continue
            document = parse_location(location, data, self._engine, self._max_bytes)
            if location.is_guess and not (
                is_sitemap(document, is_guess=True) or is_undecodable(document)
            ):
                continue
            yield Visit(with_document(record, document), document)
            if self._follow and not planned.is_followed:
                for child in {child.loc: child for child in document.sitemaps}.values():
                    yield Visit(_unplanned(child, record), None)


def _estimated_size(head: Head) -> int:
    return head.size * (GZIP_RATIO if is_gzip(head.data) else 1)


def _unread(record: DocumentRecord) -> DocumentRecord:
    """Return a record without the facts that reading the document adds."""
    return DocumentRecord(
        record.source,
        record.parent,
        how=record.how,
        depth=record.depth,
        lastmod=record.lastmod,
        loc=record.loc,
        base_url=record.base_url,
    )


def _unplanned(child: Sitemap, parent: DocumentRecord) -> DocumentRecord:
    error = "listed by a document that does not begin as an index; read it as a source of its own"
    return DocumentRecord(
        child.loc,
        parent.source,
        how="index",
        depth=parent.depth + 1,
        lastmod=child.lastmod,
        loc=child.loc,
        error=error,
        failure="unreadable",
    )
