"""Sitemap classes with the attributes and methods of ``django.contrib.sitemaps``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import date, datetime
from functools import partial
from itertools import islice
from typing import Any
from urllib.parse import urljoin

from django import conf
from django.contrib import sitemaps as contrib
from django.core.exceptions import FieldDoesNotExist
from django.db.models import Max, QuerySet
from django.utils import translation
from django.utils.encoding import iri_to_uri

from urlset.integrations.django.pages import BATCH_ROWS, as_instant, is_keyset
from urlset.model import Alternate, Entry, Image, News, Video

_MEDIA_URLS = ("loc", "license", "thumbnail_loc", "content_loc", "player_loc", "gallery_loc")
_URL = "https://example.com/"
ALL_NAMESPACES = Entry(
    _URL,
    images=(Image(_URL),),
    videos=(Video(_URL, "title", "description", _URL),),
    news=News("name", "en", publication_date="2026-01-31", title="title"),
    alternates=(Alternate("en", _URL),),
)
"""Entry with every extension, which the root element of a streamed document has to declare."""


class DjangoSitemap(contrib.Sitemap):  # type: ignore[misc] # Django has no types
    """Drop-in replacement for ``django.contrib.sitemaps.Sitemap``.

    Attributes and methods are those of Django. In addition:

    - ``lastmod_field``: the field of the model with the date of a row. The index then gets the
      latest date of each page by SQL. Without a method or attribute ``lastmod``, it is also the
      ``lastmod`` of the URLs.
    - ``cache_version``: a number or a text. Set it if every change of a URL also changes the date
      in ``lastmod_field``; then a page is identified by the number of its rows and the latest
      date, so that it is answered by 304 or from ``URLSET_PAGE_CACHE`` without being rendered.
      ``manage.py urlset build`` takes a section over from the last build while the keys and dates
      of all its rows are the same.
      Increase it when URLs change in another way: a route, ``update()`` without the date, a row of
      another table.
    - ``images(item)``, ``videos(item)``, ``news(item)``: extensions, as for ``urlset.Entry``.
    - ``item_urls(item)``: the dicts of an item with several URLs, with the keys ``location`` (also
      absolute), ``lastmod``, ``changefreq``, ``priority`` and ``alternates``.

    A queryset is read in the order of its primary keys.
    """

    lastmod_field: str | None = None
    cache_version: int | str | None = None

    def get_latest_lastmod(self) -> datetime | date | None:
        """Return the latest date: by SQL with ``lastmod_field``, else of all items in batches."""
        field, items = self.date_source(), None
        if field is not None:
            items = self.items()
            if isinstance(items, QuerySet):
                found = items.order_by().aggregate(latest=Max(field))["latest"]
                return found if found is None or isinstance(found, date) else None
        lastmod = getattr(self, "lastmod", None)
        if lastmod is None or not callable(lastmod):
            return lastmod
        dates: list[Any] = []
        for item in _iterate(self.items() if items is None else items):
            value = lastmod(item)
            if value is None:  # as Django: the date of the set is unknown
                return None
            if not dates or as_instant(value) > as_instant(dates[0]):
                dates = [value]
        return dates[0] if dates else None

    def date_source(self) -> str | None:
        """Return the name of the field with the dates; None if there is none."""
        return self.lastmod_field

    def urls_per_item(self) -> int:
        """Return how many URLs an item has at most: one for each language with ``i18n``."""
        return max(1, len(self._languages())) if self.i18n else 1

    def entries(self, items: list[Any], protocol: str, domain: str) -> list[Entry]:
        """Return the entries of a batch of items, in order."""
        root = f"{protocol}://{domain}"
        if hasattr(self, "item_urls"):
            return [entry_of(found, root) for item in items for found in self.item_urls(item)]
        if self.i18n:
            return self._translated(items, root)
        entry = self._entry_maker(root)
        if type(self)._location is contrib.Sitemap._location:  # it calls `_get`, as this does
            location = self._getter("location")
            return [entry(item, _absolute(root, location(item))) for item in items]
        return [entry(item, _absolute(root, self._location(item))) for item in items]

    def _translated(self, items: list[Any], root: str) -> list[Entry]:
        """Return the entries of all languages; each language is activated once for the batch."""
        languages = [list(self.get_languages_for_item(item)) for item in items]
        urls: list[dict[str, str]] = [{} for _ in items]
        location = self._getter("location")
        for code in dict.fromkeys(code for codes in languages for code in codes):
            with translation.override(code):
                for item, codes, found in zip(items, languages, urls, strict=True):
                    if code in codes:
                        found[code] = _absolute(root, location((item, code)))
        entries: list[Entry] = []
        entry_of_item = self._entry_maker(root)
        for item, codes, found in zip(items, languages, urls, strict=True):
            alternates = self._alternates(found) if self.alternates else ()
            if codes:  # what is not the URL is the same in all languages
                entry = entry_of_item((item, codes[0]), found[codes[0]], alternates)
                entries.append(entry)
                entries += [entry._replace(loc=found[code]) for code in codes[1:]]
        return entries

    def _alternates(self, urls: dict[str, str]) -> tuple[Alternate, ...]:
        found = [Alternate(code, url) for code, url in urls.items()]
        code = conf.settings.LANGUAGE_CODE
        if self.x_default and code in urls:
            # As Django: the default language also without its prefix.
            found.append(Alternate("x-default", urls[code].replace(f"/{code}/", "/", 1)))
        return tuple(found)

    def _entry_maker(self, root: str) -> Callable[..., Entry]:
        """Return a function of an item, its URL and alternates that returns its entry.

        URLs of its images and videos become full URLs below ``root``.

        Attributes are looked up once for a batch of items, because a lookup for each item takes
        longer than the rest.
        """
        lastmod, changefreq, priority = map(self._getter, ("lastmod", "changefreq", "priority"))
        field = None if hasattr(self, "lastmod") else self.date_source()
        if field is not None:
            name, is_pair = field, self.i18n

            def lastmod(item: Any) -> Any:
                return getattr(item[0] if is_pair else item, name, None)

        def media(found: Iterable[Any]) -> tuple[Any, ...]:
            return tuple(_with_full_urls(one, root) for one in found)

        extensions = [
            (name, media if name != "news" else lambda value: value, self._getter(name))
            for name in ("images", "videos", "news")
            if hasattr(self, name)
        ]

        def entry(item: Any, url: str, alternates: tuple[Alternate, ...] = ()) -> Entry:
            instant, text = _date(lastmod(item))
            found = Entry(
                url, instant, text, changefreq(item), priority(item), alternates=alternates
            )
            if not extensions:
                return found
            values = [(name, kind, get(item)) for name, kind, get in extensions]
            given: dict[str, Any] = {name: kind(value) for name, kind, value in values if value}
            return found._replace(**given)

        return entry

    def _getter(self, name: str) -> Callable[[Any], Any]:
        """Return a function of an item that returns what ``_get`` of Django returns for it."""
        if type(self)._get is not contrib.Sitemap._get:
            return partial(self._get, name)
        value = getattr(self, name, None)
        if not callable(value):
            return lambda _: value
        method: Callable[[Any], Any] = value
        if self.i18n:
            return lambda pair: method(pair[0])
        return method

    @property
    def namespaces(self) -> Entry:
        """An entry with every extension that the entries may have, for the root element."""
        if hasattr(self, "item_urls"):
            return ALL_NAMESPACES
        unused: dict[str, Any] = {
            name: None if name == "news" else ()
            for name in ("images", "videos", "news")
            if not hasattr(self, name)
        }
        if not self.alternates:
            unused["alternates"] = ()
        return ALL_NAMESPACES._replace(**unused)


class GenericSitemap(DjangoSitemap, contrib.GenericSitemap):  # type: ignore[misc]
    """Drop-in replacement for ``django.contrib.sitemaps.GenericSitemap``.

    ``date_field`` of its dict is the ``lastmod_field``.
    """

    def date_source(self) -> str | None:
        """Return ``date_field`` if it names a field of the model, else ``lastmod_field``."""
        name = getattr(self, "date_field", None)
        if not isinstance(name, str):
            return self.lastmod_field
        try:
            self.queryset.model._meta.get_field(name)
        except FieldDoesNotExist:
            return name if name in self.queryset.query.annotations else None
        return name

    def get_latest_lastmod(self) -> datetime | date | None:
        """Return the latest date: by SQL for a field, else of all items in batches."""
        if self.date_field is None and self.lastmod_field is None:
            return None
        return DjangoSitemap.get_latest_lastmod(self)


def uses_own_urls(site: Any) -> bool:
    """Return whether ``get_urls`` must be called: the class is Django's, or overrides it."""
    kind = type(site)
    return not isinstance(site, DjangoSitemap) or any(
        getattr(kind, name) is not getattr(contrib.Sitemap, name)
        for name in ("get_urls", "_urls", "paginator")
    )


