"""The Sitemaps protocol, whole: read, build and check sitemaps."""

from __future__ import annotations

from urlset.document import Document, parse
from urlset.errors import EngineError, EntryError, SourceError, TargetError, UrlsetError
from urlset.model import Alternate, Entry, Image, News, Problem, Sitemap, Video

__all__ = [
    "Alternate",
    "Document",
    "EngineError",
    "Entry",
    "EntryError",
    "Image",
    "News",
    "Problem",
    "Sitemap",
    "SourceError",
    "TargetError",
    "UrlsetError",
    "Video",
    "parse",
]
