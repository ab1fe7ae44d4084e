"""Fixes of elements: their names, namespaces and prefixes, missing and misplaced ones (S, P)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from urlset.engine.reference.names import CHILDREN
from urlset.engine.reference.tokens import AttributeSpan
from urlset.engine.reference.values import escape
from urlset.fixer.edits import Change, Edit, insert_in_root
from urlset.fixer.registry import FixContext, excerpt, fixer
from urlset.formats.spans import ElementSpan, decode_text
from urlset.protocol import NAMESPACES, SITEMAP_NS, URIS, Ns
from urlset.urls import SPACE, split_urls

_MOVED = {"image": "image", "video": "video", "news": "news", "link": "xhtml"}
_SPACES = {"image": Ns.IMAGE, "video": Ns.VIDEO, "news": Ns.NEWS, "xhtml": Ns.XHTML}


@fixer("S002", effect="none", per_document=True)
def declare_namespace(context: FixContext) -> Iterator[Change]:
    """Declare the sitemap namespace on the root."""
    root = context.document.spans.root
    if root is None:
        return
    for found in root.attributes:
        if found.name == "xmlns":
            if found.value_start == found.value_end:
                yield context.rewrite_attribute(found, SITEMAP_NS)
            return
    yield context.change(insert_in_root(root, f' xmlns="{SITEMAP_NS}"'))


@fixer("S003", "S004", effect="none", per_document=True, partly_safe=True)
def correct_namespaces(context: FixContext) -> Iterator[Change]:
    """Correct the URIs of namespaces; replace an unknown root namespace only if unsafe."""
    edits = []
    for found in _namespace_attributes(context):
        written = context.data[found.value_start : found.value_end]
        ns = NAMESPACES.get((decode_text(written) or "").strip())
        is_meant = (ns is Ns.CORE) == (context.code == "S003")
        if ns is not None and is_meant and written != URIS[ns].encode():
            edits.append(Edit(found.value_start, found.value_end, URIS[ns].encode()))
    if edits:
        yield context.change(*edits)
    elif context.code == "S003" and context.is_unsafe:
        yield from _root_namespace(context)


def _namespace_attributes(context: FixContext) -> Iterator[AttributeSpan]:
    """Yield the ``xmlns`` attributes of all elements."""
    data, columns = context.data, context.document.spans.columns
    tags = zip(columns.starts, columns.content_starts, strict=True)
    for row, (start, end) in enumerate(tags):
        if data.find(b"xmlns", start, end) >= 0:
            for found in ElementSpan(context.document.spans, row).attributes:
                if found.name == "xmlns" or found.name.startswith("xmlns:"):
                    yield found


def _root_namespace(context: FixContext) -> Iterator[Change]:
    """Replace an unknown namespace of the root by the sitemap namespace."""
    root = context.document.spans.root
    name = f"xmlns:{root.prefix}" if root and root.prefix else "xmlns"
    for found in root.attributes if root else ():
        if found.name == name:
            dropped = excerpt(context.data[found.value_start : found.value_end])
            yield context.rewrite_attribute(found, SITEMAP_NS, dropped=dropped)


@fixer("S006", effect="none", per_document=True)
def lower_names(context: FixContext) -> Iterator[Change]:
    """Change element names to lower case, in start and end tags."""
    tags = [finding.parameter("detail").lstrip("/") for finding in context.findings]
    lower = {tag.rpartition(":")[2].lower().encode() for tag in tags}
    spans = context.document.spans
    names = {n for n in spans.columns.name_table if n.rpartition(b":")[2].lower() in lower}
    edits = []
    for element in spans.named(names):
        name = element.raw_name.rpartition(b":")[2]
        ends = [element.name_end]
        if element.content_end < element.end:
            ends.append(element.content_end + 2 + len(element.raw_name))
        lowered = [Edit(end - len(name), end, name.lower()) for end in ends]
        edits += [edit for edit in lowered if context.data[edit.start : edit.end] != edit.new]
    if edits:
        yield context.change(*edits)


@fixer("S011", effect="none", per_document=True)
def add_prefixes(context: FixContext) -> Iterator[Change]:
    """Add missing prefixes to extension elements, and declare their namespaces."""
    root = context.document.spans.root
    if root is None:
        return
    edits: list[Edit] = []
    used: set[str] = set()
    for entry in context.document.spans.entries():
        for child in entry.children:
            for element, prefix in _misplaced(child, root.prefix):
                used.add(prefix)
                edits += _renamed(element, prefix)
    declared = {found.name for found in root.attributes}
    missing = [p for p in sorted(used) if f"xmlns:{p}" not in declared]
    if missing:
        text = "".join(f' xmlns:{p}="{URIS[_SPACES[p]]}"' for p in missing)
        edits.append(insert_in_root(root, text))
    if edits:
        yield context.change(*edits)


def _misplaced(
    element: ElementSpan, core: str, prefix: str | None = None
) -> Iterator[tuple[ElementSpan, str]]:
    """Yield extension elements without the prefix of their namespace, each with that prefix."""
    own = prefix
    if element.prefix == core:
        if prefix is None:
            own = _MOVED.get(element.local_name)
        if own is None:
            return
        yield element, own
    else:
        own = element.prefix
    known = CHILDREN.get(element.local_name, frozenset())
    for child in element.children:
        if child.local_name in known and (child.prefix != core or own in _SPACES):
            yield from _misplaced(child, core, own)


def _renamed(element: ElementSpan, prefix: str) -> Iterator[Edit]:
    """Yield the edits that rename both tags of an element."""
    name = f"{prefix}:{element.local_name}".encode()
    length = len(element.qname.encode())
    yield Edit(element.start + 1, element.start + 1 + length, name)
    if element.is_complete and not element.is_empty:
        yield Edit(element.content_end + 2, element.content_end + 2 + length, name)


@fixer("S023", effect="none", per_document=True)
def remove_schema_location(context: FixContext) -> Iterator[Change]:
    """Remove an xsi:schemaLocation that has no effect."""
    root = context.document.spans.root
    for found in root.attributes if root else ():
        if found.name.rpartition(":")[2] == "schemaLocation":
            yield context.remove_attribute(found)


@fixer("P005", effect="none")
def remove_unused_namespace(context: FixContext) -> Iterator[Change]:
    """Remove the declaration of an unused prefix."""
    root = context.document.spans.root
    for found in root.attributes if root else ():
        if found.name.startswith("xmlns:") and found.start <= context.start < found.end:
            prefix = found.name[6:].encode()
            if not re.search(rb"[\s<\"'/]" + re.escape(prefix) + rb":", context.data):
                yield context.remove_attribute(found)


_HTTP = re.compile(r"https?://", re.IGNORECASE)
_ORDER = {"loc": 0, "lastmod": 1, "changefreq": 2, "priority": 3}
_TAGS = re.compile(rb"<[^<>]*>")


@fixer("S007", effect="removed")
def remove_entry_without_url(context: FixContext) -> Iterator[Change]:
    """Remove an entry that has no URL, unless another entry is in it, which may have one."""
    entry = context.document.spans.starting_at(context.start)
    if entry is not None and next(entry.descendants("url", "sitemap"), None) is None:
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
    locs = [child for child in entry.descendants("loc") if child.parent == entry]
    urls = [url.strip(SPACE) for child in locs for url in split_urls(child.text or "")]
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
    """Return whether an entry has a loc after this one; to keep order, the last moves first."""
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
    edit = Edit(*loc.span(), b"")
    if kept:
        edit = Edit(loc.content_start, loc.content_end, _escaped(kept[0]).encode())
    yield context.change(edit, new_entries, effect="values")


def _escaped(url: str) -> str:
    return url.strip(SPACE).replace("&", "&amp;").replace("<", "&lt;")


@fixer("S009", "S022", partly_safe=True)
def remove_element(context: FixContext) -> Iterator[Change]:
    """Remove an empty element, or one that is not valid in an index."""
    element = context.element
    if element is None or element == context.entry:
        return
    is_safe = context.code == "S009" or element.local_name in ("changefreq", "priority")
    if is_safe or context.is_unsafe:
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
                yield context.remove_attribute(found)


@fixer("S013")
def wrap_or_remove_text(context: FixContext) -> Iterator[Change]:
    """Wrap a bare URL in a loc if the entry has none; remove other text."""
    text = context.span.decode(errors="replace").strip(SPACE)
    entry = context.entry
    if entry is not None and entry.child("loc") is None and _HTTP.match(text):
        prefix = f"{entry.prefix}:" if entry.prefix else ""
        stripped = context.span.strip()
        at = context.start + context.span.index(stripped)
        end = at + len(stripped)
        tags = f"<{prefix}loc>".encode(), f"</{prefix}loc>".encode()
        yield context.change(Edit(at, at, tags[0]), Edit(end, end, tags[1]))
    else:
        new = b"\n" if b"\n" in context.span else b""
        yield context.replace(new, dropped=excerpt(context.span))


@fixer("S015", effect="none")
def unwrap(context: FixContext) -> Iterator[Change]:
    """Remove the tags of a nested root element; move its namespaces to the outer root."""
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
        edit = Edit(element.content_start, element.content_end, new)
        yield context.change(edit, dropped=dropped, added=1)


@fixer("S018", per_document=True)
def reorder(context: FixContext) -> Iterator[Change]:
    """Sort the children of each entry in the order of the schema."""
    for entry in context.document.spans.entries():
        children = entry.children
        ranks = [_ORDER.get(c.local_name, 4) if c.prefix == entry.prefix else 4 for c in children]
        if ranks != sorted(ranks):
            ordered = [children[n] for n in sorted(range(len(ranks)), key=ranks.__getitem__)]
            edits = [
                Edit(slot.start, slot.end, context.data[child.start : child.end])
                for slot, child in zip(children, ordered, strict=True)
                if slot != child
            ]
            yield context.change(*edits)


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
    start = entry.start if lines else entry.span()[0]
    edit = Edit(start, entry.end, "\n".join(lines).encode())
    yield context.change(edit, dropped=f"the index {loc.stripped}", added=len(lines))


def _child_element(entry: ElementSpan, loc: ElementSpan, url: str, lastmod: str | None) -> str:
    name = f"{loc.prefix}:lastmod" if loc.prefix else "lastmod"
    date = f"<{name}>{escape(lastmod)}</{name}>" if lastmod else ""
    return f"<{entry.qname}><{loc.qname}>{escape(url)}</{loc.qname}>{date}</{entry.qname}>"
