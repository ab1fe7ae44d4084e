"""Sphinx extension: ``extensions = ["urlset.integrations.sphinx"]`` writes the sitemaps.

The URLs are those of the builder below ``html_baseurl``, as in the canonical links of the pages.
"""

from __future__ import annotations

import os
from typing import Any
from urllib.parse import quote

from sphinx.errors import ConfigError
from sphinx.util import logging

from urlset.errors import ConfigurationError, UrlsetError
from urlset.integrations import built_site

log = logging.getLogger(__name__)

BUILDERS = ("html", "dirhtml", "readthedocs", "readthedocsdirhtml")
MODIFIED = ("lastmod", "last_modified", "modified", "updated", "last-modified")
PUBLISHED = ("date", "published", "created")
"""Metadata of a document with dates, best first."""


def setup(app: Any) -> dict[str, bool]:
    """Register the options and the handlers of the extension."""
    for key, default in built_site.PluginOptions.defaults().items():
        app.add_config_value(f"urlset_{key}", default, "")
    app.add_config_value("urlset_enabled", True, "")
    app.add_config_value("urlset_base_url", "", "")
    app.connect("config-inited", _check_options)
    app.connect("build-finished", _write_sitemaps)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _options(config: Any) -> built_site.PluginOptions:
    keys = built_site.PluginOptions.defaults()
    return built_site.PluginOptions.of({key: getattr(config, f"urlset_{key}") for key in keys})


def _check_options(_app: Any, config: Any) -> None:
    try:
        _options(config)
    except ConfigurationError as error:
        raise ConfigError(f"urlset_{error}") from error


def _write_sitemaps(app: Any, exception: Exception | None) -> None:
    config = app.config
    if exception is not None or not config.urlset_enabled or app.builder.name not in BUILDERS:
        return
    base_url = config.urlset_base_url or config.html_baseurl
    if not base_url:
        log.warning("html_baseurl is not set in conf.py, so no sitemap is written", type="urlset")
        return
    base_url = f"{base_url.rstrip('/')}/"
    site = built_site.BuiltSite(
        f"sphinx-{app.builder.name}",
        output=str(app.outdir),
        base_url=base_url,
        project=str(app.confdir),
        content=str(app.srcdir),
    )
    pages = [_page(app, docname, base_url) for docname in sorted(app.env.found_docs)]
    # Pages of templates, such as a home page. Those of documents have the same names if both exist.
    named = sorted(set(config.html_additional_pages) - app.env.found_docs)
    pages += [_template_page(app, name, base_url) for name in named]
    try:
        made = built_site.build_site(site, pages, _options(config))
    except (UrlsetError, ValueError) as error:
        log.warning("no sitemap is written: %s", error, type="urlset")
        return
    for line in built_site.report_lines(made):
        log.info("urlset: %s", line)


def _page(app: Any, docname: str, base_url: str) -> built_site.HostPage:
    metadata = app.env.metadata.get(docname, {})
    page = _template_page(app, docname, base_url)._replace(source=str(app.env.doc2path(docname)))
    return built_site.with_stated_dates(
        page, [metadata.get(key) for key in MODIFIED], [metadata.get(key) for key in PUBLISHED]
    )


def _template_page(app: Any, name: str, base_url: str) -> built_site.HostPage:
    """Return a page without a source document."""
    file = os.path.relpath(app.builder.get_outfilename(name), app.outdir).replace(os.sep, "/")
    uri = app.builder.get_target_uri(name)
    # Note: unlike the other builders, those of folders do not percent-encode.
    return built_site.HostPage(
        file, base_url + (quote(uri) if "dirhtml" in app.builder.name else uri)
    )
