"""What sources give, taken in: judged, measured, and laid into the tables of a build.

A batch that does not come back whole and without a problem is looked at again row by row, where a
URL may be mended (a reference resolved) or is refused with its reason.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from urlset.arrow import batches, batches_to_entries
from urlset.builder.familiar import find_familiar, lay_as_given, plain_part, strangers
from urlset.builder.fragments import without_fragments
from urlset.builder.judging import Checked, Judge
from urlset.builder.settings import Settings
from urlset.builder.staging import Staging
from urlset.engine import Engine
from urlset.errors import EntryError
from urlset.model import Entry
from urlset.sources import EVIDENCE, Source
from urlset.store import Workbench
from urlset.writer import Rejection
from urlset.writer.faults import shown
from urlset.writer.intake import Batch
from urlset.writer.validation import Rules, validate

__all__ = ["Intake"]

BATCH_ROWS = 40_960
"""Rows that are written and read back together: of one document of more a reader complains."""

PART_ROWS = 1_000
"""Rows that are looked at again together, where a batch did not: as many as a file of news has."""

_SIZE = """"end" - "offset" - if(lastmod_text IS NULL, 0, 19 + strlen(lastmod_text))"""
_NESTED = ("images", "videos", "news", "alternates", "extra")

Part = tuple[Any, Any]
"""A batch, and its columns of an entry."""


class Intake:
    """Takes sources into the tables ``staged`` and ``extended`` of a workbench, one after another.

    ``rejected`` is what may not be written. Raises :class:`urlset.EntryError` for the first of
    them where settings say so. ``fragments`` counts URLs of which a fragment was cut off.
    """

    def __init__(self, bench: Workbench, engine: Engine, settings: Settings):
        self.rejected: list[Rejection] = []
        self.count = self.fragments = 0
        self.has_extended = False
        self._bench = bench
        self._engine = engine
        self._settings = settings
        self._judge = Judge(engine, settings)
        self._rules = Rules(settings.base, settings.is_text, engine.name)
        self._names: list[str] = []
        self._source = 0
        self._next_id = 0
        self._urls: str | None = None
        self._is_published = False
        self.staging = Staging(bench, settings)

    @property
    def is_trusting(self) -> bool:
        """Whether it is known, after :meth:`settle`, which rows the ledger has."""
        return self._urls is not None

    def trust(self, urls: str) -> None:
        """Believe a table of the ledger, for what is taken from now on: :meth:`settle` asks it."""
        self._urls = urls

    def take(self, source: Source, *, is_published: bool = False) -> Iterator[int]:
        """Take one source; yields the rows taken from all so far, batch by batch.

        Of one that is published, what may not be written is passed over: it goes with this build.
        """
        self._is_published = is_published
        self._names.append(source.name)
        self._source = len(self._names)
        parts = self._parts(map(self._rewritten, source.batches()))
        if self._urls is None:
            yield from self._take_parts(parts)
            self.staging.flush()
            return
        for batch, entries in parts:
            plain = plain_part(entries)
            if plain is not None:
                count = entries.num_rows
                columns = self._beside(batch, entries, count)
                lay_as_given(self.staging, self._source, plain, columns)
                self._count(count)
                yield self.count
            else:
                yield from self._take_parts(iter([(batch, entries)]))

    def settle(self) -> Iterator[int]:
        """Look at what was taken on trust and is not in the ledger; yields as :meth:`take`."""
        self.staging.flush()
        if self._urls is None:
            return
        beside = (*EVIDENCE, *self._settings.kept_columns)
        find_familiar(self._bench, self._urls, self._settings)
        for source, batch in strangers(self._bench, list(dict.fromkeys(beside))):
            self._source = source
            self.count -= batch.num_rows
            yield from self._take_parts(self._parts(iter([batch])))
        self.staging.flush()

    def clear(self) -> None:
        """Forget all that was taken in, and begin anew."""
        self.staging.clear()
        self._bench.run("DROP TABLE IF EXISTS extended")
        self.rejected.clear()
        self._names.clear()
        self.count, self.fragments, self._next_id, self.has_extended = 0, 0, 0, False

    def _rewritten(self, batch: Any) -> Any:
        if not self._settings.rewrites or not batch.num_rows or self._is_published:
            return batch
        name = "loc" if "loc" in batch.schema.names else "url"
        locs = batches.column(batch, name)
        for rewrite in self._settings.rewrites:
            locs = [loc and rewrite.apply(loc) for loc in locs]
        return batches.replaced(batch, name, batches.text_array(locs))

    def _parts(self, given: Iterator[Any]) -> Iterator[Part]:
        """Cut batches into parts, each with its columns of an entry."""
        for batch in given:
            if not batch.num_rows:
                continue
            try:
                entries = batches.entry_columns(batch)
            except ValueError as error:
                raise EntryError(f"{self._names[self._source - 1]}: {error}") from error
            for start, part in batches.parts_of(entries, BATCH_ROWS):
                yield batch.slice(start, part.num_rows), part

    def _take_parts(self, parts: Iterator[Part]) -> Iterator[int]:
        """Judge and lay down parts; while one is laid down, the next is written and read back."""
        with ThreadPoolExecutor(1) as pool:
            before: tuple[Part, Future[Checked | None]] | None = None
            for part in parts:
                after = part, pool.submit(self._judge.as_written, part[1])
                if before is not None:
                    self._take_part(*before[0], before[1].result())
                    yield self.count
                before = after
            if before is not None:
                self._take_part(*before[0], before[1].result())
                yield self.count

    def _take_part(self, batch: Any, entries: Any, whole: Checked | None) -> None:
        if whole is not None:
            self._lay(batch, entries, whole)
            return
        for start, part in batches.parts_of(entries, PART_ROWS):
            mine = batch.slice(start, part.num_rows)
            whole = self._judge.as_written(part)
            for checked in [whole] if whole is not None else self._row_by_row(part):
                self._lay(mine, part, checked)

    def _row_by_row(self, part: Any) -> Iterator[Checked]:
        items = [entry for some in batches_to_entries(batches.as_table(part)) for entry in some]
        items, cut = without_fragments(items)
        self.fragments += cut
        checked = validate(Batch(0, items), self._rules)
        for error in checked.errors:
            self._refuse(items[error.row], error)
        return self._halved(checked.entries, checked.rows)

    def _halved(self, entries: list[Entry], rows: list[int]) -> Iterator[Checked]:
        """Read valid entries back: all together, or else each half, down to the one at fault."""
        if not entries:
            return
        made = self._judge.read_back(self._engine.columns(entries), entries, len(entries))
        if made is not None:
            yield made._replace(rows=rows)
        elif len(entries) == 1:
            self._refuse_large(entries[0])
        else:
            half = len(entries) // 2
            yield from self._halved(entries[:half], rows[:half])
            yield from self._halved(entries[half:], rows[half:])

    def _refuse_large(self, entry: Entry) -> None:
        """Refuse an entry that fits into no file."""
        words = (
            f"expected an entry that fits into a file of {self._settings.max_bytes:,} bytes; "
            "leave out some of its images, videos or alternates"
        )
        self._refuse(entry, EntryError(f"row 0, loc: {words}", field="loc", value=entry.loc))

    def _refuse(self, entry: Entry, error: EntryError) -> None:
        place = entry.source or self._names[self._source - 1]
        place += f":{entry.line}" if entry.line else ""
        words = str(error).partition(", ")[2].replace("lastmod_text:", "lastmod:", 1)
        if self._settings.on_error == "raise" and not self._is_published:
            advice = "nothing was written (--on-error skip leaves such entries out)"
            raise EntryError(
                f"{place}: {words}; {advice}", row=error.row, field=error.field, value=error.value
            )
        reason = f"{place}: {words}"
        self.rejected.append(Rejection(0, entry.loc, error.field, shown(error.value), reason))

    def _lay(self, batch: Any, entries: Any, checked: Checked) -> None:
        """Insert rows that may be written, with the evidence that came beside them."""
        count = checked.entries.num_rows
        columns = self._beside(batch, entries, count, checked.rows)
        if checked.more is not None:
            columns["more"] = batches.text_array(checked.more)
        ends = batches.followed(checked.entries, "offset", checked.end)
        made = batches.beside(checked.entries, {**columns, "end": ends})
        core = ("loc", "lastmod_text", "changefreq", "priority")
        names = [*(name for name in core if batches.is_filled(made, name)), *columns]
        values = [("source", str(self._source)), ("size", _SIZE)]
        self.staging.insert(made, [*values, *((name, f'"{name}"') for name in names)])
        if checked.more is not None:
            self._lay_extended(batches.as_table(made))
        self._count(count)

    def _beside(
        self, batch: Any, entries: Any, count: int, rows: list[int] | None = None
    ) -> dict[str, Any]:
        """The columns beside those of an entry: its number, evidence, and where it was found."""
        columns = {"id": batches.count_up(self._next_id, count)}
        beside = batches.text_columns(batch, (*EVIDENCE, *self._settings.kept_columns))
        if beside is not None and rows is not None:
            beside = batches.rows_at(beside, rows)
        if beside is not None:
            columns |= {
                name: beside.column(name)
                for name in beside.schema.names
                if batches.is_filled(beside, name)
            }
        return columns | self._places(entries, rows)

    def _count(self, rows: int) -> None:
        self.count += rows
        self._next_id += rows

    def _lay_extended(self, table: Any) -> None:
        names = ", ".join(_NESTED)
        query = f"SELECT id, {names} FROM batch WHERE more IS NOT NULL"
        made = "INSERT INTO extended" if self.has_extended else "CREATE TABLE extended AS"
        self._bench.insert(table, f"{made} {query}")
        self.has_extended = True

    def _places(self, entries: Any, rows: list[int] | None) -> dict[str, Any]:
        found = {
            new: entries.column(name)
            for name, new in (("source", "place"), ("line", "line"))
            if name in entries.schema.names and batches.is_filled(entries, name)
        }
        name = self._names[self._source - 1]
        if "line" not in found and set(batches.ends(entries, "source")) == {name}:
            found.pop("place", None)  # of a table there is no more to tell
        if rows is None or not found:
            return found
        taken = batches.rows_at(batches.batch_of(found), rows)
        return {name: taken.column(name) for name in found}
