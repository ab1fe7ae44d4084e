"""Sitemaps of other systems in the index of a set: read first, listed, kept, dropped."""

import re
from pathlib import Path
from typing import Any

import pytest

import urlset
from tests.http_walks import quick
from tests.site_box import SiteBox, index_of, urlset_of
from urlset.builder import Build


class Set:
    """A set of two URLs at the root of a site, built again and again."""

    def __init__(self, folder: Path, box: SiteBox):
        self.folder = folder
        self.box = box
        self.count = 2

    def build(self, *included: str, **options: Any) -> Build:
        entries = [urlset.Entry(self.box.url(f"/page-{n}")) for n in range(self.count)]
        return urlset.build(
            entries,
            self.folder / "out",
            base_url=self.box.url("/"),
            ledger=self.folder / "ledger.duckdb",
            include_sitemaps=[self.box.url(path) for path in included],
            policy=quick(retries=0),
            **options,
        )

    @property
    def listed(self) -> list[str]:
        text = (self.folder / "out" / "sitemap.xml").read_text()
        return [loc.removeprefix(self.box.site) for loc in re.findall("<loc>(.*?)</loc>", text)]

    def files(self) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in (self.folder / "out").iterdir()}


@pytest.fixture
def box():
    with SiteBox() as box:
        yield box


@pytest.fixture
def site(tmp_path, box) -> Set:
    box.put_urlset("/docs/sitemap.xml", 3)
    dated = index_of([box.url("/shop/1.xml"), box.url("/shop/2.xml")]).replace(
        b"</loc>", b"</loc><lastmod>2026-03-04</lastmod>", 1
    )
    box.put("/shop/index.xml", dated)
    box.put_urlset("/shop/1.xml")
    box.put("/shop/2.xml", urlset_of(box.url("/shop"), 2))
    return Set(tmp_path, box)


def test_index_lists_them_after_the_files_of_the_set(site: Set):
    found = site.build("/docs/sitemap.xml", "/shop/index.xml")

    assert site.listed == ["/sitemap-1.xml", "/docs/sitemap.xml", "/shop/1.xml", "/shop/2.xml"]
    assert (found.urls, len(found.files), found.indexes[0].urls) == (2, 1, 4)
    text = (site.folder / "out" / "sitemap.xml").read_text()
    assert f"{site.box.url('/shop/1.xml')}</loc><lastmod>2026-03-04T00:00:00Z" in text
    assert f"{site.box.url('/docs/sitemap.xml')}</loc></sitemap>" in text

    assert site.build("/docs/sitemap.xml", "/shop/index.xml").changed_files == ()
    again = site.build("/docs/sitemap.xml")
    assert [file.name for file in again.changed_files] == ["sitemap.xml"]
    assert site.listed == ["/sitemap-1.xml", "/docs/sitemap.xml"]


def test_without_the_option_the_set_is_a_single_file_again(site: Set):
    site.build("/docs/sitemap.xml")
    site.build()

    assert list(site.files()) == ["sitemap.xml"]
    assert site.listed == ["/page-0", "/page-1"]


@pytest.mark.parametrize("mode", ["auto", "always", "section"])
def test_each_form_of_index(site: Set, mode):
    site.build("/docs/sitemap.xml", index=mode, sections=["first=page-0"])

    listed = [
        loc
        for name, text in site.files().items()
        if b"<sitemapindex" in text
        for loc in re.findall("<loc>(.*?)</loc>", text.decode())
    ]
    assert listed.count(site.box.url("/docs/sitemap.xml")) == 1
    assert sorted(path for path in site.files() if b"<urlset" in site.files()[path]) == [
        "sitemap-1.xml",
        "sitemap-first-1.xml",
    ]


