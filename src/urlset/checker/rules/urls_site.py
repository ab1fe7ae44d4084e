"""Rules about URLs that several sitemaps list (group U)."""

from __future__ import annotations

from urlset.checker.examples import entry
from urlset.checker.rule import rule
from urlset.checker.rules.urls_duplicates import DIFFERENCE, IS_SAME_PAGE

__all__ = ["RULES"]

# A sitemap of news, videos or images repeats the URLs of others, and a feed the new ones. A
# compressed copy of a file, or a text copy, counts as the same file.
_FILED = """
    WITH files AS (
        SELECT d.document, coalesce(d.source, '') AS source,
            regexp_replace(coalesce(d.source, d.document::VARCHAR),
                '(?i)(\\.(xml|txt))?(\\.gz)?$', '') AS file,
            CASE WHEN bool_and(e.news IS NOT NULL) THEN 'news'
                WHEN bool_and(len(e.videos) > 0) THEN 'videos'
                WHEN bool_and(len(e.images) > 0) AND contains(any_value(d.name), 'image')
                THEN 'images' ELSE 'pages' END AS role
        FROM readable d JOIN entries e ON e.document = d.document
        WHERE d.kind IN ('urlset', 'text') AND d.document IN (SELECT document FROM duplicates)
        GROUP BY d.document, d.source),
    filed AS (SELECT a.*, role, file, source FROM duplicates a JOIN files USING (document))"""

_SHARED = f"""{_FILED},
    firsts AS (
        SELECT role, loc, count(DISTINCT file) AS n, arg_min({{'file': file, 'source': source,
            'kind': kind, 'lastmod': lastmod, 'lastmod_text': lastmod_text}},
            (kind = 'text', document)) AS first
        FROM filed GROUP BY role, loc HAVING min(file) <> max(file)),
    shared AS (
        SELECT f.document, f.loc, n, first.source AS other, first.lastmod AS their,
            kind <> first.kind AS is_other_format,
            first.lastmod_text AS theirs, min(f."offset") AS "offset",
            arg_min({{'line': line, 'lastmod': lastmod, 'lastmod_text': lastmod_text}},
                f."offset") AS own
        FROM filed f JOIN firsts USING (role, loc) WHERE f.file <> first.file GROUP BY ALL)
    SELECT document, "offset", own.line AS line, loc, n, other, is_other_format,
        own.lastmod_text AS mine, theirs,
        coalesce(CASE WHEN strlen(theirs) > 10 AND strlen(own.lastmod_text) > 10
            THEN own.lastmod <> their WHEN strlen(theirs) <= 10 AND strlen(own.lastmod_text) <= 10
            THEN NOT starts_with(theirs, own.lastmod_text)
                AND NOT starts_with(own.lastmod_text, theirs)
            ELSE earliest(own.lastmod, own.lastmod_text) > latest(their, theirs)
                OR earliest(their, theirs) > latest(own.lastmod, own.lastmod_text)
            END, false) AS differs
    FROM shared"""

_CONSOLIDATE = (
    "https://developers.google.com/search/docs/crawling-indexing/consolidate-duplicate-urls"
)

RULES = (
    rule(
        "U501 duplicate-across-files warning",
        message="URL is in {n:,} sitemaps; the first is {other}",
        requires_rows="duplicates",
        sql=f"SELECT * FROM ({_SHARED}) WHERE NOT differs",
        # The same URLs as text are another format of the same list.
        level_sql="CASE WHEN is_other_format THEN 'info' ELSE 'warning' END",
        element="loc",
        why="A page belongs in one sitemap. If two list it, their values diverge over time, and "
        "counts per sitemap, as in Search Console, no longer add up.",
        fix_hint="Keep the URL in one of the sitemaps",
        source="https://www.sitemaps.org/protocol.html#index",
        bad={
            "a.xml": entry("https://example.com/about"),
            "b.xml": entry("https://example.com/about"),
        },
        good={
            "a.xml": entry("https://example.com/about"),
            "b.xml": entry("https://example.com/contact"),
        },
        needs=("set",),
        fix_safety="unsafe",
    ),
    rule(
        "U502 conflict-across-files warning",
        message="lastmod is {mine} here and {theirs} in {other}",
        requires_rows="duplicates",
        sql=f"SELECT * FROM ({_SHARED}) WHERE differs",
        element="lastmod",
        why="At most one of the two dates is correct. Search engines that find wrong dates ignore "
        "lastmod on the whole site.",
        fix_hint="Keep the URL in one of the sitemaps, with the date of its last change",
        source="https://developers.google.com/search/docs/crawling-indexing/sitemaps/build-sitemap",
        bad={
            "a.xml": entry("https://example.com/about"),
            "b.xml": entry("https://example.com/about", lastmod="2026-11-12T10:00:00Z"),
        },
        good={
            "a.xml": entry("https://example.com/about"),
            "b.xml": entry("https://example.com/contact", lastmod="2026-11-12T10:00:00Z"),
        },
        needs=("set",),
        fix_safety="unsafe",
    ),
    rule(
        "U503 variant-across-files info",
        message="Differs from {other}, in {there}, only by {what}",
        requires_rows="duplicates",
        sql=f"""
            SELECT *, {DIFFERENCE} AS what FROM ({_FILED},
                firsts AS (
                    SELECT role, dup_key, arg_min({{'file': file, 'source': source, 'loc': loc,
                        'spelled': spelled}}, (document, "offset")) AS first
                    FROM filed WHERE NOT contains(loc, '#') GROUP BY role, dup_key
                    HAVING min(loc) <> max(loc) AND min(file) <> max(file))
                SELECT f.document, f.loc, spelled, first.loc AS other, first.spelled AS others,
                    first.source AS there,
                    min(f."offset") AS "offset", arg_min(f.line, f."offset") AS line
                FROM filed f JOIN firsts USING (role, dup_key)
                WHERE f.file <> first.file AND f.loc <> first.loc AND NOT contains(f.loc, '#')
                GROUP BY ALL
            ) WHERE {IS_SAME_PAGE}""",
        element="loc",
        why="Search engines fetch both, although most servers return the same page.",
        fix_hint="Keep the one that the page declares as canonical, in one of the sitemaps",
        source=_CONSOLIDATE,
        bad={
            "a.xml": entry("https://example.com/about"),
            "b.xml": entry("https://example.com/about/"),
        },
        good={
            "a.xml": entry("https://example.com/about"),
            "b.xml": entry("https://example.com/contact"),
        },
        needs=("set",),
    ),
)
