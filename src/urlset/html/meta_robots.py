"""What a page says to robots about itself: in its ``meta`` elements and in HTTP's header."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from urlset.dates import parse_date

__all__ = ["forbids_index", "read_directives"]

_DIRECTIVE = re.compile(
    r"\s*+(unavailable_after\s*:\s*(?:[a-z]{3,9},)?[^,;]{1,60}|[^,;]++)[,;]?", re.IGNORECASE
)
_AGENT = re.compile(r"\s*([a-z][\w-]{0,40})\s*:\s*", re.IGNORECASE)
_OURS = ("robots", "googlebot")
_VALUED = ("unavailable_after", "max-snippet", "max-image-preview", "max-video-preview")
MAX_TEXT = 4_096


def read_directives(text: str) -> tuple[str, ...]:
    """The directives in a value of ``meta name=robots`` or ``X-Robots-Tag``, in lower case.

    Those that a header addresses to another robot than Google's are left out
    (https://developers.google.com/search/docs/crawling-indexing/robots-meta-tag).

    >>> read_directives("NoIndex, follow")
    ('noindex', 'follow')
    >>> read_directives("otherbot: noindex")
    ()
    """
    text = text[:MAX_TEXT]
    if (agent := _AGENT.match(text)) and agent[1].lower() not in _VALUED:
        if agent[1].lower() not in _OURS:
            return ()
        text = text[agent.end() :]
    found = (" ".join(part[1].split()) for part in _DIRECTIVE.finditer(text))
    return tuple(dict.fromkeys(part.lower() for part in found if part))


def forbids_index(directives: tuple[str, ...], now: datetime | None = None) -> str | None:
    """The directive that keeps a page out of an index, if one does.

    ``unavailable_after`` does when its moment has passed, and if it can be read.

    >>> forbids_index(("none",))
    'none'
    >>> forbids_index(("unavailable_after: 2020-01-02",))
    'unavailable_after: 2020-01-02'
    >>> forbids_index(("nofollow",)) is None
    True
    """
    for directive in directives:
        if directive in ("noindex", "none"):
            return directive
        word, _, moment = directive.partition(":")
        if word.strip() == "unavailable_after":
            end = parse_date(moment.strip().upper()).instant
            if end is not None and end < (now or datetime.now(UTC)):
                return directive
    return None
