"""G: values in images, videos and news."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Literal

from urlset.engine.reference.values import escape
from urlset.fixer.edits import Change, Edit
from urlset.fixer.fixers.values import REMOVE, better_date, mended_values
from urlset.fixer.registry import FixContext, fixer
from urlset.fixer.xml_spans import ElementSpan
from urlset.languages import REGIONS
from urlset.protocol import MAX_IMAGES
from urlset.urls import parse_url

__all__: list[str] = []

_YES = {"true", "1", "y", "yes", "on"}
_NO = {"false", "0", "n", "no", "off"}
_FLAGS = ("family_friendly", "live", "requires_subscription")
_LISTS = {"G030": "restriction", "G031": "platform"}
_DEVICES = ("web", "mobile", "tv")
_CLOCK = re.compile(r"(?:(\d+):)?(\d{1,2}):(\d{1,2})")
_PERIOD = re.compile(r"P(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:\.\d+)?S)?)", re.IGNORECASE)
_PARENTHESES = re.compile(r"\s*\([^()]*\)")
_MAX_DURATION, _MAX_TAGS, _MAX_DESCRIPTION, _MAX_TITLE = 28_800, 32, 2_048, 100


@fixer("G001", "G028")
def remove_extension(case: FixContext) -> Iterator[Change]:
    """Remove an image without a URL, or a video that has expired."""
    found = _owner(case, "image", "video")
    if found is not None:
        yield case.remove(found)


def _owner(case: FixContext, *names: str) -> ElementSpan | None:
    """The element of one of these names in which a finding stands."""
    found = case.element
    while found is not None and found.local not in names:
        found = found.parent
    return found


@fixer("G002")
def resolve_image(case: FixContext) -> Iterator[Change]:
    """Resolve the URL of an image against that of its page."""
    base = case.spot.loc or case.job.base
    for image in _within(case, "image"):
        loc = image.child("loc")
        url = parse_url(loc.text or "", base).url if loc is not None else None
        if loc is not None and url is not None and url != loc.text:
            yield case.rewrite(loc, url)


def _within(case: FixContext, *names: str) -> Iterator[ElementSpan]:
    entry = case.entry
    if entry is not None:
        yield from entry.all(*names)


@fixer("G022")
def remove_page_url(case: FixContext) -> Iterator[Change]:
    """Remove the URL of a video that is that of its page."""
    entry = case.entry
    loc = entry.child("loc") if entry is not None else None
    for element in _within(case, "content_loc", "player_loc"):
        if loc is not None and element.trimmed == loc.trimmed:
            yield case.remove(element)


@fixer("G024")
def move_to_player(case: FixContext) -> Iterator[Change]:
    """Take a page that plays the video for its player; remove it where there is one."""
    video = _owner(case, "video")
    element = video.child("content_loc") if video is not None else None
    if video is None or element is None:
        return
    if video.child("player_loc") is not None:
        yield case.remove(element)
        return
    name = element.raw[: -len("content_loc")] + "player_loc"
    size = len(element.raw.encode())
    places = (element.start + 1, element.close + 2)
    yield case.change(*(Edit(at, at + size, name.encode()) for at in places))


@fixer("G025")
def seconds(case: FixContext) -> Iterator[Change]:
    """Write a duration in seconds."""
    yield from mended_values(case, ("duration",), _seconds)


def _seconds(text: str) -> str | None:
    found = _CLOCK.fullmatch(text) or _PERIOD.fullmatch(text)
    if found is None:
        return None
    hours, minutes, rest = (int(part or 0) for part in found.groups())
    count = hours * 3600 + minutes * 60 + rest
    return str(count) if 0 < count <= _MAX_DURATION else None


@fixer("G026")
def remove_number(case: FixContext) -> Iterator[Change]:
    """Remove a rating or a count that is out of its range."""
    yield from mended_values(case, ("rating",), lambda text: _ranged(text, r"\d+(\.\d+)?", 5))
    yield from mended_values(case, ("view_count",), lambda text: _ranged(text, r"\d+", None))


def _ranged(text: str, pattern: str, most: float | None) -> str | None:
    is_good = re.fullmatch(pattern, text, re.ASCII) and (most is None or float(text) <= most)
    return None if is_good else REMOVE


@fixer("G027", "G052", careful=True)
def rewrite_dates(case: FixContext) -> Iterator[Change]:
    """Write the dates of a video, or of an article, in a form of the protocol."""
    names = ("publication_date", "expiration_date")
    owner = "video" if case.code == "G027" else "news"
    for container in _within(case, owner):
        for element in container.children:
            text = element.trimmed
            if element.local not in names or not text:
                continue
            new = better_date(text, is_unsafe=case.is_unsafe)
            if new == REMOVE and case.is_unsafe:
                yield case.remove(element)
            elif new:
                yield case.rewrite(element, new)


@fixer("G029")
def yes_or_no(case: FixContext) -> Iterator[Change]:
    """Write yes or no."""

    def better(text: str) -> str | None:
        word = text.lower()
        return "yes" if word in _YES else "no" if word in _NO else None

    yield from mended_values(case, _FLAGS, better)


@fixer("G030", "G031", careful=True)
def tidy_list(case: FixContext) -> Iterator[Change]:
    """Write words with blanks between them, in the case of the schema.

    What is none of its words is left out when asked for.
    """
    name = _LISTS[case.code]
    for element in _within(case, name):
        yield from _tidied(case, element, _regions if name == "restriction" else _devices)
        for found in element.attributes:
            written = case.data[found.value_start : found.value_end]
            word = written.strip().lower()
            if found.name == "relationship" and word in (b"allow", b"deny") and word != written:
                yield case.change(Edit(found.value_start, found.value_end, word))


def _tidied(
    case: FixContext, element: ElementSpan, read: Callable[[str], list[str]]
) -> Iterator[Change]:
    text = element.text
    if text is None:
        return
    words = read(text.replace(",", " ").replace(";", " "))
    kept = [word for word in words if word in _DEVICES or word in REGIONS]
    gone = " ".join(word for word in words if word not in kept) or None
    if not case.is_unsafe:
        kept, gone = words, None
    new = " ".join(dict.fromkeys(kept))
    if new == text:
        return
    if new:
        yield case.rewrite(element, new, dropped=gone)
    else:
        yield case.remove(element)


def _regions(text: str) -> list[str]:
    return ["GB" if word == "UK" else word for word in text.upper().split()]


def _devices(text: str) -> list[str]:
    return text.lower().split()


@fixer("G033")
def cut_text(case: FixContext) -> Iterator[Change]:
    """Cut a text that is too long."""
    for video in _within(case, "video"):
        for name, most in (("description", _MAX_DESCRIPTION), ("title", _MAX_TITLE)):
            element = video.child(name)
            if element is not None and len(element.trimmed) > most:
                text = element.trimmed
                yield case.rewrite(element, text[:most].rstrip(), dropped=text[most:][:160])


@fixer("G034", "L006")
def cut_many(case: FixContext) -> Iterator[Change]:
    """Remove what is more than may be there: tags of a video, images of a page."""
    name: Literal["tag", "image"] = "tag" if case.code == "G034" else "image"
    most = _MAX_TAGS if name == "tag" else MAX_IMAGES
    owners = _within(case, "video") if name == "tag" else iter([case.entry] if case.entry else [])
    for owner in owners:
        for element in [child for child in owner.children if child.local == name][most:]:
            yield case.remove(element)


@fixer("G035", "G055")
def keep_first(case: FixContext) -> Iterator[Change]:
    """Keep the first of what may stand there once."""
    element = case.element
    if element is not None and element is not case.entry:
        yield case.remove(element)


@fixer("G051")
def news_language(case: FixContext) -> Iterator[Change]:
    """Write a language in lower case, and without a region but that of Chinese."""

    def better(text: str) -> str | None:
        word = text.lower().replace("_", "-")
        if word in ("zh-cn", "zh-tw"):
            return word
        language = word.partition("-")[0]
        return language if re.fullmatch("[a-z]{2,3}", language) else None

    yield from mended_values(case, ("language",), better)


@fixer("G053")
def remove_news(case: FixContext) -> Iterator[Change]:
    """Remove the news of an article that is no news any more; its URL stays."""
    for element in _within(case, "news"):
        yield case.remove(element)


@fixer("G056")
def strip_name(case: FixContext) -> Iterator[Change]:
    """Leave out what stands in parentheses behind the name of a publication."""
    for element in _within(case, "name"):
        text = element.trimmed
        short = _PARENTHESES.sub("", text).strip()
        if short and short != text:
            new = escape(short).encode()
            yield case.change(Edit(element.tag_end, element.close, new), dropped=text)
