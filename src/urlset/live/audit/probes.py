"""Requests of an audit that are no visits of pages: media files, random URLs, other versions."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import NamedTuple, Unpack

from urlset.hidden_fields import repr_without
from urlset.http import Request, Response
from urlset.live.visits.key_file import key_file_fault
from urlset.live.visits.page_record import is_doubtful, read_record
from urlset.live.visits.page_urls import UrlResolver
from urlset.live.visits.polite_walk import Manner, PoliteWalk
from urlset.live.visits.politeness import Politeness

GOOGLEBOT = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"
"""User agent of the probes of N011, which is off by default."""

MAX_BYTES = 65_536
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
            max_bytes=MAX_BYTES if target.kind == "media" else None,
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
