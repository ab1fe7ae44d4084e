"""Find the links of a page to other pages, and the links in its ``Link`` header (RFC 8288)."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import NamedTuple

__all__ = ["HeaderLink", "PageAnchor", "anchors_in", "header_links"]

MAX_ANCHORS = 10_000
"""Links of a page that are recorded; Google's old advice was a few thousand."""

# Repaired markup has neither `<` nor `>` in an attribute. Raw text may contain anything.
_ANCHOR = re.compile(
    r"<!--.*?(?:-->|\Z)|<(script|style|template|noscript|textarea|xmp|iframe)\b.*?(?:</\1|\Z)"
    r"|<(?:a|area)\s([^<>]*+)>",
    re.IGNORECASE | re.DOTALL,
)
_HREF = re.compile(r"""(?:^|\s)href\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""", re.IGNORECASE)
_REL = re.compile(r"""(?:^|\s)rel\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""", re.IGNORECASE)
_HEADER_LINK = re.compile(r"<([^<>]*)>([^<]*)")
_PARAMETER = re.compile(r""";\s*([\w*-]+)\s*(?:=\s*(?:"([^"]*)"|([^\s;,"]+)))?""")
MAX_HEADER = 65_536


class PageAnchor(NamedTuple):
    """A link (``a`` or ``area``): its ``href`` as written, and its ``rel`` in lower case."""

    href: str
    rel: str


class HeaderLink(NamedTuple):
    """A link of a ``Link`` header: target as written, relations, and language."""

    target: str
    relations: tuple[str, ...]
    hreflang: str


def anchors_in(markup: str) -> Iterator[PageAnchor]:
    """Yield the links of repaired markup, in document order.

    >>> list(anchors_in('<a rel="NoFollow" href="/a?b&amp;c">x</a><!-- <a href=/d> -->'))
    [PageAnchor(href='/a?b&c', rel='nofollow')]
    """
    count = 0
    for found in _ANCHOR.finditer(markup):
        text = found[2]
        if text is None or (target := _HREF.search(text)) is None:
            continue
        href = target[1] or target[2] or target[3] or ""
        rel = _REL.search(text) if "rel" in text or "REL" in text or "Rel" in text else None
        words = (rel[1] or rel[2] or rel[3] or "").lower() if rel else ""
        yield PageAnchor(html.unescape(href) if "&" in href else href, words)
        count += 1
        if count == MAX_ANCHORS:
            return


def header_links(value: str | None) -> Iterator[HeaderLink]:
    """Yield the links of a ``Link`` header.

    >>> next(header_links('</a>; rel="Canonical"'))
    HeaderLink(target='/a', relations=('canonical',), hreflang='')
    """
    for link in _HEADER_LINK.finditer((value or "")[:MAX_HEADER]):
        values = {p[1].lower(): p[2] or p[3] or "" for p in _PARAMETER.finditer(link[2])}
        relations = tuple(values.get("rel", "").lower().split())
        yield HeaderLink(link[1].strip(), relations, values.get("hreflang", "").strip())
