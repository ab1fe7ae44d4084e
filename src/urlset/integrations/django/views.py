"""Views with the parameters of ``django.contrib.sitemaps.views``, written by urlset's writer."""

from __future__ import annotations

import gzip
import hashlib
import io
import logging
import re
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from functools import wraps
from itertools import chain
from typing import Any, NamedTuple

from asgiref.sync import sync_to_async
from django import conf
from django.contrib.sitemaps import views as contrib
from django.contrib.sites.shortcuts import get_current_site
from django.core.cache import caches
from django.core.handlers.asgi import ASGIRequest
from django.core.paginator import EmptyPage
from django.http import Http404, HttpResponse, HttpResponseNotAllowed, StreamingHttpResponse
from django.urls import reverse
from django.utils.cache import get_conditional_response, patch_vary_headers
from django.utils.http import http_date

from urlset.integrations.django.pages import as_instant
from urlset.integrations.django.sections import Section, SectionPage, UrlsSection, open_section
from urlset.integrations.file_responses import accepts_gzip
from urlset.model import Entry
from urlset.protocol import MAX_BYTES, MAX_URLS
from urlset.writer import render
from urlset.writer.file_set import render_indexes

_LOG = logging.getLogger("urlset.django")
_URL_NAME = "django.contrib.sitemaps.views.sitemap"
_STORED_S = 7 * 86_400
_LONG = 2_500
"""Number of URLs above which a page has several batches, so that it is streamed at once."""
_FOOTER = b"</urlset>\n"
_END = b"</url>\n"
_PAGE = re.compile(r"-?[0-9]{1,9}", re.ASCII)


def _headers(view: Callable[..., Any]) -> Callable[..., Any]:
    """Allow GET and HEAD only, and set the headers that all sitemaps have."""

    @wraps(view)
    def inner(request: Any, *args: Any, **kwargs: Any) -> Any:
        if request.method not in ("GET", "HEAD"):
            return HttpResponseNotAllowed(("GET", "HEAD"))
        response = view(request, *args, **kwargs)
        response.headers["X-Robots-Tag"] = "noindex, noodp, noarchive"  # as Django
        return response

    inner.csrf_exempt = True  # type: ignore[attr-defined] # a POST gets 405, not 403
    return inner


@_headers
def index(
    request: Any,
    sitemaps: dict[str, Any],
    template_name: str | None = None,
    content_type: str = "application/xml",
    sitemap_url_name: str = _URL_NAME,
) -> Any:
    """Return the index of all pages of all sections, each with its latest date.

    The parameters are those of ``django.contrib.sitemaps.views.index``; with a template of your own
    that view is called.
    """
    if template_name not in (None, "sitemap_index.xml"):
        return contrib.index(request, sitemaps, template_name, content_type, sitemap_url_name)
    current = get_current_site(request)
    listed: list[tuple[str, Any]] = []
    for name, site in sitemaps.items():
        section = open_section(site, request.scheme, current)
        protocol = section.site.protocol or request.scheme
        url = f"{protocol}://{current.domain}{reverse(sitemap_url_name, kwargs={'section': name})}"
        for number, latest in enumerate(section.latest(), 1):
            listed.append((url if number == 1 else f"{url}?p={number}", latest))
    dates = [None if latest is None else as_instant(latest) for _, latest in listed]
    rows = [
        (url, when if latest is None or hasattr(latest, "hour") else latest)  # a day stays a day
        for (url, latest), when in zip(listed, dates, strict=True)
    ]
    data = next(render_indexes(rows, ""))[0]
    latest = max(dates) if dates and None not in dates else None  # type: ignore[type-var]
    return _whole(request, data, content_type, latest)


@_headers
def sitemap(
    request: Any,
    sitemaps: dict[str, Any],
    section: str | None = None,
    template_name: str | None = None,
    content_type: str = "application/xml",
) -> Any:
    """Return a page of a section, or of all sections together.

    The parameters are those of ``django.contrib.sitemaps.views.sitemap``; with a template of your
    own that view is called. ``?p=`` is the number of the page.
    """
    if template_name not in (None, "sitemap.xml"):
        return contrib.sitemap(request, sitemaps, section, template_name, content_type)
    if section is not None and section not in sitemaps:
        raise Http404(f"No sitemap available for section: {section!r}")
    text = request.GET.get("p", "1")
    if _PAGE.fullmatch(text) is None:
        raise Http404(f"No page {text!r}")
    current = get_current_site(request)
    chosen = sitemaps.values() if section is None else [sitemaps[section]]
    opened = [open_section(site, request.scheme, current) for site in chosen]
    try:
        parts = _parts(opened, int(text), is_single=section is not None)
    except EmptyPage:
        raise Http404(f"Page {text} empty") from None
    return _page(request, parts, content_type)


