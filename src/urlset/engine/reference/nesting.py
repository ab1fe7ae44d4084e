"""Find well-nested elements: each start tag in them has its end tag, in the right order.

An entry inside a well-nested element is content of that element. Inside any other element it
shows that an end tag is missing.
"""

from __future__ import annotations

from collections import Counter

from urlset.engine.reference.context import Context
from urlset.engine.reference.tokens import begins_name, end_tag, start_tag

__all__ = ["is_well_nested"]

_WITHOUT_CHILDREN = frozenset((b"lastmod", b"changefreq", b"priority"))  # never looked up


class _Open:
    """Open element; ``is_damaged`` if a tag inside it has no counterpart."""

    __slots__ = ("is_damaged", "name", "start")

    def __init__(self, name: bytes, start: int):
        self.name = name
        self.start = start
        self.is_damaged = False


def is_well_nested(context: Context, start: int) -> bool:
    """Whether the element at ``start`` and each element in it has its end tag.

    The first call scans the document once; later calls look the answer up.
    """
    if context.well_nested is None:
        context.well_nested = _well_nested_elements(context.text, context.root_start)
    return start in context.well_nested


def _well_nested_elements(text: bytes, position: int) -> set[int]:
    found: set[int] = set()
    stack: list[_Open] = []
    count: Counter[bytes] = Counter()
    while True:
        start = text.find(b"<", position)
        position = _after(text, start)
        if start < 0 or position < 0:
            return found
        following = text[start + 1 : start + 2]
        if following == b"/" and (closed := end_tag(text, start)):
            name, position, _ = closed
            if name is None or not count[name]:
                if stack:
                    stack[-1].is_damaged = True
                continue
            is_damaged = False
            while (top := stack.pop()).name != name:
                count[top.name] -= 1
                is_damaged = True
            count[name] -= 1
            is_damaged = is_damaged or top.is_damaged
            if not is_damaged and name not in _WITHOUT_CHILDREN:
                found.add(top.start)
            if is_damaged and stack:
                stack[-1].is_damaged = True
        elif begins_name(following) and (opened := start_tag(text, start)):
            name, name_end, position = opened
            if text[position - 2] != 0x2F or position - 2 < name_end:  # does not end in />
                stack.append(_Open(name, start))
                count[name] += 1


def _after(text: bytes, start: int) -> int:
    """Return the position after a comment, a section or an instruction; -1 if it has no end.

    For any other ``<`` that is the next byte.
    """
    for opener, closer in ((b"<!--", b"-->"), (b"<![CDATA[", b"]]>"), (b"<?", b"?>")):
        if text.startswith(opener, start):
            end = text.find(closer, start + len(opener))
            return end + len(closer) if end >= 0 else -1
    return start + 1
