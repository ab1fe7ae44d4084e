"""Read sitemaps from files: one, all of a folder, the children of an index.

A path that an index lists is untrusted. It is looked up and opened only below
one folder: ``..``, absolute paths and symbolic links that lead out of it find nothing.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import IO, Any, ClassVar, NoReturn
from urllib.parse import quote, unquote

from urlset.errors import SourceError
from urlset.folder_walk import walk
from urlset.formats.compression import HEAD_BYTES
from urlset.formats.detect import SniffedKind, has_sitemap_ending, has_sitemap_name, sniff
from urlset.protocol import PROLOG_LIMIT
from urlset.reader.document_sources import (
    DocumentSource,
    Head,
    Location,
    MemorySource,
    SingleDocument,
    find_child,
    has_whole_path,
    is_same_url,
    path_suffixes,
    read_at_most,
    read_stream,
    url_of_file,
)
from urlset.temp_files import expect_safe_to_read
from urlset.terminal_text import printable
from urlset.urls import split_origin

Source = str | os.PathLike[str] | bytes | bytearray | memoryview | IO[bytes] | Mapping[str, bytes]
"""A path (``-`` is stdin), a URL (http, https, file, or an object store: s3, gs, az), the bytes of
a document, an open binary file, or a mapping of URLs to the bytes of documents."""

_FILE = re.compile(r"file://", re.IGNORECASE)
# REVISION:PATH; one letter before the colon is a drive.
_REVISION = re.compile(r"[^.:/\\\0-\x1f-][^:\0-\x1f]+:(?!//).*", re.DOTALL)
# A host name whose domain is not a file ending, with or without a path.
_SITE = re.compile(
    r"(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+"
    r"(?!(?:xml|txt|gz|csv|tsv|json|jsonl|ndjson|rss|atom|html?|parquet|duckdb|db|sqlite|arrow)\b)"
    r"[a-z]{2,}(?::\d+)?(?:/.*)?",
    re.IGNORECASE,
)
_MACHINE = re.compile(
    r"(?:localhost|\d{1,3}(?:\.\d{1,3}){3}|\[[\da-f:]{2,39}\])(?::\d{1,5})?(?:/.*)?",
    re.IGNORECASE | re.ASCII,
)
"""The name of this machine or an IP address, whose server rarely has a certificate."""


def document_source(source: Source, base_url: str | None, max_bytes: int) -> DocumentSource:
    """Return the object that lists and loads the documents of a source that is not a URL.

    Raises SourceError if the source does not exist or is of an unknown type.
    """
    if isinstance(source, bytes | bytearray | memoryview):
        data = bytes(source)
        return SingleDocument(None, base_url, lambda: data)
    if hasattr(source, "read"):
        name = getattr(source, "name", None)  # a number for a file descriptor
        text_name = name if isinstance(name, str) else None
        file: Any = source
        return SingleDocument(text_name, base_url, lambda: read_stream(file, max_bytes))
    if isinstance(source, str) and source == "-":
        return SingleDocument("-", base_url, lambda: read_stream(sys.stdin.buffer, max_bytes))
    if isinstance(source, str | os.PathLike):
        path = os.fspath(source)
        if not path:
            raise SourceError("expected a path, a URL or '-', found an empty text")
        if "://" in path:
            from urlset.object_store import is_object_url

            if is_object_url(path):
                from urlset.reader.objects import ObjectStoreSource

                return ObjectStoreSource(path, base_url, max_bytes)
        if _FILE.match(path):
            path = _path_of(path)
        elif (url := url_of_site(path)) is not None and not os.path.lexists(path):
            raise SourceError(
                f"expected a file or a folder, found nothing at {path!r}; to read the site, "
                f"write {url}"
            )
        return FileSystemSource(path, base_url, max_bytes)
    if isinstance(source, Mapping):
        return MemorySource(source)
    raise SourceError(_found_instead(source))


def _found_instead(source: object) -> str:
    """Return the message about an object that is no source."""
    if hasattr(source, "__arrow_c_stream__") or type(source).__name__ == "LazyFrame":
        advice = "; it has rows, of which urlset.write makes a document"
    else:
        advice = "; read each of them, or the folder" if hasattr(source, "__len__") else ""
    found = f"{type(source).__name__}{advice}"
    return f"expected a path, a URL, '-', bytes or an open binary file, found {found}"


def url_of_site(text: str) -> str | None:
    """Return the URL that a text without a scheme means, if it looks like the name of a site."""
    if _MACHINE.fullmatch(text):
        return f"http://{text}"
    return f"https://{text}" if _SITE.fullmatch(text) else None


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

    is_local: ClassVar[bool] = True

    def __init__(self, path: str, base_url: str | None, max_bytes: int):
        self._path = path
        self._max_bytes = max_bytes
        mode = _mode(path)
        self._is_folder = stat.S_ISDIR(mode)
        is_stream = not self._is_folder and not stat.S_ISREG(mode)
        self._base_url = base_url if self._is_folder or is_stream else url_of_file(path, base_url)
        self._stream: SingleDocument | None = None
        if is_stream:
            # A pipe, as in <(curl …), can be read once.
            load = partial(load_file, path, max_bytes)
            self._stream = SingleDocument(printable(path), base_url, load)
        self._top = path if self._is_folder else os.path.dirname(path) or "."
        self._top_real = os.path.realpath(self._top)
        self._inside = os.path.join(self._top_real, "")
        self._folder, self._real_folder = self._top, self._top_real

    def locations(self) -> Iterator[Location]:
        """Yield the file, or all sitemaps in the folder, indexes before their children."""
        if self._stream is not None:
            yield from self._stream.locations()
        elif not self._is_folder:
            real = os.path.realpath(self._path)
            yield self._location(self._path, real, self._base_url)._replace(is_named=True)
        else:
            yield from self._in_folder()

    def child(self, loc: str, above: Sequence[Location], /) -> Location:
        """Return the file below the top folder whose path is the longest suffix of the URL's."""
        if self._stream is not None:
            return self._stream.child(loc, above)
        place = f"the file {_file_name(loc)!r} in or below {printable(self._top)!r}"
        return find_child(loc, above, self._candidates(loc, above[-1]), place)

    def _candidates(self, loc: str, parent: Location) -> Iterator[Location]:
        own = os.path.dirname(str(parent.key))
        looked_in = [own] if own.startswith(self._inside) else []
        looked_in.append(self._top_real)
        for suffix in path_suffixes(loc):
            for folder in looked_in:
                path = os.path.join(folder, *suffix)
                if os.path.isfile(path):
                    found = self._child_location(path, loc)
                    yield found._replace(is_exact=self._is_exact(path, loc))

    def _is_exact(self, path: str, loc: str) -> bool:
        """Return whether a file has a URL, or, if no URL is known, its whole path."""
        names = path.removeprefix(self._inside).split(os.sep)
        if self._base_url is None:
            return has_whole_path(self._top_real.split(os.sep), names, loc)
        base = self._base_url if self._is_folder else self._base_url.rpartition("/")[0]
        path, mark, query = "/".join(names).partition("?")  # wget saves the query in the name
        relative = quote(path, errors="surrogateescape") + mark + query
        return is_same_url(f"{base.rstrip('/')}/{relative}", loc)

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

        Its name is below the folder as the user wrote it. Raises SourceError for a path that leads
        out of the folder.
        """
        real = self._real_path(path)
        if not real.startswith(self._inside):
            raise self._outside_link()
        return self._location(
            os.path.join(self._top, path.removeprefix(self._inside)), real, base_url
        )

    def _outside_link(self) -> SourceError:
        return SourceError(
            f"symbolic link that leads out of {printable(self._top)!r}; not followed: to read it, "
            "name the file itself"
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
        return self._real_path(path).startswith(self._inside)

    def _real_path(self, path: str) -> str:
        """Return the path without symbolic links; that of the folder is kept for its next file."""
        if os.path.islink(path):
            return os.path.realpath(path)
        folder, name = os.path.split(path)
        if folder != self._folder:
            self._folder, self._real_folder = folder, os.path.realpath(folder)
        return os.path.join(self._real_folder, name)

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
            location = self._location(path, self._real_path(path), self._url_of(path))
            yield location._replace(is_guess=is_guess)
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
        return f"{self._base_url.rstrip('/')}/{quote(relative, errors='surrogateescape')}"


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


def _without_secrets(path: str) -> str:
    """Return a path as messages show it: it may be a URL with a wrong scheme."""
    if ":" not in path:
        return path
    from urlset.http import without_secrets

    return without_secrets(path)


def _reason(error: OSError | ValueError, path: str) -> str:
    if isinstance(error, FileNotFoundError):
        advice = "check the path"
        if _REVISION.fullmatch(path):
            advice = "only `urlset diff` takes a revision of git"
        shown = printable(_without_secrets(path))
        return f"expected a file or a folder, found nothing at {shown!r}; {advice}"
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


def _file_name(loc: str) -> str:
    path = split_origin(loc)[2].partition("#")[0].partition("?")[0]
    return unquote(path.rpartition("/")[2]) or "/"
