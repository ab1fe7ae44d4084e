"""Declare the temporary table of writing visited pages."""

from __future__ import annotations

from urlset.store import declare_tables

WORKING_TABLES = tuple(
    declare_tables(
        """
        earlier_pages | page_rows | page_rows | Pages of a batch that an earlier visit has stored. | url crawl fingerprint
        """
    ).values()
)
"""All temporary tables of :mod:`urlset.live.visits.page_rows`."""
