"""HTTP responses for the files of a published set, without a framework and without I/O of sockets.

A file is served only if its name belongs to the set and it is directly in the folder.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import re
import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from email.utils import format_datetime, parsedate_to_datetime
from pathlib import Path
from typing import NamedTuple

from urlset.protocol import MEDIA_TYPES

TEXT = ("Content-Type", MEDIA_TYPES[".txt"])
_CHUNK = 64 * 1024
_CACHED = 64 << 20  # bytes of compressed files in memory
_RANGE = re.compile(r"\s*+bytes\s*+=\s*+(\d{0,18})\s*+-\s*+(\d{0,18})\s*+", re.ASCII)
_TAG = re.compile(r'(?:W/)?"[^"]*"')
_CODING = re.compile(r"\s*+([^\s;,]++)\s*+(?:;\s*+q\s*+=\s*+([0-9.]++)\s*+)?", re.IGNORECASE)


class FileResponse(NamedTuple):
    """Status, headers, and the body as a range of a file or as bytes; none for HEAD."""

    status: int
    headers: list[tuple[str, str]]
    content: bytes | Path = b""
    start: int = 0
    length: int | None = None

    def chunks(self) -> Iterator[bytes]:
        """Yield the body."""
        if isinstance(self.content, bytes):
            if self.content:
                yield self.content
            return
        left = self.length or 0
        if not left:
            return
        with open(self.content, "rb") as file:
            file.seek(self.start)
            while left and (data := file.read(min(left, _CHUNK))):
                left -= len(data)
                yield data


class _Version(NamedTuple):
    """File as it was found: path, size, time in seconds, and what identifies its content."""

    path: Path
    size: int
    modified: int
    key: tuple[int, ...]


class FileFolder:
    """Files of a published set in a folder.

    Args:
        folder: The folder.
        name: Name of the set: only files whose names begin with it are served.
        cache_control: Value of that header; None to send none.
    """

    def __init__(self, folder: Path, name: str, cache_control: str | None = None):
        self.folder = folder
        self._allowed = re.compile(rf"{re.escape(name)}[A-Za-z0-9._~-]*\.(?:xml|txt|css)(?:\.gz)?")
        self._cache_control = cache_control
        self._lock = threading.Lock()
        self._tags: OrderedDict[tuple[int, ...], str] = OrderedDict()
        self._packed_files: OrderedDict[tuple[int, ...], bytes] = OrderedDict()

    def respond(self, method: str, name: str, headers: Mapping[str, str]) -> FileResponse | None:
        """Return the response for a file, or None if there is no such file.

        Args:
            method: Method of the request.
            name: Name of the file, decoded, without a folder.
            headers: Headers of the request, with names in lower case.
        """
        found = self._find(name)
        if found is None:
            return None
        if method not in ("GET", "HEAD"):
            return text_response(405, "Method Not Allowed", ("Allow", "GET, HEAD"))
        try:
            return self._respond(method == "HEAD", found, headers)
        except FileNotFoundError:  # removed meanwhile
            return None

    def _respond(self, is_head: bool, found: _Version, headers: Mapping[str, str]) -> FileResponse:
        is_text = found.path.suffix != ".gz"
        wanted_range = headers.get("range") if not is_head else None
        is_packed = is_text and not wanted_range and accepts_gzip(headers.get("accept-encoding"))
        tag = self._tag(found)
        etag = f'"{tag}-gzip"' if is_packed else f'"{tag}"'
        modified = datetime.fromtimestamp(found.modified, UTC)
        common = [
            ("Content-Type", MEDIA_TYPES[found.path.suffix]),
            ("ETag", etag),
            ("Last-Modified", format_datetime(modified, usegmt=True)),
            ("X-Robots-Tag", "noindex"),
        ]
        if is_text:
            common.append(("Vary", "Accept-Encoding"))
        if self._cache_control is not None:
            common.append(("Cache-Control", self._cache_control))
        if _is_unmodified(headers, etag, found.modified):
            return FileResponse(304, [field for field in common if field[0] != "Content-Type"])
        if is_packed:
            data = self._packed_file(found)
            common += [("Content-Encoding", "gzip"), ("Content-Length", str(len(data)))]
            return FileResponse(200, common, b"" if is_head else data)
        common.append(("Accept-Ranges", "bytes"))
        part = None
        if wanted_range and _range_applies(headers.get("if-range"), etag, found.modified):
            part = _parsed_range(wanted_range, found.size)
        if part is None:
            common.append(("Content-Length", str(found.size)))
            return FileResponse(200, common, found.path, 0, 0 if is_head else found.size)
        start, length = part
        if not length:
            common += [("Content-Range", f"bytes */{found.size}"), ("Content-Length", "0")]
            return FileResponse(416, common)
        end = start + length - 1
        common.append(("Content-Range", f"bytes {start}-{end}/{found.size}"))
        common.append(("Content-Length", str(length)))
        return FileResponse(206, common, found.path, start, length)

    def _find(self, name: str) -> _Version | None:
        """Return a file of the set that is directly in the folder, also through a link in it."""
        if len(name) > 255 or not self._allowed.fullmatch(name):
            return None
        folder = Path(os.path.realpath(self.folder))
        path = Path(os.path.realpath(folder / name))
        if path.parent != folder or not path.is_file():
            return None
        status = path.stat()
        key = (status.st_dev, status.st_ino, status.st_mtime_ns, status.st_size)
        return _Version(path, status.st_size, int(status.st_mtime), key)

    def _tag(self, found: _Version) -> str:
        """Return the hash of the content: the same on every server of the site."""
        with self._lock:
            tag = self._tags.get(found.key)
        if tag is None:
            with open(found.path, "rb") as file:
                tag = hashlib.file_digest(file, "sha256").hexdigest()[:32]
            with self._lock:
                self._tags[found.key] = tag
                while len(self._tags) > 100_000:
                    self._tags.popitem(last=False)
        return tag

    def _packed_file(self, found: _Version) -> bytes:
        """Return the content in gzip, from memory if possible."""
        with self._lock:
            data = self._packed_files.pop(found.key, None)
            if data is not None:
                self._packed_files[found.key] = data
                return data
        data = gzip.compress(found.path.read_bytes(), 6, mtime=0)
        with self._lock:
            self._packed_files[found.key] = data
            while sum(map(len, self._packed_files.values())) > _CACHED:
                self._packed_files.popitem(last=False)
        return data


def text_response(status: int, text: str, *headers: tuple[str, str]) -> FileResponse:
    """Return a short response in plain text."""
    data = f"{text}\n".encode()
    return FileResponse(status, [TEXT, ("Content-Length", str(len(data))), *headers], data)


def accepts_gzip(value: str | None) -> bool:
    """Return whether a header ``Accept-Encoding`` accepts gzip.

    >>> accepts_gzip("br, gzip;q=0.5"), accepts_gzip("gzip;q=0"), accepts_gzip(None)
    (True, False, False)
    >>> accepts_gzip("*;q=0, gzip"), accepts_gzip("gzip;q=0, *")
    (True, False)
    """
    weights: dict[str, float] = {}
    for part in (value or "")[:1_000].split(","):
        found = _CODING.fullmatch(part)
        if found is not None:
            try:
                weights[found[1].lower()] = 1.0 if found[2] is None else float(found[2])
            except ValueError:
                weights[found[1].lower()] = 0.0
    return weights.get("gzip", weights.get("x-gzip", weights.get("*", 0.0))) > 0


def etag_matches(value: str, etag: str) -> bool:
    """Return whether a header ``If-None-Match`` names a tag; weak and strong tags are equal.

    >>> etag_matches('"a", W/"b"', '"b"'), etag_matches("*", '"b"'), etag_matches('"c"', '"b"')
    (True, True, False)
    """
    plain = etag.removeprefix("W/")
    return value.strip() == "*" or plain in (
        found.removeprefix("W/") for found in _TAG.findall(value[:10_000])
    )


def _is_unmodified(headers: Mapping[str, str], etag: str, modified: int) -> bool:
    tags = headers.get("if-none-match")
    if tags is not None:  # RFC 9110 section 13.1.3: it has precedence
        return etag_matches(tags, etag)
    since = _parsed_date(headers.get("if-modified-since"))
    return since is not None and modified <= since


def _range_applies(condition: str | None, etag: str, modified: int) -> bool:
    """Return whether ``If-Range`` holds: the same strong tag, or exactly the same time."""
    if condition is None:
        return True
    if condition.strip().startswith(('"', "W/")):
        return condition.strip() == etag
    return _parsed_date(condition) == modified


def _parsed_range(value: str, size: int) -> tuple[int, int] | None:
    """Return start and length of a single range; length 0 if it cannot be satisfied.

    None stands for the whole file: a header that is malformed or has several ranges is ignored.
    """
    found = _RANGE.fullmatch(value)
    if found is None or not (found[1] or found[2]):
        return None
    if not found[1]:
        length = min(int(found[2]), size)
        return size - length, length
    start = int(found[1])
    if found[2] and int(found[2]) < start:
        return None
    end = min(int(found[2]), size - 1) if found[2] else size - 1
    return (start, end - start + 1) if start < size else (0, 0)


def _parsed_date(value: str | None) -> int | None:
    try:
        return None if value is None else int(parsedate_to_datetime(value).timestamp())
    except (TypeError, ValueError, OverflowError):
        return None
