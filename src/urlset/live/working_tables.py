"""Declare the temporary tables and views of the live verbs: writers and readers are modules below.

A comparison identifies URLs by ``h``, 64 bits of the MD5 of their normal form (``text_hash`` and
``normal_of`` of :mod:`urlset.checker.macros`). With 10 million URLs in each state, the chance that
any two of them have the same hash is 1 to 90,000.
"""

from __future__ import annotations

from urlset.live.schemas import LIVE_TABLES
from urlset.store import declare_tables

_PAGE_COLUMNS = next(
    " ".join(column.name for column in table.columns)
    for table in LIVE_TABLES
    if table.name == "pages"
)

_HISTORY = declare_tables(
    """
    seen_entries   | history.writer | history.writer | Entries of the documents that a step of a watch has read. | document UINTEGER, loc VARCHAR, lastmod TIMESTAMPTZ
    step_documents | history.writer | history.writer | Documents of a step, with its outcome. | document source parent how kind state failures lastmod etag last_modified digest byte_count entry_count unreadable_count read_at verified_at outcome gap_s verified_before has_new_state
    new_locs       | history.writer | history.writer | URLs that no step has seen before. | loc
    new_sections   | history.writer | history.writer | Sections of new URLs that get a row of their own. | section name
    new_urls       | history.writer | history.writer | New URLs with their numbers. | url_id section loc
    seen_urls      | history.writer | history.writer | Rows of `seen_entries` with the numbers of their URLs. | url_id document lastmod
    compared_rows  | history.writer | history.writer | Open intervals of documents that were read, with whether they are the same now. | row url_id document was_missing is_listed is_same
    opened_rows    | history.writer | history.writer | Intervals that start with the step. | url_id document lastmod
    restored_rows  | history.writer | history.writer | Open intervals that were missing and are listed again. | row url_id document was_missing is_listed is_same
    lost_rows      | history.writer | history.writer | Open intervals that do not go on, with whether the URL is listed otherwise. | row url_id is_replaced
    closed_rows    | history.writer | history.writer | Lost intervals that end with the step. | row url_id
    missing_rows   | history.writer | history.writer | Lost intervals that a document may continue that could not be read. | row url_id
    url_changes    | history.writer | history.writer | URLs that a step added, removed, changed or moved. | url_id document change before after
    section_steps  | history.writer | history.writer | Rows that a step adds to `history_steps`. | section gap_s observed_count changed_count dated_count age_s added_count removed_count unknown_count
    last_known     | history.reader | history.reader | Last known state of each URL at a snapshot. | loc lastmod source detail
    unknown_urls   | history.reader | diff.unread    | URLs of a snapshot that may be listed or not; in the store that is made of it. | loc detail
    """
)
SEEN_ENTRIES = _HISTORY["seen_entries"]
_CRAWL = declare_tables(
    """
    new_links       | crawl.frontier | crawl.frontier | Links of pages that were visited since the last flush. | url VARCHAR, target VARCHAR, kind VARCHAR, rel VARCHAR, is_nofollow BOOLEAN, n UINTEGER
    unlinked_pages  | crawl.frontier | crawl.frontier | Pages of earlier visits whose links the store lacks. | url
    redirect_chains | crawl.evidence | crawl.evidence | Redirects with the URLs that they lead through. | start here steps is_loop
    linked_targets  | crawl.evidence | crawl.evidence | Hashes of URLs to which a link of another page leads. | target
    page_references | crawl.evidence | crawl.evidence | Links to other URLs, by the rows of both ends. | target page origin
    page_edges      | crawl.evidence | crawl.evidence | Links between visited pages; a redirect is no click. | here there clicks
    reached_pages   | crawl.evidence | crawl.evidence | Pages that links from the start lead to, with their depth. | page depth
    """
)
NEW_LINKS = _CRAWL["new_links"]
_AUDIT = declare_tables(
    f"""
    crawled_redirects  | audit.run                    | audit.run       | Pages that the crawl of this audit saw redirect. | {_PAGE_COLUMNS}
    visit_strata       | audit.run                    | audit.run       | Listed URLs of the sample, with their turn in the section. | key loc section document turn
    chosen_urls        | audit.run                    | audit.run       | Listed URLs to visit, in this order. | nr loc etag last_modified
    restored_urls      | audit.run                    | audit.run       | Pages whose redirect is restored, because its target is unknown. | url
    same_content_pages | audit.run                    | audit.run       | Pages with the content of the error page of their folder. | url same pages
    audit_run          | audit.judgement audit.result | rules.coverage  | One row: facts of the run that rules read. | is_sampled is_crawl_complete is_complete is_crawl_over
    current_findings   | audit.judgement              | audit.judgement | Findings of this audit. | code rule level basis source line loc message change
    compared_findings  | audit.judgement              | audit.judgement | Findings of this audit and the one before, with how they changed. | code rule level basis source line loc message change
    """
)
_FIGURES = declare_tables(
    """
    segment_rows | figures.dimension_tables | figures.dimension_tables | Number of listed URLs of each segment, by outcome. |
    """
)
_VISITS = declare_tables(
    """
    earlier_pages | visits.page_rows | visits.page_rows | Pages of a batch that an earlier visit has stored. | url crawl fingerprint
    """
)
_DIFF = declare_tables(
    """
    {side}_pages            | diff.tables                  | diff.tables                                                                  | Visited pages of a state. | h title fingerprint
    {side}_listed           | diff.tables                  | diff.tables diff.unread                                                      | View of the URLs of a state; `place` is a number that orders them. | loc lastmod lastmod_text changefreq priority images videos news alternates title fingerprint source place
    {side}_selected         | diff.tables                  | diff.tables                                                                  | Rows of a state whose URLs `include` and `exclude` select; absent without these options. | place UBIGINT
    {side}_rows             | diff.tables                  | diff.changes diff.pipeline diff.tables diff.unread                           | View of the URLs of a state that are compared. | loc lastmod lastmod_text changefreq priority images videos news alternates title fingerprint source place
    url_keys                | diff.tables                  | diff.tables                                                                  | URLs that have several rows in a state, or may differ, with the number of rows and the first one. | h before_rows after_rows may_differ before_place after_place
    {side}_diff             | diff.tables                  | diff.changes diff.moves diff.pipeline diff.redirects diff.tables diff.unread | Rows of URLs that are in one state only (`is_only`) or may differ. | h loc lastmod lastmod_text changefreq priority title fingerprint source place is_only
    changed_pairs           | diff.tables                  | diff.changes diff.pipeline diff.unread                                       | URLs in both states, with the names of the fields that changed. | h reasons
    unread_urls             | diff.unread                  | diff.moves diff.pipeline diff.redirects diff.unread                          | URLs in one state only that the other one may list in a part that was not read. | h UBIGINT, detail VARCHAR
    unknown_in_both         | diff.unread                  | diff.changes diff.pipeline                                                   | Unchanged URLs of a last known state that may be listed or not. | loc VARCHAR, detail VARCHAR
    {side}_unread_documents | diff.unread                  | diff.unread                                                                  | Documents of a state that could not be read in the other one. | source VARCHAR, detail VARCHAR
    {side}_document_pairs   | diff.unread                  | diff.unread                                                                  | Documents of a state, each with one of the other state of its URL or file name. | here VARCHAR, there VARCHAR
    redirect_answers        | diff.pipeline diff.redirects | diff.moves diff.pipeline                                                     | Answers of servers for removed URLs; `final_h` is the hash of the final URL. | h UBIGINT, verdict VARCHAR, status UINTEGER, final_url VARCHAR, final_h UBIGINT
    moves                   | diff.moves                   | diff.moves diff.pipeline                                                     | Pairs of a removed and an added URL that are the same page. | before UBIGINT, after UBIGINT, confidence DOUBLE, reason VARCHAR, detail VARCHAR
    {side}_urls             | diff.moves                   | diff.moves                                                                   | URLs in this state only, with the features that show moves. | h page folder stem family title fingerprint lastmod words id is_strong_id
    stem_candidates         | diff.moves                   | diff.moves                                                                   | Pairs of URLs with the same last segment, which is unique. | before after stem old new same_date
    folder_supports         | diff.moves                   | diff.moves                                                                   | Pairs of folders with the number of URLs that moved between them, and in all. | old VARCHAR, new VARCHAR, support VARCHAR, total VARCHAR
    rename_targets          | diff.moves                   | diff.moves                                                                   | Folders, each with itself and the names that other URLs show as its new ones. | old VARCHAR, new VARCHAR
    renamed_candidates      | diff.moves                   | diff.moves                                                                   | Pairs of URLs with the same last segment, in a folder and its renamed one. | before after confidence
    {side}_words            | diff.moves                   | diff.moves                                                                   | Words of last segments that few URLs of the folder share. | h folder word
    similar_candidates      | diff.moves                   | diff.moves                                                                   | Pairs of URLs with similar last segments. | before after confidence
    changes                 | diff.pipeline                | diff.changes diff.result                                                     | The result: changes, sorted by kind and URL. | change loc previous_loc before after why
    """
)
SELECTED_ROWS = _DIFF["{side}_selected"]
UNREAD_URLS = _DIFF["unread_urls"]
UNKNOWN_IN_BOTH = _DIFF["unknown_in_both"]
UNREAD_DOCUMENTS = _DIFF["{side}_unread_documents"]
DOCUMENT_PAIRS = _DIFF["{side}_document_pairs"]
REDIRECT_ANSWERS = _DIFF["redirect_answers"]
MOVES = _DIFF["moves"]
FOLDER_SUPPORTS = _DIFF["folder_supports"]
RENAME_TARGETS = _DIFF["rename_targets"]
_SUBMIT = declare_tables(
    """
    held_urls      | submit.announcement_log | submit.announcement_log | URLs whose announcements wait for the next run. | url VARCHAR
    staged_changes | submit.announcement_log | submit.announcement_log | Changes of an input; of a URL the last one. | n UBIGINT, url VARCHAR, host VARCHAR, change VARCHAR, lastmod VARCHAR, fingerprint VARCHAR
    excluded_hosts | submit.announcement_log | submit.announcement_log | Hosts whose changes are not announced. | host VARCHAR
    found_changes  | submit.announcement_log | submit.announcement_log | Staged changes that were not announced to a channel yet. | n url host change lastmod fingerprint
    request_batch  | submit.announcement_log | submit.announcement_log | Numbers of the announcements of one request. | number UBIGINT
    """
)
HELD_URLS = _SUBMIT["held_urls"]
STAGED_CHANGES = _SUBMIT["staged_changes"]
EXCLUDED_HOSTS = _SUBMIT["excluded_hosts"]
REQUEST_BATCH = _SUBMIT["request_batch"]
_SYNC = declare_tables(
    """
    listed_now      | sync.pipeline | sync.pipeline | URLs that the sitemaps list now. | url lastmod is_known sitemap
    sync_queue      | sync.pipeline | sync.pipeline | Pages to request, in the order of `position`. | position url lastmod sitemap fingerprint etag directives gone_at last_modified checked_at is_known is_committed is_due turn
    announced_pages | sync.pipeline | sync.pipeline | Pages of a batch that is about to be delivered. | url
    visited_pages   | sync.pipeline | sync.pipeline | Pages of a batch that were requested. | url fingerprint lastmod etag last_modified directives is_changed is_gone is_there
    unlisted_pages  | sync.pipeline | sync.pipeline | Synchronized pages that no sitemap lists any more. | position url fingerprint directives gone_at lastmod etag last_modified synced_at checked_at
    unread_pages    | sync.pipeline | sync.pipeline | Synchronized pages whose sitemaps could not be read. | position url fingerprint directives gone_at lastmod etag last_modified synced_at checked_at is_long
    """
)

WORKING_TABLES = tuple(
    table
    for tables in (_HISTORY, _CRAWL, _AUDIT, _FIGURES, _VISITS, _DIFF, _SUBMIT, _SYNC)
    for table in tables.values()
)
"""All temporary tables of the live verbs, of each in the order of the data flow."""
