"""Source that reads a folder of HTML pages: its files, their URLs, and facts of the pages."""

from __future__ import annotations

from urlset.sources.html.folder import HtmlFolder

__all__ = ["HtmlFolder"]