class _Part(NamedTuple):
    """Page of a section, as part of a response."""

    section: Section | UrlsSection
    number: int
    facts: SectionPage


def _parts(opened: list[Any], number: int, *, is_single: bool) -> list[_Part]:
    """Return the pages of sections for a number; raise ``EmptyPage`` if there are none.

    Pages of several sections are packed, first pages first, into files of at most 50,000 URLs.
    """
    if is_single:
        return [_Part(opened[0], number, opened[0].facts(number))]
    most = max((section.pages for section in opened), default=1)
    file, urls, found = 1, 0, []
    for page in range(1, most + 1):
        for section in opened:
            if page > section.pages:
                continue
            facts = section.facts(page)
            if urls and urls + facts.urls > MAX_URLS:
                file, urls = file + 1, 0
            urls += facts.urls
            if file == number:
                found.append(_Part(section, page, facts))
            elif file > number:
                return found
    if number != file:
        raise EmptyPage(f"Page {number} empty")
    return found


def _page(request: Any, parts: list[_Part], content_type: str) -> Any:
    facts = [part.facts for part in parts]
    latest = None
    if facts and all(one.is_dated and one.latest is not None for one in facts):
        latest = max(as_instant(one.latest) for one in facts if one.latest is not None)
    if facts and all(one.version is not None for one in facts):
        etag = _etag("\n".join(str(one.version) for one in facts), weak=True)
        response = _conditional(request, etag, latest)
        if response is not None:
            return response
        if request.method == "HEAD":
            return _with_validators(HttpResponse(content_type=content_type), etag, latest)
    else:
        etag = None
    alias = getattr(conf.settings, "URLSET_PAGE_CACHE", None)
    store = caches[alias] if etag is not None and alias is not None else None
    if store is not None and (packed := store.get(f"urlset:page:{etag}")) is not None:
        return _stored(request, packed, content_type, etag, latest)
    document = _Document(parts)
    chunks = document.chunks()
    head = next(chunks)
    if not document.is_long:
        return _whole(request, head, content_type, latest or document.latest, etag)
    body: Iterable[bytes] = chain((head,), chunks)
    is_packed = _accepts_gzip(request)
    if store is not None:
        body = _storing(body, store, f"urlset:page:{etag}", is_packed=is_packed)
    elif is_packed:
        body = _packed(body)
    streamed = _asynchronous(body) if isinstance(request, ASGIRequest) else body
    response = StreamingHttpResponse(streamed, content_type=content_type)
    return _with_validators(response, etag, latest, is_packed=is_packed)


async def _asynchronous(chunks: Iterable[bytes]) -> AsyncIterator[bytes]:
    """Yield chunks, each made in the thread of the database connections of the request."""
    iterator = iter(chunks)

    def take() -> bytes | None:
        return next(iterator, None)

    while (chunk := await sync_to_async(take)()) is not None:
        yield chunk


def _stored(request: Any, packed: bytes, content_type: str, etag: str | None, latest: Any) -> Any:
    is_packed = _accepts_gzip(request)
    data = packed if is_packed else gzip.decompress(packed)
    response = HttpResponse(data, content_type=content_type)
    response.headers["Content-Length"] = str(len(data))
    return _with_validators(response, etag, latest, is_packed=is_packed)


def _storing(chunks: Iterable[bytes], store: Any, key: str, *, is_packed: bool) -> Iterator[bytes]:
    """Yield chunks, packed or not, and store the page in gzip when it is complete."""
    plain: list[bytes] = []

    def noted() -> Iterator[bytes]:
        for chunk in chunks:
            plain[:] = [chunk]
            yield chunk

    parts: list[bytes] = []
    for part in _packed(noted()):
        parts.append(part)
        if is_packed:
            yield part
        elif plain:
            yield plain.pop()
    store.set(key, b"".join(parts), _STORED_S)


