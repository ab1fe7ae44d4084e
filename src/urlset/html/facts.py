"""Read facts of one HTML page: title, canonical, robots, dates, media, fingerprint."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from hashlib import blake2b
from typing import Any, NamedTuple

from urlset.engine import Engine, get
from urlset.engine.html_page import FilePage, OrdinaryPage, PageAnchor, ScannedPage
from urlset.formats.detect import is_html_page
from urlset.formats.encoding import BOM, charset_of, codec_of, decode, utf16_codec
from urlset.html.json_ld import read_json_ld
from urlset.html.media import images_of, news_of, videos_of
from urlset.html.metadata import (
    META_NAMES,
    Canonical,
    PlacedAlternate,
    alternates_of,
    base_url_of,
    canonical_of,
    canonicals_of,
    dates_of,
    directives_by_agent,
    directives_of,
    meta_of,
    pagination_of,
    placed_alternates_of,
    refresh_of,
    refresh_target,
)
from urlset.html.not_found import (
    ERROR_WORDS,
    MAX_ERROR_TEXT,
    says_not_found,
    title_says_not_found,
)
from urlset.model import Alternate, Image, News, Video
from urlset.urls import split_origin

# Lexbor takes at most half a second for a page within these limits, even a hostile one.
MAX_TAGS = 4_000
MAX_GAP = 16_384
MAX_SPLIT = 100
MAX_FORMATS = 200
MAX_MERGED = 4

MAX_PROLOG = 65_536

_SPLIT_VALUE = re.compile(rb"""=\s*+(?:"[^">]*+>|'[^'>]*+>)""")
# An open one of these is reopened in each later paragraph: 2,000 × 2,000 elements.
_FORMAT = re.compile(
    rb"<(?:b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u)(?=[\s/>])", re.IGNORECASE
)
# The attributes of all of these become those of one element.
_MERGED = re.compile(rb"<(?:html|body)[\s/]", re.IGNORECASE)
_CHARSET = re.compile(rb"""<meta\s[^<>]{0,200}?charset\s*+=\s*+["']?\s*+([\w.:-]{1,40})""", re.I)
_PRESCAN = 1_024  # https://html.spec.whatwg.org/#prescan-a-byte-stream-to-determine-its-encoding


class RepairedMarkup(NamedTuple):
    """Markup as text; ``is_page`` if it is a page, not a fragment."""

    text: str
    is_page: bool


def repair(data: bytes, content_type: str | None, engine_name: str | None = None) -> RepairedMarkup:
    """Decode a page and repair its markup if that is safe; no content raises an error.

    *Repair, then scan strictly*, unless the engine knows that the repair changes nothing. Lexbor
    parses any markup into the tree that a browser builds. Its output has every tag closed, and
    every ``<`` and ``>`` in text and attributes escaped.

    Its time grows with the square of the depth of a page, and of the attributes of one element
    (measured: 100,000 open ``div`` take 68 s, 25,000 attributes 3 s; those of all ``html`` and of
    all ``body`` become those of one). Pages beyond the limits above are therefore scanned without
    repair, which gives the same result for a well-formed page.
    """
    engine = get(engine_name)
    utf8 = _as_utf8(data, content_type, engine)
    is_page = is_html_page(utf8[:MAX_PROLOG])
    well_formed = engine.well_formed_page(utf8)
    if well_formed is not None:
        return RepairedMarkup(well_formed, is_page)
    if _is_safe_for_lexbor(utf8):
        from selectolax.lexbor import LexborHTMLParser, SelectolaxError

        try:
            # With scripting, `noscript` is text: an image in one does not end the head.
            repaired = LexborHTMLParser(utf8, scripting=True, options=1).html
        except SelectolaxError:
            repaired = None
        if repaired is not None:
            return RepairedMarkup(repaired, is_page)
    return RepairedMarkup(utf8.decode(errors="replace"), is_page)


