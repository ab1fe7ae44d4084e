"""The entries of a source, read while they are asked for."""

from __future__ import annotations

from collections.abc import Iterator

from urlset.document import Document, parse
from urlset.errors import SourceError
from urlset.model import Entry, Problem, Sitemap
from urlset.reader.places import Finder, Place
from urlset.reader.records import SITEMAP_KINDS, DocumentRecord, Visit, record_of

__all__ = ["Entries"]

MAX_NESTING = 10
"""Levels of indexes below the first that are followed; the protocol has none, peers follow ten."""

KEPT_PROBLEMS = 100_000
"""Problems that one reading remembers, some 30 MB; :func:`urlset.check` tells all of them."""


class Entries:
    """The entries of a source, one document in memory at a time.

    Iterates as :class:`urlset.Entry`, as often as wanted: each time the source is read anew (of
    a stream, the bytes are kept). Is an Arrow stream with a batch for each document.
    """

    def __init__(
        self, finder: Finder, *, engine: str | None, limit: int, follow: bool, fail_fast: bool
    ):
        self._finder = finder
        self._engine = engine
        self._limit = limit
        self._follow = follow
        self._fail_fast = fail_fast
        self._records: list[DocumentRecord] | None = None
        self._sitemaps: list[Sitemap] = []

    def __iter__(self) -> Iterator[Entry]:
        for visit in self.visits():
            if visit.document is not None:
                yield from visit.document.entries

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        from urlset.arrow import chain_streams

        documents = (visit.document for visit in self.visits())
        rows = (document.entries for document in documents if document and document.entries)
        return chain_streams(rows, requested_schema)

    @property
    def documents(self) -> list[DocumentRecord]:
        """What the latest reading has met so far; where there was none yet, it is done now."""
        if self._records is None:
            for _ in self.visits():
                pass
        return self._records or []

    @property
    def problems(self) -> list[Problem]:
        """The problems of all :attr:`documents`, one after another."""
        return [problem for record in self.documents for problem in record.problems]

    @property
    def sitemaps(self) -> list[Sitemap]:
        """The children that the indexes among :attr:`documents` list."""
        return self._sitemaps if self.documents else []

    def visits(self) -> Iterator[Visit]:
        """Read document after document: an index, then its children in their order."""
        records, sitemaps = self._records, self._sitemaps = [], []
        room = KEPT_PROBLEMS
        walk = _Walk(self._finder, self._engine, self._limit, self._follow)
        for record, document in walk.visits():
            kept = record._replace(problems=record.problems[:room])
            room -= len(kept.problems)
            records.append(kept)
            if record.error and self._fail_fast:
                raise SourceError(f"{record.source or 'the document'}: {record.error}")
            if document is not None:
                sitemaps.extend(document.sitemaps)
            yield Visit(kept, document)


class _Walk:
    """One reading of a source; one object per reading.

    ``_seen`` has the key of every document that was met, and the loc that led to it (None: no
    index did).
    """

    def __init__(self, finder: Finder, engine: str | None, limit: int, follow: bool):
        self._finder = finder
        self._engine = engine
        self._limit = limit
        self._follow = follow
        self._seen: dict[object, str | None] = {}

    def visits(self) -> Iterator[Visit]:
        for place in self._finder.places():
            if place.key not in self._seen:
                self._seen[place.key] = None
                yield from self._tree(place, ())

    def _tree(self, place: Place, above: tuple[Place, ...]) -> Iterator[Visit]:
        parent = above[-1].name if above else None
        try:
            document = self._parse(place)
        except SourceError as error:
            if place.is_named:
                raise
            yield Visit(DocumentRecord(place.name, parent, error=str(error)), None)
            return
        if place.is_guess and not _is_sitemap(document):
            del self._seen[place.key]  # an index may still list it, and be told
            return
        locs = dict.fromkeys(child.loc for child in document.sitemaps) if self._follow else {}
        yield Visit(record_of(document, parent), document)
        del document  # its children need the room
        for loc in locs:
            yield from self._child(loc, (*above, place))

    def _parse(self, place: Place) -> Document:
        return parse(
            place.load(), base=place.base, engine=self._engine, source=place.name, limit=self._limit
        )

    def _child(self, loc: str, above: tuple[Place, ...]) -> Iterator[Visit]:
        try:
            place = self._place(loc, above)
        except SourceError as error:
            yield Visit(DocumentRecord(loc, above[-1].name, error=str(error)), None)
            return
        if place.key not in self._seen:
            self._seen[place.key] = loc
            yield from self._tree(place, above)

    def _place(self, loc: str, above: tuple[Place, ...]) -> Place:
        """Find a child; raises where it is not to be read, except where it only was already."""
        place = self._finder.child(loc, above[-1])
        if any(place.key == higher.key for higher in above):
            raise SourceError("an index lists itself, or an index above it; not followed again")
        if len(above) > MAX_NESTING:
            raise SourceError(f"more than {MAX_NESTING} indexes deep; not read")
        first = self._seen.get(place.key)
        if first not in (None, loc):
            raise SourceError(f"leads to the file that {first} led to; read once")
        return place


def _is_sitemap(document: Document) -> bool:
    """Tell whether a file that nobody named is a sitemap: most of its lines, where it is text."""
    if document.kind != "text":
        return document.kind in SITEMAP_KINDS
    strays = sum(problem.code == "T001" for problem in document.problems)
    return len(document.entries) > strays
