"""Locations of documents, the sources that list them, and the sources that are in memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import IO, NamedTuple, Protocol

from urlset.errors import SourceError
from urlset.urls import split_origin

__all__ = ["DocumentSource", "Location", "MemorySource", "SingleDocument", "read_at_most"]

_CHUNK = 1 << 20


class Location(NamedTuple):
    """One document of a source: its name, its URL if known, and a function that loads it.

    Attributes:
        name: Path or URL for messages and records; None for bytes.
        base_url: URL of the document, for references in it; None if unknown.
        load: Return the bytes of the document; raises :class:`SourceError`.
        key: Equal for locations of the same document.
        is_named: The user named this document; if it cannot be read, reading fails.
        is_guess: The document was found in a folder, and is ignored if it is not a sitemap.
    """

    name: str | None
    base_url: str | None
    load: Callable[[], bytes]
    key: object
    is_named: bool = False
    is_guess: bool = False


class DocumentSource(Protocol):
    """A source of documents without HTTP: a file, a folder, an object store or memory."""

    def locations(self) -> Iterator[Location]:
        """Yield the documents at which reading starts."""

    def child(self, loc: str, parent: Location, /) -> Location:
        """Return the document that an index lists; raises :class:`SourceError` if it is missing."""

    def robots_files(self) -> Iterator[tuple[str, bytes | SourceError]]:
        """Yield the URL of each robots.txt, with its content or the error of reading it."""


class SingleDocument:
    """One document from a stream or from memory, kept so that it can be read again."""

    def __init__(self, name: str | None, base_url: str | None, load: Callable[[], bytes]):
        self._name = name
        self._base_url = base_url
        self._load: Callable[[], bytes] | None = load
        self._data = b""

    def __getstate__(self) -> dict[str, object]:
        """Pickle the bytes in place of the stream, which is read now."""
        self._bytes()
        return vars(self)

    def locations(self) -> Iterator[Location]:
        """Yield the document."""
        yield Location(self._name, self._base_url, self._bytes, key=None, is_named=True)

    def child(self, _loc: str, parent: Location, /) -> Location:
        """Raise :class:`SourceError`: a stream has no folder to look in."""
        raise SourceError(
            f"the index that lists it ({parent.name or 'bytes'}) has no folder to look in; "
            "read the index by its path, or without its children",
            failure="stream",
        )

    def robots_files(self) -> Iterator[tuple[str, bytes | SourceError]]:
        """Yield nothing: a stream has no robots.txt."""
        yield from ()

    def _bytes(self) -> bytes:
        if self._load is not None:
            self._data = self._load()
            self._load = None
        return self._data


class MemorySource:
    """Documents in memory by their URL: a site without a network.

    Every document except robots.txt is read. The children of an index follow it. Documents that
    no index lists are also read.
    """

    def __init__(self, documents: Mapping[str, bytes]):
        self._documents = {url: bytes(data) for url, data in documents.items()}
        self._by_key: dict[str, str] | None = None

    def locations(self) -> Iterator[Location]:
        """Yield the documents, indexes first, so that children have a parent."""
        urls = [url for url in self._documents if not _is_robots(url)]
        if not urls:
            raise SourceError("expected sitemaps by their URL, found none")
        for url in sorted(urls, key=lambda url: b"<sitemapindex" not in self._documents[url]):
            yield self._location(url)

    def child(self, loc: str, _parent: Location, /) -> Location:
        """Return the document with the URL ``loc``."""
        if loc not in self._documents:
            loc = self._equivalent(loc)
        if loc not in self._documents:
            raise SourceError("listed but missing: no document has this URL", failure="missing")
        return self._location(loc)

    def robots_files(self) -> Iterator[tuple[str, bytes]]:
        """Yield every robots.txt, with its URL."""
        for url, data in self._documents.items():
            if _is_robots(url):
                yield url, data

    def _equivalent(self, loc: str) -> str:
        """Return the URL of the document whose normalized URL equals that of ``loc``."""
        from urlset.http import document_key

        if self._by_key is None:
            self._by_key = {document_key(url): url for url in self._documents}
        return self._by_key.get(document_key(loc), loc)

    def _location(self, url: str) -> Location:
        return Location(url, url, lambda: self._documents[url], url)


def read_at_most(file: IO[bytes], max_bytes: int) -> bytes:
    """Read a file, at most one byte more than ``max_bytes``, to detect that it is larger."""
    chunks: list[bytes] = []
    left = max_bytes + 1
    # Note: an unbuffered file may return fewer bytes than requested before its end.
    while left > 0 and (chunk := file.read(min(left, _CHUNK))):
        chunks.append(chunk)
        left -= len(chunk)
    return b"".join(chunks)


def _is_robots(url: str) -> bool:
    return split_origin(url)[2] == "/robots.txt"
