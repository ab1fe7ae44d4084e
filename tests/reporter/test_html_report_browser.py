"""The HTML report in Chromium: no requests, no errors, accessible, whole without the script."""

import re
from datetime import UTC, datetime
from functools import partial

import pytest

from tests import browsers
from tests.reporter.chromium import axe_source, drive
from tests.reporter.live_site import BASE, HOSTILE_TITLE, fill, findings
from tests.reporter.test_html_report import report_of
from urlset.html_report import ExampleLog, LastmodTrial, RuleChange, take_figures
from urlset.live.figures.page_figures import OUTCOMES
from urlset.live.report import Report, SiteRule, SiteState
from urlset.store import Store

pytestmark = pytest.mark.slow

OPEN_ALL = "for (const found of document.querySelectorAll('details')) found.open = true"


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """Address of a report with every chart and hostile texts."""
    log = ExampleLog()
    with Store.open() as store:
        fill(store, 4_000)
        for found in findings(store):
            log.add(found)
        with store.session() as session:
            figures = take_figures(session, BASE)
    page = report_of(
        log,
        [figures],
        lastmod_trial=[LastmodTrial("/shop/", 100, 70, 20, 5, 5, 10)],
        changes=[RuleChange("N001", 3, 1, 8), RuleChange("N003", 0, 5, 8)],
    )
    path = tmp_path_factory.mktemp("report") / "report.html"
    path.write_text(page, "utf-8")
    return path.as_uri()


@pytest.fixture
def browse(tmp_path):
    """Call a function with a page of Chromium."""
    path = browsers.found("chromium")
    if path is None:
        pytest.skip("no chromium on PATH: the report is not opened")
    return partial(drive, path, tmp_path / "profile")


@pytest.fixture(scope="module")
def axe() -> str:
    """Source of axe-core, which finds violations of WCAG."""
    source = axe_source()
    if source is None:
        pytest.skip("axe-core is not installed (npm install --no-save axe-core)")
    return source


@pytest.fixture(scope="module")
def site_report(tmp_path_factory):
    """Address of a report on several sites, which has hostile texts, too."""
    rule = SiteRule("N102", "url-client-error", "error", 3, 1, f"{HOSTILE_TITLE} returns HTTP 404")
    outcomes = dict(zip(OUTCOMES, (5, 1, 2, 3, 0, 1), strict=True))
    folder = tmp_path_factory.mktemp("sites")
    (folder / "a.html").touch()
    moment, why = datetime(2026, 11, 1, tzinfo=UTC), (f"not read: {HOSTILE_TITLE}",)
    names = {"a": BASE, "b": f"https://{'long' * 60}.example/", "c": HOSTILE_TITLE}
    sites = [
        SiteState(
            store=str(folder / f"{name}.duckdb"),
            site=site,
            kinds=("audit", "watch"),
            examined=moment,
            listed=12,
            visited=11,
            outcomes=outcomes,
            alerts=1,
            rules=(rule,),
            fixed=0,
            incomplete=why,
        )
        for name, site in names.items()
    ]
    Report(sites, ["junk.duckdb cannot be read"]).report(folder / "index.html")
    return (folder / "index.html").as_uri()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("which", ["report", "site_report"])
def test_axe_finds_no_violation(browse, axe, which, scheme, width, request):
    report = request.getfixturevalue(which)

    async def use(page):
        await page.open(report, width=width, scheme=scheme)
        await page.run(OPEN_ALL)
        await page.run("new Promise((done) => setTimeout(done, 100))")
        await page.run(f"{axe}; 0")
        return await page.run(
            "axe.run().then((found) => found.violations.map("
            "(each) => [each.id, each.impact, each.nodes[0].html]))"
        )

    assert browse(use) == []


@pytest.mark.parametrize("which", ["report", "site_report"])
def test_report_requests_nothing_and_logs_no_error(browse, which, request):
    report = request.getfixturevalue(which)

    async def use(page):
        await page.open(report)
        await page.run(OPEN_ALL)
        await page.run("new Promise((done) => setTimeout(done, 100))")
        return page.events

    events = browse(use)

    requested = [
        event["params"]["request"]["url"]
        for event in events
        if event["method"] == "Network.requestWillBeSent"
    ]
    assert requested == [report]
    bad = ("Log.entryAdded", "Runtime.exceptionThrown", "Runtime.consoleAPICalled")
    assert [event for event in events if event["method"] in bad] == []


