"""Rules about news articles (codes G…)."""

from __future__ import annotations

from urlset.checker.rule import engine_rule, rule

__all__ = ["RULES"]

_SOURCE = "https://developers.google.com/search/docs/crawling-indexing/sitemaps/news-sitemap"


def _article(
    date: str = "2026-11-20T08:00:00Z",
    *,
    name: str = "The Rye",
    language: str = "en",
    title: str = "<news:title>Harvest</news:title>",
    path: str = "a",
    more: str = "",
) -> str:
    return (
        f"<url><loc>https://example.com/{path}</loc><lastmod>2026-11-20T08:00:00Z</lastmod>\n"
        "  <news:news>\n"
        f"    <news:publication><news:name>{name}</news:name>"
        f"<news:language>{language}</news:language></news:publication>\n"
        f"    <news:publication_date>{date}</news:publication_date>{title}{more}\n"
        "  </news:news></url>"
    )


_REQUIRED = ("name", "language", "publication_date", "title")
_DEAD = ("access", "genres", "keywords", "stock_tickers")

_BEGIN = "earliest(w3c_instant(news.publication_date), news.publication_date)"
_END = "latest(w3c_instant(news.publication_date), news.publication_date)"

RULES = (
    rule(
        "G050 news-missing-required error",
        message="news:news without {missing}",
        view="articles",
        where=" OR ".join(f"news.{name} IS NULL" for name in _REQUIRED),
        values={
            "missing": "concat_ws(', ', {})".format(
                ", ".join(f"CASE WHEN news.{n} IS NULL THEN 'news:{n}' END" for n in _REQUIRED)
            )
        },
        element="news:news",
        why="Google requires the publication, its language, the date and the title of an article, "
        "and otherwise ignores the article.",
        fix_hint="Add publication name and language, date and title to each article",
        source=_SOURCE,
        bad=_article(title=""),
        good=_article(),
    ),
    rule(
        "G051 news-language error",
        message='news:language "{v}" is not a language of ISO 639, nor zh-cn or zh-tw',
        view="articles",
        where="CASE WHEN news.language IS NULL OR news.language IN ('en', 'zh-cn', 'zh-tw') "
        "THEN false WHEN length(news.language) = 2 THEN NOT is_language(news.language) "
        "ELSE NOT regexp_full_match(news.language, '[a-z]{3}') END",
        values={"v": "preview(news.language)"},
        element="news:language",
        why="The language of a publication has two or three lower-case letters, without a country. "
        "Only zh-cn and zh-tw have one.",
        fix_hint="Write the code of the language alone: en for en-US",
        source=_SOURCE,
        bad=_article(language="en-US"),
        good=_article(),
        fix_safety="safe",
    ),
    rule(
        "G052 news-date error",
        message='news:publication_date "{v}" {fault}',
        view="articles",
        where="w3c_fault(news.publication_date) IS NOT NULL",
        values={
            "v": "preview(news.publication_date)",
            "fault": "w3c_fault(news.publication_date)",
        },
        element="news:publication_date",
        why="Without a valid date, search engines cannot tell whether the article is news.",
        fix_hint="Write the day, or the day with time and zone, as in 2026-11-20T08:00:00+01:00",
        source=_SOURCE,
        bad=_article("2026-11-20T08:00:00"),
        good=_article("2026-11-20T08:00:00+01:00"),
        fix_safety="unsafe",
    ),
    rule(
        "G053 news-too-old warning",
        message="Article is {n:,} hours old; the limit is 48 hours",
        view="articles",
        where=f"{_END} < check_time() - INTERVAL 48 HOURS",
        values={"n": "date_diff('hour', w3c_instant(news.publication_date), check_time())"},
        element="news:publication_date",
        why="A news sitemap is for articles of the last two days. Older ones stay in search and do "
        "not need a news:news.",
        fix_hint="Remove the news:news, or the entry, of articles older than two days",
        source=_SOURCE,
        bad=_article("2026-11-18T08:00:00Z"),
        good=_article("2026-11-20T08:00:00Z"),
        needs=("time",),
        fix_safety="opt-in",
    ),
    rule(
        "G054 news-future warning",
        message='news:publication_date "{v}" is in the future',
        view="articles",
        where=f"{_BEGIN} > check_time() + INTERVAL 1 HOUR",
        values={"v": "preview(news.publication_date)"},
        element="news:publication_date",
        why="This is the time of first publication. A time in the future usually has the wrong "
        "time zone.",
        fix_hint="Write the time of publication with the correct offset from UTC",
        source=_SOURCE,
        bad=_article("2026-11-21T14:00:00Z"),
        good=_article("2026-11-21T12:00:00Z"),
        needs=("time",),
    ),
    engine_rule(
        "G055",
        why="A page is one article. If there are several articles or values, the first one is "
        "read.",
        fix_hint="Keep one news:news in each url, and each of its elements once",
        source=_SOURCE,
        bad=_article(more="<news:title>Sowing</news:title>"),
        good=_article(),
        fix_safety="unsafe",
    ),
    rule(
        "G056 news-name info",
        message='news:name "{v}" {reason}',
        requires_rows="articles",
        sql=r"""
            SELECT document, "offset", line, loc, preview(news.name) AS v,
                'has words in parentheses' AS reason
            FROM articles WHERE regexp_matches(news.name, '\([^)]*\)')
            UNION ALL
            SELECT document, first.*, preview(name) AS v,
                'is also written "' || preview(usual) || '"'
            FROM (
                SELECT document, name, first, first_value(name) OVER same AS usual
                FROM (
                    SELECT document, news.language AS language, news.name AS name, count(*) AS n,
                        arg_min({"offset": "offset", line: line, loc: loc}, "offset") AS first
                    FROM articles WHERE news.name IS NOT NULL GROUP BY ALL)
                WINDOW same AS (PARTITION BY document, language, lower(
                    regexp_replace(name, '[\s\pP]|(?i:^the )', '', 'g')) ORDER BY n DESC, name)
            ) WHERE name <> usual""",
        element="news:name",
        why="The name must be exactly the one on news.google.com, without any text in parentheses.",
        fix_hint="Use one spelling of the name, without parentheses",
        source=_SOURCE,
        bad=_article(name="The Rye (subscription)"),
        good=_article(),
        fix_safety="unsafe",
    ),
    rule(
        "G057 news-removed-tag info",
        message="{tags}: no longer used by search engines",
        view="articles",
        where=" OR ".join(f"news.{name} IS NOT NULL" for name in _DEAD),
        values={
            "tags": "concat_ws(', ', {})".format(
                ", ".join(f"CASE WHEN news.{n} IS NOT NULL THEN 'news:{n}' END" for n in _DEAD)
            )
        },
        element="news:news",
        why="Google's documentation of news sitemaps has only name, language, date and title.",
        fix_hint="Remove it, unless other readers use it",
        source=_SOURCE,
        bad=_article(more="<news:keywords>rye</news:keywords>"),
        good=_article(),
        fix_safety="opt-in",
    ),
)
