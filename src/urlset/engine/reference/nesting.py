"""Find well-nested elements: each start tag in them has its end tag, in the right order.

An entry inside a well-nested element is content of that element. Inside any other element it
shows that an end tag is missing.
"""

from __future__ import annotations

from collections import Counter

from urlset.engine.reference.context import Context
from urlset.engine.reference.tokens import tags

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
    for name, start, _, is_end, is_empty in tags(text, position):
        if is_end:
            if not count[name]:
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
        elif not is_empty:
            stack.append(_Open(name, start))
            count[name] += 1
    return found
