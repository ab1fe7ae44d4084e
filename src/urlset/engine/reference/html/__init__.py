"""Scan of the markup of a page; the counterpart of ``rust/core/src/html``."""

from __future__ import annotations

from urlset.engine.html_page import HtmlElement, PageAnchor
from urlset.engine.reference.html.content import (
    anchors_in,
    content_lines,
    content_words,
    has_scripts,
)
from urlset.engine.reference.html.scanner import scan

__all__ = ["ReferencePage"]


class ReferencePage:
    """Scanned page; implements :class:`urlset.engine.html_page.ScannedPage`."""

    def __init__(self, markup: str) -> None:
        self._markup = markup
        self._found = scan(markup)
        self.title: str | None = self._found.title
        self.language: str | None = self._found.language
        self.elements: list[HtmlElement] = self._found.elements
        self.data: list[str] = self._found.data

    def lines(self) -> str:
        """Return the main content, line by line."""
        return content_lines(self._found)

    def words(self, origin: str) -> str:
        """Return the words of the main content, and in a second line the targets of its links."""
        return content_words(self._found, origin)

    def anchors(self) -> list[PageAnchor]:
        """Return the links of the page as written, in document order."""
        return list(anchors_in(self._markup))

    def has_scripts(self) -> bool:
        """Return whether the page has a script that is run."""
        return has_scripts(self._markup)
