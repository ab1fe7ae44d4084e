"""Images, videos and news of a page, as the extensions of a sitemap tell them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from urlset.html.dates import as_w3c
from urlset.html.json_ld import Node, text_in
from urlset.html.metadata import absolute
from urlset.html.scanner import Scan
from urlset.model import Image, News, Video
from urlset.protocol import MAX_IMAGES

__all__ = ["images_of", "news_of", "videos_of"]

MAX_VIDEOS = 100
MAX_CANDIDATES = 64
MAX_DESCRIPTION = 2_048
"""Characters of ``video:description`` (Google, video sitemaps)."""

_CANDIDATE = re.compile(r"\s*+,?\s*+([^\s,][^\s]*)(?:\s++([\d.]{1,12})([wx]))?\s*+(?:,|$)")
_DURATION = re.compile(
    r"P(?:(\d{1,3})D)?(?:T(?:(\d{1,4})H)?(?:(\d{1,6})M)?(?:(\d{1,8})(?:\.\d+)?S)?)?", re.IGNORECASE
)
_NEWS = frozenset(
    """NewsArticle AnalysisNewsArticle AskPublicNewsArticle BackgroundNewsArticle
    OpinionNewsArticle ReportageNewsArticle ReviewNewsArticle""".split()
)


def images_of(
    found: Scan, meta: dict[str, str], things: list[Node], base: str
) -> tuple[Image, ...]:
    """The images of the page: those in its content, Open Graph's, JSON-LD's; each URL once.

    Of an ``img`` the largest of its ``srcset``. Images of a header, a footer or a navigation are
    on every page and are left out, as are ``data:`` URIs and pixels that count visitors.
    """
    kept: dict[str, None] = {}
    for reference in _references(found, meta, things):
        if len(kept) >= MAX_IMAGES:
            break
        if url := absolute(reference, base):
            kept.setdefault(url)
    return tuple(Image(url) for url in kept)


def videos_of(
    found: Scan, meta: dict[str, str], things: list[Node], base: str
) -> tuple[Video, ...]:
    """The videos of the page with all that Google requires; JSON-LD's, else Open Graph's.

    Required are a thumbnail, a title, a description, and the file or a player
    (https://developers.google.com/search/docs/crawling-indexing/sitemaps/video-sitemaps).
    """
    made = (_video(thing.said, base) for thing in things if "VideoObject" in thing.types)
    videos = list(dict.fromkeys(video for video in made if video))[:MAX_VIDEOS]
    if not videos and (video := _open_graph_video(found, meta, base)):
        videos.append(video)
    return tuple(videos)


def news_of(found: Scan, things: list[Node]) -> News | None:
    """The news article that the page is: only with publication, language, date and title."""
    named = {key: thing for thing in things if (key := text_in(thing.said.get("@id")))}
    for thing in things:
        if not (thing.is_of_page and thing.types & _NEWS):
            continue
        name = _publisher(thing.said.get("publisher"), named)
        language = _language(text_in(thing.said.get("inLanguage")) or found.language)
        date = as_w3c(text_in(thing.said.get("datePublished")) or "")
        title = text_in(thing.said.get("headline"))
        if name and language and date and title:
            return News(name=name, language=language, publication_date=date, title=title)
    return None


def _references(found: Scan, meta: dict[str, str], things: list[Node]) -> Iterator[str]:
    for element in found.elements:
        if element.name == "img" and not element.in_chrome and not _is_pixel(element.said):
            yield _best(element.said)
    for name in ("og:image", "og:image:url", "og:image:secure_url", "twitter:image"):
        yield meta.get(name, "")
    for thing in things:
        if thing.is_of_page:
            yield from _urls(thing.said.get("image"))


def _is_pixel(said: dict[str, str]) -> bool:
    return {said.get("width", "").strip("px "), said.get("height", "").strip("px ")} <= {"0", "1"}


def _best(said: dict[str, str]) -> str:
    """The largest image of a ``srcset``, else the source; what is loaded lazily counts, too."""
    best, size = "", 0.0
    candidates = said.get("srcset") or said.get("data-srcset") or ""
    for number, candidate in enumerate(_CANDIDATE.finditer(candidates[:65_536])):
        try:
            this = float(candidate[2] or 1)
        except ValueError:
            continue
        if number < MAX_CANDIDATES and this > size and candidate[1][:5].lower() != "data:":
            best, size = candidate[1].rstrip(","), this
    source = said.get("src", "")
    if source[:5].lower() == "data:" or not source:
        source = said.get("data-src", "")
    return best or source


def _urls(value: Any) -> Iterator[str]:
    """The URLs in JSON-LD's ``image``: a text, an object with ``url``, or a list of those."""
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, dict):
            item = item.get("url") or item.get("contentUrl")
        if url := text_in(item):
            yield url


