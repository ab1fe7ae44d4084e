"""Rules about the children that an index lists (group I)."""

from __future__ import annotations

from urlset.checker.rule import engine_rule, rule

__all__ = ["NOT_A_SITEMAP", "RULES"]

_PROTOCOL = "https://www.sitemaps.org/protocol.html#index"
_GOOGLE = "https://developers.google.com/search/docs/crawling-indexing/sitemaps/large-sitemaps"
_PAGE = "<url><loc>https://example.com/</loc><lastmod>2026-11-20T08:00:00Z</lastmod></url>"


def _listed(loc: str) -> str:
    return f"<sitemap><loc>https://{loc}</loc><lastmod>2026-11-20T08:00:00Z</lastmod></sitemap>"


_GOOD = {"sitemap-index.xml": _listed("example.com/sitemap.xml"), "sitemap.xml": _PAGE}

# By name only: a document that was read is judged by its content. Scripts may return a sitemap.
NOT_A_SITEMAP = r"""
    (path = '/robots.txt' OR (path = '/' AND NOT contains(loc, '?')) OR regexp_matches(path,
        '(?i)\.(x?html?|pdf|jpe?g|png|gif|webp|svg|css|js|json|zip|docx?|xlsx?|mp[34])$'))"""

_NOT_PROVEN = """
    (document, host) NOT IN (SELECT (document, host) FROM declaring_hosts)
    AND loc NOT IN (SELECT loc FROM declared)"""

RULES = (
    rule(
        "I001 index-child-cross-site error",
        message="{loc} is on another site than the index ({sitemap_origin})",
        view="listed",
        where=f"origin_of(loc) <> sitemap_origin AND {_NOT_PROVEN}",
        # As for a page (U030): if only the scheme differs, http usually redirects.
        level_sql="CASE WHEN 'http:' || substr(sitemap_origin, 7) = origin_of(loc) "
        "THEN 'warning' ELSE 'error' END",
        element="loc",
        needs=("place",),
        why="An index may only list sitemaps of its own site: the same scheme, host and port. "
        "Others are ignored, unless the robots.txt of their host declares them.",
        fix_hint="List the sitemap in an index on its own site, or declare it in the robots.txt of "
        "that site",
        source=_PROTOCOL,
        bad={
            "sitemap-index.xml": _listed("shop.example.com/sitemap.xml"),
            "https://shop.example.com/sitemap.xml": _PAGE.replace("//", "//shop.", 1),
        },
        good={
            "sitemap-index.xml": _listed("shop.example.com/sitemap.xml"),
            "https://shop.example.com/sitemap.xml": _PAGE.replace("//", "//shop.", 1),
            "robots.txt": "Sitemap: https://example.com/sitemap-index.xml",
            "https://shop.example.com/robots.txt": "Sitemap: https://shop.example.com/sitemap.xml",
        },
    ),
    rule(
        "I002 index-child-above warning",
        message="{loc} is not in or below {sitemap_folder}, the folder of the index",
        view="listed",
        where=f"""NOT starts_with(path, sitemap_folder) AND origin_of(loc) = sitemap_origin
            AND NOT starts_with(percent_decoded(remove_dot_segments(path)),
                percent_decoded(remove_dot_segments(sitemap_folder)))
            AND {_NOT_PROVEN}""",
        element="loc",
        needs=("place",),
        why="Google reads the sitemaps of an index from its own folder or below. Others are "
        "ignored, unless robots.txt declares the index.",
        fix_hint="Move the index to the root of the site, or declare it in robots.txt",
        source=_GOOGLE,
        bad={
            "maps/index.xml": _listed("example.com/sitemap.xml"),
            "sitemap.xml": _PAGE,
        },
        good=_GOOD,
    ),
    rule(
        "I003 index-self-reference error",
        message="The index lists itself: {loc}",
        view="listed",
        where="""normal_of(loc) = normal_of(sitemap) OR (sitemap IS NULL AND (loc, source) IN (
            SELECT (f.loc, f.parent) FROM failures f JOIN sources p ON p.source = f.parent
            WHERE f.failure = 'cycle' AND p.depth = 0))""",
        element="loc",
        why="An index lists sitemaps, not indexes. A crawler that follows this entry returns to "
        "the same index.",
        fix_hint="Remove the entry",
        source=_PROTOCOL,
        bad={
            "sitemap-index.xml": _listed("example.com/sitemap.xml")
            + "\n"
            + _listed("example.com/sitemap-index.xml"),
            "sitemap.xml": _PAGE,
        },
        good=_GOOD,
        needs=("set",),
        fix_safety="unsafe",
    ),
    rule(
        "I004 index-duplicate-child warning",
        message="{loc} is listed {n:,} times",
        requires_rows="listed",
        sql="""
            SELECT document, "offset", line, loc, n FROM (
                SELECT document, "offset", line, loc,
                    count(*) OVER (PARTITION BY document, normal_of(loc)) AS n,
                    row_number() OVER (
                        PARTITION BY document, normal_of(loc) ORDER BY number) AS place
                FROM listed)
            WHERE place = 2""",
        element="loc",
        why="Each entry names one file. If two entries have different dates, search engines may "
        "use either.",
        fix_hint="Keep one entry, with the date of the file's last change",
        source=_PROTOCOL,
        bad={
            "sitemap-index.xml": "\n".join([_listed("example.com/sitemap.xml")] * 2),
            "sitemap.xml": _PAGE,
        },
        good=_GOOD,
        fix_safety="unsafe",
    ),
    engine_rule(
        "I005",
        why="An index without sitemaps lists nothing. Usually the program that writes it failed.",
        fix_hint="List the sitemaps, or remove the index",
        source="https://www.sitemaps.org/schemas/sitemap/0.9/siteindex.xsd",
        bad='<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"></sitemapindex>',
        good=_GOOD,
    ),
    rule(
        "I006 index-child-not-sitemap info",
        message="{loc} does not look like a sitemap",
        view="listed",
        where=f"{NOT_A_SITEMAP} AND normal_of(loc) NOT IN (SELECT address FROM document_urls)",
        element="loc",
        why="An index lists sitemaps. Search engines report a page, an image or robots.txt in it "
        "as an error and do not read its URLs.",
        fix_hint="List pages in a sitemap, and the sitemap in the index",
        source=_PROTOCOL,
        bad={
            "sitemap-index.xml": _listed("example.com/sitemap.xml")
            + "\n"
            + _listed("example.com/about.html"),
            "sitemap.xml": _PAGE,
        },
        good=_GOOD,
    ),
)
