"""Documents where they lie, with those that were mended in their place."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta

from urlset.dates import parse_date
from urlset.document import Document, parse
from urlset.errors import SourceError
from urlset.fixer.registry import IndexContext
from urlset.reader.locations import DocumentSource, Location

__all__ = ["Overlay"]

_DAY = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_TOLERANCE = timedelta(days=1)  # a date that lies further ahead is no date of a change


class Overlay:
    """A :class:`DocumentSource` over another one: documents in ``changed`` are read from there.

    ``places_by_name`` has every document that was met, ``parents`` the index that led to it.
    """

    def __init__(self, finder: DocumentSource, moment: datetime, engine: str | None, limit: int):
        self.changed: dict[object, bytes] = {}
        self.places_by_name: dict[str, Location] = {}
        self.parents: dict[object, tuple[Location, str]] = {}
        self._finder = finder
        self._moment = moment
        self._engine = engine
        self._limit = limit

    def locations(self) -> Iterator[Location]:
        """The documents that a reading begins with."""
        for place in self._finder.locations():
            yield self._met(place)

    def child(self, loc: str, parent: Location, /) -> Location:
        """The document that an index lists."""
        place = self._met(self._finder.child(loc, parent))
        self.parents.setdefault(place.key, (parent, loc))
        return place

    def robots_files(self) -> Iterator[tuple[str, bytes]]:
        """The robots.txt files that lie there, each with its URL."""
        for url, found in self._finder.robots_files():
            if not isinstance(found, SourceError):  # one that cannot be read is reported by R015
                yield url, self.changed.get(url, found)

    def around(self, parent: Location) -> IndexContext:
        """What an index may ask about the documents that it lists."""
        return IndexContext(
            lambda loc: self._lastmod(loc, parent), lambda loc: self._children(loc, parent)
        )

    def _met(self, place: Location) -> Location:
        self.places_by_name.setdefault(_name(place), place)
        if place.key in self.changed:
            return place._replace(load=lambda: self.changed[place.key])
        return place

    def _document(self, loc: str, parent: Location) -> tuple[Document, Location] | None:
        try:
            place = self._met(self._finder.child(loc, parent))
            document = parse(place.load(), base=loc, engine=self._engine, limit=self._limit)
        except SourceError:
            return None
        return document, place

    def _lastmod(self, loc: str, parent: Location) -> date | None:
        """Return when a document was last changed: its newest entry, or when the file was written.

        A day is returned for an entry that gives no time.
        """
        found = self._document(loc, parent)
        if found is None:
            return None
        document, place = found
        if place.key in self.changed and isinstance(place.key, str) and os.path.isabs(place.key):
            return self._moment
        latest = self._moment + _TOLERANCE
        rows = (*document.entries, *document.sitemaps)
        dates: list[tuple[datetime, str | None]] = [
            (row.lastmod, row.lastmod_text) for row in rows if row.lastmod and row.lastmod <= latest
        ]
        if (written := _written(place)) is not None:
            dates.append((written, None))
        if not dates:
            return None
        moment, text = max(dates, key=lambda found: found[0])
        precision = parse_date(text).precision if text else "second"
        if precision in ("year", "month", "day"):
            day = _DAY.match(text or "")
            return date.fromisoformat(day[0]) if day else moment.date()
        return moment

    def _children(self, loc: str, parent: Location) -> list[tuple[str, str | None]] | None:
        found = self._document(loc, parent)
        if found is None or found[0].kind != "index":
            return None
        return [(child.loc, child.lastmod_text) for child in found[0].sitemaps]


def _name(place: Location) -> str:
    return place.name or ""


def _written(place: Location) -> datetime | None:
    """When the file of a place was written; None for what is no file."""
    if not isinstance(place.key, str) or not os.path.isabs(place.key):
        return None
    try:
        return datetime.fromtimestamp(os.stat(place.key).st_mtime, UTC)
    except OSError:
        return None
