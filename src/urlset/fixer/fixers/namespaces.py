"""Fixes of namespaces, prefixes and element names (rules S and P)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from urlset.engine.reference.names import CHILDREN
from urlset.fixer.edits import Change, Edit, insert_in_root
from urlset.fixer.registry import FixContext, excerpt, fixer
from urlset.formats.spans import AttributeSpan, ElementSpan, decode_text
from urlset.protocol import NAMESPACES, SITEMAP_NS, URIS, Ns

__all__: list[str] = []

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
                place = Edit(found.value_start, found.value_end, SITEMAP_NS.encode())
                yield context.change(place)
            return
    yield context.change(insert_in_root(root, f' xmlns="{SITEMAP_NS}"'))


@fixer("S003", "S004", effect="none", per_document=True, partly_safe=True)
def correct_namespaces(context: FixContext) -> Iterator[Change]:
    """Correct the URIs of namespaces; replace an unknown root namespace only if unsafe."""
    edits = []
    for found in _namespace_attributes(context):
        written = context.data[found.value_start : found.value_end]
        ns = NAMESPACES.get((decode_text(written) or "").strip())
        is_core = ns is Ns.CORE
        is_meant = ns is not None and is_core == (context.code == "S003")
        if ns is not None and is_meant and written != URIS[ns].encode():
            edits.append(Edit(found.value_start, found.value_end, URIS[ns].encode()))
    if edits:
        yield context.change(*edits)
    elif context.code == "S003" and context.is_unsafe:
        yield from _root_namespace(context)


def _namespace_attributes(context: FixContext) -> Iterator[AttributeSpan]:
    """Yield the declarations of namespaces, of all elements."""
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
            edit = Edit(found.value_start, found.value_end, SITEMAP_NS.encode())
            yield context.change(edit, dropped=dropped)


@fixer("S006", effect="none", per_document=True)
def lower_names(context: FixContext) -> Iterator[Change]:
    """Write element names in lower case, in start and end tags."""
    named = {
        finding.parameter("detail").lstrip("/").rpartition(":")[2] for finding in context.findings
    }
    lower = {name.lower().encode() for name in named}
    spans = context.document.spans
    names = {n for n in spans.columns.name_table if n.rpartition(b":")[2].lower() in lower}
    edits = []
    for element in spans.named(names):
        name = element.raw_name.rpartition(b":")[2]
        ends = [element.name_end]
        if element.content_end < element.end:
            ends.append(element.content_end + 2 + len(element.raw_name))
        edits += [
            Edit(end - len(name), end, name.lower())
            for end in ends
            if context.data[end - len(name) : end] != name.lower()
        ]
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
    """Yield the elements without their prefix, each with the required prefix."""
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
            dropped = excerpt(context.data[found.start : found.end])
            yield context.change(Edit(found.start, found.end, b""), dropped=dropped)


@fixer("P005", effect="none")
def remove_unused_namespace(context: FixContext) -> Iterator[Change]:
    """Remove the declaration of an unused prefix."""
    root = context.document.spans.root
    for found in root.attributes if root else ():
        if found.name.startswith("xmlns:") and found.start <= context.start < found.end:
            prefix = found.name[6:].encode()
            if not re.search(rb"[\s<\"'/]" + re.escape(prefix) + rb":", context.data):
                dropped = excerpt(context.data[found.start : found.end])
                yield context.change(Edit(found.start, found.end, b""), dropped=dropped)
