"""S: elements that are missing their place, their name or their content."""

from __future__ import annotations

import re
from collections.abc import Iterator

from urlset.fixer.edits import Change, Edit
from urlset.fixer.markup_repairs import insert_in_root, root_tag
from urlset.fixer.registry import FixContext, fixer, shown
from urlset.fixer.xml_spans import TOKEN, ElementSpan, parse_element
from urlset.urls import SPACE, split_urls

__all__: list[str] = []

_HTTP = re.compile(r"https?://", re.IGNORECASE)
_ORDER = {"loc": 0, "lastmod": 1, "changefreq": 2, "priority": 3}
_TAGS = re.compile(rb"<[^<>]*>")


@fixer("S007", effect="gone")
def remove_entry(case: FixContext) -> Iterator[Change]:
    """Remove an entry that has no URL."""
    entry = case.job.entries.beginning(case.at)
    if entry is not None:
        yield case.remove(entry)


@fixer("S008", careful=True)
def remove_second(case: FixContext) -> Iterator[Change]:
    """Remove what is there twice; a second URL gets an entry of its own, since readers list it."""
    entry, element = case.entry, case.element
    if entry is None or element is None or element is entry:
        return
    if element.local == "loc":
        yield from _second_loc(case, entry, element)
        return
    first = entry.child(element.local)
    if first is None or first is element:
        return
    if first.trimmed == element.trimmed or case.is_unsafe:
        yield case.remove(element)


def _second_loc(case: FixContext, entry: ElementSpan, element: ElementSpan) -> Iterator[Change]:
    locs = [split_urls(child.text or "") for child in entry.all("loc") if child.parent is entry]
    urls = [url.strip(SPACE) for part in locs for url in part]
    first = entry.child("loc")
    if not urls or first is None:
        return
    if len(set(urls)) == 1 and element is not first:
        yield case.remove(element, effect="gone")
    elif (case.is_unsafe or len(set(urls)) == 1) and not _is_followed(entry, element):
        own = split_urls(element.text or "")
        kept, moved = (own[:1], own[1:]) if element is first else ([], own)
        yield from _moved_out(case, entry, element, kept, moved)


def _is_followed(entry: ElementSpan, loc: ElementSpan) -> bool:
    """Whether another loc stands behind one: it moves first, so that all keep their order."""
    return any(child.local == "loc" and child.start > loc.start for child in entry.children)


def _moved_out(
    case: FixContext, entry: ElementSpan, loc: ElementSpan, kept: list[str], moved: list[str]
) -> Iterator[Change]:
    """Give URLs that stand in the loc of another one entries of their own behind it."""
    if not moved:
        return
    tags = [f"<{entry.raw}><{loc.raw}>", f"</{loc.raw}></{entry.raw}>"]
    after = "".join(f"\n{tags[0]}{_escaped(url)}{tags[1]}" for url in moved)
    behind = Edit(entry.end, entry.end, after.encode())
    if kept:
        yield case.change(
            Edit(loc.tag_end, loc.close, _escaped(kept[0]).encode()), behind, effect="same"
        )
    else:
        yield case.change(Edit(*loc.span(), b""), behind, effect="same")


def _escaped(url: str) -> str:
    return url.strip(SPACE).replace("&", "&amp;").replace("<", "&lt;")


@fixer("S009", "S022", careful=True)
def remove_element(case: FixContext) -> Iterator[Change]:
    """Remove an empty element, or one that means nothing in an index."""
    element = case.element
    if element is None or element is case.entry:
        return
    if case.code == "S009" or element.local in ("changefreq", "priority") or case.is_unsafe:
        yield case.remove(element)


@fixer("S010", whole=True)
def remove_unknown(case: FixContext) -> Iterator[Change]:
    """Remove elements that the protocol does not know, unless a URL stands in them."""
    wanted = set()
    for spot in case.spots:
        entry = case.job.entries.around(spot.at)
        for element in entry.all(*_locals(case.data, spot.at)) if entry else ():
            if element.start == spot.at:
                wanted.add((element.raw, _raw(element.parent)))
    names = {raw.rpartition(":")[2].lower() for raw, _ in wanted}
    for start in case.job.entries.starts if wanted else ():
        entry = case.job.entries.beginning(start)
        for element in entry.all(*names) if entry else ():
            is_meant = (element.raw, _raw(element.parent)) in wanted
            if is_meant and not any(element.all("loc")):
                yield case.remove(element)


def _locals(data: bytes, at: int) -> list[str]:
    found = TOKEN.match(data, at)
    name = found[2] if found else None
    return [name.decode(errors="replace").rpartition(":")[2].lower()] if name else []


def _raw(element: ElementSpan | None) -> str:
    return element.raw if element is not None else ""


