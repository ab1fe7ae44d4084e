"""Take the URLs of a source over from the last build, if the source proves that it is unchanged.

A source may have a method ``row_version``. It returns a :class:`RowVersion`: a text that changes
whenever a row changes, or None with the reason why there is none. The ledger records it with the
options of the build. While both are the same, the rows are not read from the source again.
"""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterator, Sequence
from dataclasses import dataclass, field, fields
from hashlib import blake2b
from typing import Any

from urlset.arrow import open_stream
from urlset.arrow.batches import column_values, take_rows
from urlset.builder.file_mark import digest_of
from urlset.builder.ledger import Ledger
from urlset.builder.options import BuildOptions
from urlset.builder.sections import LABEL_COLUMN, LabelledSource
from urlset.builder.working_tables import KEPT
from urlset.document import parse
from urlset.http.policy import user_agent
from urlset.option_schema import options_of
from urlset.publisher import Target
from urlset.sources import RowVersion, Source
from urlset.store import ScratchDatabase

_INDEPENDENT = frozenset(each.name for each in options_of("build") if each.decides == "run")
"""Options that do not decide how a row is published."""


@dataclass
class PublishedRows:
    """Source of URLs that stay listed: from the ledger, or from the file that lists them."""

    name: str
    found: Iterator[Any]
    failures: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def batches(self) -> Iterator[Any]:
        """Yield the entries as Arrow batches."""
        return self.found


class SourceReuse:
    """Decides for each source whether its rows are those of the last build.

    ``reused`` has the names of the sources whose rows were taken over; ``notes`` says of each
    source with ``row_version`` whether it was read, and why. ``numbers`` are those of the sources
    in the ledger, ``replaced`` those that another source had in the last build.
    """

    def __init__(
        self,
        db: ScratchDatabase,
        ledger: Ledger,
        sources: Sequence[Source],
        numbers: Sequence[int],
        replaced: Collection[int],
    ):
        self.reused: list[str] = []
        self.notes: list[str] = []
        self._db = db
        self._ledger = ledger
        self._sources = sources
        self._numbers = numbers
        self._versions: list[str | None] = [None] * len(sources)
        self._reasons: dict[int, str | None] = {}
        self._stated: dict[int, RowVersion] = {}
        self._unchanged: set[int] = set()
        self._recorded: dict[int, tuple[str | None, int | None]] = {
            number: (version, rows)
            for number, version, rows in db.rows(
                f"SELECT number, version, rows FROM {ledger.table('sources')}"
            )
            if number not in replaced
        }

    def is_unchanged(self, position: int, settings: BuildOptions) -> bool:
        """Return whether the rows of a source are those of the last build.

        The version is requested before the rows are read: a row that changes in between is then
        recorded with the version before the change, and read again by the next build.
        """
        if position not in self._reasons:
            source = self._sources[position]
            row_version = getattr(source, "row_version", None)
            stated: RowVersion | None = row_version() if row_version is not None else None
            if stated is None:
                self._reasons[position] = None
                return False
            self._reasons[position] = stated.reason
            self._stated[position] = stated
            if stated.version is None:
                self._is_read(position, stated.reason)
                return False
            version = self._versions[position] = _digest(stated.version, settings)
            reason = self._difference(self._numbers[position], version, settings)
            if reason is not None:
                self._is_read(position, reason)
                return False
            self._unchanged.add(position)
        return position in self._unchanged

    def are_all_unchanged(self, settings: BuildOptions) -> bool:
        """Return whether the set has the rows of these sources and no other ones."""
        if not all(self.is_unchanged(n, settings) for n in range(len(self._sources))):
            return False
        rows = sum(self._recorded[number][1] or 0 for number in self._numbers)
        return rows == self._ledger.count()

    def take_over_all(self) -> None:
        """Note that no source is read."""
        for position in range(len(self._sources)):
            self._is_taken_over(position)

    def find(self, position: int, target: Target, settings: BuildOptions) -> Source | None:
        """Return the published rows of a source if it is unchanged; None if it must be read."""
        if not self.is_unchanged(position, settings) or self._reasons[position] is None:
            return None
        source, number = self._sources[position], self._numbers[position]
        reason = self._damaged(number, target)
        if reason is not None:
            self._is_read(position, reason)
            return None
        self._is_taken_over(position)
        self._db.run(
            f"""{KEPT.create_table} SELECT loc, file, lastmod, changefreq, priority, more
            FROM {self._ledger.table("urls")} WHERE source = {number}"""
        )
        found: Iterator[Any] = published_rows(self._db, self._ledger, target)
        if isinstance(source, LabelledSource):
            found = source.labelled(found)
        return PublishedRows(source.name, found)

    def versions(self, incomplete: Collection[int]) -> list[str | None]:
        """Return what to record for each source that was read, None for those ``incomplete``."""
        return [
            None if position in incomplete or not self._is_current(position) else version
            for position, version in enumerate(self._versions)
        ]

    def _is_current(self, position: int) -> bool:
        stated = self._stated.get(position)
        return stated is not None and (stated.is_current is None or stated.is_current())

    def _is_read(self, position: int, reason: str | None) -> None:
        if self._reasons[position] is None:
            return
        name = self._sources[position].name
        self.notes.append(f"{name}: all rows are read, because {reason}")

    def _is_taken_over(self, position: int) -> None:
        name = self._sources[position].name
        _, rows = self._recorded[self._numbers[position]]
        urls = "1 URL is" if rows == 1 else f"{rows:,} URLs are"
        self.reused.append(name)
        if self._reasons[position] is None:
            return
        self.notes.append(
            f"{name}: {urls} taken over from the last build without reading the rows, "
            f"because {self._reasons[position]}"
        )

    def _difference(self, number: int, version: str, settings: BuildOptions) -> str | None:
        """Return why the last build does not have the rows of a source; None if it has them."""
        before, rows = self._recorded.get(number, (None, None))
        if self._ledger.is_new or before is None:
            return "the last build recorded no version of them"
        if before != version:
            return "rows, cache_version or options changed since the last build"
        if set(settings.kept_columns) - {LABEL_COLUMN}:
            return "sections are formed from a column"
        urls = self._ledger.table("urls")
        # A date of other evidence than the row itself would become one that the row states.
        (listed,) = self._db.fetch_one(
            f"""SELECT count(*) FROM {urls} WHERE source = {number}
            AND (lastmod IS NULL OR lastmod_from = 'given')"""
        )
        if listed != rows:
            return (
                f"the last build lists {listed:,} of its {rows:,} rows as URLs of this source only"
            )
        return None

    def _damaged(self, number: int, target: Target) -> str | None:
        """Return why URLs with extensions cannot be read from the published files, or None."""
        files = {file.number: file for file in self._ledger.files()}
        for (name,) in self._db.rows(
            f"""SELECT DISTINCT file FROM {self._ledger.table("urls")}
            WHERE source = {number} AND more IS NOT NULL"""
        ):
            file = files[name]
            if digest_of(target.read(file.name) or b"") != file.digest:
                return f"{file.name} is not as the last build wrote it"
        return None


