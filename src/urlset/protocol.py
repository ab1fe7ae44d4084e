"""Constants of the Sitemaps protocol: limits, namespaces and change frequencies.

Sources: sitemaps.org (https://www.sitemaps.org/protocol.html) and Google Search Central
(https://developers.google.com/search/docs/crawling-indexing/sitemaps).
"""

from __future__ import annotations

import re
from enum import IntEnum

MAX_URLS = 50_000
"""Most entries in a sitemap (XML, text or feed), and sitemaps in an index (sitemaps.org)."""

MAX_BYTES = 52_428_800
"""Most bytes of a sitemap or index before compression: 50 MiB (sitemaps.org; 10 MB until 2016)."""

MAX_LOC = 2_048
"""A ``loc`` has fewer characters than this, after decoding (sitemaps.org)."""

MAX_IMAGES = 1_000
"""Most ``image:image`` in one ``url`` (Google, image sitemaps)."""

MAX_NEWS = 1_000
"""Most ``news:news`` in one file (Google, news sitemaps)."""

READ_LIMIT = 2 * MAX_BYTES
"""Default limit on the decompressed bytes of one document; the rest is cut off."""

# Limits against hostile documents; real sitemaps are far below them.
MAX_DEPTH = 64
MAX_ATTRIBUTES = 256
MAX_VALUE = 1_048_576
MAX_NAMESPACES = 32
MAX_URI = 256
MAX_NODES = 131_072
MAX_EXPANSION = 10_000
MAX_ENTITY_DEPTH = 16
MAX_DIAGNOSTICS = 10_000
MAX_NAMES = 4_096
PROLOG_LIMIT = 65_536

MAX_NESTING = 10
"""Levels of nested indexes that are followed; the protocol allows none, other tools follow ten."""

FIND_ROOT = re.compile(
    rb"<(?:[A-Za-z_\x80-\xff][-.\w\x80-\xff]*+:)?(?:urlset|sitemapindex|rss|feed|rdf)"
    rb"(?=[ \t\r\n/>])",
    re.IGNORECASE,
)
"""Start tag of the root of a sitemap, an index or a feed, in upper or lower case."""

CHANGEFREQS = ("always", "hourly", "daily", "weekly", "monthly", "yearly", "never")
"""The seven values of ``changefreq`` (sitemaps.org). Google and Bing ignore all of them."""


class Ns(IntEnum):
    """Namespaces of sitemaps. Note: rust/core/src/namespaces.rs has the same numbers."""

    OTHER = 0
    CORE = 1
    IMAGE = 2
    VIDEO = 3
    NEWS = 4
    XHTML = 5
    MOBILE = 6
    BAIDU = 7
    PAGEMAP = 8
    GEO = 9
    CODESEARCH = 10


SITEMAP_NS = "http://www.sitemaps.org/schemas/sitemap/0.9"

URIS = {
    Ns.CORE: SITEMAP_NS,
    Ns.IMAGE: "http://www.google.com/schemas/sitemap-image/1.1",
    Ns.VIDEO: "http://www.google.com/schemas/sitemap-video/1.1",
    Ns.NEWS: "http://www.google.com/schemas/sitemap-news/0.9",
    Ns.XHTML: "http://www.w3.org/1999/xhtml",
    Ns.MOBILE: "http://www.google.com/schemas/sitemap-mobile/1.0",
    Ns.BAIDU: "http://www.baidu.com/schemas/sitemap-mobile/1/",
    Ns.PAGEMAP: "http://www.google.com/schemas/sitemap-pagemap/1.0",
    Ns.GEO: "http://www.google.com/geo/schemas/sitemap/1.0",
    Ns.CODESEARCH: "http://www.google.com/codesearch/schemas/sitemap/1.0",
}
"""The correct URI of each namespace."""

PREFIXES = {
    "image": Ns.IMAGE,
    "video": Ns.VIDEO,
    "news": Ns.NEWS,
    "xhtml": Ns.XHTML,
    "mobile": Ns.MOBILE,
    "pagemap": Ns.PAGEMAP,
}
"""The usual prefixes, which are treated as declared if a document does not declare them."""

