"""Read RSS 2.0, RSS 1.0 and Atom: the link of an item as loc, its date as lastmod."""

from __future__ import annotations

import re
from datetime import datetime

from urlset.dates import is_atom_date, is_rss_date, parse_date
from urlset.engine.reference.context import Context, ascii_lower
from urlset.engine.reference.tree import Node
from urlset.model import Entry
from urlset.protocol import MAX_LOC
from urlset.urls import SPACE, resolve

# RFC 4287 section 4.2.7.2: a registered name means the same as its URL at IANA.
_ALTERNATE = ("alternate", "http://www.iana.org/assignments/relation/alternate")
_HTTP = re.compile(r"https?://", re.IGNORECASE | re.ASCII)
# In order of preference. Dublin Core dates are W3C dates.
_DATES = ("updated", "modified", "pubdate", "date", "published", "issued")
_ATOM_03 = "http://purl.org/atom/ns#"


def check_version(context: Context, node: Node) -> None:
    """Report a feed format that search engines do not list as accepted (F001)."""
    version = node.values.get(b"version") or ""
    if node.name.key == "rdf":
        context.report("F001", node.start, node.tag_end, "RSS 1.0")
    elif node.name.key == "rss" and version.startswith("0.9"):
        context.report("F001", node.start, node.tag_end, f"RSS {version}")
    elif node.name.key == "feed" and (node.name.uri == _ATOM_03 or version == "0.3"):
        context.report("F001", node.start, node.tag_end, "Atom 0.3")


def base_of(stack: list[Node]) -> str | None:
    """Return the ``xml:base`` of the elements around an item, resolved from the outermost one."""
    base: str | None = None
    for node in stack:
        base = _joined(node.values.get(b"xml:base"), base)
    return base


def finish_item(context: Context, node: Node, base: str | None) -> None:
    """Add the entry of an ``item`` or an Atom ``entry``; ``base`` is the xml:base around it."""
    link = _link(node)
    if link is None:
        context.report("F002", node.start, node.tag_end)
        return
    text, place = link
    inner = (node.values.get(b"xml:base"), place.values.get(b"xml:base"))
    stated = base
    base = _joined(base, context.base)
    for reference in inner:
        stated, base = _joined(reference, stated), _joined(reference, base)
    url = context.url(text, place.start, place.end, base, is_stated=stated is not None)
    lastmod, lastmod_text = _date(context, node)
    if url is not None:
        context.entries.append(
            Entry(
                url,
                lastmod,
                lastmod_text,
                source=context.source,
                offset=context.source_offset(node.start),
                line=context.line(node.start),
            )
        )


def _joined(reference: str | None, base: str | None) -> str | None:
    """Resolve an ``xml:base`` against that of the enclosing elements.

    One of MAX_LOC characters or more is ignored: otherwise each of many links would become as
    long as their common base.
    """
    if reference is None or len(reference) >= MAX_LOC:
        return base
    reference = reference.strip(SPACE)
    if _HTTP.match(reference):
        return reference
    if base is None or not _HTTP.match(base):
        return base
    joined = resolve(reference, base)
    return joined if len(joined) < MAX_LOC else base


def _link(node: Node) -> tuple[str, Node] | None:
    """Return the link of a feed item and its element, or None: the first one that fits.

    In RSS the text, in Atom the ``href`` without ``rel`` or of an alternate. The fallback is a
    ``guid``, unless it has ``isPermaLink="false"``.
    """
    for child in node.children():
        if child.name.key != "link":
            continue
        href = child.values.get(b"href")
        if href is not None:
            rel = child.values.get(b"rel")
            is_alternate = rel is None or ascii_lower(rel.strip(SPACE)) in _ALTERNATE
            if is_alternate and href.strip(SPACE):
                return href, child
            continue
        text = child.content()
        if text is not None and text.strip(SPACE):
            return text, child
    for child in node.children():
        if child.name.key == "guid" and _is_permalink(child):
            return child.content() or "", child
    return None


def _is_permalink(guid: Node) -> bool:
    flag = guid.values.get(b"isPermaLink")
    text = guid.content()
    if flag is not None and ascii_lower(flag.strip(SPACE)) == "false":
        return False
    return text is not None and _HTTP.match(text.strip(SPACE)) is not None


def _date(context: Context, node: Node) -> tuple[datetime | None, str | None]:
    by_name: dict[str, Node] = {}
    for child in node.children():
        by_name.setdefault(child.name.key, child)
    for name in _DATES:
        place = by_name.get(name)
        text = (place.content() or "").strip(SPACE) if place is not None else ""
        if place is None or not text:
            continue
        if not _is_feed_date(name, text):
            context.report("F003", place.tag_end, place.end, text)
        return parse_date(text).instant, text
    return None, None


def _is_feed_date(name: str, text: str) -> bool:
    date = parse_date(text)
    if date.instant is None:
        return False
    if name == "pubdate":
        return is_rss_date(text)
    return date.code is None if name == "date" else is_atom_date(text)
