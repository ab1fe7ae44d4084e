"""Snapshots of a watch as states of a diff: STORE@N."""

import pytest

import urlset
from tests.live.watch.simulated_site import SITE, SimulatedSite
from urlset.cli import main


@pytest.fixture
def site(tmp_path):
    """Three snapshots: /a and /b; then /b has a new date, /c is new; then /a is gone."""
    site = SimulatedSite(tmp_path / "site.duckdb")
    site.put("/sitemap.xml", [("/a", "2026-01-01"), ("/b", "2026-01-01")])
    site.step()
    site.put("/sitemap.xml", [("/a", "2026-01-01"), ("/b", "2026-01-02"), ("/c", None)])
    site.step()
    site.put("/sitemap.xml", [("/b", "2026-01-02"), ("/c", None)])
    site.step()
    return site


def changes(before, after):
    with urlset.diff(before, after) as found:
        return {f"{change.change} {change.loc.removeprefix(SITE)}" for change in found}


def test_two_snapshots_are_compared(site):
    assert changes(f"{site.path}@1", f"{site.path}@2") == {"changed /b", "added /c"}
    assert changes(f"{site.path}@1", f"{site.path}@3") == {"removed /a", "changed /b", "added /c"}
    assert changes(f"{site.path}@-1", f"{site.path}@latest") == {"removed /a"}


def test_store_of_a_watch_is_its_latest_snapshot(site):
    assert changes(f"{site.path}@3", site.path) == set()


def test_urls_of_a_sitemap_that_failed_at_a_snapshot_are_unknown(site):
    site.documents["/sitemap.xml"] = 503
    site.step()

    assert changes(f"{site.path}@3", f"{site.path}@4") == {"unknown /b", "unknown /c"}


@pytest.mark.parametrize("number", [0, 4, -3])
def test_unknown_snapshot_says_which_there_are(site, number):
    first = f"{site.path}@{number}"

    for other in (site.path, f"{site.path}@2", b"https://example.com/a"):
        with pytest.raises(urlset.StoreError, match=rf"\(1 to 3\), found {number}"):
            changes(first, other)


def test_store_without_snapshots_says_what_stores_them(tmp_path):
    path = tmp_path / "read.duckdb"
    urlset.read(b"https://example.com/a").to_duckdb(path)

    with pytest.raises(urlset.StoreError, match="urlset watch SITE --store FILE"):
        changes(f"{path}@1", path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "expected a store, found nothing at"),
        (b"", "expected a store .a DuckDB file., found another kind of file"),
    ],
)
def test_a_snapshot_of_what_is_no_store(tmp_path, content, message):
    path = tmp_path / "site.duckdb"
    if content is not None:
        path.write_bytes(content)

    with pytest.raises(urlset.StoreError, match=message):
        changes(f"{path}@1", f"{path}@2")


def test_reading_the_store_of_a_watch_returns_its_latest_snapshot(site):
    entries = urlset.read(site.path)

    assert [(e.loc.removeprefix(SITE), e.lastmod and e.lastmod.day) for e in entries] == [
        ("/b", 2),
        ("/c", None),
    ]
    assert [record.source for record in entries.documents] == [f"{SITE}/sitemap.xml"]
    assert [entry.lastmod_text for entry in entries] == ["2026-01-02", None]


def test_commands_read_and_check_take_the_store_of_a_watch(site, capsys):
    assert main(["read", site.path, "--format", "txt"]) == 0
    assert capsys.readouterr().out == f"{SITE}/b\n{SITE}/c\n"

    assert main(["check", site.path]) == 0
    assert "2 entries" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("status", "rule"), [(503, "sitemap-unreachable"), (404, "sitemap-http-error")]
)
def test_a_check_reports_the_sitemaps_that_a_snapshot_lacks(site, status, rule):
    site.documents["/sitemap.xml"] = status
    site.step()

    findings = list(urlset.check(site.path))

    assert [(finding.rule, finding.source) for finding in findings] == [
        (rule, f"{SITE}/sitemap.xml")
    ]


def test_a_check_of_a_snapshot_assumes_nothing_about_compression(tmp_path):
    site = SimulatedSite(tmp_path / "site.duckdb")
    site.put("/sitemap.xml.gz", [("/a", "2026-01-02")])
    site.put_robots(sitemap="/sitemap.xml.gz")
    site.step()

    findings = list(urlset.check(site.path, select=["gz-name-mismatch", "not-compressed"]))

    assert len(urlset.read(site.path).to_arrow()) == 1
    assert findings == []


def test_a_store_with_one_snapshot_says_that_there_is_none_before(tmp_path):
    site = SimulatedSite(tmp_path / "site.duckdb")
    site.put("/sitemap.xml", [("/a", None)])
    site.step()

    with pytest.raises(urlset.StoreError, match="has only one snapshot yet, so there is none"):
        urlset.diff(f"{site.path}@-1", f"{site.path}@latest")
    with pytest.raises(urlset.StoreError, match=r"expected the number of a snapshot.*found -2"):
        urlset.diff(f"{site.path}@-2", f"{site.path}@latest")
