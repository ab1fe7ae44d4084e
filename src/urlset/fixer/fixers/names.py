"""S: namespaces and names of elements, as the protocol spells them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from urlset.engine.reference.names import CHILDREN
from urlset.fixer.edits import Change, Edit
from urlset.fixer.fixers.structure import parse_tag
from urlset.fixer.markup_repairs import insert_in_root, root_tag
from urlset.fixer.registry import FixContext, fixer, shown
from urlset.fixer.xml_spans import TOKEN, ElementSpan, decoded
from urlset.protocol import NAMESPACES, SITEMAP_NS, URIS, Ns

__all__: list[str] = []

_XMLNS = re.compile(rb"\sxmlns(:[\w.-]+)?\s*=\s*(?:\"([^\"<]*)\"|'([^'<]*)')")
_MOVED = {"image": "image", "video": "video", "news": "news", "link": "xhtml"}
_SPACES = {"image": Ns.IMAGE, "video": Ns.VIDEO, "news": Ns.NEWS, "xhtml": Ns.XHTML}


@fixer("S002", effect="text", whole=True)
def declare_namespace(case: FixContext) -> Iterator[Change]:
    """Declare the namespace of the protocol."""
    root = root_tag(case.data)
    element = parse_tag(case.data, root)
    if root is None or element is None:
        return
    for found in element.attributes:
        if found.name == "xmlns":
            if found.value_start == found.value_end:
                place = Edit(found.value_start, found.value_end, SITEMAP_NS.encode())
                yield case.change(place)
            return
    yield case.change(insert_in_root(root, f' xmlns="{SITEMAP_NS}"'))


@fixer("S003", "S004", effect="text", whole=True, careful=True)
def correct_namespaces(case: FixContext) -> Iterator[Change]:
    """Write namespaces as they are defined; one that is not known only when asked for."""
    edits = []
    for found in _XMLNS.finditer(case.data):
        group = 2 if found[2] is not None else 3
        uri = (decoded(found[group]) or "").strip()
        ns = NAMESPACES.get(uri)
        is_core = ns is Ns.CORE
        is_meant = ns is not None and is_core == (case.code == "S003")
        if ns is not None and is_meant and found[group] != URIS[ns].encode():
            edits.append(Edit(*found.span(group), URIS[ns].encode()))
    if edits:
        yield case.change(*edits)
    elif case.code == "S003" and case.is_unsafe:
        yield from _root_namespace(case)


def _root_namespace(case: FixContext) -> Iterator[Change]:
    """Give the root the namespace of the protocol instead of an unknown one."""
    root = parse_tag(case.data, root_tag(case.data))
    name = f"xmlns:{root.prefix}" if root and root.prefix else "xmlns"
    for found in root.attributes if root else ():
        if found.name == name:
            words = shown(case.data[found.value_start : found.value_end])
            edit = Edit(found.value_start, found.value_end, SITEMAP_NS.encode())
            yield case.change(edit, dropped=words)


@fixer("S006", effect="text", whole=True)
def lower_names(case: FixContext) -> Iterator[Change]:
    """Write the names of elements in lower case, in their start and end tags."""
    named = {spot.parameter("detail").lstrip("/").rpartition(":")[2] for spot in case.spots}
    lower = {name.lower().encode() for name in named}
    edits = []
    for found in TOKEN.finditer(case.data):
        if found[2] is None:
            continue
        local = found[2].rpartition(b":")[2]
        if local.lower() in lower and local != local.lower():
            edits.append(Edit(found.end(2) - len(local), found.end(2), local.lower()))
    if edits:
        yield case.change(*edits)


@fixer("S011", effect="text", whole=True)
def give_prefixes(case: FixContext) -> Iterator[Change]:
    """Give the elements of extensions the prefix of their namespace, and declare it."""
    root = root_tag(case.data)
    outer = parse_tag(case.data, root)
    if root is None or outer is None:
        return
    edits: list[Edit] = []
    used: set[str] = set()
    for start in case.job.entries.starts:
        entry = case.job.entries.beginning(start)
        for child in entry.children if entry else ():
            for element, prefix in _misplaced(child, outer.prefix):
                used.add(prefix)
                edits += _renamed(element, prefix)
    said = {found.name for found in outer.attributes}
    missing = [p for p in sorted(used) if f"xmlns:{p}" not in said]
    if missing:
        text = "".join(f' xmlns:{p}="{URIS[_SPACES[p]]}"' for p in missing)
        edits.append(insert_in_root(root, text))
    if edits:
        yield case.change(*edits)


def _misplaced(
    element: ElementSpan, core: str, prefix: str | None = None
) -> Iterator[tuple[ElementSpan, str]]:
    """The elements that lack their prefix, each with the one that it should have."""
    own = prefix
    if element.prefix == core:
        if prefix is None:
            own = _MOVED.get(element.local)
        if own is None:
            return
        yield element, own
    else:
        own = element.prefix
    known = CHILDREN.get(element.local, frozenset())
    for child in element.children:
        if child.local in known and (child.prefix != core or own in _SPACES):
            yield from _misplaced(child, core, own)


def _renamed(element: ElementSpan, prefix: str) -> Iterator[Edit]:
    """The edits of both tags of an element."""
    name = f"{prefix}:{element.local}".encode()
    yield Edit(element.start + 1, element.start + 1 + len(element.raw.encode()), name)
    if element.is_whole and not element.is_empty:
        yield Edit(element.close + 2, element.close + 2 + len(element.raw.encode()), name)


@fixer("S023", effect="text", whole=True)
def remove_schema_location(case: FixContext) -> Iterator[Change]:
    """Remove an xsi:schemaLocation that validates nothing."""
    root = parse_tag(case.data, root_tag(case.data))
    for found in root.attributes if root else ():
        if found.name.rpartition(":")[2] == "schemaLocation":
            words = shown(case.data[found.start : found.end])
            yield case.change(Edit(found.start, found.end, b""), dropped=words)


@fixer("P005", effect="text")
def remove_unused_namespace(case: FixContext) -> Iterator[Change]:
    """Remove the declaration of a prefix that nothing uses."""
    root = parse_tag(case.data, root_tag(case.data))
    for found in root.attributes if root else ():
        if found.name.startswith("xmlns:") and found.start <= case.at < found.end:
            prefix = found.name[6:].encode()
            if not re.search(rb"[\s<\"'/]" + re.escape(prefix) + rb":", case.data):
                words = shown(case.data[found.start : found.end])
                yield case.change(Edit(found.start, found.end, b""), dropped=words)
