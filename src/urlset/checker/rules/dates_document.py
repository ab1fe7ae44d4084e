"""Rules about all lastmod dates of one document: identical, generated, missing (group D)."""

from __future__ import annotations

from urlset.checker.examples import Many, entry
from urlset.checker.rule import rule

__all__ = ["RULES"]

_BING = "https://blogs.bing.com/webmaster/february-2023/The-Importance-of-Setting-the-lastmod-Tag-in-Your-Sitemap"
_GOOGLE = "https://developers.google.com/search/docs/crawling-indexing/sitemaps/build-sitemap"
_DATED = "FROM lastmods WHERE kind <> 'index' AND lastmod IS NOT NULL"

_GENERATED = """
    WITH counted AS (
        SELECT l.document, moment, count(*) AS n, count(*) FILTER (
            has_time AND abs(epoch(lastmod) - moment.at) <= 300) AS hits
        FROM lastmods l JOIN generation_times g ON g.document = l.document
        WHERE lastmod IS NOT NULL GROUP BY ALL)
    SELECT document, n, (100 * hits) // n AS percent, moment.what AS what,
        strftime(to_timestamp(moment.at), '%Y-%m-%dT%H:%M:%SZ') AS moment
    FROM counted WHERE n >= 10 AND 100 * hits >= 95 * n
    QUALIFY row_number() OVER (PARTITION BY document ORDER BY hits DESC, what) = 1"""

# The narrowest interval with 95 % of the dates, in microseconds. The median is always in it, so the
# view clustered_dates excludes documents with fewer dates near the median.
_IDENTICAL = """
    WITH near AS (
        SELECT * REPLACE (list_sort(all_) AS all_) FROM clustered_dates),
    gaps AS (
        SELECT *, list_transform(list_zip(all_[:n - most + 1], all_[most:]),
            lambda pair: pair[2] - pair[1]) AS gaps FROM near),
    stretches AS (
        SELECT *, all_[list_position(gaps, list_min(gaps))] AS start FROM gaps
        WHERE list_min(gaps) <= 60000000)
    SELECT document, n, (100 * len(list_filter(all_, lambda t:
            t >= start AND t <= start + 60000000))) // n AS percent,
        CASE WHEN has_time THEN strftime(make_timestamp(start), '%Y-%m-%dT%H:%M:%SZ')
            ELSE strftime(make_timestamp(start), '%Y-%m-%d') END
            || CASE WHEN list_min(gaps) > 0 THEN ' (within a minute)' ELSE '' END AS value
    FROM stretches"""

_SPREAD = (
    Many(
        "<url><loc>https://example.com/{n}</loc><lastmod>2026-11-0{n}T08:00:00Z</lastmod></url>", 9
    ),
    Many(
        "<url><loc>https://example.com/a{n}</loc><lastmod>2026-10-0{n}T08:00:00Z</lastmod></url>", 9
    ),
)

RULES = (
    rule(
        "D009 lastmod-all-identical warning",
        message="{percent} % of {n:,} URLs share the lastmod {value}",
        requires_rows="clustered_dates",
        # D010 reports where the date comes from; one finding is enough.
        sql=f"SELECT * FROM ({_IDENTICAL}) WHERE document NOT IN "
        f"(SELECT document FROM ({_GENERATED}))",
        why="Pages rarely change all at once, so this is the date of a deployment or of the "
        "sitemap. Search engines that notice this ignore lastmod on the whole site.",
        fix_hint="Write the date of the last change of each page, or omit lastmod",
        source=_BING,
        bad=(Many(entry("https://example.com/{n}"), 10),),
        good=_SPREAD,
        fix_safety="unsafe",
    ),
    rule(
        "D010 lastmod-is-generation-time warning",
        message="{percent} % of {n:,} URLs have a lastmod within 5 minutes of {moment}, {what}",
        requires_rows="generation_times",
        sql=_GENERATED,
        why="This is the time at which the sitemap was generated, not the last change of the page. "
        "Search engines that notice this ignore lastmod on the whole site.",
        fix_hint="Write when each page itself was last changed, or leave lastmod out",
        source="https://www.sitemaps.org/protocol.html#lastmoddef",
        bad={
            "index.xml": "<sitemap><loc>https://example.com/pages.xml</loc>"
            "<lastmod>2026-11-20T08:01:00Z</lastmod></sitemap>",
            "pages.xml": (Many(entry("https://example.com/{n}"), 10),),
        },
        good={
            "index.xml": "<sitemap><loc>https://example.com/pages.xml</loc>"
            "<lastmod>2026-11-20T08:01:00Z</lastmod></sitemap>",
            "pages.xml": _SPREAD,
        },
        needs=("set",),
        fix_safety="unsafe",
    ),
    rule(
        "D011 lastmod-coverage info",
        message="{missing:,} of {total:,} URLs have no lastmod",
        sql="""
            SELECT t.document, t.n AS total, t.n - t.lastmods AS missing
            FROM totals t JOIN readable s ON s.document = t.document
            WHERE s.kind <> 'text' AND t.lastmods < t.n""",
        why="Search engines use lastmod to fetch changed pages first. Without it, they find a "
        "change only on their next regular visit.",
        fix_hint="Add the date of the last change to each URL",
        source=_BING,
        bad="<url><loc>https://example.com/</loc></url>",
        good=entry("https://example.com/"),
    ),
    rule(
        "D012 lastmod-date-only info",
        message="None of {n:,} lastmod values has a time",
        sql=f"SELECT document, count(*) AS n {_DATED} GROUP BY document "
        "HAVING NOT bool_or(has_time)",
        why="If a page changes more than once a day, a date alone hides the later changes. Bing "
        "asks for the time.",
        fix_hint="Add the time and its zone if they are known",
        source=_BING,
        bad=entry("https://example.com/", lastmod="2026-11-20"),
        good=entry("https://example.com/"),
        is_default=False,
    ),
)
