"""Declare the temporary tables and views that the pipelines create, and those of this package.

Each pipeline declares its tables with :func:`declare_tables`: the store in this module, the others in
a module ``working_tables`` of their package. A name has one meaning in all of them. SQL may use names in plain text: tests/test_working_tables.py compares every statement
with the declarations.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_NAME_AND_TYPE = re.compile(r"(?<![a-z_])([a-z_]++)\"? [A-Z]")


@dataclass(frozen=True)
class WorkingTable:
    """Temporary table or view of a pipeline: its columns, its writers and its readers.

    ``writers`` and ``readers`` are modules of the package that declares it, or modules below
    ``urlset`` with the name of their package; the first writer creates it. ``{side}`` in a name
    means two tables, one for each state of a comparison. Some tables have more columns in some
    cases, and some lack the columns that are constant.

    >>> table = declare_tables("t | a | b | A test. | h UBIGINT, url VARCHAR")["t"]
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
        """Return SQL that creates the empty table, by default with the columns of the declaration.

        ``side`` is the value of ``{side}`` in the name. With ``is_temp`` it belongs to one
        connection.
        """
        kind = "TEMP TABLE" if is_temp else "TABLE"
        name = self.name.replace("{side}", side)
        return f"CREATE OR REPLACE {kind} {name} ({columns or self.definition})"


def declare_tables(lines: str) -> dict[str, WorkingTable]:
    """Return the declarations of working tables by name, from lines of cells, separated by ``|``.

    The cells are the name, the writers, the readers, what a row is, and the columns: their names;
    with types, separated by commas, if the table is created empty.

    >>> declare_tables("tea | a | b c | A cup. | kind")["tea"].readers
    ('b', 'c')
    """
    tables: dict[str, WorkingTable] = {}
    for line in lines.strip().splitlines():
        name, writers, readers, meaning, columns = (cell.strip() for cell in line.split("|"))
        typed = tuple(_NAME_AND_TYPE.findall(columns))
        tables[name] = WorkingTable(
            name,
            meaning,
            typed or tuple(columns.split()),
            tuple(writers.split()),
            tuple(readers.split()),
            columns if typed else "",
        )
    return tables


WORKING_TABLES = tuple(
    declare_tables(
        """
    result | results  | results | Rows of a query of a user, before they are moved to the database `results`. |
    input  | external |         | View of a file for the query of a user. |
    """
    ).values()
)
"""Temporary tables and views of this package; their columns are those of the user."""
