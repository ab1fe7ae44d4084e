"""Fixes that remove duplicates, and what search engines ignore.

Of duplicates (entries, index children, links, images), the first is kept. What search engines
ignore (rules G and P) is removed only for rules selected by name: other readers may use it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from datetime import UTC, datetime

from urlset.dates import parse_date
from urlset.document import text_offset
from urlset.fixer.edits import Change
from urlset.fixer.fixers.urls import normalize_url
from urlset.fixer.registry import FixContext, entry_removal, excerpt, fixer, line_span, removed_line
from urlset.formats.spans import DocumentSpans, ElementSpan
from urlset.model import Entry, Sitemap
from urlset.protocol import NAMESPACES, Ns

_EARLIEST = datetime.min.replace(tzinfo=UTC)


@fixer("U023", effect="removed", per_document=True)
def remove_duplicates(context: FixContext) -> Iterator[Change]:
    """Remove entries that are equal to an earlier one."""
    seen: set[tuple[object, ...]] = set()
    for entry in context.document.parsed.entries:
        values = entry[:-3]  # without source, offset and line
        if values in seen:
            yield from _removal(context, entry)
        seen.add(values)


@fixer("U024", "I004", effect="removed", per_document=True)
def keep_newest(context: FixContext) -> Iterator[Change]:
    """Keep the entry, or the index child, with the newest date of those with the same URL."""
    groups: dict[str, list[Entry | Sitemap]] = defaultdict(list)
    if context.code == "U024":
        for entry in context.document.parsed.entries:
            groups[entry.loc].append(entry)
    else:
        for child in context.document.parsed.sitemaps:
            groups[normalize_url(child.loc)].append(child)
    for group in groups.values():
        if len(group) < 2:
            continue
        newest = max(group, key=lambda row: row.lastmod or _EARLIEST)
        for row in group:
            if row is not newest:
                yield from _removal(context, row)


def _removal(context: FixContext, entry: Entry | Sitemap) -> Iterator[Change]:
    """Remove an entry, if it is one complete element or one line."""
    start = text_offset(context.document.parsed, entry.offset or 0)
    if context.document.parsed.kind == "text":
        start, end = line_span(context.data, start)
        dropped = excerpt(context.data[start:end])
        yield context.change(removed_line(context.data, start), dropped=dropped)
        return
    element = context.document.spans.starting_at(start)
    if element is not None and element.is_complete and element.local_name != "loc":
        yield context.remove(element)


@fixer("H010")
def remove_duplicate_links(context: FixContext) -> Iterator[Change]:
    """Remove a duplicate link to an alternate."""
    yield from _repeated(context, ("link",), _link_of)


def _link_of(link: ElementSpan) -> object:
    values = tuple(map(link.attribute, ("rel", "hreflang", "href", "media")))
    return values if values[2] else None


@fixer("G004", partly_safe=True)
def remove_duplicate_images(context: FixContext) -> Iterator[Change]:
    """Remove a duplicate image; one with further fields only if unsafe fixes are made."""
    yield from _repeated(context, ("image",), lambda image: _image_of(image, context.is_unsafe))


def _image_of(image: ElementSpan, is_unsafe: bool) -> object:
    loc = image.child("loc")
    if loc is None:
        return None
    others = {child.local_name: child.stripped for child in image.children if child != loc}
    if is_unsafe or not others:
        return loc.stripped
    return loc.stripped, tuple(sorted(others.items()))


def _repeated(
    context: FixContext, names: tuple[str, ...], key: Callable[[ElementSpan], object]
) -> Iterator[Change]:
    seen: set[object] = set()
    entry = context.entry
    for element in entry.children if entry else ():
        if element.local_name not in names:
            continue
        value = key(element)
        plain = value[0] if isinstance(value, tuple) and names == ("image",) else value
        if value is not None and value in seen:
            yield context.remove(element)
        seen |= {value, plain}


@fixer("U501", effect="removed")
def keep_in_first(context: FixContext) -> Iterator[Change]:
    """Remove a URL that an earlier file of the same format lists."""
    if context.finding.level != "info":
        yield from entry_removal(context)


@fixer("U502", effect="removed")
def keep_newest_in_first(context: FixContext) -> Iterator[Change]:
    """Remove a URL that an earlier file lists, unless the entry here has a newer date."""
    mine, theirs = (
        parse_date(context.finding.parameter(n)).instant for n in ("own_text", "other_text")
    )
    if mine is not None and theirs is not None and mine <= theirs:
        yield from entry_removal(context)


_REMOVED = {
    "G003": ("image", ("caption", "geo_location", "title", "license")),
    "G036": ("video", ("category", "gallery_loc", "price", "tvshow", "id", "content_segment_loc")),
    "G057": ("news", ("access", "genres", "keywords", "stock_tickers")),
}
_PLAYER = ("allow_embed", "autoplay")
_DEAD = {Ns.MOBILE, Ns.GEO, Ns.CODESEARCH, Ns.PAGEMAP}


@fixer("G003", "G036", "G057", per_document=True)
def remove_old_tags(context: FixContext) -> Iterator[Change]:
    """Remove extension elements that are no longer documented."""
    owner, names = _REMOVED[context.code]
    for entry in context.document.spans.entries():
        for container in entry.descendants(owner):
            for element in container.children:
                if element.local_name in names:
                    yield context.remove(element)
                elif context.code == "G036" and element.local_name == "player_loc":
                    found = [each for each in element.attributes if each.name in _PLAYER]
                    yield from map(context.remove_attribute, found)


@fixer("P001", "P002", per_document=True)
def remove_hints(context: FixContext) -> Iterator[Change]:
    """Remove changefreq and priority; for P002 only priority."""
    names = ("priority",) if context.code == "P002" else ("changefreq", "priority")
    for entry in context.document.spans.entries():
        for element in entry.children:
            if element.local_name in names and element.prefix == entry.prefix:
                yield context.remove(element)


@fixer("G070", per_document=True)
def remove_dead(context: FixContext) -> Iterator[Change]:
    """Remove elements of discontinued extensions."""
    dead = _dead_prefixes(context.document.spans)
    for entry in context.document.spans.entries():
        for element in entry.children:
            is_bound = element.prefix in dead or _own_namespace(element) in _DEAD
            if is_bound or element.qname == "expires":
                yield context.remove(element)


def _dead_prefixes(spans: DocumentSpans) -> set[str]:
    data, root = spans.text, spans.root
    return {
        found.name[6:]
        for found in (root.attributes if root else ())
        if found.name.startswith("xmlns:")
        and NAMESPACES.get(data[found.value_start : found.value_end].decode().strip()) in _DEAD
    }


def _own_namespace(element: ElementSpan) -> Ns | None:
    name = f"xmlns:{element.prefix}" if element.prefix else "xmlns"
    return NAMESPACES.get((element.attribute(name) or "").strip())