class _Document:
    """Document under construction: chunks of bytes within the limits of the protocol.

    The first chunk is rendered before the response begins, so that most failures are an error and
    not half a document. A failure after that ends the response without its last line.
    """

    def __init__(self, parts: list[_Part]):
        self._parts = parts
        self._urls = 0
        self._bytes = 0
        self._is_full = False
        self.is_long = False
        """Whether there are several chunks; known with the first one."""
        self.latest: Any = None
        """Latest date of a document of one batch, if each of its entries has one."""

    def chunks(self) -> Iterator[bytes]:
        """Yield the document; a single chunk if it has one batch of entries."""
        batches: Iterator[tuple[_Part, list[Entry]]] = (
            (part, batch)
            for part in self._parts
            for batch in part.section.entry_batches(part.number)
        )
        first = next(batches, None)
        entries = first[1] if first else []
        self.is_long = sum(part.facts.urls for part in self._parts) > _LONG
        if not self.is_long and (second := next(batches, None)) is not None:
            self.is_long, batches = True, chain((second,), batches)
        if first is None or not self.is_long:
            header, body = _rendered(entries)
            if len(header) + len(body) + len(_FOOTER) > MAX_BYTES and first is not None:
                self._bytes = len(header) + len(_FOOTER)
                body, _ = self._cut(first[0], body)
            if all(part.facts.urls for part in self._parts):
                self.latest = _latest(entries)
            yield header + body + _FOOTER
            return
        header, _ = _rendered([part.section.namespaces for part in self._parts])
        self._bytes = len(header) + len(_FOOTER)
        yield header + self._body(*first)
        for part, batch in batches:
            if self._is_full:
                break
            yield self._body(part, batch)
        yield _FOOTER

    def _body(self, part: _Part, entries: list[Entry]) -> bytes:
        """Return the lines of a batch, cut at the limits."""
        _, body = _rendered(entries)
        count = body.count(_END)
        if self._urls + count > MAX_URLS or self._bytes + len(body) > MAX_BYTES:
            body, count = self._cut(part, body)
        self._urls += count
        self._bytes += len(body)
        return body

    def _cut(self, part: _Part, body: bytes) -> tuple[bytes, int]:
        """Return the lines that fit; the pages of the section are smaller from now on."""
        self._is_full = True
        end, count = 0, 0
        while self._urls + count < MAX_URLS:
            following = body.find(_END, end)
            if following < 0 or self._bytes + following + len(_END) > MAX_BYTES:
                break
            end, count = following + len(_END), count + 1
        part.section.shrink(self._urls + count)
        _LOG.warning(
            "expected a page of at most %s URLs and %s bytes, found more in page %s of %s; it ends "
            "after %s URLs, and from now on its pages have fewer",
            MAX_URLS, MAX_BYTES, part.number, type(part.section.site).__name__, self._urls + count,
        )  # fmt: skip
        return body[:end], count


def _rendered(entries: list[Entry]) -> tuple[bytes, bytes]:
    """Return the header and the lines of the valid entries."""
    data = render(entries, duplicates="keep", allow_empty=True, on_rejected=_log_rejection)
    start = data.index(b"\n", data.index(b"<urlset")) + 1
    return data[:start], data[start : -len(_FOOTER)]


def _latest(entries: list[Entry]) -> Any:
    dates: list[Any] = [entry.lastmod for entry in entries]
    return max(map(as_instant, dates)) if dates and None not in dates else None


def _log_rejection(rejection: Any) -> None:
    _LOG.warning("an entry is excluded: %s", rejection.reason)


def _whole(
    request: Any, data: bytes, content_type: str, latest: Any, etag: str | None = None
) -> Any:
    """Return a response of which all bytes are known."""
    is_packed = _accepts_gzip(request)
    if is_packed:
        data = gzip.compress(data, 6, mtime=0)
    etag = etag or _etag(data)
    response = _conditional(request, etag, latest)
    if response is None:
        body = b"" if request.method == "HEAD" else data
        response = HttpResponse(body, content_type=content_type)
        response.headers["Content-Length"] = str(len(data))
        _with_validators(response, etag, latest, is_packed=is_packed)
    return response


def _conditional(request: Any, etag: str, latest: Any) -> Any:
    """Return the response 304 or 412 if the request has a condition, else None.

    Only the ETag counts: a page may change while its latest date stays, as by a removed row.
    """
    response = get_conditional_response(request, etag)
    return None if response is None else _with_validators(response, etag, latest)


def _with_validators(
    response: Any, etag: str | None, latest: Any, *, is_packed: bool = False
) -> Any:
    if etag is not None:
        response.headers["ETag"] = etag
    if latest is not None:
        response.headers["Last-Modified"] = http_date(latest.timestamp())
    if is_packed:
        response.headers["Content-Encoding"] = "gzip"
    patch_vary_headers(response, ["Accept-Encoding"])
    return response


def _etag(content: bytes | str, *, weak: bool = False) -> str:
    data = content.encode() if isinstance(content, str) else content
    return f'{"W/" if weak else ""}"{hashlib.sha256(data).hexdigest()[:32]}"'


def _accepts_gzip(request: Any) -> bool:
    return accepts_gzip(request.headers.get("Accept-Encoding"))


def _packed(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the gzip data of chunks, each as soon as it is there."""
    buffer = io.BytesIO()
    with gzip.GzipFile(fileobj=buffer, mode="wb", compresslevel=6, mtime=0) as packer:
        for chunk in chunks:
            packer.write(chunk)
            packer.flush()
            yield _taken(buffer)
    yield _taken(buffer)


def _taken(buffer: io.BytesIO) -> bytes:
    data = buffer.getvalue()
    buffer.seek(0)
    buffer.truncate()
    return data
