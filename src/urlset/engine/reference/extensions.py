"""Read the extensions of an entry: images, videos, news, alternates; others remain XML.

Extensions without a column are serialized. Namespaces are declared where they are used, values are
escaped, comments are dropped: the same element yields the same text in any document, and parsing
that text yields the element.
"""

from __future__ import annotations

from typing import Any

from urlset import model
from urlset.engine.reference.context import Context, ascii_lower
from urlset.engine.reference.names import CHILDREN, Role
from urlset.engine.reference.tree import Node
from urlset.engine.reference.values import escape
from urlset.fields import EXTENSIONS, RECORDS, Field, RecordSchema, is_leaf, place_of
from urlset.model import Alternate
from urlset.protocol import NAMESPACES, PREFIXES, SITEMAP_NS, URIS
from urlset.urls import SPACE

_OUTER = {"": SITEMAP_NS, "xml": "http://www.w3.org/XML/1998/namespace"}


def serialise(nodes: list[Node]) -> str:
    """Return elements as XML; drop names whose namespace is not declared."""
    return "".join(_element(node, _OUTER) for node in nodes)


def _element(node: Node, scope: dict[str, str]) -> str:
    prefix, _, local = node.name.raw.decode().rpartition(":")
    uri = node.name.uri
    if uri is None or not _is_plain(local) or not _is_plain(prefix or "x"):
        return ""
    declared: dict[str, str] = {}
    if scope.get(prefix) != uri:
        declared[prefix] = uri
    attributes: list[str] = []
    for raw, value in node.values.items():
        name = raw.decode()
        if name == "xmlns" or name.startswith("xmlns:") or value is None:
            continue
        owner, _, rest = name.rpartition(":")
        if not _is_plain(rest) or not _is_plain(owner or "x"):
            continue
        if owner and owner != "xml":
            bound = node.bindings.get(owner.encode())
            if bound is None:
                continue
            bound = _right(bound)
            if owner in declared and declared[owner] != bound:
                continue
            if scope.get(owner) != bound:
                declared[owner] = bound
        attributes.append(f' {name}="{escape(value, attribute=True)}"')
    inner = {**scope, **declared}
    names = "".join(
        f' xmlns{":" + key if key else ""}="{escape(value, attribute=True)}"'
        for key, value in declared.items()
    )
    tag = node.name.raw.decode()
    body = "".join(
        _element(item, inner) if isinstance(item, Node) else escape(item or "")
        for item in node.items
    )
    start = f"<{tag}{names}{''.join(attributes)}"
    return f"{start}>{body}</{tag}>" if body else f"{start}/>"


def _is_plain(name: str) -> bool:
    """Return whether a name has no colon and is not reserved by XML."""
    return bool(name) and ":" not in name and name != "xmlns"


def _right(uri: str) -> str:
    """Return the official spelling of a namespace URI that is a known misspelling."""
    ns = NAMESPACES.get(uri.strip(" \t\r\n"))
    return URIS[ns] if ns is not None else uri


_DUPLICATE_CODES = {"Image": "", "Video": "G035", "TvShow": "G035", "News": "G055"}
"""Code of the problem of an element that may occur once; empty if it is not reported."""

_REPEATABLE = {
    place_of(field).elements[-1]
    for record in RECORDS.values()
    for field in record.fields
    if field.is_list
}
_PLACES = {
    record.name: [(field, place_of(field)) for field in record.fields]
    for record in RECORDS.values()
}
_FIELDS = {
    (PREFIXES[field.prefix], place_of(field).elements[0]): field
    for field in EXTENSIONS
    if field.prefix and field.name != "alternates"
}


def read(context: Context, children: list[Node]) -> dict[str, Any]:
    """Return the fields of an entry that its extension elements fill."""
    singles: dict[str, list[Node]] = {}
    lists: dict[str, list[Any]] = {}
    alternates: list[Alternate] = []
    extras: list[Node] = []
    for node in children:  # in document order: what is reported once, is reported where it begins
        role = node.name.role
        field = _FIELDS.get((node.name.ns, node.name.key))
        if role is Role.LINK:
            _link(context, node, alternates, extras)
        elif role is Role.EXTRA:
            extras.append(node)
        elif field is not None and field.is_list:
            lists.setdefault(field.name, []).extend(_value(context, field, [node]))
        elif field is not None:
            singles.setdefault(field.name, []).append(node)
        elif role is Role.LEAF:
            _unknown(context, node)
    found: dict[str, Any] = {name: tuple(values) for name, values in lists.items()}
    for field in _FIELDS.values():
        if field.name in singles:
            found[field.name] = _value(context, field, singles[field.name])
    found["alternates"] = tuple(alternates)
    found["extra"] = serialise(extras) if extras else None
    return {name: value for name, value in found.items() if value}


