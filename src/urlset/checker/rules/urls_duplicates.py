"""Rules about URLs that one sitemap lists more than once, exactly or nearly (group U)."""

from __future__ import annotations

from urlset.checker.examples import entry
from urlset.checker.rule import rule

__all__ = ["DIFFERENCE", "IS_SAME_PAGE", "RULES"]

_FIELDS = ("lastmod", "changefreq", "priority", "images", "videos", "news", "alternates", "extra")
# A day agrees with a time on that day.
_AGREES = """coalesce(count(lastmod) = count(*)
    AND count(DISTINCT lastmod) FILTER (strlen(lastmod_text) <= 10) = 1
    AND count(DISTINCT lastmod) FILTER (strlen(lastmod_text) > 10) = 1
    AND max(earliest(lastmod, lastmod_text)) <= min(latest(lastmod, lastmod_text)), false)"""
_DIFFERENT = ", ".join(
    f"CASE WHEN count(DISTINCT hash({name})) > 1 "
    f"{f'AND NOT {_AGREES} ' if name == 'lastmod' else ''}THEN '{name}' END"
    for name in _FIELDS
)
# hash(NULL) is a number, so a missing value differs from a present one.
_REPEATED = f"""
    SELECT document, loc, count(*) AS n, min("offset", 2)[2] AS "offset",
        arg_min(line, "offset", 2)[2] AS line, min(line) AS first,
        concat_ws(', ', {_DIFFERENT}) AS what
    FROM duplicates GROUP BY document, loc HAVING count(*) > 1"""

_INDEX = r"'(?i)/(index|default)\.(html?|php|aspx?|jsp)(\?|$)'"
_SLASH = r"'/(\?|$)'"
_WWW = r"'(?i)^https?://www\.'"


def _differ(pattern: str) -> str:
    return f"WHEN regexp_matches(loc, {pattern}) <> regexp_matches(other, {pattern})"


DIFFERENCE = f"""coalesce(nullif(concat_ws(', ',
    CASE WHEN scheme_of(loc) <> scheme_of(other) THEN 'scheme' END,
    CASE {_differ(_WWW)} THEN '"www."' END,
    CASE {_differ(_INDEX)} THEN 'the name of an index file'
        {_differ(_SLASH)} THEN 'the slash at its end' END,
    CASE WHEN spelled <> others THEN 'upper and lower case' END), ''),
    CASE WHEN contains(loc || other, '%') THEN 'what is percent-encoded' ELSE 'spelling' END)"""
"""SQL: description of the difference between ``loc`` and ``other``, which are near duplicates."""

# Short ids, such as those of videos, may differ only in case; words are usually lower case.
IS_SAME_PAGE = """(spelled = others OR (split_part(spelled, '?', 2) = split_part(others, '?', 2)
    AND (split_part(spelled, '?', 1) = lower(split_part(spelled, '?', 1))
        OR split_part(others, '?', 1) = lower(split_part(others, '?', 1)))))"""
"""SQL condition: ``loc`` and ``other``, which share a ``duplicate_key``, are probably one page.

This and :data:`DIFFERENCE` use ``spelled`` of the view ``duplicates``, and that of ``other`` as
``others``.
"""

_CONSOLIDATE = (
    "https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls"
)

RULES = (
    rule(
        "U023 duplicate-loc warning",
        message="URL listed {n:,} times, first in line {first}",
        requires_rows="duplicates",
        sql=f"SELECT * FROM ({_REPEATED}) WHERE what = ''",
        element="loc",
        why="The second entry adds nothing, and counts towards the limit of 50,000.",
        fix_hint="List each URL once",
        source="https://www.sitemaps.org/protocol.html#urldef",
        bad=entry("https://example.com/about") * 2,
        good=entry("https://example.com/about") + entry("https://example.com/contact"),
        fix_safety="unsafe",
    ),
    rule(
        "U024 duplicate-loc-conflict warning",
        message="URL listed {n:,} times, with different {what}; first in line {first}",
        requires_rows="duplicates",
        sql=f"SELECT * FROM ({_REPEATED}) WHERE what <> ''",
        element="loc",
        why="Readers use different entries: the first, the last or none.",
        fix_hint="List each URL once, with the correct values",
        source="https://www.sitemaps.org/protocol.html#urldef",
        bad=entry("https://example.com/about")
        + entry("https://example.com/about", lastmod="2026-11-12T10:00:00Z"),
        good=entry("https://example.com/about") + entry("https://example.com/contact"),
        fix_safety="unsafe",
    ),
    rule(
        "U025 near-duplicate-loc info",
        message="Differs from {other} only by {what}",
        # U012 reports fragments.
        requires_rows="duplicates",
        sql=f"""
            SELECT *, {DIFFERENCE} AS what FROM (
                SELECT a.document, a.loc, spelled, first.loc AS other, first.spelled AS others,
                    min("offset") AS "offset", arg_min(line, "offset") AS line
                FROM duplicates a JOIN (
                    SELECT document, dup_key,
                        arg_min({{'loc': loc, 'spelled': spelled}}, "offset") AS first
                    FROM duplicates WHERE NOT contains(loc, '#')
                    GROUP BY document, dup_key HAVING min(loc) <> max(loc)
                ) USING (document, dup_key)
                WHERE a.loc <> first.loc AND NOT contains(a.loc, '#') GROUP BY ALL
            ) WHERE {IS_SAME_PAGE}""",
        element="loc",
        why="Search engines fetch both, although most servers return the same page.",
        fix_hint="Keep the one that the page declares as canonical",
        source=_CONSOLIDATE,
        bad=entry("https://example.com/a") + entry("https://example.com/a/"),
        good=entry("https://example.com/a") + entry("https://example.com/b"),
    ),
)
