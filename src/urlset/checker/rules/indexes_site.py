"""Rules about indexes and the documents they list: nested, cyclic, missing, unlisted (group I)."""

from __future__ import annotations

from urlset.checker.rule import rule

__all__ = ["RULES"]

_PROTOCOL = "https://www.sitemaps.org/protocol.html#index"
_PAGE = "<url><loc>https://example.com/</loc><lastmod>2026-11-20T08:00:00Z</lastmod></url>"


def _listed(*names: str) -> str:
    return "\n".join(
        f"<sitemap><loc>https://example.com/{name}</loc>"
        "<lastmod>2026-11-20T08:00:00Z</lastmod></sitemap>"
        for name in names
    )


_GOOD = {"sitemap-index.xml": _listed("sitemap.xml"), "sitemap.xml": _PAGE}

RULES = (
    rule(
        "I501 nested-index error",
        message="{loc} is an index; an index may only list sitemaps",
        view="nested_indexes",
        where="child <> document AND way IS NULL",
        element="loc",
        needs=("set",),
        why="Google does not follow an index inside an index, so none of its sitemaps is read.",
        fix_hint="List the sitemaps of the inner index in the outer one, or declare both in "
        "robots.txt",
        source="https://support.google.com/webmasters/answer/7451001",
        bad={
            "sitemap-index.xml": _listed("blog-index.xml"),
            "blog-index.xml": _listed("blog.xml"),
            "blog.xml": _PAGE,
        },
        good=_GOOD,
        fix_safety="unsafe",
    ),
    rule(
        "I502 index-cycle error",
        message="Index cycle: {path}",
        # Of the edges of a circle, the one that closes it: it leads to what was read before. Where
        # URLs do not show that (a file without a URL, a redirect), the reader noticed it.
        requires_rows="listed",
        sql="""
            WITH shown AS (
                SELECT n.document, n."offset", n.line, n.loc,
                    string_agg(s.source, ' → ' ORDER BY n.place) || ' → ' ||
                        arg_min(s.source, n.place) AS path
                FROM (SELECT document, "offset", line, loc, unnest(way) AS step,
                        generate_subscripts(way, 1) AS place
                    FROM nested_indexes WHERE way IS NOT NULL AND child < document) n
                JOIN sources s ON s.document = n.step
                GROUP BY n.document, n."offset", n.line, n.loc)
            FROM shown UNION ALL
            SELECT f.document, f."offset", f.line, f.loc, s.source || ' → ' || f.loc
            FROM failed f JOIN sources s ON s.document = f.document
            WHERE f.failure = 'cycle' AND (f.document, f.loc) NOT IN (
                    SELECT (document, loc) FROM shown)
                AND CASE WHEN s.url IS NULL THEN s.depth > 0
                    ELSE normal_of(f.loc) <> normal_of(s.url) END""",
        element="loc",
        needs=("set",),
        why="A crawler that follows the indexes returns to an index that it has read. Search "
        "engines stop immediately.",
        fix_hint="Remove the entry that closes the cycle",
        source=_PROTOCOL,
        bad={
            "a-index.xml": _listed("b-index.xml"),
            "b-index.xml": _listed("a-index.xml", "sitemap.xml"),
            "sitemap.xml": _PAGE,
        },
        good=_GOOD,
        fix_safety="unsafe",
    ),
    rule(
        "I503 child-missing error",
        message="{loc} is listed but missing",
        view="failed",
        where="failure = 'missing'",
        element="loc",
        needs=("set",),
        why="Search engines request the file, find nothing and report an error in the index. The "
        "URLs of the sitemap are not found.",
        fix_hint="Publish the file, or remove its entry from the index",
        source=_PROTOCOL,
        bad={"sitemap-index.xml": _listed("sitemap.xml", "blog.xml"), "sitemap.xml": _PAGE},
        good=_GOOD,
        fix_safety="unsafe",
    ),
    rule(
        "I504 sitemap-not-referenced info",
        message="Not listed in an index{nor}",
        # A feed is found from the page that it belongs to; of a file and the same one as gzip,
        # one is listed.
        requires_rows="listed",
        sql=r"""
            WITH listing AS (SELECT DISTINCT host FROM readable WHERE kind = 'index'),
            known AS (SELECT normal_of(loc) AS address FROM listed
                UNION SELECT normal_of(loc) FROM declared),
            free AS (
                SELECT *, regexp_replace(source, '\.gz$', '') AS stem,
                    loc IS NOT NULL OR coalesce(normal_of(url), '')
                        IN (SELECT address FROM known) AS is_named
                FROM readable)
            SELECT document, if(host IN (SELECT host FROM known_robots),
                ', and robots.txt does not declare it', '') AS nor
            FROM free
            WHERE NOT is_named AND how IN ('folder', 'given') AND kind IN ('urlset', 'text')
                AND EXISTS (SELECT 1 FROM listing l WHERE l.host IS NOT DISTINCT FROM free.host)
                AND coalesce(stem, '') NOT IN (
                    SELECT stem FROM free WHERE is_named AND stem IS NOT NULL)""",
        needs=("set",),
        why="Search engines find a sitemap through robots.txt, through an index, or because it was "
        "submitted. They do not read one that nothing names.",
        fix_hint="List it in the index, or remove the file",
        source=_PROTOCOL,
        bad={
            "sitemap-index.xml": _listed("sitemap.xml"),
            "sitemap.xml": _PAGE,
            "old.xml": _PAGE.replace("com/", "com/old"),
        },
        good=_GOOD,
    ),
)
