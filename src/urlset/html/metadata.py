"""Read the metadata of a page: canonical, alternates, robots directives, dates."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Literal, NamedTuple

from urlset.dates import LOCAL_TIME, format_date, parse_date
from urlset.engine.html_page import FilePage, ScannedPage
from urlset.html.json_ld import JsonLdNode
from urlset.html.links import header_links
from urlset.model import Alternate
from urlset.urls import is_relative, parse_url, resolve, scheme_of

MAX_ALTERNATES = 1_000
MAX_URL = 4_096

_REFRESH = re.compile(r"\s*+[\d.]*+\s*+[;,]\s*+(?:url\s*+=\s*+)?(.+)", re.IGNORECASE | re.DOTALL)


class Canonical(NamedTuple):
    """A canonical URL, and where the page declares it: head, HTTP header or body."""

    url: str
    origin: Literal["head", "header", "body"]


class PlacedAlternate(NamedTuple):
    """A version of the page in another language, and where the page declares it."""

    hreflang: str
    href: str
    origin: Literal["head", "header"]


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
    return _absolute_url(reference, base)


@lru_cache(maxsize=512)  # a page names its canonical URL and its alternates several times
def _absolute_url(reference: str, base: str) -> str | None:
    if scheme_of(reference) is None:
        if not is_relative(reference):
            return None
        reference = resolve(reference, base)
    return parse_url(reference).url


def base_url_of(found: ScannedPage | FilePage, url: str) -> str:
    """Return the base URL of references: the first ``base`` with a ``href``, else the page URL."""
    for element in found.elements:
        if element.name == "base" and element.attributes.get("href"):
            return absolute_url(element.attributes["href"], url) or url
    return url


def canonical_of(found: ScannedPage | FilePage, base: str) -> str | None:
    """Return the canonical URL in the head; None if it has none, or several.

    Google ignores all of them if there are several, and one in the body
    (https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls).
    """
    urls = {
        absolute_url(attributes.get("href", ""), base) for attributes in _links(found, "canonical")
    }
    return urls.pop() if len(urls) == 1 else None


def alternates_of(found: ScannedPage | FilePage, base: str) -> tuple[Alternate, ...]:
    """Return the versions of the page in other languages that its head lists, each once."""
    alternates: dict[Alternate, None] = {}
    for attributes in _links(found, "alternate"):
        language = attributes.get("hreflang", "").strip()
        href = absolute_url(attributes.get("href", ""), base) if language else None
        if href and len(alternates) < MAX_ALTERNATES:
            alternates[Alternate(language, href)] = None
    return tuple(alternates)


def canonicals_of(
    found: ScannedPage, base: str, url: str, link_header: str | None
) -> tuple[Canonical, ...]:
    """Return all canonical URLs of a page, in the head, in its ``Link`` header and in its body."""
    canonicals: dict[Canonical, None] = {}
    for element in found.elements:
        rel = element.attributes.get("rel", "") if element.name == "link" else ""
        if "canonical" in rel.lower().split():
            target = absolute_url(element.attributes.get("href", ""), base)
            if target:
                canonicals[Canonical(target, "head" if element.in_head else "body")] = None
    for link in header_links(link_header):
        # A target in a header is relative to the URL of the response (RFC 8288 section 3.2).
        target = absolute_url(link.target, url) if "canonical" in link.relations else None
        if target:
            canonicals[Canonical(target, "header")] = None
    return tuple(canonicals)[:MAX_ALTERNATES]


def placed_alternates_of(
    found: ScannedPage, base: str, url: str, link_header: str | None
) -> tuple[PlacedAlternate, ...]:
    """Return the versions in other languages that the head and the ``Link`` header list."""
    alternates = {
        PlacedAlternate(alternate.hreflang or "", alternate.href, "head"): None
        for alternate in alternates_of(found, base)
    }
    for link in header_links(link_header):
        is_alternate = "alternate" in link.relations and link.hreflang
        if is_alternate and (href := absolute_url(link.target, url)):
            alternates[PlacedAlternate(link.hreflang, href, "header")] = None
    return tuple(alternates)[:MAX_ALTERNATES]


def pagination_of(found: ScannedPage, base: str) -> tuple[tuple[str, str], ...]:
    """Return the links ``next`` and ``prev`` of the head, as pairs of relation and URL."""
    pairs = (
        (relation, absolute_url(attributes.get("href", ""), base))
        for relation in ("next", "prev")
        for attributes in _links(found, relation)
    )
    return tuple(dict.fromkeys((relation, url) for relation, url in pairs if url))


def meta_of(found: ScannedPage | FilePage) -> dict[str, str]:
    """Return the first content of each ``meta`` name or property, by its lower-case name."""
    attributes: dict[str, str] = {}
    for element in found.elements:
        if element.name == "meta" and (content := element.attributes.get("content", "").strip()):
            for key in ("name", "property"):
                if name := element.attributes.get(key, "").strip().lower():
                    attributes.setdefault(name, content)
    return attributes


def directives_of(found: ScannedPage | FilePage, header: str | None) -> tuple[str, ...]:
    """Return the directives for all robots and for Google's, from the header and the whole page."""
    directives = list(read_directives(header)) if header else []
    for element in found.elements:
        if element.name == "meta":
            name = element.attributes.get("name", "").strip().lower()
            if name in ("robots", "googlebot"):
                directives += read_directives(element.attributes.get("content", ""))
    return tuple(dict.fromkeys(directives))


