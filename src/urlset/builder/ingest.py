"""Read the sources, verify their rows, and stage them in the tables of the build.

A batch that does not survive the round trip through the engine unchanged and without a problem is
verified again row by row. Each row is then repaired (a relative URL resolved) or rejected with its
reason.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import pairwise
from typing import Any, NamedTuple

from urlset.arrow import batches, batches_to_entries
from urlset.builder.canonical_urls import CanonicalUrls, without_fragments
from urlset.builder.incremental import core_columns, match_ledger, stage_unverified, unmatched
from urlset.builder.known_rows import KnownLedgerRows
from urlset.builder.options import BuildOptions
from urlset.builder.roundtrip import RoundTrip, RoundTripResult
from urlset.builder.staged_rows import StagedRows
from urlset.engine import Engine
from urlset.errors import EntryError
from urlset.inflight import track
from urlset.model import Entry
from urlset.option_names import option
from urlset.sources import EVIDENCE, Source
from urlset.sources.candidates import FAULT, decode_fault
from urlset.store import ScratchDatabase
from urlset.writer import Rejection
from urlset.writer.input_rows import Batch, Rules, validate
from urlset.writer.values import ValueProblem, shown

BATCH_ROWS = 40_960
"""Rows that are written and read back together; readers warn about larger documents."""

PART_ROWS = 1_000
"""Rows that are verified together if their batch failed; equals the news limit of a file."""

_SIZE = """"end" - "offset" - if(lastmod_text IS NULL, 0, 19 + strlen(lastmod_text))"""


def _awaited(source: Source) -> Iterator[Any]:
    """Yield the batches of a source; while one does not arrive, the progress names the source."""
    found = iter(source.batches())
    while True:
        with track(source.name):
            batch = next(found, None)
        if batch is None:
            return
        yield batch


class NumberedBatch(NamedTuple):
    """Batch of a source, and the number of each row. Rows are counted from 1 in each source."""

    batch: Any
    numbers: Sequence[int]


class Part(NamedTuple):
    """Part of the rows of a source: all columns, entry columns, and the number of each row.

    Rows are counted from 1 in each source.
    """

    batch: Any
    entries: Any
    numbers: Sequence[int]

    def slice(self, start: int, entries: Any) -> Part:
        """Return the rows of these entries, the first of which is row ``start``, as a part."""
        stop = start + entries.num_rows
        return Part(self.batch.slice(start, stop - start), entries, self.numbers[start:stop])


class Ingest:
    """Loads sources, one after another, into the tables ``staged`` and ``extended_rows``.

    ``rejected`` has the rows that cannot be written. With ``on_error="raise"``, :meth:`verify_rest`
    raises :class:`urlset.EntryError` for the first of them instead. ``fragments`` counts URLs whose
    fragment was removed.
    """

    def __init__(self, db: ScratchDatabase, engine: Engine, settings: BuildOptions):
        self.rejected: list[Rejection] = []
        self.notes: list[str] = []
        self.count: int = 0
        self.fragments: int = 0
        self._db = db
        self._engine = engine
        self._settings = settings
        self._round_trip = RoundTrip(engine, settings)
        self._rules = Rules(settings.base, settings.is_text, engine.name)
        self._names: list[str] = []
        self._source = 0
        self._starts: list[int] = []  # the id of the first row of each source
        self._rows = 0  # of the current source
        self._columns: set[str] = set()  # of kept_columns, those with values
        self._rejected_rows = 0
        self._first_rejected: tuple[tuple[int, int], str, EntryError] | None = None
        self._urls: str | None = None
        self._known: KnownLedgerRows | None = None
        self._has_staged_known = False
        self._is_published = False
        self.staging: StagedRows = StagedRows(db, settings)
        self.urls: CanonicalUrls = CanonicalUrls(settings)

    @property
    def is_matched(self) -> bool:
        """Whether, after :meth:`verify_rest`, ``ledger_matches`` exists."""
        return self._urls is not None

    @property
    def extensions(self) -> Sequence[str]:
        """The columns of ``extended_rows`` after :meth:`verify_rest`; none if it does not exist."""
        return self.staging.extensions

    @property
    def has_known(self) -> bool:
        """Whether, after :meth:`verify_rest`, ``known_rows`` exists."""
        return self._known is not None

    def stage_known(self) -> None:
        """Add the rows of the ledger that the sources list to ``staged``; all sources were read."""
        if self._known is not None and not self._has_staged_known:
            self._known.create_view()
            self.staging.add_known()
            self._has_staged_known = True

    def assume_known(self, urls: str, known: KnownLedgerRows | None = None) -> None:
        """From now on, stage plain rows without verification, as the ledger may have them.

        ``urls`` is the table of the ledger with which :meth:`verify_rest` compares them. The rows
        of ``known`` are not staged.
        """
        self._urls = urls
        self._known = known

    def add(self, source: Source, *, is_published: bool = False) -> Iterator[int]:
        """Add one source; yield the number of rows of all sources so far, batch by batch.

        Invalid rows of a published file (``is_published``) are skipped: this build removes them.
        """
        self._is_published = is_published
        self._names.append(source.name)
        self._source = len(self._names)
        self._starts.append((self._starts[-1] if self._starts else 0) + self._rows)
        self._rows = 0
        self._columns = set()
        found = self._numbered(map(self._rewrite, _awaited(source)))
        add = self._add_verified if self._urls is None else self._add_unverified
        for count in add(found):
            self._raise_rejected(is_complete=False)
            yield count
        self._raise_rejected(is_complete=False)
        self.staging.flush()
        missing = [name for name in self._settings.kept_columns if name not in self._columns]
        if self._rows and not is_published:
            self.notes += [
                f"{source.name}: no values in a column {name!r}; it assigns no URL to a section"
                for name in missing
            ]

    def _add_verified(self, found: Iterator[NumberedBatch]) -> Iterator[int]:
        yield from self._verify_parts(part for each in found for part in self._parts_of(*each))

    def _add_unverified(self, found: Iterator[NumberedBatch]) -> Iterator[int]:
        for each in found:
            for part in self._parts_of(*self._without_known(each)):
                plain = core_columns(part.entries)
                if plain is None:
                    yield from self._verify_parts(iter([part]))
                    continue
                self.count += len(part.numbers)
                rows = self._unknown(part.batch, plain)
                if rows is not None:
                    plain = batches.take_rows(plain, rows)
                if plain.num_rows:
                    columns = self._extra_columns(part, rows)
                    stage_unverified(self.staging, self._source, plain, columns)
            yield self.count

    def _without_known(self, found: NumberedBatch) -> NumberedBatch:
        """Remove rows that the ledger has as they are: it has canonical URLs of pages only."""
        batch, numbers = found
        if self._known is None or FAULT in batch.schema.names:
            return found
        try:
            plain = core_columns(batches.entry_columns(batch))
        except ValueError:  # reported for the part
            return found
        rows = None if plain is None else self._unknown(batch, plain)
        if rows is None or len(rows) == len(numbers):
            return found
        self.count += len(numbers) - len(rows)
        some = batches.take_rows(batches.record_batch(batch), rows)
        return NumberedBatch(some, [numbers[row] for row in rows])

    def _unknown(self, batch: Any, plain: Any) -> list[int] | None:
        """Return the numbers of the rows that the ledger has not; None if that is not known.

        ``plain`` has the entry columns of the batch. Rows with other values are not looked up.
        """
        names = {*EVIDENCE, *self._settings.kept_columns} & {*batch.schema.names}
        has_more = any(batches.has_values(batch, name) for name in names)
        if self._known is None or self._is_published or has_more:
            return None
        return list(self._known.unknown(self._source, plain))

    @property
    def row_counts(self) -> list[int]:
        """The number of rows of each source, also of invalid ones, in the order of the sources."""
        return [
            end - start
            for start, end in pairwise([*self._starts, (self._starts or [0])[-1] + self._rows])
        ]

    @property
    def names(self) -> list[str]:
        """The names of the sources, in the order of their numbers in the staging tables."""
        return self._names

    def verify_rest(self, provenance: str | None = None) -> Iterator[int]:
        """Verify the rows that were staged without verification and are not in the ledger.

        Args:
            provenance: As for :func:`urlset.builder.incremental.match_ledger`.

        Yields:
            The number of rows so far, as :meth:`add`.

        Raises:
            urlset.EntryError: The first row of all sources that cannot be written.
        """
        self.staging.flush()
        self._is_published = False
        if self._urls is not None:
            columns = (*EVIDENCE, *self._settings.kept_columns)
            self.stage_known()
            match_ledger(self._db, self._urls, self._settings, provenance)
            for source, batch in unmatched(self._db, list(dict.fromkeys(columns))):
                self._source = source
                self.count -= batch.num_rows
                start = self._starts[source - 1] - 1
                numbers = [number - start for number in batches.column_values(batch, "id")]
                yield from self._verify_parts(self._parts_of(batch, numbers))
            self.staging.flush()
        self._raise_rejected(is_complete=True)

    def _raise_rejected(self, *, is_complete: bool) -> None:
        """Raise an error for the first row that cannot be written, if there is one.

        While rows are read, it is raised after their batch: a database may return rows for minutes.
        """
        if self._first_rejected is None:
            return
        (_, row), message, error = self._first_rejected
        many = ""
        if self._rejected_rows > 1:
            so_far = "" if is_complete else " so far"
            many = f" (the first of {self._rejected_rows:,} invalid rows{so_far})"
        raise EntryError(
            f"{message}{many}; nothing was written "
            f"({option('on_error', 'skip')} skips such entries)",
            row=row,
            field=error.field,
            value=error.value,
            detail=error.detail,
        )

    def clear(self) -> None:
        """Remove all staged rows and reset the counts, so that ingestion can start again."""
        self.staging.clear()
        self.rejected.clear()
        self._names.clear()
        self._starts.clear()
        self._rows = 0
        self.count, self.fragments = 0, 0

    def _rewrite(self, batch: Any) -> Any:
        if not self._settings.rewrites or not batch.num_rows or self._is_published:
            return batch
        name = "loc" if "loc" in batch.schema.names else "url"
        locs = batches.column_values(batch, name)
        for rewrite in self._settings.rewrites:
            locs = [loc and rewrite.apply(loc) for loc in locs]
        return batches.replace_column(batch, name, batches.text_array(locs))

    def _numbered(self, source_batches: Iterator[Any]) -> Iterator[NumberedBatch]:
        """Number the rows of the batches of a source."""
        for batch in source_batches:
            numbers = range(self._rows + 1, self._rows + 1 + batch.num_rows)
            self._rows += batch.num_rows
            self._columns.update(
                name
                for name in self._settings.kept_columns
                if name in batch.schema.names and batches.has_values(batch, name)
            )
            yield NumberedBatch(batch, numbers)

    def _parts_of(self, batch: Any, numbers: Sequence[int]) -> Iterator[Part]:
        """Split a batch into parts, each with its entry columns, without invalid rows."""
        if FAULT in batch.schema.names:
            batch, numbers = self._reject_faults(batch, numbers)
        if not batch.num_rows:
            return
        try:
            entries = batches.entry_columns(batch)
        except ValueError as error:
            raise EntryError(f"{self._names[self._source - 1]}: {error}") from error
        if not self._is_published:
            entries, reasons = self.urls.of(entries)
            if reasons is not None:
                batch = self._with_reasons(batch, reasons)
        part = Part(batch, entries, numbers)
        for start, some in batches.split_batch(entries, BATCH_ROWS):
            yield part.slice(start, some)

    def _with_reasons(self, batch: Any, reasons: list[str | None]) -> Any:
        """Add reasons to exclude rows to a batch; a reason of the source has precedence."""
        if "reason" not in batch.schema.names:
            return batches.with_columns(batch, {"reason": batches.text_array(reasons)})
        own_reasons = batches.column_values(batch, "reason")
        both = [own or other for own, other in zip(own_reasons, reasons, strict=True)]
        return batches.replace_column(batch, "reason", batches.text_array(both))

    def _reject_faults(self, batch: Any, numbers: Sequence[int]) -> tuple[Any, Sequence[int]]:
        """Reject the rows that the source reports as invalid; return the other rows."""
        faults = batches.column_values(batch, FAULT)
        invalid = {row: decode_fault(text) for row, text in enumerate(faults) if text is not None}
        for row, fault in invalid.items():
            cells = {
                name: batches.column_values(batch.slice(row, 1), name)[0]
                for name in ("loc", "source", "line")
                if name in batch.schema.names
            }
            error = ValueProblem(*fault).in_row(numbers[row])
            self._reject(Entry(**{"loc": None, **cells}), numbers[row], error)
        valid = [row for row in range(batch.num_rows) if row not in invalid]
        if valid:
            return batches.take_rows(batch, valid), [numbers[row] for row in valid]
        return batch.slice(0, 0), []

    def _verify_parts(self, parts: Iterator[Part]) -> Iterator[int]:
        """Verify and stage parts; while one is staged, the next is written and read back."""
        with ThreadPoolExecutor(1) as pool:
            before: tuple[Part, Future[RoundTripResult | None]] | None = None
            for part in parts:
                after = part, pool.submit(self._round_trip.check, part.entries)
                if before is not None:
                    self._verify_part(before[0], before[1].result())
                    yield self.count
                before = after
            if before is not None:
                self._verify_part(before[0], before[1].result())
                yield self.count

    def _verify_part(self, part: Part, verified: RoundTripResult | None) -> None:
        if verified is not None:
            self._stage(part, verified)
            return
        for start, some in batches.split_batch(part.entries, PART_ROWS):
            mine = part.slice(start, some)
            # A part that is not split has just failed this check.
            is_whole = some.num_rows == part.entries.num_rows
            verified = None if is_whole else self._round_trip.check(some)
            for checked in [verified] if verified is not None else self._row_by_row(mine):
                self._stage(mine, checked)

    def _row_by_row(self, part: Part) -> Iterator[RoundTripResult]:
        table = batches.as_table(part.entries)
        items = [entry for some in batches_to_entries(table) for entry in some]
        items, cut = without_fragments(items)
        self.fragments += cut
        checked = validate(Batch(0, items), self._rules)
        for error in checked.errors:
            self._reject(items[error.row], part.numbers[error.row], error)
        return self._bisect(checked.entries, checked.rows, part.numbers)

    def _bisect(
        self, entries: list[Entry], rows: list[int], numbers: Sequence[int]
    ) -> Iterator[RoundTripResult]:
        """Write and read back valid entries; bisect a failure and reject the failing entry."""
        if not entries:
            return
        result = self._round_trip.read_back(self._engine.columns(entries), entries, len(entries))
        if result is not None:
            yield result._replace(rows=rows)
        elif len(entries) == 1:
            self._reject_large(entries[0], numbers[rows[0]])
        else:
            half = len(entries) // 2
            yield from self._bisect(entries[:half], rows[:half], numbers)
            yield from self._bisect(entries[half:], rows[half:], numbers)

    def _reject_large(self, entry: Entry, number: int) -> None:
        """Reject an entry that is too large for any file."""
        fault = ValueProblem(
            "loc",
            entry.loc,
            f"an entry that fits into a file of {self._settings.max_bytes:,} bytes",
            "leave out some of its images, videos or alternates",
        )
        self._reject(entry, number, fault.in_row(number))

    def _reject(self, entry: Entry, number: int, error: EntryError) -> None:
        """Reject a row of the source, identified by its number."""
        name = self._names[self._source - 1]
        if entry.line:
            place = f"{entry.source or name}:{entry.line}"
        elif entry.source and entry.source != name:
            place = entry.source
        else:
            place = f"{name}, row {number:,}"
        field = "lastmod" if error.field == "lastmod_text" else error.field
        reason = f"{place}: {field}: {error.detail}"
        if self._settings.on_error == "raise" and not self._is_published:
            self._rejected_rows += 1
            found = (self._source, number), reason, error
            if self._first_rejected is None or found[0] < self._first_rejected[0]:
                self._first_rejected = found
            return
        self.rejected.append(
            Rejection(
                number,
                entry.loc,
                error.field,
                shown(error.value),
                reason,
                source=entry.source or name,
                line=entry.line,
            )
        )

    def _stage(self, part: Part, checked: RoundTripResult) -> None:
        """Stage verified rows, with their evidence."""
        columns = self._extra_columns(part, checked.rows)
        if checked.more is not None:
            columns["more"] = batches.text_array(checked.more)
        ends = batches.next_values(checked.entries, "offset", checked.end)
        result = batches.with_columns(checked.entries, {**columns, "end": ends})
        core = ("loc", "lastmod_text", "changefreq", "priority")
        names = [*(name for name in core if batches.has_values(result, name)), *columns]
        values = [("source", str(self._source)), ("size", _SIZE)]
        self.staging.insert(result, [*values, *((name, f'"{name}"') for name in names)])
        self.count += checked.entries.num_rows

    def _extra_columns(self, part: Part, rows: list[int] | None = None) -> dict[str, Any]:
        """Return the columns that a part has besides its entries: id, evidence, location."""
        columns = {"id": self._ids(part.numbers, rows)}
        evidence = batches.text_columns(part.batch, (*EVIDENCE, *self._settings.kept_columns))
        if evidence is not None and rows is not None:
            evidence = batches.take_rows(evidence, rows)
        if evidence is not None:
            columns |= {
                name: evidence.column(name)
                for name in evidence.schema.names
                if batches.has_values(evidence, name)
            }
        return columns | self._locations(part.entries, rows)

    def _ids(self, numbers: Sequence[int], rows: list[int] | None) -> Any:
        start = self._starts[self._source - 1] - 1
        if rows is None and isinstance(numbers, range):
            return batches.number_array(start + numbers[0], len(numbers))
        selected = numbers if rows is None else [numbers[row] for row in rows]
        return batches.unsigned_array([start + number for number in selected])

    def _locations(self, entries: Any, rows: list[int] | None) -> dict[str, Any]:
        found = {
            new: entries.column(name)
            for name, new in (("source", "source_document"), ("line", "line"))
            if name in entries.schema.names and batches.has_values(entries, name)
        }
        name = self._names[self._source - 1]
        if "line" not in found and set(batches.first_and_last(entries, "source")) == {name}:
            found.pop("source_document", None)  # a table has no other location
        if rows is None or not found:
            return found
        selected = batches.take_rows(batches.batch_of(found), rows)
        return {name: selected.column(name) for name in found}
