"""Documents on a disk: a file, a folder of them, and the children that lie beside an index.

What an index lists is a name from outside. It is looked for below one folder and opened only
there: ``..``, absolute paths and links that lead out find nothing.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from urllib.parse import quote, unquote

from urlset.errors import SourceError
from urlset.protocol import PROLOG_LIMIT
from urlset.reader.detection import (
    Beginning,
    beginning,
    has_sitemap_ending,
    has_sitemap_name,
)
from urlset.reader.locations import Location, SingleDocument, read_at_most
from urlset.urls import split_origin

__all__ = ["FileSystemSource", "path_tails"]

MAX_SEGMENTS = 16
"""Of a path that are looked for: a hostile loc has a thousand, for as many look-ups."""


class FileSystemSource:
    """A path that a reading begins with, and everything below its folder."""

    def __init__(self, path: str, base: str | None, limit: int):
        self._path = path
        self._limit = limit
        mode = _mode(path)
        self._is_folder = stat.S_ISDIR(mode)
        is_stream = not self._is_folder and not stat.S_ISREG(mode)
        self._base = base if self._is_folder or is_stream else _url_of_file(path, base)
        self._stream: SingleDocument | None = None
        if is_stream:
            # A pipe, as in <(curl …): it comes once.
            self._stream = SingleDocument(shown(path), base, lambda: self._load(path))
        self._top = path if self._is_folder else os.path.dirname(path) or "."
        self._top_real = os.path.realpath(self._top)

    def places(self) -> Iterator[Location]:
        """The file; or those in the folder, indexes first, so that children know their parent."""
        if self._stream is not None:
            yield from self._stream.places()
        elif not self._is_folder:
            yield self._place(self._path, self._base)._replace(is_named=True)
        else:
            yield from self._in_folder()

    def child(self, loc: str, parent: Location, /) -> Location:
        """The file below the top folder that the longest end of the path of ``loc`` names."""
        if self._stream is not None:
            return self._stream.child(loc, parent)
        own = os.path.dirname(str(parent.key))
        looked_in = [own] if self._is_inside(own) and own != self._top_real else []
        looked_in.append(self._top_real)
        for tail in path_tails(loc):
            for folder in looked_in:
                path = os.path.join(folder, *tail)
                if os.path.isfile(path):
                    return self._place(self._shown_inside(path), loc)
        raise SourceError(
            f"listed but missing: expected the file {_file_name(loc)!r} "
            f"in or below {shown(self._top)!r}",
            failure="missing",
        )

    def robots(self) -> Iterator[tuple[str, bytes | SourceError]]:
        """The robots.txt at the top, where that is to be the top of a site."""
        scheme, host, path = split_origin(self._base or "")
        folder = path if self._is_folder else path.rpartition("/")[0]
        robots = os.path.join(self._top, "robots.txt")
        if host and not folder.strip("/") and os.path.isfile(robots) and self._is_inside(robots):
            try:
                found: bytes | SourceError = self._load(robots)
            except SourceError as error:
                found = error
            yield f"{scheme}://{host}/robots.txt", found

    def _place(self, path: str, base: str | None) -> Location:
        return Location(shown(path), base, lambda: self._load(path), os.path.realpath(path))

    def _load(self, path: str) -> bytes:
        try:
            with open(path, "rb") as file:
                return read_at_most(file, self._limit)
        except OSError as error:
            raise SourceError(_reason(error, path)) from error

    def _shown_inside(self, path: str) -> str:
        """The path as the user began it; raises where it leads out of the top folder."""
        if not self._is_inside(path):
            raise SourceError(f"is a link that leads out of {shown(self._top)!r}; not followed")
        return os.path.join(self._top, os.path.relpath(path, self._top_real))

    def _is_inside(self, path: str) -> bool:
        return os.path.realpath(path).startswith(os.path.join(self._top_real, ""))

    def _in_folder(self) -> Iterator[Location]:
        indexes: list[tuple[str, bool]] = []
        others: list[tuple[str, bool]] = []
        for path in self._files():
            found = _beginning_of(path)
            is_named = has_sitemap_name(os.path.basename(path))
            if found == "index":
                indexes.append((path, not is_named))
            elif found is not None or is_named:
                others.append((path, not is_named))
        if not indexes and not others:
            raise SourceError(
                f"expected a folder with sitemaps, found none in {shown(self._path)!r}: no file "
                "in it that ends with .xml, .txt, .rss or .atom (or one of these and .gz) is a "
                "sitemap by its content; name a file with another ending itself"
            )
        for path, is_guess in (*indexes, *others):
            yield self._place(path, self._url_of(path))._replace(is_guess=is_guess)

    def _files(self) -> Iterator[str]:
        """The files below the folder that may be sitemaps by their ending, sorted.

        None that is hidden, and no link that leads out.
        """
        for folder, folders, names in os.walk(self._path, onerror=_raise):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            for name in sorted(names):
                if name.startswith(".") or not has_sitemap_ending(name):
                    continue
                path = os.path.join(folder, name)
                if self._is_inside(path) and os.path.isfile(path):
                    yield path

    def _url_of(self, path: str) -> str | None:
        if self._base is None:
            return None
        relative = os.path.relpath(path, self._path).replace(os.sep, "/")
        return f"{self._base.rstrip('/')}/{quote(relative)}"


def _url_of_file(path: str, base: str | None) -> str | None:
    """The URL of a file: the one given, or below it where that is the URL of a folder.

    >>> _url_of_file("public/sitemap.xml", "https://example.com")
    'https://example.com/sitemap.xml'
    """
    if base is None:
        return None
    scheme, host, rest = split_origin(base)
    if not host or (rest.strip() and not rest.endswith("/")):
        return base
    return f"{scheme}://{host}{rest or '/'}{quote(os.path.basename(path))}"


def shown(path: str) -> str:
    """A path as text that can be written anywhere: what is no UTF-8 in it is replaced."""
    return os.fsencode(path).decode(errors="replace")


def _mode(path: str) -> int:
    try:
        return os.stat(path).st_mode
    except (OSError, ValueError) as error:  # ValueError: a NUL in it
        raise SourceError(_reason(error, path)) from error


def _reason(error: OSError | ValueError, path: str) -> str:
    if isinstance(error, FileNotFoundError):
        return f"expected a file or a folder, found nothing at {shown(path)!r}; check the path"
    if isinstance(error, PermissionError):
        return f"expected a file that may be read, found one that may not: {shown(path)!r}"
    words = error.strerror if isinstance(error, OSError) else str(error)
    return f"expected a file that can be read, found {shown(path)!r}: {words}"


def _raise(error: OSError) -> None:
    raise SourceError(_reason(error, str(error.filename))) from error


def _beginning_of(path: str) -> Beginning | None:
    """Tell from the first bytes of a file whether it can be a sitemap, and whether an index."""
    try:
        with open(path, "rb") as file:
            return beginning(file.read(PROLOG_LIMIT))
    except OSError:
        return "sitemap"  # reading it reports the error


def path_tails(loc: str) -> Iterator[list[str]]:
    """The ends of the path of a URL, the longest first, as they may be named on a disk.

    Percent-encoded ones are decoded first; a query belongs to the name, as wget saves it, or
    else does not.
    """
    path, _, query = split_origin(loc)[2].partition("#")[0].partition("?")
    raw = [segment for segment in path.split("/") if segment]
    for segments in ([unquote(segment) for segment in raw], raw):
        for start in range(max(0, len(segments) - MAX_SEGMENTS), len(segments)):
            tail = segments[start:]
            for end in [f"?{query}", ""] if query else [""]:
                whole = [*tail[:-1], tail[-1] + end]
                if all(map(_is_plain, whole)):
                    yield whole


def _is_plain(segment: str) -> bool:
    """Tell whether a segment names something in its folder, and nothing else, on any system."""
    marks = "/\\\0:" if os.name == "nt" else "/\\\0"
    is_name = segment not in (".", "..") and not any(mark in segment for mark in marks)
    return is_name and len(segment.encode(errors="replace")) <= 255


def _file_name(loc: str) -> str:
    path = split_origin(loc)[2].partition("#")[0].partition("?")[0]
    return unquote(path.rpartition("/")[2]) or "/"
