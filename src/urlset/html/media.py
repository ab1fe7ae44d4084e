"""Find images, videos and news of a page, as entries of the sitemap extensions."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from urlset.engine.html_page import FilePage, ScannedPage
from urlset.html.json_ld import JsonLdNode
from urlset.html.metadata import absolute_url, as_w3c
from urlset.model import Image, News, Video
from urlset.protocol import MAX_IMAGES

META_IMAGES = ("og:image", "og:image:url", "og:image:secure_url", "twitter:image")
"""Names of the ``meta`` elements with images, in lower case."""

MAX_VIDEOS = 100
MAX_CANDIDATES = 64
MAX_DESCRIPTION = 2_048
"""Characters of ``video:description`` (Google, video sitemaps)."""

# A URL up to white space, and what describes it up to a comma, unless the URL ends with one.
_CANDIDATE = re.compile(r"([^\s,]\S*+)(?:(?<=,)|([^,]*+))")
_DESCRIPTOR = re.compile(r"([\d.]{1,12})[wx]", re.ASCII)
_DURATION = re.compile(
    r"P(?:(\d{1,3})D)?(?:T(?:(\d{1,4})H)?(?:(\d{1,6})M)?(?:(\d{1,8})(?:\.\d+)?S)?)?", re.IGNORECASE
)
_NEWS = frozenset(
    """NewsArticle AnalysisNewsArticle AskPublicNewsArticle BackgroundNewsArticle
    OpinionNewsArticle ReportageNewsArticle ReviewNewsArticle""".split()
)


def images_of(
    found: ScannedPage | FilePage, meta: dict[str, str], nodes: list[JsonLdNode], base: str
) -> tuple[Image, ...]:
    """Return the images in the content, then those of Open Graph and JSON-LD; each URL once.

    Of an ``img``, the largest image of its ``srcset`` is used. Images of a header, a footer or a
    navigation are on every page and are excluded, as are ``data:`` URIs and tracking pixels.
    """
    urls: dict[str, None] = {}
    for reference in _references(found, meta, nodes):
        if len(urls) >= MAX_IMAGES:
            break
        if url := absolute_url(reference, base):
            urls.setdefault(url)
    return tuple(Image(url) for url in urls)


def videos_of(
    found: ScannedPage | FilePage, meta: dict[str, str], nodes: list[JsonLdNode], base: str
) -> tuple[Video, ...]:
    """Return the videos with all fields that Google requires; of JSON-LD, else of Open Graph.

    Required are a thumbnail, a title, a description, and the file or a player
    (https://developers.google.com/search/docs/crawling-indexing/sitemaps/video-sitemaps).
    """
    videos_found = (_video(node, base) for node in nodes if "VideoObject" in node.types)
    videos = list(dict.fromkeys(video for video in videos_found if video))[:MAX_VIDEOS]
    if not videos and (video := _open_graph_video(found, meta, base)):
        videos.append(video)
    return tuple(videos)


def news_of(found: ScannedPage | FilePage, nodes: list[JsonLdNode]) -> News | None:
    """Return the news article of the page; None without publication, language, date or title."""
    for node in nodes:
        if not (node.is_of_page and node.types & _NEWS):
            continue
        language = _language(node.texts.get("inLanguage") or found.language)
        date = as_w3c(node.texts.get("datePublished", ""))
        title = node.texts.get("headline")
        if node.publisher and language and date and title:
            return News(name=node.publisher, language=language, publication_date=date, title=title)
    return None


def _references(
    found: ScannedPage | FilePage, meta: dict[str, str], nodes: list[JsonLdNode]
) -> Iterator[str]:
    for element in found.elements:
        if (
            element.name == "img"
            and not element.in_boilerplate
            and not _is_pixel(element.attributes)
        ):
            yield _best_source(element.attributes)
    for name in META_IMAGES:
        if name in meta:
            yield meta[name]
    for node in nodes:
        if node.is_of_page:
            yield from node.images


def _is_pixel(attributes: dict[str, str]) -> bool:
    return {
        attributes.get("width", "").strip("px "),
        attributes.get("height", "").strip("px "),
    } <= {"0", "1"}


def _best_source(attributes: dict[str, str]) -> str:
    """Return the largest image of ``srcset``, else ``src``, or their ``data-`` attributes."""
    best, size = "", 0.0
    candidates = attributes.get("srcset") or attributes.get("data-srcset") or ""
    for candidate in islice(_CANDIDATE.finditer(candidates[:65_536]), MAX_CANDIDATES):
        description = (candidate[2] or "").strip()
        known = _DESCRIPTOR.fullmatch(description or "1x")
        if known is None:
            continue
        try:
            width = float(known[1])
        except ValueError:
            continue
        if width > size and candidate[1][:5].lower() != "data:":
            best, size = candidate[1].rstrip(","), width
    source = attributes.get("src", "")
    if source[:5].lower() == "data:" or not source:
        source = attributes.get("data-src", "")
    return best or source


def _video(node: JsonLdNode, base: str) -> Video | None:
    texts = node.texts
    return _complete(
        Video(
            thumbnail_loc=absolute_url(node.thumbnail, base),
            title=texts.get("name"),
            description=texts.get("description"),
            content_loc=absolute_url(texts.get("contentUrl", ""), base),
            player_loc=absolute_url(texts.get("embedUrl", ""), base),
            duration=_seconds(texts.get("duration")),
            publication_date=as_w3c(texts.get("uploadDate", "")),
        )
    )


def _open_graph_video(
    found: ScannedPage | FilePage, meta: dict[str, str], base: str
) -> Video | None:
    url = next(
        (
            meta[name]
            for name in ("og:video:secure_url", "og:video", "og:video:url")
            if name in meta
        ),
        "",
    )
    video = absolute_url(url, base)
    is_file = meta.get("og:video:type", "").lower().startswith("video/")
    return _complete(
        Video(
            thumbnail_loc=absolute_url(meta.get("og:image", ""), base),
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
    """Convert an ISO 8601 duration or a number to seconds; None outside of Google's limits.

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


def _language(tag: str | None) -> str | None:
    """Return the ISO 639 code for ``news:language``: `en` for `en-GB`, but `zh-cn` and `zh-tw`."""
    tag = (tag or "").strip().lower().replace("_", "-")
    if tag in ("zh-cn", "zh-tw"):
        return tag
    first = tag.partition("-")[0]
    return first if first.isascii() and first.isalpha() and len(first) in (2, 3) else None
