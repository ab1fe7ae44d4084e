"""Element of the entry being parsed, and the rules of which element may contain which."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from urlset.engine.reference.names import CHILDREN, Bindings, Name, Role
from urlset.engine.reference.tokens import Attribute
from urlset.protocol import MAX_VALUE

__all__ = ["Node", "begins_entry", "may_hold"]


class Node:
    """Element: ``items`` are its texts (None: uncertain) and child elements in document order.

    ``start`` and ``tag_end`` are the span of its start tag; ``end`` is the end of its content.
    ``values`` are its attributes by name; ``attributes`` also have spans, and are empty if the
    fast path read them. ``has_text``: it contains text other than white space; ``has_loc``: a child
    is a loc; ``is_cut``: a wrong end tag ended its value, and later text is not part of it.
    """

    __slots__ = (
        "attributes",
        "bindings",
        "end",
        "has_loc",
        "has_text",
        "is_cut",
        "items",
        "name",
        "start",
        "tag_end",
        "values",
    )

    def __init__(
        self,
        name: Name,
        attributes: Sequence[Attribute],
        bindings: Bindings,
        start: int,
        tag_end: int,
        values: dict[bytes, str | None],
    ):
        self.name = name
        self.attributes = attributes
        self.values = values
        self.bindings = bindings
        self.start = start
        self.tag_end = tag_end
        self.end = tag_end
        self.has_loc = self.has_text = self.is_cut = False
        self.items: list[str | Node | None] = []

    def children(self) -> Iterator[Node]:
        """Return the child elements."""
        return (item for item in self.items if isinstance(item, Node))

    def content(self) -> str | None:
        """Return the text of the element and its descendants; None if uncertain or too long."""
        if len(self.items) == 1 and isinstance(first := self.items[0], str):
            return first if len(first) <= MAX_VALUE else None
        pieces: list[str] = []
        for piece in self._texts():
            if piece is None:
                return None
            pieces.append(piece)
        value = "".join(pieces)
        return value if len(value) <= MAX_VALUE else None

    def is_certain(self) -> bool:
        """Whether every part of the text is known."""
        return None not in self._texts()

    def _texts(self) -> Iterator[str | None]:
        for item in self.items:
            if isinstance(item, Node):
                yield from item._texts()
            else:
                yield item


def begins_entry(name: Name, is_feed: bool) -> bool:
    """Whether an element outside any entry starts one, such as ``url`` or a ``loc`` without it."""
    if is_feed:
        return name.key in ("item", "entry")
    return name.role is Role.ENTRY or (name.role is Role.VALUE and name.key == "loc")


def may_hold(top: Name, name: Name) -> bool:
    """Whether an element of an entry may be a child of the open element."""
    if name.role in (Role.ENTRY, Role.ROOT):
        return False
    if top.role in (Role.ENTRY, Role.UNKNOWN, Role.EXTRA):
        return True
    if top.role is Role.CONTAINER:
        if name.role in (Role.LEAF, Role.CONTAINER):
            return name.ns is top.ns and _belongs(name.key, top.key)
        return name.role in (Role.UNKNOWN, Role.EXTRA)
    return name.role in (Role.UNKNOWN, Role.EXTRA)


def _belongs(key: str, container: str) -> bool:
    """Whether an element belongs to this container, not to the one around it."""
    if container in ("tvshow", "publication"):
        return key in CHILDREN[container]
    return key != container
