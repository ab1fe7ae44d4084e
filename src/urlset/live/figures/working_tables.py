"""Declare the temporary table of the figures."""

from __future__ import annotations

from urlset.store import declare_table

WORKING_TABLES = (
    declare_table(
        "segment_rows",
        "Number of listed URLs of each segment, by outcome.",
        "",
        writers="dimension_tables",
        readers="dimension_tables",
    ),
)
"""The tables; their writers and readers are modules of this package."""
