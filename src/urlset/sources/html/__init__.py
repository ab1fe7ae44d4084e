"""A folder of HTML as a source: its files, the URLs they are served at, and what the pages say."""

from __future__ import annotations

from urlset.sources.html.folder import HtmlFolder

__all__ = ["HtmlFolder"]
