"""Compute the features of URLs that show moves: folder, last segment, words, id, title, content.

Each side has a table ``before_urls`` or ``after_urls`` of URLs that are in this state only:

- ``key``: normal form; ``page``: without what most servers ignore (``duplicate_key``);
- ``family``: the folder with ``#`` for numbers;
- ``folder``: URL up to the last segment; ``stem``: the last segment in lower case, without the
  ending of a file, with ``-`` for all but letters and digits; the query, if there is one;
- ``words``: the words of the stem;
- ``id``: a number of three digits or more, or a UUID, that occurs once in path and query and is
  not a date; ``is_strong_id``: whether it is a UUID or a long hash;
- ``title``, ``fingerprint``, ``lastmod``.
"""

from __future__ import annotations

from urlset.dates import YEAR
from urlset.live.diff.tables import SIDES, Tables
from urlset.store import quoted

_ENDING = r"(?i)\.(html?|xhtml|shtml|php|aspx?|jsp|md)$"
_INDEX = r"(?i)/(index|default)\.(html?|php|aspx?|jsp)$"
_UUID = r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}"
_HASH = r"\b(?:[0-9a-f]*[a-f][0-9a-f]*[0-9]|[0-9a-f]*[0-9][0-9a-f]*[a-f])[0-9a-f]*\b"
_DATE = rf"{YEAR}|{YEAR}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])|{YEAR}(?:0[1-9]|1[0-2])"
_STOP_WORDS = (
    "a an and at by for from in is of on or the to with und der die das mit von zu de la le les et"
).split()


def create_features(tables: Tables) -> None:
    """Create ``before_urls`` and ``after_urls``: removed and added URLs with their features."""
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
        FROM (SELECT *, origin || left(path, length(path) - length(last)) AS folder,
                trim(regexp_replace(lower(strip_accents(
                    regexp_replace(last, {quoted(_ENDING)}, ''))), '[^\p{{L}}\p{{N}}]+', '-', 'g'),
                    '-') || CASE WHEN query = '' THEN '' ELSE '?' || query END AS stem,
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
