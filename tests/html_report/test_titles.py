"""Titles of charts name a section that a reader can find, not a row that sums up others."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from html import unescape
from pathlib import Path

import pytest

from tests.cli.test_commands import command
from tests.example_site import audited
from urlset.checker import evaluate
from urlset.checker.examples import ExampleResponse, entry
from urlset.checker.examples import page as html_page
from urlset.html_report import figures
from urlset.html_report.sections import MAX_SECTIONS

SITE = "https://example.com"
XMLNS = "http://www.sitemaps.org/schemas/sitemap/0.9"


@pytest.fixture
def urlset(capsys, monkeypatch, tmp_path):
    return command(capsys, monkeypatch, tmp_path)


def title_of(report: Path, figure: str) -> str:
    found = re.search(rf'id="{figure}".*?<h3[^>]*>(.*?)</h3>', report.read_text("utf-8"), re.DOTALL)
    assert found is not None, figure
    return unescape(re.sub("<[^>]*>", "", found[1])).replace("\u202f", " ")


def check_report(urlset, folder: Path, dates: dict[str, str]) -> Path:
    """Check a sitemap with sections of these names and dates, four URLs in each."""
    urls = "".join(
        f"<url><loc>{SITE}/{name}/{n}</loc><lastmod>{lastmod}</lastmod></url>"
        for name, lastmod in dates.items()
        for n in range(4)
    )
    (folder / "sitemap.xml").write_text(f'<urlset xmlns="{XMLNS}">{urls}</urlset>')
    urlset("check", "sitemap.xml", "--report", "report.html", "--select", "D004")
    return folder / "report.html"


def test_the_sum_of_small_sections_is_not_the_section_with_the_highest_share(urlset, tmp_path):
    names = [f"s{n:02}" for n in range(MAX_SECTIONS + 3)]
    bad = dict.fromkeys(names[-4:], "2026-13-45")

    report = check_report(urlset, tmp_path, dict.fromkeys(names, "2026-01-01") | bad)

    share = f"{100 * 4 / len(names):.1f} %"
    assert (
        title_of(report, "sections-of-files") == f"{share} of the URLs have an error or a warning"
    )


def test_the_section_with_the_highest_share_is_named(urlset, tmp_path):
    names = [f"s{n:02}" for n in range(MAX_SECTIONS + 3)]
    bad = dict.fromkeys((names[1], *names[-4:]), "2026-13-45")

    report = check_report(urlset, tmp_path, dict.fromkeys(names, "2026-01-01") | bad)

    title = title_of(report, "sections-of-files")
    assert title == "/s01/ has the highest share of URLs with findings: 100 %"


def test_shares_of_a_rule_with_more_findings_than_are_kept_are_lower_limits(
    urlset, tmp_path, monkeypatch
):
    monkeypatch.setattr(evaluate, "MAX_ROWS", 6)
    monkeypatch.setattr(figures, "_CAPPED_SQL", figures._CAPPED_SQL.replace("10000", "6"))

    report = check_report(urlset, tmp_path, {"a": "2026-13-45", "b": "2026-13-45", "c": "2026"})

    title = title_of(report, "sections-of-files")
    assert title == "At least 50.0 % of the URLs have an error or a warning"
    assert "Of D004 the first 10,000 findings are counted" in report.read_text("utf-8")


def test_the_report_knows_how_many_findings_of_a_rule_are_kept():
    assert figures.MAX_STORED == evaluate.MAX_ROWS


@pytest.mark.slow
@pytest.mark.parametrize(
    ("refused", "expected"),
    [
        ((), "No fault in 2 checked URLs"),
        (("b",), "No fault in 1 checked URL; unknown: 1"),
        (("a", "b"), "Unknown: 2 checked URLs"),
    ],
)
def test_a_page_that_could_not_be_judged_has_no_verdict(refused, expected, tmp_path):
    names = ("a", "b")
    pages = {name: html_page(name) for name in names}
    refusals = dict.fromkeys(refused, ExampleResponse(status=429))
    listed = "".join(entry(f"{SITE}/{name}") for name in names)

    moment = datetime(2026, 11, 21, 12, tzinfo=UTC)
    with audited({"sitemap.xml": listed, **pages, **refusals}, moment) as found:
        found.report(tmp_path / "report.html")

    assert title_of(tmp_path / "report.html", "verdicts") == expected


def test_of_two_sections_with_as_many_faults_the_one_with_fewer_urls_is_the_worst(tmp_path):
    gone = ExampleResponse(status=404)
    names = ["many/1", "many/2", "many/3", "many/4", "few/1", "few/2"]
    listed = "".join(entry(f"{SITE}/{name}") for name in names)
    pages = {name: html_page(name) for name in ("many/1", "many/2")}
    failed = dict.fromkeys(names[2:], gone)

    moment = datetime(2026, 11, 21, 12, tzinfo=UTC)
    with audited({"sitemap.xml": listed, **pages, **failed}, moment) as found:
        found.report(tmp_path / "report.html")

    title = title_of(tmp_path / "report.html", "verdicts")
    assert title == "/few/ has the most faults: 2 of 2 checked URLs"
