"""Document source that returns fixed documents in place of the original ones."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import ClassVar, TypeGuard

from urlset.dates import LEADING_DAY, parse_date
from urlset.document import Document, parse
from urlset.errors import SourceError
from urlset.fixer.registry import IndexContext
from urlset.http.request_url import document_key
from urlset.reader.document_sources import DocumentSource, Location

_TOLERANCE = timedelta(days=1)  # a later date cannot be the date of a change


def _url_key(url: str) -> str:
    """Return a key that is equal for all spellings of a URL, with http or https."""
    return document_key(url).partition("://")[2]


class Overlay:
    """Document source over another one, which returns fixed documents in place of the originals.

    It implements :class:`DocumentSource`.

    Attributes:
        changed: Bytes of the fixed documents, by key.
        locations_by_name: Every document read so far, by name.
        parents: For each listed document, the index that lists it and the URL there, by key.
    """

    is_local: ClassVar[bool] = False  # a document may be changed until it is read

    def __init__(self, source: DocumentSource, now: datetime, engine: str | None, max_bytes: int):
        self.changed: dict[object, bytes] = {}
        self.locations_by_name: dict[str, Location] = {}
        self.parents: dict[object, tuple[Location, str]] = {}
        self._urls: dict[object, set[str]] = {}
        self._source = source
        self._now = now
        self._engine = engine
        self._max_bytes = max_bytes

    def locations(self) -> Iterator[Location]:
        """Yield the documents with which reading starts."""
        for location in self._source.locations():
            yield self._register(location)

    def child(self, loc: str, above: Sequence[Location], /) -> Location:
        """Return the location of a document that an index lists."""
        location = self._register(self._source.child(loc, above))
        self.parents.setdefault(location.key, (above[-1], loc))
        self._urls.setdefault(location.key, set()).add(_url_key(loc))
        return location

    def robots_files(self) -> Iterator[tuple[str, bytes]]:
        """Yield the readable robots.txt files, each with its URL."""
        for url, found in self._source.robots_files():
            if not isinstance(found, SourceError):  # an unreadable one is reported by R015
                yield url, self.changed.get(url, found)

    def index_context(self, parent: Location) -> IndexContext:
        """Return lookups of dates and children of the documents that an index lists."""
        return IndexContext(
            lambda loc: self._lastmod(loc, parent), lambda loc: self._children(loc, parent)
        )

    def _register(self, location: Location) -> Location:
        self.locations_by_name.setdefault(location.name or "", location)
        if location.key in self.changed:
            return location._replace(load=lambda: self.changed[location.key])
        return location

    def _above(self, index: Location) -> list[Location]:
        """Return an index, and before it the indexes that lead to it."""
        found = [index]
        while (parent := self.parents.get(found[0].key)) is not None and parent[0] not in found:
            found.insert(0, parent[0])
        return found

    def _document(self, loc: str, parent: Location) -> tuple[Document, Location] | None:
        try:
            location = self._register(self._source.child(loc, self._above(parent)))
            urls = self._urls.get(location.key, set())
            if not (location.is_exact or urls <= {_url_key(loc)}):
                return None  # found by the end of its path, as another URL was
            document = parse(
                location.load(), base_url=loc, engine=self._engine, max_bytes=self._max_bytes
            )
        except SourceError:
            return None
        return document, location

    def _lastmod(self, loc: str, parent: Location) -> date | None:
        """Return when a listed document last changed: its newest entry date, or the file time.

        The result is a date without time if the newest entry has none.
        """
        found = self._document(loc, parent)
        if found is None:
            return None
        document, location = found
        if location.key in self.changed and is_file(location.key):
            return self._now
        latest = self._now + _TOLERANCE
        rows = (*document.entries, *document.sitemaps)
        dates: list[tuple[datetime, str | None]] = [
            (row.lastmod, row.lastmod_text) for row in rows if row.lastmod and row.lastmod <= latest
        ]
        if (modified := _modified(location)) is not None:
            dates.append((modified, None))
        if not dates:
            return None
        latest_date, text = max(dates, key=lambda found: found[0])
        precision = parse_date(text).precision if text else "second"
        if precision in ("year", "month", "day"):
            day = LEADING_DAY.match(text or "")
            return date.fromisoformat(day[0]) if day else latest_date.date()
        return latest_date

    def _children(self, loc: str, parent: Location) -> list[tuple[str, str | None]] | None:
        found = self._document(loc, parent)
        if found is None or found[0].kind != "index":
            return None
        return [(child.loc, child.lastmod_text) for child in found[0].sitemaps]


def is_file(key: object) -> TypeGuard[str]:
    """Return whether the key of a document is the path of a file."""
    return isinstance(key, str) and os.path.isabs(key)


def _modified(location: Location) -> datetime | None:
    """Return the modification time of the file at a location; None if it is not a file."""
    try:
        time = os.stat(location.key).st_mtime if is_file(location.key) else None
    except OSError:
        return None
    return None if time is None else datetime.fromtimestamp(time, UTC)