def refresh_of(found: ScannedPage | FilePage, base: str) -> str | None:
    """Return the target of a ``meta http-equiv=refresh``, at any delay; None if it only reloads."""
    for element in found.elements:
        is_refresh = element.attributes.get("http-equiv", "").strip().lower() == "refresh"
        if element.name == "meta" and is_refresh:
            content = element.attributes.get("content", "")
            if _REFRESH.match(content[:MAX_URL]):
                return refresh_target(content, base)
    return None


def refresh_target(content: str, base: str) -> str | None:
    """Return the target of the content of a ``meta http-equiv=refresh``; None if it has none.

    >>> refresh_target("0; url=../tea.html", "https://example.com/a/b.html")
    'https://example.com/tea.html'
    """
    target = _REFRESH.match(content[:MAX_URL])
    return absolute_url(target[1].strip().strip("'\""), base) if target else None


def _links(found: ScannedPage | FilePage, relation: str) -> Iterator[dict[str, str]]:
    for element in found.elements:
        is_link = element.name == "link" and element.in_head
        if is_link and relation in element.attributes.get("rel", "").lower().split():
            yield element.attributes


_DIRECTIVE = re.compile(
    r"(\s*+unavailable_after\s*+:\s*+(?:[a-z]{3,9},)?[^,;]{1,60}|[^,;]++)[,;]?", re.IGNORECASE
)
_AGENT = re.compile(r"\s*+([a-z][\w-]{0,40}+)\s*+:\s*+", re.IGNORECASE)
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


ENGINES = frozenset(
    "robots googlebot bingbot slurp yandex baiduspider duckduckbot applebot".split()
)
"""Names of ``meta`` elements, and agents of ``X-Robots-Tag``, that speak to search engines."""


def directives_by_agent(
    found: ScannedPage | FilePage, header: str | None
) -> tuple[tuple[str, ...], str | None]:
    """Return the robots directives, general and by search engine, and where: meta, header or both.

    Those for one engine begin with its name, as ``bingbot: noindex``.
    """
    meta: list[str] = []
    for element in found.elements:
        if element.name == "meta":
            agent = element.attributes.get("name", "").strip().lower()
            if agent in ENGINES:
                meta += _with_agent(agent, element.attributes.get("content", ""))
    in_header = [*_with_agent("robots", header)] if header else []
    places = [name for name, some in (("meta", meta), ("header", in_header)) if some]
    return tuple(dict.fromkeys(meta + in_header)), "+".join(places) or None


def _with_agent(agent: str, text: str) -> Iterator[str]:
    for part in _DIRECTIVE.finditer(text[:MAX_TEXT]):
        directive = " ".join(part[1].split()).lower()
        named = _AGENT.match(directive)
        if named and named[1] not in _VALUED:  # it applies to the directives that follow
            agent, directive = named[1], directive[named.end() :]
        if directive and agent in ENGINES:
            yield directive if agent == "robots" else f"{agent}: {directive}"


def unavailable_after(directives: tuple[str, ...]) -> datetime | None:
    """Return the earliest date of a directive ``unavailable_after``.

    >>> unavailable_after(("unavailable_after: 2030-01-02",)).year
    2030
    """
    instants = []
    for directive in directives:
        before, found, value = directive.partition("unavailable_after")
        if found and not before.strip(" :").count(" "):
            instant = parse_date(value.strip(" :").upper()).instant
            instants += [instant] if instant is not None else []
    return min(instants, default=None)


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


_MODIFIED = (
    "article:modified_time og:updated_time og:modified_time last-modified last_modified lastmod "
    "date.modified dc.date.modified dcterms.modified dcterms.date.modified datemodified "
    "revised modified"
).split()
_PUBLISHED = (
    "article:published_time og:published_time date.issued dc.date.issued dcterms.issued "
    "dcterms.created dc.date.created datepublished date dc.date dcterms.date pubdate publish-date"
).split()
META_NAMES = ("robots", "googlebot", *_MODIFIED, *_PUBLISHED)
"""Names of the ``meta`` elements from which directives and dates are read, in lower case."""

# Types with a date of their own that is not the date of the page.
_OTHER_TYPES = frozenset(
    """Answer AudioObject Comment Dataset Event ImageObject MediaObject Offer Organization Person
    Product Rating Review SoftwareApplication VideoObject WebSite""".split()
)
_UPDATED = {"updated", "modified", "dt-updated", "last-updated", "lastmod", "entry-updated"}

