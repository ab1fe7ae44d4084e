"""U: URLs that one sitemap lists more than once, exactly or nearly."""

from __future__ import annotations

from urlset.checker.examples import entry
from urlset.checker.rule import rule

__all__ = ["DIFFERENCE", "IS_TWIN", "RULES"]

_SAID = ("lastmod", "changefreq", "priority", "images", "videos", "news", "alternates", "extra")
# A day agrees with one time in it.
_AGREES = """coalesce(count(lastmod) = count(*)
    AND count(DISTINCT lastmod) FILTER (strlen(lastmod_text) <= 10) = 1
    AND count(DISTINCT lastmod) FILTER (strlen(lastmod_text) > 10) = 1
    AND max(earliest(lastmod, lastmod_text)) <= min(latest(lastmod, lastmod_text)), false)"""
_DIFFERENT = ", ".join(
    f"CASE WHEN count(DISTINCT hash({name})) > 1 "
    f"{f'AND NOT {_AGREES} ' if name == 'lastmod' else ''}THEN '{name}' END"
    for name in _SAID
)
# Beware: hash(NULL) is a number like others, so that an absent value differs from a present one.
_REPEATED = f"""
    SELECT document, loc, count(*) AS n, min("offset", 2)[2] AS "offset",
        arg_min(line, "offset", 2)[2] AS line, min(line) AS first,
        concat_ws(', ', {_DIFFERENT}) AS what
    FROM alike GROUP BY document, loc HAVING count(*) > 1"""

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
"""By what ``loc`` and ``other``, which are twins, differ, in words."""

# Short ids, as of videos, differ by their case alone; words are rather written in lower case.
IS_TWIN = """(spelled = others OR (split_part(spelled, '?', 2) = split_part(others, '?', 2)
    AND (split_part(spelled, '?', 1) = lower(split_part(spelled, '?', 1))
        OR split_part(others, '?', 1) = lower(split_part(others, '?', 1)))))"""
"""Whether ``loc`` and ``other``, which have the same ``twin_of``, most likely are one page.

Both want ``spelled`` of the view ``alike``, and that of ``other`` as ``others``.
"""

_CONSOLIDATE = (
    "https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls"
)

RULES = (
    rule(
        "U023 duplicate-loc warning",
        says="URL listed {n:,} times, first in line {first}",
        given="alike",
        sql=f"SELECT * FROM ({_REPEATED}) WHERE what = ''",
        at="loc",
        why="The second entry adds nothing, and counts among the 50,000 all the same.",
        instead="List each URL once",
        source="https://www.sitemaps.org/protocol.html#urldef",
        bad=entry("https://example.com/about") * 2,
        good=entry("https://example.com/about") + entry("https://example.com/contact"),
        fixing="unsafe",
    ),
    rule(
        "U024 duplicate-loc-conflict warning",
        says="URL listed {n:,} times, with different {what}; first in line {first}",
        given="alike",
        sql=f"SELECT * FROM ({_REPEATED}) WHERE what <> ''",
        at="loc",
        why="Each reader takes another one of the entries for true: the first, the last or none.",
        instead="List each URL once, with what is true of it",
        source="https://www.sitemaps.org/protocol.html#urldef",
        bad=entry("https://example.com/about")
        + entry("https://example.com/about", lastmod="2026-11-12T10:00:00Z"),
        good=entry("https://example.com/about") + entry("https://example.com/contact"),
        fixing="unsafe",
    ),
    rule(
        "U025 near-duplicate-loc info",
        says="Differs from {other} only by {what}",
        # A fragment is told by U012.
        given="alike",
        sql=f"""
            SELECT *, {DIFFERENCE} AS what FROM (
                SELECT a.document, a.loc, spelled, first.loc AS other, first.spelled AS others,
                    min("offset") AS "offset", arg_min(line, "offset") AS line
                FROM alike a JOIN (
                    SELECT document, twin,
                        arg_min({{'loc': loc, 'spelled': spelled}}, "offset") AS first
                    FROM alike WHERE NOT contains(loc, '#')
                    GROUP BY document, twin HAVING min(loc) <> max(loc)
                ) USING (document, twin)
                WHERE a.loc <> first.loc AND NOT contains(a.loc, '#') GROUP BY ALL
            ) WHERE {IS_TWIN}""",
        at="loc",
        why="Each of the two is fetched, though most servers give the same page for both.",
        instead="Keep the one that the page itself names as canonical",
        source=_CONSOLIDATE,
        bad=entry("https://example.com/a") + entry("https://example.com/a/"),
        good=entry("https://example.com/a") + entry("https://example.com/b"),
    ),
)
