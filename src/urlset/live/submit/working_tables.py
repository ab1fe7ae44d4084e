"""Declare the temporary tables of a submission, in the database ``work``."""

from __future__ import annotations

from urlset.store import declare_tables

_TABLES = declare_tables(
    """
    held_urls      | announcement_log | announcement_log | URLs whose announcements wait for the next run. | url VARCHAR
    staged_changes | announcement_log | announcement_log | Changes of an input; of a URL the last one. | n UBIGINT, url VARCHAR, host VARCHAR, change VARCHAR, lastmod VARCHAR, fingerprint VARCHAR
    excluded_hosts | announcement_log | announcement_log | Hosts whose changes are not announced. | host VARCHAR
    found_changes  | announcement_log | announcement_log | Staged changes that were not announced to a channel yet. | n url host change lastmod fingerprint
    request_batch  | announcement_log | announcement_log | Numbers of the announcements of one request. | number UBIGINT
    """
)
HELD_URLS = _TABLES["held_urls"]
STAGED_CHANGES = _TABLES["staged_changes"]
EXCLUDED_HOSTS = _TABLES["excluded_hosts"]
REQUEST_BATCH = _TABLES["request_batch"]

WORKING_TABLES = tuple(_TABLES.values())
"""All temporary tables of a submission, in the order of the data flow."""
