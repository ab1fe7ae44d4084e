"""Edits of a text: stretches of bytes that other bytes replace, none over another."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable
from typing import Literal, NamedTuple

__all__ = ["Change", "Edit", "Effect", "apply", "loses_content", "without_overlaps"]

Effect = Literal["same", "loc", "gone", "text"]
"""What a change may do to the entries that it touches: nothing to their URLs, give them other
URLs, take them away; ``text`` is a change that touches no entry, wherever it stands."""


_COMMENT = re.compile(rb"<!--.*?-->", re.DOTALL)


class Edit(NamedTuple):
    """``new`` instead of the bytes from ``start`` to ``end``."""

    start: int
    end: int
    new: bytes


class Change(NamedTuple):
    """One thing mended: edits that belong together, and what becomes of the entries there.

    ``dropped`` says what is no longer there, None where nothing was lost. ``fresh`` entries may
    come that nobody could read before.
    """

    code: str
    edits: tuple[Edit, ...]
    effect: Effect = "same"
    dropped: str | None = None
    fresh: int = 0

    @property
    def start(self) -> int:
        """Where it begins."""
        return min(edit.start for edit in self.edits)


def without_overlaps(changes: Iterable[Change]) -> list[Change]:
    """The changes that do not stand in the way of one before; the others wait for another pass.

    >>> one, two = Change("X003", (Edit(0, 4, b""),)), Change("X003", (Edit(3, 5, b""),))
    >>> len(without_overlaps([one, two]))
    1
    """
    starts: list[int] = []
    taken: list[tuple[int, int]] = []
    kept = []
    for change in changes:
        spans = [(edit.start, edit.end) for edit in change.edits]
        if all(_is_free(span, starts, taken) for span in spans):
            for span in spans:
                at = bisect_left(taken, span)
                taken.insert(at, span)
                starts.insert(at, span[0])
            kept.append(change)
    return kept


def loses_content(data: bytes, change: Change) -> bool:
    """Tell whether a change drops anything but white space and comments.

    >>> loses_content(b"<!-- a --> b", Change("X023", (Edit(0, 11, b""),), dropped="<!-- a -->"))
    False
    """
    if change.dropped is None:
        return False
    removed = (data[edit.start : edit.end] for edit in change.edits)
    return any(_COMMENT.sub(b"", text).strip() for text in removed)


def _is_free(span: tuple[int, int], starts: list[int], taken: list[tuple[int, int]]) -> bool:
    """Whether a stretch touches none; two insertions at one place do, too."""
    at = bisect_left(starts, span[0])
    before = taken[at - 1] if at else (-1, -1)
    after = taken[at] if at < len(taken) else None
    is_behind = before[1] <= span[0] and before != span
    return is_behind and (after is None or (span[1] <= after[0] and after != span))


def apply(data: bytes, changes: Iterable[Change]) -> bytes:
    """The text with the changes in it; they must be :func:`without_overlaps`.

    >>> apply(b"a & b", [Change("X003", (Edit(2, 3, b"&amp;"),))])
    b'a &amp; b'
    """
    pieces: list[bytes] = []
    position = 0
    for start, end, new in sorted(edit for change in changes for edit in change.edits):
        pieces += (data[position:start], new)
        position = end
    return b"".join([*pieces, data[position:]])
