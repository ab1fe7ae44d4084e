"""Declare the temporary tables and views of a comparison.

URLs are compared by ``h``, 64 bits of the MD5 of their normal form (``text_hash`` and ``normal_of``
of :mod:`urlset.checker.macros`). With 10 million URLs in each state, the chance that any two of
them have the same hash is 1 to 90,000.
"""

from __future__ import annotations

from urlset.store import declare_table

_STATE = "loc lastmod lastmod_text changefreq priority images videos news alternates title"
_FEATURES = "h page folder stem family title fingerprint lastmod words id is_strong_id"

SELECTED_ROWS = declare_table(
    "{side}_selected",
    "Rows of a state whose URLs `include` and `exclude` select; absent without these options.",
    "place UBIGINT",
    writers="tables",
    readers="tables",
)
UNREAD_URLS = declare_table(
    "unread_urls",
    "URLs in one state only that the other one may list in a part that was not read.",
    "h UBIGINT, detail VARCHAR",
    writers="unread",
    readers="features moves pipeline redirects unread",
)
UNKNOWN_IN_BOTH = declare_table(
    "unknown_in_both",
    "Unchanged URLs of a last known state that may be listed or not.",
    "loc VARCHAR, detail VARCHAR",
    writers="unread",
    readers="pipeline result",
)
UNREAD_DOCUMENTS = declare_table(
    "{side}_unread_documents",
    "Documents of a state that could not be read in the other one.",
    "source VARCHAR, detail VARCHAR",
    writers="unread",
    readers="unread",
)
DOCUMENT_PAIRS = declare_table(
    "{side}_document_pairs",
    "Documents of a state, each with one of the other state of its URL or file name.",
    "here VARCHAR, there VARCHAR",
    writers="unread",
    readers="unread",
)
REDIRECT_ANSWERS = declare_table(
    "redirect_answers",
    "Answers of servers for removed URLs; `final_h` is the hash of the final URL.",
    "h UBIGINT, verdict VARCHAR, status UINTEGER, final_url VARCHAR, final_h UBIGINT",
    writers="redirects",
    readers="moves pipeline",
)
MOVES = declare_table(
    "moves",
    "Pairs of a removed and an added URL that are the same page.",
    "before UBIGINT, after UBIGINT, confidence DOUBLE, reason VARCHAR, detail VARCHAR",
    writers="moves similarity",
    readers="moves moves_sql pipeline",
)
FOLDER_SUPPORTS = declare_table(
    "folder_supports",
    "Pairs of folders with the number of URLs that moved between them, and in all.",
    "old VARCHAR, new VARCHAR, support VARCHAR, total VARCHAR",
    writers="moves",
    readers="moves",
)
RENAME_TARGETS = declare_table(
    "rename_targets",
    "Folders that other URLs show as renamed, with their number.",
    "old VARCHAR, new VARCHAR, support VARCHAR",
    writers="moves",
    readers="moves",
)
SIMILAR_TARGETS = declare_table(
    "similar_targets",
    "Folders in which URLs with similar names are searched.",
    "old VARCHAR, new VARCHAR",
    writers="similarity",
    readers="similarity",
)

WORKING_TABLES = (
    declare_table(
        "{side}_pages",
        "Visited pages of a state.",
        "h title fingerprint",
        writers="tables",
        readers="tables",
    ),
    declare_table(
        "{side}_listed",
        "View of the URLs of a state; `place` is a number that orders them.",
        f"{_STATE} fingerprint source place",
        writers="tables",
        readers="tables unread",
    ),
    SELECTED_ROWS,
    declare_table(
        "{side}_rows",
        "View of the URLs of a state that are compared.",
        f"{_STATE} fingerprint source place",
        writers="tables",
        readers="pipeline result tables unread",
    ),
    declare_table(
        "url_keys",
        "URLs that have several rows in a state, or may differ, with the number of rows and the "
        "first one.",
        "h before_rows after_rows may_differ before_place after_place",
        writers="tables",
        readers="tables",
    ),
    declare_table(
        "{side}_diff",
        "Rows of URLs that are in one state only (`is_only`) or may differ.",
        "h loc lastmod lastmod_text changefreq priority title fingerprint source place is_only",
        writers="tables",
        readers="features moves pipeline redirects result tables unread",
    ),
    declare_table(
        "changed_pairs",
        "URLs in both states, with the names of the fields that changed.",
        "h reasons",
        writers="tables",
        readers="pipeline result unread",
    ),
    UNREAD_URLS,
    UNKNOWN_IN_BOTH,
    UNREAD_DOCUMENTS,
    DOCUMENT_PAIRS,
    REDIRECT_ANSWERS,
    MOVES,
    declare_table(
        "{side}_urls",
        "URLs in this state only, with the features that show moves.",
        _FEATURES,
        writers="features",
        readers="moves moves_sql similarity",
    ),
    declare_table(
        "stem_candidates",
        "Pairs of URLs with the same last segment, which is unique.",
        "before after stem old new same_date",
        writers="moves",
        readers="moves",
    ),
    FOLDER_SUPPORTS,
    RENAME_TARGETS,
    declare_table(
        "renamed_candidates",
        "Pairs of URLs with the same last segment, in a folder and its renamed one.",
        "before after confidence",
        writers="moves",
        readers="moves",
    ),
    SIMILAR_TARGETS,
    declare_table(
        "{side}_words",
        "Words of last segments that few URLs of the folder share.",
        "h folder word",
        writers="similarity",
        readers="similarity",
    ),
    declare_table(
        "similar_candidates",
        "Pairs of URLs with similar last segments.",
        "before after confidence",
        writers="similarity",
        readers="similarity",
    ),
    declare_table(
        "changes",
        "The result: changes, sorted by kind and URL.",
        "change loc previous_loc before after why",
        writers="pipeline",
        readers="result",
    ),
)
"""All temporary tables and views of a comparison, in the order of the data flow."""