@fixer("S012", effect="text", whole=True)
def remove_attributes(case: FixContext) -> Iterator[Change]:
    """Remove attributes that the protocol does not know, from all elements of that name."""
    wanted = set()
    for spot in case.spots:
        tag = TOKEN.match(case.data, case.data.rfind(b"<", 0, spot.at))
        element = parse_tag(case.data, tag)
        for found in element.attributes if element else ():
            if element is not None and found.value_start == spot.at:
                wanted.add((element.raw, found.name))
    names = {raw.encode() for raw, _ in wanted}
    for tag in TOKEN.finditer(case.data) if names else ():
        if tag[2] in names and not tag[1]:
            element = parse_tag(case.data, tag)
            for found in element.attributes if element else ():
                if element is not None and (element.raw, found.name) in wanted:
                    words = shown(case.data[found.start : found.end])
                    yield case.change(Edit(found.start, found.end, b""), dropped=words)


def parse_tag(data: bytes, tag: re.Match[bytes] | None) -> ElementSpan | None:
    """A start tag as an element without its content."""
    return ElementSpan(data, tag, None) if tag is not None and tag[2] is not None else None


@fixer("S013")
def wrap_or_remove_text(case: FixContext) -> Iterator[Change]:
    """Make a loc of a URL that stands in an entry without one; remove other text."""
    text = case.span.decode(errors="replace").strip(SPACE)
    entry = case.entry
    if entry is not None and entry.child("loc") is None and _HTTP.match(text):
        prefix = f"{entry.prefix}:" if entry.prefix else ""
        stripped = case.span.strip()
        at = case.at + case.span.index(stripped)
        tags = f"<{prefix}loc>".encode(), f"</{prefix}loc>".encode()
        yield case.change(
            Edit(at, at, tags[0]), Edit(at + len(stripped), at + len(stripped), tags[1])
        )
    else:
        yield case.replace(b"\n" if b"\n" in case.span else b"", dropped=shown(case.span))


@fixer("S015", effect="text")
def unwrap(case: FixContext) -> Iterator[Change]:
    """Remove a root that stands in another one; its namespaces go to the outer one."""
    inner, root = parse_element(case.data, case.at), root_tag(case.data)
    outer = parse_tag(case.data, root)
    if inner is None or outer is None or root is None:
        return
    said = {found.name for found in outer.attributes}
    edits = [Edit(inner.start, inner.tag_end, b"")]
    if inner.is_whole and not inner.is_empty:
        edits.append(Edit(inner.close, inner.end, b""))
    spaces = [a for a in inner.attributes if a.name.startswith("xmlns:") and a.name not in said]
    if spaces:
        text = b"".join(case.data[found.start : found.end] for found in spaces)
        edits.append(insert_in_root(root, text.decode()))
    yield case.change(*edits)


@fixer("S016")
def wrap_loc(case: FixContext) -> Iterator[Change]:
    """Put an entry around a loc that stands alone."""
    loc, root = parse_element(case.data, case.at), root_tag(case.data)
    if loc is None or not loc.is_whole:
        return
    is_index = root is not None and root[2].lower().endswith(b"sitemapindex")
    prefix = f"{loc.prefix}:" if loc.prefix else ""
    name = f"{prefix}{'sitemap' if is_index else 'url'}"
    edits = (
        Edit(loc.start, loc.start, f"<{name}>".encode()),
        Edit(loc.end, loc.end, f"</{name}>".encode()),
    )
    yield case.change(*edits, effect="gone" if is_index else "same", fresh=int(is_index))


@fixer("S017", effect="loc")
def keep_text(case: FixContext) -> Iterator[Change]:
    """Keep the text of a value, and drop the markup in it."""
    element = case.element
    if element is not None and element.children:
        words = shown(element.content)
        new = _TAGS.sub(b"", element.content).strip()
        yield case.change(Edit(element.tag_end, element.close, new), dropped=words, fresh=1)


@fixer("S018", whole=True)
def reorder(case: FixContext) -> Iterator[Change]:
    """Bring the children of each entry into the order of the schema."""
    for start in case.job.entries.starts:
        entry = case.job.entries.beginning(start)
        children = entry.children if entry else []
        ranks = [
            _ORDER.get(child.local, 4) if entry and child.prefix == entry.prefix else 4
            for child in children
        ]
        if ranks != sorted(ranks):
            ordered = [children[n] for n in sorted(range(len(ranks)), key=ranks.__getitem__)]
            yield case.change(
                *(
                    Edit(slot.start, slot.end, case.data[child.start : child.end])
                    for slot, child in zip(children, ordered, strict=True)
                    if slot is not child
                )
            )
