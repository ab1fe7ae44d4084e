"""Byte-range edits of a text: apply them, and verify that the entries are preserved."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Literal, NamedTuple

from urlset.document import Document, text_offset
from urlset.formats.spans import ElementSpan
from urlset.model import Entry, Sitemap

Effect = Literal["none", "values", "url", "removed"]
"""Permitted effect of a change on the entries it touches: change their values but not their URLs
(``values``), change their URLs (``url``), remove them (``removed``). A change with ``none`` may not
affect any entry."""


_COMMENT = re.compile(rb"<!--.*?-->|(<!--.*\Z)", re.DOTALL)


class Edit(NamedTuple):
    """Replacement of the bytes from ``start`` to ``end`` by ``new``."""

    start: int
    end: int
    new: bytes


class Change(NamedTuple):
    """Edits that are applied together or not at all, with their permitted effect on entries.

    Attributes:
        code: Code of the rule that is fixed.
        edits: The edits.
        effect: Permitted effect on the entries that the edits touch.
        dropped: Excerpt of the removed content; None if nothing is lost.
        added: Number of entries that may appear because they can be read now.
    """

    code: str
    edits: tuple[Edit, ...]
    effect: Effect = "values"
    dropped: str | None = None
    added: int = 0

    @property
    def start(self) -> int:
        """Start of the first edit."""
        return min(edit.start for edit in self.edits)


def without_overlaps(changes: Iterable[Change]) -> list[Change]:
    """Return the changes without those that overlap an earlier one, which the next pass makes.

    >>> one, two = Change("X003", (Edit(0, 4, b""),)), Change("X003", (Edit(3, 5, b""),))
    >>> len(without_overlaps([one, two]))
    1
    """
    starts: list[int] = []
    used: list[tuple[int, int]] = []
    kept = []
    for change in changes:
        spans = [(edit.start, edit.end) for edit in change.edits]
        if all(_is_free(span, starts, used) for span in spans):
            for span in spans:
                at = bisect_left(used, span)
                used.insert(at, span)
                starts.insert(at, span[0])
            kept.append(change)
    return kept


def loses_content(data: bytes, change: Change) -> bool:
    """Return whether a change drops content other than white space and comments.

    >>> loses_content(b"<!-- a --> b", Change("X023", (Edit(0, 11, b""),), dropped="<!-- a -->"))
    False
    """
    if change.dropped is None:
        return False
    removed = (data[edit.start : edit.end] for edit in change.edits)
    return any(_COMMENT.sub(rb"\1", text).strip() for text in removed)


def _is_free(span: tuple[int, int], starts: list[int], used: list[tuple[int, int]]) -> bool:
    """Return whether a range overlaps no used range; two insertions at one offset overlap."""
    at = bisect_left(starts, span[0])
    before = used[at - 1] if at else (-1, -1)
    after = used[at] if at < len(used) else None
    is_after = before[1] <= span[0] and before != span
    return is_after and (after is None or (span[1] <= after[0] and after != span))


def apply(data: bytes, changes: Iterable[Change]) -> bytes:
    """Return the text with the changes applied; they must not overlap (:func:`without_overlaps`).

    >>> apply(b"a & b", [Change("X003", (Edit(2, 3, b"&amp;"),))])
    b'a &amp; b'
    """
    pieces: list[bytes] = []
    position = 0
    for start, end, new in sorted(edit for change in changes for edit in change.edits):
        pieces += (data[position:start], new)
        position = end
    return b"".join([*pieces, data[position:]])


def insert_in_root(root: ElementSpan, text: str) -> Edit:
    """Return the edit that inserts attributes after the name of the root element."""
    return Edit(root.name_end, root.name_end, text.encode())


_RANK: dict[Effect, int] = {"none": 0, "values": 1, "url": 2, "removed": 3}
_OPEN_KINDS = ("unknown", "empty")  # not recognised before, so that any kind may result


def difference(before: Document, after: Document, changes: list[Change]) -> str | None:
    """Compare a document before and after changes; return what they broke, or None.

    Entries without an edit must keep all their values. Entries with an edit must keep their URL,
    unless the effect of the change permits otherwise. The order must be the same. No new error
    may appear.
    """
    if before.kind != after.kind and before.kind not in _OPEN_KINDS:
        return f"the document would be read as {after.kind}, no longer as {before.kind}"
    found, missing = _errors(after), _errors(before)
    worse = next((code for code, count in found.items() if count > missing[code]), None)
    if worse is not None:
        return f"it would cause another error, {worse}"
    old, new = list(_rows(before)), list(_rows(after))
    effects = _effects([offset for offset, _ in old], changes)
    added = sum(change.added for change in changes)
    at = 0
    for number, (_, row) in enumerate(old):
        effect = effects.get(number, "none")
        if effect == "removed":
            continue
        while added and at < len(new) and not _is_same(row, new[at][1], effect):
            added, at = added - 1, at + 1
        if at == len(new) or not _is_same(row, new[at][1], effect):
            return f"{row.loc} would be lost or changed"
        at += 1
    if len(new) - at > added:
        return f"{new[at][1].loc} would be added"
    return None


def _errors(document: Document) -> Counter[str]:
    counts = Counter(p.code for p in document.problems if p.level == "error")
    counts.update({rule: count for rule, count in document.omitted.items() if count})
    return counts


def _rows(document: Document) -> Iterator[tuple[int, Entry | Sitemap]]:
    """Yield the entries and index children in document order, each with its offset in the text."""
    rows: Iterator[Entry | Sitemap] = chain(document.entries, document.sitemaps)
    for row in rows:
        yield text_offset(document, row.offset or 0), row


def _is_same(old: Entry | Sitemap, new: Entry | Sitemap, effect: Effect) -> bool:
    if effect == "url":
        return True
    return old.loc == new.loc if effect == "values" else old[:-3] == new[:-3]


def _effects(offsets: list[int], changes: list[Change]) -> dict[int, Effect]:
    """Return the permitted effect on each entry that an edit overlaps, by entry number."""
    order = sorted(range(len(offsets)), key=offsets.__getitem__)
    sorted_offsets = [offsets[number] for number in order]
    effects: dict[int, Effect] = {}
    for change in changes:
        if change.effect == "none":
            continue
        for start, end, _ in change.edits:
            first = bisect_left(sorted_offsets, start)
            last = bisect_left(sorted_offsets, max(end, start + 1))
            enclosing = bisect_right(sorted_offsets, start) - 1
            for number in range(min(first, max(enclosing, 0)), last):
                effect: Effect = change.effect
                if effect == "removed" and number < first:
                    effect = "values"
                known = effects.get(order[number], "none")
                if _RANK[effect] > _RANK[known]:
                    effects[order[number]] = effect
    return effects
