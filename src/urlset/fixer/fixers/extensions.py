"""Fixes of values in image, video and news extensions (rules G)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Literal

from urlset.fixer.edits import Change, Edit
from urlset.fixer.fixers.values import REMOVE, better_date, fix_values
from urlset.fixer.registry import FixContext, fixer
from urlset.formats.spans import ElementSpan
from urlset.languages import REGIONS
from urlset.protocol import MAX_IMAGES
from urlset.urls import parse_url

_YES = {"true", "1", "y", "yes", "on"}
_NO = {"false", "0", "n", "no", "off"}
_FLAGS = ("family_friendly", "live", "requires_subscription")
_LISTS = {"G030": "restriction", "G031": "platform"}
_DEVICES = ("web", "mobile", "tv")
# int() refuses more than 4,300 digits.
_CLOCK = re.compile(r"(?:(\d{1,9}):)?(\d{1,2}):(\d{1,2})")
_PERIOD = re.compile(
    r"P(?:T(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9})(?:\.\d+)?S)?)", re.IGNORECASE
)
_PARENTHESES = re.compile(r"(?<!\s)\s*+\([^()]*+\)")
_MAX_DURATION, _MAX_TAGS, _MAX_DESCRIPTION, _MAX_TITLE = 28_800, 32, 2_048, 100


@fixer("G001", "G028")
def remove_extension(context: FixContext) -> Iterator[Change]:
    """Remove an image without a URL, or an expired video."""
    found = _owner(context, "image", "video")
    if found is not None:
        yield context.remove(found)


def _owner(context: FixContext, *names: str) -> ElementSpan | None:
    """Return the enclosing element of a finding with one of these names."""
    found = context.element
    while found is not None and found.local_name not in names:
        found = found.parent
    return found


@fixer("G002")
def resolve_image(context: FixContext) -> Iterator[Change]:
    """Resolve the URL of an image against the URL of its page."""
    base_url = context.finding.loc or context.document.base_url
    for image in context.descendants("image"):
        loc = image.child("loc")
        url = parse_url(loc.text or "", base_url).url if loc is not None else None
        if loc is not None and url is not None and url != loc.text:
            yield context.rewrite(loc, url)


@fixer("G022")
def remove_page_url(context: FixContext) -> Iterator[Change]:
    """Remove a video URL that equals the URL of the page."""
    entry = context.entry
    loc = entry.child("loc") if entry is not None else None
    for element in context.descendants("content_loc", "player_loc"):
        if loc is not None and element.stripped == loc.stripped:
            yield context.remove(element)


@fixer("G024")
def move_to_player(context: FixContext) -> Iterator[Change]:
    """Rename content_loc to player_loc if its URL is a page; remove it if both exist."""
    video = _owner(context, "video")
    element = video.child("content_loc") if video is not None else None
    if video is None or element is None:
        return
    if video.child("player_loc") is not None:
        yield context.remove(element)
        return
    name = element.qname[: -len("content_loc")] + "player_loc"
    size = len(element.qname.encode())
    places = (element.start + 1, element.content_end + 2)
    yield context.change(*(Edit(at, at + size, name.encode()) for at in places))


@fixer("G025")
def seconds(context: FixContext) -> Iterator[Change]:
    """Replace the duration of a video by its number of seconds."""
    yield from fix_values(context, ("duration",), _seconds)


def _seconds(text: str) -> str | None:
    found = _CLOCK.fullmatch(text) or _PERIOD.fullmatch(text)
    if found is None:
        return None
    hours, minutes, rest = (int(part or 0) for part in found.groups())
    count = hours * 3600 + minutes * 60 + rest
    return str(count) if 0 < count <= _MAX_DURATION else None


@fixer("G026")
def remove_number(context: FixContext) -> Iterator[Change]:
    """Remove a rating or a view count that is out of range."""
    yield from fix_values(context, ("rating",), lambda text: _ranged(text, r"\d+(\.\d+)?", 5))
    yield from fix_values(context, ("view_count",), lambda text: _ranged(text, r"\d+", None))


def _ranged(text: str, pattern: str, limit: float | None) -> str | None:
    is_good = re.fullmatch(pattern, text, re.ASCII) and (limit is None or float(text) <= limit)
    return None if is_good else REMOVE


@fixer("G027", "G052", partly_safe=True)
def rewrite_dates(context: FixContext) -> Iterator[Change]:
    """Rewrite the dates of a video or an article in a valid format."""
    names = ("publication_date", "expiration_date")
    owner = "video" if context.code == "G027" else "news"
    for container in context.descendants(owner):
        for element in container.children:
            text = element.stripped
            if element.local_name not in names or not text:
                continue
            new = better_date(text, is_unsafe=context.is_unsafe)
            if new == REMOVE and context.is_unsafe:
                yield context.remove(element)
            elif new:
                yield context.rewrite(element, new)


@fixer("G029")
def yes_or_no(context: FixContext) -> Iterator[Change]:
    """Replace a boolean value of a video, such as true, by yes or no."""

    def better(text: str) -> str | None:
        word = text.lower()
        return "yes" if word in _YES else "no" if word in _NO else None

    yield from fix_values(context, _FLAGS, better)


@fixer("G030", "G031", partly_safe=True)
def tidy_list(context: FixContext) -> Iterator[Change]:
    """Rewrite a list of values of a video: separated by spaces, in the case of the schema.

    Unknown values are removed if unsafe fixes are made.
    """
    name = _LISTS[context.code]
    for element in context.descendants(name):
        yield from _tidied(context, element, _regions if name == "restriction" else _devices)
        for found in element.attributes:
            written = context.data[found.value_start : found.value_end]
            word = written.strip().lower()
            if found.name == "relationship" and word in (b"allow", b"deny") and word != written:
                yield context.rewrite_attribute(found, word)


def _tidied(
    context: FixContext, element: ElementSpan, read: Callable[[str], list[str]]
) -> Iterator[Change]:
    text = element.text
    if text is None:
        return
    words = read(text.replace(",", " ").replace(";", " "))
    known = [word for word in words if word in _DEVICES or word in REGIONS]
    dropped = " ".join(word for word in words if word not in known) or None
    if not context.is_unsafe:
        known, dropped = words, None
    new = " ".join(dict.fromkeys(known))
    if new == text:
        return
    if new:
        yield context.rewrite(element, new, dropped=dropped)
    else:
        yield context.remove(element)


def _regions(text: str) -> list[str]:
    return ["GB" if word == "UK" else word for word in text.upper().split()]


def _devices(text: str) -> list[str]:
    return text.lower().split()


@fixer("G033")
def cut_text(context: FixContext) -> Iterator[Change]:
    """Truncate a title or description that is too long."""
    for video in context.descendants("video"):
        for name, limit in (("description", _MAX_DESCRIPTION), ("title", _MAX_TITLE)):
            element = video.child(name)
            if element is not None and len(element.stripped) > limit:
                text = element.stripped
                yield context.rewrite(element, text[:limit].rstrip(), dropped=text[limit:][:160])


@fixer("G034", "L006")
def cut_many(context: FixContext) -> Iterator[Change]:
    """Remove elements over the limit: tags of a video, images of a page."""
    name: Literal["tag", "image"] = "tag" if context.code == "G034" else "image"
    limit = _MAX_TAGS if name == "tag" else MAX_IMAGES
    pages = [context.entry] if context.entry else []
    for owner in context.descendants("video") if name == "tag" else pages:
        found = [child for child in owner.children if child.local_name == name]
        yield from map(context.remove, found[limit:])


@fixer("G035", "G055")
def keep_first(context: FixContext) -> Iterator[Change]:
    """Remove the repetition of an element that may occur once."""
    element = context.element
    if element is not None and element is not context.entry:
        yield context.remove(element)


@fixer("G051")
def news_language(context: FixContext) -> Iterator[Change]:
    """Rewrite the language of an article in lower case, without region except for Chinese."""

    def better(text: str) -> str | None:
        word = text.lower().replace("_", "-")
        if word in ("zh-cn", "zh-tw"):
            return word
        language = word.partition("-")[0]
        return language if re.fullmatch("[a-z]{2,3}", language) else None

    yield from fix_values(context, ("language",), better)


@fixer("G053")
def remove_news(context: FixContext) -> Iterator[Change]:
    """Remove the news extension of an article that is too old; its URL is kept."""
    yield from map(context.remove, context.descendants("news"))


@fixer("G056")
def strip_name(context: FixContext) -> Iterator[Change]:
    """Remove text in parentheses from the name of a publication."""
    for element in context.descendants("name"):
        text = element.stripped
        short = _PARENTHESES.sub("", text).strip()
        if short and short != text:
            yield context.rewrite(element, short, dropped=text)
