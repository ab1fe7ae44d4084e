"""Fills a store with what a check is about, and keeps what a store has no room for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import closing

from urlset.checker.judging import Tally, Told
from urlset.checker.markup import Markup
from urlset.checker.texts import Texts
from urlset.checker.views import BROKEN
from urlset.reader import DocumentRecord, Entries
from urlset.rules import RULES
from urlset.store import Store

__all__ = ["Seen", "fill"]

_CODES = {rule.name: code for code, rule in RULES.items()}


Seen = Callable[[DocumentRecord], None]
"""Who is told of each document when it has been read."""


def fill(
    store: Store, texts: Texts, markup: Markup, entries: Entries, seen: Seen | None = None
) -> Tally:
    """Read all documents into a store, and their texts and facts of their markup beside it.

    Gives back what the engine counted but did not tell.
    """
    omitted: Tally = Counter()
    with store.filling(None) as filling, closing(entries.portions(filling.hear)) as portions:
        for record, document, rows in portions:
            number = filling.add(record, document, rows)
            if seen is not None:
                seen(record)
            if document is None:
                continue
            if document.text:  # what was stored is there without it
                texts.add(number, document)
                markup.add(number, document)
            is_broken = any(problem.code in BROKEN for problem in document.problems)
            for name, count in document.omitted.items():
                rule = RULES[_CODES[name]]
                if rule.code.startswith("X") or not is_broken:
                    omitted[Told(rule.code, rule.level, record.source)] += count
    return omitted
