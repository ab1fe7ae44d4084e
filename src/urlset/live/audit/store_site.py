"""Refuse the store of an audit if it has the audits or crawls of another site."""

from __future__ import annotations

from itertools import islice

from urlset.document import Document
from urlset.errors import StoreError
from urlset.http import origin_of
from urlset.store import Store

NO_ORIGIN = "https://localhost"
"""Origin that an audit has if neither its source nor a listed URL has one."""

_LATEST = "SELECT site, kind FROM store.crawls ORDER BY crawl DESC LIMIT 1"
_ORIGIN = "regexp_extract(lower(e.loc), '^https?://[^/?#]+')"

# Where the documents were read that list pages of the site: it may be another origin.
_PLACES = f"""
    SELECT DISTINCT unnest([root, url]) FROM store.documents
    WHERE document IN (SELECT document FROM store.entries e WHERE {_ORIGIN} = ?)"""
_LISTED = f"""
    SELECT DISTINCT {_ORIGIN} FROM store.entries e JOIN store.documents d USING (document)
    WHERE d.root IS NOT DISTINCT FROM ?"""

_MAX_ENTRIES = 10_000


class StoreSite:
    """The site of the latest audit or crawl of a store with the live tables, if there is one."""

    def __init__(self, store: Store):
        self._store = store
        with store.session() as session:
            latest = list(session.rows(_LATEST))
        self._site, self._kind = latest[0] if latest else (None, "audit")
        origin = origin_of(self._site or "")
        self._origin = None if origin == NO_ORIGIN else origin

    def expect_source(self, *urls: str | None) -> bool:
        """Return whether a source is known to be of the site; False if its documents say that.

        ``urls`` are the URL of the source, and that at which it is published.

        Raises:
            urlset.StoreError: The store is that of another site.
        """
        if self._origin is None:
            return True
        named = [origin for url in urls if (origin := origin_of(url or "")) is not None]
        if self._origin in named:
            return True
        if named and self._places().isdisjoint(named):
            raise self._refusal(named[-1])
        return False

    def expect_document(self, document: Document, source: str | None) -> bool:
        """Return whether the URLs of a document say which site it is of; False if it has none.

        It is the first document of the source that has entries, or one before it.

        Raises:
            urlset.StoreError: The store is that of another site.
        """
        locs = (entry.loc for entry in islice(document.entries, _MAX_ENTRIES))
        listed = [origin for loc in locs if (origin := origin_of(loc)) is not None]
        if not listed:
            return False
        if self._origin not in listed and self._listed(source).isdisjoint(listed):
            raise self._refusal(listed[0])
        return True

    def _places(self) -> set[str | None]:
        """Return the origins of the documents that list pages of the site."""
        with self._store.session() as session:
            return {origin_of(url or "") for (url,) in session.rows(_PLACES, (self._origin,))}

    def _listed(self, source: str | None) -> set[str]:
        """Return the origins that a source listed before, if the site is one of them."""
        with self._store.session() as session:
            listed = {origin for (origin,) in session.rows(_LISTED, (source,))}
        return listed if self._origin in listed else set()

    def _refusal(self, origin: str) -> StoreError:
        return StoreError(
            f"expected a store with audits or crawls of {origin}/, found {self._kind}s of "
            f"{self._site}: {self._store.path!r}; name another file"
        )
