"""Declare the temporary tables and views of a comparison.

URLs are compared by ``h``, 64 bits of the MD5 of their normal form (``text_hash`` and ``normal_of``
of :mod:`urlset.checker.macros`). With 10 million URLs in each state, the chance that any two of
them have the same hash is 1 to 90,000.
"""

from __future__ import annotations

from urlset.store import declare_tables

_TABLES = declare_tables(
    """
    {side}_pages            | tables           | tables                                                 | Visited pages of a state. | h title fingerprint
    {side}_listed           | tables           | tables unread                                          | View of the URLs of a state; `place` is a number that orders them. | loc lastmod lastmod_text changefreq priority images videos news alternates title fingerprint source place
    {side}_selected         | tables           | tables                                                 | Rows of a state whose URLs `include` and `exclude` select; absent without these options. | place UBIGINT
    {side}_rows             | tables           | pipeline result tables unread                          | View of the URLs of a state that are compared. | loc lastmod lastmod_text changefreq priority images videos news alternates title fingerprint source place
    url_keys                | tables           | tables                                                 | URLs that have several rows in a state, or may differ, with the number of rows and the first one. | h before_rows after_rows may_differ before_place after_place
    {side}_diff             | tables           | features moves pipeline redirects result tables unread | Rows of URLs that are in one state only (`is_only`) or may differ. | h loc lastmod lastmod_text changefreq priority title fingerprint source place is_only
    changed_pairs           | tables           | pipeline result unread                                 | URLs in both states, with the names of the fields that changed. | h reasons
    unread_urls             | unread           | features moves pipeline redirects unread               | URLs in one state only that the other one may list in a part that was not read. | h UBIGINT, detail VARCHAR
    unknown_in_both         | unread           | pipeline result                                        | Unchanged URLs of a last known state that may be listed or not. | loc VARCHAR, detail VARCHAR
    {side}_unread_documents | unread           | unread                                                 | Documents of a state that could not be read in the other one. | source VARCHAR, detail VARCHAR
    {side}_document_pairs   | unread           | unread                                                 | Documents of a state, each with one of the other state of its URL or file name. | here VARCHAR, there VARCHAR
    redirect_answers        | redirects        | moves pipeline                                         | Answers of servers for removed URLs; `final_h` is the hash of the final URL. | h UBIGINT, verdict VARCHAR, status UINTEGER, final_url VARCHAR, final_h UBIGINT
    moves                   | moves similarity | moves moves_sql pipeline                               | Pairs of a removed and an added URL that are the same page. | before UBIGINT, after UBIGINT, confidence DOUBLE, reason VARCHAR, detail VARCHAR
    {side}_urls             | features         | moves moves_sql similarity                             | URLs in this state only, with the features that show moves. | h page folder stem family title fingerprint lastmod words id is_strong_id
    stem_candidates         | moves            | moves                                                  | Pairs of URLs with the same last segment, which is unique. | before after stem old new same_date
    folder_supports         | moves            | moves                                                  | Pairs of folders with the number of URLs that moved between them, and in all. | old VARCHAR, new VARCHAR, support VARCHAR, total VARCHAR
    rename_targets          | moves            | moves                                                  | Folders that other URLs show as renamed, with their number. | old VARCHAR, new VARCHAR, support VARCHAR
    renamed_candidates      | moves            | moves                                                  | Pairs of URLs with the same last segment, in a folder and its renamed one. | before after confidence
    similar_targets         | similarity       | similarity                                             | Folders in which URLs with similar names are searched. | old VARCHAR, new VARCHAR
    {side}_words            | similarity       | similarity                                             | Words of last segments that few URLs of the folder share. | h folder word
    similar_candidates      | similarity       | similarity                                             | Pairs of URLs with similar last segments. | before after confidence
    changes                 | pipeline         | result                                                 | The result: changes, sorted by kind and URL. | change loc previous_loc before after why
    """
)
SELECTED_ROWS = _TABLES["{side}_selected"]
UNREAD_URLS = _TABLES["unread_urls"]
UNKNOWN_IN_BOTH = _TABLES["unknown_in_both"]
UNREAD_DOCUMENTS = _TABLES["{side}_unread_documents"]
DOCUMENT_PAIRS = _TABLES["{side}_document_pairs"]
REDIRECT_ANSWERS = _TABLES["redirect_answers"]
MOVES = _TABLES["moves"]
FOLDER_SUPPORTS = _TABLES["folder_supports"]
RENAME_TARGETS = _TABLES["rename_targets"]
SIMILAR_TARGETS = _TABLES["similar_targets"]

WORKING_TABLES = tuple(_TABLES.values())
"""All temporary tables and views of a comparison, in the order of the data flow."""
