"""Report of a crawl: one HTML file with its pages, for a kept and for a temporary store."""

import re
from html import unescape

import pytest

import urlset
from tests.http_walks import quick
from tests.site_box import SiteBox
from urlset.live.crawl import Crawl

HTML = "text/html; charset=utf-8"


@pytest.fixture
def site(box: SiteBox):
    """Site whose home page links to three pages: one is gone, one is disallowed."""
    links = "".join(f'<a href="/{name}">x</a>' for name in ("a", "gone", "closed"))
    box.put("/", f"<title>home</title>{links}", kind=HTML)
    box.put("/a", '<title>a</title><a href="/b">x</a>', kind=HTML)
    box.put("/b", "<title>b</title>", kind=HTML)
    box.put_robots("User-agent: *", "Disallow: /closed")
    return box


def crawl(site, store=None, **options):
    return urlset.crawl(site.site, store, policy=quick(), confirm_after_s=0, **options)


def text_of(path) -> str:
    return " ".join(unescape(re.sub("<[^>]*>", " ", path.read_text("utf-8"))).split())


@pytest.mark.parametrize("kept", [True, False])
def test_the_report_has_the_pages_of_the_crawl(site, kept, tmp_path):
    with crawl(site, tmp_path / "s.duckdb" if kept else None) as found:
        found.report(tmp_path / "crawl.html")

    text = text_of(tmp_path / "crawl.html")
    assert f"Crawl of {site.url('/')}" in text
    assert "5 pages: 3 ok, 1 disallowed, 1 gone." in text
    assert "Not complete: robots: 1 URL disallowed by robots.txt." in text
    assert "The visited pages are within 2 clicks of the start" in text
    assert f"{site.url('/gone')} gone 404 {site.url('/')}" in text
    html = (tmp_path / "crawl.html").read_text("utf-8")
    assert '"findings' not in html
    assert "#findings" not in html
    assert not re.search(r'src="http|href="http(?!://127)', html)


def test_urls_that_a_pattern_excludes_are_counted_apart_from_listed_ones(site, tmp_path):
    locs = "".join(f"<url><loc>{site.url(path)}</loc></url>" for path in ("/a", "/no", "/b"))
    site.put("/sitemap.xml", f"<urlset>{locs}</urlset>")

    store = tmp_path / "s.duckdb"
    with urlset.crawl(site.url("/"), store, include="/a$", policy=quick()) as found:
        found.report(tmp_path / "crawl.html")

    text = text_of(tmp_path / "crawl.html")
    assert "listed URLs 1 excluded by a pattern 2 fine 1 " in text
    assert "Of 1 listed URL, 100 % are fine." in text
    [state] = urlset.report([store]).sites
    assert (state.listed, state.visited, state.outcomes["not-visited"]) == (1, 1, 0)


def test_the_report_has_what_the_sitemaps_list(site, tmp_path):
    loc = f"<url><loc>{site.url('/a')}</loc></url><url><loc>{site.url('/no')}</loc></url>"
    site.put("/sitemap.xml", f"<urlset>{loc}</urlset>")

    with crawl(site) as found:
        found.report(tmp_path / "crawl.html")

    text = text_of(tmp_path / "crawl.html")
    assert "Of 2 listed URLs, 50.0 % are fine; 1 fails." in text
    assert "No known path of links leads from the start to 1 of 6 pages" in text


def test_a_folder_and_its_index_file_are_one_page_of_the_coverage(box, tmp_path):
    box.put("/", '<title>home</title><a href="/a/index.html">x</a>', kind=HTML)
    for name in ("/a/", "/a/index.html"):
        box.put(name, '<title>a</title><a href="/?x=/default.php">x</a>', kind=HTML)
    for name in ("/?x=/default.php", "/b"):
        box.put(name, f"<title>{name}</title>", kind=HTML)
    locs = ("/", "/a/", "/b")
    rows = "".join(f"<url><loc>{box.url(loc)}</loc></url>" for loc in locs)
    box.put("/sitemap.xml", f"<urlset>{rows}</urlset>")

    with crawl(box) as found:
        found.report(tmp_path / "crawl.html")

    text = text_of(tmp_path / "crawl.html")
    assert "2 listed pages are not linked; 1 linked page is not listed" in text


def test_each_number_is_the_result_of_its_query(site, tmp_path):
    with crawl(site, tmp_path / "s.duckdb") as found:
        found.report(tmp_path / "crawl.html")
        html = (tmp_path / "crawl.html").read_text("utf-8")
        queries = [
            unescape(re.sub("<[^>]*>", "", sql))
            for sql in re.findall("<code>(.*?)</code>", html, re.S)
        ]
        ran = [
            list(found.query(one))
            for text in queries
            for one in text.split(";\n\n")
            if "FROM" in one
        ]

    assert [("ok", 3), ("disallowed", 1), ("gone", 1)] in ran
    assert [(5,)] in ran


def test_an_opened_crawl_has_the_same_report(site, tmp_path):
    with crawl(site, tmp_path / "s.duckdb") as found:
        found.report(tmp_path / "one.html")
    with Crawl.open(tmp_path / "s.duckdb") as opened:
        opened.query("FROM pages")
        opened.report(tmp_path / "two.html")

    assert (tmp_path / "one.html").read_bytes() == (tmp_path / "two.html").read_bytes()


def test_a_crawl_without_pages_has_a_report(box, tmp_path):
    box.put_robots("User-agent: *", "Disallow: /")

    with crawl(box, max_pages=0) as found:
        found.report(tmp_path / "crawl.html")

    assert "Not complete: " in text_of(tmp_path / "crawl.html")


def test_pages_that_are_deep_are_one_row(box, tmp_path):
    box.put("/", '<title>0</title><a href="/1">x</a>', kind=HTML)
    for number in range(1, 14):
        link = f'<a href="/{number + 1}">x</a>' if number < 13 else ""
        box.put(f"/{number}", f"<title>{number}</title>{link}", kind=HTML)

    with crawl(box) as found:
        found.report(tmp_path / "crawl.html")

    text = text_of(tmp_path / "crawl.html")
    assert "The visited pages are within 13 clicks of the start" in text
    assert "over 10 clicks 3" in text


def test_urls_of_others_are_escaped(box, tmp_path):
    box.put("/", '<a href="/gone?&lt;script&gt;alert(1)&lt;/script&gt;">x</a>', kind=HTML)

    with crawl(box) as found:
        found.report(tmp_path / "crawl.html")

    assert "<script>alert" not in (tmp_path / "crawl.html").read_text("utf-8")


def test_a_report_does_not_replace_the_store(site, tmp_path):
    with crawl(site, tmp_path / "store") as found, pytest.raises(urlset.TargetError):
        found.report(tmp_path / "store")


def test_a_report_needs_an_open_store(site, tmp_path):
    found = crawl(site)
    found.close()

    with pytest.raises(urlset.StoreError, match="found a closed one"):
        found.report(tmp_path / "crawl.html")
