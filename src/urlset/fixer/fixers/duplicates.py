"""Entries, children and links that are there twice; the first one stays."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from datetime import UTC, datetime

from urlset.entry_spans import text_offset
from urlset.fixer.edits import Change, Edit
from urlset.fixer.fixers.urls import normal
from urlset.fixer.loc_spans import line_around
from urlset.fixer.registry import FixContext, fixer, shown
from urlset.fixer.xml_spans import ElementSpan
from urlset.model import Entry, Sitemap

__all__ = ["same_entry"]

_EARLIEST = datetime.min.replace(tzinfo=UTC)


@fixer("U023", effect="gone", whole=True)
def remove_twins(case: FixContext) -> Iterator[Change]:
    """Remove entries that say the same as one before."""
    seen: set[tuple[object, ...]] = set()
    for entry in case.job.document.entries:
        said = same_entry(entry)
        if said in seen:
            yield from _without(case, entry)
        seen.add(said)


def same_entry(entry: Entry) -> tuple[object, ...]:
    """What an entry says, wherever it stands."""
    return tuple(entry[:-3])


@fixer("U024", effect="gone", whole=True)
def keep_newest(case: FixContext) -> Iterator[Change]:
    """Of entries with one URL keep the one with the newest date."""
    groups: dict[str, list[Entry]] = defaultdict(list)
    for entry in case.job.document.entries:
        groups[entry.loc].append(entry)
    for group in groups.values():
        yield from _all_but_newest(case, group)


@fixer("I004", effect="gone", whole=True)
def keep_newest_child(case: FixContext) -> Iterator[Change]:
    """Of children with one URL keep the one with the newest date."""
    groups: dict[str, list[Sitemap]] = defaultdict(list)
    for child in case.job.document.sitemaps:
        groups[normal(child.loc)].append(child)
    for group in groups.values():
        yield from _all_but_newest(case, group)


def _all_but_newest(case: FixContext, group: list[Entry] | list[Sitemap]) -> Iterator[Change]:
    if len(group) < 2:
        return
    newest = max(group, key=lambda entry: entry.lastmod or _EARLIEST)
    for entry in group:
        if entry is not newest:
            yield from _without(case, entry)


def _without(case: FixContext, entry: Entry | Sitemap) -> Iterator[Change]:
    """Take an entry away, where it is one element or one line."""
    start = text_offset(case.job.document, entry.offset or 0)
    if case.job.document.kind == "text":
        start, end = line_around(case.data, start)
        words = shown(case.data[start:end])
        end += 2 if case.data[end : end + 2] == b"\r\n" else 1
        yield case.change(Edit(start, min(end, len(case.data)), b""), dropped=words)
        return
    element = case.job.entries.beginning(start)
    if element is not None and element.is_whole and element.local != "loc":
        yield case.remove(element)


@fixer("H010")
def one_link_each(case: FixContext) -> Iterator[Change]:
    """Remove a link to an alternate that is there already."""
    yield from _repeated(case, ("link",), lambda link: _link_of(link))


def _link_of(link: ElementSpan) -> object:
    names = ("rel", "hreflang", "href", "media")
    said = tuple(link.attribute(name) for name in names)
    return said if said[2] else None


@fixer("G004", careful=True)
def one_image_each(case: FixContext) -> Iterator[Change]:
    """Remove an image that is there already; one of which more is said only when asked for."""
    yield from _repeated(case, ("image",), lambda image: _image_of(image, case.is_unsafe))


def _image_of(image: ElementSpan, is_unsafe: bool) -> object:
    loc = image.child("loc")
    if loc is None:
        return None
    others = {child.local: child.trimmed for child in image.children if child is not loc}
    return loc.trimmed if is_unsafe or not others else (loc.trimmed, tuple(sorted(others.items())))


def _repeated(
    case: FixContext, names: tuple[str, ...], key: Callable[[ElementSpan], object]
) -> Iterator[Change]:
    seen: set[object] = set()
    entry = case.entry
    for element in entry.children if entry else ():
        if element.local not in names:
            continue
        said = key(element)
        plain = said[0] if isinstance(said, tuple) and names == ("image",) else said
        if said is not None and said in seen:
            yield case.remove(element)
        seen |= {said, plain}
