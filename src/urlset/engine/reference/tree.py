"""The tree of one entry: start and end tags made into elements, missing ends supplied.

Only the entry being read is kept. Where a tag is missing, an element ends at the next tag that
cannot stand inside it; an entry that the end of the document cuts off is not an entry.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from urlset.engine.reference.context import Context, ascii_lower
from urlset.engine.reference.names import CHILDREN, Bindings, Name, Names, Role
from urlset.engine.reference.tokens import Attribute
from urlset.engine.reference.values import cdata_text, text
from urlset.protocol import MAX_DEPTH, MAX_NAMESPACES, MAX_NODES, MAX_VALUE, Ns

__all__ = ["Node", "Tree"]

XML_SPACE = " \t\r\n"
_BLANK = re.compile(rb"[ \t\r\n]*+")
_BETWEEN = frozenset((Role.ROOT, Role.ENTRY, Role.CONTAINER))
_WITHIN = frozenset((Role.ENTRY, Role.CONTAINER))
_NO_ATTRIBUTES: list[Attribute] = []


class Node:
    """An element: ``items`` are its texts (None: uncertain) and elements in document order.

    ``start`` and ``tag_end`` span its start tag; ``end`` is where its content ended.
    """

    __slots__ = ("attributes", "bindings", "end", "items", "name", "start", "tag_end")

    def __init__(
        self, name: Name, attributes: list[Attribute], bindings: Bindings, start: int, tag_end: int
    ):
        self.name = name
        self.attributes = attributes
        self.bindings = bindings
        self.start = start
        self.tag_end = tag_end
        self.end = tag_end
        self.items: list[str | Node | None] = []

    def children(self) -> Iterator[Node]:
        """The elements directly inside."""
        return (item for item in self.items if isinstance(item, Node))

    def attribute(self, name: bytes) -> str | None:
        """The value of an attribute, or None."""
        for attribute in self.attributes:
            if attribute.name == name:
                return attribute.value
        return None

    def content(self) -> str | None:
        """All the text inside, joined; None where a part of it is uncertain or it is too long."""
        if len(self.items) == 1 and isinstance(first := self.items[0], str):
            return first if len(first) <= MAX_VALUE else None
        pieces: list[str] = []
        for piece in self._texts():
            if piece is None:
                return None
            pieces.append(piece)
        value = "".join(pieces)
        return value if len(value) <= MAX_VALUE else None

    def _texts(self) -> Iterator[str | None]:
        for item in self.items:
            if isinstance(item, Node):
                yield from item._texts()
            else:
                yield item


class Tree:
    """Builds entries out of markup (a :class:`urlset.engine.reference.tokens.Handler`).

    ``begin`` is called with the root when it opens, ``finish`` with each entry that is
    complete. ``is_done`` tells that the root was closed.
    """

    def __init__(
        self,
        context: Context,
        names: Names,
        begin: Callable[[Node], None],
        finish: Callable[[Node], None],
    ):
        self.context = context
        self.names = names
        self.begin = begin
        self.finish = finish
        self.stack: list[Node] = []
        self.entry_depth = 0
        self.is_done = False
        self._nodes = 0
        self._overflow = 0

    # ── what the tokens say ──

    def open(
        self, raw: bytes, attributes: list[Attribute], start: int, end: int, is_empty: bool
    ) -> None:
        """Take a start tag."""
        if len(self.stack) >= MAX_DEPTH or self._nodes >= MAX_NODES:
            self.context.mark_once("X002", "depth", start, end, "too many elements, or too deep")
            self._overflow += not is_empty
            return
        bindings = self.stack[-1].bindings if self.stack else {}
        if attributes:
            bindings = self._bind(bindings, attributes)
        if not self.stack:
            self.names.set_root(raw, bindings, start, end)
        name = self.names.resolve(raw, bindings, start, end)
        if self.names.is_feed:
            self._end_item_before(name, start)
        else:
            name = self._place(name, start, end)
        if name.role is Role.ROOT and self.stack:
            self.context.mark("S015", start, end, name.key)
        self._push(Node(name, attributes, bindings, start, end))
        if len(self.stack) == 1:
            self.begin(self.stack[0])
        if is_empty:
            self._pop(end)

    def leaf(self, raw: bytes, start: int, tag_end: int, end: int, value: str) -> bool:
        """Take an element without attributes that holds plain text alone, within an entry.

        The same as ``open``, ``text`` and ``close``, in one step; False where it cannot be.
        """
        top = self.stack[-1]
        if self._overflow or self._nodes >= MAX_NODES or len(self.stack) >= MAX_DEPTH:
            return False
        name = self.names.resolve(raw, top.bindings, start, tag_end)
        if name.role is not Role.LEAF and (
            name.role is not Role.VALUE or top.name.role is not Role.ENTRY
        ):
            return False
        if name.role is Role.LEAF and not _may_hold(top.name, name):
            return False
        node = Node(name, _NO_ATTRIBUTES, top.bindings, start, tag_end)
        node.end = end
        node.items.append(value)
        top.items.append(node)
        self._nodes += 1
        return True

    def close(self, raw: bytes, start: int, end: int) -> None:
        """Take an end tag: it ends the nearest element of its name, and all inside that."""
        if self._overflow:
            self._overflow -= 1
            return
        depth = self._find(raw, start, end)
        if depth is None:
            self.context.mark("X002", start, end, f"</{raw.decode()}> closes nothing")
            return
        while len(self.stack) > depth + 1:
            self._pop_unclosed(start)
        self._pop(start)

    def text(self, start: int, end: int) -> None:
        """Take character data; white space between elements is nothing."""
        if self.stack and self.stack[-1].name.role in _BETWEEN and self._is_blank(start, end):
            return
        self._add(text(self.context, start, end), start, end)

    def cdata(self, start: int, end: int) -> None:
        """Take the inside of a CDATA section."""
        self._add(cdata_text(self.context, start, end), start, end)

    def aside(self, start: int, end: int) -> None:
        """Take a comment or a processing instruction."""
        if self.context.text.startswith(b"<?xml", start) and self.context.text[
            start + 5 : start + 6
        ] in (b" ", b"\t", b"\r", b"\n"):
            self.context.mark("X024", start, end)
        elif self.stack and self.stack[-1].name.role is Role.VALUE:
            self.context.mark("X023", start, end, self.stack[-1].name.key)

    # ── elements ──

    @property
    def is_in_entry(self) -> bool:
        """Whether an entry is open."""
        return self.entry_depth > 0

    @property
    def is_between(self) -> bool:
        """Whether an entry is open, and in it an element whose white space is nothing."""
        return self.entry_depth > 0 and self.stack[-1].name.role in _WITHIN

    def _push(self, node: Node) -> None:
        if self.is_in_entry:
            self.stack[-1].items.append(node)
            self._nodes += 1
        self.stack.append(node)
        if not self.is_in_entry and _begins_entry(node.name, self.names.is_feed):
            self.entry_depth = len(self.stack)

    def _pop(self, end: int) -> None:
        node = self.stack.pop()
        node.end = end
        if len(self.stack) + 1 == self.entry_depth:
            self.entry_depth = self._nodes = 0
            self.finish(node)
        self.is_done = not self.stack

    def _pop_unclosed(self, end: int) -> None:
        node = self.stack[-1]
        self.context.mark(
            "X002", node.start, node.tag_end, f"<{node.name.raw.decode()}> is not closed"
        )
        self._pop(end)

    def _bind(self, outer: Bindings, attributes: list[Attribute]) -> Bindings:
        """The namespaces in scope; the same object where the element declares none."""
        bindings = outer
        for attribute in attributes:
            if attribute.name == b"xmlns" or attribute.name.startswith(b"xmlns:"):
                bindings = dict(outer) if bindings is outer else bindings
                if len(bindings) < MAX_NAMESPACES:
                    bindings[attribute.name[6:]] = attribute.value or ""
        for name, _, start, end in attributes:
            if b":" not in name:
                continue
            prefix = name.rpartition(b":")[0]
            if prefix and prefix not in (b"xml", b"xmlns") and prefix not in bindings:
                self.context.mark_once("X020", prefix, start, end, prefix.decode())
        return bindings

    def _find(self, raw: bytes, start: int, end: int) -> int | None:
        """The depth of the element that an end tag means: by its name, else in any case."""
        stack = self.stack
        for depth in range(len(stack) - 1, -1, -1):
            if stack[depth].name.raw == raw:
                return depth
        lower = raw.lower()
        for depth in range(len(stack) - 1, -1, -1):
            if stack[depth].name.raw.lower() == lower:
                self.context.mark("S006", start, end, f"/{raw.decode()}")
                return depth
        return None

    def _is_blank(self, start: int, end: int) -> bool:
        found = _BLANK.match(self.context.text, start, end)
        return found is not None and found.end() == end

    def _add(self, value: str | None, start: int, end: int) -> None:
        if self._overflow or not self.stack:
            return
        top = self.stack[-1]
        if self.is_in_entry:
            top.items.append(value)
        if top.name.role in (Role.ROOT, Role.ENTRY) and value and value.strip(XML_SPACE):
            self.context.mark("S013", start, end, top.name.key)

    # ── which element goes where ──

    def _end_item_before(self, name: Name, start: int) -> None:
        if name.key in ("item", "entry"):
            while self.is_in_entry:
                self._pop_unclosed(start)

    def _place(self, name: Name, start: int, end: int) -> Name:
        """End what cannot hold this element; give the name under which it stands here."""
        while self.is_in_entry:
            top = self.stack[-1].name
            if top.role is Role.CONTAINER and (adopted := self._adopt(name, start, end)):
                return adopted
            if _may_hold(top, name):
                break
            self._pop_unclosed(start)
        return name

    def _adopt(self, name: Name, start: int, end: int) -> Name | None:
        """Take ``<loc>`` inside ``<image:image>`` for an ``image:loc`` that lost its prefix."""
        container = self.stack[-1]
        key = ascii_lower(name.key)
        if name.ns is not Ns.CORE or key not in CHILDREN[container.name.key]:
            return None
        if any(child.name.key == key for child in container.children()):
            return None
        self.context.mark_once("S011", name.raw, start, end, name.raw.decode())
        role = Role.CONTAINER if key in CHILDREN else Role.LEAF
        return Name(name.raw, container.name.ns, key, role, container.name.uri)


def _begins_entry(name: Name, is_feed: bool) -> bool:
    if is_feed:
        return name.key in ("item", "entry")
    return name.role is Role.ENTRY or (name.role is Role.VALUE and name.key == "loc")


def _may_hold(top: Name, name: Name) -> bool:
    """Whether an element may stand inside the one that is open, within an entry."""
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
    """Whether an element goes into this container rather than into the one around it."""
    if container in ("tvshow", "publication"):
        return key in CHILDREN[container]
    return key != container
