"""What sources give, taken in: judged, measured, and laid into the tables of a build.

Whether an entry may be written is asked of the engine itself: written and read back, a batch must
come back whole and without a problem. One that does not is looked at again row by row, where a
URL may be mended (a reference resolved) or is refused with its reason.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b
from itertools import pairwise
from typing import Any, NamedTuple

from urlset.arrow import batches, batches_to_entries
from urlset.builder.settings import Settings
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

_FOOTER = b"</urlset>"
_DATE = b"<lastmod>"
_DATE_END = b"</lastmod>"
# Beware: without ORDER BY the window costs nothing, and a batch is read as it stands.
_SIZE = """lead("offset", 1, {end}::UBIGINT) OVER () - "offset"
    - if(lastmod_text IS NULL, 0, 19 + strlen(lastmod_text))"""
_ANY = 1 << 62
_NESTED = ("images", "videos", "news", "alternates", "extra")

TABLE = """
CREATE TABLE staged (source USMALLINT, id UBIGINT, loc VARCHAR, lastmod_text VARCHAR,
    changefreq VARCHAR, priority DOUBLE, size UINTEGER, more VARCHAR, place VARCHAR, line UINTEGER,
    section VARCHAR, reason VARCHAR, fingerprint VARCHAR, page_lastmod VARCHAR,
    git_lastmod VARCHAR, header_lastmod VARCHAR, mtime_lastmod VARCHAR)"""
"""``size`` is bytes in the file without a lastmod; ``more`` a digest of images, videos …"""


class Checked(NamedTuple):
    """Rows of a batch that may be written: which ones (None: all), and how they come back.

    ``entries`` know where each begins in the document that was read back, ``end`` is where the
    last one ends; ``more`` are digests, where there are extensions.
    """

    rows: list[int] | None
    entries: Any
    end: int
    more: list[str | None] | None


class Intake:
    """Takes sources into the tables ``staged`` and ``extended`` of a workbench, one after another.

    ``rejected`` is what may not be written. Raises :class:`urlset.EntryError` for the first of
    them where settings say so. ``fragments`` counts URLs of which a fragment was cut off.
    """

    def __init__(self, bench: Workbench, engine: Engine, settings: Settings):
        self.rejected: list[Rejection] = []
        self.count = self.fragments = 0
        self._bench = bench
        self._engine = engine
        self._settings = settings
        kind = "text" if settings.is_text else "urlset"
        self._frame = len(engine.renderer(kind, 1, 1, 1, settings.stylesheet).finish())
        self._rules = Rules(settings.base, settings.is_text, engine.name)
        self._source = 0
        self._name = ""
        self._is_published = False
        bench.run(TABLE)
        known = set(bench.columns("staged"))
        for name in settings.kept_columns:
            if name not in known:
                bench.run(f'ALTER TABLE staged ADD COLUMN "{name}" VARCHAR')
        self.has_extended = False

    def take(self, source: Source, *, is_published: bool = False) -> Iterator[int]:
        """Take one source; yields the rows taken from all so far, batch by batch.

        Of one that is published, what may not be written is passed over: it goes with this build.
        """
        self._source += 1
        self._is_published = is_published
        self._name = source.name
        for batch in source.batches():
            if batch.num_rows:
                self._take(self._rewritten(batch))
                yield self.count

    def clear(self) -> None:
        """Forget all that was taken in, and begin anew."""
        self._bench.run("DELETE FROM staged")
        self._bench.run("DROP TABLE IF EXISTS extended")
        self.rejected.clear()
        self.count, self.fragments, self._source, self.has_extended = 0, 0, 0, False

    def _rewritten(self, batch: Any) -> Any:
        if not self._settings.rewrites or self._is_published:
            return batch
        name = "loc" if "loc" in batch.schema.names else "url"
        locs = batches.column(batch, name)
        for rewrite in self._settings.rewrites:
            locs = [loc and rewrite.apply(loc) for loc in locs]
        return batches.replaced(batch, name, batches.text_array(locs))

    def _take(self, batch: Any) -> None:
        try:
            entries = batches.entry_columns(batch)
        except ValueError as error:
            raise EntryError(f"{self._name}: {error}") from error
        for start, part in batches.parts_of(entries, BATCH_ROWS):
            self._take_part(batch.slice(start, part.num_rows), part)

    def _take_part(self, batch: Any, entries: Any) -> None:
        whole = self._as_written(entries)
        if whole is not None:
            self._lay(batch, entries, whole)
            return
        for start, part in batches.parts_of(entries, PART_ROWS):
            mine = batch.slice(start, part.num_rows)
            whole = self._as_written(part)
            for checked in [whole] if whole is not None else self._row_by_row(part):
                self._lay(mine, part, checked)

    def _as_written(self, entries: Any) -> Checked | None:
        """The entries as they come back when they were written; None unless all is well."""
        try:
            columns = self._engine.columns(batches.as_table(entries))
        except ValueError:
            return None
        return self._read_back(columns, entries, entries.num_rows)

    def _read_back(self, columns: Any, given: Any, count: int) -> Checked | None:
        """Write entries and read them back; ``given`` is a batch, or a list of valid entries."""
        kind = "text" if self._settings.is_text else "urlset"
        renderer = self._engine.renderer(kind, count, _ANY, count)
        if renderer.add(columns, 0) < count:
            return None
        data = renderer.finish()
        parsed = self._engine.parse(data, None, None, [])
        if len(parsed.entries) != count:
            return None
        if isinstance(given, list):
            # A problem may be a mere suspicion (`&amp;` in a URL): what is valid and comes back
            # as it was is written.
            if parsed.marks and not all(map(_is_same, parsed.entries, given)):
                return None
        elif parsed.marks:
            return None
        read = batches.one_batch(parsed.entries)
        if not isinstance(given, list) and _has_fragment(data, read):
            return None
        if not isinstance(given, list) and not self._settings.is_text and _lost(given, read):
            return None
        end = len(data) if self._settings.is_text else data.rindex(_FOOTER)
        if end > self._room and _largest(read, end) > self._room:
            return None
        return Checked(None, read, end, self._digests(data, read, end))

    @property
    def _room(self) -> int:
        return self._settings.max_bytes - self._frame

    def _digests(self, data: bytes, read: Any, end: int) -> list[str | None] | None:
        """Digests of those entries that have more than core elements; None where none has."""
        first = batches.first(read, "offset")
        is_plain = b" xmlns:" not in data[:first] and _is_empty(read.column("extra"))
        if is_plain or self._settings.is_text:
            return None
        extras = batches.column(read, "extra")
        lines = (data[start:after] for start, after in _spans(read, end))
        return [
            None if extra is None and _is_core(line) else _digest(line)
            for extra, line in zip(extras, lines, strict=True)
        ]

    def _row_by_row(self, part: Any) -> Iterator[Checked]:
        items = [entry for some in batches_to_entries(batches.as_table(part)) for entry in some]
        checked = validate(Batch(0, [self._without_fragment(item) for item in items]), self._rules)
        for error in checked.errors:
            self._refuse(items[error.row], error)
        return self._halved(checked.entries, checked.rows)

    def _without_fragment(self, entry: Entry) -> Entry:
        """A fragment is a place in a page, which is listed once (RFC 3986 section 3.5)."""
        loc: str | None = entry.loc  # null, where a source has none
        if loc is None or "#" not in loc:
            return entry
        self.fragments += 1
        return entry._replace(loc=loc.partition("#")[0])

    def _halved(self, entries: list[Entry], rows: list[int]) -> Iterator[Checked]:
        """Read valid entries back: all together, or else each half, down to the one at fault."""
        if not entries:
            return
        made = self._read_back(self._engine.columns(entries), entries, len(entries))
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
        place = entry.source or self._name
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
        beside = batches.text_columns(batch, (*EVIDENCE, *self._settings.kept_columns))
        if beside is not None and checked.rows is not None:
            beside = batches.rows_at(beside, checked.rows)
        count = checked.entries.num_rows
        columns = {"id": batches.count_up(self.count, count)}
        if checked.more is not None:
            columns["more"] = batches.text_array(checked.more)
        if beside is not None:
            columns |= {name: beside.column(name) for name in beside.schema.names}
        columns |= self._places(entries, checked.rows)
        made = batches.beside(checked.entries, columns)
        names = ["loc", "lastmod_text", "changefreq", "priority", *columns]
        listed = ", ".join(f'"{name}"' for name in names)
        self._bench.insert(
            batches.as_table(made),
            f"""INSERT INTO staged BY NAME SELECT {self._source} AS source, {listed},
                {_SIZE.format(end=checked.end)} AS size FROM batch""",
        )
        if checked.more is not None:
            self._lay_extended(batches.as_table(made))
        self.count += count

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
            if name in entries.schema.names
        }
        if rows is None or not found:
            return found
        taken = batches.rows_at(batches.batch_of(found), rows)
        return {name: taken.column(name) for name in found}


def _has_fragment(data: bytes, read: Any) -> bool:
    return b"#" in data and any("#" in loc for loc in batches.column(read, "loc"))


def _is_same(read: Entry, given: Entry) -> bool:
    return read[:1] + read[2:10] == given[:1] + given[2:10]


def _lost(given: Any, read: Any) -> bool:
    """Whether a value did not come back: what nobody can read is not written."""
    names = set(given.schema.names)
    for name in ("changefreq", "priority"):
        if name in names and given.column(name).null_count != read.column(name).null_count:
            return True
    dates = [given.column(name) for name in ("lastmod", "lastmod_text") if name in names]
    if not dates:
        return False
    if len(dates) == 1:
        return bool(dates[0].null_count != read.column("lastmod_text").null_count)
    pairs = zip(*(column.to_pylist() for column in dates), strict=True)
    count = sum(instant is None and text is None for instant, text in pairs)
    return bool(count != read.column("lastmod_text").null_count)


def _is_empty(column: Any) -> bool:
    return bool(column.null_count == len(column))


def _spans(read: Any, end: int) -> Iterator[tuple[int, int]]:
    """Where each entry begins and ends."""
    return pairwise([*batches.column(read, "offset"), end])


def _largest(read: Any, end: int) -> int:
    """Bytes of the largest entry, without its lastmod."""
    dates = batches.column(read, "lastmod_text")
    return max(
        after - start - (0 if date is None else len(_DATE) + len(date) + len(_DATE_END))
        for (start, after), date in zip(_spans(read, end), dates, strict=True)
    )


def _is_core(line: bytes) -> bool:
    return not any(tag in line for tag in (b"<image:", b"<video:", b"<news:", b"<xhtml:"))


def _digest(line: bytes) -> str:
    """What an entry says but for its dates, as a digest."""
    start = line.find(_DATE)
    if start >= 0:
        line = line[:start] + line[line.index(_DATE_END, start) + len(_DATE_END) :]
    return blake2b(line, digest_size=16).hexdigest()
