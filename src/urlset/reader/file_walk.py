"""The walk over files: from where they are found to every document below, each read once."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Generator, Iterator
from datetime import datetime
from typing import TYPE_CHECKING

from urlset.document import Document, parse
from urlset.errors import SourceError
from urlset.model import Sitemap
from urlset.protocol import MAX_NESTING
from urlset.reader.detection import is_sitemap
from urlset.reader.documents import DocumentRecord, Visit, with_document
from urlset.reader.filters import skip_reason
from urlset.reader.locations import DocumentSource, Location

if TYPE_CHECKING:
    from urlset.http import Response

__all__ = ["FileWalk"]

ParsePlace = Callable[[Location], Document]
ChildrenOf = Callable[[Document], list[tuple[Sitemap, str | None]]]


class FileWalk:
    """A source without a network; each of its readings reads it anew."""

    def __init__(
        self,
        finder: DocumentSource,
        *,
        engine: str | None,
        limit: int,
        follow: bool,
        since: datetime | None = None,
    ):
        self._finder = finder
        self._engine = engine
        self._limit = limit
        self._follow = follow
        self._since = since

    def visits(self, heard: Callable[[Response], None] | None = None) -> Generator[Visit]:
        """Read document after document: an index, then its children in their order."""
        if heard is not None:
            for response in self._robots():
                heard(response)
        return _Walk(self._finder, self._parse, self._children).visits()

    async def visits_async(self) -> AsyncGenerator[Visit]:
        """Do the same without holding the loop up."""
        import asyncio  # takes a while, and not everybody has a loop

        visits = self.visits()
        while (visit := await asyncio.to_thread(next, visits, None)) is not None:
            yield visit

    def _robots(self) -> Iterator[Response]:
        """The robots.txt files that lie beside, as a server would give them."""
        from urlset.http import Request, Response

        for url, found in self._finder.robots():
            request = Request(url, purpose="robots")
            if isinstance(found, SourceError):
                yield Response(request, url, error="connect", message=str(found), is_whole=False)
            else:
                yield Response(request, url, status=200, body=found)

    def _parse(self, place: Location) -> Document:
        return parse(
            place.load(), base=place.base, engine=self._engine, source=place.name, limit=self._limit
        )

    def _children(self, document: Document) -> list[tuple[Sitemap, str | None]]:
        """The children to be looked at, each once, with the reason why one is skipped."""
        children = {child.loc: child for child in document.sitemaps} if self._follow else {}
        return [(child, skip_reason(child, self._since)) for child in children.values()]


class _Walk:
    """One reading of a source; one object per reading.

    ``_seen`` has the key of every document that was met, and the loc that led to it (None: no
    index did).
    """

    def __init__(self, finder: DocumentSource, parse_place: ParsePlace, children_of: ChildrenOf):
        self._finder = finder
        self._parse = parse_place
        self._children_of = children_of
        self._seen: dict[object, str | None] = {}

    def visits(self) -> Generator[Visit]:
        is_any, rejected = False, None
        for place in self._finder.places():
            if place.key not in self._seen:
                self._seen[place.key] = None
                blank = DocumentRecord(place.name, how="given" if place.is_named else "folder")
                for visit in self._tree(place, (), blank):
                    is_any = True
                    yield visit
                if place.key not in self._seen:
                    rejected = place
        if rejected is not None and not is_any:
            raise SourceError(
                "expected a folder with sitemaps, found none: what may be one by its ending is "
                f"none by its content, such as {rejected.name}"
            )

    def _tree(
        self, place: Location, above: tuple[Location, ...], blank: DocumentRecord
    ) -> Iterator[Visit]:
        try:
            document = self._parse(place)
        except SourceError as error:
            if place.is_named:
                raise
            yield Visit(blank._replace(error=str(error), failure=error.failure), None)
            return
        if place.is_guess and not is_sitemap(document, is_guess=True):
            del self._seen[place.key]  # an index may still list it, and be told
            return
        children = self._children_of(document)
        yield Visit(with_document(blank, document)._replace(base=place.base), document)
        del document  # its children need the room
        for child, skipped in children:
            yield from self._child(child, skipped, (*above, place))

    def _child(
        self, child: Sitemap, skipped: str | None, above: tuple[Location, ...]
    ) -> Iterator[Visit]:
        blank = DocumentRecord(
            child.loc,
            above[-1].name,
            how="index",
            depth=len(above),
            lastmod=child.lastmod,
            loc=child.loc,
        )
        if skipped:
            yield Visit(blank._replace(skipped=skipped), None)
            return
        try:
            place = self._place(child.loc, above)
        except SourceError as error:
            yield Visit(blank._replace(error=str(error), failure=error.failure), None)
            return
        if place.key not in self._seen:
            self._seen[place.key] = child.loc
            yield from self._tree(place, above, blank._replace(source=place.name))

    def _place(self, loc: str, above: tuple[Location, ...]) -> Location:
        """Find a child; raises where it is not to be read, except where it only was already."""
        place = self._finder.child(loc, above[-1])
        if any(place.key == higher.key for higher in above):
            raise SourceError(
                "an index lists itself, or an index above it; not followed again", failure="cycle"
            )
        if len(above) > MAX_NESTING:
            raise SourceError(f"more than {MAX_NESTING} indexes deep; not read")
        first = self._seen.get(place.key)
        if first not in (None, loc):
            raise SourceError(f"leads to the file that {first} led to; read once")
        return place
