"""What a sitemap answers counts from its first answer of that kind on, not from another failure."""

import re

import pytest

from tests.live.watch.simulated_site import SITE, SimulatedSite

PAGE = "<!doctype html><title>Maintenance</title>"
CUT_OFF = {"error": "truncated", "message": "the connection was closed early", "is_whole": False}


@pytest.fixture
def site(tmp_path):
    """A sitemap at a usual path that nothing names."""
    site = SimulatedSite(tmp_path / "site.duckdb")
    site.documents = {"/robots.txt": "User-agent: *\nAllow: /"}
    site.put("/sitemap.xml", [(f"/{n}", None) for n in range(20)])
    site.step()
    return site


@pytest.fixture
def refused(tmp_path):
    """Two sitemaps that robots.txt named before it was refused for good."""
    site = SimulatedSite(tmp_path / "site.duckdb")
    site.documents = {"/robots.txt": f"Sitemap: {SITE}/a.xml\nSitemap: {SITE}/b.xml"}
    for name in "ab":
        site.put(f"/{name}.xml", [(f"/{name}/{n}", None) for n in range(20)])
    site.step()
    site.documents["/robots.txt"] = 403
    for _ in range(5):
        site.step()
    return site


def without_some_urls(document):
    """Return a sitemap of which eleven entries have no URL."""
    return re.sub(rf"<loc>{SITE}/(\w/)?1\d*</loc>", "<loc></loc>", document)


@pytest.mark.parametrize("answer", [404, without_some_urls])
def test_one_other_answer_after_a_long_failure_removes_nothing(site, answer):
    good = site.documents["/sitemap.xml"]
    site.documents["/sitemap.xml"] = 503
    for _ in range(27):
        site.step(hours=1)
    site.documents["/sitemap.xml"] = answer(good) if callable(answer) else answer

    found = [site.step(hours=1) for _ in range(2)]
    assert [(each.removed, each.unknown > 0, each.alerts) for each in found] == [(0, True, ())] * 2
    site.documents["/sitemap.xml"] = good
    found = site.step(hours=1)
    assert (found.added, found.unknown, found.is_complete) == (0, 0, True)


def test_sitemap_that_is_not_found_after_a_long_failure_is_dropped_after_three_steps(site):
    site.documents["/sitemap.xml"] = 503
    for _ in range(5):
        site.step()
    site.documents["/sitemap.xml"] = 404

    assert [site.step().removed for _ in range(5)] == [0, 0, 0, 20, 0]


@pytest.mark.parametrize(("answer", "removed"), [(404, 20), (without_some_urls, 11)])
def test_server_that_fails_in_between_does_not_keep_urls_for_good(site, answer, removed):
    good = site.documents["/sitemap.xml"]
    other = answer(good) if callable(answer) else answer

    counts = []
    for number in range(8):
        site.documents["/sitemap.xml"] = 503 if number % 2 == 0 else other
        counts.append(site.step().removed)
    assert sum(counts[:4]) == 0
    assert sum(counts) == removed


def test_one_refusal_after_a_long_failure_does_not_drop_a_former_sitemap(refused):
    good, refused.documents["/b.xml"] = refused.documents["/b.xml"], 503
    for _ in range(27):
        refused.step(hours=1)
    refused.documents["/b.xml"] = 403

    assert (refused.step(hours=1).removed, refused.step(hours=1).removed) == (0, 0)
    refused.documents["/b.xml"] = good
    assert (refused.step().added, refused.step().is_complete) == (0, True)


@pytest.mark.parametrize(
    ("body", "facts"),
    [
        ("", {}),
        ("Warning: mysqli_connect(): Too many connections", {}),
        ("<br />\n<b>Warning</b>: Too many connections<br />", {}),
        ("\x1f garbage", {}),
        ("", CUT_OFF),
        (PAGE, CUT_OFF),
        ("", {"error": "too-large", "message": "more than 50 MB"}),
    ],
)
def test_former_sitemap_with_an_answer_that_is_no_page_is_kept(refused, monkeypatch, body, facts):
    good, refused.documents["/b.xml"] = refused.documents["/b.xml"], body
    respond = refused._respond
    with monkeypatch.context() as patch:

        def answer(request):
            found = respond(request)
            return found._replace(**facts) if request.url == f"{SITE}/b.xml" else found

        patch.setattr(refused, "_respond", answer)
        for _ in range(6):
            found = refused.step()
            assert (found.removed, found.unknown, found.is_complete) == (0, 20, False)
    refused.documents["/b.xml"] = good
    found = refused.step()
    assert (found.added, found.unknown, found.is_complete) == (0, 0, True)


@pytest.mark.parametrize("answer", [PAGE, 403, 404])
def test_former_sitemap_that_answers_a_page_is_dropped(refused, answer):
    refused.documents["/b.xml"] = answer

    assert [refused.step().removed for _ in range(5)] == [0, 0, 0, 20, 0]


@pytest.mark.parametrize("is_empty", [True, False])
def test_sitemap_that_was_repaired_between_frequent_and_rare_steps_is_requested(tmp_path, is_empty):
    """It has the date in the index that it had when it was wrong."""
    site = SimulatedSite(tmp_path / "site.duckdb")
    dates = dict.fromkeys((f"/{n:02}.xml" for n in range(40)), "2026-01-01")
    for path in dates:
        site.put(path, [(f"{path[:3]}/{n}", "2026-01-01") for n in range(20)])
    site.put_index("/sitemap.xml", dates.items())
    for _ in range(4):
        site.step(hours=1)
    good = str(site.documents["/00.xml"])
    site.put_index("/sitemap.xml", (dates | {"/00.xml": "2026-01-05"}).items())
    wrong = re.sub(rf"<loc>{SITE}/00/1\d*</loc>", "<loc></loc>", good)
    site.documents["/00.xml"] = good.split("<url>")[0] + "</urlset>" if is_empty else wrong
    for _ in range(7):
        assert site.step(hours=1).removed == 0
    site.documents["/00.xml"] = good

    found = site.step(hours=64)

    assert "/00.xml" in site.paths
    assert (found.removed, found.unknown, found.is_complete) == (0, 0, True)
