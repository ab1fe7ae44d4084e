"""Declare the temporary table of writing visited pages."""

from __future__ import annotations

from urlset.store import declare_table

WORKING_TABLES = (
    declare_table(
        "earlier_pages",
        "Pages of a batch that an earlier visit has stored.",
        "url crawl fingerprint",
        writers="page_rows",
        readers="page_rows",
    ),
)
"""All temporary tables of :mod:`urlset.live.visits.page_rows`."""
