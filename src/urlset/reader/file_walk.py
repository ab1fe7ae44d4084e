"""Read the documents of a source without HTTP, indexes before their children, each once."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Generator, Iterator
from datetime import datetime
from typing import TYPE_CHECKING

from urlset.document import Document, parse
from urlset.errors import SourceError
from urlset.model import Sitemap
from urlset.protocol import MAX_NESTING
from urlset.reader.documents import DocumentRecord, Visit, is_sitemap, with_document
from urlset.reader.filters import skip_reason
from urlset.reader.locations import DocumentSource, Location

if TYPE_CHECKING:
    from urlset.http import Response

__all__ = ["FileWalk"]

ParseLocation = Callable[[Location], Document]
ChildrenOf = Callable[[Document], list[tuple[Sitemap, str | None]]]


class FileWalk:
    """Reader of a source without HTTP; each reading reads the source again."""

    def __init__(
        self,
        source: DocumentSource,
        *,
        engine: str | None,
        max_bytes: int,
        follow: bool,
        since: datetime | None = None,
    ):
        self._source = source
        self._engine = engine
        self._max_bytes = max_bytes
        self._follow = follow
        self._since = since

    def visits(self, on_response: Callable[[Response], None] | None = None) -> Generator[Visit]:
        """Yield document after document: an index, then its children in their order."""
        if on_response is not None:
            for response in self._robots_responses():
                on_response(response)
        return _SingleWalk(self._source, self._parse, self._children).visits()

    async def visits_async(self) -> AsyncGenerator[Visit]:
        """Do the same without blocking the event loop."""
        import asyncio  # slow to import, and most callers have no event loop

        visits = self.visits()
        while (visit := await asyncio.to_thread(next, visits, None)) is not None:
            yield visit

    def _robots_responses(self) -> Iterator[Response]:
        """Yield the robots.txt files of the source, as responses of a server."""
        from urlset.http import Request, Response

        for url, found in self._source.robots_files():
            request = Request(url, purpose="robots")
            if isinstance(found, SourceError):
                yield Response(request, url, error="connect", message=str(found), is_whole=False)
            else:
                yield Response(request, url, status=200, body=found)

    def _parse(self, location: Location) -> Document:
        return parse(
            location.load(),
            base_url=location.base_url,
            engine=self._engine,
            source=location.name,
            max_bytes=self._max_bytes,
        )

    def _children(self, document: Document) -> list[tuple[Sitemap, str | None]]:
        """Return the children of an index, each once, with the reason if one is skipped."""
        children = {child.loc: child for child in document.sitemaps} if self._follow else {}
        return [(child, skip_reason(child, self._since)) for child in children.values()]


class _SingleWalk:
    """State of one reading of a source.

    ``_seen`` maps the key of every document that was found to the loc that led to it; None if it
    was not an index.
    """

    def __init__(
        self, source: DocumentSource, parse_location: ParseLocation, children_of: ChildrenOf
    ):
        self._source = source
        self._parse = parse_location
        self._children_of = children_of
        self._seen: dict[object, str | None] = {}

    def visits(self) -> Generator[Visit]:
        is_any, rejected = False, None
        for location in self._source.locations():
            if location.key not in self._seen:
                self._seen[location.key] = None
                record = DocumentRecord(
                    location.name, how="given" if location.is_named else "folder"
                )
                for visit in self._tree(location, (), record):
                    is_any = True
                    yield visit
                if location.key not in self._seen:
                    rejected = location
        if rejected is not None and not is_any:
            raise SourceError(
                "expected a folder with sitemaps, found none: files with the ending of a sitemap "
                f"have other content, such as {rejected.name}"
            )

    def _tree(
        self, location: Location, above: tuple[Location, ...], record: DocumentRecord
    ) -> Iterator[Visit]:
        try:
            document = self._parse(location)
        except SourceError as error:
            if location.is_named:
                raise
            yield Visit(record._replace(error=str(error), failure=error.failure), None)
            return
        if location.is_guess and not is_sitemap(document, is_guess=True):
            del self._seen[location.key]  # if an index lists it, it is read and reported
            return
        children = self._children_of(document)
        yield Visit(with_document(record, document)._replace(base_url=location.base_url), document)
        del document  # frees memory for its children
        for child, skipped in children:
            yield from self._child(child, skipped, (*above, location))

    def _child(
        self, child: Sitemap, skipped: str | None, above: tuple[Location, ...]
    ) -> Iterator[Visit]:
        record = DocumentRecord(
            child.loc,
            above[-1].name,
            how="index",
            depth=len(above),
            lastmod=child.lastmod,
            loc=child.loc,
        )
        if skipped:
            yield Visit(record._replace(skipped=skipped), None)
            return
        try:
            location = self._locate(child.loc, above)
        except SourceError as error:
            yield Visit(record._replace(error=str(error), failure=error.failure), None)
            return
        if location.key not in self._seen:
            self._seen[location.key] = child.loc
            yield from self._tree(location, above, record._replace(source=location.name))

    def _locate(self, loc: str, above: tuple[Location, ...]) -> Location:
        """Return the location of a child; raises :class:`SourceError` if it must not be read."""
        location = self._source.child(loc, above[-1])
        if any(location.key == higher.key for higher in above):
            raise SourceError(
                "an index lists itself, or an index above it; not followed again", failure="cycle"
            )
        if len(above) > MAX_NESTING:
            raise SourceError(f"more than {MAX_NESTING} indexes deep; not read")
        first = self._seen.get(location.key)
        if first not in (None, loc):
            raise SourceError(f"is the same file as {first}; read once")
        return location
