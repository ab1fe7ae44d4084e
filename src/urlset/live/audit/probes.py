"""Requests of an audit that are no visits of pages.

They are for media files, random URLs, other versions, and the llms.txt, whose links are read.
"""

from __future__ import annotations

import html
import re
import struct
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple, Unpack

from urlset.document import parse
from urlset.formats.encoding import skip_space
from urlset.hidden_fields import repr_without
from urlset.http import Request, Response
from urlset.live.visits.key_file import key_file_fault
from urlset.live.visits.page_record import HTML_TYPES, is_doubtful, read_record
from urlset.live.visits.page_urls import MAX_URL, UrlResolver, page_url
from urlset.live.visits.polite_walk import Manner, PoliteWalk, VisitTarget
from urlset.live.visits.politeness import Politeness
from urlset.urls import resolve

GOOGLEBOT = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"
"""User agent of the probes of N011, which is off by default."""

MAX_MEDIA_BYTES = 65_536
"""Bytes of a media file that are received: its size in pixels is at the start."""

_IMAGE = ("image/",)
_VIDEO = ("video/", "audio/", "application/")


class Probe(NamedTuple):
    """Request for something other than a page, and its result: a row of the table ``probes``."""

    kind: str
    url: str
    key: str | None = None
    detail: str | None = None
    status: int | None = None
    fault: str | None = None
    width: int | None = None
    height: int | None = None

    def __repr__(self) -> str:
        hidden = ("url", "detail") if self.kind == "indexnow" else ()
        return repr_without(self, *hidden)


class ProbeWalk(PoliteWalk[Probe, Probe]):
    """Walk over probes that yields their rows."""

    def __init__(self, targets: Iterator[Probe], politeness: Politeness):
        super().__init__(targets, politeness)
        self._resolver = UrlResolver()

    def request_for(self, target: Probe, **manner: Unpack[Manner]) -> Request:
        """Return the request of a probe."""
        is_agent = target.kind == "agent"
        return Request(
            target.url,
            None,
            "probe",
            headers=(("User-Agent", GOOGLEBOT),) if is_agent else (),
            follows_redirects=target.kind not in ("https", "not-found"),
            max_bytes=MAX_MEDIA_BYTES if target.kind == "media" else None,
            is_secret=target.kind == "indexnow",
            token=target,
            **manner,
        )

    def results_of(self, response: Response) -> Iterator[Probe]:
        """Yield the row of ``probes`` for the response to a probe."""
        probe = response.request.token
        assert isinstance(probe, Probe)
        row = Probe(probe.kind, probe.url, probe.key, probe.detail, response.status)
        if probe.kind == "media":
            row = self._media_row(row, response)
        elif probe.kind == "not-found":
            record = read_record(response, self._resolver)
            row = row._replace(detail=record.row.get("fingerprint"))
        elif probe.kind == "indexnow":
            row = row._replace(fault=key_file_fault(probe.detail or "", response))
        yield row

    def _media_row(self, row: Probe, response: Response) -> Probe:
        size = image_size(response.body) if row.detail != "Video" else None
        width, height = size or (None, None)
        row = row._replace(width=width, height=height)
        record = read_record(response, self._resolver)
        if response.has_document:
            return row._replace(fault=_type_fault(row.detail, response, size))
        if is_doubtful(record) or record.row["verdict"] == "unknown" or response.status is None:
            return row
        if record.row["verdict"] == "redirect" and response.error is None:
            return row  # robots.txt disallows its target
        return row._replace(fault=f"returns HTTP {response.status}")


def image_size(data: bytes) -> tuple[int, int] | None:
    """Return width and height of a GIF, PNG, JPEG or WebP image from its first bytes, or None.

    >>> image_size(b"GIF89a" + bytes([60, 0, 30, 0]))
    (60, 30)
    """
    if data[:6] in (b"GIF87a", b"GIF89a") and len(data) >= 10:
        return struct.unpack("<HH", data[6:10])
    if data[:8] == b"\x89PNG\r\n\x1a\n" and len(data) >= 24:
        return struct.unpack(">II", data[16:24])
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return _webp_size(data)
    return _jpeg_size(data) if data[:2] == b"\xff\xd8" else None


def _webp_size(data: bytes) -> tuple[int, int] | None:
    kind = data[12:16]
    if kind == b"VP8X" and len(data) >= 30:
        return 1 + int.from_bytes(data[24:27], "little"), 1 + int.from_bytes(data[27:30], "little")
    if kind == b"VP8L" and len(data) >= 25:
        bits = int.from_bytes(data[21:25], "little")
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    if kind == b"VP8 " and len(data) >= 30:
        width, height = struct.unpack("<HH", data[26:30])
        return width & 0x3FFF, height & 0x3FFF
    return None


def _jpeg_size(data: bytes) -> tuple[int, int] | None:
    place = 2
    while place + 9 <= len(data) and data[place] == 0xFF:
        marker, length = data[place + 1], int.from_bytes(data[place + 2 : place + 4], "big")
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", data[place + 5 : place + 9])
            return width, height
        place += 2 + length
    return None


def _type_fault(detail: str | None, response: Response, size: tuple[int, int] | None) -> str | None:
    """Return why a response is not the expected image or video, by ``Content-Type``, or None."""
    content_type = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    if not content_type or detail == "Player" or size is not None:
        return None
    wanted = _VIDEO if detail == "Video" else _IMAGE
    if content_type.startswith(wanted) or content_type == "application/octet-stream":
        return None
    return f"is {content_type}, not {'a video' if detail == 'Video' else 'an image'}"


