"""Declare the temporary tables of a submission, in the database ``work``."""

from __future__ import annotations

from urlset.store import declare_table

HELD_URLS = declare_table(
    "held_urls",
    "URLs whose announcements wait for the next run.",
    "url VARCHAR",
    writers="announcement_log",
    readers="announcement_log",
)
STAGED_CHANGES = declare_table(
    "staged_changes",
    "Changes of an input; of a URL the last one.",
    "n UBIGINT, url VARCHAR, host VARCHAR, change VARCHAR, lastmod VARCHAR, fingerprint VARCHAR",
    writers="announcement_log",
    readers="announcement_log",
)
EXCLUDED_HOSTS = declare_table(
    "excluded_hosts",
    "Hosts whose changes are not announced.",
    "host VARCHAR",
    writers="announcement_log",
    readers="announcement_log",
)
REQUEST_BATCH = declare_table(
    "request_batch",
    "Numbers of the announcements of one request.",
    "number UBIGINT",
    writers="announcement_log",
    readers="announcement_log",
)

WORKING_TABLES = (
    HELD_URLS,
    STAGED_CHANGES,
    EXCLUDED_HOSTS,
    declare_table(
        "found_changes",
        "Staged changes that were not announced to a channel yet.",
        "n url host change lastmod fingerprint",
        writers="announcement_log",
        readers="announcement_log",
    ),
    REQUEST_BATCH,
)
"""All temporary tables of a submission, in the order of the data flow."""
