"""Declare the temporary table of the figures."""

from __future__ import annotations

from urlset.store import declare_tables

WORKING_TABLES = tuple(
    declare_tables(
        """
        segment_rows | dimension_tables | dimension_tables | Number of listed URLs of each segment, by outcome. |
        """
    ).values()
)
"""The tables; their writers and readers are modules of this package."""
