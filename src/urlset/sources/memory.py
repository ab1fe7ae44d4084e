"""Sources over rows in memory: entries, dicts, URLs, candidates, or an Arrow table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, ClassVar

from urlset import engine as engines
from urlset.arrow import array_of, is_arrow, open_stream
from urlset.arrow.batches import replace_column
from urlset.arrow.streams import TableReader, rows_to_batch
from urlset.model import Entry
from urlset.sources.candidates import (
    BATCH_ROWS,
    CANDIDATE,
    FAULT,
    Candidate,
    RowVersion,
    SourceType,
    encodable,
    encode_fault,
    in_batches,
    keep_date_text,
)
from urlset.sources.tables.column_plan import parse_mapping
from urlset.sources.tables.table import map_batches
from urlset.writer.input_rows import Rules, as_entry, input_loc, validate_except_loc
from urlset.writer.values import ValueProblem

_COLUMNS = (*CANDIDATE, (FAULT, "string"))
_LINE = dict(CANDIDATE)["line"]


class InMemorySource:
    """Rows in memory: any iterable of :class:`urlset.Entry`, dicts and URLs, or an Arrow table.

    Accepts the same rows as :func:`urlset.write`. ``mapping`` and ``keep`` apply to tables, as in
    :class:`urlset.sources.Table`. A row with an invalid value is passed on with the reason in the
    column ``fault``. ``row_version`` states that rows are unchanged, as
    :class:`urlset.sources.RowVersion`.

    >>> [batch.num_rows for batch in InMemorySource([{"loc": "https://example.com/"}]).batches()]
    [1]
    """

    source_type: ClassVar[SourceType] = "rows"

    def __init__(
        self,
        rows: Any,
        *,
        name: str = "rows",
        base_url: str | None = None,
        mapping: Mapping[str, str] | str | None = None,
        keep: Sequence[str] = (),
        engine: str | None = None,
        row_version: Callable[[], RowVersion | None] | None = None,
    ):
        self.name = name
        self.failures: list[str] = []
        self.notes: list[str] = []
        self.row_version = row_version
        self._rows = rows
        self.base_url = base_url
        self._engine = engine
        self._mapping = parse_mapping(mapping) if isinstance(mapping, str) else mapping or {}
        self._keep = keep

    def batches(self) -> Iterator[Any]:
        """Yield record batches with columns of candidates."""
        if is_arrow(self._rows):
            table = TableReader(self._rows)
            yield from map_batches(table, self.name, self._mapping, self._keep, notes=self.notes)
        else:
            yield from self._row_batches(iter(self._rows))

    def _row_batches(self, rows: Iterator[Any]) -> Iterator[Any]:
        """Yield batches of candidates; rows that need no validation are converted together."""
        engine = engines.get(self._engine)
        number = 1
        while chunk := list(islice(rows, BATCH_ROWS)):
            found = engine.user_rows(chunk, self.name)
            if found is None or found[1]:
                yield rows_to_batch(_COLUMNS, list(self._candidates(chunk, number)))
            else:
                lines = array_of(list(range(number, number + len(chunk))), _LINE)
                for batch in open_stream(found[0]):  # one
                    yield replace_column(batch, "line", lines)
            number += len(chunk)

    def _candidates(self, rows: Iterable[Any], start: int) -> Iterator[tuple[Any, ...]]:
        """Yield for each row the fields of its candidate, and why it is invalid, or None."""
        rules = Rules(self.base_url, is_text=False, engine=self._engine)
        for number, item in enumerate(rows, start):
            try:
                entry = validate_except_loc(as_entry(item), rules)
            except ValueProblem as fault:
                text = encode_fault(fault.field, fault.value, fault.expected, fault.advice)
                cells = {"loc": input_loc(item), "source": self.name, "line": number}
                empty = Entry(**cells)  # type: ignore[arg-type] # only loc, source and line
                yield *Candidate.of(empty), text
            else:
                loc = encodable(entry.loc)
                entry = entry._replace(loc=loc, source=self.name, offset=None, line=number)
                candidate = Candidate.of(entry)
                yield *keep_date_text(candidate), None


class CandidateRows:
    """:class:`urlset.sources.candidates.Source` over candidates, entries or URLs in memory.

    >>> [batch.num_rows for batch in CandidateRows(["https://example.com/"]).batches()]
    [1]
    """

    source_type: ClassVar[SourceType] = "candidates"

    def __init__(self, rows: Iterable[Candidate | Entry | str], name: str = "rows"):
        self.name = name
        self.failures: list[str] = []
        self.notes: list[str] = []
        self._rows = rows

    def batches(self) -> Iterator[Any]:
        """Yield record batches of the rows."""
        return in_batches(map(_candidate, self._rows))


def _candidate(row: Candidate | Entry | str) -> Candidate:
    if isinstance(row, str):
        return Candidate(row)
    return keep_date_text(row if isinstance(row, Candidate) else Candidate.of(row))
