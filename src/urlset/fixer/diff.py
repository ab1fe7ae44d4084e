"""Unified diff of a fixed document, computed in one pass because documents can be large."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from urlset.fixer.fix_set import FixedDocument

__all__ = ["unified_diff"]

CONTEXT = 3
"""Context lines around a change."""

LOOK_AHEAD = 200
"""Lines within which the two documents are searched for the next common line."""


class _Hunk(NamedTuple):
    """Lines ``a`` to ``b`` of the old document, replaced by lines ``c`` to ``d`` of the new one."""

    a: int
    b: int
    c: int
    d: int


def unified_diff(document: FixedDocument) -> Iterator[str]:
    r"""Return the lines of a unified diff of a fixed document, each with its line end.

    The decompressed texts are compared.

    Args:
        document: Document of :attr:`urlset.Fixed.documents`.

    Yields:
        Lines; none if nothing changed.

    >>> document = FixedDocument("a.txt", "a.txt", b"", b"", b"1\n 2\n", b"1\n2\n")
    >>> print("".join(unified_diff(document)), end="")
    --- a.txt
    +++ a.txt
    @@ -1,2 +1,2 @@
     1
    - 2
    +2
    """
    old, new = (_lines(text) for text in (document.text_before, document.text_after))
    hunks = list(_hunks(old, new))
    is_new = document.before is None
    if not hunks:
        if document.before != document.after:
            yield f"--- {document.name}\n+++ {document.name}\n# compressed again\n"
        return
    yield f"--- {'/dev/null' if is_new else document.name}\n"
    yield f"+++ {document.name}\n"
    for group in _grouped(hunks):
        yield from _shown(group, old, new)


def _lines(text: bytes) -> list[str]:
    return text.decode(errors="backslashreplace").splitlines(keepends=True) if text else []


def _hunks(old: list[str], new: list[str]) -> Iterator[_Hunk]:
    a = c = 0
    while a < len(old) or c < len(new):
        while a < len(old) and c < len(new) and old[a] == new[c]:
            a, c = a + 1, c + 1
        if a == len(old) and c == len(new):
            return
        b, d = _next_match(old, new, a, c)
        yield _Hunk(a, b, c, d)
        a, c = b, d


def _next_match(old: list[str], new: list[str], a: int, c: int) -> tuple[int, int]:
    """Return the positions of the next common line with the fewest lines before it."""
    ahead: dict[str, int] = {}
    for number in range(min(LOOK_AHEAD, len(new) - c)):
        ahead.setdefault(new[c + number], number)
    best: tuple[int, int] | None = None
    for number in range(min(LOOK_AHEAD, len(old) - a)):
        other = ahead.get(old[a + number])
        if other is not None and (best is None or number + other < sum(best)):
            best = number, other
        if best is not None and number >= sum(best):
            break
    if best is not None:
        return a + best[0], c + best[1]
    # No common line within the window: both documents advance by it.
    step = min(LOOK_AHEAD, max(len(old) - a, len(new) - c))
    return min(len(old), a + step), min(len(new), c + step)


def _grouped(hunks: list[_Hunk]) -> Iterator[list[_Hunk]]:
    """Group hunks whose context lines overlap."""
    group = [hunks[0]]
    for hunk in hunks[1:]:
        if hunk.a - group[-1].b > 2 * CONTEXT:
            yield group
            group = []
        group.append(hunk)
    yield group


def _shown(group: list[_Hunk], old: list[str], new: list[str]) -> Iterator[str]:
    first, last = group[0], group[-1]
    lead = min(CONTEXT, first.a, first.c)
    tail = min(CONTEXT, len(old) - last.b, len(new) - last.d)
    counts = last.b + tail - first.a + lead, last.d + tail - first.c + lead
    starts = (first.a - lead + bool(counts[0]), first.c - lead + bool(counts[1]))
    yield f"@@ -{starts[0]},{counts[0]} +{starts[1]},{counts[1]} @@\n"
    position = first.a - lead
    for hunk in group:
        yield from _marked(" ", old[position : hunk.a])
        yield from _marked("-", old[hunk.a : hunk.b])
        yield from _marked("+", new[hunk.c : hunk.d])
        position = hunk.b
    yield from _marked(" ", old[position : position + tail])


def _marked(mark: str, lines: list[str]) -> Iterator[str]:
    for line in lines:
        yield f"{mark}{line}"
        if not line.endswith(("\n", "\r")):
            yield "\n\\ No newline at end of file\n"
