"""Find moved URLs: pairs of a removed and an added URL that are the same page.

Pairs are searched by one kind of evidence after the other, the strongest first. Each URL is in one
pair at most, and a value that occurs twice in a state is no evidence. What the first pairs show is
used for the others: which folders were renamed, and whether pages kept their ``lastmod``.
"""

from __future__ import annotations

import logging
from typing import NamedTuple

from urlset.dates import YEAR
from urlset.live.diff.patterns import FolderPair, Renamings, move_patterns
from urlset.live.diff.tables import SIDES, Tables
from urlset.live.working_tables import FOLDER_SUPPORTS, MOVES, RENAME_TARGETS
from urlset.store import quoted

logger: logging.Logger = logging.getLogger("urlset.diff")

MAX_FOLDERS = 200_000
"""Pairs of folders, most frequent first, from which renamings are learned."""


class _Evidence(NamedTuple):
    """Feature that is equal for both URLs of a move: its reason, its SQL and the confidence.

    ``field`` is the field of a state that it needs; empty if it needs the URL alone.
    """

    reason: str
    value: str
    confidence: float
    detail: str = "NULL"
    field: str = ""


_STRONG = (
    _Evidence("same-page", "page", 0.99),
    _Evidence("same-content", "fingerprint", 0.97, field="fingerprint"),
    _Evidence("same-title", "CASE WHEN stem <> '/' THEN title || chr(10) || stem END", 0.96,
              field="title"),
    _Evidence("same-id", "CASE WHEN is_strong_id THEN id END", 0.95, "value"),
    _Evidence("same-title", "CASE WHEN length(title) >= 10 THEN title END", 0.88, field="title"),
)  # fmt: skip


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
            if evidence.confidence >= self._least and evidence.field in ("", *self._tables.known):
                self._match(evidence)
        self._match_numbers()
        self._match_stems(needs_support=True)
        self._learn_lastmod()
        self._match_stems(needs_support=False)
        self._match_renamed()
        find_similar(self._tables, Renamings(self.folders()), self._least)

    def folders(self) -> list[FolderPair]:
        """Return the folders of the pairs found so far, with the number of URLs."""
        rows = self._db.rows(
            "SELECT b.folder, a.folder, count(*) AS n FROM moves m "
            "JOIN before_urls b ON b.h = m.before JOIN after_urls a ON a.h = m.after "
            f"GROUP BY ALL ORDER BY n DESC, 1, 2 LIMIT {MAX_FOLDERS}"
        )
        return [FolderPair(before, after, int(urls)) for before, after, urls in rows]

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
            FROM ({before}) b JOIN ({after}) a USING (value) WHERE value <> '/'"""
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
        is_long = "length(ltrim(stem, '/')) >= 8 AND (contains(stem, '-') OR contains(stem, '?'))"
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
        _create_targets(self._tables, Renamings(self.folders()))
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


MAX_URLS = 500_000
"""URLs of a state, without a pair so far, up to which similar names are searched."""

MAX_SHARING = 50
"""URLs of a folder that share a word; a word of more URLs says little, and is not used."""


def _create_targets(tables: Tables, renamings: Renamings, limit: int = MAX_FOLDERS) -> None:
    """Create ``rename_targets``: each folder, with itself and its likely new names."""
    left = LEFT.format(side="before")
    found = tables.db.rows(f"SELECT DISTINCT folder FROM {left} LIMIT {limit}")
    rows = [(folder, folder) for (folder,) in found]
    rows += [
        (folder, target)
        for (folder,) in found
        for target, urls in renamings.targets(folder).items()
        if urls >= 2
    ]
    tables.db.run(RENAME_TARGETS.create_empty())
    tables.db.insert_rows("rename_targets", rows)


def find_similar(tables: Tables, renamings: Renamings, min_confidence: float) -> None:
    """Add pairs whose last segments share rare words.

    Segments that differ in a number, or in a whole word, are those of different pages.
    """
    db = tables.db
    counts = [tables.count(f"SELECT count(*) FROM {LEFT.format(side=side)}") for side in SIDES]
    if max(counts) > MAX_URLS or not all(counts):
        logger.info("similar names are not searched in %d and %d URLs", *counts)
        return
    _create_targets(tables, renamings, MAX_URLS)
    # The first and last letters find words with a typing error.
    marks = (
        "list_concat(words, CASE WHEN length(stem) >= 6 AND NOT contains(stem, '?') "
        "THEN ['<' || left(stem, 4), '>' || right(stem, 4)] ELSE [] END)"
    )
    for side, folder in (("before", "t.new"), ("after", "u.folder")):
        join = "JOIN rename_targets t ON t.old = u.folder" if side == "before" else ""
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


LEFT = "(FROM {side}_urls u ANTI JOIN moves m ON m.{side} = u.h)"
"""Rows of URLs of a side that have no pair so far."""


def best_pairs(candidates: str, margin: float = 0.05) -> str:
    """Return SQL that selects the candidate pairs of a ``FROM`` clause that are best for both URLs.

    ``margin`` is the least distance of the confidence to that of the next best pair.
    """
    rank = (
        "row_number() OVER (PARTITION BY {0} ORDER BY confidence DESC) AS {0}_rank, "
        "coalesce(lead(confidence) OVER (PARTITION BY {0} ORDER BY confidence DESC), 0) "
        "AS {0}_next"
    )
    return (
        f"SELECT * FROM (SELECT *, {rank.format('before')}, {rank.format('after')} {candidates}) "
        "WHERE before_rank = 1 AND after_rank = 1 "
        f"AND confidence - before_next >= {margin} AND confidence - after_next >= {margin}"
    )


def date_evidence(tables: Tables) -> str:
    """Return SQL for the change of the confidence by equal or different dates of a pair."""
    if not tables.dates_identify:
        return "0"
    return "coalesce(CASE WHEN same_date THEN 0.1 ELSE -0.2 END, 0)"


def unique_values(side: str, value: str, columns: str = "") -> str:
    """Return SQL that selects values which only one URL of a side has, among URLs without a pair.

    ``value`` is the SQL of the value; ``columns`` are further columns of the result.
    """
    kept = "".join(f", any_value({name}) AS {name}" for name in columns.split())
    return (
        f"SELECT value, any_value(h) AS h{kept} FROM (SELECT *, {value} AS value "
        f"FROM {LEFT.format(side=side)}) WHERE value IS NOT NULL GROUP BY value HAVING count(*) = 1"
    )


_ENDING = r"(?i)\.(html?|xhtml|shtml|php|aspx?|jsp|md)$"
_INDEX = r"(?i)/(index|default)\.(html?|php|aspx?|jsp)$"
_UUID = r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}"
_HASH = r"\b(?:[0-9a-f]*[a-f][0-9a-f]*[0-9]|[0-9a-f]*[0-9][0-9a-f]*[a-f])[0-9a-f]*\b"
_DATE = rf"{YEAR}|{YEAR}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])|{YEAR}(?:0[1-9]|1[0-2])"
_STOP_WORDS = (
    "a an and at by for from in is of on or the to with und der die das mit von zu de la le les et"
).split()


def create_features(tables: Tables) -> None:
    """Create ``before_urls`` and ``after_urls``: URLs of one state only, with their features.

    - ``key``: normal form; ``page``: without what most servers ignore (``duplicate_key``);
    - ``family``: the folder with ``#`` for numbers;
    - ``folder``: URL up to the last segment; ``stem``: the last segment in lower case, without the
      ending of a file, with ``-`` for all but letters and digits, if it has any; the query, if
      there is one. The stem of the home page is ``/``;
    - ``words``: the words of the stem;
    - ``id``: a number of three digits or more, or a UUID, that occurs once in path and query and is
      not a date; ``is_strong_id``: whether it is a UUID or a long hash;
    - ``title``, ``fingerprint``, ``lastmod``.
    """
    for side in SIDES:
        tables.db.run_long(f"CREATE TABLE {side}_urls AS {_query(side)}")


def _query(side: str) -> str:
    stop_words = ", ".join(map(quoted, _STOP_WORDS))
    return rf"""
    SELECT h, page, folder, stem, regexp_replace(folder, '[0-9]+', '#', 'g') AS family, title,
        fingerprint, lastmod, words,
        coalesce(strong_id, CASE len(numbers) WHEN 0 THEN NULL WHEN 1 THEN numbers[1]
            ELSE CASE WHEN length(numbers[1]) > length(numbers[2]) THEN numbers[1] END END) AS id,
        strong_id IS NOT NULL AS is_strong_id
    FROM (SELECT *,
            list_distinct(list_filter(string_split(stem, '-'), lambda w: length(w) > 1
                AND w NOT IN ({stop_words}) OR regexp_full_match(w, '[0-9]'))) AS words,
            coalesce(nullif(regexp_extract(low, {quoted(_UUID)}), ''),
                list_filter(regexp_extract_all(low, {quoted(_HASH)}),
                    lambda t: length(t) >= 12)[1]) AS strong_id,
            list_transform(list_reverse_sort(list_transform(list_distinct(list_filter(
                regexp_extract_all(low, '[0-9]+'), lambda n: length(n) BETWEEN 3 AND 18
                AND NOT regexp_full_match(n, {quoted(_DATE)}))),
                lambda n: lpad(length(n)::VARCHAR, 2, '0') || n)),
                lambda n: substr(n, 3)) AS numbers
        FROM (SELECT *, origin || coalesce(nullif(left(path, length(path) - length(last)), ''), '/')
                    AS folder,
                coalesce(nullif(trim(regexp_replace(lower(strip_accents(
                    regexp_replace(last, {quoted(_ENDING)}, ''))), '[^\p{{L}}\p{{N}}]+', '-', 'g'),
                    '-'), ''), nullif(last, ''), '/')
                    || CASE WHEN query = '' THEN '' ELSE '?' || query END AS stem,
                lower(path || '?' || query) AS low
            FROM (SELECT *, regexp_extract(path, '[^/]*$') AS last
                FROM (SELECT h, origin, page, title, fingerprint, lastmod,
                        rtrim(regexp_replace(split_part(rest, '?', 1), {quoted(_INDEX)}, '/'), '/')
                            AS path,
                        CASE WHEN contains(rest, '?') THEN substr(rest, instr(rest, '?') + 1)
                            ELSE '' END AS query
                    FROM (SELECT *, substr(key, length(origin) + 1) AS rest
                        FROM (SELECT *, regexp_extract(key, '^[^:]*://[^/]*') AS origin
                            FROM (SELECT h, normal_of(loc) AS key, duplicate_key(loc) AS page,
                                    title, fingerprint, lastmod
                                FROM {side}_diff ANTI JOIN unread_urls USING (h)
                                WHERE is_only)))))))"""
