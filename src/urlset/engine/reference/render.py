"""Render entries as the bytes of one document, up to the first limit that is reached.

One entry on each line, children in the order of the schema, five escapes, and only the namespaces
that are used: the same entries result in the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

from urlset.arrow import batches_to_entries, is_arrow
from urlset.dates import format_date, parse_date
from urlset.engine.reference.values import escape
from urlset.model import Alternate, Entry, Image, News, Video
from urlset.protocol import URIS, Ns

__all__ = ["DocumentRenderer", "EntryColumns", "UrlTexts", "declaration"]

_PREFIXES = {Ns.IMAGE: "image", Ns.VIDEO: "video", Ns.NEWS: "news", Ns.XHTML: "xhtml"}
_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>\n'
_FOOTER = b"</urlset>\n"


class EntryColumns(list[Entry]):
    """List of entries to render."""

    @classmethod
    def of(cls, entries: Any) -> EntryColumns:
        """Convert a list of entries or an Arrow stream."""
        if is_arrow(entries):
            return cls(entry for batch in batches_to_entries(entries) for entry in batch)
        return cls(entries)

    def loc(self, row: int) -> str:
        """Return the URL of a row."""
        return self[row].loc


class UrlTexts:
    """Set of the URLs that are already written."""

    def __init__(self) -> None:
        self._locs: set[str] = set()

    def add(self, columns: EntryColumns, start: int, end: int) -> list[int]:
        """Add the URLs of rows to the set; return the rows whose URL was in it."""
        found = []
        for row in range(start, end):
            count = len(self._locs)
            self._locs.add(columns[row].loc)
            if len(self._locs) == count:
                found.append(row)
        return found


class DocumentRenderer:
    """Document under construction with ``count`` entries."""

    def __init__(
        self,
        kind: str,
        max_urls: int,
        max_bytes: int,
        max_news: int,
        stylesheet: str | None = None,
    ):
        self.count = 0
        self._is_text = kind == "text"
        self._max_urls = max_urls
        self._max_bytes = max_bytes
        self._max_news = max_news
        self._declaration = declaration(stylesheet)
        self._news = 0
        self._size = 0
        self._used: frozenset[Ns] = frozenset()
        self._body: list[bytes] = []

    def add(self, columns: EntryColumns, start: int, end: int | None = None) -> int:
        """Add entries from ``start`` to ``end`` until the document is full; return the next row.

        The first entry is added whatever its size: the caller refuses entries over the limit.
        """
        stop = len(columns) if end is None else end
        for row in range(start, stop):
            entry = columns[row]
            line = _text_line(entry) if self._is_text else _url(entry)
            used = self._used if self._is_text else self._used | _namespaces(entry)
            news = self._news + (entry.news is not None and not self._is_text)
            size = self._size + len(line)
            is_full = (
                self.count >= self._max_urls
                or news > self._max_news
                or size + self._frame(used) > self._max_bytes
            )
            if is_full and self.count:
                return row
            self.count += 1
            self._used, self._news, self._size = used, news, size
            self._body.append(line)
        return stop

    def finish(self) -> bytes:
        """Return the bytes of the document, including header and footer."""
        if self._is_text:
            return b"".join(self._body)
        return b"".join((self._declaration, _root(self._used), *self._body, _FOOTER))

    def _frame(self, used: frozenset[Ns]) -> int:
        if self._is_text:
            return 0
        return len(self._declaration) + len(_root(used)) + len(_FOOTER)


def declaration(stylesheet: str | None) -> bytes:
    """Return the lines before the root: XML declaration and, if set, the style sheet.

    The address is escaped as in an attribute (https://www.w3.org/TR/xml-stylesheet/), so that
    no ``?>`` can end the line early.

    >>> declaration("a.css").decode().splitlines()[1]
    '<?xml-stylesheet type="text/css" href="a.css"?>'
    """
    if stylesheet is None:
        return _DECLARATION.encode()
    href = escape(stylesheet, attribute=True)
    return f'{_DECLARATION}<?xml-stylesheet type="text/css" href="{href}"?>\n'.encode()


@cache
def _root(used: frozenset[Ns]) -> bytes:
    names = "".join(
        f' xmlns:{prefix}="{URIS[ns]}"' for ns, prefix in _PREFIXES.items() if ns in used
    )
    return f'<urlset xmlns="{URIS[Ns.CORE]}"{names}>\n'.encode()


def _namespaces(entry: Entry) -> frozenset[Ns]:
    if not (entry.images or entry.videos or entry.news or entry.alternates):
        return frozenset()
    fields = {
        Ns.IMAGE: entry.images,
        Ns.VIDEO: entry.videos,
        Ns.NEWS: entry.news,
        Ns.XHTML: entry.alternates,
    }
    return frozenset(ns for ns, value in fields.items() if value)


def _text_line(entry: Entry) -> bytes:
    return f"{entry.loc}\n".encode()


def _url(entry: Entry) -> bytes:
    return "".join(("<url>", *_parts(entry), "</url>\n")).encode()


def _parts(entry: Entry) -> Iterator[str]:
    yield _tag("loc", entry.loc)
    yield _tag("lastmod", _lastmod(entry))
    yield _tag("changefreq", entry.changefreq)
    if entry.priority is not None:
        yield _tag("priority", _decimal(entry.priority))
    for image in entry.images:
        yield _image(image)
    for video in entry.videos:
        yield _video(video)
    if entry.news is not None:
        yield _news(entry.news)
    for alternate in entry.alternates:
        yield _alternate(alternate)
    yield entry.extra or ""


def _lastmod(entry: Entry) -> str | None:
    """The text that stood there when it is a W3C date, else the instant in that form."""
    text = entry.lastmod_text
    if text is not None and parse_date(text).code is None:
        return text
    return None if entry.lastmod is None else format_date(entry.lastmod)


def _decimal(value: float) -> str:
    """Return the shortest decimal that reads back as the same number, without an exponent."""
    text = repr(float(value))
    return format_plain(text) if "e" in text else text


def format_plain(text: str) -> str:
    """Write ``1e-05`` as ``0.00001``."""
    mantissa, _, exponent = text.partition("e")
    digits = mantissa.replace(".", "")
    return "0." + "0" * (-int(exponent) - 1) + digits


def _tag(name: str, value: str | None, **attributes: str | None) -> str:
    written = "".join(
        f' {key}="{escape(text, attribute=True)}"'
        for key, text in attributes.items()
        if text is not None
    )
    if value is None:
        return f"<{name}{written}/>" if written else ""
    return f"<{name}{written}>{escape(value)}</{name}>"


def _image(image: Image) -> str:
    inner = "".join(_tag(f"image:{key}", value) for key, value in image._asdict().items())
    return f"<image:image>{inner}</image:image>"


def _news(news: News) -> str:
    publication = _tag("news:name", news.name) + _tag("news:language", news.language)
    names = ("access", "genres", "publication_date", "title", "keywords", "stock_tickers")
    rest = "".join(_tag(f"news:{name}", getattr(news, name)) for name in names)
    wrapped = f"<news:publication>{publication}</news:publication>" if publication else ""
    return f"<news:news>{wrapped}{rest}</news:news>"


def _alternate(alternate: Alternate) -> str:
    return _tag(
        "xhtml:link",
        None,
        rel="alternate",
        hreflang=alternate.hreflang,
        media=alternate.media,
        href=alternate.href,
    )


def _video(video: Video) -> str:
    return f"<video:video>{''.join(_video_parts(video))}</video:video>"


def _video_parts(v: Video) -> Iterator[str]:
    for name in ("thumbnail_loc", "title", "description", "content_loc"):
        yield _tag(f"video:{name}", getattr(v, name))
    yield _tag(
        "video:player_loc",
        v.player_loc,
        allow_embed=v.player_loc_allow_embed,
        autoplay=v.player_loc_autoplay,
    )
    for name in ("duration", "expiration_date", "rating"):
        yield _tag(f"video:{name}", getattr(v, name))
    for segment in v.content_segments:
        yield _tag("video:content_segment_loc", segment.loc, duration=segment.duration)
    yield _tag("video:view_count", v.view_count)
    yield _tag("video:publication_date", v.publication_date)
    for tag in v.tags:
        yield _tag("video:tag", tag)
    yield _tag("video:category", v.category)
    yield _tag("video:family_friendly", v.family_friendly)
    yield _tag("video:restriction", v.restriction, relationship=v.restriction_relationship)
    yield _tag("video:gallery_loc", v.gallery_loc, title=v.gallery_loc_title)
    for price in v.prices:
        yield _tag(
            "video:price",
            price.value,
            currency=price.currency,
            type=price.type,
            resolution=price.resolution,
        )
    yield _tag("video:requires_subscription", v.requires_subscription)
    yield _tag("video:uploader", v.uploader, info=v.uploader_info)
    if v.tvshow is not None:
        show = "".join(_tag(f"video:{key}", text) for key, text in v.tvshow._asdict().items())
        yield f"<video:tvshow>{show}</video:tvshow>"
    yield _tag("video:platform", v.platform, relationship=v.platform_relationship)
    yield _tag("video:live", v.live)
    for identifier in v.ids:
        yield _tag("video:id", identifier.value, type=identifier.type)
