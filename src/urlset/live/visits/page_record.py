"""Convert the response for a page to its row of ``pages`` and its rows of ``links``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from urlset.dates import format_date, parse_date
from urlset.html import MAX_ANCHORS, PageFacts, VisitedFacts, read_page, unavailable_after
from urlset.http import DOCUMENT_STATUSES, REDIRECTS, Response, redirect_target
from urlset.live.visits.page_urls import UrlResolver, page_url, section_of
from urlset.robots import Robots

WANTS = ("alternates", "fingerprint", "images", "lastmod", "links")

DOUBTFUL = frozenset({401, 403, 407, 429, 451})
"""Statuses that may mean that a crawler is refused, not that the page is wrong."""

FOLLOWED_KINDS = frozenset(("a", "redirect", "canonical", "hreflang", "next", "prev", "refresh"))
"""Kinds of links whose targets are pages."""

ROBOTS = "robots"
"""``unknown_reason`` of pages that are not requested: disallowed, or robots.txt is unreachable."""

REPEAT_DELAY_S = 1.0
"""Least time between two requests when pages are visited a second time, if there is a pause."""

MAX_IMAGES = 1_000
_NOFOLLOW = frozenset(("nofollow", "none"))
_NOINDEX = frozenset(("noindex", "none"))
HTML_TYPES = ("text/html", "application/xhtml")
_IMPOSSIBLE = frozenset(("blocked", "bad-url"))


class PageLinkRow(NamedTuple):
    """Row of ``links`` without its page: target, kind, rel, nofollow, and the number of links."""

    target: str
    kind: str
    rel: str | None
    is_nofollow: bool
    n: int


class PageRecord(NamedTuple):
    """Row of ``pages`` by column, with its links; missing values are null.

    ``is_unchanged`` says whether the server confirmed the stored facts (304).
    """

    url: str
    row: dict[str, Any]
    links: list[PageLinkRow]
    is_unchanged: bool = False


def read_record(
    response: Response,
    resolver: UrlResolver,
    *,
    now: datetime | None = None,
    has_links: bool = True,
) -> PageRecord:
    """Return the record of a page from the response to its request, without redirects.

    ``now`` is the time of the visit; None for the current time. Without ``has_links``, the record
    has only the number of the links.
    """
    url = response.request.url
    verdict = _verdict(response)
    row = response_columns(response, verdict, now)
    if verdict == "unknown":
        row["unknown_reason"] = _reason(response)
        if row["unknown_reason"] == "empty":
            row["message"] = "the response has status 200 and no content"
    links: list[PageLinkRow] = []
    if response.status == 304 and _is_conditional(response):
        row |= {"verdict": "ok", "unknown_reason": None, "is_from_cache": True}
        return PageRecord(url, row, links, is_unchanged=True)
    if response.status in REDIRECTS:
        target = redirect_target(response)
        final = page_url(target) if target else None
        row |= {"final_url": final, "final_status": None}
        row["redirects"] = [{"url": url, "status": response.status}]
        if final is not None:
            links.append(PageLinkRow(final, "redirect", None, False, 1))
            if final == url:
                row |= {"verdict": "redirect-loop", "error": "redirect-loop"}
                row["message"] = f"redirects in a circle: back to {url}"
        else:
            row |= {"verdict": "redirect-loop", "error": "bad-redirect"}
            text = f"{url} redirects, but not to an http or https URL"
            row["message"] = response.message or text
    facts = _facts(response)
    if facts is not None:
        _add_facts(row, facts, url)
        if verdict == "ok" and facts.says_not_found:
            row |= {
                "verdict": "soft-404",
                "unknown_reason": "says-not-found",
                "is_indexable": False,
            }
        if not has_links:
            found = (resolver.resolve(anchor.href, facts.base) for anchor in facts.anchors)
            count = sum(target is not None for target in found)
            row["link_count"] = _link_count(count, facts)
            return PageRecord(url, row, links)
        links += _links(row, facts, resolver)
    count = sum(link.n for link in links if link.kind == "a")
    row["link_count"] = count if facts is None else _link_count(count, facts)
    return PageRecord(url, row, links)


def response_columns(response: Response, verdict: str, now: datetime | None) -> dict[str, Any]:
    """Return the columns of ``pages`` that need no content: as of a response without a page."""
    url = response.request.url
    moment = format_date(now or datetime.now(UTC))
    return {
        "url": url,
        "section": section_of(url),
        "status": response.status,
        "verdict": verdict,
        "unknown_reason": None,
        "final_url": url if response.status is not None else None,
        "final_status": response.status,
        "error": None if response.error == "status" else response.error,
        "message": response.message,
        "content_type": header_text(response, "content-type"),
        "byte_count": len(response.body),
        "last_modified": header_text(response, "last-modified"),
        "etag": header_text(response, "etag"),
        "server_date": header_text(response, "date"),
        "first_byte_s": response.first_byte_s,
        "seconds": response.seconds,
        "fetched_at": moment,
        "checked_at": moment,
        "is_from_cache": False,
        "is_html": False,
        "is_indexable": False,
        "is_noindex": False,
        "attempts": response.attempts,
    }


def disallowed_record(url: str, robots: Robots, now: datetime | None = None) -> PageRecord:
    """Return the record of a page that robots.txt disallows, or is unknown since it is unreachable.

    Neither is requested. What an unreachable robots.txt would say of the page is not known.
    """
    verdict, message = "disallowed", f"disallowed by {robots.url}"
    if robots.state == "unreachable":
        verdict = "unknown"
        reason = "" if robots.reason is None else f" ({robots.reason})"
        message = f"{robots.url} could not be read{reason}, so that nothing may be visited"
    row = {
        "url": url,
        "section": section_of(url),
        "verdict": verdict,
        "unknown_reason": ROBOTS,
        "message": message,
        "is_indexable": False,
        "is_noindex": False,
        "is_from_cache": False,
        "checked_at": format_date(now or datetime.now(UTC)),
        "attempts": 0,
    }
    return PageRecord(url, row, [])


def facts_of_headers(response: Response) -> dict[str, Any]:
    """Return the facts of an HTML page that the headers of a response state.

    The body of a page can be unchanged (304) while its headers exclude it from an index.

    >>> from urlset.http import Request, Response
    >>> headers = {"x-robots-tag": "noindex"}
    >>> request = Request("https://example.com/")
    >>> facts_of_headers(Response(request, request.url, 304, headers))["is_noindex"]
    True
    """
    row: dict[str, Any] = {"verdict": "ok", "is_noindex": False, "canonical": None, "robots": []}
    if any(name in response.headers for name in ("x-robots-tag", "link")):
        headers = {**response.headers, "content-type": "text/html"}
        facts = _facts(response._replace(status=200, body=b" ", headers=headers))
        assert facts is not None
        _add_facts(row, facts, response.request.url)
    return row


def is_excluded_meanwhile(response: Response) -> bool:
    """Return whether a response 304 states that a page is not to be indexed.

    Pages whose stored facts state it are requested without conditions, so this is new.
    """
    if response.status != 304 or not _is_conditional(response):
        return False
    row = facts_of_headers(response)
    return row["is_noindex"] or row["canonical"] not in (None, response.request.url)


def is_page(response: Response) -> bool:
    """Return whether a response has a whole page, so that one visit is enough."""
    body = response.body
    has_page = response.has_document and response.error is None and bool(body)
    return has_page and not body.isspace() and "cf-mitigated" not in response.headers


def is_doubtful(record: PageRecord) -> bool:
    """Return whether a second, slower visit may have another result."""
    error = record.row["error"]
    return record.row["verdict"] == "unknown" and error not in _IMPOSSIBLE


def confirm_failure(record: PageRecord) -> None:
    """Change the verdict unknown to server-error or unreachable after a second failed visit.

    A refusal (401, 403, 407, 429, 451, a challenge) stays unknown: it is about the visitor. So do
    503, which means overload or maintenance, and a timeout. :func:`.page_rows.mark_silent_hosts`
    changes it back if the host responds for no page.
    """
    row = record.row
    status = row["status"]
    if row["unknown_reason"] == "challenge":
        return
    if status is not None and status >= 500 and status != 503:
        row |= {"verdict": "server-error", "unknown_reason": None}
    elif status is None and row["error"] not in ("timeout", "stalled", "paused", "silent", "limit"):
        row |= {"verdict": "unreachable", "unknown_reason": None}


def header_text(response: Response, name: str) -> str | None:
    """Return a header as text that can be stored: aiohttp decodes invalid bytes to surrogates."""
    value = response.headers.get(name)
    if value is None or value.isascii():
        return value
    return value.encode(errors="replace").decode()


def _verdict(response: Response) -> str:
    status = response.status
    if response.headers.get("cf-mitigated") == "challenge" or status is None or _is_cut(response):
        return "unknown"
    if status in DOCUMENT_STATUSES:
        # A page without content is a failure of the server, not the new content of the page.
        is_cut_off = response.error == "too-large"  # perhaps before its first byte
        return "ok" if is_cut_off or response.body.strip() else "unknown"
    if status in REDIRECTS:
        return "redirect"
    if status in (404, 410):
        return "gone"
    if status in DOUBTFUL or status >= 500 or status < 400:
        return "unknown"
    return "client-error"


def _reason(response: Response) -> str:
    if response.headers.get("cf-mitigated") == "challenge":
        return "challenge"
    if response.status is None or _is_cut(response):
        return response.error or "timeout"
    if response.has_document:
        return "empty"
    return f"http-{response.status}"


def _is_cut(response: Response) -> bool:
    """Return whether the transfer of a page broke off; a size limit does not count."""
    is_partial = response.has_document and not response.is_whole
    return is_partial and response.error not in (None, "too-large")


def _is_conditional(response: Response) -> bool:
    return bool(response.request.etag or response.request.last_modified)


def _facts(response: Response) -> PageFacts | None:
    """Return the facts of an HTML page; None for other documents and for errors."""
    content_type = response.headers.get("content-type", "")
    if not response.has_document or not response.body:
        return None
    is_html = content_type.lower().startswith(HTML_TYPES)
    if not is_html and (content_type or b"<html" not in response.body[:1024].lower()):
        return None
    return read_page(
        response.body,
        response.request.url,
        content_type,
        wants=WANTS,
        robots_header=response.headers.get("x-robots-tag"),
        link_header=response.headers.get("link"),
    )


def _add_facts(row: dict[str, Any], facts: PageFacts, url: str) -> None:
    canonicals = [(page_url(found.url) or found.url, found.origin) for found in facts.canonicals]
    row |= fact_columns(facts, canonicals, url, row["verdict"])
    row |= {
        "canonicals": [{"url": target, "origin": origin} for target, origin in canonicals],
        "alternates": [a._asdict() for a in facts.placed_alternates],
        "images": [image.loc for image in facts.images[:MAX_IMAGES]],
    }


def fact_columns(
    facts: PageFacts | VisitedFacts, canonicals: Sequence[tuple[str, str]], url: str, verdict: str
) -> dict[str, Any]:
    """Return the columns of ``pages`` with facts of an HTML page, without lists of URLs."""
    # Engines ignore a canonical in the body, and all of them if they differ.
    effective = {target for target, origin in canonicals if origin != "body"}
    canonical = next(iter(effective)) if len(effective) == 1 else None
    robots = facts.agent_robots
    ends = unavailable_after(robots) if robots else None
    is_excluded = bool(robots) and is_noindex(robots, ends)
    return {
        "is_html": True,
        "title": facts.title,
        "language": facts.language,
        "fingerprint": facts.fingerprint,
        "canonical": canonical,
        "canonical_from": next((o for t, o in canonicals if t == canonical), None),
        "robots": robots,
        "robots_from": facts.robots_from,
        "is_noindex": is_excluded,
        "unavailable_after": format_date(ends) if ends else None,
        "is_indexable": verdict == "ok"
        and not is_excluded
        and canonical in (None, url)
        and not leads_elsewhere(facts.refresh, url),
        "refresh": facts.refresh,
        "lastmod_text": facts.lastmod,
        "lastmod": instant(facts.lastmod),
        "lastmod_from": facts.lastmod_from,
        "has_scripts": facts.has_scripts,
    }


def _link_count(count: int, facts: PageFacts) -> int:
    """Return the number of links; at the limit those to other schemes count, so that it shows."""
    return count if len(facts.anchors) < MAX_ANCHORS else MAX_ANCHORS


def _links(row: dict[str, Any], facts: PageFacts, resolver: UrlResolver) -> list[PageLinkRow]:
    is_page_nofollow = is_nofollow(facts.agent_robots)
    counts: dict[tuple[str, str], int] = {}
    for href, rel in facts.anchors:
        target = resolver.resolve(href, facts.base)
        if target is not None:
            counts[target, rel] = counts.get((target, rel), 0) + 1
    links = [
        PageLinkRow(target, "a", rel or None, is_page_nofollow or "nofollow" in rel, n)
        for (target, rel), n in counts.items()
    ]
    others = other_links(
        [canonical["url"] for canonical in row["canonicals"]],
        [alternate.href for alternate in facts.placed_alternates],
        facts.pagination,
        facts.refresh,
        row["images"],
    )
    links += [PageLinkRow(url, kind, None, is_page_nofollow, n) for kind, url, n in others]
    return links


def other_links(
    canonicals: Iterable[str],
    alternates: Iterable[str],
    pagination: Iterable[tuple[str, str]],
    refresh: str | None,
    images: Iterable[str],
) -> Iterator[tuple[str, str, int]]:
    """Yield kind, target and number of the links of a page that are none for its readers."""
    links = [("canonical", url) for url in canonicals]
    links += [("hreflang", url) for url in alternates]
    links += pagination
    links += [("refresh", refresh)] if refresh else []
    links += [("img", url) for url in images]
    counts: dict[tuple[str, str], int] = {}
    for link in links:
        counts[link] = counts.get(link, 0) + 1
    for (kind, url), n in counts.items():
        found = page_url(url)
        if found is not None:
            yield kind, found, n


def leads_elsewhere(refresh: str | None, url: str) -> bool:
    """Return whether a meta refresh redirects a page to another one: engines index that one."""
    return refresh is not None and page_url(refresh) not in (None, url)


def is_noindex(directives: Iterable[str], ends: datetime | None) -> bool:
    """Return whether directives for robots exclude a page from an index, or its end is over."""
    return bool(_words(directives) & _NOINDEX) or (ends is not None and ends < datetime.now(UTC))


def is_nofollow(directives: Iterable[str]) -> bool:
    """Return whether directives for robots state that no link of a page is to be followed."""
    return bool(_words(directives) & _NOFOLLOW)


def _words(directives: Iterable[str]) -> set[str]:
    return {directive.rpartition(" ")[2] for directive in directives}


def instant(text: str | None) -> str | None:
    """Return the instant of a date on a page, as W3C text; None if it has none."""
    found = parse_date(text).instant if text else None
    return format_date(found) if found is not None else None
