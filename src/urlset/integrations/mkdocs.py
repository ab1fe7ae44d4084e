"""MkDocs plugin: ``plugins: [urlset]`` writes the sitemaps of the built site.

It replaces the built-in ``sitemap.xml``, in which all pages have the date of the build.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mkdocs.config import config_options
from mkdocs.exceptions import PluginError
from mkdocs.plugins import BasePlugin, event_priority

from urlset.errors import ConfigurationError, UrlsetError
from urlset.integrations import built_site

# MkDocs counts the warnings of its own loggers: `strict` fails on them.
log: logging.Logger = logging.getLogger("mkdocs.plugins.urlset")

MODIFIED = ("lastmod", "last_modified", "modified", "updated", "last_updated")
PUBLISHED = ("date", "published", "created")
"""Keys of front matter with dates, best first."""

BUILT_IN = ("sitemap.xml", "sitemap.xml.gz")


class UrlsetPlugin(BasePlugin):  # type: ignore[type-arg,no-untyped-call] # see config_scheme
    """Write the sitemaps of the site after each build; ``mkdocs serve`` writes none."""

    config_scheme = (
        ("enabled", config_options.Type(bool, default=True)),
        *(
            (key, config_options.Type(type(default), default=default))
            for key, default in built_site.PluginOptions.defaults().items()
        ),
    )

    def __init__(self) -> None:
        self._is_off = False
        self._builds = 0
        self._pages: dict[str, built_site.HostPage] = {}
        self._files: dict[str, Any] = {}
        self._options = built_site.PluginOptions()

    def on_startup(self, *, command: str, **_: Any) -> None:
        """Switch the plugin off for a preview, whose URLs are those of this machine."""
        self._is_off = command == "serve"

    def on_config(self, config: Any, **_: Any) -> Any:
        """Check the options."""
        options = {key: value for key, value in self.config.items() if key != "enabled"}
        try:
            self._options = built_site.PluginOptions.of(options)
        except ConfigurationError as error:
            raise PluginError(f"urlset: {error}") from error
        self._is_off = self._is_off or not self.config["enabled"]
        if not self._is_off and not config["site_url"]:
            log.warning("site_url is not set in mkdocs.yml, so no sitemap is written")
            self._is_off = True
        return config

    def on_pre_build(self, **_: Any) -> None:
        """Count the builds that are in progress: a plugin for languages nests them."""
        if not self._builds:
            self._pages.clear()
            self._files.clear()
        self._builds += 1

    def on_env(self, env: Any, *, files: Any, **_: Any) -> Any:
        """Remember the pages, each with its URL and its front matter."""
        for file in files.documentation_pages():
            page = file.page
            if page is not None:
                self._files[file.dest_uri] = file
                self._pages[file.dest_uri] = built_site.with_stated_dates(
                    built_site.HostPage(
                        file.dest_uri, page.canonical_url, source=file.abs_src_path
                    ),
                    _values(page.meta, MODIFIED),
                    _values(page.meta, PUBLISHED),
                )
        return env

    @event_priority(-100)  # after the plugins that still write pages
    def on_post_build(self, config: Any, **_: Any) -> None:
        """Build the sitemaps when the outermost build has written all pages."""
        self._builds -= 1
        if self._is_off or self._builds:
            return
        site = built_site.BuiltSite(
            "mkdocs",
            output=config["site_dir"],
            base_url=config["site_url"],
            project=os.path.dirname(config["config_file_path"] or "") or os.getcwd(),
            content=config["docs_dir"],
        )
        for name in BUILT_IN:  # MkDocs has just written them, over any file of the author
            Path(site.output, name).unlink(missing_ok=True)
        if not self._options.gzip:
            log.info("%s of MkDocs is removed: `gzip: true` writes it instead", BUILT_IN[1])
        try:
            made = built_site.build_site(site, self._translated_pages(), self._options)
        except (UrlsetError, ValueError) as error:
            log.warning("no sitemap is written: %s", error)
            return
        for line in built_site.report_lines(made):
            log.info(line)

    def _translated_pages(self) -> Iterator[built_site.HostPage]:
        """Yield the pages with the translations that mkdocs-static-i18n knows.

        It completes them while it builds the languages, one after the other. Without the option
        ``languages`` they are the alternates.
        """
        for name, page in self._pages.items():
            known = {} if self._options.languages else _alternates(self._files[name])
            yield page._replace(translations=tuple(known.items()))

    def on_build_error(self, **_: Any) -> None:
        """Forget the builds that failed."""
        self._builds = 0


def _alternates(file: Any) -> dict[str, str]:
    """Return the paths of a page by language; empty without mkdocs-static-i18n.

    A page that is not translated is shown in the default language: it is no translation.
    """
    files = getattr(file, "alternates", None)
    if not isinstance(files, dict):
        return {}
    return {code: each.dest_uri for code, each in files.items() if each.locale == code}


def _values(meta: Any, keys: tuple[str, ...]) -> list[object]:
    """Return values of front matter; a date may be in a table, as in Material's blog."""
    dates = meta.get("date")
    table = dates if isinstance(dates, dict) else {}
    values = [table.get(key, meta.get(key)) for key in keys]
    return [value for value in values if value is not table]
