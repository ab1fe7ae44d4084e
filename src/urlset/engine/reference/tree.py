"""Build the element tree of one entry from tags, and supply missing end tags.

Only the current entry is kept. An element without an end tag ends at the next tag that it cannot
contain. An entry that the end of the document cuts off is dropped.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from urlset.engine.reference.context import Context, ascii_lower
from urlset.engine.reference.names import CHILDREN, Bindings, Name, NameResolver, Role
from urlset.engine.reference.spans import is_well_nested
from urlset.engine.reference.tokens import LEAF, PAIR, Attribute, is_declaration
from urlset.engine.reference.values import cdata_text, text
from urlset.protocol import (
    MAX_ATTRIBUTES,
    MAX_DEPTH,
    MAX_NAMESPACES,
    MAX_NODES,
    MAX_URI,
    MAX_VALUE,
    Ns,
)


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
        self.name: Name = name
        self.attributes: Sequence[Attribute] = attributes
        self.values: dict[bytes, str | None] = values
        self.bindings: Bindings = bindings
        self.start: int = start
        self.tag_end: int = tag_end
        self.end: int = tag_end
        self.has_loc: bool = False
        self.has_text: bool = False
        self.is_cut: bool = False
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
        """Return whether every part of the text is known."""
        return None not in self._texts()

    def _texts(self) -> Iterator[str | None]:
        for item in self.items:
            if isinstance(item, Node):
                yield from item._texts()
            else:
                yield item


def begins_entry(name: Name, is_feed: bool) -> bool:
    """Return whether an element outside any entry begins one: ``url``, or a ``loc`` without it."""
    if is_feed:
        return name.key in ("item", "entry")
    return name.role is Role.ENTRY or (name.role is Role.VALUE and name.key == "loc")


def may_hold(top: Name, name: Name) -> bool:
    """Return whether an element of an entry may be a child of the element ``top``."""
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
    """Return whether an element belongs to this container, not to the one around it."""
    if container in ("tvshow", "publication"):
        return key in CHILDREN[container]
    return key != container


XML_SPACE = " \t\r\n"
_BLANK = re.compile(rb"[ \t\r\n]*+")
_BETWEEN = (Role.ROOT, Role.ENTRY, Role.CONTAINER)
_WITHIN = (Role.ENTRY, Role.CONTAINER)
_LEAVES = (Role.VALUE, Role.LEAF, Role.LINK)
_TEXTS = (Role.VALUE, Role.LEAF, Role.PLAIN)


class Tree:
    """Builds entries from tokens (a :class:`urlset.engine.reference.tokens.Handler`).

    ``begin`` is called with the root when it opens, ``finish`` with each entry that is
    complete. ``is_done`` is set when the root is closed.
    """

    def __init__(
        self,
        context: Context,
        names: NameResolver,
        begin: Callable[[Node], None],
        finish: Callable[[Node], None],
    ):
        self.context = context
        self.names = names
        self.begin = begin
        self.finish = finish
        self.stack: list[Node] = []
        self.entry_depth: int = 0
        self.is_done: bool = False
        self._nodes = 0
        self._overflow = 0
        self._closed_early: list[Node] = []

    # ── tokens ──

    def open(
        self, raw: bytes, attributes: list[Attribute], start: int, end: int, is_empty: bool
    ) -> None:
        """Process a start tag: open an element, after closing those that cannot contain it."""
        if len(self.stack) >= MAX_DEPTH or self._nodes >= MAX_NODES:
            self.context.report_once("X002", "depth", start, end, "too many elements, or too deep")
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
            self.context.report("S015", start, end, name.key)
        values = {attribute.name: attribute.value for attribute in attributes}
        self._push(Node(name, attributes, bindings, start, end, values))
        if len(self.stack) == 1:
            self.begin(self.stack[0])
        if is_empty:
            self._pop(end)

    def leaves(self, position: int) -> int:
        """Read consecutive elements that contain only text (``LEAF``); return their end offset.

        Equal to ``open``, ``text`` and ``close`` for each, in one step.
        """
        top, text = self.stack[-1], self.context.text
        may_be_any = top.name.role is Role.ENTRY
        while found := LEAF.match(text, position):
            raw, plain, value = found.groups()
            values: dict[bytes, str | None] = {}
            if plain:
                pairs = PAIR.findall(plain)
                values = {key: written.decode() for key, written in pairs}
                if not len(values) == len(pairs) <= MAX_ATTRIBUTES or b"xmlns" in values:
                    break
            start, end = found.start(1) - 1, found.end()
            tag_end = end if value is None else found.start(3)
            if self._overflow or self._nodes >= MAX_NODES or len(self.stack) >= MAX_DEPTH:
                break
            name = self.names.resolve(raw, top.bindings, start, tag_end)
            if name.role not in _LEAVES or (values and name.role is Role.VALUE):
                break
            if not (may_be_any or may_hold(top.name, name)):
                break
            node = Node(name, (), top.bindings, start, tag_end, values)
            if value is not None:
                node.end = tag_end + len(value)
                if value:
                    node.items.append(value.replace(b"&amp;", b"&").decode())
            top.items.append(node)
            top.has_loc = top.has_loc or _is_loc(name)
            self._nodes += 1
            position = end
        return position

    def close(self, raw: bytes, start: int, end: int) -> None:
        """Process an end tag: close the innermost element of its name and all elements in it."""
        if self._overflow:
            self._overflow -= 1
            return
        depth = self._find(raw, start, end)
        if depth is None:
            self._close_late(raw, start, end)
            return
        while len(self.stack) > depth + 1:
            top = self.stack[-1]
            if top.name.role in (Role.UNKNOWN, Role.EXTRA):
                top.items.append(None)  # a tag, or "<" in text: ambiguous
            self._pop_unclosed(start)
        self._pop(start)

    def end_text(self) -> None:
        """Process an end tag without a name: later text is not part of the value before it."""
        if not self._overflow:
            self._cut()

    def text(self, start: int, end: int) -> None:
        """Add character data to the open element; ignore white space between elements."""
        if self.stack and self.stack[-1].name.role in _BETWEEN and self._is_blank(start, end):
            return
        self._add(text(self.context, start, end), start, end)

    def cdata(self, start: int, end: int) -> None:
        """Add the text of a CDATA section to the open element."""
        self._add(cdata_text(self.context, start, end), start, end)

    def misc(self, start: int, end: int) -> None:
        """Process a comment or a processing instruction; report one inside a value."""
        if is_declaration(self.context.text, start):
            self.context.report("X024", start, end)
        elif self.stack and self.stack[-1].name.role is Role.VALUE:
            self.context.report("X023", start, end, self.stack[-1].name.key)

    # ── elements ──

    @property
    def is_in_entry(self) -> bool:
        """Whether an entry is open."""
        return self.entry_depth > 0

    @property
    def is_outside(self) -> bool:
        """Whether the root is open and no element in it."""
        return len(self.stack) == 1 and not self.entry_depth and not self._overflow

    @property
    def is_between(self) -> bool:
        """Whether the innermost open element is an entry or a container: white space is ignored."""
        return self.entry_depth > 0 and self.stack[-1].name.role in _WITHIN

    def _push(self, node: Node) -> None:
        if self.is_in_entry:
            top = self.stack[-1]
            if not top.is_cut:
                top.items.append(node)
            top.has_loc = top.has_loc or _is_loc(node.name)
            self._nodes += 1
        self.stack.append(node)
        if not self.is_in_entry and begins_entry(node.name, self.names.is_feed):
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
        self.context.report(
            "X002", node.start, node.tag_end, f"<{node.name.raw.decode()}> is not closed"
        )
        self._pop(end)

    def _close_early(self, end: int) -> None:
        """Close the innermost element before a tag that it cannot contain, and report that."""
        top = self.stack[-1]
        self._closed_early = [*self._closed_early[1 - MAX_DEPTH :], top]
        self._pop_unclosed(end)

    def _close_late(self, raw: bytes, start: int, end: int) -> None:
        """Process and report an end tag that has no open element.

        If it belongs to an element that was closed early, no tag is missing: a value contained
        markup (S017), and the XML is well-formed.
        """
        for number in range(len(self._closed_early) - 1, -1, -1):
            node = self._closed_early[number]
            if node.name.raw == raw:
                del self._closed_early[number]
                if self.context.retract("X002", node.start):
                    self.context.report("S017", node.start, node.tag_end, node.name.key)
                return
        self.context.report("X002", start, end, f"</{raw.decode()}> closes nothing")
        self._cut()

    def _cut(self) -> None:
        """Ignore later text of the open value: after a wrong end tag its owner is uncertain."""
        if not self.is_in_entry or not (top := self.stack[-1]).has_text:
            return
        is_item = top.name.role is Role.PLAIN and len(self.stack) == self.entry_depth
        top.is_cut = top.is_cut or (top.name.role in _TEXTS and not is_item)

    def _bind(self, outer: Bindings, attributes: list[Attribute]) -> Bindings:
        """Return the namespaces in scope; the same object if the element declares none."""
        bindings = outer
        for attribute in attributes:
            is_prefix = attribute.name.startswith(b"xmlns:")
            if len(attribute.value or "") > MAX_URI:
                continue
            if attribute.name == b"xmlns" or (is_prefix and attribute.value):
                bindings = dict(outer) if bindings is outer else bindings
                if len(bindings) < MAX_NAMESPACES:
                    bindings[attribute.name[6:]] = attribute.value or ""
        for name, _, start, end in attributes:
            if b":" not in name:
                continue
            prefix = name.rpartition(b":")[0]
            if prefix and prefix not in (b"xml", b"xmlns") and prefix not in bindings:
                self.context.report_once("X020", prefix, start, end, prefix.decode())
        return bindings

    def _find(self, raw: bytes, start: int, end: int) -> int | None:
        """Return the depth of the element that an end tag closes; letter case is the fallback."""
        stack = self.stack
        for depth in range(len(stack) - 1, -1, -1):
            if stack[depth].name.raw == raw:
                return depth
        lower = raw.lower()
        for depth in range(len(stack) - 1, -1, -1):
            name = stack[depth].name.raw
            if len(name) == len(raw) and name.lower() == lower:
                self.context.report("S006", start, end, f"/{raw.decode()}")
                return depth
        return None

    def _is_blank(self, start: int, end: int) -> bool:
        found = _BLANK.match(self.context.text, start, end)
        return found is not None and found.end() == end

    def _add(self, value: str | None, start: int, end: int) -> None:
        if self._overflow or not self.stack:
            return
        top = self.stack[-1]
        if self.is_in_entry and not top.is_cut:
            top.items.append(value)
            top.has_text = top.has_text or value is None or bool(value.strip(XML_SPACE))
        if top.name.role in (Role.ROOT, Role.ENTRY) and value and value.strip(XML_SPACE):
            self.context.report("S013", start, end, top.name.key)

    # ── placement of elements ──

    def _end_item_before(self, name: Name, start: int) -> None:
        if name.key in ("item", "entry"):
            while self.is_in_entry and not self._is_well_nested():
                self._close_early(start)

    def _place(self, name: Name, start: int, end: int) -> Name:
        """Close elements that cannot contain the new one; return its name within its parent."""
        while self.is_in_entry:
            top = self.stack[-1].name
            if top.role is Role.CONTAINER and (adopted := self._adopt(name, start, end)):
                return adopted
            if may_hold(top, name):
                break
            if self._is_foreign(name) and self._is_well_nested():
                return name._replace(role=Role.UNKNOWN)
            self._close_early(start)
        return name

    def _is_foreign(self, name: Name) -> bool:
        """Return whether the element is content of the open element, if that has its end tag.

        Structured data inside an entry has its own ``url`` and ``loc``. An entry directly inside
        an entry without a loc is an entry: the outer one only wraps it.
        """
        top = self.stack[-1]
        if name.role is Role.VALUE:
            return top.name.role in (Role.CONTAINER, Role.LEAF)
        if name.role not in (Role.ENTRY, Role.ROOT):
            return False
        return top.name.role is not Role.ENTRY or top.has_loc

    def _is_well_nested(self) -> bool:
        """Return whether the innermost element and each element in it has its end tag."""
        return is_well_nested(self.context, self.stack[-1].start)

    def _adopt(self, name: Name, start: int, end: int) -> Name | None:
        """Return the name for an element that lacks its prefix, as ``loc`` in ``image:image``."""
        container = self.stack[-1]
        key = ascii_lower(name.key)
        if name.ns is not Ns.CORE or key not in CHILDREN[container.name.key]:
            return None
        if any(child.name.key == key for child in container.children()):
            return None
        self.context.report_once("S011", name.raw, start, end, name.raw.decode())
        role = Role.CONTAINER if key in CHILDREN else Role.LEAF
        return Name(name.raw, container.name.ns, key, role, container.name.uri)


def _is_loc(name: Name) -> bool:
    return name.role is Role.VALUE and name.key == "loc"
