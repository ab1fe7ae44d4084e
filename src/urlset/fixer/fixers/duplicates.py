"""Fixes of duplicate entries, index children, links and images; the first one is kept."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from datetime import UTC, datetime

from urlset.dates import parse_date
from urlset.document import text_offset
from urlset.fixer.edits import Change, Edit
from urlset.fixer.fixers.urls import normalize_url
from urlset.fixer.registry import FixContext, entry_removal, excerpt, fixer, line_span
from urlset.formats.spans import ElementSpan
from urlset.model import Entry, Sitemap

__all__ = ["entry_values"]

_EARLIEST = datetime.min.replace(tzinfo=UTC)


@fixer("U023", effect="removed", per_document=True)
def remove_duplicates(context: FixContext) -> Iterator[Change]:
    """Remove entries that are equal to an earlier one."""
    seen: set[tuple[object, ...]] = set()
    for entry in context.document.parsed.entries:
        values = entry_values(entry)
        if values in seen:
            yield from _removal(context, entry)
        seen.add(values)


def entry_values(entry: Entry) -> tuple[object, ...]:
    """Return the values of an entry without its source, offset and line."""
    return tuple(entry[:-3])


@fixer("U024", effect="removed", per_document=True)
def keep_newest(context: FixContext) -> Iterator[Change]:
    """Keep the entry with the newest date of those with the same URL."""
    groups: dict[str, list[Entry]] = defaultdict(list)
    for entry in context.document.parsed.entries:
        groups[entry.loc].append(entry)
    for group in groups.values():
        yield from _all_but_newest(context, group)


@fixer("I004", effect="removed", per_document=True)
def keep_newest_child(context: FixContext) -> Iterator[Change]:
    """Keep the index child with the newest date of those with the same URL."""
    groups: dict[str, list[Sitemap]] = defaultdict(list)
    for child in context.document.parsed.sitemaps:
        groups[normalize_url(child.loc)].append(child)
    for group in groups.values():
        yield from _all_but_newest(context, group)


def _all_but_newest(context: FixContext, group: list[Entry] | list[Sitemap]) -> Iterator[Change]:
    if len(group) < 2:
        return
    newest = max(group, key=lambda entry: entry.lastmod or _EARLIEST)
    for entry in group:
        if entry is not newest:
            yield from _removal(context, entry)


def _removal(context: FixContext, entry: Entry | Sitemap) -> Iterator[Change]:
    """Remove an entry, if it is one complete element or one line."""
    start = text_offset(context.document.parsed, entry.offset or 0)
    if context.document.parsed.kind == "text":
        start, end = line_span(context.data, start)
        dropped = excerpt(context.data[start:end])
        end += 2 if context.data[end : end + 2] == b"\r\n" else 1
        yield context.change(Edit(start, min(end, len(context.data)), b""), dropped=dropped)
        return
    element = context.document.spans.starting_at(start)
    if element is not None and element.is_complete and element.local_name != "loc":
        yield context.remove(element)


@fixer("H010")
def remove_duplicate_links(context: FixContext) -> Iterator[Change]:
    """Remove a duplicate link to an alternate."""
    yield from _repeated(context, ("link",), _link_of)


def _link_of(link: ElementSpan) -> object:
    names = ("rel", "hreflang", "href", "media")
    values = tuple(link.attribute(name) for name in names)
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
    return (
        loc.stripped if is_unsafe or not others else (loc.stripped, tuple(sorted(others.items())))
    )


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
