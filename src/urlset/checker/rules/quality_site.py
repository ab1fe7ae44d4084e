"""Rules about the style of URLs and the number of files (group P)."""

from __future__ import annotations

from urlset.checker.examples import Many
from urlset.checker.rule import rule

__all__ = ["RULES"]

_PAGE = "<url><loc>https://example.com/{n}</loc><lastmod>2026-11-20T08:00:00Z</lastmod></url>"
_SHOP = _PAGE.replace("{n}", "shop/{n}")
_SLASH = _PAGE.replace("{n}", "shop/old-{n}/")


def _listed(count: int) -> str:
    return "\n".join(
        f"<sitemap><loc>https://example.com/sitemap-{number}.xml</loc>"
        f"<lastmod>2026-11-{number % 19 + 1:02}T08:00:00Z</lastmod></sitemap>"
        for number in range(1, count + 1)
    )


def _set(count: int) -> dict[str, str]:
    return {"index.xml": _listed(count)} | {
        f"sitemap-{number}.xml": _PAGE.replace("{n}", str(number)).replace(
            "2026-11-20", f"2026-11-{number % 19 + 1:02}"
        )
        for number in range(1, count + 1)
    }


RULES = (
    rule(
        "P006 inconsistent-url-style info",
        message="Mixed {style} ({a:,} like {first}, {b:,} like {second})",
        # Only pages in the same folder are compared. A cheap test first excludes documents that
        # do not mix styles.
        requires_rows="style_mixes",
        sql=r"""
            WITH sloped AS (FROM style_mixes WHERE least(slashes, n - slashes) >= n * 0.05),
            pages AS (
                SELECT document, loc, ends_with(loc, '/') AS is_slash,
                    left(bare, length(bare) - length(last)) AS folder
                FROM (SELECT document, loc, bare, split_part(bare, '/', -1) AS last
                    FROM (SELECT document, loc,
                            CASE WHEN ends_with(loc, '/') THEN rtrim(loc, '/') ELSE loc END AS bare
                        FROM entries SEMI JOIN sloped USING (document)
                        WHERE NOT contains(loc, '?') AND NOT contains(loc, '#')))
                WHERE NOT contains(last, '.')),
            folders AS (
                SELECT document, count_if(is_slash) AS a, count_if(NOT is_slash) AS b,
                    min(loc) FILTER (is_slash) AS first, min(loc) FILTER (NOT is_slash) AS second
                FROM pages WHERE NOT ends_with(folder, '://') GROUP BY document, folder
                HAVING least(a, b) >= (a + b) * 0.05),
            slashes AS (
                SELECT document, 'slashes at the end' AS style, sum(a)::UBIGINT AS a,
                    sum(b)::UBIGINT AS b, min(first) AS first, min(second) AS second
                FROM folders GROUP BY document HAVING sum(a + b) >= 20),
            tops AS (
                SELECT document, split_part(loc, '/', 4) AS top, count(*) AS n, min(loc) AS loc
                FROM entries SEMI JOIN (FROM style_mixes WHERE is_upper) USING (document)
                WHERE split_part(loc, '/', 5) <> '' GROUP BY document, top),
            cases AS (
                SELECT document, 'upper and lower case' AS style, max(n) AS a,
                    (sum(n) - max(n))::UBIGINT AS b, arg_max(loc, n) AS first,
                    arg_min(loc, n) AS second
                FROM tops WHERE top <> '' AND NOT contains(top, '%') AND NOT contains(top, '?')
                GROUP BY document, lower(top)
                HAVING count(*) > 1 AND sum(n) >= 20 AND sum(n) - max(n) >= sum(n) * 0.05)
            FROM slashes UNION ALL FROM cases""",
        why="If /a and /a/, or /Blog and /blog, show the same page, links and crawlers use both, "
        "and each is ranked separately.",
        fix_hint="Choose one style of URLs, redirect the other, and list only the chosen one",
        source="https://developers.google.com/search/docs/crawling-indexing/"
        "consolidate-duplicate-urls",
        bad=(Many(_SHOP, 18), Many(_SLASH, 2)),
        good=Many(_SHOP, 9),
    ),
    rule(
        "P501 fragmented-set info",
        message="{n:,} sitemaps hold {mean:,} URLs on average; 50,000 fit in each",
        sql="""
            SELECT coalesce(min(i.document), min(s.document)) AS document, count(*) AS n,
                round(avg(s.entry_count))::UBIGINT AS mean
            FROM readable s LEFT JOIN readable i ON i.source = s.parent AND i.kind = 'index'
            WHERE s.kind <> 'index' GROUP BY s.parent
            HAVING count(*) > 20 AND avg(s.entry_count) < 1000""",
        needs=("set",),
        why="Each file is a separate request, and each crawler fetches all of them repeatedly.",
        fix_hint="Combine many small sitemaps into a few large ones",
        source="https://www.sitemaps.org/protocol.html#index",
        bad=_set(21),
        good=_set(2),
        is_default=False,
    ),
)
