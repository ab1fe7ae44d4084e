"""Fixes of missing, repeated, empty, unknown or misplaced elements (rules S, I501)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from urlset.engine.reference.values import escape
from urlset.fixer.edits import Change, Edit, insert_in_root
from urlset.fixer.registry import FixContext, excerpt, fixer
from urlset.formats.spans import ElementSpan
from urlset.urls import SPACE, split_urls

__all__: list[str] = []

_HTTP = re.compile(r"https?://", re.IGNORECASE)
_ORDER = {"loc": 0, "lastmod": 1, "changefreq": 2, "priority": 3}
_TAGS = re.compile(rb"<[^<>]*>")


@fixer("S007", effect="removed")
def remove_entry_without_url(context: FixContext) -> Iterator[Change]:
    """Remove an entry that has no URL."""
    entry = context.document.spans.starting_at(context.start)
    if entry is not None:
        yield context.remove(entry)


@fixer("S008", partly_safe=True)
def remove_second(context: FixContext) -> Iterator[Change]:
    """Remove a repeated element; move a second URL to a new entry, because readers list it."""
    entry, element = context.entry, context.element
    if entry is None or element is None or element == entry:
        return
    if element.local_name == "loc":
        yield from _second_loc(context, entry, element)
        return
    first = entry.child(element.local_name)
    if first is None or first == element:
        return
    if first.stripped == element.stripped or context.is_unsafe:
        yield context.remove(element)


def _second_loc(context: FixContext, entry: ElementSpan, element: ElementSpan) -> Iterator[Change]:
    locs = [
        split_urls(child.text or "") for child in entry.descendants("loc") if child.parent == entry
    ]
    urls = [url.strip(SPACE) for part in locs for url in part]
    first = entry.child("loc")
    if not urls or first is None:
        return
    if len(set(urls)) == 1 and element != first:
        yield context.remove(element, effect="removed")
    elif (context.is_unsafe or len(set(urls)) == 1) and not _is_followed(entry, element):
        own = split_urls(element.text or "")
        kept, moved = (own[:1], own[1:]) if element == first else ([], own)
        yield from _move_to_entries(context, entry, element, kept, moved)


def _is_followed(entry: ElementSpan, loc: ElementSpan) -> bool:
    """Return whether another loc follows; it moves first, so that the order is kept."""
    return any(child.local_name == "loc" and child.start > loc.start for child in entry.children)


def _move_to_entries(
    context: FixContext, entry: ElementSpan, loc: ElementSpan, kept: list[str], moved: list[str]
) -> Iterator[Change]:
    """Move additional URLs of an entry to new entries after it."""
    if not moved:
        return
    tags = [f"<{entry.qname}><{loc.qname}>", f"</{loc.qname}></{entry.qname}>"]
    after = "".join(f"\n{tags[0]}{_escaped(url)}{tags[1]}" for url in moved)
    new_entries = Edit(entry.end, entry.end, after.encode())
    if kept:
        yield context.change(
            Edit(loc.content_start, loc.content_end, _escaped(kept[0]).encode()),
            new_entries,
            effect="values",
        )
    else:
        yield context.change(Edit(*loc.span(), b""), new_entries, effect="values")


def _escaped(url: str) -> str:
    return url.strip(SPACE).replace("&", "&amp;").replace("<", "&lt;")


@fixer("S009", "S022", partly_safe=True)
def remove_element(context: FixContext) -> Iterator[Change]:
    """Remove an empty element, or one that is not valid in an index."""
    element = context.element
    if element is None or element == context.entry:
        return
    if (
        context.code == "S009"
        or element.local_name in ("changefreq", "priority")
        or context.is_unsafe
    ):
        yield context.remove(element)


@fixer("S010", per_document=True)
def remove_unknown(context: FixContext) -> Iterator[Change]:
    """Remove unknown elements, unless they contain a URL."""
    spans = context.document.spans
    found = [spans.starting_at(finding.start) for finding in context.findings]
    unknown = {
        (element.qname, _qname(element.parent))
        for element in found
        if element is not None and spans.entry_at(element.start) not in (None, element)
    }
    names = {qname.rpartition(":")[2].lower() for qname, _ in unknown}
    for entry in spans.entries() if unknown else ():
        for element in entry.descendants(*names):
            is_meant = (element.qname, _qname(element.parent)) in unknown
            if is_meant and not any(element.descendants("loc")):
                yield context.remove(element)


def _qname(element: ElementSpan | None) -> str:
    return element.qname if element is not None else ""


@fixer("S012", effect="none", per_document=True)
def remove_attributes(context: FixContext) -> Iterator[Change]:
    """Remove unknown attributes from all elements with the same name."""
    spans = context.document.spans
    unknown = {
        (element.raw_name, found.name)
        for finding in context.findings
        if (element := spans.tag_at(finding.start)) is not None
        for found in element.attributes
        if found.value_start == finding.start
    }
    for element in spans.named({name for name, _ in unknown}):
        for found in element.attributes:
            if (element.raw_name, found.name) in unknown:
                dropped = excerpt(context.data[found.start : found.end])
                yield context.change(Edit(found.start, found.end, b""), dropped=dropped)


@fixer("S013")
def wrap_or_remove_text(context: FixContext) -> Iterator[Change]:
    """Wrap a bare URL in a loc if the entry has none; remove other text."""
    text = context.span.decode(errors="replace").strip(SPACE)
    entry = context.entry
    if entry is not None and entry.child("loc") is None and _HTTP.match(text):
        prefix = f"{entry.prefix}:" if entry.prefix else ""
        stripped = context.span.strip()
        at = context.start + context.span.index(stripped)
        tags = f"<{prefix}loc>".encode(), f"</{prefix}loc>".encode()
        yield context.change(
            Edit(at, at, tags[0]), Edit(at + len(stripped), at + len(stripped), tags[1])
        )
    else:
        yield context.replace(
            b"\n" if b"\n" in context.span else b"", dropped=excerpt(context.span)
        )


@fixer("S015", effect="none")
def unwrap(context: FixContext) -> Iterator[Change]:
    """Remove a nested root element; its namespaces move to the outer root."""
    inner, root = context.document.spans.starting_at(context.start), context.document.spans.root
    if inner is None or root is None:
        return
    declared = {found.name for found in root.attributes}
    edits = [Edit(inner.start, inner.content_start, b"")]
    if inner.is_complete and not inner.is_empty:
        edits.append(Edit(inner.content_end, inner.end, b""))
    spaces = [a for a in inner.attributes if a.name.startswith("xmlns:") and a.name not in declared]
    if spaces:
        text = b"".join(context.data[found.start : found.end] for found in spaces)
        edits.append(insert_in_root(root, text.decode()))
    yield context.change(*edits)


@fixer("S016")
def wrap_loc(context: FixContext) -> Iterator[Change]:
    """Wrap a loc outside an entry in an entry."""
    loc, root = context.document.spans.starting_at(context.start), context.document.spans.root
    if loc is None or not loc.is_complete:
        return
    is_index = root is not None and root.local_name == "sitemapindex"
    prefix = f"{loc.prefix}:" if loc.prefix else ""
    name = f"{prefix}{'sitemap' if is_index else 'url'}"
    edits = (
        Edit(loc.start, loc.start, f"<{name}>".encode()),
        Edit(loc.end, loc.end, f"</{name}>".encode()),
    )
    yield context.change(*edits, effect="removed" if is_index else "values", added=int(is_index))


@fixer("S017", effect="url")
def keep_text(context: FixContext) -> Iterator[Change]:
    """Remove markup from a value, and keep the text."""
    element = context.element
    if element is not None and element.has_children:
        dropped = excerpt(element.content)
        new = _TAGS.sub(b"", element.content).strip()
        yield context.change(
            Edit(element.content_start, element.content_end, new), dropped=dropped, added=1
        )


@fixer("S018", per_document=True)
def reorder(context: FixContext) -> Iterator[Change]:
    """Sort the children of each entry in the order of the schema."""
    for entry in context.document.spans.entries():
        children = entry.children
        ranks = [
            _ORDER.get(child.local_name, 4) if child.prefix == entry.prefix else 4
            for child in children
        ]
        if ranks != sorted(ranks):
            ordered = [children[n] for n in sorted(range(len(ranks)), key=ranks.__getitem__)]
            yield context.change(
                *(
                    Edit(slot.start, slot.end, context.data[child.start : child.end])
                    for slot, child in zip(children, ordered, strict=True)
                    if slot != child
                )
            )


@fixer("I501", effect="removed")
def flatten_index(context: FixContext) -> Iterator[Change]:
    """Replace a listed index by the sitemaps that it lists."""
    entry = context.entry
    loc = entry.child("loc") if entry is not None else None
    inner = context.document.index.children(loc.stripped) if loc is not None else None
    if entry is None or loc is None or inner is None:
        return
    known = {child.loc for child in context.document.parsed.sitemaps}
    lines = [_child_element(entry, loc, *child) for child in inner if child[0] not in known]
    new = "\n".join(lines).encode()
    start = entry.start if lines else entry.span()[0]
    yield context.change(
        Edit(start, entry.end, new), dropped=f"the index {loc.stripped}", added=len(lines)
    )


def _child_element(entry: ElementSpan, loc: ElementSpan, url: str, lastmod: str | None) -> str:
    name = f"{loc.prefix}:lastmod" if loc.prefix else "lastmod"
    date = f"<{name}>{escape(lastmod)}</{name}>" if lastmod else ""
    return f"<{entry.qname}><{loc.qname}>{escape(url)}</{loc.qname}>{date}</{entry.qname}>"
