"""Read the sitemaps of an audit, the URLs that it excludes, and the access logs into its store."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from itertools import islice

from urlset.checker.load import Failures
from urlset.checker.views import creation_order
from urlset.document import Document
from urlset.errors import SourceError, StoreError
from urlset.http import Response, origin_of
from urlset.live.audit.probes import Probe
from urlset.live.schemas import stream_of
from urlset.live.visits.drive import Progress
from urlset.model import ProgressEvent
from urlset.reader import Entries
from urlset.reader.filters import UrlPatterns
from urlset.sources import AccessLog
from urlset.store import Store, StoreSession
from urlset.temp_files import expect_safe_to_read

CHUNK = 100_000
"""URLs that are compared with patterns at a time."""


def _packed_twice(response: Response) -> list[Probe]:
    """Return the row of a ``.gz`` file that the server compressed a second time; else nothing."""
    encoding = response.headers.get("content-encoding", "").lower()
    path = response.url.partition("?")[0].lower()
    if "gzip" not in encoding or not path.endswith(".gz"):
        return []
    return [Probe("packed", response.request.url, status=response.status)]


def keep_listing(store: Store) -> None:
    """Copy the listed URLs of the previous audit to the table ``previous_listing``."""
    with store.session() as session:
        for _, statement in creation_order(["listed_urls"]):
            session.run(statement)
        session.run("DELETE FROM store.previous_listing")
        session.run(
            "INSERT INTO store.previous_listing (key, lastmod) "
            "SELECT key, listed_lastmod FROM listed_urls"
        )


def read_sitemaps(
    store: Store,
    entries: Entries,
    packed: list[Probe],
    progress: Progress,
    has_time: Callable[[], bool],
    site: StoreSite | None,
) -> Failures:
    """Read all sitemaps into the store; return the documents that could not be read.

    ``packed`` gets a row of each file that is packed twice. When ``has_time`` returns false after a
    document, the rest is not read, and documents of an earlier audit stay in the store. The listed
    URLs must have the ``site`` of the store; None if that is known.

    Raises:
        urlset.SourceError: Nothing could be read.
        urlset.StoreError: The store is that of another site; nothing is stored.
    """
    failures = Failures()
    with store.writer(entries.source) as writer:

        def on_response(response: Response) -> None:
            packed.extend(_packed_twice(response))
            writer.on_response(response)

        with closing(entries.batches(on_response)) as batches:
            for record, document, rows in batches:
                if site and document and site.expect_document(document, entries.source):
                    site = None
                number = writer.add(record, document, rows)
                failures.add(number, record, document)
                progress(ProgressEvent(documents=1, source=record.source, error=record.error))
                if not has_time():
                    writer.is_complete = False
                    break
    return failures


def store_excluded_urls(session: StoreSession, patterns: UrlPatterns) -> None:
    """Replace the rows of ``excluded_urls`` by the listed URLs that the patterns exclude.

    The table ``listed_urls`` must exist. The view ``audited_urls`` has the other ones.
    """
    session.run("DELETE FROM store.excluded_urls")
    if not patterns:
        return
    [(total,)] = session.rows("SELECT count(*) FROM listed_urls")
    for start in range(0, total, CHUNK):
        query = "SELECT key, loc FROM listed_urls WHERE rowid >= ? AND rowid < ?"
        rows = list(session.rows(query, (start, start + CHUNK)))
        excluded = [row for row in rows if patterns.reason_against(row[1]) is not None]
        statement = "INSERT INTO store.excluded_urls BY NAME SELECT * FROM incoming"
        session.insert(statement, stream_of("key loc", excluded))


def expect_access_logs(paths: Sequence[str]) -> None:
    """Raise :class:`urlset.SourceError` if an access log cannot be opened.

    The logs are read after the crawl, so this is called before them.
    """
    for path in paths:
        if path == "-":
            continue
        try:
            expect_safe_to_read(path)
            with open(path, "rb"):
                pass
        except OSError as error:
            raise SourceError(f"{path}: cannot be read to its end: {error.strerror}") from error


def read_access_logs(
    session: StoreSession, paths: Sequence[str], base_url: str, engine: str | None = None
) -> None:
    """Replace the rows of ``log_urls`` by the pages that the access logs show as served.

    Raises:
        urlset.SourceError: No file is an access log.
    """
    log = AccessLog(paths, base_url, engine=engine)
    session.run("DELETE FROM store.log_urls")
    for batch in log.batches():
        locs, reasons = (batch.column(name).to_pylist() for name in ("loc", "reason"))
        rows = [(loc,) for loc, reason in zip(locs, reasons, strict=True) if reason is None]
        session.insert("INSERT INTO store.log_urls FROM incoming", stream_of("url", rows))


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
