"""Pages of one section: their number, dates and entries, for each kind of items."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator
from datetime import date, datetime
from importlib.metadata import version
from itertools import chain
from typing import Any, NamedTuple

from django.core.paginator import EmptyPage
from django.db.models import QuerySet

from urlset.integrations.django import pages as key_pages
from urlset.integrations.django import sitemaps
from urlset.model import Entry
from urlset.protocol import MAX_BYTES, MAX_URLS
from urlset.writer import render

VERSION = version("urlset")
"""Version of urlset, which is part of what identifies a page or the rows of a section."""
_SAMPLE = 100
_SHARE = 0.8  # part of the byte limit that a page is planned for, as items differ in size
_LEARNED_S = 86_400


class SectionPage(NamedTuple):
    """What is known of a page before its items are read.

    Attributes:
        urls: Maximum number of URLs.
        latest: Latest date; None if it is unknown.
        is_dated: Whether every URL has a date.
        version: Text that changes with the page; None if its rows alone do not tell.
    """

    urls: int
    latest: datetime | date | None
    is_dated: bool
    version: str | None


class Section:
    """Pages of a sitemap whose items are a list, or a queryset that keys cannot page."""

    def __init__(self, site: Any, protocol: str, domain: str):
        self.site = site
        self._root = (site.get_protocol(protocol), domain)
        items = site.items()
        self._items: Any = items if hasattr(items, "__getitem__") else list(items)
        self.factor: int = site.urls_per_item()
        self.size: int = self._page_size()

    @property
    def pages(self) -> int:
        """Number of pages, at least one."""
        return max(1, math.ceil(self._length / self.size))

    def latest(self) -> list[datetime | date | None]:
        """Return the latest date of each page."""
        value = self.site.get_latest_lastmod()
        return [value if isinstance(value, date) else None] * self.pages

    def facts(self, number: int) -> SectionPage:
        """Return the facts of a page; raise ``EmptyPage`` if there is none of this number."""
        if not 1 <= number <= self.pages:
            raise EmptyPage(f"Page {number} empty")
        rows = max(0, min(self.size, self._length - (number - 1) * self.size))
        lastmod = getattr(self.site, "lastmod", None)
        latest = lastmod if rows and isinstance(lastmod, date) else None
        return SectionPage(rows * self.factor, latest, is_dated=latest is not None, version=None)

    def entry_batches(self, number: int) -> Iterator[list[Entry]]:
        """Yield the entries of a page in batches."""
        start = (number - 1) * self.size
        for batch in sitemaps.item_batches(self._items[start : start + self.size]):
            yield self.site.entries(batch, *self._root)

    @property
    def namespaces(self) -> Entry:
        """An entry with every extension that the entries may have."""
        found: Entry = self.site.namespaces
        return found

    def shrink(self, urls: int) -> None:
        """Plan fewer items per page from now on, because only so many URLs fit into the bytes."""
        size = max(1, int(urls / self.factor * _SHARE))
        key_pages.shared_cache().set(self._size_key, size, _LEARNED_S)

    @property
    def _length(self) -> int:
        items = self._items
        return int(items.count() if isinstance(items, QuerySet) else len(items))

    @property
    def _size_key(self) -> str:
        kind = type(self.site)
        name = f"{kind.__module__}.{kind.__qualname__}:{self.site.limit}:{self._root}"
        return f"urlset:size:{hashlib.sha256(name.encode()).hexdigest()[:32]}"

    def _page_size(self) -> int:
        """Return how many items a page holds: URLs up to the limit, and estimated bytes."""
        limit: int = min(self.site.limit, MAX_URLS)
        size = max(1, limit // self.factor)
        learned: int | None = key_pages.shared_cache().get(self._size_key)
        if learned is not None:
            size = min(size, learned)
        if _is_large(self.site) and (sample := list(self._items[:_SAMPLE])):
            entries = self.site.entries(sample, *self._root)
            data = render(entries, allow_empty=True, on_rejected=lambda _: None)
            most = int(_SHARE * MAX_BYTES * len(sample) / len(data))
            # A power of two, so that the pages stay the same when the sample changes a little.
            most = 1 << (max(1, most).bit_length() - 1)
            size = min(size, most, max(1, limit * len(sample) // max(1, len(entries))))
        return size


class KeysetSection(Section):
    """Pages of a queryset by ranges of its primary key."""

    @property
    def pages(self) -> int:
        """Number of pages, at least one."""
        return self._plan(None).pages

    def latest(self) -> list[datetime | date | None]:
        """Return the latest date of each page, by SQL if the sitemap names a field."""
        field = self._field
        if field is None or type(self.site).get_latest_lastmod not in _LATEST:
            return super().latest()
        plan = key_pages.plan_of(self._items, self.size, field=field)
        return [value if isinstance(value, date) else None for value in plan.latest or ()]

    def facts(self, number: int) -> SectionPage:
        """Return the facts of a page, by one query over its range of keys."""
        keys = self._range(number)
        found = key_pages.range_facts(self._items, keys, self._field)
        if found.rows > self.size:  # rows were inserted between others: other boundaries
            key_pages.forget_plan(self._items, self.size)
            keys = self._range(number)
            found = key_pages.range_facts(self._items, keys, self._field)
        if not found.rows and number > 1:
            key_pages.forget_plan(self._items, self.size)
            raise EmptyPage(f"Page {number} empty")
        text = None
        cache_version = self.site.cache_version
        if self._field is not None and cache_version is not None:
            text = repr((keys, found, self._root, self.size, VERSION, cache_version))
        is_dated = found.rows > 0 and found.dated == found.rows
        return SectionPage(found.rows * self.factor, found.latest, is_dated, text)

    def entry_batches(self, number: int) -> Iterator[list[Entry]]:
        """Yield the entries of a page in batches."""
        for batch in key_pages.batches(self._items, self._range(number)):
            yield self.site.entries(batch, *self._root)

    @property
    def rows(self) -> Any:
        """The queryset with all rows."""
        return self._items

    def sample(self, count: int) -> list[Entry]:
        """Return the entries of the first and the last rows, up to ``count`` of each."""
        rows = [*self._items.order_by("pk")[:count], *self._items.order_by("-pk")[:count]]
        found: list[Entry] = self.site.entries(rows, *self._root)
        return found

    def batches(self) -> Iterator[list[Entry]]:
        """Yield the entries of all rows in batches, without dividing them into pages."""
        for batch in key_pages.batches(self._items, key_pages.KeyRange(None, None)):
            yield self.site.entries(batch, *self._root)

    @property
    def _field(self) -> str | None:
        field: str | None = self.site.date_source()
        return field

    def _plan(self, number: int | None) -> key_pages.Plan:
        return key_pages.plan_of(self._items, self.size, number=number)

    def _range(self, number: int) -> key_pages.KeyRange:
        plan = self._plan(number) if number >= 1 else None
        if plan is None or number > plan.pages:
            raise EmptyPage(f"Page {number} empty")
        return plan.key_range(number)


class UrlsSection:
    """Pages of a sitemap that makes its URLs itself, such as one of Django."""

    def __init__(self, site: Any, protocol: str, current: Any):
        self.site = site
        self._protocol = protocol
        self._current = current
        self._root = f"{site.get_protocol(protocol)}://{site.get_domain(current)}"
        self.size = site.limit
        self.namespaces = sitemaps.ALL_NAMESPACES

    @property
    def pages(self) -> int:
        """Number of pages, at least one."""
        return int(self.site.paginator.num_pages)

    def latest(self) -> list[datetime | date | None]:
        """Return the latest date of the sitemap, for each page."""
        value = self.site.get_latest_lastmod()
        return [value if isinstance(value, date) else None] * self.pages

    def facts(self, number: int) -> SectionPage:
        """Return the facts of a page; raise ``EmptyPage`` if there is none of this number."""
        page = self.site.paginator.page(number)
        return SectionPage(len(page.object_list), None, is_dated=False, version=None)

    def entry_batches(self, number: int) -> Iterator[list[Entry]]:
        """Yield the entries of a page in batches."""
        found = self.site.get_urls(page=number, site=self._current, protocol=self._protocol)
        for batch in sitemaps.item_batches(found):
            yield [sitemaps.entry_of(one, self._root) for one in batch]

    def shrink(self, urls: int) -> None:
        """Do nothing: the sitemap divides its pages itself."""


def open_section(site: Any, protocol: str, current: Any) -> Section | UrlsSection:
    """Return the pages of a sitemap or of its class; ``current`` is the site with the domain."""
    site = site() if callable(site) else site
    if sitemaps.uses_own_urls(site):
        return UrlsSection(site, protocol, current)
    items = site.items()
    kind = KeysetSection if key_pages.is_keyset(items) else Section
    return kind(site, protocol, current.domain)


def all_entries(section: Section | UrlsSection) -> Iterator[Entry]:
    """Yield the entries of all pages of a section, in batches of queries."""
    if isinstance(section, KeysetSection):
        yield from chain.from_iterable(section.batches())
        return
    for number in range(1, section.pages + 1):
        yield from chain.from_iterable(section.entry_batches(number))


_LATEST = (sitemaps.DjangoSitemap.get_latest_lastmod, sitemaps.GenericSitemap.get_latest_lastmod)


def _is_large(site: Any) -> bool:
    """Return whether entries may be larger than a URL with its date."""
    names = ("images", "videos", "news", "item_urls")
    return bool(site.i18n and site.alternates) or any(hasattr(site, name) for name in names)
