"""R: what a robots.txt says of sitemaps, and how it is written."""

from __future__ import annotations

from urlset.checker.examples import Many
from urlset.checker.rule import engine_rule, rule

__all__ = ["RULES"]

_PROTOCOL = "https://www.sitemaps.org/protocol.html#submit_robots"
_GOOGLE = "https://developers.google.com/search/docs/crawling-indexing/robots/robots_txt"
_PAGE = "<url><loc>https://example.com/</loc><lastmod>2026-11-20T08:00:00Z</lastmod></url>"
_SITEMAP = "Sitemap: https://example.com/sitemap.xml"
_GOOD = {"robots.txt": _SITEMAP, "sitemap.xml": _PAGE}

_IS_HTML = (
    r"regexp_matches(left(text, 2000), '(?is)^\s*<(!doctype html|html|head|body|!--.*<html)')"
)

RULES = (
    rule(
        "R001 robots-no-sitemap warning",
        message="robots.txt has no Sitemap line",
        # Where a line is there but wrong, that is told.
        requires_rows="declared",
        sql=f"""
            SELECT url AS source FROM robots
            WHERE state = 'read' AND len(sitemaps) = 0
                AND NOT coalesce({_IS_HTML}, false)
                AND url NOT IN (SELECT source FROM problems
                    WHERE document IS NULL AND source IS NOT NULL AND code IN ('R002', 'R003'))
                AND host_of(url) IN (SELECT host FROM readable WHERE host IS NOT NULL)""",
        needs=("robots",),
        why="robots.txt is where every engine looks for sitemaps by itself; without the line each "
        "of them has to be told.",
        fix_hint="Add a line with the whole URL, as Sitemap: https://example.com/sitemap.xml",
        source=_PROTOCOL,
        bad={"robots.txt": "User-agent: *\nDisallow: /cart/", "sitemap.xml": _PAGE},
        good=_GOOD,
        fix_safety="safe",
    ),
    engine_rule(
        "R002",
        why="A Sitemap line stands for any host, so that its URL must be whole; engines ignore a "
        "path alone.",
        fix_hint="Write the whole URL, with https:// and the host",
        source=_PROTOCOL,
        bad={"robots.txt": "Sitemap: /sitemap.xml", "sitemap.xml": _PAGE},
        good=_GOOD,
        needs=("robots",),
        fix_safety="safe",
    ),
    engine_rule(
        "R003",
        why="Some engines guess what is meant; others skip the line, and with it the sitemap.",
        fix_hint="Write one line for each sitemap: Sitemap: and its URL, and nothing else",
        source=_GOOGLE,
        bad={"robots.txt": _SITEMAP.replace(":", "s:", 1), "sitemap.xml": _PAGE},
        good=_GOOD,
        needs=("robots",),
        fix_safety="safe",
    ),
    rule(
        "R004 robots-sitemap-duplicate info",
        message="{loc} is declared {n:,} times",
        requires_rows="declared",
        sql=r"""
            WITH lines AS (
                SELECT url AS source, unnest(texts) AS text, generate_subscripts(texts, 1) AS line
                FROM (SELECT url, string_split_regex(text, '\r\n|\r|\n') AS texts
                    FROM robots WHERE state = 'read' AND len(sitemaps) > 0)),
            values AS (
                SELECT source, line,
                    regexp_extract(text, '(?i)^\s*sitemap\s*:\s*(https?://[^\s#]+)', 1) AS loc
                FROM lines WHERE contains(lower(text), 'sitemap'))
            SELECT source, line, loc, n FROM (
                SELECT *, count(*) OVER same AS n,
                    row_number() OVER (PARTITION BY source, loc ORDER BY line) AS place
                FROM values WHERE loc <> '' WINDOW same AS (PARTITION BY source, loc))
            WHERE place = 2""",
        needs=("robots",),
        why="A Sitemap line holds for all crawlers, wherever it stands: it need not be repeated in "
        "each group.",
        fix_hint="Keep one line for each sitemap",
        source=_PROTOCOL,
        bad={"robots.txt": f"{_SITEMAP}\n{_SITEMAP}", "sitemap.xml": _PAGE},
        good=_GOOD,
        fix_safety="unsafe",
    ),
    rule(
        "R005 robots-sitemap-variant warning",
        message="Declared as {declared}; the site is {site}",
        requires_rows="declared",
        sql="""
            SELECT source, line, loc, origin_of(loc) AS declared, site FROM (
                SELECT r.url AS source, unnest(r.sitemaps).line AS line,
                    unnest(r.sitemaps).url AS loc,
                    origin_of(coalesce(r.final_url, r.url)) AS site
                FROM robots r WHERE r.state = 'read')
            WHERE origin_of(loc) <> site AND regexp_replace(host_of(loc), '^www\\.', '')
                = regexp_replace(host_of(site), '^www\\.', '')
                AND port_of(origin_of(loc)) = port_of(site)""",
        needs=("robots",),
        why="Each scheme and each host is a site of its own. What leads through a redirect is "
        "fetched later, and its place no longer fits the URLs in it.",
        fix_hint="Declare the sitemap with the scheme and the host of the site",
        source=_GOOGLE,
        bad={
            "robots.txt": _SITEMAP.replace("https:", "http:"),
            "sitemap.xml": _PAGE,
        },
        good=_GOOD,
    ),
    engine_rule(
        "R006",
        why="Google reads the first 500 KiB and ignores the rest; what is declared there is not "
        "seen.",
        fix_hint="Shorten it: one pattern for many paths; and put Sitemap lines first",
        source=_GOOGLE,
        bad={
            "robots.txt": (_SITEMAP, Many("# a comment that is the same in each line", 12_500)),
            "sitemap.xml": _PAGE,
        },
        good=_GOOD,
        needs=("robots",),
    ),
    engine_rule(
        "R007",
        why="A robots.txt is UTF-8. What is not may hide the first line, or all of them.",
        fix_hint="Save it as UTF-8 without a byte order mark",
        source="https://www.rfc-editor.org/rfc/rfc9309#section-2.3",
        bad={"robots.txt": b"\xef\xbb\xbf" + _SITEMAP.encode(), "sitemap.xml": _PAGE},
        good=_GOOD,
        needs=("robots",),
        fix_safety="safe",
    ),
    rule(
        "R008 robots-is-html warning",
        message="robots.txt is a page of HTML",
        requires_rows="declared",
        sql=f"""
            SELECT url AS source FROM robots WHERE state = 'read' AND {_IS_HTML}""",
        needs=("robots",),
        why="A server that gives its start page for every URL has no robots.txt: nothing is "
        "forbidden and no sitemap is declared.",
        fix_hint="Publish a text file there, or answer with 404",
        source=_GOOGLE,
        bad={
            "robots.txt": "<!DOCTYPE html>\n<html><title>Example</title></html>",
            "sitemap.xml": _PAGE,
        },
        good=_GOOD,
    ),
)
