"""Write the rows of the sources of a build to the table behind the view ``staged``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from urlset.arrow import batches
from urlset.builder.options import BuildOptions
from urlset.builder.working_tables import EXTENDED, KNOWN_ROWS, STAGED, STAGED_RAW, STAGED_WIDE
from urlset.fields import EXTENSIONS
from urlset.sources import EVIDENCE
from urlset.store import TABLES, ScratchDatabase

BATCHES_PER_INSERT = 4
"""Batches that one statement inserts."""

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
    "source_document": "VARCHAR",
    "line": "UINTEGER",
    "instant": "TIMESTAMPTZ",
}


_KNOWN = ("loc", "source", "id", "lastmod_text", "changefreq", "priority")
"""The columns of rows that are not staged, because the ledger has them."""

_EXTENSIONS = {
    column.name: column.type
    for table in TABLES
    if table.name == "entries"
    for column in table.columns
    if column.name in {field.name for field in EXTENSIONS}
}
"""The types of the columns of extensions."""


class StagedRows:
    """Writer of rows of the sources to the table behind the view ``staged``, in large batches.

    The extensions of rows with ``more`` are written to ``extended_rows``; ``extensions`` are its
    columns, those with values.

    ``size`` is the bytes in the file without a lastmod, or null for the size in the ledger.
    ``more`` is a digest of images, videos and other extensions. ``source_document`` and ``line``
    locate the row in its source. ``instant`` is a timestamp that was not verified. The other
    columns are evidence and sections.
    """

    def __init__(self, db: ScratchDatabase, settings: BuildOptions):
        self._db = db
        texts = dict.fromkeys([*EVIDENCE, *settings.kept_columns], "VARCHAR")
        self._types = _CORE | _MORE | {n: kind for n, kind in texts.items() if n not in _MORE}
        self._present = set(_CORE)
        self._has_known = False
        self.extensions: list[str] = []
        self._pending: list[Any] = []
        self._expressions: list[tuple[str, str]] = []
        columns = ", ".join(f"{name} {kind}" for name, kind in _CORE.items())
        db.run(STAGED_RAW.create_empty(columns))
        self._create_view()

    def widen(self, names: Iterable[str]) -> None:
        """Add missing columns to the table of staged rows.

        An empty column would take as long to fill as another: three times the time for a list of
        URLs.
        """
        missing = [name for name in names if name not in self._present]
        for name in missing:
            self._db.run(f'ALTER TABLE {STAGED_RAW} ADD COLUMN "{name}" {self._types[name]}')
            self._present.add(name)
        if missing:
            self._create_view()

    def add_known(self) -> None:
        """Add the rows of the view ``known_rows``."""
        self._has_known = True
        self._create_view()

    def insert(self, batch: Any, expressions: Sequence[tuple[str, str]]) -> None:
        """Queue the rows of a batch; they are inserted by :meth:`flush` or earlier.

        ``expressions`` has the name and the SQL of each column.
        """
        if self._pending and (
            len(self._pending) == BATCHES_PER_INSERT
            or expressions != self._expressions
            or batch.schema != self._pending[0].schema
        ):
            self.flush()
        self._expressions = list(expressions)
        self._pending.append(batch)

    def flush(self) -> None:
        """Insert the pending batches: several at once take a third of the time."""
        if not self._pending:
            return
        self.widen(name for name, _ in self._expressions)
        listed = ", ".join(f'{value} AS "{name}"' for name, value in self._expressions)
        pending, self._pending = self._pending, []
        table = batches.as_table(*pending)
        with self._db.unordered():
            self._db.insert(
                f"INSERT INTO {STAGED_RAW} BY NAME SELECT {listed} FROM incoming", table
            )
        if any(name == "more" for name, _ in self._expressions):
            names = [n for n in _EXTENSIONS if any(batches.has_values(one, n) for one in pending)]
            self._insert_extensions(table, names)

    def _insert_extensions(self, table: Any, names: list[str]) -> None:
        """Insert the columns with values: all fields of an empty one would take as long."""
        if not names:
            return
        new = [name for name in names if name not in self.extensions]
        columns = [f"{name} {_EXTENSIONS[name]}" for name in new]
        if not self.extensions:
            self._db.run(EXTENDED.create_empty(", ".join(["id UBIGINT", *columns])))
        else:
            for column in columns:
                self._db.run(f"ALTER TABLE {EXTENDED} ADD COLUMN {column}")
        self.extensions += new
        listed = ", ".join(("id", *names))
        self._db.insert(
            f"INSERT INTO {EXTENDED} BY NAME SELECT {listed} FROM incoming WHERE more IS NOT NULL",
            table,
        )

    def clear(self) -> None:
        """Delete all staged rows, also those not inserted yet."""
        self._pending.clear()
        self._db.run(f"DELETE FROM {STAGED_RAW}")
        self._db.run(f"DROP TABLE IF EXISTS {EXTENDED}")
        self.extensions = []

    def _create_view(self) -> None:
        listed = ", ".join(
            f'"{name}"' if name in self._present else f'NULL::{kind} AS "{name}"'
            for name, kind in self._types.items()
        )
        self._db.run(f"{STAGED_WIDE.create_view} SELECT {listed} FROM {STAGED_RAW}")
        known = ""
        if self._has_known:
            names = ", ".join(
                name if name in _KNOWN else f'NULL::{kind} AS "{name}"'
                for name, kind in self._types.items()
            )
            known = f" UNION ALL SELECT {names} FROM {KNOWN_ROWS}"
        self._db.run(f"{STAGED.create_view} SELECT * FROM {STAGED_WIDE}{known}")
