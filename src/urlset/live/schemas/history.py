"""Schema of the history tables: snapshots of the sitemaps of a site; and of synchronized pages.

A store gets these tables with the first step of `urlset watch`. A store without one does not have
them. The rows of `history` are intervals: a URL that does not change has one row, however many
snapshots there are.
"""

from __future__ import annotations

from urlset.store.schema import StoreSchema, TableSchema

HISTORY_TABLES = (
    TableSchema.of(
        "snapshots",
        "One row per step of `urlset watch`; `snapshot` identifies it.",
        """
        snapshot       | UINTEGER    | number of the snapshot, from 1
        site           | VARCHAR     | URL that was given
        started        | TIMESTAMPTZ | start of the step
        finished       | TIMESTAMPTZ | end of the step
        is_complete    | BOOLEAN     | whether everything that was requested could be read
        reasons        | VARCHAR[]   | why it is not complete; empty if it is
        request_count  | UINTEGER    | requests, with robots.txt; redirects and retries of one count once
        byte_count     | UBIGINT     | bytes of the bodies that were transferred
        url_count      | UINTEGER    | URLs that are listed, with those that are unknown
        unknown_count  | UINTEGER    | URLs that may be listed or not, because a sitemap could not be read
        added_count    | UINTEGER    | URLs that were not listed in the snapshot before
        removed_count  | UINTEGER    | URLs that were listed in the snapshot before
        changed_count  | UINTEGER    | URLs that were listed with another `lastmod`
        sitemap_count  | UINTEGER    | sitemaps and indexes that are listed
        read_count     | UINTEGER    | sitemaps and indexes that were read in full
        same_count     | UINTEGER    | sitemaps and indexes that the server reported as unchanged
        trusted_count  | UINTEGER    | sitemaps that were not requested, because their index has the same date
        failed_count   | UINTEGER    | sitemaps and indexes that could not be read
        """,
    ),
    TableSchema.of(
        "history_urls",
        "One row per URL that was ever listed; `url_id` identifies it.",
        """
        url_id         | UINTEGER    | number of the URL, from 1
        section        | USMALLINT   | number of its section in `history_sections`
        loc            | VARCHAR     | the URL
        """,
    ),
    TableSchema.of(
        "history_sections",
        "One row per section: the first folder of the path. `section` identifies it.",
        """
        section        | USMALLINT   | number of the section; 0 for all sections without a row of their own
        name           | VARCHAR     | the folder, as `/news/`; `/` for URLs in no folder
        """,
    ),
    TableSchema.of(
        "history",
        "One row per interval of snapshots in which a sitemap lists a URL with the same `lastmod`.",
        """
        url_id         | UINTEGER    | number of the URL in `history_urls`
        document       | UINTEGER    | number of the sitemap in `history_documents`
        lastmod        | TIMESTAMPTZ | date of the entry; null if there is none
        first_snapshot | UINTEGER    | first snapshot of the interval
        last_snapshot  | UINTEGER    | last snapshot of the interval; null while it lasts
        missing_since  | UINTEGER    | snapshot from which on the sitemap does not list it, while other sitemaps that may list it could not be read; null for most
        """,
    ),
    TableSchema.of(
        "history_documents",
        "One row per sitemap or index, with the facts of the latest step; `document` identifies it.",
        """
        document       | UINTEGER    | number of the document, from 1
        source         | VARCHAR     | URL of the document
        parent         | VARCHAR     | URL of the index, robots.txt or page that names it
        how            | VARCHAR     | how it was found: given, robots, link, well-known, feed or index
        kind           | VARCHAR     | urlset, index, text, rss or atom; null if it was never read
        state          | VARCHAR     | listed, failed (it could not be read), gone (it is listed, but answers 404 or 410) or unlisted
        failures       | UINTEGER    | steps since it could be read without an error: since it failed, does not exist, is empty, or some of its entries are unreadable
        lastmod        | TIMESTAMPTZ | its date in the index when it was read
        etag           | VARCHAR     | header of that name, unchanged
        last_modified  | VARCHAR     | header of that name, unchanged
        digest         | VARCHAR     | hash of its bytes
        byte_count     | UBIGINT     | bytes, decompressed; 0 if it does not exist any more
        entry_count    | UINTEGER    | number of entries
        unreadable_count | UINTEGER  | number of entries without a readable URL, when their absence was accepted
        read_at        | TIMESTAMPTZ | when its entries were read
        verified_at    | TIMESTAMPTZ | when it was read, or reported as unchanged
        """,
    ),
    TableSchema.of(
        "history_states",
        "One row per change of the state of a document; between two rows the state is that of the first.",
        """
        document       | UINTEGER    | number of the document in `history_documents`
        snapshot       | UINTEGER    | first snapshot with this state
        state          | VARCHAR     | as in `history_documents`
        """,
    ),
    TableSchema.of(
        "history_robots",
        "One row per change of a robots.txt, of what it allows or of the sitemaps it declares.",
        """
        url            | VARCHAR     | URL of the robots.txt
        snapshot       | UINTEGER    | first snapshot with this content
        state          | VARCHAR     | read, absent (everything is allowed), unread (refused or an HTML page: former content), or refused or html, if that lasts
        rules          | VARCHAR[]   | rules for all crawlers, and other ones for Googlebot and Bingbot, sorted
        sitemaps       | VARCHAR[]   | sitemaps that it declares, sorted
        """,
    ),
    TableSchema.of(
        "history_steps",
        "Observed changes of one section: one row per snapshot, section and time since the observation before.",
        """
        snapshot       | UINTEGER    | number of the snapshot
        section        | USMALLINT   | number of the section
        gap_s          | UINTEGER    | seconds since the sitemaps were observed before; 0 for the first time
        observed_count | UINTEGER    | URLs that were observed both times
        changed_count  | UINTEGER    | those of them with another `lastmod`
        dated_count    | UINTEGER    | those of them whose new `lastmod` is a time between both observations
        age_s          | DOUBLE      | sum of the ages of these new dates, in seconds
        added_count    | UINTEGER    | URLs that are new
        removed_count  | UINTEGER    | URLs that are not listed any more
        unknown_count  | UINTEGER    | URLs of sitemaps that could not be read
        """,
    ),
    TableSchema.of(
        "alerts",
        "One row per alert; it is open until its condition ends.",
        """
        alert          | UINTEGER    | number of the alert, from 1
        kind           | VARCHAR     | kind, such as silence or robots
        subject        | VARCHAR     | section, sitemap or robots.txt that it is about
        snapshot       | UINTEGER    | snapshot that raised it
        opened         | TIMESTAMPTZ | start of that step
        ended          | TIMESTAMPTZ | start of the first step in which the condition is over; null while it lasts
        message        | VARCHAR     | what is not normal, with the numbers
        observed       | DOUBLE      | observed number; null if the alert has none
        low            | DOUBLE      | lower end of the normal band; null if there is none
        high           | DOUBLE      | upper end of the normal band; null if there is none
        reported       | TIMESTAMPTZ | when it was reported, by the webhook if there is one; null before
        """,
    ),
)

HISTORY_SCHEMA = StoreSchema(HISTORY_TABLES)
"""What a step of `urlset watch` adds to a store."""

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
    TableSchema.of(
        "undelivered_pages",
        "One row per page that `urlset sync` requested and has not delivered: it did not answer, "
        "or was gone.",
        """
        url        | VARCHAR     | URL as it is listed
        checked_at | TIMESTAMPTZ | when the page was last requested
        """,
    ),
)

SYNC_SCHEMA = StoreSchema(SYNC_TABLES, is_inspected=False)
"""What `urlset sync` adds to a store, with the tables of the history."""