_OLDEST = 1990
"""The first web page is of 1991; an older date is that of a work, or none (1970-01-01)."""


class PageDate(NamedTuple):
    """A date in W3C form, and where on the page it was found (``json-ld dateModified``)."""

    text: str
    origin: str


def as_w3c(text: str, now: datetime | None = None) -> str | None:
    """Convert a date to W3C text with its own zone; None for a date that is not plausible.

    A date without a time stays one. A local time without a zone is reduced to its date, because it
    is no instant. A date in the future, or before the first web page, is not plausible.

    >>> as_w3c("2026-01-02 03:04:05+0100")
    '2026-01-02T03:04:05+01:00'
    >>> as_w3c("2026-01-02T03:04:05")
    '2026-01-02'
    >>> as_w3c("2999-01-01") is None
    True
    """
    found = _dated(text.strip()[:64])
    if found is None or found[1] > (now or datetime.now(UTC)):
        return None
    return found[0]


@lru_cache(maxsize=512)  # each date of a page is asked for several times
def _dated(text: str) -> tuple[str, datetime] | None:
    """Return a date in W3C form and its earliest instant; None if it is none, or before the web."""
    if found := LOCAL_TIME.fullmatch(text):
        day, clock, zone = found.groups()
        text = f"{day}T{clock}{_zone(zone)}" if zone else day
    date = parse_date(text)
    if date.instant is None or date.precision is None:
        return None
    has_time = date.precision in ("minute", "second", "fraction")
    # A day begins in the east: 14 hours before it does at Greenwich.
    earliest = date.instant if has_time else date.instant - timedelta(hours=14)
    if date.instant.year < _OLDEST:
        return None
    if date.code is None:
        return text, earliest
    if has_time and date.has_zone:
        return format_date(date.instant), earliest
    return date.instant.date().isoformat(), earliest


class PageDates(NamedTuple):
    """Date of the last modification, and whether a date is ignored because it is in the future."""

    lastmod: PageDate | None
    has_future_date: bool


def dates_of(
    found: ScannedPage | FilePage,
    meta: dict[str, str],
    nodes: list[JsonLdNode],
    now: datetime | None = None,
) -> PageDates:
    """Return the date of the last modification of a page; None if it has no plausible one.

    The order is JSON-LD's ``dateModified``, Open Graph and ``meta``, microdata, and a ``time``
    with a class such as ``updated``. The date of publication is used only if the page has no date
    of modification at all: an implausible date is not replaced by one that is known to be too old.
    """
    modified = list(_modified(found, meta, nodes))
    published = list(_published(found, meta, nodes))
    if not (modified or published):
        return PageDates(None, False)
    moment = now or datetime.now(UTC)
    dated = (_dated(text.strip()[:64]) for text, _ in (*modified, *published))
    has_future_date = any(date is not None and date[1] > moment for date in dated)
    for text, origin in modified or published:
        if date := as_w3c(text, moment):
            return PageDates(PageDate(date, origin), has_future_date)
    return PageDates(None, has_future_date)


def _modified(
    found: ScannedPage | FilePage, meta: dict[str, str], nodes: list[JsonLdNode]
) -> Iterator[tuple[str, str]]:
    yield from _in_nodes(nodes, "dateModified")
    yield from ((meta[name], f"meta {name}") for name in _MODIFIED if name in meta)
    yield from _in_microdata(found, "datemodified")
    for element in found.elements:
        value = element.attributes.get("datetime") if element.name == "time" else None
        if value and _UPDATED.intersection(element.attributes.get("class", "").lower().split()):
            yield value, "time.updated"


def _published(
    found: ScannedPage | FilePage, meta: dict[str, str], nodes: list[JsonLdNode]
) -> Iterator[tuple[str, str]]:
    yield from _in_nodes(nodes, "datePublished")
    yield from ((meta[name], f"meta {name}") for name in _PUBLISHED if name in meta)
    yield from _in_microdata(found, "datepublished")
    for element in found.elements:
        if element.name == "time" and "pubdate" in element.attributes:
            yield element.attributes.get("datetime", ""), "time pubdate"


def _in_nodes(nodes: list[JsonLdNode], key: str) -> Iterator[tuple[str, str]]:
    for node in nodes:
        if node.is_of_page and not node.types & _OTHER_TYPES and key in node.texts:
            yield node.texts[key], f"json-ld {key}"


def _in_microdata(found: ScannedPage | FilePage, key: str) -> Iterator[tuple[str, str]]:
    for element in found.elements:
        names = element.attributes.get("itemprop")
        if not names or key not in names.lower().split():
            continue
        if value := element.attributes.get("datetime") or element.attributes.get("content"):
            yield value, f"itemprop {names}"


def _zone(zone: str) -> str:
    if zone in "Zz":
        return "Z"
    return zone if ":" in zone else f"{zone[:3]}:{zone[3:] or '00'}"
