"""What producers of sitemaps were seen to write, rebuilt by hand: limits, indexes, whole sites."""

import pytest

from tests.checker.producers import NOW, child, judged, page, pages, verdict
from urlset.checker.examples import whole

LANGUAGES = "ar bg cs da de el en es et fi fr he hr hu it ja ko lt lv nb nl pl pt ro ru sk sl sv tr"
CHANGED = [f"2026-11-{n + 10}T08:00:00Z" for n in range(5)]
CHILDREN = {f"sitemap-{n}.xml": page(f"p{n}", changed) for n, changed in enumerate(CHANGED)}
ROBOTS = "User-agent: *\nDisallow:\n"


def in_all_languages():
    """Each page in 29 languages, with links to all 29: few URLs, many bytes."""
    entries = []
    for topic in range(33):
        part = f"{topic}/{'a' * 1_850}"
        urls = {code: f"https://example.com/{code}/{part}" for code in LANGUAGES.split()}
        links = "".join(
            f'<xhtml:link rel="alternate" hreflang="{code}" href="{url}"/>'
            for code, url in urls.items()
        )
        day = f"2026-10-{topic % 31 + 1:02}T08:00:00Z"
        entries += [page(url, day, links) for url in urls.values()]
    return "".join(entries)


def index_of(children, lastmod):
    return {"sitemap.xml": "".join(child(name, lastmod) for name in children), **children}


def of_one_section():
    """The pages of a section differ in a parameter."""
    names = ["sitemap-news.xml", *(f"sitemap-news.xml?p={n}" for n in range(2, 6))]
    return dict(zip(names, CHILDREN.values(), strict=True))


LIMITS = {
    "Django: two sections in one view": (pages(50_002), "L001"),
    "datasette-sitemap: ends silently at 50,000": (pages(50_000), "L003"),
    "sitemap.js: splits by count, not by bytes": (in_all_languages(), "L002"),
    "xml_sitemap_writer: splits by count, not by bytes": (
        pages(15_000, more=f"<!-- {'as long as an entry with extensions ' * 100} -->"),
        "L002",
    ),
}

INDEXES = {
    **{
        f"{producer}: no dates in the index": (index_of(CHILDREN, None), "D503")
        for producer in ("sitemap.js", "Flask-Sitemap", "next-sitemap", "xml_sitemap_writer")
    },
    "laravel-sitemap: now, for each file": (index_of(CHILDREN, NOW), "D502"),
    "sitemap_generator: the time of writing, for each file": (index_of(CHILDREN, NOW), "D502"),
    "streaming-sitemaps: the time of the upload, for each file": (index_of(CHILDREN, NOW), "D502"),
    "Django: the newest of a section, for each page of it": (
        index_of(of_one_section(), "2026-11-14T03:00:00-05:00"),
        "D502",
    ),
    "streaming-sitemaps: the index is not told of a change": (
        index_of({"sitemap-0.xml": page("a")}, "2026-11-01T08:00:00Z"),
        "D501",
    ),
    "@nuxtjs/sitemap: dates of chunks are kept by hand": (
        index_of({"sitemap-0.xml": page("a"), "sitemap-1.xml": page("b")}, "2026-11-15T08:00:00Z"),
        "D501",
    ),
    "Flask-Sitemap: http for the files": (
        {
            "sitemap.xml": child("sitemap1.xml").replace("https:", "http:"),
            "http://example.com/sitemap1.xml": page("http://example.com/a"),
        },
        "I001",
    ),
}

FILES = {
    "django-static-sitemaps: deleted before it is written": (
        {"sitemap.xml": child("a.xml") + child("b.xml"), "a.xml": page("a")},
        "I503",
    ),
    "gsitemap: all deleted before they are written": ({"sitemap.xml": child("a.xml")}, "I503"),
    "hugesitemap: a file of a larger site remains": (
        {"sitemap.xml": child("a.xml"), "a.xml": page("a"), "b.xml": page("b")},
        "I504",
    ),
    "Flask-Sitemap: a page that there is not": (
        {"sitemap1.xml": page("a"), "sitemap999.xml": whole("")},
        "S021",
    ),
    "xml_sitemap_writer: packed children, no dates": (
        index_of({"sitemap-001-pages.xml.gz": page("a"), "sitemap-002-x.xml.gz": page("e")}, None),
        "D503",
    ),
    "Google Sitemap Generator: a line without its word": (
        {"robots.txt": f"{ROBOTS}https://example.com/sitemap.xml\n", "sitemap.xml": page("a")},
        "R003",
    ),
    "sitemap_generator: no line in robots.txt": (
        {"robots.txt": ROBOTS, "sitemap.xml": page("a")},
        "R001",
    ),
}

CASES = LIMITS | INDEXES | FILES


@pytest.fixture(scope="module")
def found():
    return judged(CASES)


@pytest.mark.parametrize("name", CASES)
def test_producer(found, name):
    assert verdict(found[name], CASES[name][1]) == (set(), set())
