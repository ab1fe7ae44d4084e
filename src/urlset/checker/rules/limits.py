"""L: more than a sitemap may hold, as the engine counts it."""

from __future__ import annotations

from urlset.checker.examples import Many
from urlset.checker.rule import of_engine
from urlset.protocol import SITEMAP_NS

__all__ = ["RULES"]

_PROTOCOL = "https://www.sitemaps.org/protocol.html#index"
_PAGE = "<url><loc>https://example.com/{n}</loc><lastmod>2026-11-20T08:00:00Z</lastmod></url>"
_ONE = _PAGE.replace("{n}", "")
_CHILD = (
    "<sitemap><loc>https://example.com/sitemap.xml</loc>"
    "<lastmod>2026-11-20T08:00:00Z</lastmod></sitemap>"
)
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

RULES = (
    of_engine(
        "L001",
        why="Google refuses a sitemap with more than 50,000 URLs as a whole; other engines stop "
        "reading there.",
        instead="Split it into several sitemaps, and list those in an index",
        source=_PROTOCOL,
        bad=Many(_PAGE, 50_001),
        good=Many(_PAGE, 9),
        fixing="safe",
    ),
    of_engine(
        "L002",
        why="A sitemap of more than 50 MiB is refused, or cut off in the middle; what counts are "
        "the bytes before compression.",
        instead="Split it into several sitemaps, and list those in an index",
        source=_PROTOCOL,
        bad=(_ONE, "<!--", _PADDING, "-->"),
        good=(_ONE, "<!-- written by hand -->"),
        fixing="safe",
    ),
    of_engine(
        "L004",
        why="An index lists at most 50,000 sitemaps; what comes after them is not read.",
        instead="Write several indexes, and declare each of them in robots.txt",
        source=_PROTOCOL,
        bad={"sitemap-index.xml": Many(_CHILD, 50_001), "sitemap.xml": _ONE},
        good={"sitemap-index.xml": _CHILD, "sitemap.xml": _ONE},
        fixing="safe",
    ),
    of_engine(
        "L005",
        why="An index has the same limit as a sitemap: 50 MiB before compression.",
        instead="Write several indexes, and declare each of them in robots.txt",
        source=_PROTOCOL,
        bad={
            "sitemap-index.xml": (_CHILD, "<!--", _PADDING, "-->"),
            "sitemap.xml": _ONE,
        },
        good={"sitemap-index.xml": (_CHILD, "<!-- short -->"), "sitemap.xml": _ONE},
        fixing="safe",
    ),
    of_engine(
        "L006",
        why="Google takes 1,000 images of a page; those after them are not seen.",
        instead="List the images that matter most, at most 1,000 of them",
        source="https://developers.google.com/search/docs/crawling-indexing/sitemaps/image-sitemaps",
        bad=(_ONE.removesuffix("</url>"), Many(_IMAGE, 1_001), "</url>"),
        good=(_ONE.removesuffix("</url>"), Many(_IMAGE, 2), "</url>"),
        fixing="unsafe",
    ),
    of_engine(
        "L007",
        why="A news sitemap holds at most 1,000 articles; Google reports more of them as an error.",
        instead="Split it, and leave out articles that are older than two days",
        source="https://developers.google.com/search/docs/crawling-indexing/sitemaps/news-sitemap",
        bad=Many(_ARTICLE, 1_001),
        good=Many(_ARTICLE, 2),
        fixing="safe",
    ),
    of_engine(
        "L009",
        why="A file that is, or unpacks to, far more than a sitemap may be is damaged or meant as "
        "an attack; crawlers stop reading it, and so does this check.",
        instead="Publish sitemaps of at most 50 MiB before compression; compress them once",
        source=_PROTOCOL,
        bad=(
            '<?xml version="1.0" encoding="UTF-8"?>',
            f'<urlset xmlns="{SITEMAP_NS}">',
            _ONE,
            "</urlset>",
            Many(" " * 255, 420_000),
        ),
        good=_ONE,
    ),
)
