"""Temporary tables of the history: those of a step, and of the snapshot that is written."""

from __future__ import annotations

from urlset.store import declare_table

SEEN_ENTRIES = declare_table(
    "seen_entries",
    "Entries of the documents that a step of a watch has read.",
    "document UINTEGER, loc VARCHAR, lastmod TIMESTAMPTZ",
    writers="writer",
    readers="writer",
)

WORKING_TABLES = (
    SEEN_ENTRIES,
    declare_table(
        "step_documents",
        "Documents of a step, with its outcome.",
        "document source parent how kind state failures lastmod etag last_modified digest "
        "byte_count entry_count unreadable_count read_at verified_at outcome gap_s verified_before "
        "has_new_state",
        writers="writer",
        readers="writer",
    ),
    declare_table(
        "new_locs",
        "URLs that no step has seen before.",
        "loc",
        writers="writer",
        readers="writer",
    ),
    declare_table(
        "new_sections",
        "Sections of new URLs that get a row of their own.",
        "section name",
        writers="writer",
        readers="writer",
    ),
    declare_table(
        "new_urls",
        "New URLs with their numbers.",
        "url_id section loc",
        writers="writer",
        readers="writer",
    ),
    declare_table(
        "seen_urls",
        "Rows of `seen_entries` with the numbers of their URLs.",
        "url_id document lastmod",
        writers="writer",
        readers="writer",
    ),
    declare_table(
        "compared_rows",
        "Open intervals of documents that were read, with whether they are the same now.",
        "row url_id document was_missing is_listed is_same",
        writers="writer",
        readers="writer",
    ),
    declare_table(
        "opened_rows",
        "Intervals that start with the step.",
        "url_id document lastmod",
        writers="writer",
        readers="writer",
    ),
    declare_table(
        "restored_rows",
        "Open intervals that were missing and are listed again.",
        "row url_id document was_missing is_listed is_same",
        writers="writer",
        readers="writer",
    ),
    declare_table(
        "lost_rows",
        "Open intervals that do not go on, with whether the URL is listed otherwise.",
        "row url_id is_replaced",
        writers="writer",
        readers="writer",
    ),
    declare_table(
        "closed_rows",
        "Lost intervals that end with the step.",
        "row url_id",
        writers="writer",
        readers="writer",
    ),
    declare_table(
        "missing_rows",
        "Lost intervals that a document may continue that could not be read.",
        "row url_id",
        writers="writer",
        readers="writer",
    ),
    declare_table(
        "url_changes",
        "URLs that a step added, removed, changed or moved.",
        "url_id document change before after",
        writers="writer",
        readers="writer",
    ),
    declare_table(
        "section_steps",
        "Rows that a step adds to `history_steps`.",
        "section gap_s observed_count changed_count dated_count age_s added_count removed_count "
        "unknown_count",
        writers="writer",
        readers="writer",
    ),
    declare_table(
        "last_known",
        "Last known state of each URL at a snapshot.",
        "loc lastmod source detail",
        writers="reader",
        readers="reader",
    ),
    declare_table(
        "unknown_urls",
        "URLs of a snapshot that may be listed or not; in the store that is made of it.",
        "loc detail",
        writers="reader",
        readers="live.diff.unread",
    ),
)
"""Temporary tables of the history."""
