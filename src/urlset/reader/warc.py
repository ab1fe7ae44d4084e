"""Read the sitemaps and robots.txt files of a web archive (WARC, ISO 28500)."""

from __future__ import annotations

import importlib
import os
import re
from collections.abc import Callable, Generator, Iterator
from typing import IO, Any

from urlset.document import parse
from urlset.errors import SourceError
from urlset.formats.detect import has_sitemap_name, sniff
from urlset.formats.signatures import signature
from urlset.http import DOCUMENT_STATUSES, Request, Response, document_key
from urlset.inflate import InflateStream
from urlset.protocol import PROLOG_LIMIT
from urlset.reader.discovery import MAX_ROBOTS
from urlset.reader.documents import DocumentRecord, FileReader, Visit, is_sitemap, with_document
from urlset.terminal_text import printable
from urlset.urls import split_origin

_PIECE = 1 << 20
_HTTP = re.compile(r"https?://", re.IGNORECASE)
_HEAD = (
    b"WARC/1.0\r\nWARC-Type: response\r\nContent-Type: application/http; msgtype=response\r\n"
    b"Content-Length: %d\r\n\r\n"
)
_MAX_HEAD = 1 << 16  # bytes of the head of a record; those of crawlers have some hundred
_LENGTH = re.compile(
    rb"^content-length:[ \t]*+([0-9]{1,18})[ \t]*+\r?$", re.IGNORECASE | re.MULTILINE
)


class WarcReader(FileReader):
    """Reader of a WARC file: yields each sitemap in it, in the order of the records.

    Children of indexes are not looked up: those that were archived are records themselves. A
    response that is no sitemap by its content is ignored, unless its name is that of one.

    Of several captures of a URL, the first that is a sitemap is read. A later one with other
    content is listed as skipped. A failure is listed, at the end, if no capture is a sitemap.
    """

    def __init__(self, path: str, *, engine: str | None, max_bytes: int):
        self._path = path
        self._engine = engine
        self._max_bytes = max_bytes
        self._last_offset: int | None = None

    def visits(self, on_response: Callable[[Response], None] | None = None) -> Generator[Visit]:
        """Yield sitemap after sitemap; pass each robots.txt to ``on_response``.

        Raises SourceError if no response is a sitemap, or fastwarc is not installed.
        """
        seen: dict[str, int] = {}
        failed: dict[str, Visit] = {}
        fault: Exception | str | None = None
        try:
            for url, response in self._responses():
                if split_origin(url)[2] == "/robots.txt":
                    if on_response is not None:
                        request, body = Request(url, purpose="robots"), response.body(MAX_ROBOTS)
                        status, headers = response.status, response.headers
                        on_response(Response(request, url, status, headers=headers, body=body))
                    continue
                visit = self._visit(url, response, seen)
                if visit is None:
                    continue
                if visit.record.failure == "status":
                    failed.setdefault(document_key(url), visit)
                else:
                    yield visit
            if self._last_offset is not None and _is_cut(self._path, self._last_offset):
                fault = "it ends within a record"
        except (OSError, ValueError) as error:
            if isinstance(error, SourceError):
                raise
            fault = error
        yield from (visit for key, visit in failed.items() if key not in seen)
        if not seen and not failed:
            found = "no response in it is a sitemap by its content"
            if fault is not None:
                found = f"the file is damaged or cut off: {fault}"
            raise SourceError(
                f"expected a web archive with sitemaps, found none in {printable(self._path)!r}: "
                f"{found}"
            )
        if fault is not None:
            words = f"the file is damaged or cut off; the records before are read: {fault}"
            record = DocumentRecord(self._path, how="folder", error=words, failure="incomplete")
            yield Visit(record, None)

    def _responses(self) -> Iterator[tuple[str, _ArchivedResponse | _ArchivedResource]]:
        """Yield the URL of each response or resource, and what it has."""
        try:
            warc = importlib.import_module("fastwarc.warc")
        except ImportError as error:
            raise SourceError(
                f"expected fastwarc, for {self._path!r}, found it is not installed; "
                "run pip install 'urlset[warc]'"
            ) from error
        self._last_offset = 0
        kinds = warc.WarcRecordType.response | warc.WarcRecordType.resource
        with open(self._path, "rb") as file:
            for record in warc.ArchiveIterator(file, record_types=kinds, parse_http=False):
                self._last_offset = record.stream_pos
                url = (record.headers.get("WARC-Target-URI") or "").strip("<>")
                if not _HTTP.match(url):
                    continue
                if record.is_http:
                    content = record.reader.read(self._max_bytes + _MAX_HEAD)
                    yield url, _ArchivedResponse(warc.WarcRecord, content)
                elif record.record_type == warc.WarcRecordType.resource:
                    content = record.reader.read(self._max_bytes + 1)
                    yield url, _ArchivedResource(content, record.headers.get("Content-Type"))

    def _visit(
        self, url: str, found: _ArchivedResponse | _ArchivedResource, seen: dict[str, int]
    ) -> Visit | None:
        """Return the visit of a response; None if it is not a sitemap, or was read before.

        ``seen`` has the keys of the URLs of sitemaps, each with a hash of its content.
        """
        name = split_origin(url)[2].partition("?")[0].rpartition("/")[2]
        is_named = has_sitemap_name(name)
        record = DocumentRecord(url, self._path, how="folder", base_url=url)
        if found.status not in DOCUMENT_STATUSES:
            error = found.fault or f"HTTP {found.status}"
            return Visit(record._replace(error=error, failure="status"), None) if is_named else None
        if not is_named and sniff(found.body(PROLOG_LIMIT)) is None:
            return None
        body, key = found.body(self._max_bytes + 1), document_key(url)
        if key in seen:
            again = "another capture with other content; the first one is read"
            return None if hash(body) == seen[key] else Visit(record._replace(skipped=again), None)
        document = parse(
            body,
            base_url=url,
            content_type=found.headers.get("content-type"),
            engine=self._engine,
            source=url,
            max_bytes=self._max_bytes,
        )
        if not is_named and not is_sitemap(document, is_guess=True):
            return None
        seen[key] = hash(body)
        return Visit(with_document(record, document), document)


