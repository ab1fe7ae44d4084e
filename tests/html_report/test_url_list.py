"""The list of all URLs of a rule: whole, plain, to copy and to print."""

from functools import partial

import pytest

from tests import browsers
from tests.reporter.chromium import drive
from tests.reporter.live_site import Found
from tests.reporter.test_html_report import data_of, part_of, report_of
from urlset.html_report import ExampleLog

URL = "https://example.com/shop/page-{:05}.html"


def log_of(count: int, omitted: int = 0) -> ExampleLog:
    log = ExampleLog()
    for n in range(count):
        log.add(Found("N102", "error", "returns HTTP 404", URL.format(n)))
    log.add_omitted("error", "N102", omitted)
    return log


@pytest.mark.parametrize("count", [2, 10, 100])
def test_a_list_is_whole_without_scripts(count):
    page = report_of(log_of(count))

    listed = part_of(page, r'<pre tabindex="0" data-urls="N102">(.*?)</pre>')
    assert listed.split("\n") == [URL.format(n) for n in range(count)]
    assert f"All {count} URLs as a list" in page


def test_one_url_needs_no_list():
    assert "data-urls" not in report_of(log_of(1)).partition("<script")[0]


def test_data_has_all_of_ten_thousand_urls():
    page = report_of(log_of(10_000 - 1))

    assert data_of(page)["N102"]["all"] == [URL.format(n) for n in range(10_000 - 1)]
    assert "All 9,999 URLs as a list" in page


def test_a_limited_list_says_so_and_how_to_get_the_rest():
    page = report_of(log_of(10_000, 25_000))

    assert "The first 10,000 URLs as a list" in page
    assert "35,000 findings in total: the SQL of this rule returns all of them" in page
    assert "keep the tables with <code>store=&quot;site.duckdb&quot;</code>" in page


def test_a_url_counts_once():
    log = log_of(50)
    for _ in range(2_000):
        log.add(Found("N102", "error", "returns HTTP 404", URL.format(7)))

    page = report_of(log)

    assert "All 50 URLs as a list" in page
    assert len(data_of(page)["N102"].get("all", [None] * 50)) == 50


@pytest.mark.slow
@pytest.mark.parametrize("count", [30, 9_999])
def test_the_button_copies_all_urls_without_a_network(tmp_path, count):
    path = browsers.found("chromium")
    if path is None:
        pytest.skip("no chromium on PATH: the report is not opened")
    report = tmp_path / "report.html"
    report.write_text(report_of(log_of(count)), "utf-8")

    async def use(page):
        await page.open(report.as_uri(), width=390)
        return await page.run(
            """(async () => {
                let copied = "";
                const clipboard = { writeText: async (text) => { copied = text; } };
                Object.defineProperty(navigator, "clipboard", { value: clipboard });
                const list = document.querySelector(".all");
                list.parentElement.open = list.open = true;
                for (let n = 0; n < 200 && list.querySelector(".cut"); n++)
                    await new Promise((done) => setTimeout(done, 25));
                list.querySelector("button").click();
                const status = list.querySelector("[role=status]");
                for (let n = 0; n < 200 && !status.textContent; n++)
                    await new Promise((done) => setTimeout(done, 25));
                const pre = list.querySelector("pre");
                return [pre.textContent, copied, status.textContent];
            })()"""
        )

    text, copied, status = partial(drive, path, tmp_path / "profile")(use)
    assert text.split("\n") == [URL.format(n) for n in range(count)]
    assert copied == text
    assert status == f"{count:,} URLs copied"


@pytest.mark.slow
def test_paper_has_the_urls_that_the_table_has_not(tmp_path):
    path = browsers.found("chromium")
    if path is None:
        pytest.skip("no chromium on PATH: the report is not opened")
    is_shown = {}
    for count in (10, 30, 501):
        report = tmp_path / f"{count}.html"
        report.write_text(report_of(log_of(count)), "utf-8")

        async def use(page, report=report):
            await page.open(report.as_uri())
            await page.emulate(media="print")
            return await page.run("document.querySelector('.all pre').checkVisibility()")

        is_shown[count] = drive(path, tmp_path / f"profile-{count}", use)
    assert is_shown == {10: False, 30: True, 501: False}
