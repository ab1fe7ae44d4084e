"""The table that sources are taken into: as wide as what is in it, and seen in its full width."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from urlset.arrow import batches
from urlset.builder.options import BuildOptions
from urlset.sources import EVIDENCE
from urlset.store import ScratchDatabase

__all__ = ["TAKEN", "StagedRows"]

TAKEN = "taken"
"""The table itself; the view ``staged`` has every column."""

TOGETHER = 4
"""Batches that are inserted by one statement."""

_CORE = {
    "source": "USMALLINT",
    "id": "UBIGINT",
    "loc": "VARCHAR",
    "lastmod_text": "VARCHAR",
    "size": "UINTEGER",
}
_MORE = {
    "changefreq": "VARCHAR",
    "priority": "DOUBLE",
    "more": "VARCHAR",
    "place": "VARCHAR",
    "line": "UINTEGER",
    "instant": "TIMESTAMPTZ",
}


class StagedRows:
    """What sources gave: the view ``staged`` of a workbench.

    ``size`` is bytes in the file without a lastmod, or null for that of the ledger; ``more`` a
    digest of images, videos …; ``place`` and ``line`` where a row stood; ``instant`` a date that
    was given as one and was not looked at. The others are evidence, and columns for sections.
    """

    def __init__(self, bench: ScratchDatabase, settings: BuildOptions):
        self._bench = bench
        texts = dict.fromkeys([*EVIDENCE, *settings.kept_columns], "VARCHAR")
        self._kinds = _CORE | _MORE | {n: kind for n, kind in texts.items() if n not in _MORE}
        self._there = set(_CORE)
        self._waiting: list[Any] = []
        self._listed: list[tuple[str, str]] = []
        columns = ", ".join(f"{name} {kind}" for name, kind in _CORE.items())
        bench.run(f"CREATE TABLE {TAKEN} ({columns})")
        self._show()

    def widen(self, names: Iterable[str]) -> None:
        """Make room for columns.

        A column of nothing would take as long to fill as one of something: three times the time
        for a list of URLs.
        """
        missing = [name for name in names if name not in self._there]
        for name in missing:
            self._bench.run(f'ALTER TABLE {TAKEN} ADD COLUMN "{name}" {self._kinds[name]}')
            self._there.add(name)
        if missing:
            self._show()

    def insert(self, batch: Any, expressions: Sequence[tuple[str, str]]) -> None:
        """Insert the rows of a batch, at the latest with :meth:`flush`.

        ``expressions`` are the names of columns, and what stands in each.
        """
        is_full = len(self._waiting) == TOGETHER
        if is_full or (self._waiting and not self._is_alike(batch, expressions)):
            self.flush()
        self._listed = list(expressions)
        self._waiting.append(batch)

    def flush(self) -> None:
        """Insert what is waiting: several batches at once take a third of the time."""
        if not self._waiting:
            return
        self.widen(name for name, _ in self._listed)
        listed = ", ".join(f'{value} AS "{name}"' for name, value in self._listed)
        table = batches.as_table(*self._waiting)
        self._waiting.clear()
        with self._bench.unordered():
            self._bench.insert(table, f"INSERT INTO {TAKEN} BY NAME SELECT {listed} FROM batch")

    def _is_alike(self, batch: Any, expressions: Sequence[tuple[str, str]]) -> bool:
        """Whether a batch can be inserted with those that wait."""
        return expressions == self._listed and batch.schema == self._waiting[0].schema

    def clear(self) -> None:
        """Take all rows out."""
        self._waiting.clear()
        self._bench.run(f"DELETE FROM {TAKEN}")

    def _show(self) -> None:
        listed = ", ".join(
            f'"{name}"' if name in self._there else f'NULL::{kind} AS "{name}"'
            for name, kind in self._kinds.items()
        )
        self._bench.run(f"CREATE OR REPLACE VIEW staged AS SELECT {listed} FROM {TAKEN}")
