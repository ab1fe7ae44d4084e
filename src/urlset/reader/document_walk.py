"""Walk of a source of documents without HTTP, which reads them in their order."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from urlset.document import Document, parse_document
from urlset.errors import SourceError
from urlset.model import Sitemap
from urlset.protocol import MAX_NESTING
from urlset.reader.document_sources import DocumentSource, Location, RobotsFile
from urlset.reader.documents import (
    DocumentRecord,
    FileReader,
    Visit,
    is_sitemap,
    is_undecodable,
    with_document,
)
from urlset.reader.filters import ChildChoice, ChildFilter
from urlset.reader.parse_ahead import ParseAhead

if TYPE_CHECKING:
    from urlset.http import Response

ParseLocation = Callable[[Location], Document]


class FileWalk(FileReader):
    """Reader of a source without HTTP; each reading reads the source again.

    With ``robots``, the records say which documents the robots.txt of the source declares.
    """

    def __init__(
        self,
        source: DocumentSource,
        *,
        engine: str | None,
        max_bytes: int,
        children: ChildFilter,
        robots: bool = False,
    ):
        self._source = source
        self._engine = engine
        self._max_bytes = max_bytes
        self._child_filter = children
        self._robots = robots

    def visits(self, on_response: Callable[[Response], None] | None = None) -> Generator[Visit]:
        """Yield document after document: an index, then its children in their order."""
        ahead = ParseAhead(self._engine) if self._source.is_local else None
        walk = DocumentWalk(self._source, self._parse, self._child_filter, ahead)
        if on_response is not None or self._robots:
            for response in robots_responses(self._source.robots_files()):
                walk.declare(response)
                if on_response is not None:
                    on_response(response)
        return walk.visits()

    def _parse(self, location: Location) -> Document:
        return parse_location(location, location.load(), self._engine, self._max_bytes)


def robots_responses(files: Iterable[RobotsFile]) -> Iterator[Response]:
    """Yield the robots.txt files of a source as HTTP responses, for a store."""
    for url, found in files:
        from urlset.http import Request, Response  # most folders have no robots.txt

        request = Request(url, purpose="robots")
        if isinstance(found, SourceError):
            yield Response(request, url, error="connect", message=str(found), is_whole=False)
        else:
            yield Response(request, url, status=200, body=found)


def parse_location(location: Location, data: bytes, engine: str | None, max_bytes: int) -> Document:
    """Parse the bytes of a document, or the first of them."""
    return parse_document(
        data, base_url=location.base_url, engine=engine, source=location.name, max_bytes=max_bytes
    )


class DocumentWalk:
    """One reading of a source: its documents read so far and those to be read.

    ``_seen`` maps the key of every document that was found to the loc that led to it; None if it
    was not an index.
    """

    def __init__(
        self,
        source: DocumentSource,
        parse_location: ParseLocation,
        children: ChildFilter,
        ahead: ParseAhead | None = None,
    ):
        self._source = source
        self._parse = parse_location
        self._ahead = ahead or ParseAhead(threads=0)
        self._following: Iterator[Location] = iter(())
        self._choice = ChildChoice(children)
        self._seen: dict[object, str | None] = {}
        self._declared: dict[str, str] = {}

    def declare(self, response: Response) -> None:
        """Add the sitemaps that a robots.txt declares."""
        from urlset.http import document_key  # most folders have no robots.txt
        from urlset.robots import robots_from_response

        robots = robots_from_response(response)
        for line in robots.sitemaps:
            self._declared.setdefault(document_key(line.url), robots.url)

    def _declared_by(self, places: Iterable[Location]) -> str | None:
        """Return the robots.txt that declares one of these documents, or None."""
        if not self._declared:
            return None
        from urlset.http import document_key

        urls = (place.base_url for place in places if place.base_url is not None)
        return next(filter(None, (self._declared.get(document_key(url)) for url in urls)), None)

    def visits(self) -> Generator[Visit]:
        """Yield document after document; raise :class:`SourceError` if nothing is a sitemap."""
        is_any, rejected = False, None
        with closing(self._ahead):
            for location in self._starts():
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

    def _starts(self) -> Iterator[Location]:
        """Yield the locations at which reading starts; parse the next ones meanwhile."""
        locations = self._source.locations()
        following: deque[Location] = deque()
        while True:
            count = self._ahead.limit + 1 - len(following)
            following.extend(islice(locations, max(0, count)))
            if not following:
                return
            location = following.popleft()
            self._following = iter(following)
            yield location

    def _take(self, location: Location) -> Document:
        """Return a document; begin to parse those that are read next."""
        document = self._ahead.take(_identity(location)) or self._parse(location)
        self._ahead.observe(document)
        unread = (each for each in self._following if each.key not in self._seen)
        following = islice(unread, self._ahead.limit)
        self._ahead.start({_identity(each): partial(self._parse, each) for each in following})
        return document

    def _tree(
        self, location: Location, above: tuple[Location, ...], record: DocumentRecord
    ) -> Iterator[Visit]:
        try:
            document = self._take(location)
        except SourceError as error:
            if location.is_named:
                raise
            yield Visit(record._replace(error=str(error), failure=error.failure), None)
            return
        if location.is_guess and self._is_rejected(document):
            del self._seen[location.key]  # if an index lists it, it is read and reported
            return
        children = self._choice.of(document)
        record = with_document(record, document)._replace(
            base_url=location.base_url, declared_by=self._declared_by((location, *above))
        )
        yield Visit(record, document)
        del document  # frees memory for its children
        above = (*above, location)
        places: dict[str, Location | SourceError] = {}
        for number, (child, skipped) in enumerate(children, 1):
            self._following = self._files_of(children, number, above, places)
            place = places.pop(child.loc, None)
            yield from self._child(child, skipped, above, place)

    def _files_of(
        self,
        children: Sequence[tuple[Sitemap, str | None]],
        start: int,
        above: tuple[Location, ...],
        places: dict[str, Location | SourceError],
    ) -> Iterator[Location]:
        """Yield the locations of the children from ``start`` on that are read and not missing.

        ``places`` keeps what was looked up.
        """
        for number in range(start, len(children)):
            child, skipped = children[number]
            if skipped:
                continue
            if child.loc not in places:
                try:
                    places[child.loc] = self._source.child(child.loc, above)
                except SourceError as error:
                    places[child.loc] = error
            place = places[child.loc]
            if isinstance(place, Location) and all(place.key != each.key for each in above):
                yield place

    def _is_rejected(self, document: Document) -> bool:
        return not is_sitemap(document, is_guess=True) and not is_undecodable(document)

    def _child(
        self,
        child: Sitemap,
        skipped: str | None,
        above: tuple[Location, ...],
        place: Location | SourceError | None,
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
            with suppress(SourceError):  # nor is it read as a file that no index lists
                self._seen.setdefault(self._locate(child.loc, above).key, child.loc)
            yield Visit(record._replace(skipped=skipped), None)
            return
        try:
            location = self._locate(child.loc, above, place)
        except SourceError as error:
            yield Visit(record._replace(error=str(error), failure=error.failure), None)
            return
        if location.key not in self._seen:
            self._seen[location.key] = child.loc
            yield from self._tree(location, above, record._replace(source=location.name))

    def _locate(
        self,
        loc: str,
        above: tuple[Location, ...],
        place: Location | SourceError | None = None,
    ) -> Location:
        """Return the location of a child; raises :class:`SourceError` if it must not be read.

        ``place`` is where it is, or why it is missing, if that is known.
        """
        if isinstance(place, SourceError):
            raise place
        location = place or self._source.child(loc, above)
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


def _identity(location: Location) -> tuple[object, ...]:
    """Return what decides the content of a document: its file, and the URL of its references."""
    return location.key, location.base_url, location.name
