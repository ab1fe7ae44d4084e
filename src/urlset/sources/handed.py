"""Rows that the caller has in memory, as a source: entries, dicts, URLs, or a table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from urlset.arrow import is_arrow, open_stream
from urlset.errors import EntryError
from urlset.sources.candidates import Candidate, in_batches, with_text
from urlset.sources.tables.mapping import parse_mapping
from urlset.sources.tables.table import shaped
from urlset.writer import Rejection
from urlset.writer.faults import Fault, shown
from urlset.writer.validation import Rules, as_entry, given_loc, without_loc_checked

__all__ = ["Handed"]


class Handed:
    """Rows in memory: any iterable of :class:`urlset.Entry`, dicts and URLs, or an Arrow table.

    What :func:`urlset.write` takes is taken here. ``mapping`` and ``keep`` are those of
    :class:`urlset.sources.Table`, for tables. A row with a value that may not be written raises
    :class:`urlset.EntryError`; with ``on_error="skip"`` it is left out and stands in ``rejected``.

    >>> [batch.num_rows for batch in Handed([{"loc": "https://example.com/"}]).batches()]
    [1]
    """

    def __init__(
        self,
        rows: Any,
        *,
        name: str = "rows",
        base_url: str | None = None,
        mapping: Mapping[str, str] | str | None = None,
        keep: Sequence[str] = (),
        on_error: str = "raise",
        engine: str | None = None,
    ):
        self.name = name
        self.failures: list[str] = []
        self.notes: list[str] = []
        self.rejected: list[Rejection] = []
        self._rows = rows
        self.base_url = base_url
        self._engine = engine
        self._mapping = parse_mapping(mapping) if isinstance(mapping, str) else mapping or {}
        self._keep = keep
        self._is_strict = on_error == "raise"

    def batches(self) -> Iterator[Any]:
        """Yield record batches with columns of candidates."""
        if is_arrow(self._rows):
            reader = open_stream(self._rows)
            yield from shaped(reader, self.name, self._mapping, self._keep, notes=self.notes)
        else:
            yield from in_batches(self._candidates(self._rows))

    def _candidates(self, rows: Iterable[Any]) -> Iterator[Candidate]:
        for number, item in enumerate(rows, 1):
            rules = Rules(self.base_url, is_text=False, engine=self._engine)
            try:
                entry = without_loc_checked(as_entry(item), rules)
            except Fault as fault:
                self._refuse(item, fault.in_row(number))
                continue
            made = Candidate.of(entry._replace(source=self.name, offset=None, line=number))
            yield with_text(made)

    def _refuse(self, item: Any, error: EntryError) -> None:
        words = f"{self.name}:{error.row}: {str(error).partition(', ')[2]}"
        if self._is_strict:
            raise EntryError(
                f'{words}; nothing was written (on_error="skip" leaves such entries out)',
                row=error.row,
                field=error.field,
                value=error.value,
            )
        loc = given_loc(item)
        self.rejected.append(Rejection(error.row, loc, error.field, shown(error.value), words))
