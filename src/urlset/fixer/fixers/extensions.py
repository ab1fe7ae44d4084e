"""Fixes of images, videos and news (rules G), and of links to other languages (rules H)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Literal

from urlset.engine.reference.values import escape
from urlset.fixer.edits import Change, Edit
from urlset.fixer.fixers.urls import normalize_url
from urlset.fixer.fixers.values import REMOVE, better_date, fix_values
from urlset.fixer.registry import FixContext, fixer
from urlset.formats.spans import ElementSpan, decode_text
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
        yield from _tidied(context, element)
        for found in element.attributes:
            written = context.data[found.value_start : found.value_end]
            word = written.strip().lower()
            if found.name == "relationship" and word in (b"allow", b"deny") and word != written:
                yield context.rewrite_attribute(found, word.decode())


def _tidied(context: FixContext, element: ElementSpan) -> Iterator[Change]:
    text = element.text
    if text is None:
        return
    words = text.replace(",", " ").replace(";", " ").split()
    if element.local_name == "restriction":
        words = ["GB" if word == "UK" else word for word in map(str.upper, words)]
    else:
        words = [word.lower() for word in words]
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


# Country codes mistaken for languages, and the ISO 639-1 code of the language (rule H005).
_LANGUAGES = {"jp": "ja", "cn": "zh", "kr": "ko", "dk": "da", "cz": "cs", "gr": "el", "ua": "uk"}
_REGION = re.compile(r"^([A-Za-z]{2,3})(-[A-Za-z]{4})?[-_]([A-Za-z]{2}|[0-9]{3})$")


def _rewritten(
    context: FixContext, name: str, better: Callable[[str], str | None]
) -> Iterator[Change]:
    """Replace an attribute in all links of the entry if ``better`` returns another value."""
    for link in context.children("link"):
        for attribute in link.attributes:
            text = decode_text(context.data[attribute.value_start : attribute.value_end])
            if attribute.name == name and text is not None:
                new = better(text)
                if new is not None and new != text:
                    yield context.rewrite_attribute(attribute, new)


@fixer("H002")
def say_alternate(context: FixContext) -> Iterator[Change]:
    """Set ``rel="alternate"`` on the links of an entry."""
    link = context.element
    if link is None or link.local_name != "link":
        return
    found = next((a for a in link.attributes if a.name == "rel"), None)
    if found is not None:
        yield context.rewrite_attribute(found, "alternate")
    else:
        at = link.start + 1 + len(link.qname.encode())
        yield context.change(Edit(at, at, b' rel="alternate"'))


@fixer("H003")
def resolve_href(context: FixContext) -> Iterator[Change]:
    """Resolve the relative ``href`` of a link against the URL of its entry."""
    base_url = context.finding.loc or context.document.base_url
    yield from _rewritten(context, "href", lambda text: parse_url(text, base_url).url)


@fixer("H004")
def write_hyphen(context: FixContext) -> Iterator[Change]:
    """Replace underscores in language codes by hyphens."""
    yield from _rewritten(context, "hreflang", lambda text: text.replace("_", "-"))


@fixer("H005")
def right_language(context: FixContext) -> Iterator[Change]:
    """Replace a country code that is used as a language by the code of its language."""

    def better(text: str) -> str | None:
        language, mark, rest = text.partition("-")
        right = _LANGUAGES.get(language.strip().lower())
        return f"{right}{mark}{rest}" if right else None

    yield from _rewritten(context, "hreflang", better)


@fixer("H006", partly_safe=True)
def right_region(context: FixContext) -> Iterator[Change]:
    """Replace UK by GB; remove another invalid region, which engines ignore, if unsafe."""

    def british(text: str) -> str | None:
        found = _REGION.match(text.strip())
        is_uk = found is not None and found[3].upper() == "UK"
        return text.strip()[:-2] + "GB" if is_uk else None

    changes = list(_rewritten(context, "hreflang", british))
    yield from changes
    link = context.element
    if changes or not context.is_unsafe or link is None or link.local_name != "link":
        return
    for attribute in link.attributes:
        text = decode_text(context.data[attribute.value_start : attribute.value_end]) or ""
        if attribute.name == "hreflang" and (found := _REGION.match(text.strip())):
            plain = found[1] + (found[2] or "")
            yield context.rewrite_attribute(attribute, plain, dropped=text)


@fixer("H008")
def add_itself(context: FixContext) -> Iterator[Change]:
    """Add the missing link of an entry to itself, with the language that other entries use."""
    entry, links = context.entry, context.children("link")
    own = entry.child("loc") if entry is not None else None
    if entry is None or own is None or not links:
        return
    languages = {
        alternate.hreflang
        for other in context.document.parsed.entries
        for alternate in other.alternates
        if alternate.hreflang and normalize_url(alternate.href) == normalize_url(own.stripped)
    } - {"x-default"}
    if len(languages) == 1:
        href = escape(own.stripped, attribute=True)
        name = f'<{links[0].qname} rel="alternate" hreflang="{languages.pop()}" href="{href}"/>'
        yield context.change(Edit(links[0].start, links[0].start, name.encode()))


@fixer("H009")
def keep_first_language(context: FixContext) -> Iterator[Change]:
    """Remove further links for a language that an earlier link of the entry has."""
    seen: set[str] = set()
    for link in context.children("link"):
        language = (link.attribute("hreflang") or "").strip().lower()
        if language and language in seen:
            yield context.remove(link)
        seen.add(language)


@fixer("H013")
def canonical_case(context: FixContext) -> Iterator[Change]:
    """Rewrite language tags in the case of RFC 5646 section 2.1.1: zh-Hant-TW."""
    yield from _rewritten(context, "hreflang", _canonical)


def _canonical(text: str) -> str:
    parts = text.strip().split("-")
    rest = sorted(parts[1:], key=lambda part: {4: 0}.get(len(part), 1))
    cased = {4: str.title, 2: str.upper}
    if text.strip().lower() == "x-default":
        return "x-default"
    return "-".join([parts[0].lower(), *(cased.get(len(p), str.lower)(p) for p in rest)])
