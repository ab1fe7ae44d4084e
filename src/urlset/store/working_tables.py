"""Declare the temporary tables and views that the pipelines create, and those of this package.

Each pipeline declares its tables with :func:`declare_table`: the store in this module, the others
in a module ``working_tables`` of their package. A name has one meaning in all of them. SQL may use
names in plain text: tests/test_working_tables.py compares every statement with the declarations.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_NAME_AND_TYPE = re.compile(r"([a-z_]+)\"? [A-Z]")


@dataclass(frozen=True)
class WorkingTable:
    """Temporary table or view of a pipeline: its columns, its writers and its readers.

    ``writers`` and ``readers`` are modules of the package that declares it, or modules below
    ``urlset`` with the name of their package; the first writer creates it. ``{side}`` in a name
    means two tables, one for each state of a comparison. Some tables have more columns in some
    cases, and some lack the columns that are constant.

    >>> table = declare_table("t", "A test.", "h UBIGINT, url VARCHAR", writers="a", readers="b")
    >>> table.columns, table.create_empty()
    (('h', 'url'), 'CREATE OR REPLACE TABLE t (h UBIGINT, url VARCHAR)')
    """

    name: str
    meaning: str
    columns: tuple[str, ...]
    writers: tuple[str, ...]
    readers: tuple[str, ...]
    definition: str = ""

    def __str__(self) -> str:
        return self.name

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the tables: two if the name contains ``{side}``."""
        sides = ("before", "after") if "{side}" in self.name else ("",)
        return tuple(self.name.replace("{side}", side) for side in sides)

    @property
    def create_table(self) -> str:
        """Start of an SQL statement that creates the table; a query must follow."""
        return f"CREATE OR REPLACE TABLE {self.name} AS"

    @property
    def create_view(self) -> str:
        """Start of an SQL statement that creates the view; a query must follow."""
        return f"CREATE OR REPLACE VIEW {self.name} AS"

    def create_empty(
        self, columns: str | None = None, *, side: str = "", is_temp: bool = False
    ) -> str:
        """Return SQL that creates the empty table.

        Args:
            columns: Columns with their types; by default those of the declaration.
            side: Value of ``{side}`` in the name.
            is_temp: Whether the table belongs to one connection.
        """
        kind = "TEMP TABLE" if is_temp else "TABLE"
        name = self.name.replace("{side}", side)
        return f"CREATE OR REPLACE {kind} {name} ({columns or self.definition})"


def declare_table(
    name: str, meaning: str, columns: str, *, writers: str, readers: str
) -> WorkingTable:
    """Return the declaration of a working table.

    Args:
        name: Name in SQL.
        meaning: What a row is.
        columns: Names of its columns; with types, separated by commas, if it is created empty.
        writers: Modules whose SQL creates or changes it.
        readers: Modules whose SQL reads it.
    """
    typed = tuple(_NAME_AND_TYPE.findall(columns))
    return WorkingTable(
        name,
        meaning,
        typed or tuple(columns.split()),
        tuple(writers.split()),
        tuple(readers.split()),
        " ".join(columns.split()) if typed else "",
    )


SEEN_ENTRIES = declare_table(
    "seen_entries",
    "Entries of the documents that a step of a watch has read.",
    "document UINTEGER, loc VARCHAR, lastmod TIMESTAMPTZ",
    writers="history_writer",
    readers="history_writer",
)

WORKING_TABLES = (
    SEEN_ENTRIES,
    declare_table(
        "step_documents",
        "Documents of a step, with its outcome.",
        "document source parent how kind state failures lastmod etag last_modified digest "
        "byte_count entry_count read_at verified_at outcome gap_s verified_before has_new_state",
        writers="history_writer",
        readers="history_writer",
    ),
    declare_table(
        "new_locs",
        "URLs that no step has seen before.",
        "loc",
        writers="history_writer",
        readers="history_writer",
    ),
    declare_table(
        "new_sections",
        "Sections of new URLs that get a row of their own.",
        "section name",
        writers="history_writer",
        readers="history_writer",
    ),
    declare_table(
        "new_urls",
        "New URLs with their numbers.",
        "url_id section loc",
        writers="history_writer",
        readers="history_writer",
    ),
    declare_table(
        "seen_urls",
        "Rows of `seen_entries` with the numbers of their URLs.",
        "url_id document lastmod",
        writers="history_writer",
        readers="history_writer",
    ),
    declare_table(
        "compared_rows",
        "Open intervals of documents that were read, with whether they are the same now.",
        "row url_id document was_missing is_listed is_same",
        writers="history_writer",
        readers="history_writer",
    ),
    declare_table(
        "opened_rows",
        "Intervals that start with the step.",
        "url_id document lastmod",
        writers="history_writer",
        readers="history_writer",
    ),
    declare_table(
        "restored_rows",
        "Open intervals that were missing and are listed again.",
        "row url_id document was_missing is_listed is_same",
        writers="history_writer",
        readers="history_writer",
    ),
    declare_table(
        "lost_rows",
        "Open intervals that do not go on, with whether the URL is listed otherwise.",
        "row url_id is_replaced",
        writers="history_writer",
        readers="history_writer",
    ),
    declare_table(
        "closed_rows",
        "Lost intervals that end with the step.",
        "row url_id",
        writers="history_writer",
        readers="history_writer",
    ),
    declare_table(
        "missing_rows",
        "Lost intervals that a document may continue that could not be read.",
        "row url_id",
        writers="history_writer",
        readers="history_writer",
    ),
    declare_table(
        "url_changes",
        "URLs that a step added, removed, changed or moved.",
        "url_id document change before after",
        writers="history_writer",
        readers="history_writer",
    ),
    declare_table(
        "section_steps",
        "Rows that a step adds to `history_steps`.",
        "section gap_s observed_count changed_count dated_count age_s added_count removed_count "
        "unknown_count",
        writers="history_writer",
        readers="history_writer",
    ),
    declare_table(
        "last_known",
        "Last known state of each URL at a snapshot.",
        "loc lastmod source detail",
        writers="history_reader",
        readers="history_reader",
    ),
    declare_table(
        "unknown_urls",
        "URLs of a snapshot that may be listed or not; in the store that is made of it.",
        "loc detail",
        writers="history_reader",
        readers="live.diff.unread",
    ),
    declare_table(
        "result",
        "Rows of a query of a user, before they are moved to the database `results`.",
        "",
        writers="results",
        readers="results",
    ),
    declare_table(
        "input",
        "View of a file for the query of a user.",
        "",
        writers="external",
        readers="",
    ),
)
"""Temporary tables and views of this package; the columns of the last two are those of the user."""
