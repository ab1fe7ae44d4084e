"""Convert ``url`` and ``sitemap`` elements to entries; report problems of loc and metadata."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from urlset.dates import parse_date
from urlset.engine.reference import extensions
from urlset.engine.reference.context import Context, ascii_lower
from urlset.engine.reference.names import Role
from urlset.engine.reference.spans import is_well_nested
from urlset.engine.reference.tree import Node
from urlset.engine.reference.values import is_doubly_escaped
from urlset.model import Entry, Sitemap
from urlset.protocol import CHANGEFREQS, MAX_IMAGES, MAX_VALUE
from urlset.urls import SPACE, has_space, split_urls

Value = tuple[Node, str]
"""Element and its text."""

_PRIORITY = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)")
_HTTP = re.compile(r"https?://", re.IGNORECASE | re.ASCII)


def finish_element(context: Context, node: Node, root: str) -> None:
    """Convert a complete ``url`` or ``sitemap`` element to entries or an index child.

    ``root`` is the name of the root around it: ``urlset``, ``sitemapindex`` or another.
    """
    if node.name.key == "loc":
        context.report("S016", node.start, node.tag_end)
        _add_entries(context, node, [node], {})
        return
    is_child = node.name.key == "sitemap"
    if root == ("urlset" if is_child else "sitemapindex"):
        context.report("S014", node.start, node.tag_end, node.name.key)
    check_attributes(context, node)
    children = list(_children(context, node))
    locs, firsts = _values(context, children)
    if is_child:
        _add_sitemaps(context, node, locs, firsts)
        _check_child(context, children)
    else:
        _add_entries(context, node, locs, _metadata(context, node, firsts, children))


def _children(context: Context, node: Node) -> Iterator[Node]:
    """Yield the children; also those of an unknown element that has no end tag of its own.

    Those are inside it only because its end tag is missing.
    """
    for child in node.children():
        if child.name.role is not Role.UNKNOWN:
            yield child
            continue
        context.report_once("S010", child.name.raw, child.start, child.tag_end, child.name.key)
        has_children = next(child.children(), None) is not None
        if has_children and not is_well_nested(context, child.start):
            yield from _children(context, child)


def _values(context: Context, children: list[Node]) -> tuple[list[Node], dict[str, Value]]:
    """Return the locs and the first lastmod, changefreq and priority; report repeated ones."""
    locs: list[Node] = []
    firsts: dict[str, Value] = {}
    for child in children:
        if child.name.role is not Role.VALUE:
            continue
        key = child.name.key
        if child.attributes:
            check_attributes(context, child)
        text = child.content()
        if any(isinstance(item, Node) for item in child.items):
            context.report("S017", child.start, child.tag_end, key)
        if key == "loc":
            locs.append(child)
        elif key in firsts:
            context.report("S008", child.start, child.tag_end, key)
        else:
            firsts[key] = child, text or ""
            if text is not None and not text.strip(SPACE):
                context.report("S009", child.start, child.tag_end, key)
    return locs, firsts


def _metadata(
    context: Context, node: Node, firsts: dict[str, Value], children: list[Node]
) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if "lastmod" in firsts:
        found["lastmod"], found["lastmod_text"] = _lastmod(context, firsts["lastmod"])
    if "changefreq" in firsts:
        found["changefreq"] = _changefreq(context, firsts["changefreq"])
    if "priority" in firsts:
        found["priority"] = _priority(context, firsts["priority"])
    others = [child for child in children if child.name.role is not Role.VALUE]
    if others:
        found |= extensions.read(context, others)
        context.news_count += "news" in found
        images = len(found.get("images", ()))
        if images > MAX_IMAGES:
            context.report("L006", node.start, node.tag_end, str(images))
    return found


def _lastmod(context: Context, value: Value) -> tuple[datetime | None, str | None]:
    """Parse the lastmod of an entry; return instant and text; report problems (D001 to D004)."""
    text = _trimmed(context, value)
    if not text:
        return None, None
    date = parse_date(text)
    if date.code is not None:
        node = value[0]
        context.report(date.code, node.tag_end, node.end, text)
    return date.instant, text


def _changefreq(context: Context, value: Value) -> str | None:
    node, text = value
    if text in CHANGEFREQS:
        return text
    word = ascii_lower(text.strip(SPACE))
    if word:
        context.report("S019", node.tag_end, node.end, text)
    return word if word in CHANGEFREQS else None


def _priority(context: Context, value: Value) -> float | None:
    text = _trimmed(context, value)
    if not text:
        return None
    number = read_priority(text)
    if number is None:
        context.report("S020", value[0].tag_end, value[0].end, text)
    return number


def read_priority(text: str) -> float | None:
    """Return a number from 0.0 to 1.0; None if the text is not one."""
    if _PRIORITY.fullmatch(text) and 0.0 <= float(text) <= 1.0:
        return abs(float(text))
    return None


def _trimmed(context: Context, value: Value) -> str:
    """Return the text of a value without surrounding white space; report double escapes."""
    node, text = value
    text = text.strip(SPACE)
    if is_doubly_escaped(text):
        context.report("X022", node.tag_end, node.end, text)
    return text


def _add_entries(context: Context, node: Node, locs: list[Node], metadata: dict[str, Any]) -> None:
    for url, is_first, offset, line in _urls(context, node, locs):
        values = metadata if is_first else {}
        context.entries.append(
            Entry(url, source=context.source, offset=offset, line=line, **values)
        )


def _add_sitemaps(context: Context, node: Node, locs: list[Node], firsts: dict[str, Value]) -> None:
    lastmod = _lastmod(context, firsts["lastmod"]) if "lastmod" in firsts else (None, None)
    for url, is_first, offset, line in _urls(context, node, locs):
        values = lastmod if is_first else (None, None)
        context.sitemaps.append(Sitemap(url, *values, context.source, offset, line))


def _check_child(context: Context, children: list[Node]) -> None:
    """Report elements that have no meaning in an index."""
    for child in children:
        key = child.name.key
        if child.name.role is not Role.VALUE or key not in ("loc", "lastmod"):
            context.report("S022", child.start, child.tag_end, key)


def _urls(context: Context, node: Node, locs: list[Node]) -> Iterator[tuple[str, bool, int, int]]:
    """Yield each URL of an entry, whether it is the first, its offset and line.

    The metadata belong to the first loc. Without a loc, the text of the entry may be the URL.
    """
    number = 0
    for order, loc in enumerate(locs or [node]):
        texts = _url_texts(context, loc)
        number += texts is None
        for text in texts or ():
            url = context.url(text, loc.tag_end, loc.end)
            if order or number:
                context.report("S008", loc.tag_end, loc.end, "loc")
            if url is not None:
                place = loc.start if number else node.start
                yield url, number == 0, context.source_offset(place), context.line(place)
            number += 1
    if number == 0:
        context.report("S007", node.start, node.tag_end, node.name.key)


def _url_texts(context: Context, loc: Node) -> list[str] | None:
    """Return the texts of a loc or an entry that may be URLs, usually one; None if uncertain."""
    is_entry = loc.name.role is Role.ENTRY
    text = _own_text(loc) if is_entry else loc.content()
    if text is None:
        if not is_entry and loc.is_certain():
            context.report("U003", loc.tag_end, loc.end, f"more than {MAX_VALUE:,}")
        return [] if is_entry else None
    if not text.strip(SPACE):
        return []
    if is_entry and not _HTTP.match(text.strip(SPACE)):
        return []
    if is_entry:
        context.escalate("S013", loc.start)
    if is_doubly_escaped(text):
        context.report("X022", loc.tag_end, loc.end, text)
    is_markup = not is_entry and any(isinstance(item, Node) for item in loc.items)
    if is_markup and not _HTTP.match(text.strip(SPACE)):
        context.report("U001", loc.tag_end, loc.end, text)  # the text of a link, not a reference
        return None
    parts = split_urls(text)
    if len(parts) > 1 and not _HTTP.match(parts[0]):
        context.report("U001", loc.tag_end, loc.end, text)
        if any(has_space(part) for part in parts[1:]):
            return None  # text around a URL: its end is ambiguous
        parts = parts[1:]
    if len(parts) > 1:
        context.report("U006", loc.tag_end, loc.end, text)
    return parts


def _own_text(node: Node) -> str | None:
    pieces: list[str] = []
    for item in node.items:
        if item is None:
            return None
        if isinstance(item, str):
            pieces.append(item)
    return "".join(pieces)


def check_attributes(context: Context, node: Node) -> None:
    """Report attributes of an element of the protocol, which has none (S012)."""
    for attribute in node.attributes:
        name = attribute.name.decode()
        if name != "xmlns" and not name.startswith(("xmlns:", "xml:", "xsi:")):
            context.report_once(
                "S012",
                (node.name.raw, attribute.name),
                attribute.start,
                attribute.end,
                f"{name} on <{node.name.key}>",
            )
