"""The table that sources are taken into: as wide as what is in it, and seen in its full width."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from urlset.builder.settings import Settings
from urlset.sources import EVIDENCE
from urlset.store import Workbench

__all__ = ["TAKEN", "Staging"]

TAKEN = "taken"
"""The table itself; the view ``staged`` has every column."""

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


class Staging:
    """What sources gave: the view ``staged`` of a workbench.

    ``size`` is bytes in the file without a lastmod, or null for that of the ledger; ``more`` a
    digest of images, videos …; ``place`` and ``line`` where a row stood; ``instant`` a date that
    was given as one and was not looked at. The others are evidence, and columns for sections.
    """

    def __init__(self, bench: Workbench, settings: Settings):
        self._bench = bench
        texts = dict.fromkeys([*EVIDENCE, *settings.kept_columns], "VARCHAR")
        self._kinds = _CORE | _MORE | {n: kind for n, kind in texts.items() if n not in _MORE}
        self._there = set(_CORE)
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

    def insert(self, batch: object, expressions: Sequence[tuple[str, str]]) -> None:
        """Insert the rows of a batch: names of columns, and what stands in each."""
        self.widen(name for name, _ in expressions)
        listed = ", ".join(f'{value} AS "{name}"' for name, value in expressions)
        self._bench.insert(batch, f"INSERT INTO {TAKEN} BY NAME SELECT {listed} FROM batch")

    def clear(self) -> None:
        """Take all rows out."""
        self._bench.run(f"DELETE FROM {TAKEN}")

    def _show(self) -> None:
        listed = ", ".join(
            f'"{name}"' if name in self._there else f'NULL::{kind} AS "{name}"'
            for name, kind in self._kinds.items()
        )
        self._bench.run(f"CREATE OR REPLACE VIEW staged AS SELECT {listed} FROM {TAKEN}")
