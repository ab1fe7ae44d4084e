"""Pelican plugin: ``PLUGINS = ["urlset.integrations.pelican"]`` writes the sitemaps.

Its options are in the setting ``URLSET``, a dict. A build without ``SITEURL``, as for a preview,
writes none.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import quote

from pelican import signals

from urlset.errors import UrlsetError
from urlset.integrations import built_site

log: logging.Logger = logging.getLogger(__name__)

_written: dict[str, dict[str, Any]] = {}
"""The pages that the current run has written: path and what is known about each."""

_UNLISTED = ("draft", "hidden", "skip")


def register() -> None:
    """Connect the plugin to the signals of Pelican."""
    signals.initialized.connect(_start)
    signals.content_written.connect(_remember)
    signals.finalized.connect(_write_sitemaps)


def _start(_pelican: Any) -> None:
    _written.clear()


def _remember(path: str, context: Mapping[str, Any]) -> None:
    """Remember a page; only what is needed, because the context holds the whole site."""
    content = context.get("article") or context.get("page")
    _written[os.path.realpath(path)] = {
        "content": content if hasattr(content, "save_as") else None,
        "is_home": context.get("output_file") == "index.html",
    }


def _write_sitemaps(pelican: Any) -> None:
    settings = pelican.settings
    output = os.path.realpath(pelican.output_path)
    written = {path: page for path, page in _written.items() if path.startswith(output + os.sep)}
    for path in written:
        del _written[path]
    if not settings.get("SITEURL"):
        log.info("urlset: SITEURL is not set, so no sitemap is written")
        return
    base_url = f"{settings['SITEURL'].rstrip('/')}/"
    site = built_site.BuiltSite(
        "pelican", output=output, base_url=base_url, project=os.getcwd(), content=settings["PATH"]
    )
    try:
        options = built_site.PluginOptions.of(settings.get("URLSET") or {})
        pages = [
            _page(os.path.relpath(path, output), page, settings, base_url)
            for path, page in written.items()
        ]
        made = built_site.build_site(site, pages, options)
    except (UrlsetError, ValueError) as error:
        log.error("urlset: no sitemap is written: %s", error)
        return
    for line in built_site.report_lines(made):
        log.info("urlset: %s", line)


def _page(
    path: str, page: Mapping[str, Any], settings: Mapping[str, Any], base_url: str
) -> built_site.HostPage:
    """Return the page in a file: an article, a page, the home page, or a generated list."""
    file = path.replace(os.sep, "/")
    content = page["content"]
    if content is None:
        loc = base_url if file == "index.html" else base_url + quote(file, errors="surrogateescape")
        # Those of TEMPLATE_PAGES are pages that the author made, and no lists.
        is_page = page["is_home"] or file in settings.get("TEMPLATE_PAGES", {}).values()
        return built_site.HostPage(file, loc, reason=None if is_page else built_site.GENERATED)
    has_file_date = _has_file_date(content, settings)
    status = getattr(content, "status", "published")
    versions = [content, *getattr(content, "translations", ())]
    return built_site.HostPage(
        file,
        base_url + quote(content.url, safe="/%~!$&'()*+,;=:@-._?"),
        source=content.source_path,
        # Note: Pelican also puts the time of the file into `modified`.
        lastmod=None
        if has_file_date
        else built_site.stated_date(getattr(content, "modified", None)),
        published=None if has_file_date else built_site.stated_date(getattr(content, "date", None)),
        reason=status if status in _UNLISTED else None,
        has_file_date=has_file_date,
        translations=tuple((each.lang, each.save_as) for each in versions if hasattr(each, "lang")),
    )


def _has_file_date(content: Any, settings: Mapping[str, Any]) -> bool:
    """Return whether the date of an article is the modification time of its file."""
    value = getattr(content, "date", None)
    if settings.get("DEFAULT_DATE") != "fs" or not isinstance(value, datetime):
        return False
    # Pelican takes the time of this machine and puts the zone of the settings to it.
    modified = datetime.fromtimestamp(os.path.getmtime(content.source_path))  # noqa: DTZ006
    return abs(value.replace(tzinfo=None) - modified) < timedelta(seconds=1)