def _as_utf8(data: bytes, content_type: str | None, engine: Engine) -> bytes:
    is_utf8 = engine.is_utf8
    if b"\0" not in data and is_utf8(data):
        return data.removeprefix(BOM)
    if b"\0" in data[:MAX_PROLOG] or utf16_codec(data):
        return decode(data, None, is_utf8).text
    charset = charset_of(content_type)
    if charset is None and (found := _CHARSET.search(data[:_PRESCAN])):
        charset = found[1].decode()
    # Note: bytes that are invalid in the declared charset become U+FFFD, as in browsers.
    return data.decode(codec_of(charset) or "utf-8", "replace").encode(errors="replace")


def _is_safe_for_lexbor(data: bytes) -> bool:
    """Return whether a page is simple enough for the parser Lexbor: depth, attributes, formatting.

    Note: this must hold for hostile bytes. It therefore counts what cannot be hidden: every ``<``,
    the distance from one ``>`` to the next, and the attribute values that may contain a ``>``.
    """
    tags = data.count(b"<")
    if tags > MAX_TAGS:
        return False
    if len(data) > MAX_GAP:
        end = 0
        while end + MAX_GAP < len(data):
            if (end := data.rfind(b">", end, end + MAX_GAP) + 1) == 0:
                return False
        if len(_SPLIT_VALUE.findall(data)) > MAX_SPLIT:
            return False
    if len(_MERGED.findall(data)) > MAX_MERGED:
        return False
    return tags < 2 * MAX_FORMATS or len(_FORMAT.findall(data)) <= MAX_FORMATS


MAX_BYTES = 8 * 1_048_576
"""Bytes of a page that are read; the worst page of that size took 3 s and 490 MB."""

_OPEN_TAG = re.compile(rb"</?[A-Za-z][^<>]*+\Z")


def beginning(data: bytes) -> bytes:
    """Return the first :data:`MAX_BYTES` of a page, without the tag in which they end.

    >>> beginning(b"<p>Tea") == b"<p>Tea"
    True
    """
    if len(data) <= MAX_BYTES:
        return data
    data = data[:MAX_BYTES]
    end = data.rfind(b"<")
    return data[:end] if end >= 0 and _OPEN_TAG.match(data, end) else data


FACTS_VERSION = 2
"""Version of the rules by which pages are read; raise it when the facts of a page change."""

WANTS = ("alternates", "fingerprint", "images", "lastmod", "news", "text", "videos")
"""Facts that are optional; title, canonical, robots and refresh are always read. ``links`` is
another one, which is only read if it is named: links, and every canonical and alternate with its
place."""


class PageFacts(NamedTuple):
    """Facts of a page. URLs are absolute; facts that were not requested are empty.

    Attributes:
        is_page: Whether there is any of ``html``, ``head``, ``title`` and ``body``: the document is
            a page, not a fragment.
        says_not_found: Whether title and first heading say that the page does not exist, and it is
            short.
        canonical: The canonical URL; None if the head has none, or several.
        robots: Directives for robots, in lower case.
        refresh: The URL to which the page redirects its readers.
        lastmod: The date of modification, as W3C text with its zone.
        lastmod_from: Where on the page ``lastmod`` was found.
        fingerprint: 32 hexadecimal digits that change with the main content, and with nothing else.
        text: The main content, line by line.
        has_future_date: Whether a date was ignored because it is in the future, so that ``lastmod``
            may change without a change of the page.
        canonicals: All canonical URLs, each with its place (with ``links``).
        agent_robots: Directives for robots by agent, as ``bingbot: noindex`` if not for all of
            them (with ``links``).
        robots_from: ``meta``, ``header`` or ``meta+header`` (with ``links``).
        placed_alternates: Alternates of the head and of the ``Link`` header (with ``links``).
        pagination: ``next`` and ``prev`` with their URLs (with ``links``).
        base: Base URL of the links (with ``links``).
        anchors: The links of the page, as written (with ``links``).
        has_scripts: Whether it has scripts, which may add links (with ``links``).
    """

    title: str | None = None
    description: str | None = None
    language: str | None = None
    is_page: bool = False
    canonical: str | None = None
    robots: tuple[str, ...] = ()
    refresh: str | None = None
    alternates: tuple[Alternate, ...] = ()
    images: tuple[Image, ...] = ()
    videos: tuple[Video, ...] = ()
    news: News | None = None
    lastmod: str | None = None
    lastmod_from: str | None = None
    fingerprint: str | None = None
    text: str = ""
    has_future_date: bool = False
    canonicals: tuple[Canonical, ...] = ()
    agent_robots: tuple[str, ...] = ()
    robots_from: str | None = None
    placed_alternates: tuple[PlacedAlternate, ...] = ()
    pagination: tuple[tuple[str, str], ...] = ()
    base: str = ""
    anchors: tuple[PageAnchor, ...] = ()
    has_scripts: bool = False
    says_not_found: bool = False


