"""Schema of the table of synchronized pages, which ``urlset sync`` adds to a store."""

from __future__ import annotations

from urlset.store.schema import TableSchema

SYNC_TABLES = (
    TableSchema.of(
        "synced_pages",
        "One row per page that `urlset sync` delivered.",
        """
        url           | VARCHAR     | URL as it is listed
        fingerprint   | VARCHAR     | fingerprint of the committed content; null until the commit
        directives    | VARCHAR     | noindex, canonical and AI preferences, as JSON; may be null
        gone_at       | TIMESTAMPTZ | when it first answered 404 or 410; null if it does not
        lastmod       | TIMESTAMPTZ | date of the page in the sitemap when it was requested
        etag          | VARCHAR     | header of that name, unchanged
        last_modified | VARCHAR     | header of that name, unchanged
        synced_at     | TIMESTAMPTZ | when a delivery was last committed; null if none was
        checked_at    | TIMESTAMPTZ | when the page was last requested
        """,
    ),
)
