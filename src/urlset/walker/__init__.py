"""From a site, or from sitemaps of it, to every document below: a walk that reads each one once."""

from __future__ import annotations

from typing import Any

from urlset.errors import SourceError
from urlset.http import document_key, request_url
from urlset.reader.discovery import Discovery
from urlset.reader.site_walk import SiteWalk
from urlset.urls import resolve

__all__ = ["SiteWalk", "walk_from"]


def walk_from(url: str, *, agent: str = "urlset", obey: bool = True, **options: Any) -> SiteWalk:
    """Make the walk that somebody means by a URL: of a site by its home page or robots.txt.

    Every other URL is that of a sitemap. ``obey`` is for the :class:`Discovery`, the options are
    those of :class:`SiteWalk`. Raises :class:`urlset.SourceError` where it is no http(s) URL.
    """
    target = request_url(url)
    if target is None:
        raise SourceError(f"expected an http or https URL, found {url!r}")
    homes = [document_key(resolve(path, target)) for path in ("/", "/robots.txt")]
    start = Discovery(url, agent=agent, obey=obey) if document_key(target) in homes else [url]
    return SiteWalk(start, agent=agent, **options)
