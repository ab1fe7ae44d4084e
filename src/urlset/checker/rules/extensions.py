"""Rules about extensions that search engines no longer read, and those of Baidu (codes G…)."""

from __future__ import annotations

from urlset.checker.rule import rule
from urlset.protocol import URIS, Ns

__all__ = ["RULES"]

_PAGE = "<url><loc>https://example.com/a</loc><lastmod>2026-11-20T08:00:00Z</lastmod>{}</url>"
_BAIDU = (
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"\n'
    f'  xmlns:mobile="{URIS[Ns.BAIDU]}">\n{_PAGE}\n</urlset>'
)

_DEAD = {
    Ns.MOBILE: "Mobile sitemaps, for feature phones, are no longer read by any search engine",
    Ns.GEO: "Geo sitemaps are no longer read by any search engine",
    Ns.CODESEARCH: "Code Search was shut down, so its sitemaps are no longer read",
    Ns.PAGEMAP: "PageMaps are read only by Programmable Search, not by Google Search",
}
_TABLE = ", ".join(f"('{URIS[ns]}', '{description}')" for ns, description in _DEAD.items())

# In `extra`, attribute values are escaped and in double quotes.
_TYPE = r"regexp_extract(extra, '<(?:[\w.-]+:)?mobile\b[^>]*\stype=\"([^\"]*)\"', 1)"

RULES = (
    rule(
        "G070 dead-extension info",
        message="{description}; entries with it in this file: {n:,}",
        # One finding for each file and extension, at the first entry that has it.
        requires_rows="extended",
        sql=f"""
            SELECT document, description, n, unnest(first) FROM (
                SELECT u.document, d.description, count(*) AS n, arg_min(
                    {{"offset": u."offset", line: u.line, loc: u.loc}}, u."offset") AS first
                FROM extended u JOIN (VALUES {_TABLE}) d(uri, description)
                    ON contains(u.extra, '"' || d.uri || '"')
                GROUP BY u.document, d.description)""",
        why="An extension that no search engine reads makes files larger and has no effect.",
        fix_hint="Remove the extension",
        source="https://developers.google.com/search/docs/crawling-indexing/sitemaps/"
        "combine-sitemap-extensions",
        bad=_PAGE.format("<mobile:mobile/>"),
        good=_PAGE.format(""),
        fix_safety="opt-in",
    ),
    rule(
        "G071 baidu-mobile-type warning",
        message='type "{v}" of mobile:mobile is none that Baidu knows',
        view="extended",
        where="CASE WHEN NOT contains(extra, "
        f"'\"{URIS[Ns.BAIDU]}\"') THEN false ELSE {_TYPE} NOT IN "
        "('', 'mobile', 'pc,mobile', 'htmladapt', 'autoadapt') END",
        values={"v": f"preview({_TYPE})"},
        element="mobile",
        why="Baidu uses the type to decide whether a page is for phones, for computers or for "
        "both. It ignores unknown types.",
        fix_hint="Write mobile, pc,mobile or htmladapt, or omit type",
        source="Baidu on mobile sitemaps, as webmasters quote it",
        bad=_BAIDU.format('<mobile:mobile type="phone"/>'),
        good=_BAIDU.format('<mobile:mobile type="pc,mobile"/>'),
    ),
)
