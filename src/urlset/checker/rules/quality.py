"""Rules about content that is valid but not useful: values, URL style, many files (codes P…)."""

from __future__ import annotations

from urlset.checker.examples import PAGE, Many, index_of
from urlset.checker.rule import rule

_GOOGLE = "https://developers.google.com/search/docs/crawling-indexing/sitemaps/build-sitemap"
_TAGS = "https://www.sitemaps.org/protocol.html#xmlTagDefinitions"
_PAGE = "<url><loc>https://example.com/{n}</loc><lastmod>2026-11-20T08:00:00Z</lastmod></url>"


def _with(element: str, *, lastmod: str = "2026-11-20T08:00:00Z", loc: str = "{n}") -> str:
    return f"<url><loc>https://example.com/{loc}</loc><lastmod>{lastmod}</lastmod>{element}</url>"


_SHOP = _PAGE.replace("{n}", "shop/{n}")
_SLASH = _PAGE.replace("{n}", "shop/old-{n}/")


def _set(count: int) -> dict[str, str]:
    """Return an index and its sitemaps, each with one page and another date."""
    days = {number: f"2026-11-{number % 19 + 1:02}T08:00:00Z" for number in range(1, count + 1)}
    index = [index_of(f"sitemap-{number}.xml", lastmod=day) for number, day in days.items()]
    sitemaps = {
        f"sitemap-{number}.xml": _with("", lastmod=day, loc=str(number))
        for number, day in days.items()
    }
    return {"index.xml": "\n".join(index), **sitemaps}


RULES = (
    rule(
        "P001 ignored-hints info",
        message="{hints}: Google and Bing ignore {them}",
        # Baidu and Yandex read them.
        requires_rows="hinted_entries",
        sql="""
            SELECT document, if(changefreqs > 0 AND priorities > 0, 'both', 'it') AS them,
                concat_ws(' and ',
                    if(changefreqs > 0, format('{:,} changefreq', changefreqs), NULL),
                    if(priorities > 0, format('{:,} priority', priorities), NULL)) AS hints
            FROM totals
            WHERE changefreqs + priorities > 0
                AND coalesce(profile(), '') NOT IN ('yandex', 'baidu')""",
        why="Google and Bing ignore changefreq and priority. They make the file larger and must be "
        "maintained.",
        fix_hint="Remove both, and write a correct <lastmod>",
        source=_GOOGLE,
        bad=_with("<changefreq>daily</changefreq><priority>0.8</priority>", loc=""),
        good=PAGE,
    ),
    rule(
        "P002 constant-priority info",
        message="All {n:,} priorities are {value}",
        sql="""
            SELECT document, count(priority) AS n, min(priority) AS value
            FROM entries e SEMI JOIN readable s USING (document) GROUP BY document
            HAVING count(priority) >= 10 AND count(*) = count(priority)
                AND min(priority) = max(priority)""",
        why="A priority compares the pages of one site. If all are equal, it has no effect.",
        fix_hint="Remove it, or write it only for pages that differ",
        source=_TAGS,
        bad=Many(_with("<priority>0.8</priority>"), 10),
        good=Many(_PAGE, 9),
        is_default=False,
    ),
    rule(
        "P003 hint-contradiction info",
        message="changefreq is {changefreq}, but nothing has changed for {days:,} days",
        view="urls",
        # A year or a month alone is its first day; the page may have changed at its end.
        where="""changefreq IN ('always', 'hourly', 'daily') AND length(lastmod_text) >= 10
            AND lastmod < check_time() - INTERVAL 366 DAY""",
        values={"days": "date_diff('day', lastmod, check_time())"},
        element="changefreq",
        why="If a file announces daily changes and none happen for a year, crawlers stop trusting "
        "it.",
        fix_hint="Remove changefreq, or correct the date",
        source=_TAGS,
        bad=_with("<changefreq>daily</changefreq>", lastmod="2024-05-01T08:00:00Z", loc=""),
        good=PAGE,
        is_default=False,
    ),
    rule(
        "P004 not-compressed info",
        partition="all",
        message="{size:,} bytes are not compressed",
        requires_rows="large_documents",
        sql="""
            SELECT document, size FROM readable
            WHERE size > 1048576 AND layers = 0 AND NOT coalesce(wire_size < size, false)
                AND coalesce(source || '.gz', '') NOT IN (
                    SELECT source FROM sources WHERE source IS NOT NULL)""",
        why="gzip reduces a sitemap to a tenth of its size. Crawlers fetch it often, and all of "
        "them can decompress it.",
        fix_hint="Write it as .xml.gz, or enable compression on the server",
        source="https://www.sitemaps.org/faq.html#faq_sitemap_size",
        bad=Many(_PAGE, 12_500),
        good=Many(_PAGE, 9),
    ),
    rule(
        "P007 low-value-url info",
        message="URL looks like {kind}",
        sql=r"""
            SELECT document, "offset", line, loc, kind FROM (
                SELECT document, "offset", line, loc, CASE
                    WHEN regexp_matches(path, '(?i)/(cart|basket|checkout|wishlist)(/|$|\.)')
                        THEN 'a shopping cart'
                    WHEN regexp_matches(path,
                        '(?i)/(log-?in|log-?out|sign-?in|sign-?up|register|account|my-account)(/|$|\.)')
                        THEN 'a login'
                    WHEN regexp_matches(path,
                        '(?i)/(wp-admin|admin|administrator|wp-login)(/|$|\.)')
                        THEN 'the administration of the site'
                    WHEN regexp_matches(path, '(?i)/(feed|rss|atom)(/|$|\.xml$)') THEN 'a feed'
                    WHEN regexp_matches(path, '(?i)/page/[0-9]+/?$')
                        OR regexp_matches(query, '(?i)(^|&)(page|paged|p)=[0-9]+(&|$)')
                            AND path = '/' THEN 'one of the pages of a list'
                    WHEN regexp_matches(path, '(?i)/search(/|$|\.html$)')
                        OR regexp_matches(query, '(?i)(^|&)(s|q|query|search)=')
                        THEN 'the results of a search'
                    WHEN regexp_matches(path, '(?i)/genindex(/|$|\.html$)')
                        THEN 'an index of words'
                    WHEN regexp_matches(query,
                        '(?i)(^|&)(sort|order|orderby|sort_by|filter[^=&]*|view|replytocom)=')
                        THEN 'a list in another order, or filtered'
                    END AS kind
                FROM urls WHERE contains(loc, '?') OR regexp_matches(loc,
                    '(?i)/(cart|basket|checkout|wish|log|sign|regis|acc|my-acc|wp-|admin|feed|rss|atom|page|search|genindex)'))
            WHERE kind IS NOT NULL""",
        element="loc",
        why="Pages for a single visitor, and pages that repeat the content of others, are not "
        "useful for search engines. Each takes time from other pages.",
        fix_hint="List only pages that people may search for",
        source=_GOOGLE,
        bad=_PAGE.replace("{n}", "cart/"),
        good=_PAGE.replace("{n}", "carts-and-horses/"),
        is_default=False,
    ),
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
                    (sum(n) - max(n))::UBIGINT AS b, arg_max(loc, (n, loc)) AS first,
                    arg_min(loc, (n, loc)) AS second
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
        partition="all",
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
