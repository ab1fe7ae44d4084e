"""Declare the temporary tables of a synchronization."""

from __future__ import annotations

from urlset.store import declare_table

WORKING_TABLES = (
    declare_table(
        "listed_now",
        "URLs that the sitemaps list now.",
        "url lastmod is_known sitemap",
        writers="pipeline",
        readers="pipeline",
    ),
    declare_table(
        "sync_queue",
        "Pages to request, in the order of `position`.",
        "position url lastmod sitemap fingerprint etag directives gone_at last_modified "
        "checked_at is_known is_committed is_due turn",
        writers="pipeline",
        readers="pipeline",
    ),
    declare_table(
        "announced_pages",
        "Pages of a batch that is about to be delivered.",
        "url",
        writers="pipeline",
        readers="pipeline",
    ),
    declare_table(
        "visited_pages",
        "Pages of a batch that were requested.",
        "url fingerprint lastmod etag last_modified directives is_changed is_gone",
        writers="pipeline",
        readers="pipeline",
    ),
    declare_table(
        "withdrawn_pages",
        "Pages of a batch that are removed.",
        "url",
        writers="pipeline",
        readers="pipeline",
    ),
    declare_table(
        "unlisted_pages",
        "Synchronized pages that no sitemap lists any more.",
        "position url fingerprint directives gone_at lastmod etag last_modified "
        "synced_at checked_at",
        writers="pipeline",
        readers="pipeline",
    ),
    declare_table(
        "unread_pages",
        "Synchronized pages whose sitemaps could not be read.",
        "position url fingerprint directives gone_at lastmod etag last_modified "
        "synced_at checked_at",
        writers="pipeline",
        readers="pipeline",
    ),
)
"""All temporary tables of a synchronization, in the order of the data flow."""
