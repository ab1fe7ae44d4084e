"""What a sitemap says, as rows: the entry, its extensions, a child of an index, a problem.

Each class is a named tuple: immutable, comparable, cheap, with ``None`` (or an empty
tuple) for what is absent. The text of an extension is kept as it stood in the document,
trimmed; nothing is guessed into numbers. ``urlset.arrow.SCHEMA`` has the same fields in
the same order as Arrow columns.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any, Literal, NamedTuple

__all__ = [
    "Alternate",
    "ContentSegment",
    "Entry",
    "Image",
    "Kind",
    "Level",
    "News",
    "Price",
    "Problem",
    "Sitemap",
    "TvShow",
    "Video",
    "VideoId",
]

Kind = Literal["urlset", "index", "text", "rss", "atom", "html", "template", "empty", "unknown"]
"""What a document is, told from its content alone."""

Level = Literal["error", "warning", "info"]
"""How bad a problem is: rejected or misread · risky · good to know."""


class Image(NamedTuple):
    """An image on a page (``image:image``); only ``loc`` is still used by Google."""

    loc: str
    caption: str | None = None
    geo_location: str | None = None
    title: str | None = None
    license: str | None = None


class Price(NamedTuple):
    """A price of a video (``video:price``, no longer documented since 2022)."""

    value: str | None = None
    currency: str | None = None
    type: str | None = None
    resolution: str | None = None


class ContentSegment(NamedTuple):
    """One piece of a video in pieces (``video:content_segment_loc``; in the XSD only)."""

    loc: str | None = None
    duration: str | None = None


class VideoId(NamedTuple):
    """An identifier of a video (``video:id``; in the XSD only)."""

    value: str | None = None
    type: str | None = None


class TvShow(NamedTuple):
    """The show that a video belongs to (``video:tvshow``, no longer documented since 2022)."""

    show_title: str | None = None
    video_type: str | None = None
    episode_title: str | None = None
    season_number: str | None = None
    episode_number: str | None = None
    premier_date: str | None = None


class Video(NamedTuple):
    """A video on a page (``video:video``): every element and attribute of the namespace.

    Attributes are named after their element: ``restriction_relationship`` is
    ``video:restriction@relationship``.
    """

    thumbnail_loc: str | None = None
    title: str | None = None
    description: str | None = None
    content_loc: str | None = None
    player_loc: str | None = None
    player_loc_allow_embed: str | None = None
    player_loc_autoplay: str | None = None
    duration: str | None = None
    expiration_date: str | None = None
    rating: str | None = None
    content_segments: tuple[ContentSegment, ...] = ()
    view_count: str | None = None
    publication_date: str | None = None
    tags: tuple[str, ...] = ()
    category: str | None = None
    family_friendly: str | None = None
    restriction: str | None = None
    restriction_relationship: str | None = None
    gallery_loc: str | None = None
    gallery_loc_title: str | None = None
    prices: tuple[Price, ...] = ()
    requires_subscription: str | None = None
    uploader: str | None = None
    uploader_info: str | None = None
    tvshow: TvShow | None = None
    platform: str | None = None
    platform_relationship: str | None = None
    live: str | None = None
    ids: tuple[VideoId, ...] = ()


class News(NamedTuple):
    """A news article (``news:news``); ``name`` and ``language`` are the publication's."""

    name: str | None = None
    language: str | None = None
    access: str | None = None
    genres: str | None = None
    publication_date: str | None = None
    title: str | None = None
    keywords: str | None = None
    stock_tickers: str | None = None


class Alternate(NamedTuple):
    """Another version of a page (``xhtml:link rel="alternate"``): by language, or by media."""

    hreflang: str | None
    href: str
    media: str | None = None


class Entry(NamedTuple):
    """One URL of a site and what its sitemap says of it.

    ``loc`` is the URL as it is to be requested: entities decoded, white space trimmed,
    relative ones resolved. ``lastmod`` is an instant in UTC (a date alone is its midnight);
    ``lastmod_text`` what stood there. ``priority`` is 0.0 to 1.0 or None; 0.0 is not None.
    ``extra`` holds the extensions that have no column, as XML text. ``source`` is the URL
    or path of the document, ``offset`` (bytes) and ``line`` (from 1) where the entry starts.

    >>> Entry("https://example.com/", priority=0.8).priority
    0.8
    """

    loc: str
    lastmod: datetime | None = None
    lastmod_text: str | None = None
    changefreq: str | None = None
    priority: float | None = None
    images: tuple[Image, ...] = ()
    videos: tuple[Video, ...] = ()
    news: News | None = None
    alternates: tuple[Alternate, ...] = ()
    extra: str | None = None
    source: str | None = None
    offset: int | None = None
    line: int | None = None

    @classmethod
    def from_row(cls, row: Iterable[object]) -> Entry:
        """Make an entry of thirteen values in the order of the fields; no check is made."""
        return cls._make(row)

    def to_dict(self) -> dict[str, Any]:
        """The entry as a dict, with its images, videos, news and alternates as dicts and lists.

        :func:`urlset.write` takes it back. ``lastmod`` stays a ``datetime``: for JSON,
        ``json.dumps(entry.to_dict(), default=datetime.isoformat)``.

        >>> Entry("https://e.com/", images=(Image("https://e.com/1.jpg"),)).to_dict()["images"][0]["loc"]
        'https://e.com/1.jpg'
        """
        made: dict[str, Any] = _plain(self)
        return made


def _plain(value: Any) -> Any:
    if not isinstance(value, tuple):
        return value
    names: tuple[str, ...] | None = getattr(value, "_fields", None)
    if names is None:
        return [_plain(item) for item in value]
    return {name: _plain(item) for name, item in zip(names, value, strict=True)}


class Sitemap(NamedTuple):
    """A child of a sitemap index: where it is and when that file (not its pages) last changed."""

    loc: str
    lastmod: datetime | None = None
    lastmod_text: str | None = None
    source: str | None = None
    offset: int | None = None
    line: int | None = None


class Problem(NamedTuple):
    """Something in a document that a reader must forgive, and where it stands.

    ``offset`` and ``end`` are bytes in the unpacked document (for damaged gzip, in the
    packed one); ``line`` and ``column`` count from 1, the column in characters. ``detail`` is the
    part of the message that differs from one problem of the rule to the next, such as the prefix
    that is not declared. It is for programs. Problems read from a store have none, and are equal
    to those that were stored: the message says the same.
    """

    rule: str
    code: str
    level: Level
    message: str
    offset: int
    end: int
    line: int
    column: int
    detail: str = ""

    def __eq__(self, other: object) -> bool:
        """Compare all fields but ``detail``, which is part of the message."""
        return isinstance(other, Problem) and self[:-1] == other[:-1]

    def __ne__(self, other: object) -> bool:
        """Compare all fields but ``detail``; without this, those of a tuple are compared."""
        return not self == other

    def __hash__(self) -> int:
        """Return the same number for problems that are equal."""
        return hash(self[:-1])
