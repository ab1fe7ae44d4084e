"""List of entries that is also an Arrow stream."""

from __future__ import annotations

from collections.abc import Iterator

from urlset.arrow import entries_to_stream
from urlset.arrow.frames import IndexedRows
from urlset.model import Entry

__all__ = ["ListedRows"]


class ListedRows(IndexedRows):
    """List of entries that is converted to Arrow on request."""

    def __init__(self, entries: list[Entry]):
        self.entries = entries

    def __len__(self) -> int:
        return len(self.entries)

    def __iter__(self) -> Iterator[Entry]:
        return iter(self.entries)

    def _entries(self, numbers: range | list[int]) -> list[Entry]:
        return [self.entries[number] for number in numbers]

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return entries_to_stream(self.entries, requested_schema)
