"""Data model: entry, image, video, news article, alternate, child sitemap and problem.

Each class is an immutable named tuple; a missing value is ``None`` or an empty tuple. The text of
an extension is kept as written, trimmed, and is not converted to numbers. The fields equal those of
:mod:`urlset.fields`, from which columns and schemas are derived; a test compares them.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any, Literal, NamedTuple

Kind = Literal["urlset", "index", "text", "rss", "atom", "html", "template", "empty", "unknown"]
"""Kind of a document, detected by its content alone."""

Level = Literal["error", "warning", "info"]
"""Level of a problem. error: rejected or misread; warning: risky; info: harmless."""


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
    """A segment of a video that has several (``video:content_segment_loc``; in the XSD only)."""

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
    """One URL in a sitemap, with its date, hints and extensions.

    >>> Entry("https://example.com/", priority=0.8).priority
    0.8

    Attributes:
        loc: URL of the page: entities decoded, white space trimmed, relative references resolved.
        lastmod: Date of the last change as an instant in UTC; a date without time is its midnight.
        lastmod_text: That date as written.
        changefreq: ``always``, ``hourly``, ``daily``, ``weekly``, ``monthly``, ``yearly`` or
            ``never``.
        priority: 0.0 to 1.0.
        images: Images on the page.
        videos: Videos on the page.
        news: News article on the page.
        alternates: Other versions of the page, by language or by media.
        extra: Extensions without a column, as XML text.
        source: Path or URL of the document.
        offset: Position of the entry in the decompressed document, in bytes.
        line: Line of the entry, from 1.
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
        """Return an entry of values in the order of the fields, without a check."""
        return cls._make(row)

    def to_dict(self) -> dict[str, Any]:
        """Return the entry as a dict, with images, videos, news and alternates as dicts and lists.

        :func:`urlset.write` accepts it. ``lastmod`` remains a ``datetime``: for JSON,
        ``json.dumps(entry.to_dict(), default=datetime.isoformat)``.

        >>> Entry("https://e.com/", images=(Image("https://e.com/1.jpg"),)).to_dict()["images"][0]["loc"]
        'https://e.com/1.jpg'
        """
        fields: dict[str, Any] = _plain(self)
        return fields


def _plain(value: Any) -> Any:
    if not isinstance(value, tuple):
        return value
    names: tuple[str, ...] | None = getattr(value, "_fields", None)
    if names is None:
        return [_plain(item) for item in value]
    return {name: _plain(item) for name, item in zip(names, value, strict=True)}


class Sitemap(NamedTuple):
    """A sitemap that an index lists: its URL and the date of the last change of that file."""

    loc: str
    lastmod: datetime | None = None
    lastmod_text: str | None = None
    source: str | None = None
    offset: int | None = None
    line: int | None = None


class SitemapLine(NamedTuple):
    """A sitemap that a robots.txt declares: its URL, resolved, and the line, from 1."""

    url: str
    line: int


class Problem(NamedTuple):
    """A fault in a document that a parser must tolerate, with its position.

    Attributes:
        rule: Name of the rule, such as ``unescaped-ampersand``.
        code: Code of the rule, such as ``X003``.
        level: ``error``, ``warning`` or ``info``.
        message: What is wrong, for people.
        offset: Start in the decompressed document, in bytes (for damaged gzip, in the compressed
            one).
        end: End of the range, in the same unit.
        line: Line, from 1.
        column: Column, from 1, in characters.
        detail: The variable part of the message, such as an undeclared prefix, for programs.
            Ignored in comparisons. Empty for problems that were read from a store.
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
        """Compare all fields except ``detail``, which is part of the message."""
        return isinstance(other, Problem) and self[:-1] == other[:-1]

    def __ne__(self, other: object) -> bool:
        """Compare all fields except ``detail``; the method of tuples would compare it."""
        return not self == other

    def __hash__(self) -> int:
        """Return the same hash for equal problems."""
        return hash(self[:-1])


class ProgressEvent(NamedTuple):
    """State of a running verb, such as a build or a reading, for its ``progress`` callback.

    >>> print(ProgressEvent(urls=12_000), ProgressEvent(documents=2, total=7), sep="; ")
    12,000 URLs; 2 of 7 files

    Attributes:
        urls: Number of URLs so far.
        documents: Number of documents so far: of those that are read, or of files to write.
        total: Number of files to write, once it is known.
        source: Path or URL of the document that was read; None if its name is unknown.
        error: Why that document could not be read; None if it was.
    """

    urls: int = 0
    documents: int = 0
    total: int | None = None
    source: str | None = None
    error: str | None = None

    def __str__(self) -> str:
        """Return the counts in a few words."""
        if self.total is not None:
            return f"{self.documents:,} of {self.total:,} files"
        return f"{self.urls:,} URLs"