def item_batches(items: Any) -> Iterator[list[Any]]:
    """Yield any iterable of items in batches."""
    rows = iter(_iterate(items))
    while batch := list(islice(rows, BATCH_ROWS)):
        yield batch


def entry_of(found: dict[str, Any], root: str = "") -> Entry:
    """Convert a dict of ``get_urls`` or ``item_urls`` to an entry."""
    instant, text = _date(found.get("lastmod"))
    alternates = tuple(
        Alternate(one["lang_code"], _absolute(root, one["location"]))
        for one in found.get("alternates") or ()
    )
    return Entry(
        _absolute(root, found["location"]),
        instant,
        text,
        found.get("changefreq") or None,
        None if found.get("priority") == "" else found.get("priority"),
        tuple(_with_full_urls(one, root) for one in found.get("images") or ()),
        tuple(_with_full_urls(one, root) for one in found.get("videos") or ()),
        found.get("news"),
        alternates,
    )


def _iterate(items: Any) -> Iterable[Any]:
    if isinstance(items, QuerySet) and items._result_cache is None:
        rows = items.order_by("pk") if is_keyset(items) else items
        items = rows.iterator(chunk_size=BATCH_ROWS)
    found: Iterable[Any] = items
    return found


def _date(value: Any) -> tuple[Any, str | None]:
    """Return the instant and the text of a date; a date without time stays one."""
    if value is None or isinstance(value, str):
        return (None, value or None)
    if isinstance(value, datetime):
        return as_instant(value), None
    return value, None


def _absolute(root: str, location: Any) -> str:
    text = str(location)
    if not text.isascii() or " " in text:
        text = iri_to_uri(text)
    return text if text.startswith(("https://", "http://")) else root + text


def _with_full_urls(media: Any, root: str) -> Any:
    """Return an image or a video whose URLs are full and percent-encoded, as the location is."""
    found = {
        name: urljoin(f"{root}/" if root else "", iri_to_uri(value))
        for name in _MEDIA_URLS
        if (value := getattr(media, name, None))
    }
    return media._replace(**found) if found else media
