"""Declare the temporary tables of a synchronization."""

from __future__ import annotations

from urlset.store import declare_tables

WORKING_TABLES = tuple(
    declare_tables(
        """
        listed_now      | pipeline | pipeline | URLs that the sitemaps list now. | url lastmod is_known sitemap
        sync_queue      | pipeline | pipeline | Pages to request, in the order of `position`. | position url lastmod sitemap fingerprint etag directives gone_at last_modified checked_at is_known is_committed is_due turn
        announced_pages | pipeline | pipeline | Pages of a batch that is about to be delivered. | url
        visited_pages   | pipeline | pipeline | Pages of a batch that were requested. | url fingerprint lastmod etag last_modified directives is_changed is_gone
        withdrawn_pages | pipeline | pipeline | Pages of a batch that are removed. | url
        unlisted_pages  | pipeline | pipeline | Synchronized pages that no sitemap lists any more. | position url fingerprint directives gone_at lastmod etag last_modified synced_at checked_at
        unread_pages    | pipeline | pipeline | Synchronized pages whose sitemaps could not be read. | position url fingerprint directives gone_at lastmod etag last_modified synced_at checked_at
        """
    ).values()
)
"""All temporary tables of a synchronization, in the order of the data flow."""