def read_page(
    data: bytes,
    url: str,
    content_type: str | None = None,
    *,
    wants: Collection[str] = WANTS,
    robots_header: str | None = None,
    link_header: str | None = None,
    now: datetime | None = None,
    engine: str | None = None,
) -> PageFacts:
    """Read an HTML page; no content raises an error.

    Args:
        data: The page; only its first :data:`MAX_BYTES` are read.
        url: The URL at which it is, or will be, served.
        content_type: The ``Content-Type`` header of HTTP.
        wants: Any of :data:`WANTS`, and ``links``; fewer are faster.
        robots_header: The ``X-Robots-Tag`` header of HTTP.
        link_header: The ``Link`` header of HTTP, for ``links``.
        now: The time after which a date is in the future; by default the current time.
        engine: Name of the engine; by default the best that is installed.

    >>> page = b'<title>Tea</title><link rel=canonical href="/tea"><p>Of many kinds.'
    >>> facts = read_page(page, "https://example.com/tea.html")
    >>> facts.title, facts.canonical
    ('Tea', 'https://example.com/tea')
    """
    markup = repair(beginning(data), content_type, engine)
    found = get(engine).scan_page(markup.text)
    base = base_url_of(found, url)
    meta = meta_of(found)
    description = meta.get("description") or meta.get("og:description")
    has_fingerprint = "fingerprint" in wants
    facts = _head_facts(
        found,
        meta,
        base,
        wants,
        robots_header,
        now,
        description=description,
        is_page=markup.is_page,
        fingerprint=fingerprint_of(found, description, origin_of(url)) if has_fingerprint else None,
        text=found.lines() if "text" in wants else "",
        says_not_found=says_not_found(found.title, data) and len(found.lines()) <= MAX_ERROR_TEXT,
    )
    if "links" not in wants:
        return facts
    agent_robots, robots_from = directives_by_agent(found, robots_header)
    return facts._replace(
        canonicals=canonicals_of(found, base, url, link_header),
        agent_robots=agent_robots,
        robots_from=robots_from,
        placed_alternates=placed_alternates_of(found, base, url, link_header),
        pagination=pagination_of(found, base),
        base=base,
        anchors=tuple(found.anchors()),
        has_scripts=found.has_scripts(),
    )


def _head_facts(
    found: ScannedPage | FilePage,
    meta: dict[str, str],
    base: str,
    wants: Collection[str],
    robots_header: str | None,
    now: datetime | None,
    **others: Any,
) -> PageFacts:
    """Return the facts that are read from elements and JSON-LD, and others."""
    nodes = read_json_ld(found.data) if {"images", "lastmod", "news", "videos"} & {*wants} else []
    dates = dates_of(found, meta, nodes, now) if "lastmod" in wants else None
    date = dates.lastmod if dates else None
    return PageFacts(
        title=found.title,
        language=found.language,
        canonical=canonical_of(found, base),
        robots=directives_of(found, robots_header),
        refresh=refresh_of(found, base),
        alternates=alternates_of(found, base) if "alternates" in wants else (),
        lastmod=date.text if date else None,
        lastmod_from=date.origin if date else None,
        has_future_date=dates is not None and dates.has_future_date,
        images=images_of(found, meta, nodes, base) if "images" in wants else (),
        videos=videos_of(found, meta, nodes, base) if "videos" in wants else (),
        news=news_of(found, nodes) if "news" in wants else None,
        **others,
    )


def scan_files(
    paths: Sequence[str], origin: str, *, wants: Collection[str], engine: str | None = None
) -> Iterable[FilePage | OrdinaryPage | None]:
    """Read and scan the pages of files, for :func:`facts_of_file`; without the GIL if possible.

    A page that needs :func:`read_page`, or cannot be read, is None. ``wants`` are without ``text``
    and ``links``; ``origin`` is that of the URLs of all pages, as :func:`origin_of` returns it;
    ``engine`` is as for :func:`read_page`.
    """
    names = None if {"images", "news", "videos"} & {*wants} else META_NAMES
    return get(engine).scan_files(paths, MAX_BYTES, origin, names, ERROR_WORDS)


