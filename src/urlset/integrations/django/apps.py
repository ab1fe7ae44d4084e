"""Django app with system checks for mistakes in sitemaps; ``manage.py check`` runs them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from django import conf
from django.apps import AppConfig
from django.core import checks
from django.core.exceptions import FieldDoesNotExist
from django.db.models import QuerySet
from django.urls import NoReverseMatch, URLResolver, get_resolver, reverse

from urlset.integrations.django import views
from urlset.integrations.django.pages import is_keyset
from urlset.integrations.django.sitemaps import DjangoSitemap
from urlset.protocol import MAX_URLS


class UrlsetConfig(AppConfig):  # type: ignore[misc] # Django has no types
    """App that registers the checks and has the command."""

    name = "urlset.integrations.django"
    label = "urlset"
    verbose_name = "urlset"

    def ready(self) -> None:
        """Register the checks."""
        checks.register(check_sitemaps, "urlset")
        checks.register(check_cache, "urlset", deploy=True)


def check_sitemaps(app_configs: Any, **_: Any) -> list[Any]:
    """Return the mistakes in the sitemaps of the URL configuration."""
    del app_configs
    found: list[Any] = []
    done: set[int] = set()
    for view, arguments in _views(get_resolver().url_patterns):
        if view is views.index:
            found += _check_index(arguments)
        for name, site in arguments["sitemaps"].items():
            if id(site) not in done:
                done.add(id(site))
                found += _check_site(name, site)
    return found


def check_cache(app_configs: Any, **_: Any) -> list[Any]:
    """Warn about a cache that processes do not share: each would divide pages by itself."""
    del app_configs
    alias = getattr(conf.settings, "URLSET_CACHE", "default")
    if alias not in conf.settings.CACHES:
        return [
            checks.Error(
                f"expected URLSET_CACHE to name a cache of CACHES, found {alias!r}",
                id="urlset.E004",
            )
        ]
    backend = conf.settings.CACHES[alias]["BACKEND"]
    if not backend.endswith((".LocMemCache", ".DummyCache")):
        return []
    return [
        checks.Warning(
            f"expected a cache that all processes share, found {backend.rpartition('.')[2]} as "
            f"{alias!r}: after rows are removed, processes may divide pages at different rows",
            hint="Set CACHES to Redis, memcached, a database or files, or URLSET_CACHE to one.",
            id="urlset.W005",
        )
    ]


def _views(patterns: Iterable[Any]) -> Iterator[tuple[Any, dict[str, Any]]]:
    """Yield the views of sitemaps in URL patterns, with their arguments."""
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            yield from _views(pattern.url_patterns)
            continue
        view = pattern.callback
        while view not in (views.index, views.sitemap) and hasattr(view, "__wrapped__"):
            view = view.__wrapped__  # a decorator such as cache_page
        if view in (views.index, views.sitemap) and "sitemaps" in pattern.default_args:
            yield view, pattern.default_args


def _check_index(arguments: dict[str, Any]) -> Iterator[Any]:
    name = arguments.get("sitemap_url_name", "django.contrib.sitemaps.views.sitemap")
    for section in list(arguments["sitemaps"])[:1]:
        try:
            reverse(name, kwargs={"section": section})
        except NoReverseMatch:
            yield checks.Error(
                f"expected a URL named {name!r} with the argument section, found none",
                hint='Add path("sitemap-<section>.xml", sitemap, …, name=…), or pass '
                "sitemap_url_name to the index.",
                id="urlset.E001",
            )


def _check_site(name: str, given: Any) -> Iterator[Any]:
    """Yield the mistakes in one sitemap; one that needs a request is skipped."""
    try:
        site = given() if callable(given) else given
        items = site.items()
    except Exception:  # noqa: BLE001 - code of the project, which may need tables or a request
        return
    where = f"{type(site).__name__} (section {name!r})"
    if not 1 <= site.limit <= MAX_URLS:
        yield checks.Error(
            f"{where}: expected limit from 1 to {MAX_URLS:,} (sitemaps.org), found {site.limit}",
            obj=type(site),
            id="urlset.E002",
        )
    if site.alternates and not site.i18n:
        yield checks.Warning(
            f"{where}: alternates = True has no effect without i18n = True",
            obj=type(site),
            id="urlset.W001",
        )
    if isinstance(site, DjangoSitemap) and isinstance(items, QuerySet):
        yield from _check_queryset(where, site, items)


def _check_queryset(where: str, site: Any, items: Any) -> Iterator[Any]:
    if not is_keyset(items):
        yield checks.Warning(
            f"{where}: expected a queryset that pages can divide by its primary key, found one "
            "that is sliced, combined, grouped or has values; its pages are read by OFFSET",
            hint="Return model instances, and filter instead of slicing.",
            obj=type(site),
            id="urlset.W002",
        )
    field = site.date_source()
    yield from _check_cache_version(where, site, items, field)
    if field is None:
        is_undated = hasattr(site, "date_field") and site.date_field is None
        if callable(getattr(site, "lastmod", None)) and not is_undated:
            yield checks.Warning(
                f"{where}: lastmod is a method, so the index reads all rows to find the latest",
                hint='Set lastmod_field = "…" to the field that lastmod returns.',
                obj=type(site),
                id="urlset.W003",
            )
        return
    try:
        column = items.model._meta.get_field(field)
    except FieldDoesNotExist:
        if field not in items.query.annotations:
            yield checks.Error(
                f"{where}: expected lastmod_field to name a field of {items.model.__name__}, "
                f"found {field!r}",
                obj=type(site),
                id="urlset.E003",
            )
        return
    if not _is_indexed(items.model, column):
        yield checks.Warning(
            f"{where}: {items.model.__name__}.{field} has no index, so the index of the sitemap "
            "reads the whole table",
            hint="Add db_index=True, or an index in Meta.indexes.",
            obj=type(site),
            id="urlset.W004",
        )


def _check_cache_version(where: str, site: Any, items: Any, field: str | None) -> Iterator[Any]:
    if site.cache_version is None:
        if field is not None and getattr(conf.settings, "URLSET_PAGE_CACHE", None) is not None:
            yield checks.Warning(
                f"{where}: its pages are not stored in URLSET_PAGE_CACHE, because it has no "
                "cache_version",
                hint="Set cache_version = 1 if every change of a URL also changes the date in "
                f"{field}, and increase it when URLs change in another way.",
                obj=type(site),
                id="urlset.W006",
            )
    elif field is None:
        yield checks.Warning(
            f"{where}: cache_version has no effect without lastmod_field",
            obj=type(site),
            id="urlset.W007",
        )
    elif items.query.select_related or items._prefetch_related_lookups:
        yield checks.Warning(
            f"{where}: cache_version is set, but the queryset reads related rows: if URLs depend "
            f"on them, a change there leaves {field} and the stored page as they are",
            hint="Change the date of the items too, increase cache_version, or remove it.",
            obj=type(site),
            id="urlset.W008",
        )


def _is_indexed(model: Any, field: Any) -> bool:
    first = [index.fields[0].lstrip("-") for index in model._meta.indexes if index.fields]
    return bool(field.db_index or field.unique or field.name in first)
