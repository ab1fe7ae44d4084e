"""Rows of a visited page, from the engine where the page is as most are, else from its record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from json.encoder import encode_basestring_ascii as quoted
from typing import Any

from urlset.dates import format_date
from urlset.html import MAX_ANCHORS, VisitedFacts, read_visited_page, unavailable_after
from urlset.http import Response
from urlset.live.visits.page_record import (
    HTML_TYPES,
    MAX_IMAGES,
    header_text,
    instant,
    is_nofollow,
    is_noindex,
    other_links,
    read_record,
)
from urlset.live.visits.page_rows import PAGE_COLUMNS, PageRows, rows_of, text_of, with_line
from urlset.live.visits.page_urls import UrlResolver, origin_of_page, section_of

_SPECIAL = frozenset(("cf-mitigated", "link", "x-robots-tag"))
"""Headers that change what is known of a page."""

_FULL_PAGE = MAX_ANCHORS * len("<a href=")
_STARTS = (b"<a", b"<A", b"<\0a", b"<\0A")  # also in UTF-16


def read_rows(resolver: UrlResolver, response: Response, values: Mapping[str, Any]) -> PageRows:
    """Read the page in a response; return its rows, with additional values by column."""
    rows = usual_rows(response, resolver, values)
    if rows is None:
        record = read_record(response, resolver)
        record.row.update(values)
        return rows_of(record)
    return with_line(rows)


def usual_rows(
    response: Response,
    resolver: UrlResolver,
    values: Mapping[str, Any],
    *,
    now: datetime | None = None,
    has_links: bool = True,
) -> PageRows | None:
    """Return the rows of a whole HTML page; None if its record has to be read.

    They are those of :func:`.page_record.read_record`, which is the specification, with additional
    values by column.
    """
    headers, url = response.headers, response.request.url
    is_usual = (
        response.status == 200
        and response.error is None
        and response.is_whole
        and response.url == url
        and not response.redirects
        and headers.get("content-type", "").lower().startswith(HTML_TYPES)
        and _SPECIAL.isdisjoint(headers)
        and not _may_be_full(response.body)
    )
    if not is_usual:
        return None
    facts = read_visited_page(
        response.body,
        url,
        origin_of_page(url),
        lambda reference: resolver.resolve(reference, url),
        has_links=has_links,
    )
    if facts is None:
        return None
    moment = format_date(now or datetime.now(UTC))
    texts: dict[str, str | None] = {
        "url": url,
        "section": section_of(url),
        "status": "200",
        "verdict": "ok",
        "final_url": url,
        "final_status": "200",
        "message": response.message,
        "content_type": header_text(response, "content-type"),
        "byte_count": repr(len(response.body)),
        "last_modified": header_text(response, "last-modified"),
        "etag": header_text(response, "etag"),
        "server_date": header_text(response, "date"),
        "first_byte_s": None if response.first_byte_s is None else repr(response.first_byte_s),
        "seconds": repr(response.seconds),
        "fetched_at": moment,
        "checked_at": moment,
        "is_from_cache": "false",
        "is_html": "true",
        "attempts": repr(response.attempts),
        **_texts_of(facts, url),
    }
    for name, value in values.items():
        texts[name] = text_of(value)
    links = _links_of(facts) if has_links else ()
    is_repeated = bool(values.get("is_repeated"))
    columns = tuple(map(texts.get, PAGE_COLUMNS))
    return PageRows(url, "ok", columns, links, is_repeated=is_repeated)


def _may_be_full(body: bytes) -> bool:
    """Return whether a page may have as many links as are read; its record has to count them."""
    if len(body) < _FULL_PAGE:
        return False
    return sum(body.count(start) for start in _STARTS) >= MAX_ANCHORS


def _texts_of(facts: VisitedFacts, url: str) -> dict[str, str | None]:
    """Return the values of the columns with facts of a page, as text."""
    canonicals, robots = facts.canonicals, facts.agent_robots
    # Engines ignore a canonical in the body, and all of them if they differ.
    effective = {target for target, place in canonicals if place != "body"}
    canonical = next(iter(effective)) if len(effective) == 1 else None
    places = (place for target, place in canonicals if target == canonical)
    ends = unavailable_after(robots) if robots else None
    is_excluded = bool(robots) and is_noindex(robots, ends)
    return {
        "title": facts.title,
        "language": facts.language,
        "fingerprint": facts.fingerprint,
        "canonical": canonical,
        "canonical_from": next(places, None),
        "canonicals": _objects(canonicals, ("url", "origin")),
        "robots": text_of(robots),
        "robots_from": facts.robots_from,
        "is_noindex": text_of(is_excluded),
        "unavailable_after": format_date(ends) if ends else None,
        "is_indexable": text_of(not is_excluded and canonical in (None, url)),
        "refresh": facts.refresh,
        "alternates": _objects(
            [(*alternate, "head") for alternate in facts.alternates],
            ("hreflang", "href", "origin"),
        ),
        "lastmod_text": facts.lastmod,
        "lastmod": instant(facts.lastmod),
        "lastmod_from": facts.lastmod_from,
        "images": text_of(facts.images[:MAX_IMAGES]),
        "link_count": repr(facts.link_count),
        "has_scripts": text_of(facts.has_scripts),
    }


def _objects(rows: Sequence[tuple[str, ...]], names: tuple[str, ...]) -> str:
    """Return rows as an array of JSON objects; :func:`json.dumps` takes thrice the time."""
    objects = (
        ", ".join([f'"{name}": {quoted(value)}' for name, value in zip(names, row, strict=True)])
        for row in rows
    )
    return "[{" + "}, {".join(objects) + "}]" if rows else "[]"


def _links_of(facts: VisitedFacts) -> tuple[tuple[str | None, ...], ...]:
    """Return the columns target, kind, rel, is_nofollow and n of the links of a page, as text."""
    assert facts.links is not None
    targets, relations, flags, counts = facts.links
    others = other_links(
        [url for url, _ in facts.canonicals],
        [url for _, url in facts.alternates],
        facts.pagination,
        facts.refresh,
        facts.images[:MAX_IMAGES],
    )
    kinds, urls, numbers = tuple(zip(*others, strict=True)) or ((), (), ())
    if not (targets or urls):
        return ()
    is_page_nofollow = bool(facts.agent_robots) and is_nofollow(facts.agent_robots)
    if is_page_nofollow:
        flags = ("true",) * len(flags)
    return (
        (*targets, *urls),
        ("a",) * len(targets) + kinds,
        (*relations, *(None,) * len(urls)),
        (*flags, *(text_of(is_page_nofollow),) * len(urls)),
        (*counts, *map(str, numbers)),
    )
