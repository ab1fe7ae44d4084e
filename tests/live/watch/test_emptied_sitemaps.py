"""A sitemap or an index that is read, but lists nothing any more: its URLs are kept for a while."""

from datetime import timedelta

import pytest

from tests.live.sync.test_sync import Index
from tests.live.watch.simulated_site import SITE, SimulatedSite


@pytest.fixture
def site(tmp_path):
    """An index with two sitemaps, of 20 and of 5 URLs."""
    site = SimulatedSite(tmp_path / "site.duckdb")
    site.put_index("/sitemap.xml", [("/a.xml", None), ("/b.xml", None)])
    site.put("/a.xml", [(f"/a/{n}", "2026-01-01") for n in range(20)])
    site.put("/b.xml", [(f"/b/{n}", "2026-01-01") for n in range(5)])
    return site


def test_empty_sitemap_removes_its_urls_after_three_steps(site):
    site.step()
    site.put("/a.xml", [])

    for _ in range(3):
        found = site.step()
        assert (found.urls, found.unknown, found.removed, found.alerts) == (25, 20, 0, ())
        assert found.incomplete == (
            f"{SITE}/a.xml: it lists nothing any more; its former URLs are kept for three steps, "
            "and for a day at least",
        )

    found = site.step()
    assert (found.urls, found.removed, found.is_complete) == (5, 20, True)
    assert [alert.kind for alert in found.alerts] == ["shrink"]
    assert site.step().is_complete


def test_empty_sitemap_is_kept_for_a_day_if_there_are_many_steps_in_it(site):
    site.step()
    site.put("/a.xml", [])

    assert [site.step(hours=6).removed for _ in range(6)] == [0, 0, 0, 0, 20, 0]


def test_a_step_of_a_clock_in_the_future_does_not_lengthen_the_time(site):
    site.step(hours=24 * 3650)
    site.now -= timedelta(days=3650)
    site.put("/a.xml", [])

    assert [site.step().removed for _ in range(5)] == [0, 0, 0, 20, 0]


def test_sitemap_with_an_unreadable_entry_is_requested_in_turn_once_it_counts_as_it_is(site):
    site.put_index("/sitemap.xml", [("/a.xml", "2026-01-01"), ("/b.xml", "2026-01-01")])
    site.step()
    good = site.documents["/a.xml"]
    site.documents["/a.xml"] = good.replace(f"{SITE}/a/7<", "undefined/7<")
    site.put_index("/sitemap.xml", [("/a.xml", "2026-01-02"), ("/b.xml", "2026-01-01")])

    requested = []
    for _ in range(6):
        found = site.step(recheck_sitemaps=0)
        requested.append("/a.xml" in site.paths)
    assert requested == [True] * 4 + [False] * 2
    assert (found.urls, found.unknown, found.is_complete) == (24, 0, True)

    site.step(recheck_sitemaps=2)
    assert "/a.xml" in site.paths
    site.documents["/a.xml"] = good
    site.put_index("/sitemap.xml", [("/a.xml", "2026-01-03"), ("/b.xml", "2026-01-01")])
    assert site.step(recheck_sitemaps=0).urls == 25


def test_sitemap_that_was_empty_for_a_step_changes_nothing(site):
    site.step()
    good = site.documents["/a.xml"]
    site.put("/a.xml", [])
    site.step()
    site.documents["/a.xml"] = good

    found = site.step()

    assert (found.urls, found.unknown, found.added, found.removed) == (25, 0, 0, 0)
    assert found.is_complete


def test_empty_sitemap_whose_urls_another_one_lists_removes_nothing(site):
    site.step()
    site.put("/a.xml", [])
    site.put("/b.xml", [(f"/a/{n}", "2026-01-01") for n in range(20)])

    found = site.step()

    assert (found.unknown, found.removed) == (5, 0)  # /b/ is not listed, but may be in a.xml


def test_small_sitemap_may_become_empty(site):
    """As one of news does on a quiet day."""
    site.step()
    site.put("/b.xml", [])

    found = site.step()

    assert (found.removed, found.is_complete) == (5, True)


def test_empty_index_removes_its_urls_after_three_steps(site):
    site.step()
    good = site.documents["/sitemap.xml"]
    site.put_index("/sitemap.xml", [])

    for _ in range(3):
        found = site.step()
        assert (found.unknown, found.removed) == (25, 0)
        assert f"{SITE}/sitemap.xml: it lists nothing any more" in found.incomplete[0]
    site.documents["/sitemap.xml"] = good
    found = site.step()
    assert (found.urls, found.unknown, found.added, found.is_complete) == (25, 0, 0, True)

    site.put_index("/sitemap.xml", [])
    removed = [site.step().removed for _ in range(5)]
    assert removed == [0, 0, 0, 25, 0]


