"""Scrapy spider: a replacement of Scrapy's ``SitemapSpider`` on the parser of urlset.

Change one import: ``from urlset.integrations.scrapy import SitemapSpider``. All requests go through
the downloader of Scrapy, with its middlewares, throttling and cache.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from scrapy import Request
from scrapy import spiders as hosts
from scrapy.http import Response

from urlset import http
from urlset.document import Document, parse
from urlset.model import Entry, Sitemap
from urlset.protocol import MAX_NESTING, READ_LIMIT
from urlset.reader.discovery import Attempt, Discovery, Lead, no_sitemap_message
from urlset.reader.documents import is_sitemap
from urlset.robots import read_robots

log: logging.Logger = logging.getLogger(__name__)
_scrapy_log = logging.getLogger("scrapy.spiders.sitemap")

META = "sitemap"
"""Key of ``Request.meta`` for where a URL was found."""

_WEB = ("http://", "https://")


class SitemapSpider(hosts.SitemapSpider):
    r"""Spider that follows the sitemaps of sites and requests the pages that they list.

    ``sitemap_urls``, ``sitemap_rules``, ``sitemap_follow``, ``sitemap_alternate_links`` and
    :meth:`sitemap_filter` are those of :class:`scrapy.spiders.SitemapSpider`. In addition:

    - A URL in ``sitemap_urls`` without a path (``https://example.com/``) is a site: its sitemaps
      are found by robots.txt, by links of its home page, and by well-known paths.
    - Text sitemaps, RSS and Atom feeds are read, and documents are repaired as by
      :func:`urlset.parse`. The content decides, not the name or the ``Content-Type``.
    - ``response.meta["sitemap"]`` says where a URL was found: a dict with ``source`` and ``line``
      (the document and the line that list it), ``lastmod``, ``parent`` (the index above the
      document) and ``how`` the document was found.
    - Only ``http`` and ``https`` URLs are requested; Scrapy would also open ``file://``.
    - Indexes are followed to a depth of 10, and documents are read up to 100 MiB, or to
      ``DOWNLOAD_MAXSIZE`` if that is less.
    """

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__(*args, **kwargs)
        self._searches: dict[str, _Search] = {}

    async def start(self) -> AsyncIterator[Any]:
        """Yield the first requests; Scrapy before 2.13 calls :meth:`start_requests`."""
        for request in self.start_requests():
            yield request

    def start_requests(self) -> Iterator[Any]:
        """Yield a request for each sitemap and for the robots.txt of each site."""
        for url in self.sitemap_urls:
            if urlsplit(url).path in ("", "/") and not urlsplit(url).query:
                self._searches[url] = search = _Search(Discovery(url, obey=False))
                yield from self._next_of_search(url, search)
            else:
                yield Request(url, self._parse_sitemap)

    def _parse_sitemap(self, response: Response) -> Iterable[Request]:
        found = response.meta.get(META, {}) if response.request is not None else {}
        requests = self._requests_of(response, found)
        site = found.get("site")
        if site in self._searches:
            self._searches[site].has_sitemap |= requests is not None
            return [*(requests or ()), *self._end_of_lead(site)]
        return requests or ()

    def _requests_of(
        self, response: Response, found: Mapping[str, Any]
    ) -> Iterable[Request] | None:
        """Return the requests that a document leads to; None if it is no sitemap."""
        content_type = (response.headers.get("Content-Type") or b"").decode("latin-1")
        if urlsplit(response.url).path.endswith("/robots.txt"):
            robots = read_robots(response.body, response.url, content_type)
            meta = {META: {"source": response.url, "how": "robots"}}
            urls = [line.url for line in robots.sitemaps if _is_web(line.url)]
            return [Request(url, self._parse_sitemap, meta=meta) for url in urls]
        document = parse(
            response.body,
            base_url=response.url,
            source=response.url,
            content_type=content_type,
            max_bytes=self._limit(response),
        )
        self._warn_of_size(response, document)
        is_guess = found.get("how") in ("link", "well-known", "feed")
        if not is_sitemap(document, is_guess=is_guess):
            if not is_guess:
                self._report_invalid(response, document)
            return None
        if document.problems:
            count, first = len(document.problems), document.problems[0]
            message = "%s: %d problems, the first in line %d: %s"
            log.info(message, response.url, count, first.line, first.message)
        return self._requests_in(document, response, found)

    def _requests_in(
        self, document: Document, response: Response, found: Mapping[str, Any]
    ) -> Iterator[Request]:
        how, parent = found.get("how", "given"), found.get("source")
        about = {"source": response.url, "parent": parent, "how": how}
        for item in self._filtered("sitemapindex", document.sitemaps):
            for loc in _locs(item, self.sitemap_alternate_links):
                if any(pattern.search(loc) for pattern in self._follow):
                    yield from self._sitemap_request(loc, {**about, **_place(item)}, found)
        for item in self._filtered("urlset", document.entries):
            for loc in _locs(item, self.sitemap_alternate_links):
                callback = next((call for rule, call in self._cbs if rule.search(loc)), None)
                if callback is not None and _is_web(loc):
                    yield Request(loc, callback=callback, meta={META: {**about, **_place(item)}})

    def _filtered(self, kind: str, rows: Iterable[Entry | Sitemap]) -> Iterable[Any]:
        """Return the rows, as dicts through ``sitemap_filter`` if a subclass defines it."""
        if not rows:
            return ()
        if type(self).sitemap_filter is hosts.SitemapSpider.sitemap_filter:
            return rows
        return self.sitemap_filter(_Rows(kind, rows))

    def _sitemap_request(
        self, url: str, about: dict[str, Any], found: Mapping[str, Any]
    ) -> Iterator[Request]:
        """Yield the request for a child of an index, unless it is nested too deeply."""
        depth = found.get("depth", 0) + 1
        if not _is_web(url):
            return
        if depth > MAX_NESTING:
            log.warning("%s is not read: it is below %d indexes", url, depth)
            return
        meta = {META: {**about, "how": "index", "depth": depth}}
        yield Request(url, callback=self._parse_sitemap, meta=meta)

    def _limit(self, response: Response) -> int:
        """Return the most bytes of a decompressed document."""
        limit = self._meta(response, "download_maxsize", getattr(self, "_max_size", 0))
        return min(limit or READ_LIMIT, READ_LIMIT)

    def _warn_of_size(self, response: Response, document: Document) -> None:
        warn_size = self._meta(response, "download_warnsize", getattr(self, "_warn_size", 0))
        if document.packed_size < warn_size <= document.size:
            _scrapy_log.warning(
                f"{response} body size after decompression ({document.size} B) "
                f"is larger than the download warning size ({warn_size} B)."
            )

    @staticmethod
    def _meta(response: Response, key: str, default: int) -> int:
        return int(default if response.request is None else response.meta.get(key, default))

    def _report_invalid(self, response: Response, document: Document) -> None:
        _scrapy_log.warning(
            "Ignoring invalid sitemap: %(response)s", {"response": response}, extra={"spider": self}
        )
        log.info("%s: expected a sitemap, found %s", response.url, document.kind)

    # A search for the sitemaps of a site.

    def _next_of_search(self, site: str, search: _Search) -> Iterator[Request]:
        """Yield the next request of a search: robots.txt, the home page, then the leads."""
        asked = search.discovery.next_request()
        if asked is not None:
            search.asked = asked
            yield Request(
                asked.url,
                callback=self._parse_found,
                errback=self._fail_found,
                dont_filter=True,
                meta={META: {"site": site}, "handle_httpstatus_all": True},
            )
            return
        yield from self._requests_of_leads(site, search)

    def _requests_of_leads(self, site: str, search: _Search) -> Iterator[Request]:
        """Yield the requests for the leads; the next kind of leads if none was a sitemap."""
        if not search.leads and not search.has_sitemap:
            search.leads = list(search.discovery.fallback())
            if not search.leads:
                attempts = [*search.discovery.attempts, *search.tried]
                log.warning("%s: %s", site, no_sitemap_message(search.discovery, attempts))
        leads, search.leads = [lead for lead in search.leads if _is_web(lead.url)], []
        search.pending = len(leads)
        for lead in leads:
            meta = {"site": site, "how": lead.how, "source": lead.parent}
            yield Request(
                lead.url,
                callback=self._parse_sitemap,
                errback=self._fail_lead,
                dont_filter=True,
                meta={META: meta},
            )

    def _parse_found(self, response: Response) -> Iterable[Request]:
        """Handle robots.txt or the home page of a site."""
        headers = {
            key.decode("latin-1").lower(): b", ".join(values).decode("latin-1")
            for key, values in response.headers.items()
        }
        found = {"status": response.status, "headers": headers, "body": response.body}
        return self._continued(response.meta[META]["site"], response.url, found)

    def _fail_found(self, failure: Any) -> Iterable[Request]:
        """Continue a search after a request that got no response."""
        found = {"error": "connect", "message": failure.getErrorMessage()}
        return self._continued(failure.request.meta[META]["site"], None, found)

    def _continued(self, site: str, url: str | None, found: dict[str, Any]) -> Iterator[Request]:
        search = self._searches.get(site)
        if search is None or search.asked is None:  # after a restart: the search begins anew
            return
        answer = http.Response(search.asked, url or search.asked.url, **found)
        search.leads += search.discovery.handle(answer)
        yield from self._next_of_search(site, search)

    def _fail_lead(self, failure: Any) -> list[Request]:
        found = failure.request.meta[META]
        if found["site"] not in self._searches:
            return []
        status = getattr(getattr(failure.value, "response", None), "status", None)
        url, state = failure.request.url, "failed" if status is None else "absent"
        attempt = Attempt(url, found["how"], state, status, failure.getErrorMessage())
        self._searches[found["site"]].tried.append(attempt)
        return self._end_of_lead(found["site"])

    def _end_of_lead(self, site: str) -> list[Request]:
        """Return further requests if the last of the leads has ended without a sitemap."""
        search = self._searches[site]
        search.pending -= 1
        if search.pending or search.has_sitemap:
            return []
        return list(self._requests_of_leads(site, search))


class _Search:
    """State of the search for the sitemaps of one site."""

    def __init__(self, discovery: Discovery):
        self.discovery = discovery
        self.asked: http.Request | None = None
        self.leads: list[Lead] = []
        self.tried: list[Attempt] = []
        self.pending = 0
        self.has_sitemap = False


class _Rows:
    """The rows of a document as dicts with the keys that Scrapy uses; ``type`` is its root."""

    def __init__(self, kind: str, rows: Iterable[Entry | Sitemap]):
        self.type = kind
        self._rows = rows

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return map(_as_dict, self._rows)


def _as_dict(row: Entry | Sitemap) -> dict[str, Any]:
    """Return a row as Scrapy does, with texts, and with the row itself as ``entry``."""
    found: dict[str, Any] = {"loc": row.loc, "entry": row}
    if row.lastmod_text is not None:
        found["lastmod"] = row.lastmod_text
    if isinstance(row, Entry):
        if row.changefreq is not None:
            found["changefreq"] = row.changefreq
        if row.priority is not None:
            found["priority"] = f"{row.priority:.6g}"
        if row.alternates:
            found["alternate"] = [each.href for each in row.alternates]
    return found


def _locs(item: Any, with_alternates: bool) -> Iterator[str]:
    """Yield the URL of a row, then those of its alternates if they are asked for."""
    if isinstance(item, Mapping):
        if item["loc"]:
            yield item["loc"]
        if with_alternates:
            yield from item.get("alternate", ())
        return
    if item.loc:
        yield item.loc
    if with_alternates and isinstance(item, Entry):
        for each in item.alternates:
            yield each.href


def _place(item: Any) -> dict[str, Any]:
    """Return where a row was found, as plain values, which a job on disk can store."""
    row = item.get("entry") if isinstance(item, Mapping) else item
    return {} if row is None else {"line": row.line, "lastmod": row.lastmod_text}


def _is_web(url: str) -> bool:
    return url[:8].lower().startswith(_WEB)
