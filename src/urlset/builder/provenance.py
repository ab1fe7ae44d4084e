"""Record which source lists each URL, and keep the URLs of sources that could not be read.

A failure is no removal: while a source is incomplete, only URLs that the ledger attributes to
sources that were read completely can leave the set. The others stay listed as they are published.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from urlset.builder.ingest import Ingest
from urlset.builder.ledger import Ledger
from urlset.builder.options import BuildOptions, fail
from urlset.builder.reuse import PublishedRows, SourceReuse, published_rows
from urlset.builder.working_tables import KEPT, STAGED_RAW
from urlset.publisher import Target
from urlset.sources import Source
from urlset.sources.candidates import UNREADABLE, UNREADABLE_FOLDER, source_type_of
from urlset.store import ScratchDatabase, quoted

LEAST_LOST = 10
"""Gate ``source``: fewer lost URLs are no accident, unless all of the source are lost."""

_PAGE_TYPES = ("html", "git")
"""Types of sources whose rows state which pages and folders could not be read."""


class Provenance:
    """The sources of a build with their numbers in the ledger, and what each listed before."""

    def __init__(self, db: ScratchDatabase, ledger: Ledger, sources: Sequence[Source]):
        self.kept = 0
        self._db = db
        self._ledger = ledger
        self._sources = sources
        self._unread: set[int] = set()  # positions of sources that raised an error
        self._incomplete: set[int] = set()
        self._known = dict(db.rows(f"SELECT name, number FROM {ledger.table('sources')}"))
        self._names = list(_unique_names(sources))
        listed = db.rows(f"SELECT DISTINCT source FROM {ledger.table('urls')}")
        recorded = {number for (number,) in listed if number is not None}
        self._renamed = self._renamed_source(recorded)
        numbers = self._known | self._renamed
        for name in self._names:
            numbers.setdefault(name, max(numbers.values(), default=0) + 1)
        self._numbers = [numbers[name] for name in self._names]
        self.reuse: SourceReuse = SourceReuse(
            db, ledger, sources, self._numbers, self._renamed.values()
        )
        self.is_compared: bool = len(sources) > 1 or len(recorded) > 1
        """Whether a URL that moved to another source is a change of the ledger."""

    def _renamed_source(self, recorded: set[int]) -> dict[str, int]:
        """Return the number of a source that takes the place of another one, by its name.

        With a number of its own, all rows of the ledger that both list would change.
        """
        new = [name for name in self._names if name not in self._known]
        missing = recorded - {self._known.get(name) for name in self._names}
        return {new[0]: missing.pop()} if len(new) == len(missing) == 1 else {}

    def add_failure(self, source: int, message: str) -> None:
        """Note that a source, given by its position from 0, could not be read to its end."""
        self._unread.add(source)
        self._sources[source].failures.append(message)

    def sql(self, column: str) -> str:
        """Return SQL for the number in the ledger of a source in the staging tables."""
        cases = "".join(f" WHEN {n} THEN {number}" for n, number in enumerate(self._numbers, 1))
        return f"(CASE {column}{cases} END)::USMALLINT"

    @property
    def staged_sources(self) -> dict[int, int] | None:
        """The number in the staging tables of each source, by that in the ledger, if compared."""
        if not self.is_compared:
            return None
        return {number: position for position, number in enumerate(self._numbers, 1)}

    @property
    def kept_source(self) -> int | None:
        """The number in the staging tables of the rows that stay listed, if there are any."""
        return len(self._sources) + 1 if self.kept else None

    def keep_unread(self, ingest: Ingest, target: Target, settings: BuildOptions) -> None:
        """Stage the URLs of the ledger that belong to what could not be read."""
        ingest.staging.flush()
        unreadable = self._unreadable_rows()
        whole = {
            position
            for position, source in enumerate(self._sources)
            if position in self._unread
            or (source.failures and source_type_of(source) not in _PAGE_TYPES)
        }
        partial = {source - 1 for source, _, _ in unreadable} - whole
        self._incomplete = whole | partial
        if self._ledger.is_new or not self._incomplete:
            return
        scopes = [self._not_from(self._incomplete) + f" AND ({_scope_sql(unreadable)})"] * bool(
            partial
        )
        scopes += [self._not_from(whole)] * bool(whole)
        urls = self._ledger.table("urls")
        ingest.stage_known()
        if unreadable:
            self._db.run(
                f"DELETE FROM {STAGED_RAW} WHERE reason LIKE {quoted(f'{UNREADABLE}%')} "
                f"AND loc IN (SELECT loc FROM {urls})"
            )
        self._db.run(
            f"""{KEPT.create_table} SELECT loc, file, lastmod, changefreq, priority, more
            FROM {urls} u WHERE ({" OR ".join(f"({scope})" for scope in scopes)})
            AND NOT EXISTS (SELECT 1 FROM staged s WHERE s.loc = u.loc)"""
        )
        (self.kept,) = self._db.fetch_one("SELECT count(*) FROM kept")
        if self.kept:
            source = PublishedRows("the published set", self._published_rows(target, settings))
            for _ in ingest.add(source, is_published=True):
                pass

    def _unreadable_rows(self) -> list[tuple[int, str, bool]]:
        """Return the source and the URL of unreadable pages and folders, and if it is a folder."""
        if "reason" not in self._db.columns(f"FROM {STAGED_RAW}"):
            return []
        return self._db.rows(
            f"SELECT source, loc, starts_with(reason, {quoted(UNREADABLE_FOLDER)}) FROM staged "
            f"WHERE starts_with(reason, {quoted(UNREADABLE)})"
        )

    def _not_from(self, incomplete: set[int]) -> str:
        """Return SQL: a URL is not only of a source that was read, as far as is known."""
        complete = [n for at, n in enumerate(self._numbers) if at not in incomplete]
        listed = ", ".join(map(str, complete))
        return f"(u.source IS NULL OR u.source NOT IN ({listed}))" if complete else "true"

    def _published_rows(self, target: Target, settings: BuildOptions) -> Iterator[Any]:
        """Yield the rows that stay; those with extensions are read from the published files."""
        missing = yield from published_rows(self._db, self._ledger, target)
        if missing:
            fail(
                "source",
                settings,
                f"expected the published files to have {missing:,} URLs of a source that cannot be "
                f"read ({self._sources[min(self._incomplete)].failures[0]}), found none of them",
            )

    def notes(self) -> Iterator[str]:
        """Yield a note about the URLs that stay listed."""
        if self.kept:
            names = ", ".join(self._sources[at].name for at in sorted(self._incomplete))
            urls, stay = ("1 URL", "stays") if self.kept == 1 else (f"{self.kept:,} URLs", "stay")
            yield f"{urls} {stay} listed as published, because {names} could not be read completely"

    def check_shares(self, settings: BuildOptions) -> None:
        """Gate ``source``: fail for a source that lists far fewer URLs than in the last build.

        Who forces the gate ``shrunk``, of the whole set, need not force this one, too.
        """
        if len(self._sources) < 2 or not self._known or "shrunk" in settings.force:
            return
        urls = self._ledger.table("urls")
        before = dict(self._db.rows(f"SELECT source, count(*) FROM {urls} GROUP BY source"))
        now = dict(
            self._db.rows(
                "SELECT source, count(*) FROM staged WHERE reason IS NULL GROUP BY source"
            )
        )
        for at, number in enumerate(self._numbers):
            old, new = before.get(number, 0), now.get(at + 1, 0)
            is_lost = old - new >= LEAST_LOST or not new
            is_known = at not in self._incomplete and self._names[at] not in self._renamed
            if is_known and old and is_lost and new < old * settings.min_share:
                fail("source", settings, f"{self._names[at]} fell from {old:,} to {new:,} URLs")

    def commit(self, row_counts: Sequence[int], unsettled: set[int]) -> None:
        """Write the sources to the ledger, with what identifies their rows; in a transaction.

        ``unsettled`` are positions of sources whose rows a later build may treat in another way.
        """
        table = self._ledger.table("sources")
        versions = self.reuse.versions(self._incomplete | unsettled)
        columns = (self._numbers, self._names, versions, row_counts[: len(self._names)])
        self._db.run(f"DELETE FROM {table} WHERE number IN ({', '.join(map(str, self._numbers))})")
        self._db.insert_rows(table, list(zip(*columns, strict=True)))


def _unique_names(sources: Sequence[Source]) -> Iterator[str]:
    """Yield a name for each source, with its number among the sources of the same name."""
    seen: dict[str, int] = {}
    for source in sources:
        name = source.name.encode(errors="replace").decode()
        count = seen[name] = seen.get(name, 0) + 1
        yield name if count == 1 else f"{name} #{count}"


def _scope_sql(unreadable: Sequence[tuple[int, str, bool]]) -> str:
    """Return SQL: a URL is an unreadable page, or below an unreadable folder."""
    folders = " OR ".join(
        f"starts_with(u.loc, {quoted(loc.rstrip('/') + '/')})"
        for _, loc, is_folder in unreadable
        if is_folder
    )
    pages = ", ".join(quoted(loc) for _, loc, _ in unreadable)
    return f"u.loc IN ({pages})" + (f" OR {folders}" if folders else "")