def _value(context: Context, field: Field, nodes: list[Node]) -> Any:
    """Return the value of an entry field from its elements: all for a list, else the first."""
    if not field.is_list:
        for node in nodes[1:]:
            code = _DUPLICATE_CODES.get(field.type, "S008")
            context.report(code, node.start, node.tag_end, node.name.key)
        nodes = nodes[:1]
    if is_leaf(field.type):
        values: list[Any] = [_text(node) for node in nodes]
    else:
        values = [_record(context, node, RECORDS[field.type]) for node in nodes]
    if field.is_list:
        return tuple(value for value in values if value is not None)
    return values[0]


def _record(context: Context, node: Node, record: RecordSchema) -> Any:
    """Convert an element to a record, such as an image; None for an image without a URL."""
    code = _DUPLICATE_CODES.get(record.name, "")
    children = _fields(context, node, code) if node.name.key in CHILDREN else {}
    values: dict[str, Any] = {}
    containers: dict[str, dict[str, Node]] = {}
    for field, (elements, attribute) in _PLACES[record.name]:
        if not elements:
            values[field.name] = _attribute(node, attribute) if attribute else _text(node)
            continue
        key, found = elements[-1], children
        for container in elements[:-1]:
            if container not in containers:
                inner = children.get(container)
                containers[container] = _fields(context, inner, code) if inner else {}
            found = containers[container]
        if field.is_list:
            values[field.name] = _value(context, field, _all(node, key))
        elif key in found:
            child = found[key]
            values[field.name] = (
                _attribute(child, attribute) if attribute else _value(context, field, [child])
            )
    if record.name == "Image" and values.get("loc") is None:
        context.report("G001", node.start, node.tag_end)
        return None
    return getattr(model, record.name)(**values)


def _all(node: Node, key: str) -> list[Node]:
    """Return the children of an element with a local name, in the namespace of the element."""
    return [c for c in node.children() if c.name.key == key and c.name.ns is node.name.ns]


def _unknown(context: Context, node: Node) -> None:
    context.report_once("S010", node.name.raw, node.start, node.tag_end, node.name.raw.decode())


def _text(node: Node) -> str | None:
    value = node.content()
    return (value.strip(SPACE) or None) if value is not None else None


def _attribute(node: Node, name: str) -> str | None:
    value = node.values.get(name.encode())
    return (value.strip(SPACE) or None) if value is not None else None


def _fields(context: Context, node: Node, code: str) -> dict[str, Node]:
    """Return the first child element of each name; report repetitions that are not allowed."""
    fields: dict[str, Node] = {}
    for child in node.children():
        key = child.name.key
        if child.name.role is Role.EXTRA:
            continue
        if key not in CHILDREN[node.name.key] or child.name.ns is not node.name.ns:
            _unknown(context, child)
        elif key not in fields:
            fields[key] = child
        elif key not in _REPEATABLE and code:
            context.report(code, child.start, child.tag_end, key)
    return fields


def _link(context: Context, node: Node, alternates: list[Alternate], extras: list[Node]) -> None:
    """Read one ``xhtml:link``: an alternate, or (``rel="amphtml"``) extra XML.

    An alternate without an ``href`` is dropped.
    """
    attributes = node.values
    rel = attributes.get(b"rel")
    is_other = rel is not None and "alternate" not in ascii_lower(rel).split(" ")
    if is_other and b"hreflang" not in attributes:
        extras.append(node)
        return
    values = [attributes.get(name) for name in (b"hreflang", b"href", b"media")]
    hreflang, href, media = [(value or "").strip(SPACE) or None for value in values]
    if href is None:
        context.report("H001", node.start, node.tag_end, "href")
        return
    is_app = ascii_lower(href[:12]).startswith(("android-app:", "ios-app:"))
    if hreflang is None and media is None and not is_app:
        context.report("H001", node.start, node.tag_end, "hreflang")
    if rel != "alternate" and ascii_lower((rel or "").strip(SPACE)) != "alternate":
        context.report("H002", node.start, node.tag_end, rel or "nothing")
    alternates.append(Alternate(hreflang, href, media))
