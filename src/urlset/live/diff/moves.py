"""Find moved URLs: pairs of a removed and an added URL that are the same page.

Pairs are searched by one kind of evidence after the other, the strongest first. Each URL is in one
pair at most, and a value that occurs twice in a state is no evidence. What the first pairs show is
used for the others: which folders were renamed, and whether pages kept their ``lastmod``.
"""

from __future__ import annotations

import logging
from typing import NamedTuple

from urlset.live.diff.features import create_features
from urlset.live.diff.moves_sql import LEFT, best_pairs, date_evidence, unique_values
from urlset.live.diff.patterns import FolderPair, Renamings, move_patterns
from urlset.live.diff.similarity import find_similar
from urlset.live.diff.tables import SIDES, Tables
from urlset.live.working_tables import FOLDER_SUPPORTS, MOVES, RENAME_TARGETS

logger: logging.Logger = logging.getLogger("urlset.diff")

MAX_FOLDERS = 200_000
"""Pairs of folders, most frequent first, from which renamings are learned."""


class _Evidence(NamedTuple):
    """Feature that is equal for both URLs of a move: its reason, its SQL and the confidence."""

    reason: str
    value: str
    confidence: float
    detail: str = "NULL"


_STRONG = (
    _Evidence("same-page", "page", 0.99),
    _Evidence("same-content", "fingerprint", 0.97),
    _Evidence("same-title", "CASE WHEN stem <> '' THEN title || chr(10) || stem END", 0.96),
    _Evidence("same-id", "CASE WHEN is_strong_id THEN id END", 0.95, "value"),
    _Evidence("same-title", "CASE WHEN length(title) >= 10 THEN title END", 0.88),
)


def find_moves(tables: Tables, *, is_wanted: bool, min_confidence: float) -> None:
    """Create the table ``moves``: hashes of URLs before and after, with reason and confidence."""
    tables.db.run(MOVES.create_empty())
    counts = [
        tables.count(
            f"SELECT count(*) FROM {side}_diff ANTI JOIN unread_urls USING (h) WHERE is_only"
        )
        for side in SIDES
    ]
    if not is_wanted or not all(counts):
        return
    create_features(tables)
    search = _Search(tables, min_confidence)
    search.run()
    tables.patterns = move_patterns(search.folders())


