"""Read the metadata of a page: canonical, alternates, robots directives, refresh, description."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime

from urlset.dates import parse_date
from urlset.html.scanner import Scan
from urlset.model import Alternate
from urlset.urls import is_relative, parse_url, resolve, scheme_of

__all__ = [
    "absolute_url",
    "alternates_of",
    "base_url_of",
    "canonical_of",
    "directives_of",
    "forbids_index",
    "meta_of",
    "read_directives",
    "refresh_of",
]

MAX_ALTERNATES = 1_000
MAX_URL = 4_096

_REFRESH = re.compile(r"\s*[\d.]*\s*[;,]\s*(?:url\s*=\s*)?(.+)", re.IGNORECASE | re.DOTALL)


def absolute_url(reference: str, base: str) -> str | None:
    """Resolve a reference in a page to an http(s) URL without its fragment; None for others.

    >>> absolute_url("../a b.png#x", "https://example.com/x/y/")
    'https://example.com/x/a%20b.png'
    >>> absolute_url("mailto:me@example.com", "https://example.com/") is None
    True
    """
    reference = reference.strip().partition("#")[0]
    if not reference or len(reference) > MAX_URL:
        return None
    if scheme_of(reference) is None:
        if not is_relative(reference):
            return None
        reference = resolve(reference, base)
    return parse_url(reference).url


def base_url_of(found: Scan, url: str) -> str:
    """Return the base URL of references: the first ``base`` with a ``href``, else the page URL."""
    for element in found.elements:
        if element.name == "base" and element.attributes.get("href"):
            return absolute_url(element.attributes["href"], url) or url
    return url


def canonical_of(found: Scan, base: str) -> str | None:
    """Return the canonical URL in the head; None if it has none, or several.

    Google ignores all of them if there are several, and one in the body
    (https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls).
    """
    urls = {
        absolute_url(attributes.get("href", ""), base) for attributes in _links(found, "canonical")
    }
    return urls.pop() if len(urls) == 1 else None


def alternates_of(found: Scan, base: str) -> tuple[Alternate, ...]:
    """Return the versions of the page in other languages that its head lists, each once."""
    alternates: dict[Alternate, None] = {}
    for attributes in _links(found, "alternate"):
        language = attributes.get("hreflang", "").strip()
        href = absolute_url(attributes.get("href", ""), base) if language else None
        if href and len(alternates) < MAX_ALTERNATES:
            alternates[Alternate(language, href)] = None
    return tuple(alternates)


def meta_of(found: Scan) -> dict[str, str]:
    """Return the first content of each ``meta`` name or property, by its lower-case name."""
    attributes: dict[str, str] = {}
    for element in found.elements:
        if element.name == "meta" and (content := element.attributes.get("content", "").strip()):
            for key in ("name", "property"):
                if name := element.attributes.get(key, "").strip().lower():
                    attributes.setdefault(name, content)
    return attributes


def directives_of(found: Scan, header: str | None) -> tuple[str, ...]:
    """Return the directives for all robots and for Google's, from the header and the whole page."""
    directives = list(read_directives(header)) if header else []
    for element in found.elements:
        if element.name == "meta":
            name = element.attributes.get("name", "").strip().lower()
            if name in ("robots", "googlebot"):
                directives += read_directives(element.attributes.get("content", ""))
    return tuple(dict.fromkeys(directives))


def refresh_of(found: Scan, base: str) -> str | None:
    """Return the target of a ``meta http-equiv=refresh``, at any delay; None if it only reloads."""
    for element in found.elements:
        is_refresh = element.attributes.get("http-equiv", "").strip().lower() == "refresh"
        if element.name == "meta" and is_refresh:
            target = _REFRESH.match(element.attributes.get("content", "")[:MAX_URL])
            if target:
                return absolute_url(target[1].strip().strip("'\""), base)
    return None


def _links(found: Scan, relation: str) -> Iterator[dict[str, str]]:
    for element in found.elements:
        is_link = element.name == "link" and element.in_head
        if is_link and relation in element.attributes.get("rel", "").lower().split():
            yield element.attributes


_DIRECTIVE = re.compile(
    r"\s*+(unavailable_after\s*:\s*(?:[a-z]{3,9},)?[^,;]{1,60}|[^,;]++)[,;]?", re.IGNORECASE
)
_AGENT = re.compile(r"\s*([a-z][\w-]{0,40})\s*:\s*", re.IGNORECASE)
_AGENTS = ("robots", "googlebot")
_VALUED = ("unavailable_after", "max-snippet", "max-image-preview", "max-video-preview")
MAX_TEXT = 4_096


def read_directives(text: str) -> tuple[str, ...]:
    """Return the directives of ``meta name=robots`` or ``X-Robots-Tag``, in lower case.

    Directives that a header addresses to another robot than Google's are ignored
    (https://developers.google.com/search/docs/crawling-indexing/robots-meta-tag).

    >>> read_directives("NoIndex, follow")
    ('noindex', 'follow')
    >>> read_directives("otherbot: noindex")
    ()
    """
    text = text[:MAX_TEXT]
    if (agent := _AGENT.match(text)) and agent[1].lower() not in _VALUED:
        if agent[1].lower() not in _AGENTS:
            return ()
        text = text[agent.end() :]
    found = (" ".join(part[1].split()) for part in _DIRECTIVE.finditer(text))
    return tuple(dict.fromkeys(part.lower() for part in found if part))


def forbids_index(directives: tuple[str, ...], now: datetime | None = None) -> str | None:
    """Return the directive that excludes a page from search indexes, or None.

    ``unavailable_after`` excludes it once its time has passed; an unreadable time is ignored.

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
        word, _, value = directive.partition(":")
        if word.strip() == "unavailable_after":
            end = parse_date(value.strip().upper()).instant
            if end is not None and end < (now or datetime.now(UTC)):
                return directive
    return None
