"""Fills a store with what a check is about: documents, their entries, and facts of their markup."""

from __future__ import annotations

from collections import Counter
from contextlib import closing

from urlset.checker.judging import Tally, Told
from urlset.checker.texts import Texts
from urlset.reader import Entries
from urlset.rules import RULES
from urlset.store import Store

__all__ = ["fill"]

_CODES = {rule.name: code for code, rule in RULES.items()}


def fill(store: Store, texts: Texts, entries: Entries) -> Tally:
    """Read all documents into a store, and their texts beside it.

    Gives back what the engine counted but did not tell.
    """
    omitted: Tally = Counter()
    with store.filling(None) as filling, closing(entries.portions(filling.hear)) as portions:
        for record, document, rows in portions:
            number = filling.add(record, document, rows)
            if document is None:
                continue
            texts.add(number, document)
            for name, count in document.omitted.items():
                rule = RULES[_CODES[name]]
                omitted[Told(rule.code, rule.level, record.source)] += count
    return omitted
