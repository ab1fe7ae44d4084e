"""Fragments of URLs: places in a page, which is listed once (RFC 3986 section 3.5)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from urlset.arrow import batches
from urlset.model import Entry

__all__ = ["has_fragment", "without_fragments"]


def has_fragment(data: bytes, entries: Any) -> bool:
    """Whether a URL has one, of a document and its entries, of which there are some."""
    if b"#" not in data:
        return False
    return any("#" in loc for loc in batches.column(batches.one_batch(entries), "loc"))


def without_fragments(entries: Iterable[Entry]) -> tuple[list[Entry], int]:
    """Entries whose URLs end before the fragment, and how many of them had one.

    >>> without_fragments([Entry("/tea#green"), Entry("/milk")])[0][0].loc
    '/tea'
    """
    kept, count = [], 0
    for entry in entries:
        if entry.loc and "#" in entry.loc:  # a source may have no URL in a row
            entry, count = entry._replace(loc=entry.loc.partition("#")[0]), count + 1
        kept.append(entry)
    return kept, count
