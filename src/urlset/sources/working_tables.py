"""Declare the temporary tables in which a table file becomes entries."""

from __future__ import annotations

from urlset.arrow import ENTRY
from urlset.store import declare_tables

_TABLES = declare_tables(
    f"""
    table_entries | entry_table | entry_table | Rows of a table with a URL, as entries. | {" ".join(name for name, _ in ENTRY.fields)}
    table_dates   | entry_table | entry_table | Dates of `table_entries` that are text, with their instants. | text instant
    """
)

WORKING_TABLES = tuple(_TABLES.values())
"""All temporary tables of :mod:`urlset.sources.entry_table`."""
