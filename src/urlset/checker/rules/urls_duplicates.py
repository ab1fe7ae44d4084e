"""Rules about URLs that are listed more than once, in one sitemap or in several (codes U…)."""

from __future__ import annotations

from functools import partial

from urlset.checker.examples import entry
from urlset.checker.rule import rule

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
        concat_ws(', ', {_DIFFERENT}) AS fields
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
    CASE WHEN spelled <> other_spelled THEN 'upper and lower case' END), ''),
    CASE WHEN contains(loc || other, '%') THEN 'what is percent-encoded' ELSE 'spelling' END)"""
"""SQL: description of the difference between ``loc`` and ``other``, which are near duplicates."""

# Short ids, such as those of videos, may differ only in case; words are usually lower case.
IS_SAME_PAGE = """(spelled = other_spelled OR (
    split_part(spelled, '?', 2) = split_part(other_spelled, '?', 2)
    AND (split_part(spelled, '?', 1) = lower(split_part(spelled, '?', 1))
        OR split_part(other_spelled, '?', 1) = lower(split_part(other_spelled, '?', 1)))))"""
"""SQL condition: ``loc`` and ``other``, which share a ``duplicate_key``, are probably one page.

This and :data:`DIFFERENCE` use ``spelled`` of the view ``duplicates``, and that of ``other`` as
``other_spelled``.
"""

_CONSOLIDATE = (
    "https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls"
)

# A sitemap of news, videos or images repeats the URLs of others, and a feed the new ones. A
# compressed copy of a file, or a text copy, counts as the same file.
_FILED = """
    WITH files AS (
        SELECT document, coalesce(source, '') AS source,
            regexp_replace(coalesce(source, document::VARCHAR),
                '(?i)(\\.(xml|txt))?(\\.gz)?$', '') AS file, role
        FROM document_roles JOIN readable USING (document)),
    filed AS (SELECT a.*, role, file, source FROM duplicates a JOIN files USING (document))"""

_SHARED = f"""{_FILED},
    firsts AS (
        SELECT role, loc, count(DISTINCT file) AS n, arg_min({{'file': file, 'source': source,
            'kind': kind, 'lastmod': lastmod, 'lastmod_text': lastmod_text}},
            (kind = 'text', document, "offset")) AS first
        FROM filed GROUP BY role, loc HAVING min(file) <> max(file)),
    shared AS (
        SELECT f.document, f.loc, n, first.source AS other, first.lastmod AS other_lastmod,
            kind <> first.kind AS is_other_format,
            first.lastmod_text AS other_text, min(f."offset") AS "offset",
            arg_min({{'line': line, 'lastmod': lastmod, 'lastmod_text': lastmod_text}},
                f."offset") AS own
        FROM filed f JOIN firsts USING (role, loc) WHERE f.file <> first.file GROUP BY ALL)
    SELECT document, "offset", own.line AS line, loc, n, other, is_other_format,
        own.lastmod_text AS own_text, other_text,
        coalesce(CASE WHEN strlen(other_text) > 10 AND strlen(own.lastmod_text) > 10
            THEN own.lastmod <> other_lastmod
            WHEN strlen(other_text) <= 10 AND strlen(own.lastmod_text) <= 10
            THEN NOT starts_with(other_text, own.lastmod_text)
                AND NOT starts_with(own.lastmod_text, other_text)
            ELSE earliest(own.lastmod, own.lastmod_text) > latest(other_lastmod, other_text)
                OR earliest(other_lastmod, other_text) > latest(own.lastmod, own.lastmod_text)
            END, false) AS differs
    FROM shared"""

_ABOUT, _CONTACT = entry("https://example.com/about"), entry("https://example.com/contact")
_OLD_ABOUT = entry("https://example.com/about", lastmod="2026-11-12T10:00:00Z")
_OLD_CONTACT = entry("https://example.com/contact", lastmod="2026-11-12T10:00:00Z")

_rule = partial(rule, element="loc", requires_rows="duplicates")
_set_rule = partial(_rule, needs=("set",), partition="loc")

RULES = (
    _rule(
        "U023 duplicate-loc warning",
        heading="URLs that are listed more than once",
        message="URL listed {n:,} times, first in line {first}",
        sql=f"SELECT * FROM ({_REPEATED}) WHERE fields = ''",
        why="The second entry adds nothing, and counts towards the limit of 50,000.",
        fix_hint="List each URL once",
        source="https://www.sitemaps.org/protocol.html#urldef",
        bad=_ABOUT * 2,
        good=_ABOUT + _CONTACT,
    ),
    _rule(
        "U024 duplicate-loc-conflict warning",
        heading="URLs that are listed with different values",
        message="URL listed {n:,} times, with different {fields}; first in line {first}",
        sql=f"SELECT * FROM ({_REPEATED}) WHERE fields <> ''",
        why="Readers use different entries: the first, the last or none.",
        fix_hint="List each URL once, with the correct values",
        source="https://www.sitemaps.org/protocol.html#urldef",
        bad=_ABOUT + _OLD_ABOUT,
        good=_ABOUT + _CONTACT,
    ),
    _rule(
        "U025 near-duplicate-loc info",
        message="Differs from {other} only by {difference}",
        # U012 reports fragments.
        sql=f"""
            SELECT *, {DIFFERENCE} AS difference FROM (
                SELECT a.document, a.loc, spelled, first.loc AS other,
                    first.spelled AS other_spelled,
                    min("offset") AS "offset", arg_min(line, "offset") AS line
                FROM duplicates a JOIN (
                    SELECT document, dup_key,
                        arg_min({{'loc': loc, 'spelled': spelled}}, "offset") AS first
                    FROM duplicates WHERE NOT contains(loc, '#')
                    GROUP BY document, dup_key HAVING min(loc) <> max(loc)
                ) USING (document, dup_key)
                WHERE a.loc <> first.loc AND NOT contains(a.loc, '#') GROUP BY ALL
            ) WHERE {IS_SAME_PAGE}""",
        why="Search engines fetch both, although most servers return the same page.",
        fix_hint="Keep the one that the page declares as canonical",
        source=_CONSOLIDATE,
        bad=entry("https://example.com/a") + entry("https://example.com/a/"),
        good=entry("https://example.com/a") + entry("https://example.com/b"),
    ),
    _set_rule(
        "U501 duplicate-across-files warning",
        message="URL is in {n:,} sitemaps; the first is {other}",
        sql=f"SELECT * FROM ({_SHARED}) WHERE NOT differs",
        # The same URLs as text are another format of the same list.
        level_sql="CASE WHEN is_other_format THEN 'info' ELSE 'warning' END",
        why="A page belongs in one sitemap. If two list it, their values diverge over time, and "
        "counts per sitemap, as in Search Console, no longer add up.",
        fix_hint="Keep the URL in one of the sitemaps",
        source="https://www.sitemaps.org/protocol.html#index",
        bad={"a.xml": _ABOUT, "b.xml": _ABOUT},
        good={"a.xml": _ABOUT, "b.xml": _CONTACT},
    ),
    _set_rule(
        "U502 conflict-across-files warning",
        message="lastmod is {own_text} here and {other_text} in {other}",
        sql=f"SELECT * FROM ({_SHARED}) WHERE differs",
        element="lastmod",
        why="At most one of the two dates is correct. Search engines that find wrong dates ignore "
        "lastmod on the whole site.",
        fix_hint="Keep the URL in one of the sitemaps, with the date of its last change",
        source="https://developers.google.com/search/docs/crawling-indexing/sitemaps/build-sitemap",
        bad={"a.xml": _ABOUT, "b.xml": _OLD_ABOUT},
        good={"a.xml": _ABOUT, "b.xml": _OLD_CONTACT},
    ),
    _set_rule(
        "U503 variant-across-files info",
        message="Differs from {other}, in {other_source}, only by {difference}",
        sql=f"""
            SELECT *, {DIFFERENCE} AS difference FROM ({_FILED},
                firsts AS (
                    SELECT role, dup_key, arg_min({{'file': file, 'source': source, 'loc': loc,
                        'spelled': spelled}}, (document, "offset")) AS first
                    FROM filed WHERE NOT contains(loc, '#') GROUP BY role, dup_key
                    HAVING min(loc) <> max(loc) AND min(file) <> max(file))
                SELECT f.document, f.loc, spelled, first.loc AS other,
                    first.spelled AS other_spelled,
                    first.source AS other_source,
                    min(f."offset") AS "offset", arg_min(f.line, f."offset") AS line
                FROM filed f JOIN firsts USING (role, dup_key)
                WHERE f.file <> first.file AND f.loc <> first.loc AND NOT contains(f.loc, '#')
                GROUP BY ALL
            ) WHERE {IS_SAME_PAGE}""",
        why="Search engines fetch both, although most servers return the same page.",
        fix_hint="Keep the one that the page declares as canonical, in one of the sitemaps",
        source=_CONSOLIDATE,
        bad={"a.xml": _ABOUT, "b.xml": entry("https://example.com/about/")},
        good={"a.xml": _ABOUT, "b.xml": _CONTACT},
    ),
)
