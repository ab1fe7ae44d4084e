"""Validate images, videos, news, alternates and unknown extensions of an entry."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar

from urlset import model
from urlset.dates import parse_date
from urlset.document import parse
from urlset.option_names import option
from urlset.protocol import MAX_IMAGES, MAX_NODES, SITEMAP_NS
from urlset.urls import SPACE
from urlset.writer import values
from urlset.writer.values import ValueProblem

MAX_TAGS = 32
"""``video:tag`` in one ``video:video`` (Google, video sitemaps)."""

_FORMS = {
    "images": "a list of objects",
    "videos": "a list of objects",
    "news": "an object",
    "alternates": "a list of objects",
}

_R = TypeVar("_R", bound=tuple[Any, ...])


def extensions(
    given: model.Entry, loc: str, base: str | None, engine: str | None
) -> dict[str, Any]:
    """Validate the extension fields of an entry; return them as written, or raise an error."""
    texts = {
        name: from_text(value, name, form)
        for name, form in _FORMS.items()
        if isinstance(value := getattr(given, name), str)
    }
    if texts:
        given = given._replace(**texts)
    made: dict[str, Any] = {
        "images": _many(given.images, "images", model.Image, lambda image: _image(image, base)),
        "videos": _many(
            given.videos, "videos", model.Video, lambda video: _video(video, loc, base)
        ),
        "news": _one(given.news, "news", model.News, _news),
        "alternates": _many(
            given.alternates, "alternates", model.Alternate, lambda link: _alternate(link, base)
        ),
        "extra": _extra(given.extra, engine),
    }
    if len(made["images"]) > MAX_IMAGES:
        raise ValueProblem(
            "images", len(made["images"]), f"at most {MAX_IMAGES:,} images", "leave some out"
        )
    if _count(made) > MAX_NODES:
        raise ValueProblem(
            "loc", loc, f"at most {MAX_NODES:,} elements in one entry", "leave some out"
        )
    return made


def from_text(value: str, field: str, form: str) -> Any:
    """Parse a nested field that is passed as text, such as JSON.

    The text is JSON, or the URL of one image. Empty text and ``null`` mean no value.
    Raises :class:`ValueProblem` for other text; ``form`` names what the JSON must hold.
    """
    trimmed = value.strip(SPACE)
    if trimmed in ("", "null"):
        return None
    if field == "images" and trimmed[0] not in "[{":
        return trimmed
    if trimmed == '""':
        return None
    try:
        if trimmed[0] not in "[{":
            raise ValueError("text, a number or a boolean")
        return json.loads(trimmed)
    except (ValueError, RecursionError):
        unmapped = option("map", f"{field}=")
        raise ValueProblem(
            field, value, f"JSON ({form})", f"convert it, or pass no {field} ({unmapped})"
        ) from None


def is_blank(value: Any) -> bool:
    """Return whether a value is missing: null, empty text, or a list or record of such values.

    >>> is_blank(" "), is_blank([None, ""]), is_blank({})
    (True, True, False)
    """
    if isinstance(value, str):
        return not value.strip(SPACE)
    return value is None or (isinstance(value, list | tuple) and all(map(is_blank, value)))


def _image(image: model.Image, base: str | None) -> model.Image:
    return _texts(image)._replace(loc=values.url(image.loc, "loc", base))


def _video(video: model.Video, loc: str, base: str | None) -> model.Video:
    texts = _texts(video)
    for name in ("thumbnail_loc", "title", "description"):
        if getattr(texts, name) is None:
            raise ValueProblem(name, None, "a value, which every video needs", "give one")
    if texts.content_loc is None and texts.player_loc is None:
        raise ValueProblem("content_loc", None, "content_loc or player_loc", "give one of the two")
    made = texts._replace(
        content_segments=_many(
            video.content_segments, "content_segments", model.ContentSegment, _texts
        ),
        prices=_many(video.prices, "prices", model.Price, _texts),
        ids=_many(video.ids, "ids", model.VideoId, _texts),
        tags=tuple(
            text
            for tag in _listed(video.tags, "tags")
            if (text := values.text(tag, "tags")) is not None
        ),
        tvshow=_one(video.tvshow, "tvshow", model.TvShow, _checked_texts),
        **{
            name: _media_url(value, name, base)
            for name in ("thumbnail_loc", "content_loc", "player_loc")
            if (value := getattr(texts, name)) is not None
        },
    )
    if len(made.tags) > MAX_TAGS:
        raise ValueProblem("tags", len(made.tags), f"at most {MAX_TAGS} tags", "leave some out")
    for name in ("content_loc", "player_loc"):
        if getattr(made, name) == loc:
            raise ValueProblem(
                name, loc, "another URL than that of the page", "give the media itself"
            )
    _check(made, VIDEO_CONSTRAINTS)
    for name in ("restriction", "platform"):
        if getattr(made, name) is not None and getattr(made, f"{name}_relationship") is None:
            raise ValueProblem(f"{name}_relationship", None, "allow or deny", "say which is meant")
    return made


def _news(news: model.News) -> model.News:
    made = _texts(news)
    for name in ("name", "language", "publication_date", "title"):
        if getattr(made, name) is None:
            raise ValueProblem(name, None, "a value, which every article needs", "give one")
    _check(made, NEWS_CONSTRAINTS)
    return made


def _alternate(link: model.Alternate, base: str | None) -> model.Alternate:
    made = _texts(link)
    if made.href is None:
        raise ValueProblem("href", None, "the URL of the other version", "give one")
    if _is_app(made.href):
        return made
    if made.hreflang is None and made.media is None:
        raise ValueProblem("hreflang", None, "a language, or x-default", "give one, or media")
    made = made._replace(href=values.url(made.href, "href", base))
    _check(made, ALTERNATE_CONSTRAINTS)
    return made


def _checked_texts(show: model.TvShow) -> model.TvShow:
    made = _texts(show)
    _check(made, TVSHOW_CONSTRAINTS)
    return made


def _extra(given: Any, engine: str | None) -> str | None:
    if given is None or (isinstance(given, str) and not given.strip()):
        return None
    if not isinstance(given, str):
        raise ValueProblem("extra", given, "XML as text", "write the elements out")
    fault, written = _canonical(given, engine)
    if fault is not None:
        raise ValueProblem("extra", given, *fault)
    return written


@lru_cache(maxsize=1_024)
def _canonical(given: str, engine: str | None) -> tuple[tuple[str, str] | None, str | None]:
    """Validate extra XML by parsing it; return an error, or None and the XML as it is read."""
    expected = "elements of other namespaces, well-formed, their prefixes declared on them"
    try:
        page = (
            f'<urlset xmlns="{SITEMAP_NS}"><url><loc>http://e.example/</loc>{given}</url></urlset>'
        )
        document = parse(page.encode(), engine=engine)
    except UnicodeEncodeError:
        return (expected, "remove the half of a surrogate pair"), None
    if document.problems:
        return (expected, document.problems[0].message), None
    read = list(document.entries)
    if len(read) != 1 or read[0]._replace(extra=None, offset=None, line=None) != model.Entry(
        "http://e.example/"
    ):
        return (expected, "lastmod, images and the like have fields of their own"), None
    if _INSTRUCTION.search(_WITHOUT_MARKUP.sub(r"\1", given)):
        return (expected, "processing instructions (<?…?>) are ignored by readers: remove it"), None
    if read[0].extra is None:
        return (expected, "there is none in it; use None where there is nothing"), None
    return None, read[0].extra


# In well-formed XML `<?` starts a processing instruction, except in CDATA and comments.
_INSTRUCTION = re.compile(r"<\?")
_WITHOUT_MARKUP = re.compile(r"<!--.*?-->|<!\[CDATA\[.*?\]\]>|(<!(?:--|\[CDATA\[).*\Z)", re.DOTALL)


def _texts(record: _R) -> _R:
    """Convert the plain values of a record to text; empty its lists and structs."""
    names: tuple[str, ...] = record._fields  # type: ignore[attr-defined]
    defaults: dict[str, Any] = record._field_defaults  # type: ignore[attr-defined]
    made = {
        name: defaults[name] if name in _NESTED else values.text(value, name)
        for name, value in zip(names, record, strict=True)
    }
    return type(record)(**made)


_NESTED = frozenset(("content_segments", "tags", "prices", "tvshow", "ids"))


def _many(given: Any, field: str, kind: type[_R], make: Callable[[_R], _R]) -> tuple[_R, ...]:
    """Convert and validate a list of records, without those that have no value."""
    made = []
    for number, item in enumerate(_listed(given, field, kind)):
        where = f"{field}[{number}]"
        # A record or dict without values is rejected like any other that lacks its URL.
        if isinstance(item, kind) or not is_blank(item):
            made.append(_within(where, make, _record(item, where, kind)))
    return tuple(record for record in made if not is_blank(record))


def _one(given: Any, field: str, kind: type[_R], make: Callable[[_R], _R]) -> _R | None:
    """Convert and validate one record; None if it is missing, or has only nulls as in tables."""
    if is_blank(given):
        return None
    record = _record(given, field, kind)
    return None if is_blank(record) else _within(field, make, record)


def _within(where: str, make: Callable[[_R], _R], record: _R) -> _R:
    try:
        return make(record)
    except ValueProblem as fault:
        raise fault.within(where) from None


def _record(given: Any, field: str, kind: type[_R]) -> _R:
    names: tuple[str, ...] = kind._fields  # type: ignore[attr-defined]
    defaults: dict[str, Any] = kind._field_defaults  # type: ignore[attr-defined]
    if isinstance(given, kind):
        return given
    if isinstance(given, str) and names[0] in ("loc", "value"):
        given = {names[0]: given}
    if not isinstance(given, Mapping):
        raise ValueProblem(field, given, f"{kind.__name__} or a dict", "convert it")
    for name in given:
        if name not in names:
            raise ValueProblem(
                field, name, f"keys of {', '.join(names)}", "rename it, or leave it out"
            )
    return kind(**{name: given.get(name, defaults.get(name)) for name in names})


def _listed(given: Any, field: str, kind: type[Any] = str) -> Iterable[Any]:
    if given is None:
        return ()
    if isinstance(given, (str, Mapping, kind)):
        return (given,)
    if not isinstance(given, Iterable):
        raise ValueProblem(field, given, "a list", "put it into one")
    return [item for item in given if item is not None]


def _count(made: dict[str, Any]) -> int:
    """Return an upper bound for the number of XML elements of an entry's extensions."""
    count = len(made["alternates"]) + 6 * len(made["images"]) + 64
    for video in made["videos"]:
        nested = (video.tags, video.prices, video.content_segments, video.ids)
        count += len(model.Video._fields) + len(model.TvShow._fields) + sum(map(len, nested))
    return count


