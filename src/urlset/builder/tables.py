"""Declare the temporary tables and views of a build, and fill the first of them.

SQL may use their names in plain text. tests/builder/test_tables.py checks that every name in the
SQL of the builder is declared here with its columns, its writers and its readers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from urlset.arrow import batches
from urlset.builder.options import BuildOptions
from urlset.fields import EXTENSIONS
from urlset.sources import EVIDENCE
from urlset.store import ScratchDatabase


@dataclass(frozen=True)
class StagingTable:
    """Temporary table or view of a build: its columns, its writers and its readers.

    ``writers`` and ``readers`` are modules of ``urlset.builder``; the first writer creates it. Some
    tables have more columns: those of the option ``sections``, and those with varying values.

    >>> DIFF.name, DIFF.create_table
    ('diff', 'CREATE OR REPLACE TABLE diff AS')
    """

    name: str
    meaning: str
    columns: tuple[str, ...]
    writers: tuple[str, ...]
    readers: tuple[str, ...]

    def __str__(self) -> str:
        return self.name

    @property
    def create_table(self) -> str:
        """Start of an SQL statement that creates the table; a query must follow."""
        return f"CREATE OR REPLACE TABLE {self.name} AS"

    @property
    def create_view(self) -> str:
        """Start of an SQL statement that creates the view; a query must follow."""
        return f"CREATE OR REPLACE VIEW {self.name} AS"

    def create_empty(self, columns: str) -> str:
        """Return SQL that creates the empty table with given columns and types."""
        return f"CREATE OR REPLACE TABLE {self.name} ({columns})"


def _declare(name: str, meaning: str, columns: str, *, writers: str, readers: str) -> StagingTable:
    return StagingTable(
        name, meaning, tuple(columns.split()), tuple(writers.split()), tuple(readers.split())
    )


_EVIDENCE = "section reason fingerprint page_lastmod git_lastmod header_lastmod mtime_lastmod"
_ROW = "loc source id lastmod_text changefreq priority size more source_document line"
_RESOLVED = """
    provenance old_provenance
    id loc changefreq priority more size source source_document line section fingerprint
    content_lastmod is_known old_file old_lastmod old_size first_seen adopted_lastmod
    old_changefreq old_priority old_more old_section old_fingerprint old_content_lastmod
    old_lastmod_from given_date page_date git_date header_date mtime_date created_date lastmod
    lastmod_from"""

STAGED_RAW = _declare(
    "staged_raw",
    "Rows of the sources, as wide as their data.",
    "source id loc lastmod_text size",
    writers="tables incremental provenance url_exclusions",
    readers="incremental provenance tables",
)
STAGED = _declare(
    "staged",
    "View of `staged_raw` with every column.",
    f"{_ROW} instant {_EVIDENCE}",
    writers="tables",
    readers="incremental provenance published_sitemaps resolve result url_exclusions",
)
EXTENDED = _declare(
    "extended",
    "Images, videos, news, alternates and other extensions of rows.",
    " ".join(["id", *(field.name for field in EXTENSIONS)]),
    writers="ingest",
    readers="allocation guards render",
)
KEPT = _declare(
    "kept",
    "Published URLs that stay listed: of unread sources, and of those whose rows are unchanged.",
    "loc file lastmod changefreq priority more",
    writers="provenance reuse",
    readers="provenance reuse",
)
LEDGER_MATCHES = _declare(
    "ledger_matches",
    "Unverified rows, each with the identical row of the ledger, if any.",
    "id ledger_row is_unchanged",
    writers="incremental",
    readers="incremental",
)
UNMATCHED_ROWS = _declare(
    "unmatched_rows",
    "Staged rows that the ledger does not have; to be verified.",
    f"{_ROW} instant {_EVIDENCE}",
    writers="incremental",
    readers="incremental",
)
CHANGED_ROWS = _declare(
    "changed_rows",
    "Staged rows to be resolved.",
    f"{_ROW} only_source instant {_EVIDENCE}",
    writers="incremental",
    readers="incremental resolve",
)
UNCHANGED_ROWS = _declare(
    "unchanged_rows",
    "Ledger rows that stay as published.",
    "ledger_row",
    writers="incremental",
    readers="incremental resolve",
)
DUPLICATE_URLS = _declare(
    "duplicate_urls",
    "URLs that are staged more than once.",
    "loc times",
    writers="resolve",
    readers="resolve",
)
DEDUPLICATED = _declare(
    "deduplicated",
    "One row for each duplicate URL, merged from all its rows.",
    f"{_ROW} only_source {_EVIDENCE}",
    writers="resolve",
    readers="resolve",
)
MERGED = _declare(
    "merged",
    "One row per URL, from all sources.",
    f"{_ROW} only_source {_EVIDENCE}",
    writers="resolve",
    readers="guards resolve result",
)
SOURCE_DATES = _declare(
    "source_dates",
    "Dates of all sources, also of merged rows.",
    "loc lastmod_text reason",
    writers="resolve",
    readers="guards",
)
RESOLVED = _declare(
    "resolved",
    "One row per URL to publish, with its section and `lastmod`, and its ledger row.",
    _RESOLVED,
    writers="resolve",
    readers="allocation render resolve result",
)
DIFF = _declare(
    "diff",
    "Rows of `resolved` that differ from the ledger, and removed URLs.",
    f"{_RESOLVED} state is_changed",
    writers="resolve allocation",
    readers="allocation guards publish render resolve result",
)
OVERFLOW = _declare(
    "overflow",
    "Rows at the end of a file that exceed its limits.",
    f"{_RESOLVED} n content",
    writers="allocation",
    readers="allocation",
)
SORT_BOUNDS = _declare(
    "sort_bounds",
    "Sort keys between the parts of a large sort.",
    "part key",
    writers="allocation",
    readers="allocation",
)
SORTED_ROWS = _declare(
    "sorted_rows",
    "Added and moved rows in file order, without constant columns.",
    "loc lastmod size id",
    writers="allocation",
    readers="allocation",
)
NEW_ROWS = _declare(
    "new_rows",
    "View of `sorted_rows` with numbers, sizes and constant columns.",
    "n loc lastmod size id news section lastmod_from changefreq priority more fingerprint "
    "content_lastmod adopted_lastmod first_seen provenance bytes",
    writers="allocation",
    readers="allocation publish render result",
)
SECTION_STARTS = _declare(
    "section_starts",
    "First row number of each section, less the URLs in its open file.",
    "section start",
    writers="allocation",
    readers="allocation",
)
ADDED_RANGES = _declare(
    "added_ranges",
    "Rows of `new_rows` that are added to existing files.",
    "file a z",
    writers="render",
    readers="render",
)
RETAINED = _declare(
    "retained",
    "Rows of the changed files, old and added.",
    "loc lastmod changefreq priority id file",
    writers="render",
    readers="render",
)
PAGES_READ = _declare(
    "pages_read",
    "Data of HTML files read by this build.",
    "path state rules facts",
    writers="ledger",
    readers="ledger",
)
PAGES_SEEN = _declare(
    "pages_seen",
    "HTML files found by this build.",
    "path",
    writers="ledger",
    readers="ledger",
)
PAGES_REQUESTED = _declare(
    "pages_requested",
    "HTML files to look up in the cache.",
    "path state",
    writers="ledger",
    readers="ledger",
)

STAGING_TABLES = (
    STAGED_RAW,
    STAGED,
    EXTENDED,
    KEPT,
    LEDGER_MATCHES,
    UNMATCHED_ROWS,
    CHANGED_ROWS,
    UNCHANGED_ROWS,
    DUPLICATE_URLS,
    DEDUPLICATED,
    MERGED,
    SOURCE_DATES,
    RESOLVED,
    DIFF,
    OVERFLOW,
    SORT_BOUNDS,
    SORTED_ROWS,
    NEW_ROWS,
    SECTION_STARTS,
    ADDED_RANGES,
    RETAINED,
    PAGES_READ,
    PAGES_SEEN,
    PAGES_REQUESTED,
)
"""All temporary tables and views of a build, in the order of the data flow."""

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


class StagedRows:
    """Writer of rows of the sources to the table behind the view ``staged``, in large batches.

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

    def insert(self, batch: Any, expressions: Sequence[tuple[str, str]]) -> None:
        """Queue the rows of a batch; they are inserted by :meth:`flush` or earlier.

        ``expressions`` has the name and the SQL of each column.
        """
        is_full = len(self._pending) == BATCHES_PER_INSERT
        if is_full or (self._pending and not self._is_compatible(batch, expressions)):
            self.flush()
        self._expressions = list(expressions)
        self._pending.append(batch)

    def flush(self) -> None:
        """Insert the pending batches: several at once take a third of the time."""
        if not self._pending:
            return
        self.widen(name for name, _ in self._expressions)
        listed = ", ".join(f'{value} AS "{name}"' for name, value in self._expressions)
        table = batches.as_table(*self._pending)
        self._pending.clear()
        with self._db.unordered():
            self._db.insert(table, f"INSERT INTO {STAGED_RAW} BY NAME SELECT {listed} FROM batch")

    def _is_compatible(self, batch: Any, expressions: Sequence[tuple[str, str]]) -> bool:
        """Return whether a batch can be inserted together with the pending ones."""
        return expressions == self._expressions and batch.schema == self._pending[0].schema

    def clear(self) -> None:
        """Delete all staged rows, also those not inserted yet."""
        self._pending.clear()
        self._db.run(f"DELETE FROM {STAGED_RAW}")

    def _create_view(self) -> None:
        listed = ", ".join(
            f'"{name}"' if name in self._present else f'NULL::{kind} AS "{name}"'
            for name, kind in self._types.items()
        )
        self._db.run(f"{STAGED.create_view} SELECT {listed} FROM {STAGED_RAW}")
