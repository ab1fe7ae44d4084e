"""Rules about limits: of the protocol, of Google, of a single search engine (codes L…)."""

from __future__ import annotations

from functools import partial

from urlset.checker.examples import PAGE, Many, index_of
from urlset.checker.rule import engine_rule, rule
from urlset.protocol import SITEMAP_NS

_PROTOCOL = "https://www.sitemaps.org/protocol.html#index"
_PAGE = "<url><loc>https://example.com/{n}</loc><lastmod>2026-11-20T08:00:00Z</lastmod></url>"
_CHILD = index_of("sitemap.xml")
_IMAGE = "<image:image><image:loc>https://example.com/{n}.jpg</image:loc></image:image>"
_ARTICLE = """<url>
<loc>https://example.com/{n}</loc>
<lastmod>2026-11-21T08:00:00Z</lastmod>
<news:news>
<news:publication>
<news:name>Example</news:name><news:language>en</news:language>
</news:publication>
<news:publication_date>2026-11-21T08:00:00Z</news:publication_date>
<news:title>Article {n}</news:title>
</news:news>
</url>"""
_PADDING = Many(
    "what a generator wrote for itself, of each of its " + "many " * 10 + "steps", 520_000
)

_ITEMS = "greatest(entry_count, sitemap_count)"
_MANY = f"{_ITEMS} BETWEEN 45001 AND 50000"

_engine_rule = partial(engine_rule, source=_PROTOCOL)

