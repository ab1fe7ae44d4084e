"""Read sitemaps from files or an object store: one, all of a folder, the children of an index.

A path that an index lists is untrusted. In the file system it is looked up and opened only below
one folder: ``..``, absolute paths and symbolic links that lead out of it find nothing.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import sys
from collections.abc import Iterator, Mapping
from functools import cached_property, partial
from typing import IO, Any, NoReturn
from urllib.parse import quote, unquote

from urlset.errors import SourceError, TargetError
from urlset.folder_walk import walk
from urlset.formats.compression import HEAD_BYTES
from urlset.formats.detect import SniffedKind, has_sitemap_ending, has_sitemap_name, sniff
from urlset.http import Request, Response, ResponseCache
from urlset.object_store import ObjectStore, is_object_url
from urlset.protocol import PROLOG_LIMIT
from urlset.reader.document_sources import (
    DocumentSource,
    Head,
    Location,
    MemorySource,
    SingleDocument,
    read_at_most,
    read_stream,
)
from urlset.temp_files import expect_safe_to_read
from urlset.urls import split_origin

MAX_SEGMENTS = 16
"""Segments of a path that are looked up; a hostile loc has a thousand, each one a look-up."""

Source = str | os.PathLike[str] | bytes | bytearray | memoryview | IO[bytes] | Mapping[str, bytes]
"""A path (``-`` is stdin), a URL (http, https, file, or an object store: s3, gs, az), the bytes of
a document, an open binary file, or a mapping of URLs to the bytes of documents."""

_FILE = re.compile(r"file://", re.IGNORECASE)
# A host name whose domain is not a file ending, with or without a path.
_SITE = re.compile(
    r"(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+"
    r"(?!(?:xml|txt|gz|csv|tsv|json|jsonl|ndjson|rss|atom|html?|parquet|duckdb|db|sqlite|arrow)\b)"
    r"[a-z]{2,}(?::\d+)?(?:/.*)?",
    re.IGNORECASE,
)


def document_source(source: Source, base_url: str | None, max_bytes: int) -> DocumentSource:
    """Return the object that lists and loads the documents of a source that is not a URL.

    Raises:
        SourceError: The source does not exist or is of an unknown type.
    """
    if isinstance(source, bytes | bytearray | memoryview):
        data = bytes(source)
        return SingleDocument(None, base_url, lambda: data)
    if hasattr(source, "read"):
        name = getattr(source, "name", None)  # a number for a file descriptor
        text_name = name if isinstance(name, str) else None
        file: Any = source
        return SingleDocument(text_name, base_url, lambda: read_stream(file, max_bytes))
    if source == "-":
        return SingleDocument("-", base_url, lambda: read_stream(sys.stdin.buffer, max_bytes))
    if isinstance(source, str | os.PathLike):
        path = os.fspath(source)
        if not path:
            raise SourceError("expected a path, a URL or '-', found an empty text")
        if is_object_url(path):
            return ObjectStoreSource(path, base_url, max_bytes)
        if _FILE.match(path):
            path = _path_of(path)
        elif _SITE.fullmatch(path) and not os.path.lexists(path):
            raise SourceError(
                f"expected a file or a folder, found nothing at {path!r}; to read the site, "
                f"write https://{path}"
            )
        return FileSystemSource(path, base_url, max_bytes)
    if isinstance(source, Mapping):
        return MemorySource(source)
    raise SourceError(_no_source(source))


def _no_source(source: object) -> str:
    advice = "; read each of them, or the folder" if hasattr(source, "__len__") else ""
    return (
        "expected a path, a URL, '-', bytes or an open binary file, found "
        f"{type(source).__name__}{advice}"
    )


def _path_of(url: str) -> str:
    """Return the path of a ``file://`` URL; raises if it names another host."""
    host, slash, rest = url.partition("://")[2].partition("/")
    if host.lower() not in ("", "localhost"):
        raise SourceError(f"expected file:///path, found {url!r}, which names the host {host!r}")
    if os.name != "nt":
        return unquote(slash + rest)
    from urllib.request import url2pathname  # loads TLS

    return url2pathname(slash + rest)


