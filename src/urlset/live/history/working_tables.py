"""Temporary tables of the history: those of a step, and of the snapshot that is written."""

from __future__ import annotations

from urlset.store import declare_tables

_TABLES = declare_tables(
    """
    seen_entries   | writer | writer           | Entries of the documents that a step of a watch has read. | document UINTEGER, loc VARCHAR, lastmod TIMESTAMPTZ
    step_documents | writer | writer           | Documents of a step, with its outcome. | document source parent how kind state failures lastmod etag last_modified digest byte_count entry_count unreadable_count read_at verified_at outcome gap_s verified_before has_new_state
    new_locs       | writer | writer           | URLs that no step has seen before. | loc
    new_sections   | writer | writer           | Sections of new URLs that get a row of their own. | section name
    new_urls       | writer | writer           | New URLs with their numbers. | url_id section loc
    seen_urls      | writer | writer           | Rows of `seen_entries` with the numbers of their URLs. | url_id document lastmod
    compared_rows  | writer | writer           | Open intervals of documents that were read, with whether they are the same now. | row url_id document was_missing is_listed is_same
    opened_rows    | writer | writer           | Intervals that start with the step. | url_id document lastmod
    restored_rows  | writer | writer           | Open intervals that were missing and are listed again. | row url_id document was_missing is_listed is_same
    lost_rows      | writer | writer           | Open intervals that do not go on, with whether the URL is listed otherwise. | row url_id is_replaced
    closed_rows    | writer | writer           | Lost intervals that end with the step. | row url_id
    missing_rows   | writer | writer           | Lost intervals that a document may continue that could not be read. | row url_id
    url_changes    | writer | writer           | URLs that a step added, removed, changed or moved. | url_id document change before after
    section_steps  | writer | writer           | Rows that a step adds to `history_steps`. | section gap_s observed_count changed_count dated_count age_s added_count removed_count unknown_count
    last_known     | reader | reader           | Last known state of each URL at a snapshot. | loc lastmod source detail
    unknown_urls   | reader | live.diff.unread | URLs of a snapshot that may be listed or not; in the store that is made of it. | loc detail
    """
)
SEEN_ENTRIES = _TABLES["seen_entries"]

WORKING_TABLES = tuple(_TABLES.values())
"""Temporary tables of the history."""
