"""Documents in memory by their URL: a site without a network."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from urlset.errors import SourceError
from urlset.reader.locations import Location
from urlset.urls import split_origin

__all__ = ["MemorySource"]


class MemorySource:
    """A site that lies in memory: every document that is not a robots.txt is read.

    What an index lists comes after it, as its child; what none lists is read all the same.
    """

    def __init__(self, documents: Mapping[str, bytes]):
        self._documents = {url: bytes(data) for url, data in documents.items()}
        self._by_key: dict[str, str] | None = None

    def places(self) -> Iterator[Location]:
        """The documents, indexes first, so that children know their parent."""
        urls = [url for url in self._documents if not _is_robots(url)]
        if not urls:
            raise SourceError("expected sitemaps by their URL, found none")
        for url in sorted(urls, key=lambda url: b"<sitemapindex" not in self._documents[url]):
            yield self._place(url)

    def child(self, loc: str, _parent: Location, /) -> Location:
        """The document of that URL."""
        if loc not in self._documents:
            loc = self._known(loc)
        if loc not in self._documents:
            raise SourceError("listed but missing: nothing lies at this URL", failure="missing")
        return self._place(loc)

    def _known(self, loc: str) -> str:
        """Return the URL of a document that means the same as ``loc``, such as of its host."""
        from urlset.http import document_key

        if self._by_key is None:
            self._by_key = {document_key(url): url for url in self._documents}
        return self._by_key.get(document_key(loc), loc)

    def robots(self) -> Iterator[tuple[str, bytes]]:
        """Every robots.txt, with its URL."""
        for url, data in self._documents.items():
            if _is_robots(url):
                yield url, data

    def _place(self, url: str) -> Location:
        return Location(url, url, lambda: self._documents[url], url)


def _is_robots(url: str) -> bool:
    return split_origin(url)[2] == "/robots.txt"