class FileSystemSource:
    """Source of the documents at a path: a file, a pipe, or all sitemaps in a folder."""

    def __init__(self, path: str, base_url: str | None, max_bytes: int):
        self._path = path
        self._max_bytes = max_bytes
        mode = _mode(path)
        self._is_folder = stat.S_ISDIR(mode)
        is_stream = not self._is_folder and not stat.S_ISREG(mode)
        self._base_url = base_url if self._is_folder or is_stream else _url_of_file(path, base_url)
        self._stream: SingleDocument | None = None
        if is_stream:
            # A pipe, as in <(curl …), can be read once.
            load = partial(load_file, path, max_bytes)
            self._stream = SingleDocument(printable(path), base_url, load)
        self._top = path if self._is_folder else os.path.dirname(path) or "."
        self._top_real = os.path.realpath(self._top)
        self._inside = os.path.join(self._top_real, "")

    def locations(self) -> Iterator[Location]:
        """Yield the file, or all sitemaps in the folder, indexes before their children."""
        if self._stream is not None:
            yield from self._stream.locations()
        elif not self._is_folder:
            real = os.path.realpath(self._path)
            yield self._location(self._path, real, self._base_url)._replace(is_named=True)
        else:
            yield from self._in_folder()

    def child(self, loc: str, parent: Location, /) -> Location:
        """Return the file below the top folder whose path is the longest suffix of the URL's."""
        if self._stream is not None:
            return self._stream.child(loc, parent)
        own = os.path.dirname(str(parent.key))
        looked_in = [own] if own.startswith(self._inside) else []
        looked_in.append(self._top_real)
        for suffix in path_suffixes(loc):
            for folder in looked_in:
                path = os.path.join(folder, *suffix)
                if os.path.isfile(path):
                    return self._child_location(path, loc)
        raise SourceError(
            f"listed but missing: expected the file {_file_name(loc)!r} "
            f"in or below {printable(self._top)!r}",
            failure="missing",
        )

    def robots_files(self) -> Iterator[tuple[str, bytes | SourceError]]:
        """Yield the robots.txt in the top folder, if that is the root of the site."""
        scheme, host, path = split_origin(self._base_url or "")
        folder = path if self._is_folder else path.rpartition("/")[0]
        robots = os.path.join(self._top, "robots.txt")
        if host and not folder.strip("/") and os.path.isfile(robots) and self._is_inside(robots):
            try:
                found: bytes | SourceError = load_file(robots, self._max_bytes)
            except SourceError as error:
                found = error
            yield f"{scheme}://{host}/robots.txt", found

    def _child_location(self, path: str, base_url: str) -> Location:
        """Return the location of a path below the resolved folder.

        Its name is below the folder as the user wrote it.

        Raises:
            SourceError: The path is a link that leads out of the folder.
        """
        real = os.path.realpath(path)
        if not real.startswith(self._inside):
            raise self._outside_link()
        return self._location(
            os.path.join(self._top, path.removeprefix(self._inside)), real, base_url
        )

    def _outside_link(self) -> SourceError:
        return SourceError(
            f"symbolic link that leads out of {printable(self._top)!r}; not followed"
        )

    def _location(self, path: str, real: str, base_url: str | None) -> Location:
        return Location(
            printable(path),
            base_url,
            partial(load_file, path, self._max_bytes),
            real,
            load_head=partial(_load_head, path),
        )

    def _is_inside(self, path: str) -> bool:
        return os.path.realpath(path).startswith(self._inside)

    def _in_folder(self) -> Iterator[Location]:
        indexes: list[tuple[str, bool]] = []
        others: list[tuple[str, bool]] = []
        skipped: list[tuple[str, SourceError]] = []
        for path in self._files(skipped):
            found = _sniff_file(path)
            is_named = has_sitemap_name(os.path.basename(path))
            if found == "index":
                indexes.append((path, not is_named))
            elif found is not None or is_named:
                others.append((path, not is_named))
        if not indexes and not others:
            if skipped:
                name, error = skipped[0]
                raise SourceError(
                    f"expected a folder with sitemaps, found {printable(name)}: {error}"
                )
            raise SourceError(
                f"expected a folder with sitemaps, found none in {printable(self._path)!r}: no "
                "file that ends with .xml, .txt, .rss or .atom (or one of these and .gz) is a "
                "sitemap by its content; name a file with another ending itself"
            )
        for path, is_guess in (*indexes, *others):
            real = os.path.realpath(path)
            yield self._location(path, real, self._url_of(path))._replace(is_guess=is_guess)
        for name, error in skipped:
            yield Location(printable(name), None, partial(_raise, error), name)

    def _files(self, skipped: list[tuple[str, SourceError]]) -> Iterator[str]:
        """Yield the files below the folder that have a file ending of sitemaps, sorted.

        Hidden files and symbolic links that lead out of the folder are excluded. Folders that are
        too deep, and such links with the name of a sitemap, are added to ``skipped``.
        """

        def on_error(error: OSError) -> None:
            failure = SourceError(_reason(error, str(error.filename)))
            if error.errno != errno.ENAMETOOLONG:
                raise failure from error
            skipped.append((str(error.filename), failure))

        for folder, names in walk(self._path, on_error):
            for name in names:
                if name.startswith(".") or not has_sitemap_ending(name):
                    continue
                path = os.path.join(folder, name)
                if self._is_inside(path):
                    if os.path.isfile(path):
                        yield path
                elif has_sitemap_name(name):
                    skipped.append((path, self._outside_link()))

    def _url_of(self, path: str) -> str | None:
        if self._base_url is None:
            return None
        relative = os.path.relpath(path, self._path).replace(os.sep, "/")
        return f"{self._base_url.rstrip('/')}/{quote(relative)}"