def _video(said: dict[str, Any], base: str) -> Video | None:
    thumbnail = next(_urls(said.get("thumbnailUrl") or said.get("thumbnail")), "")
    return _complete(
        Video(
            thumbnail_loc=absolute(thumbnail, base),
            title=text_in(said.get("name")),
            description=text_in(said.get("description")),
            content_loc=absolute(text_in(said.get("contentUrl")) or "", base),
            player_loc=absolute(text_in(said.get("embedUrl")) or "", base),
            duration=_seconds(text_in(said.get("duration"))),
            publication_date=as_w3c(text_in(said.get("uploadDate")) or ""),
        )
    )


def _open_graph_video(found: Scan, meta: dict[str, str], base: str) -> Video | None:
    address = next(
        (
            meta[name]
            for name in ("og:video:secure_url", "og:video", "og:video:url")
            if name in meta
        ),
        "",
    )
    video = absolute(address, base)
    is_file = meta.get("og:video:type", "").lower().startswith("video/")
    return _complete(
        Video(
            thumbnail_loc=absolute(meta.get("og:image", ""), base),
            title=meta.get("og:title") or found.title,
            description=meta.get("og:description") or meta.get("description"),
            content_loc=video if is_file else None,
            player_loc=None if is_file else video,
            duration=_seconds(meta.get("video:duration")),
        )
    )


def _complete(video: Video) -> Video | None:
    is_there = video.thumbnail_loc and video.title and video.description
    if not (is_there and (video.content_loc or video.player_loc)):
        return None
    return video._replace(description=(video.description or "")[:MAX_DESCRIPTION])


def _seconds(duration: str | None) -> str | None:
    """Seconds of an ISO 8601 duration, or of a number; None where Google would not take them.

    >>> _seconds("PT1M33S")
    '93'
    """
    if duration is None:
        return None
    if found := _DURATION.fullmatch(duration):
        days, hours, minutes, seconds = (int(part or 0) for part in found.groups())
        total = ((days * 24 + hours) * 60 + minutes) * 60 + seconds
    else:
        total = (
            int(duration) if duration.isascii() and duration.isdigit() and len(duration) < 9 else 0
        )
    return str(total) if 1 <= total <= 28_800 else None


def _publisher(value: Any, named: dict[str, Node]) -> str | None:
    if isinstance(value, list):
        value = value[0] if value else None
    if not isinstance(value, dict):
        return text_in(value)
    if name := text_in(value.get("name")):
        return name
    other = named.get(text_in(value.get("@id")) or "")
    return text_in(other.said.get("name")) if other else None


def _language(tag: str | None) -> str | None:
    """ISO 639 as ``news:language`` has it: `en` of `en-GB`, but `zh-cn` and `zh-tw`."""
    tag = (tag or "").strip().lower().replace("_", "-")
    if tag in ("zh-cn", "zh-tw"):
        return tag
    first = tag.partition("-")[0]
    return first if first.isascii() and first.isalpha() and len(first) in (2, 3) else None
