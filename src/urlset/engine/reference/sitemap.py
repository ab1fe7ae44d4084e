"""What one ``url`` or ``sitemap`` element says: its loc, its metadata, what is wrong with them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from urlset.dates import parse_date
from urlset.engine.reference import extensions
from urlset.engine.reference.context import Context, ascii_lower
from urlset.engine.reference.names import Role
from urlset.engine.reference.nodes import Node
from urlset.engine.reference.values import is_doubly_escaped
from urlset.model import Entry, Sitemap
from urlset.protocol import CHANGEFREQS, MAX_IMAGES, Ns
from urlset.urls import SPACE, split_urls

__all__ = ["finish_element", "read_lastmod"]

_PRIORITY = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)")
_HTTP = re.compile(r"https?://", re.IGNORECASE | re.ASCII)


def finish_element(context: Context, node: Node, root: str) -> None:
    """Make entries, or a child of an index, of an element that is complete.

    ``root`` is the name of the root around it: ``urlset``, ``sitemapindex`` or another.
    """
    if node.name.key == "loc":
        context.mark("S016", node.start, node.tag_end)
        _add_urls(context, [node], {}, node)
        return
    is_child = node.name.key == "sitemap"
    if root == ("urlset" if is_child else "sitemapindex"):
        context.mark("S014", node.start, node.tag_end, node.name.key)
    _check_attributes(context, node)
    children = list(_children(context, node))
    locs = [child for child in children if child.name.key == "loc" and _is_core(child)]
    firsts = _first_values(context, children)
    if is_child:
        _add_sitemap(context, node, locs, firsts, children)
    else:
        _add_urls(context, locs or [node], _metadata(context, node, firsts, children), node)


def read_lastmod(context: Context, node: Node) -> tuple[datetime | None, str | None]:
    """Read a date of the sitemap formats and note what is wrong with it (D001 to D004)."""
    text = _value(context, node)
    if not text:
        return None, None
    date = parse_date(text)
    if date.code is not None:
        context.mark(date.code, node.tag_end, node.end, text)
    return date.instant, text


def _children(context: Context, node: Node) -> Iterator[Node]:
    """The children, those of unknown elements among them, since a loc may hide there."""
    for child in node.children():
        if child.name.role is Role.UNKNOWN:
            context.mark_once("S010", child.name.raw, child.start, child.tag_end, child.name.key)
            yield from _children(context, child)
        else:
            yield child


def _is_core(node: Node) -> bool:
    return node.name.ns is Ns.CORE


def _first_values(context: Context, children: list[Node]) -> dict[str, Node]:
    """The first lastmod, changefreq and priority; more of them are noted, and so are empty ones."""
    firsts: dict[str, Node] = {}
    for child in children:
        if child.name.role is not Role.VALUE:
            continue
        if child.attributes:
            _check_attributes(context, child)
        if any(isinstance(item, Node) for item in child.items):
            context.mark("S017", child.start, child.tag_end, child.name.key)
        if child.name.key == "loc":
            continue
        if child.name.key in firsts:
            context.mark("S008", child.start, child.tag_end, child.name.key)
        else:
            firsts[child.name.key] = child
            if child.content() is not None and not _trimmed(child):
                context.mark("S009", child.start, child.tag_end, child.name.key)
    return firsts


def _metadata(
    context: Context, node: Node, firsts: dict[str, Node], children: list[Node]
) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if "lastmod" in firsts:
        found["lastmod"], found["lastmod_text"] = read_lastmod(context, firsts["lastmod"])
    if "changefreq" in firsts:
        found["changefreq"] = _changefreq(context, firsts["changefreq"])
    if "priority" in firsts:
        found["priority"] = _priority(context, firsts["priority"])
    found |= extensions.read(context, children)
    context.news_count += "news" in found
    images = found.get("images")
    if isinstance(images, tuple) and len(images) > MAX_IMAGES:
        context.mark("L006", node.start, node.tag_end, str(len(images)))
    return found


def _changefreq(context: Context, node: Node) -> str | None:
    text = node.content()
    if text is None or not _trimmed(node):
        return None
    word = ascii_lower(text.strip(SPACE))
    if text not in CHANGEFREQS:
        context.mark("S019", node.tag_end, node.end, text)
    return word if word in CHANGEFREQS else None


def _priority(context: Context, node: Node) -> float | None:
    text = _value(context, node)
    if not text:
        return None
    if _PRIORITY.fullmatch(text) and 0.0 <= float(text) <= 1.0:
        return abs(float(text))
    context.mark("S020", node.tag_end, node.end, text)
    return None


def _add_urls(context: Context, locs: list[Node], metadata: dict[str, Any], node: Node) -> None:
    """Add the entries of one ``url``: the first loc has the metadata, others stand alone.

    ``locs`` is the entry itself where it has no loc: its own text may be the URL.
    """
    texts = list(_urls(context, locs))
    if not texts:
        context.mark("S007", node.start, node.tag_end, node.name.key)
    for number, (text, offset, end, start) in enumerate(texts):
        url = context.url(text, offset, end)
        if number:
            context.mark("S008", offset, end, "loc")
        if url is None:
            continue
        place = node.start if number == 0 else start
        entry = Entry(
            url,
            source=context.source,
            offset=context.source_offset(place),
            line=context.line(place),
        )
        context.entries.append(entry._replace(**metadata) if number == 0 else entry)


def _urls(context: Context, locs: list[Node]) -> Iterator[tuple[str, int, int, int]]:
    """Each URL text with its span and the start of its element; blank ones are left out."""
    for loc in locs:
        is_entry = loc.name.role is Role.ENTRY
        text = _own_text(loc) if is_entry else loc.content()
        if text is None or not text.strip(SPACE):
            continue
        if is_entry and not _HTTP.match(text.strip(SPACE)):
            continue
        if is_doubly_escaped(text):
            context.mark("X022", loc.tag_end, loc.end, text)
        parts = split_urls(text)
        if len(parts) > 1:
            context.mark("U006", loc.tag_end, loc.end, text)
        for part in parts:
            yield part, loc.tag_end, loc.end, loc.start


def _own_text(node: Node) -> str | None:
    pieces: list[str] = []
    for item in node.items:
        if item is None:
            return None
        if isinstance(item, str):
            pieces.append(item)
    return "".join(pieces)


def _add_sitemap(
    context: Context,
    node: Node,
    locs: list[Node],
    firsts: dict[str, Node],
    children: list[Node],
) -> None:
    for child in children:
        key = child.name.key
        if not (_is_core(child) and key in ("loc", "lastmod")):
            context.mark("S022", child.start, child.tag_end, key)
    lastmod = read_lastmod(context, firsts["lastmod"]) if "lastmod" in firsts else (None, None)
    texts = list(_urls(context, locs or [node]))
    if not texts:
        context.mark("S007", node.start, node.tag_end, node.name.key)
    for number, (text, offset, end, start) in enumerate(texts):
        url = context.url(text, offset, end)
        if number:
            context.mark("S008", offset, end, "loc")
        if url is None:
            continue
        place = node.start if number == 0 else start
        context.sitemaps.append(
            Sitemap(
                url,
                *(lastmod if number == 0 else (None, None)),
                source=context.source,
                offset=context.source_offset(place),
                line=context.line(place),
            )
        )


def _check_attributes(context: Context, node: Node) -> None:
    for attribute in node.attributes:
        name = attribute.name.decode()
        if name != "xmlns" and not name.startswith(("xmlns:", "xml:", "xsi:")):
            context.mark_once(
                "S012",
                (node.name.raw, attribute.name),
                attribute.start,
                attribute.end,
                f"{name} on <{node.name.key}>",
            )


def _trimmed(node: Node) -> str:
    return (node.content() or "").strip(SPACE)


def _value(context: Context, node: Node) -> str:
    """The trimmed text of a value, which is noted when it is escaped twice."""
    text = _trimmed(node)
    if is_doubly_escaped(text):
        context.mark("X022", node.tag_end, node.end, text)
    return text
