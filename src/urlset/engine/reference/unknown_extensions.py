"""Extensions without a column, written again as XML that stands on its own.

Namespaces are declared where they are used, values escaped, comments left out: the same
element gives the same text wherever it came from, and reading that text gives it again.
"""

from __future__ import annotations

from urlset.engine.reference.nodes import Node
from urlset.engine.reference.values import escape
from urlset.protocol import NAMESPACES, SITEMAP_NS, URIS

__all__ = ["serialise"]

_OUTER = {"": SITEMAP_NS, "xml": "http://www.w3.org/XML/1998/namespace"}


def serialise(nodes: list[Node]) -> str:
    """Write elements one after another; what has no namespace in scope is left out."""
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
    for raw, value in node.said.items():
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
    """A name without a colon inside, and not one that XML reserves."""
    return bool(name) and ":" not in name and name != "xmlns"


def _right(uri: str) -> str:
    """The right spelling of a namespace."""
    ns = NAMESPACES.get(uri.strip(" \t\r\n"))
    return URIS[ns] if ns is not None else uri
