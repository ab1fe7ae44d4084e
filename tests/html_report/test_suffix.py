"""The file of a report is HTML, and has no suffix of a data format."""

import re
from pathlib import Path

import pytest

import urlset
from tests.cli.test_commands import command
from tests.site_box import SiteBox, page

NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"
SITEMAP = f"<urlset xmlns='{NAMESPACE}'><url><loc>{{}}</loc></url></urlset>"


@pytest.fixture
def box(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with SiteBox() as box:
        box.play("/", page("<html>Home</html>", kind="text/html"))
        box.put("/sitemap.xml", SITEMAP.format(box.url("/")))
        box.put_robots("User-agent: *", "Allow: /", f"Sitemap: {box.url('/sitemap.xml')}")
        yield box


def _report(box):
    urlset.watch(box.site, store="w.duckdb")
    return urlset.report("w.duckdb")


RESULTS = {
    "audit": lambda box: urlset.audit(box.site),
    "check": lambda box: urlset.check(box.url("/sitemap.xml")),
    "crawl": lambda box: urlset.crawl(box.site),
    "diff": lambda box: urlset.diff(box.url("/sitemap.xml"), box.url("/sitemap.xml")),
    "report": _report,
    "watch": lambda box: urlset.watch(box.site, store="w.duckdb"),
}


@pytest.mark.parametrize("verb", RESULTS)
def test_a_report_with_the_suffix_of_a_data_format_is_refused(verb, box):
    with RESULTS[verb](box) as result:
        for name, advice in (
            ("r.json", "'r.html'; .to_dict() of the result has it as JSON"),
            ("r.CSV", "'r.html'"),
            ("r.duckdb", "'r.html'"),
        ):
            message = f"report: expected another suffix for html, found {name!r}; use {advice}"
            with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
                result.report(name)
            assert not Path(name).exists()
        for name in ("r.html", "r.htm", "r", "r.1"):
            result.report(name)
            assert Path(name).read_text("utf-8").startswith("<!doctype html>")


def test_watch_refuses_such_a_report_before_it_reads_the_site(box):
    with pytest.raises(ValueError, match=r"^report: expected another suffix for html"):
        urlset.watch(box.site, store="w.duckdb", report="r.json")

    assert [path.name for path in Path().iterdir()] == []
    assert box.paths == []


def test_the_command_report_refuses_the_suffix_of_another_format(
    box, tmp_path, capsys, monkeypatch
):
    run = command(capsys, monkeypatch, tmp_path)
    urlset.watch(box.site, store="w.duckdb")

    ran = run("report", "w.duckdb", "--format", "html", "--output", "r.csv")

    assert (ran.code, ran.err) == (
        2,
        "urlset: --output: expected another suffix for html, found 'r.csv'; use r.html\n",
    )
    assert not Path("r.csv").exists()
