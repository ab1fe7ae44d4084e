"""The documentation site in Chromium, on a phone and a desktop, light and dark."""

import pytest
from docs import build_site

from tests import browsers
from tests.reporter.chromium import axe_source, drive

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        build_site.zensical() is None, reason="zensical is not installed (make site)"
    ),
]
# One of each kind: hand-written and generated pages, wide tables, long code.
PATHS = """/ building/ comparison/ rules/ rules/lastmod-future/ api/ options/ commands/ tables/
performance/""".split()
SERIOUS = """axe.run().then((found) => found.violations
    .filter((each) => ["serious", "critical"].includes(each.impact))
    .map((each) => [each.id, each.nodes[0].html]))"""
BAD = ("Log.entryAdded", "Runtime.exceptionThrown", "Runtime.consoleAPICalled")
WAIT = "new Promise((done) => setTimeout(done, 150))"


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """Address of the site on loopback."""
    folder = tmp_path_factory.mktemp("built")
    with build_site.served(folder / "site") as found:
        build_site.build(folder, found)
        yield found


@pytest.fixture
def browse(tmp_path):
    """Call a function with a page of Chromium."""
    path = browsers.found("chromium")
    if path is None:
        pytest.skip("no chromium on PATH: the site is not opened")
    return lambda use: drive(path, tmp_path / "profile", use)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_pages_are_accessible_and_fit_the_window(browse, address, width, scheme):
    axe = axe_source()

    async def use(page):
        found = {}
        for path in PATHS:
            page.events.clear()
            await page.open(address + path.removeprefix("/"), width=width, scheme=scheme)
            await page.run(WAIT)
            is_wide = await page.run("document.documentElement.scrollWidth > innerWidth")
            if axe is not None:
                await page.run(f"{axe}; 0")
                found[path] = await page.run(SERIOUS)
            requested = [
                event["params"]["request"]["url"]
                for event in page.events
                if event["method"] == "Network.requestWillBeSent"
            ]
            outside = [url for url in requested if not url.startswith((address, "data:"))]
            logged = [event for event in page.events if event["method"] in BAD]
            assert (is_wide, outside, logged) == (False, [], []), path
        return found

    found = browse(use)

    if axe is None:
        pytest.skip("axe-core is not installed (npm install --no-save axe-core)")
    assert found == {path: [] for path in PATHS}


def test_rules_are_filtered(browse, address):
    async def use(page):
        await page.open(f"{address}rules/")
        return await page.run(
            "(() => { const field = document.querySelector('.rule-filter');"
            "field.value = 'lastmod FUTURE'; field.dispatchEvent(new Event('input'));"
            "return [...document.querySelectorAll('article tbody tr')]"
            ".filter((row) => !row.hidden).map((row) => row.cells[0].textContent); })()"
        )

    found = browse(use)

    assert found == ["D007"]


def test_search_finds_a_rule(browse, address):
    """The results are in a shadow root, which the theme creates."""
    found = """(async () => {
        for (let n = 0; n < 200; n++) {
            for (const element of document.querySelectorAll("body > div")) {
                const link = element.shadowRoot?.querySelector("a[href*='rules/lastmod-future/']");
                if (link) return link.href;
            }
            await new Promise((done) => setTimeout(done, 50));
        }
    })()"""

    async def use(page):
        await page.open(address)
        await page.run(WAIT)
        await page.run("document.querySelector('.md-search__button').click()")
        await page.run(WAIT)
        for character in "lastmod-future":
            await page.send("Input.dispatchKeyEvent", type="char", text=character)
        return await page.run(found)

    assert browse(use).startswith(f"{address}rules/lastmod-future/")
