"""Resolve names of elements to their role in a sitemap, by namespace and local name."""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum
from typing import NamedTuple

from urlset.engine.reference.context import Context
from urlset.fields import ENTRY, EXTENSIONS, container_elements, is_leaf, place_of
from urlset.protocol import MAX_NAMES, NAMESPACES, PREFIXES, SITEMAP_NS, URIS, Ns

Bindings = dict[bytes, str]

_XML_NS = "http://www.w3.org/XML/1998/namespace"  # its prefix needs no declaration

ROOTS = ("urlset", "sitemapindex")
VALUES = frozenset(field.element for field in ENTRY.fields if field.element and not field.prefix)

CHILDREN: dict[str, frozenset[str]] = {
    container: frozenset(names) for container, names in container_elements().items()
}
"""The elements that each container of an extension may hold."""


def _with_children(element: str) -> Iterator[str]:
    yield element
    for child in CHILDREN.get(element, ()):
        yield from _with_children(child)


_MOVED = {
    place_of(field).elements[0]: PREFIXES[field.prefix]
    for field in EXTENSIONS
    if not is_leaf(field.type)
}
_EXTENSIONS = {
    PREFIXES[field.prefix]: frozenset(_with_children(place_of(field).elements[0]))
    for field in EXTENSIONS
    if field.prefix
}
_KNOWN = {Ns.CORE: frozenset((*ROOTS, "url", "sitemap", *VALUES)), **_EXTENSIONS}


class Role(IntEnum):
    """Role of an element in a sitemap."""

    ROOT = 0
    ENTRY = 1
    VALUE = 2
    CONTAINER = 3
    LEAF = 4
    LINK = 5
    UNKNOWN = 6
    EXTRA = 7
    PLAIN = 8


class Name(NamedTuple):
    """Resolved element name: its role, and ``key``, the local name in the case of the protocol."""

    raw: bytes
    ns: Ns
    key: str
    role: Role
    uri: str | None


class NameResolver:
    """Resolver of the element names of one document; reports each wrong name once."""

    def __init__(self, context: Context, *, is_feed: bool):
        self.context = context
        self.is_feed = is_feed
        self.root_prefix: bytes | None = None
        self.root_uri: str | None = None
        self._cache: dict[bytes, Name] = {}
        self._bindings: Bindings = {}

    def resolve(self, raw: bytes, bindings: Bindings, start: int, end: int) -> Name:
        """Return the resolved name of an element within these namespace bindings."""
        if bindings is not self._bindings:
            self._bindings = bindings
            self._cache.clear()
        name = self._cache.get(raw)
        if name is None:
            if len(self._cache) >= MAX_NAMES:
                self._cache.clear()
            name = self._cache[raw] = self._resolve(raw, bindings, start, end)
        return name

    def set_root(self, raw: bytes, bindings: Bindings, start: int, end: int) -> None:
        """Set the namespace of the root as that of the protocol, even if it is another one."""
        if self.is_feed:
            return
        prefix, _, local = raw.rpartition(b":")
        uri = bindings.get(prefix) or None
        self.root_prefix, self.root_uri = prefix, uri
        if uri:
            if uri != SITEMAP_NS:
                self.context.report_once("S003", uri, start, end, uri)
        elif prefix:
            self.context.report_once("X020", prefix, start, end, prefix.decode())
        else:
            self.context.report_once("S002", None, start, end, local.decode())

    def _resolve(self, raw: bytes, bindings: Bindings, start: int, end: int) -> Name:
        prefix, _, rest = raw.rpartition(b":")
        local, lower = rest.decode(), rest.lower().decode()
        if self.is_feed:
            if prefix and prefix not in bindings and prefix != b"xml":
                self.context.report_once("X020", prefix, start, end, prefix.decode())
            return Name(raw, Ns.OTHER, lower, Role.PLAIN, bindings.get(prefix))
        ns, uri = self._namespace(prefix, local, bindings, start, end)
        known = lower in _KNOWN.get(ns, ())
        if known and lower != local:
            self.context.report_once("S006", raw, start, end, local)
        if ns is Ns.CORE and lower in _MOVED and not known:
            self.context.report_once("S011", raw, start, end, local)
            ns, known = _MOVED[lower], True
        key = lower if known else local
        return Name(raw, ns, key, _role(ns, key), uri)

    def _namespace(
        self, prefix: bytes, local: str, bindings: Bindings, start: int, end: int
    ) -> tuple[Ns, str | None]:
        uri = _XML_NS if prefix == b"xml" else bindings.get(prefix) or None
        if prefix == self.root_prefix and uri == self.root_uri:
            return Ns.CORE, SITEMAP_NS
        if uri is None and not prefix:
            self.context.report_once("S002", None, start, end, local)
            return Ns.CORE, SITEMAP_NS
        if uri is None:
            ns = PREFIXES.get(prefix.lower().decode(), Ns.OTHER)
            self.context.report_once("X020", prefix, start, end, prefix.decode())
            return ns, URIS.get(ns)
        stripped = uri.strip(" \t\r\n")
        ns = NAMESPACES.get(stripped, Ns.OTHER)
        if ns is Ns.OTHER:
            return ns, uri
        if uri != URIS[ns]:
            self.context.report_once("S003" if ns is Ns.CORE else "S004", uri, start, end, uri)
        return ns, URIS[ns]


def _role(ns: Ns, key: str) -> Role:
    if ns is Ns.CORE:
        if key in ROOTS:
            return Role.ROOT
        if key in ("url", "sitemap"):
            return Role.ENTRY
        return Role.VALUE if key in VALUES else Role.UNKNOWN
    if ns is Ns.XHTML:
        return Role.LINK if key == "link" else Role.EXTRA
    if ns not in _EXTENSIONS:
        return Role.EXTRA
    return Role.CONTAINER if key in CHILDREN and key in _EXTENSIONS[ns] else Role.LEAF
