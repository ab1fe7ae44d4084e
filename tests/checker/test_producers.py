"""What producers of sitemaps were seen to write, rebuilt by hand: each defect is found.

One document: its form, its values, its dates. Seen were Django 5.2, sphinx-sitemap 2.9,
pelican-sitemap 1.2, xml_sitemap_writer 0.7, Flask-Sitemap 0.4, fastapi-sitemap 1.0, MkDocs 1.6
and sitemap.js 9.0 themselves; the others are as their sources or their users say.
"""

import gzip

import pytest

from tests.checker.producers import MOMENT, NOW, child, judged, page, pages, verdict
from urlset.checker import check
from urlset.checker.examples import whole

FOUR = (
    ' xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"'
    ' xmlns:xhtml="http://www.w3.org/1999/xhtml"'
    ' xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"'
    ' xmlns:video="http://www.google.com/schemas/sitemap-video/1.1"'
)
INDEX = whole(child("sitemap-0.xml")).replace("urlset", "sitemapindex")
UNFINISHED = {
    "sitemap-index.xml": INDEX.removesuffix("\n</sitemapindex>"),
    "sitemap-0.xml": page("a"),
    "sitemap-1.xml": whole(page("c")).removesuffix("\n</urlset>"),
}


def link(language, path, attribute="href"):
    url = f"https://example.com/{path}"
    return f'<xhtml:link rel="alternate" hreflang="{language}" {attribute}="{url}"/>'


def video(tag, value):
    return page(
        "a",
        more="<video:video>"
        "<video:thumbnail_loc>https://example.com/t.jpg</video:thumbnail_loc>"
        "<video:title>T</video:title><video:description>D</video:description>"
        "<video:player_loc>https://example.com/player?v=1</video:player_loc>"
        f"<video:{tag}>{value}</video:{tag}></video:video>",
    )


FORM = {
    "pelican-sitemap: & is not escaped": (page("?x=1&y=2"), "X003"),
    "datasette-sitemap: & is not escaped": (page("-/r?_size=9&_next=1"), "X003"),
    "pysitemap: & is not escaped": (page("shop?id=1&lang=en"), "X003"),
    "next-sitemap: & is not escaped": (page("search?q=a&page=2"), "X003"),
    "pelican-sitemap: ref for href": (page("a", more=link("de", "a-de", "ref")), "H001"),
    "pelican-sitemap: & in ref": (page("a", more=link("de", "?x=1&y=2", "ref")), "H001 X003"),
    "sitemap.js: four namespaces, unused": (whole(page("a"), attributes=FOUR), "P005"),
    "sitemap.js: a cut file and an open index": (UNFINISHED, "X009"),
    "sitemap.js: an empty index": (
        {"sitemap-index.xml": b"", "sitemap-0.xml": page("a")},
        "X001",
    ),
    "sitemap_generator: half a file": (whole(page("a") + page("b"))[:190], "X009"),
    "laravel-sitemap: half a file": (whole(page("a"))[:150], "X009"),
    "python-sitemap: half a file": (whole(page("a") + page("b"))[:210], "X009"),
    "python-sitemap: emptied before the crawl": (b"", "X001"),
}

URLS = {
    "sitemap.js: a URL twice": (page("a") + page("a"), "U023"),
    "sitemap.js: a fragment": (page("b#top"), "U012"),
    "hugesitemap: a space": (page("a b.html"), "U006"),
    "hugesitemap: ? and # in the name of a file": (page("q?x#y.html"), "U012"),
    "python-sitemap: where a redirect led": (page("a") + page("https://www.example.org/a"), "U028"),
    "python-sitemap: a page that two led to": (page("a") + page("b") + page("a"), "U023"),
    "python-sitemap: files that are no pages": (page("a") + page("b.jpg") + page("c.css"), "U020"),
    "Google Sitemap Generator: escaped byte by byte": (page("caf&#195;&#169;"), "U008"),
    "sphinx-sitemap: no slash after the base": ({"p/sitemap.xml": page("pen/a.html")}, "U029"),
    "Flask-Sitemap: http": (page("http://example.com/a"), "U030"),
}

VALUES = {
    "sitemap.js: priority 7.0": (page("a", more="<priority>7.0</priority>"), "S020"),
    "sitemap.js: changefreq sometimes": (
        page("a", more="<changefreq>sometimes</changefreq>"),
        "S019",
    ),
    "sitemap.js: casino is no": (video("family_friendly", "casino"), "G029"),
    "sitemap.js: yesterday is yes": (video("live", "yesterday"), "G029"),
    "Google Sitemap Generator: an empty video": (
        page("a", more="<video:video></video:video>"),
        "G020 G021",
    ),
    "sphinx-sitemap: other languages, not its own": (
        page("en/a.html", more=link("de", "de/a.html") + link("fr", "fr/a.html")),
        "H008",
    ),
    "Nikola: other languages, not its own": (
        page("a", more=link("fr", "fr/a")) + page("fr/a", more=link("en", "a")),
        "H008",
    ),
}

DATES = {
    "sitemap_generator: now": (pages(20, NOW), "D009"),
    "fastapi-sitemap: today": (pages(20, NOW[:10]), "D009"),
    "MkDocs: the day of the build": (pages(20, "2026-11-21"), "D009"),
    "next-sitemap: the time of the build": (pages(20, "2026-11-21T11:58:00.123Z"), "D009"),
    "Nikola: mtime, after a checkout": (pages(20, "2026-11-21T11:58:00+00:00"), "D009"),
    "hugesitemap: mtime, after a checkout": (pages(20, "2026-11-21T12:58:00+01:00"), "D009"),
    "lgraubner/sitemap-generator: today": (pages(12, NOW[:10]), "D009"),
    "python-sitemap: the Date of each answer": (
        "".join(page(f"p{n}", f"2026-11-21T11:57:{n:02}Z") for n in range(20)),
        "D009",
    ),
    "sitemap_generator: weekly and 0.5": (
        pages(12, more="<changefreq>weekly</changefreq><priority>0.5</priority>"),
        "P001 P002",
    ),
    "xml_sitemap_writer: a date with -05:00 is lost": (page("a") + page("b", None), "D011"),
    "laravel-sitemap: a crawl gives no dates": (page("a", None) + page("b", None), "D011"),
    "Django: a day for an instant": (page("a", "2023-12-31") + page("b", "2024-01-01"), "D012"),
}

CASES = FORM | URLS | VALUES | DATES


@pytest.fixture(scope="module")
def found():
    return judged(CASES)


@pytest.mark.parametrize("name", CASES)
def test_producer(found, name):
    assert verdict(found[name], CASES[name][1]) == (set(), set())


def test_sitemap_generator_leaves_half_a_gzip_file_behind():
    half = gzip.compress(whole(pages(200)).encode())[:-300]
    findings = check({"https://example.com/sitemap.xml.gz": half}, now=MOMENT)
    assert verdict(list(findings), "X025 X009") == (set(), set())
