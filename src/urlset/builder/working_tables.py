"""Declare the temporary tables and views of a build.

Some tables have more columns: those of the option ``sections``, and those with varying values.
"""

from __future__ import annotations

from urlset.fields import EXTENSIONS
from urlset.store import declare_tables

_EVIDENCE = "section reason fingerprint page_lastmod git_lastmod header_lastmod mtime_lastmod"
_ROW = "loc source id lastmod_text changefreq priority size more source_document line"
_RESOLVED = (
    "provenance old_provenance id loc changefreq priority more size source source_document line "
    "section fingerprint content_lastmod is_known old_file old_lastmod old_size first_seen "
    "adopted_lastmod old_changefreq old_priority old_more old_section old_fingerprint "
    "old_content_lastmod old_lastmod_from given_date page_date git_date header_date mtime_date "
    "created_date lastmod lastmod_from"
)

_TABLES = declare_tables(
    f"""
    staged_raw      | staged_rows incremental provenance url_exclusions | incremental provenance staged_rows                          | Rows of the sources, as wide as their data. | source id loc lastmod_text size
    staged_wide     | staged_rows                                       | incremental resolve staged_rows                             | View of `staged_raw` with every column. | {_ROW} instant {_EVIDENCE}
    staged          | staged_rows                                       | provenance published_sitemaps resolve result url_exclusions | View of `staged_wide` and `known_rows`: all rows of the sources. | {_ROW} instant {_EVIDENCE}
    extended_rows   | staged_rows                                       | allocation guards render                                    | Images, videos, news, alternates and other extensions of rows: the columns with values. | id {" ".join(field.name for field in EXTENSIONS)}
    not_found       | known_rows                                        | known_rows                                                  | Rows of the ledger that no source lists as they are published. | ledger_row
    known_rows      | known_rows                                        | incremental resolve staged_rows                             | View of the rows of the ledger that a source lists as they are published. | ledger_row source id loc lastmod_text changefreq priority file section lastmod_from size first_seen fingerprint content_lastmod adopted_lastmod ledger_source
    kept            | provenance reuse                                  | provenance reuse                                            | Published URLs that stay listed: of unread sources, and of those whose rows are unchanged. | loc file lastmod changefreq priority more
    ledger_matches  | incremental                                       | incremental                                                 | Unverified rows, each with the identical row of the ledger, if any. | id ledger_row is_unchanged
    unmatched_rows  | incremental                                       | incremental                                                 | Staged rows that the ledger does not have; to be verified. | {_ROW} instant {_EVIDENCE}
    changed_rows    | incremental                                       | incremental resolve                                         | Staged rows to be resolved. | {_ROW} only_source instant {_EVIDENCE}
    unchanged_rows  | incremental                                       | incremental resolve                                         | Ledger rows that stay as published. | ledger_row
    duplicate_urls  | resolve                                           | resolve                                                     | URLs that are staged more than once. | loc times
    deduplicated    | resolve                                           | resolve                                                     | One row for each duplicate URL, merged from all its rows. | {_ROW} only_source {_EVIDENCE}
    merged          | resolve                                           | guards resolve result                                       | One row per URL, from all sources. | {_ROW} only_source {_EVIDENCE}
    source_dates    | resolve                                           | guards                                                      | Dates of all sources, also of merged rows; without those that the ledger has. | loc lastmod_text reason
    resolved        | resolve                                           | allocation render resolve result                            | One row per URL to publish, with its section and `lastmod`, and its ledger row. | {_RESOLVED}
    diff            | resolve allocation                                | allocation guards publish render resolve result             | Rows of `resolved` that differ from the ledger, and removed URLs. | {_RESOLVED} state is_changed
    overflow        | allocation                                        | allocation                                                  | Rows at the end of a file that exceed its limits. | {_RESOLVED} n content
    sort_bounds     | allocation                                        | allocation                                                  | Sort keys between the parts of a large sort. | part key
    sorted_rows     | allocation                                        | allocation                                                  | Added and moved rows in file order, without constant columns. | loc lastmod size id
    new_rows        | allocation                                        | allocation publish render result                            | View of `sorted_rows` with numbers, sizes and constant columns. | n loc lastmod size id news section lastmod_from changefreq priority more fingerprint content_lastmod adopted_lastmod first_seen provenance bytes
    section_starts  | allocation                                        | allocation                                                  | First row number of each section, less the URLs in its open file. | section start
    added_ranges    | render                                            | render                                                      | Rows of `new_rows` that are added to existing files. | file INTEGER, a BIGINT, z BIGINT
    retained        | render                                            | render                                                      | Rows of the changed files, old and added. | loc lastmod changefreq priority id file
    pages_read      | ledger                                            | ledger                                                      | Data of HTML files read by this build. | path VARCHAR, state VARCHAR, rules VARCHAR, facts VARCHAR
    pages_seen      | ledger                                            | ledger                                                      | HTML files found by this build. | path VARCHAR
    pages_requested | ledger                                            | ledger                                                      | HTML files to look up in the cache. | path state
    """
)
STAGED_RAW = _TABLES["staged_raw"]
STAGED_WIDE = _TABLES["staged_wide"]
STAGED = _TABLES["staged"]
EXTENDED = _TABLES["extended_rows"]
NOT_FOUND = _TABLES["not_found"]
KNOWN_ROWS = _TABLES["known_rows"]
KEPT = _TABLES["kept"]
LEDGER_MATCHES = _TABLES["ledger_matches"]
UNMATCHED_ROWS = _TABLES["unmatched_rows"]
CHANGED_ROWS = _TABLES["changed_rows"]
UNCHANGED_ROWS = _TABLES["unchanged_rows"]
DUPLICATE_URLS = _TABLES["duplicate_urls"]
DEDUPLICATED = _TABLES["deduplicated"]
MERGED = _TABLES["merged"]
SOURCE_DATES = _TABLES["source_dates"]
RESOLVED = _TABLES["resolved"]
DIFF = _TABLES["diff"]
OVERFLOW = _TABLES["overflow"]
SORT_BOUNDS = _TABLES["sort_bounds"]
SORTED_ROWS = _TABLES["sorted_rows"]
NEW_ROWS = _TABLES["new_rows"]
SECTION_STARTS = _TABLES["section_starts"]
ADDED_RANGES = _TABLES["added_ranges"]
RETAINED = _TABLES["retained"]
PAGES_READ = _TABLES["pages_read"]
PAGES_SEEN = _TABLES["pages_seen"]
PAGES_REQUESTED = _TABLES["pages_requested"]

WORKING_TABLES = tuple(_TABLES.values())
"""All temporary tables and views of a build, in the order of the data flow."""