BAD = {
    "missing": (None, "HTTP 404"),
    "empty": (urlset_of("https://example.com", 0), "sitemap with entries"),
    "page": (b"<!doctype html><title>Sign in</title>", "expected"),
    "nested": (b"", "index within an index"),
    "child": (b"", "HTTP 404"),
    "host": (b"", "expected sitemaps of 127.0.0.1:.* found 'http://localhost:"),
    "long": (b"".join(b"https://example.com/%d\n" % n for n in range(50_001)), "found 50,001"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_no_engine_would_read_publishes_nothing(site: Set, name):
    body, message = BAD[name]
    if name == "nested":
        body = index_of([site.box.url("/shop/index.xml")])
    if name == "host":
        other = site.box.url("/docs/sitemap.xml").replace("127.0.0.1", "localhost")
        body = index_of([other])
    if name == "child":
        body = index_of([site.box.url("/docs/sitemap.xml"), site.box.url("/gone.xml")])
    if body is not None:
        site.box.put("/bad.xml", body)
    site.build("/docs/sitemap.xml")
    before = site.files()
    site.count = 3

    with pytest.raises(urlset.SourceError, match=message) as caught:
        site.build("/docs/sitemap.xml", "/bad.xml")

    assert "nothing was published" in str(caught.value)
    assert site.files() == before


def test_unread_ones_stay_listed_if_errors_are_skipped(site: Set):
    site.build("/docs/sitemap.xml", "/shop/index.xml")
    site.box.put("/shop/index.xml", b"", status=503)
    site.count = 3

    found = site.build("/shop/index.xml", "/docs/sitemap.xml", on_error="skip")

    assert site.listed == ["/sitemap-1.xml", "/shop/1.xml", "/shop/2.xml", "/docs/sitemap.xml"]
    assert found.urls == 3
    assert not found.is_complete
    assert "HTTP 503" in found.incomplete[0]


def test_lost_ledger_is_rebuilt_from_the_files_of_the_set_only(site: Set):
    site.build("/docs/sitemap.xml")
    (site.folder / "ledger.duckdb").unlink()

    found = site.build("/docs/sitemap.xml")

    assert found.changed_files == ()
    assert "2 URLs in 1 published file adopted" in " ".join(found.notes)


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("https://other.example/sitemap.xml", "expected sitemaps of"),
        ("docs/sitemap.xml", "expected include_sitemaps to be http"),
        ("https://user:secret@example.com/sitemap.xml", "expected include_sitemaps to be http"),
        ("https://example.com/sitemap.xml#a", "expected include_sitemaps to be http"),
    ],
)
def test_wrong_addresses_are_refused_first(tmp_path, url, message):
    with pytest.raises(ValueError, match=message) as caught:
        urlset.build(
            [urlset.Entry("https://example.com/")],
            tmp_path,
            base_url="https://example.com/",
            include_sitemaps=url,
        )
    assert "secret" not in str(caught.value)


def test_hosts_that_are_allowed(site: Set, tmp_path):
    other = site.box.url("/docs/sitemap.xml")
    urlset.build(
        [urlset.Entry("https://example.com/")],
        tmp_path / "out",
        base_url="https://example.com/",
        ledger=tmp_path / "other.duckdb",
        include_sitemaps=other,
        allowed_hosts=f"127.0.0.1:{site.box.port}",
        policy=quick(),
    )
    assert other in (tmp_path / "out" / "sitemap.xml").read_text()


def test_the_set_itself_is_not_listed_again_by_its_first_build(site, box):
    box.put_urlset("/sitemap.xml")
    box.put_urlset("/sitemap-1.xml")
    box.put("/all.xml", index_of([box.url("/sitemap-1.xml"), box.url("/sitemap.xml")]))

    site.build("/all.xml", "/docs/sitemap.xml")

    assert site.listed == ["/sitemap-1.xml", "/docs/sitemap.xml"]
    before = site.files()
    site.build("/all.xml", "/docs/sitemap.xml")
    assert site.files() == before


def test_files_of_the_set_itself_are_refused(site: Set):
    message = "sitemaps of other systems in include_sitemaps, found http.*/{}, which is a file"
    with pytest.raises(ValueError, match=message.format("sitemap.xml")):
        site.build("/sitemap.xml")
    site.build("/docs/sitemap.xml")
    before = site.files()

    for name in ("sitemap.xml", "sitemap-1.xml"):
        with pytest.raises(ValueError, match=message.format(name)):
            site.build("/docs/sitemap.xml", f"/{name}")

    assert site.files() == before


def test_a_sitemap_of_another_tool_in_the_same_folder_is_listed(site, box):
    box.put_urlset("/sitemap_wp.xml", 3)
    (site.folder / "out").mkdir()
    (site.folder / "out" / "sitemap_wp.xml").write_bytes(urlset_of(box.url(""), 3))

    site.build("/sitemap_wp.xml")

    assert site.listed == ["/sitemap-1.xml", "/sitemap_wp.xml"]
