"""Declare the temporary tables in which a table file becomes entries."""

from __future__ import annotations

from urlset.arrow import ENTRY
from urlset.store import declare_table

WORKING_TABLES = (
    declare_table(
        "table_entries",
        "Rows of a table with a URL, as entries.",
        " ".join(name for name, _ in ENTRY.fields),
        writers="entry_table",
        readers="entry_table",
    ),
    declare_table(
        "table_dates",
        "Dates of `table_entries` that are text, with their instants.",
        "text instant",
        writers="entry_table",
        readers="entry_table",
    ),
)
"""All temporary tables of :mod:`urlset.sources.entry_table`."""
