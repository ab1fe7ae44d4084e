"""Links of an HTML page to sitemaps and feeds, and those of the ``Link`` header.

The header is that of RFC 8288.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from urlset.engine import get
from urlset.engine.html_page import unescape
from urlset.formats.encoding import charset_of, decode
from urlset.urls import parse_url

MAX_SCAN = 1_048_576
"""Bytes of a page that are scanned: its links are in the head."""

MAX_TAGS = 5_000
"""Elements ``link`` and ``base`` that are read, and tags without an end."""

MAX_TAG = 4_096

# Other tags are matched too: what is in their attributes is no element.
_OPENING = re.compile(
    r"<!--(>|->)?|<(script|style|template|noscript|title|textarea)(?=[\s/>])"
    r"|<(link|base)(?=[\s/>])|<[a-z]",
    re.I | re.A,
)
_RAW_END = {
    name: re.compile(rf"</{name}(?=[\s/>])", re.I | re.A)
    for name in ("script", "style", "template", "noscript", "title", "textarea")
}
_COMMENT_END = re.compile(r"--!?>")
# Possessive quantifiers: a page may be hostile. A quote counts only where a value begins.
_TAG_REST = re.compile(r"""((?>(?:[^>=]++|=\s*+(?:"[^"]*+"|'[^']*+')|=)*))>""")
_ATTRIBUTE = re.compile(r"""([^\s"'>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?""")
_HEADER_LINK = re.compile(r"<([^<>]*)>([^<]*)")
_PARAMETER = re.compile(r""";\s*([\w*-]+)\s*(?:=\s*(?:"([^"]*)"|([^\s;,"]+)))?""")
_FEED = re.compile(r"application/(?:rss|atom|rdf)\+xml", re.I)


class PageLink(NamedTuple):
    """A link of a page to a sitemap or a feed."""

    url: str
    role: Literal["sitemap", "feed"]


def sitemaps_and_feeds_in_header(value: str | None, base: str) -> list[PageLink]:
    """Return the sitemaps and feeds in a ``Link`` header (RFC 8288).

    >>> sitemaps_and_feeds_in_header('</s.xml>; rel="sitemap"', "https://example.com/")
    [PageLink(url='https://example.com/s.xml', role='sitemap')]
    """
    found = []
    for link in _HEADER_LINK.finditer((value or "")[:65_536]):
        attributes = _parameters(link[2])
        found.append(_link(attributes.get("rel", ""), attributes.get("type", ""), link[1], base))
    return _once(found)


def sitemaps_and_feeds_in_page(
    data: bytes, url: str, content_type: str | None = None
) -> list[PageLink]:
    """Return the sitemaps and feeds in the ``link`` elements of a page; no content raises.

    >>> sitemaps_and_feeds_in_page(b"<LINK href=/s.xml rel=sitemap>", "https://example.com/a/")
    [PageLink(url='https://example.com/s.xml', role='sitemap')]
    """
    decoded = decode(data[:MAX_SCAN], charset_of(content_type), get(None).is_utf8)
    base = url
    found: list[PageLink | None] = []
    for name, attributes in _tags(decoded.text.decode(errors="replace")):
        href = attributes.get("href", "")
        if name == "base" and href and base is url:
            base = parse_url(href, url).url or url
        elif name == "link":
            found.append(_link(attributes.get("rel", ""), attributes.get("type", ""), href, base))
    return _once(found)


def _tags(text: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the ``link`` and ``base`` elements outside of comments and scripts."""
    position = count = 0
    unclosed: set[str] = set()
    while count < MAX_TAGS and (opening := _OPENING.search(text, position)):
        position = opening.end()
        is_empty_comment, raw, name = opening.groups()
        if is_empty_comment is not None:
            continue
        if opening[0] == "<!--":
            end = _COMMENT_END.search(text, position)
            if end is None:
                return
            position = end.end()
            continue
        rest = _TAG_REST.match(text, position, position + MAX_TAG)
        count += rest is None or name is not None
        if rest is not None:
            position = rest.end()
            if name is not None:
                yield name.lower(), _attributes(rest[1])
        kind = (raw or "").lower()
        is_text = kind in ("title", "textarea")
        if not kind or kind in unclosed or (is_text and rest is not None and rest[1][-1:] == "/"):
            continue  # `<title/>` is one of an image in SVG
        end = _RAW_END[kind].search(text, position)
        if end is not None:
            position = end.end()
        elif is_text:
            unclosed.add(kind)
        else:
            return


def _attributes(text: str) -> dict[str, str]:
    attributes: dict[str, str] = {}
    for found in _ATTRIBUTE.finditer(text):
        value = found[2] or found[3] or found[4] or ""
        attributes.setdefault(found[1].lower(), unescape(value))
    return attributes


def _link(rel: str, kind: str, href: str, base: str) -> PageLink | None:
    words = rel.lower().split()
    url = parse_url(href, base).url if href.strip() else None
    if url is None:
        return None
    if "sitemap" in words:
        return PageLink(url, "sitemap")
    if "alternate" in words and _FEED.match(kind.strip()):
        return PageLink(url, "feed")
    return None


def _once(links: list[PageLink | None]) -> list[PageLink]:
    return list(dict.fromkeys(link for link in links if link is not None))


MAX_HEADER = 65_536


class HeaderLink(NamedTuple):
    """A link of a ``Link`` header: target as written, relations, and language."""

    target: str
    relations: tuple[str, ...]
    hreflang: str


def header_links(value: str | None) -> Iterator[HeaderLink]:
    """Yield the links of a ``Link`` header.

    >>> next(header_links('</a>; rel="Canonical"'))
    HeaderLink(target='/a', relations=('canonical',), hreflang='')
    """
    for link in _HEADER_LINK.finditer((value or "")[:MAX_HEADER]):
        values = _parameters(link[2])
        relations = tuple(values.get("rel", "").lower().split())
        yield HeaderLink(link[1].strip(), relations, values.get("hreflang", "").strip())


def _parameters(text: str) -> dict[str, str]:
    """Return the parameters of a link; the first of each name, as RFC 8288 requires of rel."""
    values: dict[str, str] = {}
    for found in _PARAMETER.finditer(text):
        values.setdefault(found[1].lower(), found[2] or found[3] or "")
    return values
