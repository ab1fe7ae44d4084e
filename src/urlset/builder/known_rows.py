"""Recognize rows of sources that the ledger has exactly as they are, without staging them.

The rows of the ledger are hashed once. A row of a source that is one of them costs a look-up; only
the other rows are staged, and compared in SQL.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import accumulate
from typing import Any

from urlset.arrow import batches
from urlset.builder.working_tables import KNOWN_ROWS, NOT_FOUND
from urlset.engine import Engine, KnownRows
from urlset.sources.candidates import prefetch
from urlset.store import ScratchDatabase

MAX_ROWS = 5_000_000
"""Maximum rows of a ledger that are hashed: 134 MB of memory."""

FIRST_ID = 1 << 62
"""Number in the staging tables of the first row; rows of sources have lower ones."""

_COLUMNS = "loc, lastmod AS lastmod_text, changefreq, priority"
# Only a date that the row itself states is published again whatever the other evidence is.
_IS_PLAIN = "u.more IS NULL AND (u.lastmod IS NULL OR u.lastmod_from = 'given')"
_KNOWN_ROWS = f"""
{KNOWN_ROWS.create_view}
SELECT u.rowid AS ledger_row, {{source}} AS source, (u.rowid + {FIRST_ID})::UBIGINT AS id,
    u.loc, u.lastmod AS lastmod_text, u.changefreq, u.priority, u.file, u.section, u.lastmod_from,
    u.size, u.first_seen, u.fingerprint, u.content_lastmod, u.adopted_lastmod,
    u.source AS ledger_source
FROM {{urls}} u WHERE {_IS_PLAIN} AND {{source}} IS NOT NULL
    AND u.rowid NOT IN (SELECT ledger_row FROM {NOT_FOUND})"""


class KnownLedgerRows:
    """Rows of the ledger without extensions, and which of them the sources list.

    :meth:`of` creates them.

    Args:
        db: The database of the build.
        urls: The table of the ledger.
        sources: The number of each source in the staging tables, by its number in the ledger. A
            row is then only that of its source. None for one source to which all rows belong.
    """

    def __init__(self, db: ScratchDatabase, urls: str, sources: Mapping[int, int] | None):
        self._db = db
        self._urls = urls
        cases = "".join(f" WHEN {n} THEN {source}" for n, source in (sources or {}).items())
        self._source = f"({f'CASE u.source{cases} END' if sources else 1})::USMALLINT"
        self._is_divided = sources is not None
        self._ledger_rows: list[Any] = []
        self._rows: KnownRows

    @classmethod
    def of(
        cls, db: ScratchDatabase, urls: str, engine: Engine, sources: Mapping[int, int] | None
    ) -> KnownLedgerRows | None:
        """Read the rows of the ledger; return None if the engine cannot, or there are too many."""
        (count,) = db.fetch_one(f"SELECT count(*) FROM {urls}")
        if count > MAX_ROWS:
            return None
        known = cls(db, urls, sources)
        with ThreadPoolExecutor(1) as pool:  # during a query: its memory is slow to get
            created = pool.submit(engine.known_rows, count)
            numbers = [1] if sources is None else sources.values()
            is_complete = all(known._read(source, created) for source in numbers)
        rows = created.result()
        if rows is None or not is_complete:
            return None
        known._rows = rows
        return known

    def _read(self, source: int, created: Future[KnownRows | None]) -> bool:
        found = self._db.batches(
            f"SELECT u.rowid AS ledger_row, {_COLUMNS} FROM {self._urls} u "
            f"WHERE {_IS_PLAIN} AND {self._source} = {source}"
        )
        for batch in prefetch(found):
            known = created.result()
            rows = batches.as_table(batch).__arrow_c_stream__()
            if known is None or not known.add(rows, self._group(source)):
                return False
            self._ledger_rows.append(batches.batch_of({"row": batch.column("ledger_row")}))
        return True

    def _group(self, source: int) -> int:
        return source if self._is_divided else 0

    def unknown(self, source: int, entries: Any) -> Sequence[int]:
        """Return the numbers of those rows of a batch of a source that the ledger has not."""
        rows = batches.as_table(entries).__arrow_c_stream__()
        try:
            return self._rows.unknown(rows, self._group(source))
        except ValueError:  # a column of another type
            return range(entries.num_rows)

    def create_view(self) -> None:
        """Create ``known_rows``, after all sources were read."""
        self._db.run(NOT_FOUND.create_empty("ledger_row BIGINT"))
        missing = self._rows.not_found()
        ends = list(accumulate(batch.num_rows for batch in self._ledger_rows))
        at = 0
        for end, batch in zip(ends, self._ledger_rows, strict=True):
            start, first = at, end - batch.num_rows
            while at < len(missing) and missing[at] < end:
                at += 1
            if at > start:
                some = batches.take_rows(batch, [row - first for row in missing[start:at]])
                self._db.insert(
                    f"INSERT INTO {NOT_FOUND} SELECT * FROM incoming", batches.as_table(some)
                )
        self._db.run(_KNOWN_ROWS.format(urls=self._urls, source=self._source))
