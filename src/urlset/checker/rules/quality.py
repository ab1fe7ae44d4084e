"""Rules about valid content without benefit (group P)."""

from __future__ import annotations

from urlset.checker.examples import Many
from urlset.checker.rule import rule

__all__ = ["RULES"]

_GOOGLE = "https://developers.google.com/search/docs/crawling-indexing/sitemaps/build-sitemap"
_TAGS = "https://www.sitemaps.org/protocol.html#xmlTagDefinitions"
_PAGE = "<url><loc>https://example.com/{n}</loc><lastmod>2026-11-20T08:00:00Z</lastmod></url>"
_ONE = _PAGE.replace("{n}", "")


def _with(element: str, *, lastmod: str = "2026-11-20T08:00:00Z", loc: str = "{n}") -> str:
    return f"<url><loc>https://example.com/{loc}</loc><lastmod>{lastmod}</lastmod>{element}</url>"


RULES = (
    rule(
        "P001 ignored-hints info",
        message="{hints}: Google and Bing ignore {them}",
        # Baidu and Yandex read them.
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
        good=_ONE,
        fix_safety="opt-in",
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
        fix_safety="opt-in",
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
        good=_ONE,
        is_default=False,
    ),
    rule(
        "P004 not-compressed info",
        message="{size:,} bytes are not compressed",
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
)