def _url_of_file(path: str, base_url: str | None) -> str | None:
    """Return the URL of a file: ``base_url``, or the file's name below it if it is a folder.

    >>> _url_of_file("public/sitemap.xml", "https://example.com")
    'https://example.com/sitemap.xml'
    """
    if base_url is None:
        return None
    scheme, host, rest = split_origin(base_url)
    if not host or (rest.strip() and not rest.endswith("/")):
        return base_url
    return f"{scheme}://{host}{rest or '/'}{quote(os.path.basename(path))}"


def printable(path: str) -> str:
    r"""Return a path as valid Unicode; bytes that are not UTF-8 are written as ``\xe9``."""
    return os.fsencode(path).decode(errors="backslashreplace")


def load_file(path: str, max_bytes: int) -> bytes:
    """Return at most ``max_bytes`` plus one byte of a file; raises :class:`SourceError`."""
    try:
        expect_safe_to_read(path)
        with open(path, "rb") as file:
            return read_at_most(file, max_bytes)
    except OSError as error:
        raise SourceError(_reason(error, path)) from error


def _load_head(path: str) -> Head:
    head = load_file(path, HEAD_BYTES - 1)
    try:
        return Head(head, max(len(head), os.stat(path).st_size))
    except OSError as error:
        raise SourceError(_reason(error, path)) from error


def _mode(path: str) -> int:
    try:
        return os.stat(path).st_mode
    except (OSError, ValueError) as error:  # ValueError: a NUL in it
        raise SourceError(_reason(error, path)) from error


def _reason(error: OSError | ValueError, path: str) -> str:
    if isinstance(error, FileNotFoundError):
        advice = "check the path"
        if _REVISION.fullmatch(path):
            advice = "only `urlset diff` takes a revision of git"
        return f"expected a file or a folder, found nothing at {printable(path)!r}; {advice}"
    if isinstance(error, PermissionError):
        return f"expected a readable file, found no permission to read {printable(path)!r}"
    reason = error.strerror if isinstance(error, OSError) else str(error)
    return f"expected a readable file, found {printable(path)!r}: {reason}"


def _raise(error: SourceError) -> NoReturn:
    raise error


def _sniff_file(path: str) -> SniffedKind | None:
    """Return the possible kind of a file by its first bytes; None if it is not a sitemap."""
    try:
        with open(path, "rb") as file:
            return sniff(file.read(PROLOG_LIMIT))
    except OSError:
        return "sitemap"  # reading it reports the error


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


def _file_name(loc: str) -> str:
    path = split_origin(loc)[2].partition("#")[0].partition("?")[0]
    return unquote(path.rpartition("/")[2]) or "/"


MAX_KEYS = 100_000
"""Objects that are listed below a prefix; a bucket may hold billions."""

# REVISION:PATH; one letter before the colon is a drive.
_REVISION = re.compile(r"[^.:/\\\0-\x1f-][^:\0-\x1f]+:(?!//).*", re.DOTALL)
_SITEMAP = re.compile(r"(?:.*/)?[^/.][^/]*\.(?:xml|txt|rss|atom)(?:\.gz)?", re.IGNORECASE)


