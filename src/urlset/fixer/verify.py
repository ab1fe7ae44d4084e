"""Whether a text that was changed still says what it said, but for what the changes are about."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain

from urlset.document import Document
from urlset.entry_spans import text_offset
from urlset.fixer.edits import Change, Effect
from urlset.model import Entry, Sitemap

__all__ = ["difference"]

_RANK: dict[Effect, int] = {"text": 0, "same": 1, "loc": 2, "gone": 3}
_OPEN_KINDS = ("unknown", "empty")  # what they were, nobody could tell


def difference(before: Document, after: Document, changes: Iterable[Change]) -> str | None:
    """Say what changes have made worse; None where they have not.

    Entries that no change touches must be the same in all that they say, those that one touches
    must have the same URL, in the same order, unless the change is about that.
    """
    made = list(changes)
    if before.kind != after.kind and before.kind not in _OPEN_KINDS:
        return f"it would be read as {after.kind}, and no longer as {before.kind}"
    found, missing = _errors(after), _errors(before)
    worse = next((code for code, count in found.items() if count > missing[code]), None)
    if worse is not None:
        return f"it would bring another error, {worse}"
    return _difference(before, after, made)


def _errors(document: Document) -> Counter[str]:
    counts = Counter(p.code for p in document.problems if p.level == "error")
    counts.update({rule: count for rule, count in document.omitted.items() if count})
    return counts


def _difference(before: Document, after: Document, changes: list[Change]) -> str | None:
    old, new = list(_rows(before)), list(_rows(after))
    effects = _effects([place for place, _ in old], changes)
    fresh = sum(change.fresh for change in changes)
    at = 0
    for number, (_, row) in enumerate(old):
        effect = effects.get(number, "text")
        if effect == "gone":
            continue
        while fresh and at < len(new) and not _is_same(row, new[at][1], effect):
            fresh, at = fresh - 1, at + 1
        if at == len(new) or not _is_same(row, new[at][1], effect):
            return f"{row.loc} would be lost, or changed"
        at += 1
    if len(new) - at > fresh:
        return f"{new[at][1].loc} would come, which was not there"
    return None


def _rows(document: Document) -> Iterator[tuple[int, Entry | Sitemap]]:
    """The entries and children in document order, each with its place in the text."""
    rows: Iterator[Entry | Sitemap] = chain(document.entries, document.sitemaps)
    for row in rows:
        yield text_offset(document, row.offset or 0), row


def _is_same(old: Entry | Sitemap, new: Entry | Sitemap, effect: Effect) -> bool:
    if effect == "loc":
        return True
    return old.loc == new.loc if effect == "same" else old[:-3] == new[:-3]


def _effects(places: list[int], changes: list[Change]) -> dict[int, Effect]:
    """What may become of the entries, by number: those in which an edit is, or that are in one."""
    order = sorted(range(len(places)), key=places.__getitem__)
    rising = [places[number] for number in order]
    effects: dict[int, Effect] = {}
    for change in changes:
        if change.effect == "text":
            continue
        for start, end, _ in change.edits:
            first, last = bisect_left(rising, start), bisect_left(rising, max(end, start + 1))
            around = bisect_right(rising, start) - 1
            for number in range(min(first, max(around, 0)), last):
                is_within = number >= first
                effect: Effect = change.effect
                if effect == "gone" and not is_within:
                    effect = "same"
                known = effects.get(order[number], "text")
                if _RANK[effect] > _RANK[known]:
                    effects[order[number]] = effect
    return effects
