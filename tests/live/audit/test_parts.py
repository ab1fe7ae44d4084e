"""Audits of a part of a site, with a store that has visits of earlier audits of all of it."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.live.audit.test_audit import RecordingServer, audit_with
from tests.live.audit.test_interrupt import Interrupted
from tests.live_sites import SITEMAPS, XHTML, audit, put_page, put_site, put_sitemap
from tests.site_box import SiteBox, hang_up
from urlset.checker.examples import HOME, hreflang, page, site
from urlset.live.audit import Audit
from urlset.live.crawl import Crawl
from urlset.option_names import flags_in_messages

SHOP = tuple(f"shop/{n}" for n in range(3))
BLOG = tuple(f"blog/{n}" for n in range(5))
PAGES = {name: page(name) for name in (*SHOP, *BLOG)}
WHOLE = site(*SHOP, *BLOG, **PAGES)
BROKEN = site(*SHOP, *BLOG, **{name: PAGES[name] for name in PAGES if name != "blog/4"})


@pytest.fixture
def store(tmp_path: Path) -> str:
    """Path of a store: an audit of all pages found that /blog/4 does not exist."""
    path = str(tmp_path / "site.duckdb")
    with audit_with(RecordingServer(BROKEN), BROKEN, path) as found:
        assert rules(found) == [("N102", f"{HOME}blog/4")]
    return path


def rules(found: Audit) -> list[tuple[str, str | None]]:
    return [(finding.code, finding.loc) for finding in found.findings]


def states(found: Audit) -> list[tuple[str, str]]:
    return list(found.store.query("SELECT code, change FROM audit_findings ORDER BY ALL"))


def test_findings_about_pages_that_are_not_selected_are_not_checked(store: str):
    with audit_with(RecordingServer(WHOLE), WHOLE, store, include=["/shop/"]) as found:
        assert rules(found) == []
        assert found.by_level["error"] == 0
        assert found.summary == "All 3 listed URLs are fine."
        assert found.changes == (0, 0, 0)
        assert states(found) == [("N102", "not checked")]

    with audit_with(RecordingServer(WHOLE), WHOLE, store) as found:
        assert found.changes == (0, 1, 0)
        assert states(found) == [("N102", "fixed")]


def test_a_finding_that_was_not_checked_is_still_there_later(store: str):
    audit_with(RecordingServer(WHOLE), WHOLE, store, include=["/shop/"]).close()

    with audit_with(RecordingServer(BROKEN), BROKEN, store) as found:
        assert found.changes == (0, 0, 1)


def test_a_sample_does_not_count_pages_of_earlier_audits(store: str):
    with audit_with(RecordingServer(WHOLE), WHOLE, store, sample=2) as found:
        assert (found.listed, found.visited, found.is_sampled) == (8, 2, True)
        assert rules(found) == []
        assert re.match(r"Of 8 listed URLs about 100[.]0 % \(\d", found.summary)
        assert states(found) == [("N102", "not checked")]


def test_a_limit_does_not_count_pages_of_earlier_audits(store: str):
    with audit_with(RecordingServer(WHOLE), WHOLE, store, max_requests=2) as found:
        assert (found.listed, found.visited) == (8, 2)
        assert found.summary.startswith("Of 2 checked URLs, of 8 listed, 100 % are fine")
        assert rules(found) == []


def test_the_target_of_a_selected_page_is_not_judged_by_an_earlier_visit(tmp_path: Path):
    path = str(tmp_path / "site.duckdb")
    links = hreflang("en=shop/tea", "de=blog/tee")
    before = site("shop/tea", "blog/tee", **{"shop/tea": page("Tea", links)})
    after = {**before, "blog/tee": page("Tee", links)}
    with audit_with(RecordingServer(before), before, path) as found:
        assert {code for code, _ in rules(found)} == {"N102", "N111"}

    with audit_with(RecordingServer(after), after, path, include=["/shop/"]) as found:
        assert rules(found) == []
        assert states(found) == [("N102", "not checked"), ("N111", "not checked")]

    with audit_with(RecordingServer(after), after, path) as found:
        assert states(found) == [("N102", "fixed"), ("N111", "fixed")]


def test_a_finding_about_a_selected_page_is_fixed(store: str):
    with audit_with(RecordingServer(WHOLE), WHOLE, store, include=["/blog/"]) as found:
        assert found.changes == (0, 1, 0)


def test_a_finding_about_a_page_that_is_listed_no_more_is_fixed(store: str):
    shorter = site(*SHOP, *BLOG[:4], **PAGES)
    with audit_with(RecordingServer(shorter), shorter, store, include=["/shop/"]) as found:
        assert found.changes == (0, 1, 0)


def test_findings_of_a_crawl_are_not_checked_by_an_audit_without_one(box, tmp_path: Path):
    path = tmp_path / "site.duckdb"
    put_site(box, {"/": ["/tea", "/lost"], "/tea": [], "/lost": []}, ["/", "/tea"])
    with audit(box, store=path, crawl=True, select="not-in-sitemap") as found:
        assert [f.rule for f in found.findings] == ["not-in-sitemap"]

    with audit(box, store=path, select="not-in-sitemap") as found:
        assert found.findings == []
        assert states(found) == [("P503", "not checked")]


def shown_numbers(text: str) -> dict[str, str]:
    return dict(re.findall(r"<dt>([^<]+)</dt><dd>([\d,]+)</dd>", text))


def test_charts_count_the_urls_that_the_summary_counts(store: str, tmp_path: Path):
    report = tmp_path / "report.html"
    with audit_with(RecordingServer(WHOLE), WHOLE, store, include=["/shop/"]) as found:
        found.report(report)
    numbers = shown_numbers(report.read_text())
    assert (numbers["listed URLs"], numbers["fine"]) == ("3", "3")
    assert "fail" not in numbers

    with audit_with(RecordingServer(WHOLE), WHOLE, store, sample=2) as found:
        found.report(report)
    numbers = shown_numbers(report.read_text())
    assert (numbers["listed URLs"], numbers["checked"], numbers["fine"]) == ("8", "2", "2")


def test_segments_count_the_urls_that_the_summary_counts(store: str, tmp_path: Path):
    report = tmp_path / "report.html"
    segments = {"gone": "status = 404"}
    with audit_with(
        RecordingServer(WHOLE), WHOLE, store, include=["/shop/"], segments=segments
    ) as found:
        found.report(report)

    rows = re.findall(r"<tr[^>]*>.*?</tr>", report.read_text(), re.S)
    cells = [re.findall(r">([^<>\s][^<>]*)<", row) for row in rows]
    assert {row[0]: row[1] for row in cells if row[0] in ("gone", "in no segment")} == {
        "gone": "0",
        "in no segment": "3",
    }


def test_coverage_counts_the_urls_that_the_summary_counts(box, tmp_path: Path):
    pages = {"/": ["/a/1", "/b/1"], "/a/1": ["/a/2"], "/a/2": ["/a/1"], "/b/1": []}
    put_site(box, pages)
    log = tmp_path / "access.log"
    line = '192.0.2.1 - - [20/Nov/2026:08:00:00 +0000] "GET {} HTTP/1.1" 200 900 "-" "-"\n'
    log.write_text("".join(line.format(path) for path in ("/a/1", "/b/1", "/b/other")))

    with audit(box, crawl=True, logs=[log], include="/a/") as found:
        notes = " ".join(found.notes)
        urls = {url.removeprefix(box.site) for url, *_ in found.table("coverage")}

    assert "Of 2 listed URLs 2 are linked; of 2 linked URLs 2 are listed." in notes
    assert "Of 2 listed URLs 1 are visited; of 1 visited URLs 1 are listed." in notes
    assert urls == {"/a/1", "/a/2"}


@pytest.mark.parametrize("options", [{"include": ["/typo/"]}, {"exclude": [".", "x"]}])
def test_options_that_select_no_listed_url_are_stated(options: dict[str, Any]):
    with audit_with(RecordingServer(WHOLE), WHOLE, **options) as found:
        assert found.summary == "No listed URL is selected by include and exclude."
        assert found.is_blind
        with flags_in_messages():
            assert found.summary == "No listed URL is selected by --include and --exclude."


def test_an_empty_sitemap_is_stated_as_such(box):
    put_sitemap(box, [])

    with audit(box, include="/typo/") as found:
        assert found.summary == "The sitemaps list no URLs."
        assert not found.is_blind


def crawls(found: Audit) -> list[tuple[Any, ...]]:
    query = "SELECT crawl, is_complete, reasons FROM crawls ORDER BY crawl"
    return [(number, done, list(why)) for number, done, why in found.store.query(query)]


def test_a_part_is_recorded_as_one(tmp_path: Path):
    path = str(tmp_path / "site.duckdb")
    options: dict[str, Any] = {"include": ["/shop/"], "exclude": ["/2"]}
    with audit_with(RecordingServer(WHOLE), WHOLE, path, **options) as found:
        assert crawls(found) == [(1, False, ["include: other URLs were not visited"])]
        [(text,)] = found.store.query("SELECT settings FROM crawls")
        assert json.loads(text) == {"sample": None, "crawl": False, **options}
        assert found.incomplete == ()
    with audit_with(RecordingServer(WHOLE), WHOLE, path, sample=2) as found:
        assert crawls(found)[1:] == [(2, False, ["sample: other URLs were not visited"])]
    with audit_with(RecordingServer(WHOLE), WHOLE, path, sample=8) as found:
        assert crawls(found)[2:] == [(3, True, [])]


def test_a_part_does_not_end_an_interrupted_audit_of_all_pages(tmp_path: Path):
    path = str(tmp_path / "site.duckdb")
    audit_with(Interrupted(WHOLE), WHOLE, path).close()

    with audit_with(RecordingServer(WHOLE), WHOLE, path, include=["/shop/"]) as found:
        assert crawls(found) == [
            (1, None, ["interrupted"]),
            (2, False, ["include: other URLs were not visited"]),
        ]
        [(count,)] = found.store.query("SELECT count(*) FROM previous_listing")
        assert count == 8, "the interrupted audit is the one before"


def test_an_interrupted_part_is_continued_by_the_same_options(tmp_path: Path):
    path = str(tmp_path / "site.duckdb")
    options: dict[str, Any] = {"include": ["/blog/"], "media": False}
    first, second = Interrupted(WHOLE), RecordingServer(WHOLE)
    audit_with(first, WHOLE, path, **options).close()

    with audit_with(second, WHOLE, path, **options) as found:
        assert (found.listed, found.visited) == (5, 5)
        assert [row[0] for row in crawls(found)] == [1]


def test_a_store_keeps_the_pages_that_a_crawl_of_a_part_does_not_visit(box, tmp_path: Path):
    path = tmp_path / "site.duckdb"
    put_site(box, {"/": ["/a", "/b"], "/a": ["/"], "/b": ["/"]})
    audit(box, store=path, crawl=True).close()

    with audit(box, store=path, crawl=True, include="/a") as found:
        pages = {
            url.removeprefix(box.site) for (url,) in found.store.query("SELECT url FROM pages")
        }
        assert found.listed == 1

    assert pages == {"/", "/a", "/b"}
    with Crawl.open(path) as latest:
        assert not latest.is_complete
        assert any(reason.startswith("include") for reason in latest.incomplete)


def put_odd_entries(box, *folders: str) -> None:
    """Put a sitemap: in each folder, entries about which rules of a check find something."""
    rows = []
    for folder in folders:
        for name in ("one", "two", "de", "secret"):
            put_page(box, f"/{folder}/{name}")
        one, two, de = (box.url(f"/{folder}/{name}") for name in ("one", "two", "de"))
        link = f'<xhtml:link rel="alternate" hreflang="de" href="{de}"/>'
        rows += [
            f"<url><loc>{one}</loc>{link}</url>",
            f"<url><loc>{one}</loc>{link}</url>",
            f"<url><loc>{two}</loc></url>",
            f"<url><loc>{two}</loc><lastmod>2126-11-12</lastmod></url>",
            f"<url><loc>{de}</loc></url>",
            f"<url><loc>{box.url(f'/{folder}/secret')}</loc></url>",
            f"<url><loc>http://127.0.0.2:9/{folder}/</loc></url>",
        ]
    text = f'<urlset xmlns="{SITEMAPS}" xmlns:xhtml="{XHTML}">{"".join(rows)}</urlset>'
    box.put("/sitemap.xml", text)
    sitemap = f"Sitemap: {box.url('/sitemap.xml')}"
    box.put_robots("User-agent: *", "Disallow: /*/secret", sitemap)


OF_CHECK = {"D007", "H501", "R010", "U023", "U024", "U028"}


def test_rules_of_a_check_report_only_urls_that_are_selected(box, tmp_path: Path):
    put_odd_entries(box, "shop", "blog")
    options: dict[str, Any] = {"store": tmp_path / "site.duckdb", "select": sorted(OF_CHECK)}

    with audit(box, **options) as whole:
        every = rules(whole)
    with audit(box, include="/shop/", **options) as found:
        part, counts, changes = rules(found), found.by_rule, found.changes
        kept = [code for code, change in states(found) if change == "not checked"]
    with audit(box, **options) as again:
        assert again.changes == (0, 0, len(every))

    assert {code for code, _ in every} == OF_CHECK
    assert sorted(part) == sorted((code, loc) for code, loc in every if "/shop/" in str(loc))
    assert len(every) == 2 * len(part)
    assert counts == Counter(code for code, _ in part)
    assert changes == (0, 0, len(part))
    assert kept == sorted(code for code, _ in part)


def test_the_report_of_a_part_has_no_finding_about_other_urls(box, tmp_path: Path):
    put_odd_entries(box, "shop", "blog")

    with audit(box, exclude="/blog/", select=sorted(OF_CHECK)) as found:
        found.report(tmp_path / "report.html")

    page = (tmp_path / "report.html").read_text("utf-8")
    listed = page.partition('id="charts"')[0]
    assert "/shop/secret" in listed
    assert "/blog/secret" not in listed


@pytest.mark.slow
def test_a_fault_of_a_file_that_was_not_requested_is_not_fixed(box: SiteBox, tmp_path: Path):
    image = "http://www.google.com/schemas/sitemap-image/1.1"
    entry = f"<url><loc>{box.url('/')}</loc><i:image><i:loc>{box.url('/i.png')}</i:loc></i:image>"
    box.put("/sitemap.xml", f'<urlset xmlns="{SITEMAPS}" xmlns:i="{image}">{entry}</url></urlset>')
    box.put_robots("User-agent: *", "Allow: /", f"Sitemap: {box.url('/sitemap.xml')}")
    put_page(box, "/")
    store = tmp_path / "site.duckdb"

    def change(**options: Any) -> list[str]:
        with audit(box, store=store, **options) as found:
            return [state for code, state in states(found) if code == "N113"]

    change()
    assert change(media=False) == ["not checked"]
    assert change(max_media=1) == ["still there"]
    box.play("/i.png", hang_up)
    assert change() == ["not checked"]
    box.put("/i.png", b"GIF89a" + bytes(200), kind="image/gif")
    assert change() == ["fixed"]


@pytest.mark.slow
def test_a_finding_about_a_target_that_was_not_visited_is_not_fixed(box: SiteBox, tmp_path: Path):
    put_page(box, "/", head=f'<link rel="canonical" href="{box.url("/gone")}">')
    put_sitemap(box, ["/"])
    store = tmp_path / "site.duckdb"
    with audit(box, store=store) as found:
        assert "N120" in {finding.code for finding in found.findings}

    with audit(box, store=store, targets=False) as found:
        assert ("N120", "not checked") in states(found)