def facts_of_file(
    page: FilePage | OrdinaryPage, url: str, *, wants: Collection[str]
) -> PageFacts | None:
    """Return the facts of a page that :func:`scan_files` returned; None if it needs its bytes.

    Title, description and language of an ordinary page are not returned.
    """
    fingerprint = page.fingerprint if "fingerprint" in wants else None
    if isinstance(page, OrdinaryPage):
        refresh = None if page.refresh is None else refresh_target(page.refresh, url)
        return PageFacts(is_page=True, refresh=refresh, fingerprint=fingerprint)
    if title_says_not_found(page.title):
        return None
    return _head_facts(
        page,
        meta_of(page),
        base_url_of(page, url),
        wants,
        None,
        None,
        description=page.description,
        is_page=True,
        fingerprint=fingerprint,
    )


def origin_of(url: str) -> str:
    """Return scheme and authority of a URL.

    >>> origin_of("https://example.com/tea")
    'https://example.com'
    """
    return "://".join(split_origin(url)[:2])


# Note: a change of what is hashed changes the fingerprint of every page: raise the number.
_PERSON = b"urlset-page-1"


def fingerprint_of(found: ScannedPage, description: str | None, origin: str) -> str:
    """Return 128 bits of blake2b, in hexadecimal, of title, description and main content.

    Included are its words in their order, the alternative texts of images, and the targets of
    links and images. Ignored are white space, elements, classes, scripts and styles, lines that are
    a build stamp or a view counter, hashes in names of assets, cache busters, nonces, session ids,
    the words of a ``time`` that has a ``datetime`` (its value is included instead), and a ``time``
    that states when the page was modified.
    """
    parts = (found.title or "", " ".join((description or "").split()), found.words(origin))
    data = "\n".join(parts).encode(errors="replace")
    return blake2b(data, digest_size=16, person=_PERSON).hexdigest()


_encode_json = json.JSONEncoder(ensure_ascii=False).encode
_encode_text = json.encoder.encode_basestring
_FLAGS = {False: "false", True: "true"}


def facts_to_text(facts: PageFacts) -> str | None:
    """Return facts as text for a cache; None for pages with videos, news or dates in the future."""
    if facts.videos or facts.news or facts.has_future_date:
        return None
    if not (facts.robots or facts.images or facts.alternates):  # most pages: an encoder is slower
        return (
            f"[{_FLAGS[facts.is_page]}, {_text(facts.canonical)}, [], {_text(facts.refresh)}, "
            f"{_text(facts.lastmod)}, {_text(facts.fingerprint)}, [], [], "
            f"{_FLAGS[facts.says_not_found]}]"
        )
    return _encode_json(
        [
            facts.is_page, facts.canonical, facts.robots, facts.refresh, facts.lastmod,
            facts.fingerprint, facts.images, facts.alternates, facts.says_not_found,
        ],
    )  # fmt: skip


def _text(value: str | None) -> str:
    return "null" if value is None else _encode_text(value)


def facts_from_text(text: str) -> PageFacts | None:
    """Return the facts in a text of :func:`facts_to_text`; None if it is invalid.

    >>> facts = PageFacts(is_page=True, robots=("nofollow",), images=(Image("https://a.example/"),))
    >>> facts_from_text(facts_to_text(facts)) == facts
    True
    """
    try:
        found = json.loads(text)
        is_page, canonical, robots, refresh, lastmod, fingerprint, images, alternates = found[:8]
        (says_not_found,) = found[8:]
        return PageFacts(
            is_page=bool(is_page),
            canonical=canonical,
            robots=tuple(robots),
            refresh=refresh,
            lastmod=lastmod,
            fingerprint=fingerprint,
            images=tuple(Image(*image) for image in images),
            alternates=tuple(Alternate(*alternate) for alternate in alternates),
            says_not_found=bool(says_not_found),
        )
    except (ValueError, TypeError, RecursionError):
        return None