class _ArchivedResource:
    """Document in a record without an HTTP response, as written of downloads and of files."""

    status = 200
    fault = None

    def __init__(self, content: bytes, content_type: str | None):
        self._content = content
        self.headers = {} if content_type is None else {"content-type": content_type}

    def body(self, limit: int) -> bytes:
        """Return the begin of the document."""
        return self._content[:limit]


class _ArchivedResponse:
    """HTTP response in a record. What is wrong with it is no fault of the records after it.

    fastwarc ends the iteration over an archive at a head that is too long, and at a body that is
    not in the encoding that the head states; so each response is parsed as a record of its own.
    """

    def __init__(self, record_class: Any, content: bytes):
        self._record_class = record_class
        self._data = _HEAD % len(content) + content + b"\r\n\r\n"
        self.status: int | None = None
        self.headers: dict[str, str] = {}
        self.fault: str | None = None
        try:
            found = self._parsed("none").http_headers
        except (OSError, ValueError) as error:
            self.fault = f"the head of the response cannot be read: {error}"
        else:
            self.status = found.status_code
            self.headers = {name.lower(): value for name, value in found.items()}

    def body(self, limit: int) -> bytes:
        """Return the begin of the body, decoded as far as it is in the encodings of its head."""
        for encodings in ("all", "transfer", "none"):
            try:
                found: bytes = self._parsed(encodings).reader.read(limit)
            except (OSError, ValueError):
                continue
            return found
        return b""

    def _parsed(self, encodings: str) -> Any:
        record = self._record_class.from_bytes(self._data)
        record.parse_http(auto_decode=encodings)
        return record


def _is_cut(path: str, offset: int) -> bool:
    """Return whether an archive ends within a record; fastwarc reads it as if it were whole.

    ``offset`` is where its last response begins. Records of other types may follow.
    """
    with open(path, "rb") as file:
        file.seek(offset)
        head = file.read(_MAX_HEAD)
        file.seek(offset)
        form = signature(head)
        if form == "gzip":
            return _ends_in_member(file)
        return form is None and _ends_in_record(file, os.fstat(file.fileno()).st_size)


def _ends_in_member(file: IO[bytes]) -> bool:
    """Return whether a file ends within a member of gzip."""
    stream, data = InflateStream("gzip"), b""
    is_started = False
    while data := data or file.read(_PIECE):
        is_started = True
        stream.feed(data, _PIECE)
        if stream.fault is not None:
            return True
        data = stream.rest
        if stream.is_done:
            stream, is_started = InflateStream("gzip"), False
    return is_started


def _ends_in_record(file: IO[bytes], size: int) -> bool:
    """Return whether a file that is not compressed ends within a record."""
    while (offset := file.tell()) < size:
        head, end, _ = file.read(_MAX_HEAD).partition(b"\r\n\r\n")
        if not head.strip():
            return False
        length = _LENGTH.search(head)
        if not end or length is None:
            return True
        file.seek(offset + len(head) + len(end) + int(length[1]) + len(b"\r\n\r\n"))
    return file.tell() > size
