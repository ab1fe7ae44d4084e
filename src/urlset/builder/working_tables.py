"""Declare the temporary tables and views of a build.

Some tables have more columns: those of the option ``sections``, and those with varying values.
"""

from __future__ import annotations

from urlset.fields import EXTENSIONS
from urlset.store import declare_table

_EVIDENCE = "section reason fingerprint page_lastmod git_lastmod header_lastmod mtime_lastmod"
_ROW = "loc source id lastmod_text changefreq priority size more source_document line"
_RESOLVED = """
    provenance old_provenance
    id loc changefreq priority more size source source_document line section fingerprint
    content_lastmod is_known old_file old_lastmod old_size first_seen adopted_lastmod
    old_changefreq old_priority old_more old_section old_fingerprint old_content_lastmod
    old_lastmod_from given_date page_date git_date header_date mtime_date created_date lastmod
    lastmod_from"""

STAGED_RAW = declare_table(
    "staged_raw",
    "Rows of the sources, as wide as their data.",
    "source id loc lastmod_text size",
    writers="staged_rows incremental provenance url_exclusions",
    readers="incremental provenance staged_rows",
)
STAGED_WIDE = declare_table(
    "staged_wide",
    "View of `staged_raw` with every column.",
    f"{_ROW} instant {_EVIDENCE}",
    writers="staged_rows",
    readers="incremental resolve staged_rows",
)
STAGED = declare_table(
    "staged",
    "View of `staged_wide` and `known_rows`: all rows of the sources.",
    f"{_ROW} instant {_EVIDENCE}",
    writers="staged_rows",
    readers="provenance published_sitemaps resolve result url_exclusions",
)
EXTENDED = declare_table(
    "extended_rows",
    "Images, videos, news, alternates and other extensions of rows: the columns with values.",
    " ".join(["id", *(field.name for field in EXTENSIONS)]),
    writers="staged_rows",
    readers="allocation guards render",
)
NOT_FOUND = declare_table(
    "not_found",
    "Rows of the ledger that no source lists as they are published.",
    "ledger_row",
    writers="known_rows",
    readers="known_rows",
)
KNOWN_ROWS = declare_table(
    "known_rows",
    "View of the rows of the ledger that a source lists as they are published.",
    "ledger_row source id loc lastmod_text changefreq priority file section lastmod_from size "
    "first_seen fingerprint content_lastmod adopted_lastmod ledger_source",
    writers="known_rows",
    readers="incremental resolve staged_rows",
)
KEPT = declare_table(
    "kept",
    "Published URLs that stay listed: of unread sources, and of those whose rows are unchanged.",
    "loc file lastmod changefreq priority more",
    writers="provenance reuse",
    readers="provenance reuse",
)
LEDGER_MATCHES = declare_table(
    "ledger_matches",
    "Unverified rows, each with the identical row of the ledger, if any.",
    "id ledger_row is_unchanged",
    writers="incremental",
    readers="incremental",
)
UNMATCHED_ROWS = declare_table(
    "unmatched_rows",
    "Staged rows that the ledger does not have; to be verified.",
    f"{_ROW} instant {_EVIDENCE}",
    writers="incremental",
    readers="incremental",
)
CHANGED_ROWS = declare_table(
    "changed_rows",
    "Staged rows to be resolved.",
    f"{_ROW} only_source instant {_EVIDENCE}",
    writers="incremental",
    readers="incremental resolve",
)
UNCHANGED_ROWS = declare_table(
    "unchanged_rows",
    "Ledger rows that stay as published.",
    "ledger_row",
    writers="incremental",
    readers="incremental resolve",
)
DUPLICATE_URLS = declare_table(
    "duplicate_urls",
    "URLs that are staged more than once.",
    "loc times",
    writers="resolve",
    readers="resolve",
)
DEDUPLICATED = declare_table(
    "deduplicated",
    "One row for each duplicate URL, merged from all its rows.",
    f"{_ROW} only_source {_EVIDENCE}",
    writers="resolve",
    readers="resolve",
)
MERGED = declare_table(
    "merged",
    "One row per URL, from all sources.",
    f"{_ROW} only_source {_EVIDENCE}",
    writers="resolve",
    readers="guards resolve result",
)
SOURCE_DATES = declare_table(
    "source_dates",
    "Dates of all sources, also of merged rows.",
    "loc lastmod_text reason",
    writers="resolve",
    readers="guards",
)
RESOLVED = declare_table(
    "resolved",
    "One row per URL to publish, with its section and `lastmod`, and its ledger row.",
    _RESOLVED,
    writers="resolve",
    readers="allocation render resolve result",
)
DIFF = declare_table(
    "diff",
    "Rows of `resolved` that differ from the ledger, and removed URLs.",
    f"{_RESOLVED} state is_changed",
    writers="resolve allocation",
    readers="allocation guards publish render resolve result",
)
OVERFLOW = declare_table(
    "overflow",
    "Rows at the end of a file that exceed its limits.",
    f"{_RESOLVED} n content",
    writers="allocation",
    readers="allocation",
)
SORT_BOUNDS = declare_table(
    "sort_bounds",
    "Sort keys between the parts of a large sort.",
    "part key",
    writers="allocation",
    readers="allocation",
)
SORTED_ROWS = declare_table(
    "sorted_rows",
    "Added and moved rows in file order, without constant columns.",
    "loc lastmod size id",
    writers="allocation",
    readers="allocation",
)
NEW_ROWS = declare_table(
    "new_rows",
    "View of `sorted_rows` with numbers, sizes and constant columns.",
    "n loc lastmod size id news section lastmod_from changefreq priority more fingerprint "
    "content_lastmod adopted_lastmod first_seen provenance bytes",
    writers="allocation",
    readers="allocation publish render result",
)
SECTION_STARTS = declare_table(
    "section_starts",
    "First row number of each section, less the URLs in its open file.",
    "section start",
    writers="allocation",
    readers="allocation",
)
ADDED_RANGES = declare_table(
    "added_ranges",
    "Rows of `new_rows` that are added to existing files.",
    "file INTEGER, a BIGINT, z BIGINT",
    writers="render",
    readers="render",
)
RETAINED = declare_table(
    "retained",
    "Rows of the changed files, old and added.",
    "loc lastmod changefreq priority id file",
    writers="render",
    readers="render",
)
PAGES_READ = declare_table(
    "pages_read",
    "Data of HTML files read by this build.",
    "path VARCHAR, state VARCHAR, rules VARCHAR, facts VARCHAR",
    writers="ledger",
    readers="ledger",
)
PAGES_SEEN = declare_table(
    "pages_seen",
    "HTML files found by this build.",
    "path VARCHAR",
    writers="ledger",
    readers="ledger",
)
PAGES_REQUESTED = declare_table(
    "pages_requested",
    "HTML files to look up in the cache.",
    "path state",
    writers="ledger",
    readers="ledger",
)

WORKING_TABLES = (
    STAGED_RAW,
    STAGED_WIDE,
    STAGED,
    EXTENDED,
    NOT_FOUND,
    KNOWN_ROWS,
    KEPT,
    LEDGER_MATCHES,
    UNMATCHED_ROWS,
    CHANGED_ROWS,
    UNCHANGED_ROWS,
    DUPLICATE_URLS,
    DEDUPLICATED,
    MERGED,
    SOURCE_DATES,
    RESOLVED,
    DIFF,
    OVERFLOW,
    SORT_BOUNDS,
    SORTED_ROWS,
    NEW_ROWS,
    SECTION_STARTS,
    ADDED_RANGES,
    RETAINED,
    PAGES_READ,
    PAGES_SEEN,
    PAGES_REQUESTED,
)
"""All temporary tables and views of a build, in the order of the data flow."""