class ObjectStoreSource:
    """Source of ``s3://bucket/sitemap.xml``, or ``s3://bucket/maps/`` for all sitemaps below."""

    def __init__(self, url: str, base_url: str | None, max_bytes: int):
        prefix, slash, self._name = url.partition("://")[2].partition("/")
        folder, _, self._name = self._name.rpartition("/")
        scheme = url.partition("://")[0].lower()
        self._url = f"{scheme}://{prefix}{slash if folder else ''}{folder}"
        self._base_url = base_url
        self._max_bytes = max_bytes
        self._cache = ResponseCache()
        try:
            self._cloud = ObjectStore.of(self._url, allow_http=False)
        except TargetError as error:
            raise SourceError(str(error), failure="unreadable") from error

    def __getstate__(self) -> dict[str, object]:
        """Return the state to pickle: no credentials, no list of objects, no responses."""
        left_out = ("_cloud", "_cache", "_sizes", "_keys")
        return {name: value for name, value in vars(self).items() if name not in left_out}

    def __setstate__(self, state: dict[str, object]) -> None:
        vars(self).update(state)
        self._cache = ResponseCache()
        self._cloud = ObjectStore.of(self._url, allow_http=False)

    def locations(self) -> Iterator[Location]:
        """Yield the object, or the objects below the prefix with a file ending of sitemaps."""
        if self._cache.is_full:
            raise SourceError(
                f"{self._url} was already read, and is too large to cache: expected one pass "
                "over its entries; call urlset.read() again to fetch it again"
            )
        if self._name:
            yield self._location(self._name)._replace(is_named=True)
            return
        names = [key for key in self._keys if _SITEMAP.fullmatch(key)]
        if not names:
            raise SourceError(
                f"expected sitemaps below {self._url}/, found none: no name of an object ends "
                "with .xml, .txt, .rss or .atom"
            )
        for name in sorted(names, key=lambda name: ("index" not in name.lower(), name)):
            yield self._location(name)._replace(is_guess=True)

    def child(self, loc: str, parent: Location, /) -> Location:
        """Return the object below the prefix whose key is the longest suffix of the path."""
        folder = str(parent.key).rpartition("/")[0]
        for suffix in path_suffixes(loc):
            for start in dict.fromkeys((folder, "")):
                key = "/".join([*([start] if start else []), *suffix])
                if key in self._sizes:
                    return self._location(key)._replace(base_url=loc)
        raise SourceError(
            f"listed but missing: expected an object below {self._url}/ for {loc}",
            failure="missing",
        )

    def robots_files(self) -> Iterator[tuple[str, bytes]]:
        """Yield the robots.txt at the prefix, if that is the root of the site."""
        scheme, host, path = split_origin(self._base_url or "")
        if host and not path.rpartition("/")[0].strip("/") and "robots.txt" in self._keys:
            yield f"{scheme}://{host}/robots.txt", self._load("robots.txt")

    @property
    def _keys(self) -> list[str]:
        return list(self._sizes)

    @cached_property
    def _sizes(self) -> dict[str, int]:
        try:
            return self._cloud.sizes(MAX_KEYS)
        except TargetError as error:
            raise SourceError(str(error), failure="unreachable") from error

    def _location(self, key: str) -> Location:
        return Location(
            f"{self._url}/{key}",
            self._url_of(key),
            partial(self._load, key),
            key,
            load_head=partial(self._load_head, key),
        )

    def _url_of(self, key: str) -> str | None:
        if self._base_url is None or (self._name and not self._base_url.endswith("/")):
            return self._base_url
        return f"{self._base_url.rstrip('/')}/{key}"

    def _load(self, key: str) -> bytes:
        request = Request(f"{self._url}/{key}")
        if self._cache.has(request):
            return self._cache.get(request).body
        data = self._fetch(key, self._max_bytes)
        self._cache.put(Response(request, request.url, status=200, body=data))
        return data

    def _load_head(self, key: str) -> Head:
        head = self._fetch(key, HEAD_BYTES - 1)
        return Head(head, max(len(head), self._sizes.get(key, 0)))

    def _fetch(self, key: str, limit: int) -> bytes:
        try:
            data = self._cloud.read(key, limit)
        except TargetError as error:
            raise SourceError(str(error), failure="unreachable") from error
        if data is None:
            raise SourceError(
                f"expected an object, found nothing at {self._url}/{key}; check the name, or "
                "end it with a slash to read all sitemaps below it",
                failure="missing",
            )
        return data