RULES = (
    _engine_rule(
        "L001",
        why="Google rejects a whole sitemap with more than 50,000 URLs. Other search engines stop "
        "reading there.",
        fix_hint="Split it into several sitemaps, and list them in an index",
        bad=Many(_PAGE, 50_001),
        good=Many(_PAGE, 9),
    ),
    _engine_rule(
        "L002",
        why="Search engines reject a sitemap over 50 MiB, or cut it off. The size is measured "
        "before compression.",
        fix_hint="Split it into several sitemaps, and list them in an index",
        bad=(PAGE, "<!--", _PADDING, "-->"),
        good=(PAGE, "<!-- written by hand -->"),
    ),
    _engine_rule(
        "L004",
        why="An index lists at most 50,000 sitemaps. Search engines do not read further ones.",
        fix_hint="Write several indexes, and declare each in robots.txt",
        bad={"sitemap-index.xml": Many(_CHILD, 50_001), "sitemap.xml": PAGE},
        good={"sitemap-index.xml": _CHILD, "sitemap.xml": PAGE},
    ),
    _engine_rule(
        "L005",
        why="An index has the same limit as a sitemap: 50 MiB before compression.",
        fix_hint="Write several indexes, and declare each in robots.txt",
        bad={"sitemap-index.xml": (_CHILD, "<!--", _PADDING, "-->"), "sitemap.xml": PAGE},
        good={"sitemap-index.xml": (_CHILD, "<!-- short -->"), "sitemap.xml": PAGE},
    ),
    _engine_rule(
        "L006",
        why="Google reads 1,000 images of a page and ignores the rest.",
        fix_hint="List the most important images, at most 1,000",
        source="https://developers.google.com/search/docs/crawling-indexing/sitemaps/image-sitemaps",
        bad=(PAGE.removesuffix("</url>"), Many(_IMAGE, 1_001), "</url>"),
        good=(PAGE.removesuffix("</url>"), Many(_IMAGE, 2), "</url>"),
    ),
    _engine_rule(
        "L007",
        why="A news sitemap may have at most 1,000 articles. Google reports more as an error.",
        fix_hint="Split it, and exclude articles that are older than two days",
        source="https://developers.google.com/search/docs/crawling-indexing/sitemaps/news-sitemap",
        bad=Many(_ARTICLE, 1_001),
        good=Many(_ARTICLE, 2),
    ),
    _engine_rule(
        "L009",
        why="A file that is far larger than a sitemap may be, or whose data or relative URLs "
        "expand to such a size, is damaged or an attack. Crawlers stop reading it, and so does "
        "this check.",
        fix_hint="Publish sitemaps of at most 50 MiB before compression, and compress them once",
        bad=(
            '<?xml version="1.0" encoding="UTF-8"?>',
            f'<urlset xmlns="{SITEMAP_NS}">',
            PAGE,
            "</urlset>",
            Many(" " * 255, 420_000),
        ),
        good=PAGE,
    ),
    rule(
        "L003 near-limit info",
        message="{share}% of the limit: {n:,} of {most:,} {unit}",
        requires_rows="large_documents",
        view="readable",
        # Generators that split fill each file: a listed or numbered file is full on purpose.
        where=f"""loc IS NULL
            AND NOT regexp_matches(coalesce(name, ''), '[0-9]\\.[a-z]+(\\.gz)?$')
            AND ({_MANY}
                OR size BETWEEN 47185921 AND 52428800)""",
        values={
            "unit": f"if({_MANY}, if(kind = 'index', 'sitemaps', 'URLs'), 'bytes')",
            "n": f"if({_MANY}, {_ITEMS}, size)",
            "most": f"if({_MANY}, 50000, 52428800)",
            "share": f"if({_MANY}, {_ITEMS} * 100 // 50000, size * 100 // 52428800)",
        },
        why="When a sitemap grows over its limit, search engines reject all of it at once.",
        fix_hint="Split it into several sitemaps with an index before it reaches the limit",
        source="https://www.sitemaps.org/protocol.html#index",
        bad=Many(_PAGE, 45_001),
        good=Many(_PAGE, 9),
    ),
    rule(
        "L008 engine-profile-limit warning",
        message="{subject} has {n:,} {unit}; {engine} accepts at most {most:,}",
        sql="""
            SELECT document, NULL::UBIGINT AS "offset", NULL::UINTEGER AS line,
                NULL::VARCHAR AS loc, 'File' AS subject, size AS n, 'bytes' AS unit,
                'Baidu' AS engine, 10485760 AS most
            FROM readable WHERE profile() = 'baidu' AND size > 10485760
            UNION ALL
            SELECT document, "offset", line, loc, 'URL', strlen(loc), 'bytes', 'Baidu', 256
            FROM urls WHERE profile() = 'baidu' AND strlen(loc) > 256
            UNION ALL
            SELECT document, "offset", line, loc, 'URL', length(loc), 'characters', 'Yandex', 1024
            FROM urls WHERE profile() = 'yandex' AND length(loc) > 1024
            UNION ALL
            SELECT document, "offset", line, loc, 'lastmod', strlen(lastmod_text), 'bytes',
                'Yandex', 100
            FROM urls WHERE profile() = 'yandex' AND strlen(lastmod_text) > 100""",
        element="loc",
        why="Some search engines have lower limits than the protocol, and drop longer values.",
        fix_hint="Follow the limits of the search engine: smaller files, shorter URLs",
        source="https://yandex.com/support/webmaster/error-dictionary/sitemap.html",
        bad=f"<url><loc>https://example.com/{'a-long-name/' * 21}</loc>"
        "<lastmod>2026-11-20T08:00:00Z</lastmod></url>",
        good="<url><loc>https://example.com/a-short-name</loc>"
        "<lastmod>2026-11-20T08:00:00Z</lastmod></url>",
        profiles=("baidu", "yandex"),
    ),
    rule(
        "L501 too-many-index-files warning",
        partition="all",
        message="One of {n:,} index files{of}; Search Console accepts 500 per site",
        requires_rows="many_indexes",
        sql="""
            SELECT min(document) AS document, count(*) AS n,
                coalesce(' of ' || host, '') AS of
            FROM readable WHERE kind = 'index' GROUP BY host HAVING count(*) > 500""",
        needs=("set",),
        why="Search Console accepts 500 index files per site. Further ones cannot be submitted.",
        fix_hint="List more sitemaps in each index, up to 50,000",
        source="https://developers.google.com/search/docs/crawling-indexing/sitemaps/large-sitemaps",
        bad={**{f"index-{n}.xml": _CHILD for n in range(1, 502)}, "sitemap.xml": PAGE},
        good={"sitemap-index.xml": _CHILD, "sitemap.xml": PAGE},
    ),
)
