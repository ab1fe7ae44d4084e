"""Tables of the report by segment and by sitemap, and the conditions of segments."""

import re
from html import unescape

import pytest

import urlset
from tests.http_walks import quick
from tests.site_box import SiteBox


@pytest.fixture(scope="module")
def site():
    """Two sitemaps: three pages that exist, and four that do not, one of them in both."""
    with SiteBox() as box:
        box.put_index("/sitemap.xml", ["/a.xml", "/b.xml"])
        box.put_urlset("/a.xml", 3)
        locs = [*(box.url(f"/b.xml/{n}") for n in range(4)), box.url("/a.xml/0")]
        rows = "".join(f"<url><loc>{loc}</loc></url>" for loc in locs)
        namespace = "http://www.sitemaps.org/schemas/sitemap/0.9"
        box.put("/b.xml", f'<urlset xmlns="{namespace}">{rows}</urlset>')
        box.put_robots(f"Sitemap: {box.url('/sitemap.xml')}")
        for number in range(3):
            text = f"<html><title>Page {number}</title><p>Text of page {number}</p></html>"
            box.put(f"/a.xml/{number}", text, kind="text/html")
        yield box


def tables(text: str) -> dict[str, list[list[str]]]:
    """Return the tables of the part "Sections" of a report, by the text above them."""
    part = text[text.index('id="sections-title"') :]
    found = {}
    for about, table in re.findall(r"<p>(.*?)</p>.*?<table.*?>(.*?)</table>", part, re.S):
        rows = re.findall(r"<tr.*?>(.*?)</tr>", table, re.S)
        cells = [re.findall(r"<t[dh].*?>(.*?)</t[dh]>", row, re.S) for row in rows]
        found[unescape(about)] = [[re.sub("<.*?>", "", cell) for cell in row] for row in cells]
    return found


SEGMENTS = {
    "first": "url LIKE '%/0'",
    "gone": "status >= 400",
    "long <title>": "length(title) > 99",
}


def test_report_counts_segments_and_sitemaps_apart(site: SiteBox, tmp_path):
    with urlset.audit(site.site, policy=quick(), segments=SEGMENTS) as found:
        found.report(tmp_path / "report.html")

    shown = tables((tmp_path / "report.html").read_text())
    by_segment = {
        unescape(row[0]): row[1:6]
        for row in shown["Listed URLs by segment and outcome; segments may overlap."][1:]
    }
    assert by_segment == {
        "first": ["2", "1", "0", "0", "1"],
        "gone": ["4", "0", "0", "0", "4"],
        "long <title>": ["0", "0", "0", "0", "0"],
        "in no segment": ["2", "2", "0", "0", "0"],
    }
    by_sitemap = shown["Listed URLs by sitemap and outcome; a URL in two sitemaps counts in both."]
    assert [row[:6] for row in by_sitemap[1:]] == [
        [site.url("/b.xml"), "5", "1", "0", "0", "4"],
        [site.url("/a.xml"), "3", "3", "0", "0", "0"],
    ]


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        ("urll = 1", "segments, 'shop': .*\"urll\" not found"),
        ("", "segments, 'shop': expected one condition"),
        ("url = 'a'); DROP TABLE pages; --", "segments, 'shop'"),
        ("(SELECT count(*) FROM read_text('/etc/passwd')) > 0", "read_text is not allowed"),
        ("1) UNION SELECT (2", "segments, 'shop'"),
    ],
)
def test_condition_is_checked_before_pages_are_visited(site: SiteBox, condition, message):
    site.hits.clear()

    with pytest.raises(urlset.QueryError, match=message):
        urlset.audit(site.site, policy=quick(), segments={"shop": condition})

    assert not [path for path in site.paths if re.search(r"xml/\d", path)]


def test_segments_of_the_configuration(site: SiteBox, tmp_path, monkeypatch):
    from urlset.cli import main

    monkeypatch.chdir(tmp_path)
    (tmp_path / "urlset.toml").write_text("[segments]\nfirst = \"url LIKE '%/0'\"\n")
    main(["audit", site.site, "--report", "report.html", "--quiet", "--delay", "0"])

    assert "first" in (tmp_path / "report.html").read_text()
    assert urlset.load_config().segments == {"first": "url LIKE '%/0'"}

    (tmp_path / "urlset.toml").write_text("[segments]\nfirst = 1\n")
    with pytest.raises(urlset.ConfigurationError, match=r"\[segments\]\.first: expected a string"):
        _ = urlset.load_config().segments
