"""G and P: what engines ignore, and what others may read: removed only when somebody names it."""

from __future__ import annotations

from collections.abc import Iterator

from urlset.fixer.edits import Change, Edit
from urlset.fixer.fixers.structure import parse_tag
from urlset.fixer.markup_repairs import root_tag
from urlset.fixer.registry import FixContext, fixer, shown
from urlset.fixer.xml_spans import ElementSpan
from urlset.protocol import NAMESPACES, Ns

__all__: list[str] = []

_REMOVED = {
    "G003": ("image", ("caption", "geo_location", "title", "license")),
    "G036": ("video", ("category", "gallery_loc", "price", "tvshow", "id", "content_segment_loc")),
    "G057": ("news", ("access", "genres", "keywords", "stock_tickers")),
}
_PLAYER = ("allow_embed", "autoplay")
_DEAD = {Ns.MOBILE, Ns.GEO, Ns.CODESEARCH, Ns.PAGEMAP}


def _entries(case: FixContext) -> Iterator[ElementSpan]:
    """All entries of the document: rules of hints report only the first of them."""
    for start in case.job.entries.starts:
        entry = case.job.entries.beginning(start)
        if entry is not None:
            yield entry


@fixer("G003", "G036", "G057", whole=True)
def remove_old_tags(case: FixContext) -> Iterator[Change]:
    """Remove elements that are no longer documented."""
    owner, names = _REMOVED[case.code]
    for entry in _entries(case):
        for container in entry.all(owner):
            for element in container.children:
                if element.local in names:
                    yield case.remove(element)
                elif case.code == "G036" and element.local == "player_loc":
                    yield from _without_attributes(case, element)


def _without_attributes(case: FixContext, element: ElementSpan) -> Iterator[Change]:
    for found in element.attributes:
        if found.name in _PLAYER:
            words = shown(case.data[found.start : found.end])
            yield case.change(Edit(found.start, found.end, b""), dropped=words)


@fixer("P001", "P002", whole=True)
def remove_hints(case: FixContext) -> Iterator[Change]:
    """Remove change frequencies and priorities; of P002 only the latter."""
    names = ("priority",) if case.code == "P002" else ("changefreq", "priority")
    for entry in _entries(case):
        for element in entry.children:
            if element.local in names and element.prefix == entry.prefix:
                yield case.remove(element)


@fixer("G070", whole=True)
def remove_dead(case: FixContext) -> Iterator[Change]:
    """Remove elements of extensions that nobody reads any more."""
    dead = _dead_prefixes(case.data)
    for entry in _entries(case):
        for element in entry.children:
            is_bound = element.prefix in dead or _own_namespace(element) in _DEAD
            if is_bound or element.raw == "expires":
                yield case.remove(element)


def _dead_prefixes(data: bytes) -> set[str]:
    root = parse_tag(data, root_tag(data))
    return {
        found.name[6:]
        for found in (root.attributes if root else ())
        if found.name.startswith("xmlns:")
        and NAMESPACES.get(data[found.value_start : found.value_end].decode().strip()) in _DEAD
    }


def _own_namespace(element: ElementSpan) -> Ns | None:
    name = f"xmlns:{element.prefix}" if element.prefix else "xmlns"
    return NAMESPACES.get((element.attribute(name) or "").strip())
