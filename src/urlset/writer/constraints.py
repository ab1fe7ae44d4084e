"""Constraints on single text values of videos, news and alternates, checked before writing."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from urlset.dates import parse_date
from urlset.writer import values
from urlset.writer.value_problem import ValueProblem

__all__ = ["ALTERNATE", "NEWS", "TVSHOW", "VIDEO", "Constraint", "check", "is_app", "media_url"]


class Constraint(NamedTuple):
    """Constraint of a text: a predicate, and its description for messages."""

    is_valid: Callable[[str], object]
    expected: str


def check(record: Any, constraints: Mapping[str, Constraint]) -> None:
    """Raise :class:`ValueProblem` for the first value of a record that violates its constraint."""
    for name, constraint in constraints.items():
        value = getattr(record, name)
        if value is not None and not constraint.is_valid(value):
            raise ValueProblem(name, value, constraint.expected, "fix it, or leave it out")


def is_app(href: str) -> bool:
    """Return whether a link leads to an app; it has no host (``android-app://com.example/…``)."""
    return href.lower().startswith(("android-app:", "ios-app:"))


def media_url(value: str, field: str, base: str | None) -> str:
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
VIDEO = {
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
TVSHOW = {"premier_date": _DATE}
# Codes G051 and G052.
NEWS = {
    "language": _pattern("[a-z]{2,3}|zh-cn|zh-tw", "two or three small letters, zh-cn or zh-tw"),
    "publication_date": _DATE,
}
# The syntax of RFC 5646; `urlset check` reports languages that do not exist.
ALTERNATE = {
    "hreflang": _pattern(
        "[A-Za-z0-9]{1,8}(-[A-Za-z0-9]{1,8})*", 'a language such as "en-GB", or x-default'
    ),
}
