"""Audits that could request no page, or judge none: nothing is visited, new or fixed."""

from typing import Any

import pytest

import urlset
from tests.live_sites import audit, found, put_page, put_site
from tests.site_box import SiteBox

PAGES = [f"/p{n}" for n in range(12)]


@pytest.fixture
def box():
    with SiteBox() as site:
        put_site(site, dict.fromkeys(PAGES, ()))
        yield site


def run(box: SiteBox, path: Any, **options: Any) -> Any:
    return audit(box, start=box.url("/sitemap.xml"), store=path, llms_txt=False, **options)


def refuse(box: SiteBox) -> None:
    box.put("/robots.txt", "busy", 503)


@pytest.mark.parametrize("verdict", ["unknown", "disallowed"])
def test_pages_that_were_not_requested_are_not_visited(box, tmp_path, verdict):
    box.put_robots("User-agent: *", "Disallow: /p")
    if verdict == "unknown":
        refuse(box)
    path = tmp_path / "audit.duckdb"

    with run(box, path, retries=0) as result:
        assert (result.listed, result.visited) == (12, 0)
        assert result.to_dict()["verdicts"] == {verdict: 12}
        assert "12 " in result.summary
        assert "No page was requested." in result.summary
    assert not [hit for hit in box.paths if hit.startswith("/p")]
    assert urlset.report(path).sites[0].visited == 0


def test_a_visit_that_shows_nothing_is_neither_new_nor_fixed(box, tmp_path):
    path = tmp_path / "audit.duckdb"
    run(box, path).close()

    refuse(box)
    with run(box, path, retries=0) as result:
        assert result.by_rule["N116"] == 12
        assert result.changes == (1, 0, 0)  # robots.txt itself, R015
    box.put_robots("User-agent: *", "Allow: /")
    with run(box, path) as result:
        assert result.changes == (0, 1, 0)
        assert result.visited == 12


@pytest.mark.parametrize("ignore", [(), ("N116",)])
@pytest.mark.parametrize("lines", [None, ("User-agent: *", "Disallow: /p")])
def test_an_earlier_finding_is_not_fixed_while_its_page_is_not_requested(
    box, tmp_path, ignore, lines
):
    path = tmp_path / "audit.duckdb"
    box.put("/p3", "gone", 404)
    options = {"ignore": (*ignore, "R015", "R010")}
    with run(box, path, **options) as result:
        assert found(result, box) == {("url-client-error", "/p3")}

    refuse(box)
    if lines:
        box.put_robots(*lines)
    with run(box, path, retries=0, **options) as result:
        assert result.changes == (0, 0, 0)
        changes = result.store.query("SELECT change FROM audit_findings WHERE code = 'N102'")
        assert list(changes) == [("not checked",)]

    put_page(box, "/p3")
    box.put_robots("User-agent: *", "Allow: /")
    with run(box, path, **options) as result:
        assert result.changes == (0, 1, 0)