def _digest(version: str, settings: BuildOptions) -> str:
    """Return a digest of a version, and of what else decides how rows are published."""
    options: list[Any] = [user_agent()]  # has the version of urlset
    options += [
        (one.name, getattr(settings, one.name))
        for one in fields(settings)
        if one.name not in _INDEPENDENT
    ]
    return blake2b(repr((version, options)).encode(), digest_size=16).hexdigest()


def published_rows(
    db: ScratchDatabase, ledger: Ledger, target: Target
) -> Generator[Any, None, int]:
    """Yield the rows of ``kept``; those with extensions are read from the published files.

    Return the number of rows that the published files do not have.
    """
    yield from db.batches(
        "SELECT loc, lastmod AS lastmod_text, changefreq, priority FROM kept WHERE more IS NULL"
    )
    names = {file.number: file.name for file in ledger.files()}
    missing = 0
    for number, count in db.rows(
        "SELECT file, count(*) FROM kept WHERE more IS NOT NULL GROUP BY file ORDER BY file"
    ):
        locs = {
            loc
            for (loc,) in db.rows(
                f"SELECT loc FROM kept WHERE more IS NOT NULL AND file = {number}"
            )
        }
        missing += count
        for batch in open_stream(parse(target.read(names[number]) or b"").entries):
            rows = [n for n, loc in enumerate(column_values(batch, "loc")) if loc in locs]
            missing -= len(rows)
            yield take_rows(batch, rows)
    return missing
