"""Rules about the lastmod dates of sitemaps in an index (group D)."""

from __future__ import annotations

from urlset.checker.examples import entry
from urlset.checker.rule import rule

__all__ = ["RULES"]

_INDEX = "https://www.sitemaps.org/protocol.html#sitemapIndexTagDefinitions"


def _child(name: str, lastmod: str) -> str:
    return f"<sitemap><loc>https://example.com/{name}.xml</loc><lastmod>{lastmod}</lastmod></sitemap>\n"


# The newest date within each sitemap that was read; D007 reports dates in the future.
_NEWEST = """
    WITH newest AS (
        SELECT document, max(since) AS newest, arg_max(lastmod_text, since) AS newest_text
        FROM (SELECT document, lastmod_text, earliest(lastmod, lastmod_text) AS since
            FROM entries WHERE lastmod <= check_time() + INTERVAL 24 HOUR)
        GROUP BY document),
    places AS (
        SELECT document, url AS loc FROM readable WHERE url IS NOT NULL
        UNION SELECT document, loc FROM readable WHERE loc IS NOT NULL),
    children AS (
        SELECT c.*, newest, newest_text FROM listed c JOIN places p ON p.loc = c.loc
        JOIN newest n ON n.document = p.document)"""

_DAYS = [f"2026-11-{day}T08:00:00Z" for day in range(11, 16)]

RULES = (
    rule(
        "D501 index-lastmod-stale warning",
        message="Index says {lastmod_text}, but the sitemap has an entry of {newest_text}",
        # Seconds may be cut off. Two days are compared as days: most sites have one time zone.
        requires_rows="listed",
        sql=f"""{_NEWEST}
            SELECT * FROM children
            WHERE newest + CASE WHEN contains(newest_text, ':') OR contains(lastmod_text, ':')
                THEN INTERVAL 0 HOUR ELSE INTERVAL 14 HOUR END
                > latest(lastmod, lastmod_text) + INTERVAL 1 MINUTE""",
        element="lastmod",
        why="Crawlers fetch a sitemap again if its lastmod in the index has changed. With this "
        "date, they do not notice the entry.",
        fix_hint="Write the date of the file's last change in the index",
        source=_INDEX,
        bad={
            "index.xml": _child("pages", "2026-11-12T08:00:00Z"),
            "pages.xml": entry("https://example.com/"),
        },
        good={
            "index.xml": _child("pages", "2026-11-20T08:00:00Z"),
            "pages.xml": entry("https://example.com/"),
        },
        needs=("set",),
        fix_safety="safe",
    ),
    rule(
        "D502 index-lastmod-constant info",
        message="All {n:,} sitemaps have the lastmod {lastmod_text}, though their entries differ",
        requires_rows="listed",
        sql=f"""{_NEWEST}
            SELECT document, count(*) AS n, min(lastmod_text) AS lastmod_text
            FROM listed WHERE document IN (
                SELECT document FROM children GROUP BY document
                HAVING count(DISTINCT newest) > 1)
            GROUP BY document HAVING count(*) >= 5 AND count(lastmod) = count(*)
                AND min(lastmod) = max(lastmod)""",
        why="This is the time at which the index was generated. Crawlers fetch all sitemaps again, "
        "or learn to ignore these dates.",
        fix_hint="Write the date of each file's last change in the index",
        source=_INDEX,
        bad={
            "index.xml": "".join(_child(f"s{n}", "2026-11-20T08:00:00Z") for n in range(5)),
            **{
                f"s{n}.xml": entry(f"https://example.com/{n}", lastmod=day)
                for n, day in enumerate(_DAYS)
            },
        },
        good={
            "index.xml": "".join(_child(f"s{n}", day) for n, day in enumerate(_DAYS)),
            **{
                f"s{n}.xml": entry(f"https://example.com/{n}", lastmod=day)
                for n, day in enumerate(_DAYS)
            },
        },
        needs=("set",),
        fix_safety="safe",
    ),
    rule(
        "D503 index-lastmod-missing info",
        message="{missing:,} of {total:,} sitemaps in the index have no lastmod",
        requires_rows="listed",
        sql="""
            SELECT document, count(*) AS total, count(*) FILTER (lastmod_text IS NULL) AS missing
            FROM listed GROUP BY document HAVING count(lastmod_text) < count(*)""",
        why="Crawlers that know which sitemaps changed do not have to fetch the others.",
        fix_hint="Write the date of each file's last change in the index",
        source=_INDEX,
        bad={
            "index.xml": "<sitemap><loc>https://example.com/pages.xml</loc></sitemap>",
            "pages.xml": entry("https://example.com/"),
        },
        good={
            "index.xml": _child("pages", "2026-11-20T08:00:00Z"),
            "pages.xml": entry("https://example.com/"),
        },
        needs=("set",),
        fix_safety="safe",
    ),
)
