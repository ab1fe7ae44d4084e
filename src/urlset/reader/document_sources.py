"""Sources of documents without HTTP: locations, and sources in memory."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import IO, TYPE_CHECKING, ClassVar, NamedTuple, Protocol
from urllib.parse import quote, unquote

from urlset.errors import SourceError
from urlset.urls import split_origin

if TYPE_CHECKING:
    pass

_CHUNK = 1 << 20

MAX_SEGMENTS = 16
"""Segments of a path that are looked up; a hostile loc has a thousand, each one a look-up."""


class Head(NamedTuple):
    """First bytes of a document as stored, and the number of all its bytes."""

    data: bytes
    size: int


class Location(NamedTuple):
    """One document of a source: its name, its URL if known, and functions that load it.

    Locations of files, object stores and memory can be pickled.

    Attributes:
        name: Path or URL for messages and records; None for bytes.
        base_url: URL of the document, for references in it; None if unknown.
        load: Return the bytes of the document; raises :class:`SourceError`.
        key: Equal for locations of the same document.
        is_named: The user named this document; if it cannot be read, reading fails.
        is_guess: The document was found in a folder, and is ignored if it is not a sitemap.
        load_head: Return the first bytes (:data:`urlset.formats.compression.HEAD_BYTES`); raises
            :class:`SourceError`. None if only the whole document can be loaded.
        is_exact: The document was found by its whole URL, not only by the end of its path.
    """

    name: str | None
    base_url: str | None
    load: Callable[[], bytes]
    key: object
    is_named: bool = False
    is_guess: bool = False
    load_head: Callable[[], Head] | None = None
    is_exact: bool = False


RobotsFile = tuple[str, bytes | SourceError]
"""URL of a robots.txt, with its content or the error of reading it."""


class DocumentSource(Protocol):
    """A source of documents without HTTP: a file, a folder, an object store or memory.

    Documents of a local one may be loaded that nobody uses then, if reading ends early.
    """

    is_local: ClassVar[bool]

    def locations(self) -> Iterator[Location]:
        """Yield the documents at which reading starts."""

    def child(self, loc: str, above: Sequence[Location], /) -> Location:
        """Return the document that an index lists; raises :class:`SourceError` if it is missing.

        ``above`` has that index last, and before it the indexes that lead to it.
        """

    def robots_files(self) -> Iterator[RobotsFile]:
        """Yield the URL of each robots.txt, with its content or the error of reading it."""


class SingleDocument:
    """One document from a stream or from memory, kept so that it can be read again."""

    is_local: ClassVar[bool] = True

    def __init__(self, name: str | None, base_url: str | None, load: Callable[[], bytes]):
        self._name = name
        self._base_url = base_url
        self._load: Callable[[], bytes] | None = load
        self._data = b""

    def __getstate__(self) -> dict[str, object]:
        """Return the state to pickle; read the stream, so that it has the bytes."""
        self._bytes()
        return vars(self)

    def locations(self) -> Iterator[Location]:
        """Yield the location of the only document."""
        yield Location(self._name, self._base_url, self._bytes, key=None, is_named=True)

    def child(self, _loc: str, above: Sequence[Location], /) -> Location:
        """Raise :class:`SourceError`, because a stream has no folder in which a child could be."""
        raise SourceError(
            f"the index that lists it ({above[-1].name or 'bytes'}) has no folder to look in; "
            "read the index by its path, or without its children",
            failure="stream",
        )

    def robots_files(self) -> Iterator[RobotsFile]:
        """Yield nothing, because a stream has no robots.txt."""
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

    is_local: ClassVar[bool] = True

    def __init__(self, documents: Mapping[str, bytes]):
        self._documents = {url: bytes(data) for url, data in documents.items()}
        self._by_key: dict[str, str] | None = None

    def locations(self) -> Iterator[Location]:
        """Yield the locations of the documents, indexes before their children."""
        urls = [url for url in self._documents if not _is_robots(url)]
        if not urls:
            raise SourceError("expected sitemaps by their URL, found none")
        for url in sorted(urls, key=lambda url: b"<sitemapindex" not in self._documents[url]):
            yield self._location(url)

    def child(self, loc: str, _above: Sequence[Location], /) -> Location:
        """Return the document with the URL ``loc``."""
        if loc not in self._documents:
            loc = self._equivalent(loc)
        if loc not in self._documents:
            raise SourceError("listed but missing: no document has this URL", failure="missing")
        return self._location(loc)

    def robots_files(self) -> Iterator[RobotsFile]:
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
        # A copy in another process gets this document, not all of them.
        return Location(url, url, partial(bytes, self._documents[url]), url)


def read_stream(file: IO[bytes], max_bytes: int) -> bytes:
    """Return the first bytes of an open file; raises :class:`SourceError`."""
    try:
        return read_at_most(file, max_bytes)
    except TypeError as error:
        raise SourceError(f'expected a file opened in binary mode ("rb"): {error}') from error
    except OSError as error:
        raise SourceError(f"expected a readable open file: {error.strerror}") from error


def read_at_most(file: IO[bytes], max_bytes: int) -> bytes:
    """Read at most ``max_bytes`` plus one byte of a file: the last one shows that it is larger."""
    chunks: list[bytes] = []
    left = max_bytes + 1
    # Note: an unbuffered file may return fewer bytes than requested before its end.
    while left > 0 and (chunk := file.read(min(left, _CHUNK))):
        chunks.append(chunk)
        left -= len(chunk)
    return b"".join(chunks)


def _is_robots(url: str) -> bool:
    return split_origin(url)[2] == "/robots.txt"


def url_of_file(path: str, base_url: str | None) -> str | None:
    """Return the URL of a file: ``base_url``, or the file's name below it if it is a folder.

    >>> url_of_file("public/sitemap.xml", "https://example.com")
    'https://example.com/sitemap.xml'
    """
    if base_url is None:
        return None
    scheme, host, rest = split_origin(base_url)
    if not host or (rest.strip() and not rest.endswith("/")):
        return base_url
    name = quote(os.path.basename(path), errors="surrogateescape")
    return f"{scheme}://{host}{rest or '/'}{name}"


def is_same_url(url: str | None, other: str | None) -> bool:
    """Return whether two URLs are known, and the same apart from spelling and scheme."""
    if url is None or other is None:
        return False
    if url == other:
        return True
    from urlset.http.request_url import document_key  # files rarely need it

    keys = (document_key(each).partition("://")[2] for each in (url, other))
    return next(keys) == next(keys)


def has_whole_path(top: Sequence[str], names: Sequence[str], loc: str) -> bool:
    """Return whether a file has the whole path of a URL: below the top folder, or with its parents.

    ``top`` and ``names`` are the parts of the path of that folder, and of the file below it.
    """
    path, _, query = split_origin(loc)[2].partition("#")[0].partition("?")
    raw = [segment for segment in path.split("/") if segment] or [""]
    end = f"?{query}" if query else ""
    for segments in ([unquote(segment) for segment in raw], raw):
        whole = [*segments[:-1], segments[-1] + end]
        if len(whole) >= len(names) and [*top, *names][-len(whole) :] == whole:
            return True
    return False


def find_child(
    loc: str,
    above: Sequence[Location],
    candidates: Iterable[Location],
    place: str,
) -> Location:
    """Return the first candidate for a URL that is not an index above it, unless it has that URL.

    Candidates are files that were found by the end of the path. Indexes list documents of their own
    name in other folders, or with a query: ``/de/sitemap.xml`` and ``/sitemap.xml?page=2`` are not
    ``/sitemap.xml``.

    Raises:
        SourceError: There is none.
    """
    namesake = ""
    for found in candidates:
        index = next((each for each in above if each.key == found.key), None)
        if index is None or found.is_exact or is_same_url(loc, index.base_url):
            return found
        namesake = f"; {index.name}, which leads to it, is another document"
    raise SourceError(f"listed but missing: expected {place}{namesake}", failure="missing")


def path_suffixes(loc: str) -> Iterator[list[str]]:
    """Yield the suffixes of the path of a URL as file paths, the longest first.

    First with percent-encoding decoded, then as written; each with the query as part of the name,
    as wget saves it, then without.
    """
    path, _, query = split_origin(loc)[2].partition("#")[0].partition("?")
    raw = [segment for segment in path.split("/") if segment]
    for segments in ([unquote(segment) for segment in raw], raw):
        for start in range(max(0, len(segments) - MAX_SEGMENTS), len(segments)):
            suffix = segments[start:]
            for end in [f"?{query}", ""] if query else [""]:
                parts = [*suffix[:-1], suffix[-1] + end]
                if all(map(_is_file_name, parts)):
                    yield parts


def _is_file_name(segment: str) -> bool:
    """Return whether a URL segment is a safe and valid file name on any system."""
    marks = "/\\\0:" if os.name == "nt" else "/\\\0"
    is_name = segment not in (".", "..") and not any(mark in segment for mark in marks)
    return is_name and len(segment.encode(errors="replace")) <= 255