class _Search:
    """One search for moved URLs; each method adds pairs by one kind of evidence to ``moves``."""

    def __init__(self, tables: Tables, min_confidence: float):
        self._tables = tables
        self._db = tables.db
        self._least = min_confidence

    def run(self) -> None:
        self._match_redirects()
        for evidence in _STRONG:
            if evidence.reason == "same-content" and "fingerprint" not in self._tables.known:
                continue
            if evidence.reason == "same-title" and "title" not in self._tables.known:
                continue
            self._match(evidence)
        self._match_numbers()
        self._match_stems(needs_support=True)
        self._learn_lastmod()
        self._match_stems(needs_support=False)
        self._match_renamed()
        find_similar(self._tables, self._renamings(), self._least)

    def folders(self) -> list[FolderPair]:
        """Return the folders of the pairs found so far, with the number of URLs."""
        rows = self._db.rows(
            "SELECT b.folder, a.folder, count(*) AS n FROM moves m "
            "JOIN before_urls b ON b.h = m.before JOIN after_urls a ON a.h = m.after "
            f"GROUP BY ALL ORDER BY n DESC, 1, 2 LIMIT {MAX_FOLDERS}"
        )
        return [FolderPair(before, after, int(urls)) for before, after, urls in rows]

    def _renamings(self) -> Renamings:
        return Renamings(self.folders())

    def _match_redirects(self) -> None:
        """Add pairs of a removed URL and the added URL to which it alone redirects."""
        if self._least > 0.99:
            return
        self._db.run_long(
            "INSERT INTO moves SELECT any_value(w.h), a.h, 0.99, 'redirect', NULL "
            "FROM redirect_answers w JOIN after_urls a ON a.h = w.final_h "
            "GROUP BY a.h HAVING count(*) = 1"
        )

    def _match(self, evidence: _Evidence) -> None:
        """Add pairs of URLs that share the value of a feature with no other URL."""
        if evidence.confidence < self._least:
            return
        before, after = (unique_values(side, evidence.value) for side in SIDES)
        self._db.run_long(
            f"INSERT INTO moves SELECT b.h, a.h, {evidence.confidence}, '{evidence.reason}', "
            f"{evidence.detail} FROM ({before}) b JOIN ({after}) a USING (value)"
        )

    def _match_numbers(self) -> None:
        """Add pairs of URLs with the same number, such as an id, in the path.

        A short number identifies a page only if others of the same folder moved with theirs.
        """
        before, after = (unique_values(side, "id", "family words") for side in SIDES)
        total = (
            "SELECT family, count(*) AS n "
            f"FROM {LEFT.format(side='before')} WHERE id IS NOT NULL GROUP BY family"
        )
        self._db.run_long(
            f"""INSERT INTO moves SELECT before, after, 0.92, 'same-id', value FROM (
                SELECT b.h AS before, a.h AS after, value, b.family,
                    count(*) OVER (PARTITION BY b.family, a.family) AS support,
                    len(list_intersect(b.words, a.words)) > 1 AS is_alike
                FROM ({before}) b JOIN ({after}) a USING (value))
            JOIN ({total}) t USING (family)
            WHERE 0.92 >= {self._least} AND (is_alike OR length(value) >= 6
                OR (support >= 3 AND support >= 0.3 * n))"""
        )

    def _match_stems(self, *, needs_support: bool) -> None:
        """Add pairs of URLs with the same last segment, which is unique, in different folders.

        With support, by other URLs that moved from the same folder to the same one, any segment
        counts; without it, one that is long enough to be no coincidence.
        """
        before, after = (unique_values(side, "stem", "folder lastmod") for side in SIDES)
        self._db.run_long(
            f"""CREATE OR REPLACE TABLE stem_candidates AS
            SELECT b.h AS before, a.h AS after, value AS stem, b.folder AS old, a.folder AS new,
                b.lastmod = a.lastmod AS same_date
            FROM ({before}) b JOIN ({after}) a USING (value) WHERE value <> ''"""
        )
        rows = self._db.rows(
            "SELECT old, new, count(*) AS n FROM stem_candidates GROUP BY ALL "
            f"ORDER BY n DESC, 1, 2 LIMIT {MAX_FOLDERS}"
        )
        pairs = [FolderPair(old, new, int(urls)) for old, new, urls in rows]
        known = Renamings([*pairs, *self.folders()])
        facts = [
            (old, new, urls, 0)
            if old == new
            else (old, new, known.support(old, new), known.total(old, new))
            for old, new, urls in pairs
        ]
        self._db.run(FOLDER_SUPPORTS.create_empty())
        self._db.insert_rows("folder_supports", facts)
        sizes = (
            f"SELECT folder AS old, count(*) AS size FROM {LEFT.format(side='before')} GROUP BY old"
        )
        is_long = "length(stem) >= 8 AND (contains(stem, '-') OR contains(stem, '?'))"
        date = date_evidence(self._tables)
        confidence = (
            "CASE WHEN support >= 3 AND (support >= 20 OR support >= 0.3 * size) THEN 0.95 END"
            if needs_support
            # Few against many: most pages of the folder went elsewhere.
            else f"CASE WHEN support * 20 < total AND support < 3 THEN 0.6 WHEN {is_long} "
            "THEN 0.82 WHEN support >= 2 THEN 0.75 ELSE 0.5 END"
        )
        self._db.run_long(
            f"""INSERT INTO moves SELECT before, after, least(confidence, 0.97),
                'same-segment', NULL FROM (
                SELECT *, {confidence} + {date} AS confidence FROM (
                    SELECT c.*, s.support::BIGINT AS support, s.total::BIGINT AS total, z.size
                    FROM stem_candidates c JOIN folder_supports s USING (old, new)
                    JOIN ({sizes}) z USING (old)))
            WHERE confidence >= {self._least}"""
        )

    def _learn_lastmod(self) -> None:
        """Decide whether equal ``lastmod`` dates are evidence for further moves."""
        kept, dated = self._db.fetch_one(
            "SELECT count_if(b.lastmod = a.lastmod), count(*) FROM moves m "
            "JOIN before_urls b ON b.h = m.before JOIN after_urls a ON a.h = m.after "
            "WHERE b.lastmod IS NOT NULL AND a.lastmod IS NOT NULL"
        )
        [same] = self._db.fetch_one(
            "SELECT coalesce(sum(n * n) / (sum(n) * sum(n)), 1)::DOUBLE FROM ("
            "SELECT count(*)::DOUBLE AS n FROM after_urls WHERE lastmod IS NOT NULL "
            "GROUP BY lastmod)"
        )
        self._tables.dates_identify = dated >= 20 and kept >= 0.8 * dated and same <= 0.05
        logger.debug("of %d moved pages with dates %d kept theirs", dated, kept or 0)

    def _match_renamed(self) -> None:
        """Add pairs of URLs with the same last segment, where other URLs show a renamed folder."""
        renamings = self._renamings()
        folders = self._db.rows(
            f"SELECT DISTINCT folder FROM {LEFT.format(side='before')} LIMIT {MAX_FOLDERS}"
        )
        rows = [
            (folder, target, urls)
            for (folder,) in folders
            for target, urls in renamings.targets(folder).items()
            if urls >= 2
        ]
        rows += [(folder, folder, 0) for (folder,) in folders]
        self._db.run(RENAME_TARGETS.create_empty())
        self._db.insert_rows("rename_targets", rows)
        date = date_evidence(self._tables)
        self._db.run_long(
            f"""CREATE OR REPLACE TABLE renamed_candidates AS
            SELECT before, after, confidence + {date} AS confidence FROM (
                SELECT b.h AS before, a.h AS after, 0.9 AS confidence,
                    b.lastmod = a.lastmod AS same_date
                FROM {LEFT.format(side="before")} b JOIN rename_targets t ON t.old = b.folder
                JOIN {LEFT.format(side="after")} a ON a.folder = t.new AND a.stem = b.stem)"""
        )
        self._db.run_long(
            f"""INSERT INTO moves SELECT before, after, least(confidence, 0.97),
                'folder-renamed', NULL FROM ({best_pairs("FROM renamed_candidates")})
            WHERE confidence >= {self._least}"""
        )