def test_policy_blocks_a_script_that_is_not_of_the_report(browse, report):
    async def use(page):
        await page.open(report)
        return await page.run(
            "const script = document.createElement('script');"
            "script.textContent = 'window.hit = 1';"
            "document.body.append(script); window.hit === undefined"
        )

    assert browse(use) is True


def natural(text: str) -> list[tuple[int, str]]:
    """Return a key that orders numbers in a text by their value."""
    return [(int(part), "") if part.isdigit() else (0, part) for part in re.split(r"(\d+)", text)]


def test_script_shows_all_examples_searches_and_sorts_them(browse, report):
    script = """(async () => {
        const rule = document.getElementById("rule-N003");
        rule.open = true;
        for (let n = 0; n < 100 && !rule.querySelector("input"); n++)
            await new Promise((done) => setTimeout(done, 20));
        const table = rule.querySelector("table");
        const texts = () => [...table.tBodies[0].rows].map((row) => row.cells[0].textContent);
        const status = () => rule.querySelector("[role=status]").textContent;
        const found = { first: texts(), status: status(), more: rule.querySelector(".more") };
        const search = rule.querySelector("input");
        search.value = "OUTLET";
        search.dispatchEvent(new Event("input"));
        found.searched = texts();
        found.count = status();
        table.querySelector("th button").click();
        table.querySelector("th button").click();
        found.descending = texts();
        found.sort = table.querySelector("th").getAttribute("aria-sort");
        return found;
    })()"""

    async def use(page):
        await page.open(report)
        return await page.run(script)

    found = browse(use)

    assert len(found["first"]) == 25
    assert found["more"] is None  # all examples are in the report
    assert found["status"].startswith("1–25 of ")
    assert all("/outlet/" in text for text in found["searched"])
    assert " found among " in found["count"]
    assert found["sort"] == "descending"
    assert found["descending"] == sorted(found["descending"], key=natural, reverse=True)
    assert found["descending"] != found["searched"]


def test_script_shows_foreign_text_as_text(browse, report):
    script = """(async () => {
        const rule = document.getElementById("rule-U012");
        rule.open = true;
        for (let n = 0; n < 100 && !rule.querySelector("input"); n++)
            await new Promise((done) => setTimeout(done, 20));
        const links = [...rule.querySelectorAll("td a")];
        return { text: rule.querySelector("tbody tr").cells[1].textContent,
                 markup: rule.querySelectorAll("td img, td script").length,
                 schemes: [...new Set(links.map((link) => link.protocol))],
                 referrers: [...new Set(links.map((link) => link.rel))] };
    })()"""

    async def use(page):
        await page.open(report)
        return await page.run(script)

    assert browse(use) == {
        "text": f"title: {HOSTILE_TITLE}".replace("\u202e", "\\u202e"),
        "markup": 0,
        "schemes": ["https:"],
        "referrers": ["noreferrer"],
    }


WHOLE = """({
    charts: [...document.querySelectorAll("figure svg, figure .matrix")].filter(
        (chart) => chart.getBoundingClientRect().height > 0).length,
    figures: document.querySelectorAll("figure").length,
    rows: [...document.querySelectorAll(".rule tbody tr")].length,
    inputs: document.querySelectorAll("input").length,
    overflow: document.documentElement.scrollWidth - innerWidth,
})"""


def test_report_is_whole_without_scripts(browse, report):
    async def use(page):
        await page.open(report, has_script=False)
        return await page.run(WHOLE)

    found = browse(use)

    assert found["figures"] == 9
    assert found["charts"] > 40
    assert found["rows"] == 50
    assert found["inputs"] == 0


@pytest.mark.parametrize("width", [320, 390, 800, 1280])
def test_report_fits_its_window(browse, report, width):
    async def use(page):
        await page.open(report, width=width)
        await page.run(OPEN_ALL)
        return await page.run(WHOLE)

    assert browse(use)["overflow"] <= 0


def test_print_opens_the_rules_in_light_colours(browse, report):
    async def use(page):
        await page.open(report, scheme="dark")
        await page.emulate(scheme="dark", media="print")
        return await page.run(
            "[getComputedStyle(document.body).backgroundColor,"
            "document.querySelector('.rule table').getBoundingClientRect().height > 0,"
            "getComputedStyle(document.querySelector('nav')).display]"
        )

    assert browse(use) == ["rgb(255, 255, 255)", True, "none"]