class Constraint(NamedTuple):
    """Constraint of a text: a predicate, and its description for messages."""

    is_valid: Callable[[str], object]
    expected: str


def _check(record: Any, constraints: Mapping[str, Constraint]) -> None:
    """Raise :class:`ValueProblem` for the first value of a record that violates its constraint."""
    for name, constraint in constraints.items():
        value = getattr(record, name)
        if value is not None and not constraint.is_valid(value):
            raise ValueProblem(name, value, constraint.expected, "fix it, or leave it out")


def _is_app(href: str) -> bool:
    """Return whether a link leads to an app; it has no host (``android-app://com.example/…``)."""
    return href.lower().startswith(("android-app:", "ios-app:"))


def _media_url(value: str, field: str, base: str | None) -> str:
    """Validate a URL of a video, which may be http, https or ftp (Google, video sitemaps)."""
    if value[:6].lower() == "ftp://":
        values.url(f"http{value[3:]}", field, base)
        return value
    return values.url(value, field, base)


def _pattern(pattern: str, expected: str) -> Constraint:
    return Constraint(re.compile(pattern, re.ASCII).fullmatch, expected)


def _is_day_or_finer(text: str) -> bool:
    date = parse_date(text)
    return date.code is None and date.precision not in ("year", "month")


def _is_duration(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 9 and 1 <= int(text) <= 28_800


def _is_rating(text: str) -> bool:
    return re.fullmatch(r"[0-9]{1,9}(\.[0-9]*)?", text, re.ASCII) is not None and float(text) <= 5


_DATE = Constraint(
    _is_day_or_finer, "a date (2026-01-31) or a time with its zone (2026-01-31T12:00:00Z)"
)
_YES_NO = _pattern("yes|no|Yes|No|YES|NO", "yes or no")
_RELATIONSHIP = _pattern("allow|deny", "allow or deny")

# Codes G025 to G033. G029 is a warning there, but other values than yes and no have no meaning.
VIDEO_CONSTRAINTS = {
    "description": Constraint(lambda text: len(text) <= 2_048, "at most 2,048 characters"),
    "player_loc_allow_embed": _YES_NO,
    "duration": Constraint(_is_duration, "whole seconds from 1 to 28,800"),
    "expiration_date": _DATE,
    "rating": Constraint(_is_rating, "a number from 0.0 to 5.0"),
    "view_count": _pattern("[0-9]+", "a whole number"),
    "publication_date": _DATE,
    "family_friendly": _YES_NO,
    "restriction": _pattern("[A-Z]{2}( +[A-Z]{2})*", "countries in two capitals, blanks between"),
    "restriction_relationship": _RELATIONSHIP,
    "requires_subscription": _YES_NO,
    "platform": _pattern(
        "(web|mobile|tv)( (web|mobile|tv))*", "web, mobile and tv, blanks between"
    ),
    "platform_relationship": _RELATIONSHIP,
    "live": _YES_NO,
}
TVSHOW_CONSTRAINTS = {"premier_date": _DATE}
# Codes G051 and G052.
NEWS_CONSTRAINTS = {
    "language": _pattern("[a-z]{2,3}|zh-cn|zh-tw", "two or three small letters, zh-cn or zh-tw"),
    "publication_date": _DATE,
}
# The syntax of RFC 5646; `urlset check` reports languages that do not exist.
ALTERNATE_CONSTRAINTS = {
    "hreflang": _pattern(
        "[A-Za-z0-9]{1,8}(-[A-Za-z0-9]{1,8})*", 'a language such as "en-GB", or x-default'
    )
}
