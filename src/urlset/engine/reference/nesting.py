"""Which elements are well nested: each start tag in them has its end tag, in the right order.

An entry inside such an element is content of that element. Inside any other it shows that an end
tag is missing.
"""

from __future__ import annotations

from collections import Counter

from urlset.engine.reference.context import Context
from urlset.engine.reference.tokens import begins_name, end_tag, start_tag

__all__ = ["is_whole"]

_NEVER_ASKED = frozenset((b"lastmod", b"changefreq", b"priority"))  # they hold no elements


class _Open:
    """An element that is open; ``is_damaged`` when a tag inside it has no partner."""

    __slots__ = ("is_damaged", "name", "start")

    def __init__(self, name: bytes, start: int):
        self.name = name
        self.start = start
        self.is_damaged = False


def is_whole(context: Context, start: int) -> bool:
    """Tell whether the element at ``start`` has its end tag, and so has each element in it.

    The first question reads the document once; others only look up.
    """
    if context.whole is None:
        context.whole = _whole_elements(context.text, context.root_start)
    return start in context.whole


def _whole_elements(text: bytes, position: int) -> set[int]:
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
            if not is_damaged and name not in _NEVER_ASKED:
                found.add(top.start)
            if is_damaged and stack:
                stack[-1].is_damaged = True
        elif begins_name(following) and (opened := start_tag(text, start)):
            name, name_end, position = opened
            if text[position - 2] != 0x2F or position - 2 < name_end:  # does not end in />
                stack.append(_Open(name, start))
                count[name] += 1


def _after(text: bytes, start: int) -> int:
    """Where to go on behind a comment, a section or an instruction; -1 where it has no end.

    Behind any other ``<`` that is the next byte.
    """
    for opener, closer in ((b"<!--", b"-->"), (b"<![CDATA[", b"]]>"), (b"<?", b"?>")):
        if text.startswith(opener, start):
            end = text.find(closer, start + len(opener))
            return end + len(closer) if end >= 0 else -1
    return start + 1