MAX_BYTES = 1 << 20
"""Bytes of an llms.txt that are received; of a longer one, the whole lines are read."""

MAX_LINKS = 10_000
"""Links of an llms.txt that are read."""

# A line is parsed if it begins fenced code, or contains the start of a link target.
_MARK = re.compile(rb"(?<![^\r\n]) {0,3}(?:```|~~~)|\]\(")
_LINE_END = re.compile(rb"[\r\n]|\Z")
_FENCE = re.compile(rb" {0,3}(```|~~~)")
_FENCE_ENDS = {mark: re.compile(rb"(?<![^\r\n]) {0,3}" + mark) for mark in (b"```", b"~~~")}
_CODE = re.compile(rb"`[^`]*`")
_TARGET = re.compile(rb"(?<!\\)\]\([ \t]*(?:<([^<>]*)>|([^\s()]*(?:\([^\s()]*\)[^\s()]*)*))")
_SCHEME = re.compile(rb"([a-z][a-z0-9+.-]*):", re.IGNORECASE)
_PAGE_SCHEMES = (b"http", b"https")
_ESCAPE = re.compile(
    r"\\([!-/:-@\[-`{-~])|&(?:#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]*);"
)


class LlmsTxtLink(NamedTuple):
    """Link of an llms.txt: the URL of the file, the line, and the normalized URL of the target."""

    source: str
    line: int
    url: str


class LlmsTxt(NamedTuple):
    """The llms.txt of a site; without links if there is none.

    ``is_known`` says whether the response shows which links there are: it is not a refusal, an
    error of the server or a transfer that failed.
    """

    url: str
    links: tuple[LlmsTxtLink, ...]
    is_known: bool


class LlmsTxtWalk(PoliteWalk[VisitTarget, LlmsTxt]):
    """Walk that requests one llms.txt, unless robots.txt disallows it."""

    def __init__(self, url: str, politeness: Politeness):
        super().__init__(iter([VisitTarget(url)]), politeness)

    def request_for(self, target: VisitTarget, **manner: Unpack[Manner]) -> Request:
        """Return the request for the llms.txt."""
        return Request(target.url, None, "probe", max_bytes=MAX_BYTES, token=target, **manner)

    def results_of(self, response: Response) -> Iterator[LlmsTxt]:
        """Yield the llms.txt in a response."""
        status = response.status
        is_known = status in (200, 404, 410) and response.error in (None, "status", "too-large")
        yield LlmsTxt(response.request.url, tuple(_links(response)), is_known)


def _links(response: Response) -> Iterator[LlmsTxtLink]:
    """Yield the links of an llms.txt; none of an HTML page, which many servers send instead."""
    content_type = response.headers.get("content-type", "")
    if response.status != 200 or content_type.lower().startswith(HTML_TYPES):
        return
    source, body = response.request.url, response.body
    if not response.is_whole or response.error is not None:
        # The last line may be a part of a link, which may look whole.
        body = body[: max(body.rfind(b"\n"), body.rfind(b"\r")) + 1]
    document = parse(body, content_type=content_type, source=source, max_bytes=MAX_BYTES)
    if document.kind == "template" or skip_space(document.text).startswith(b"<"):
        return
    for line, target in islice(llms_txt_links(document.text), MAX_LINKS):
        url = page_url(resolve(target, response.url))
        if url is not None and len(url) <= MAX_URL:
            yield LlmsTxtLink(source, line, url)


def llms_txt_links(text: bytes) -> Iterator[tuple[int, str]]:
    r"""Yield the links of an llms.txt to pages: their line, from 1, and their target.

    Escapes and entities of Markdown are decoded; relative targets are not resolved.

    >>> list(llms_txt_links(b"# Tea\n\n- [Green](/a\\_b?c&amp;d)\n- [Mail](mailto:a@b.c)\n"))
    [(3, '/a_b?c&d')]
    """
    number, position = 1, 0
    for start, target in _targets(text):
        if not _is_to_page(target):
            continue
        passed = text[position:start]
        number += passed.count(b"\n") + passed.count(b"\r") - passed.count(b"\r\n")
        position = start
        yield number, _ESCAPE.sub(_unescaped, target.decode(errors="replace"))


def _unescaped(escape: re.Match[str]) -> str:
    return escape[1] or html.unescape(escape[0])


def _targets(text: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield the targets of the links outside code: offset and text."""
    at = 0
    while mark := _MARK.search(text, at):
        place = mark.start()
        start = max(at, text.rfind(b"\n", at, place) + 1, text.rfind(b"\r", at, place) + 1)
        at = _end_of_line(text, mark.end())
        content = text[start:at]
        if fence := _FENCE.match(content):
            closing = _FENCE_ENDS[fence[1]].search(text, at)
            if closing is None:
                return
            at = _end_of_line(text, closing.end())
            continue
        if b"`" in content:
            content = _CODE.sub(lambda code: b" " * len(code[0]), content)
        for match in _TARGET.finditer(content):
            group = 1 if match[1] is not None else 2
            yield start + match.start(group), match[group]


def _end_of_line(text: bytes, position: int) -> int:
    found = _LINE_END.search(text, position)
    return found.start() if found else len(text)


def _is_to_page(target: bytes) -> bool:
    scheme = _SCHEME.match(target)
    if scheme:
        return scheme[1].lower() in _PAGE_SCHEMES
    return bool(target) and not target.startswith(b"#")
