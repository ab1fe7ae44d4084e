"""Fixes that remove what search engines ignore (rules G and P), only for rules selected by name.

Other readers may use these elements.
"""

from __future__ import annotations

from collections.abc import Iterator

from urlset.fixer.edits import Change, Edit
from urlset.fixer.registry import FixContext, excerpt, fixer
from urlset.formats.spans import DocumentSpans, ElementSpan
from urlset.protocol import NAMESPACES, Ns

__all__: list[str] = []

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
                    yield from _without_attributes(context, element)


def _without_attributes(context: FixContext, element: ElementSpan) -> Iterator[Change]:
    for found in element.attributes:
        if found.name in _PLAYER:
            dropped = excerpt(context.data[found.start : found.end])
            yield context.change(Edit(found.start, found.end, b""), dropped=dropped)


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