_G = "http://www.google.com/schemas"
_MISSPELT: dict[Ns, tuple[str, ...]] = {
    Ns.CORE: (
        "https://www.sitemaps.org/schemas/sitemap/0.9",
        "http://www.sitemaps.org/schemas/sitemap/0.9/",
        "https://www.sitemaps.org/schemas/sitemap/0.9/",
        "//www.sitemaps.org/schemas/sitemap/0.9",
        "http://sitemaps.org/schemas/sitemap/0.9",
        "https://sitemaps.org/schemas/sitemap/0.9",
        f"{_G}/sitemap/0.84", "https://www.google.com/schemas/sitemap/0.84",
        f"{_G}/sitemap/0.9", "https://www.google.com/schemas/sitemap/0.9",
        f"{_G}/sitemap/0.90", "https://www.google.com/schemas/sitemap/0.90",
        "http://www.sitemaps.org/schemas/sitemap/0.9/sitemap.xsd",
        "http://www.sitemaps.org/schemas/sitemap/0.9/siteindex.xsd",
    ),
    Ns.IMAGE: (
        "https://www.google.com/schemas/sitemap-image/1.1",
        f"{_G}/sitemap-image/1.1/", "https://www.google.com/schemas/sitemap-image/1.1/",
        # A Google blog post of 2010 printed this one.
        "http://www.sitemaps.org/schemas/sitemap-image/1.1",
    ),
    Ns.VIDEO: (
        "https://www.google.com/schemas/sitemap-video/1.1",
        f"{_G}/sitemap-video/1.1/", "https://www.google.com/schemas/sitemap-video/1.1/",
        "http://www.sitemaps.org/schemas/sitemap-video/1.1",
        f"{_G}/sitemap-video/1.0",
    ),
    Ns.NEWS: (
        "https://www.google.com/schemas/sitemap-news/0.9",
        f"{_G}/sitemap-news/0.9/", "https://www.google.com/schemas/sitemap-news/0.9/",
        "http://www.sitemaps.org/schemas/sitemap-news/0.9",
        f"{_G}/sitemap-news/0.84",
    ),
    Ns.XHTML: (
        "http://www.w3.org/1999/xhtml/", "https://www.w3.org/1999/xhtml",
        "https://www.w3.org/1999/xhtml/",
        "http://www.w3.org/TR/xhtml11/xhtml11_schema.html",
    ),
    Ns.MOBILE: ("https://www.google.com/schemas/sitemap-mobile/1.0",),
    Ns.BAIDU: ("http://www.baidu.com/schemas/sitemap-mobile/1",),
    Ns.PAGEMAP: ("https://www.google.com/schemas/sitemap-pagemap/1.0",),
}  # fmt: skip

NAMESPACES: dict[str, Ns] = {uri: ns for ns, uri in URIS.items()} | {
    uri: ns for ns, uris in _MISSPELT.items() for uri in uris
}
"""Namespaces by URI: the correct URIs, and known misspellings, which are reported."""

WELL_KNOWN_PATHS = """
/sitemap.xml /sitemap_index.xml /sitemap-index.xml /sitemap.xml.gz /wp-sitemap.xml /sitemap.txt
/sitemap/ /sitemap/sitemap.xml /sitemap/sitemap-index.xml /news-sitemap.xml /sitemap-news.xml
/sitemap_news.xml""".split()
"""Well-known paths of sitemaps: the union of those that other tools try and that CMSes use."""

MEDIA_TYPES = {
    ".xml": "application/xml",  # https://www.rfc-editor.org/rfc/rfc7303#section-9.1
    ".txt": "text/plain; charset=utf-8",  # sitemaps.org: "The text file must use UTF-8 encoding."
    ".css": "text/css; charset=utf-8",
    ".gz": "application/gzip",  # https://www.rfc-editor.org/rfc/rfc6713
}
"""Media types of published files, by suffix."""
