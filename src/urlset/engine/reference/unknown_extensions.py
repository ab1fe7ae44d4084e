"""Serialise extensions without a column as self-contained XML.

Namespaces are declared where they are used, values are escaped, comments are dropped: the same
element yields the same text in any document, and parsing that text yields the element.
"""

from __future__ import annotations

from urlset.engine.reference.nodes import Node
from urlset.engine.reference.values import escape
from urlset.protocol import NAMESPACES, SITEMAP_NS, URIS

__all__ = ["serialise"]

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
    """Whether a name has no colon and is not reserved by XML."""
    return bool(name) and ":" not in name and name != "xmlns"


def _right(uri: str) -> str:
    """Return the official spelling of a namespace."""
    ns = NAMESPACES.get(uri.strip(" \t\r\n"))
    return URIS[ns] if ns is not None else uri