def test_empty_sitemap_is_requested_although_its_index_has_the_same_date(site):
    """Generators write the date when they start, and an empty file before it is complete."""
    first, second = "2026-01-01", "2026-01-05"
    site.put_index("/sitemap.xml", [("/a.xml", first), ("/b.xml", first)])
    site.step(recheck_sitemaps=0)
    good = site.documents["/a.xml"]
    site.put_index("/sitemap.xml", [("/a.xml", second), ("/b.xml", first)])
    site.put("/a.xml", [])

    for _ in range(3):
        found = site.step(recheck_sitemaps=0)
        assert (found.unknown, found.removed, len(found.incomplete)) == (20, 0, 1)
        assert "/a.xml" in site.paths
        assert "/b.xml" not in site.paths

    site.documents["/a.xml"] = good
    found = site.step(recheck_sitemaps=0)
    assert (found.urls, found.unknown, found.removed, found.is_complete) == (25, 0, 0, True)
    site.step(recheck_sitemaps=0)
    assert "/a.xml" not in site.paths


BROKEN = "<urlset><url><loc>https://example.com/a/0</loc></url>"


@pytest.mark.parametrize(
    ("path", "failed"), [("/a.xml", 503), ("/sitemap.xml", 503), ("/a.xml", BROKEN)]
)
def test_empty_sitemap_is_kept_for_three_steps_after_those_in_which_it_failed(site, path, failed):
    site.step()
    count = 25 if path == "/sitemap.xml" else 20
    for n in range(3):
        site.documents[path] = failed if isinstance(failed, int) else failed + " " * n
        site.step()
    if path == "/sitemap.xml":
        site.put_index(path, [])
    else:
        site.put(path, [])

    assert [site.step().removed for _ in range(5)] == [0, 0, 0, count, 0]


def test_steps_in_which_an_empty_sitemap_fails_do_not_begin_the_three_anew(site):
    site.step()
    site.put("/a.xml", [])
    empty = site.documents["/a.xml"]
    removed = []
    for answer in (empty, 503, 503, 503, empty):
        site.documents["/a.xml"] = answer
        removed.append(site.step().removed)

    assert removed == [0, 0, 0, 0, 20]


@pytest.mark.parametrize("order", [("s", "a", "b"), ("a", "s", "b")])
def test_sitemaps_that_are_empty_with_the_same_bytes_are_kept(tmp_path, order):
    """The second one counts as a copy of the first; that one may be small, or always empty."""
    site = SimulatedSite(tmp_path / "site.duckdb")
    lines = "\n".join(f"Sitemap: {SITE}/{name}.xml" for name in order)
    site.documents["/robots.txt"] = f"User-agent: *\nAllow: /\n{lines}"
    for name, count in (("s", 4), ("a", 30), ("b", 30)):
        site.put(f"/{name}.xml", [(f"/{name}/{n}", None) for n in range(count)])
    site.step()
    for name in order:
        site.put(f"/{name}.xml", [])

    for _ in range(3):
        found = site.step()
        assert (found.removed, len(found.incomplete)) == (0, 2)
    assert site.step().removed == 64


def test_pages_of_an_empty_sitemap_are_unknown_to_an_index(tmp_path):
    index = Index(tmp_path)
    site = index.site
    site.put_index("/sitemap.xml", [("/a.xml", None), ("/b.xml", None)])
    site.put("/a.xml", [(f"/p/a{n:02}", "2026-01-01") for n in range(12)])
    site.put("/b.xml", [(f"/p/b{n:02}", "2026-01-01") for n in range(28)])
    pages = [f"/p/a{n:02}" for n in range(12)] + [f"/p/b{n:02}" for n in range(28)]
    site.documents |= {path: f"<!doctype html><main><p>{path}" for path in pages}
    index.sync()
    good = site.documents["/a.xml"]
    site.put("/a.xml", [])

    found = index.sync(recheck_pages=0)

    assert found == {"unknown": pages[:12]}
    site.documents["/a.xml"] = good
    assert (index.sync(recheck_pages=0), index.last.is_complete) == ({}, True)

    site.put("/a.xml", [])
    kinds = [[*index.sync(recheck_pages=0)] for _ in range(4)]
    assert kinds == [["unknown"]] * 3 + [["removed"]]
