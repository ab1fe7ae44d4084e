"""Find moved URLs by similar last segments, within a folder or in a renamed one."""

from __future__ import annotations

import logging

from urlset.live.diff.moves_sql import LEFT, best_pairs, date_evidence
from urlset.live.diff.patterns import Renamings
from urlset.live.diff.tables import SIDES, Tables
from urlset.live.working_tables import SIMILAR_TARGETS

logger: logging.Logger = logging.getLogger("urlset.diff")

MAX_URLS = 500_000
"""URLs of a state, without a pair so far, up to which similar names are searched."""

MAX_SHARING = 50
"""URLs of a folder that share a word; a word of more URLs says little, and is not used."""


def find_similar(tables: Tables, renamings: Renamings, min_confidence: float) -> None:
    """Add pairs whose last segments share rare words.

    Segments that differ in a number, or in a whole word, are those of different pages.
    """
    db = tables.db
    counts = [tables.count(f"SELECT count(*) FROM {LEFT.format(side=side)}") for side in SIDES]
    if max(counts) > MAX_URLS or not all(counts):
        logger.info("similar names are not searched in %d and %d URLs", *counts)
        return
    left = LEFT.format(side="before")
    folders = [folder for (folder,) in db.rows(f"SELECT DISTINCT folder FROM {left}")]
    rows = [(folder, folder) for folder in folders]
    rows += [
        (folder, target)
        for folder in folders
        for target, urls in renamings.targets(folder).items()
        if urls >= 2
    ]
    db.run(SIMILAR_TARGETS.create_empty())
    db.insert_rows("similar_targets", rows)
    # The first and last letters find words with a typing error.
    marks = (
        "list_concat(words, CASE WHEN length(stem) >= 6 AND NOT contains(stem, '?') "
        "THEN ['<' || left(stem, 4), '>' || right(stem, 4)] ELSE [] END)"
    )
    for side, folder in (("before", "t.new"), ("after", "u.folder")):
        join = "JOIN similar_targets t ON t.old = u.folder" if side == "before" else ""
        db.run_long(
            f"""CREATE OR REPLACE TABLE {side}_words AS
            SELECT h, folder, word FROM (SELECT u.h, {folder} AS folder, unnest({marks}) AS word
                FROM {LEFT.format(side=side)} u {join})
            QUALIFY count(*) OVER (PARTITION BY folder, word) <= {MAX_SHARING}"""
        )
    db.run_long(
        f"""CREATE OR REPLACE TABLE similar_candidates AS
        SELECT before, after, {_CONFIDENCE} + {date_evidence(tables)} + {_title(tables)}
            AS confidence
        FROM (SELECT *, list_filter(old, lambda w: NOT list_contains(new, w)) AS lost,
                list_filter(new, lambda w: NOT list_contains(old, w)) AS won,
                len(list_intersect(old, new)) AS kept
            FROM (SELECT p.before, p.after, b.words AS old, a.words AS new, b.stem AS stem_before,
                    a.stem AS stem_after, b.title AS title_before, a.title AS title_after,
                    b.lastmod = a.lastmod AS same_date
                FROM (SELECT DISTINCT b.h AS before, a.h AS after FROM before_words b
                    JOIN after_words a USING (folder, word)) p
                JOIN before_urls b ON b.h = p.before JOIN after_urls a ON a.h = p.after))"""
    )
    db.run_long(
        f"""INSERT INTO moves SELECT before, after, least(confidence, 0.95), 'similar-segment',
            NULL FROM ({best_pairs("FROM similar_candidates", 0.03)})
        WHERE confidence >= {min_confidence}"""
    )


_NUMBERS = "len(list_filter({}, lambda w: regexp_matches(w, '[0-9]')))"
_SHARE = "(kept::DOUBLE / greatest(kept + len(lost) + len(won), 1))"
_TYPO = (
    "len(lost) = 1 AND len(won) = 1 AND least(length(lost[1]), length(won[1])) >= 5 "
    "AND left(lost[1], 1) = left(won[1], 1) "
    "AND damerau_levenshtein(lost[1], won[1]) <= 2 "
    "AND damerau_levenshtein(lost[1], won[1]) * 4 <= length(lost[1])"
)
_CONFIDENCE = f"""CASE
    WHEN contains(stem_before, '?') OR contains(stem_after, '?') THEN 0
    WHEN len(lost) = 0 AND len(won) = 0 THEN CASE WHEN kept > 0 THEN 0.93 ELSE 0 END
    WHEN {_NUMBERS.format("lost")} > 0 AND {_NUMBERS.format("won")} > 0 THEN 0
    WHEN {_NUMBERS.format("lost")} + {_NUMBERS.format("won")} > 0 THEN
        CASE WHEN len(lost) + len(won) = 1 AND kept >= 2
            AND length(list_concat(lost, won)[1]) >= 3 THEN 0.78
            WHEN kept >= 2 AND len(won) = 0 AND {_NUMBERS.format("lost")} = len(lost) THEN 0.76
            WHEN kept >= 2 AND len(lost) = 0 AND {_NUMBERS.format("won")} = len(won)
                AND length(won[1]) >= 3 THEN 0.76 ELSE 0 END
    WHEN {_TYPO} THEN CASE WHEN kept > 0 THEN 0.86 ELSE 0.8 END
    WHEN len(lost) > 0 AND len(won) > 0 THEN
        CASE WHEN kept >= 3 AND {_SHARE} >= 0.5 THEN 0.62 ELSE 0.3 END
    WHEN kept >= 2 AND {_SHARE} >= 0.5 THEN 0.7 + 0.12 * {_SHARE}
    WHEN kept = 1 AND {_SHARE} >= 0.5 THEN 0.6
    ELSE 0.3 END"""
"""Confidence by the words that both have (kept), and those of one only (lost, won)."""


def _title(tables: Tables) -> str:
    if "title" not in tables.known:
        return "0"
    return (
        "coalesce(CASE WHEN title_before = title_after THEN 0.15 "
        "WHEN jaro_winkler_similarity(title_before, title_after) >= 0.9 THEN 0.05 "
        "ELSE -0.1 END, 0)"
    )
