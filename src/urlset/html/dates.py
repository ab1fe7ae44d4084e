"""Find the date on which a page was last modified, in its metadata, JSON-LD and markup."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from urlset.dates import LOCAL_TIME, format_date, parse_date
from urlset.html.json_ld import JsonLdNode
from urlset.html.scanner import Scan

__all__ = ["PageDate", "as_w3c", "has_future_date", "lastmod_of"]

_MODIFIED = (
    "article:modified_time og:updated_time og:modified_time last-modified last_modified lastmod "
    "date.modified dc.date.modified dcterms.modified dcterms.date.modified datemodified "
    "revised modified"
).split()
_PUBLISHED = (
    "article:published_time og:published_time date.issued dc.date.issued dcterms.issued "
    "dcterms.created dc.date.created datepublished date dc.date dcterms.date pubdate publish-date"
).split()
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
    text = text.strip()[:64]
    if found := LOCAL_TIME.fullmatch(text):
        day, clock, zone = found.groups()
        text = f"{day}T{clock}{_zone(zone)}" if zone else day
    date = parse_date(text)
    if date.instant is None or date.precision is None:
        return None
    has_time = date.precision in ("minute", "second", "fraction")
    # A day begins in the east: 14 hours before it does at Greenwich.
    earliest = date.instant if has_time else date.instant - timedelta(hours=14)
    if date.instant.year < _OLDEST or earliest > (now or datetime.now(UTC)):
        return None
    if date.code is None:
        return text
    if has_time and date.has_zone:
        return format_date(date.instant)
    return date.instant.date().isoformat()


def lastmod_of(
    found: Scan, meta: dict[str, str], nodes: list[JsonLdNode], now: datetime | None = None
) -> PageDate | None:
    """Return the date of the last modification, or None if the page has no plausible one.

    The order is JSON-LD's ``dateModified``, Open Graph and ``meta``, microdata, and a ``time``
    with a class such as ``updated``. The date of publication is used only if the page has no date
    of modification at all: an implausible date is not replaced by one that is known to be too old.
    """
    modified = list(_modified(found, meta, nodes))
    for text, origin in modified or _published(found, meta, nodes):
        if date := as_w3c(text, now):
            return PageDate(date, origin)
    return None


def has_future_date(
    found: Scan, meta: dict[str, str], nodes: list[JsonLdNode], now: datetime | None = None
) -> bool:
    """Return whether a date of the page is ignored only because it is in the future."""
    latest = datetime.max.replace(tzinfo=UTC)
    texts = {text for text, _ in (*_modified(found, meta, nodes), *_published(found, meta, nodes))}
    return any(as_w3c(text, now) is None and as_w3c(text, latest) is not None for text in texts)


def _modified(
    found: Scan, meta: dict[str, str], nodes: list[JsonLdNode]
) -> Iterator[tuple[str, str]]:
    yield from _in_nodes(nodes, "dateModified")
    yield from ((meta[name], f"meta {name}") for name in _MODIFIED if name in meta)
    yield from _in_microdata(found, "datemodified")
    for element in found.elements:
        classes = element.attributes.get("class", "").lower().split()
        value = element.attributes.get("datetime")
        if element.name == "time" and value and _UPDATED.intersection(classes):
            yield value, "time.updated"


def _published(
    found: Scan, meta: dict[str, str], nodes: list[JsonLdNode]
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


def _in_microdata(found: Scan, key: str) -> Iterator[tuple[str, str]]:
    for element in found.elements:
        value = element.attributes.get("datetime") or element.attributes.get("content")
        if value and key in element.attributes.get("itemprop", "").lower().split():
            yield value, f"itemprop {element.attributes['itemprop']}"


def _zone(zone: str) -> str:
    if zone in "Zz":
        return "Z"
    return zone if ":" in zone else f"{zone[:3]}:{zone[3:] or '00'}"
