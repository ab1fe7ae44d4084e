"""One step of a watch: what is requested, what is stored, and what a failure does not do."""

from datetime import timedelta

import pytest

import urlset
from tests.live.watch.simulated_site import SITE, SimulatedSite
from urlset.live.history.reader import entries_at
from urlset.store import Store


@pytest.fixture
def site(tmp_path):
    """An index with two children, five URLs each; the index has a date for the first one."""
    site = SimulatedSite(tmp_path / "site.duckdb")
    site.put_index("/sitemap.xml", [("/a.xml", "2026-01-01"), ("/b.xml", None)])
    site.put("/a.xml", [(f"/news/{n}", "2026-01-01") for n in range(5)])
    site.put("/b.xml", [(f"/blog/{n}", "2026-01-01") for n in range(5)])
    return site


def state_at(site, snapshot):
    """Return path, date and whether it is known, of all URLs at a snapshot."""
    query = f"SELECT loc, strftime(lastmod, '%m-%d'), is_known FROM ({entries_at(snapshot)})"
    with Store.open(site.path, read_only=True) as store, store.session() as session:
        rows = list(session.rows(f"{query} ORDER BY ALL"))
    return [(loc.removeprefix(SITE), lastmod, known) for loc, lastmod, known in rows]


def test_first_step_stores_all_urls_as_known_not_as_added(site):
    found = site.step()

    assert (found.snapshot, found.urls, found.added, found.examples) == (1, 10, 0, ())
    assert found.is_complete
    assert site.paths == ["/robots.txt", "/", "/sitemap.xml", "/a.xml", "/b.xml"]


def test_second_step_shows_the_changes(site):
    site.step()
    site.put(
        "/b.xml", [(f"/blog/{n}", "2026-01-02" if n == 3 else "2026-01-01") for n in range(1, 6)]
    )

    found = site.step()

    assert [(c.change, c.loc.removeprefix(SITE)) for c in found.examples] == [
        ("added", "/blog/5"),
        ("changed", "/blog/3"),
        ("removed", "/blog/0"),
    ]
    assert (found.urls, found.added, found.removed, found.changed) == (10, 1, 1, 1)
    assert [row for row in state_at(site, 1) if "/blog/" in row[0]] == [
        (f"/blog/{n}", "01-01", True) for n in range(5)
    ]
    assert ("/blog/3", "01-02", True) in state_at(site, 2)


def test_a_step_of_a_clock_in_the_future_stops_no_later_request(site):
    site.step()
    site.step(hours=24 * 3650)
    site.now -= timedelta(days=3650)

    site.step(hours=1, recheck_sitemaps=1)
    assert "/" in site.paths, "the home page was not requested at a time before now"
    seen = set(site.paths)
    for _ in range(3):
        site.step(hours=25, recheck_sitemaps=1)
        seen |= set(site.paths)
        assert "/" in site.paths

    assert {"/a.xml", "/b.xml"} <= seen


def test_unchanged_documents_are_requested_conditionally_or_not_at_all(site):
    site.step()

    site.step(recheck_sitemaps=0)

    # The index has the same date for a.xml, and none for b.xml.
    assert site.paths == ["/robots.txt", "/sitemap.xml", "/b.xml"]
    assert all(request.etag for request in site.requests[1:])
    assert site.query("SELECT same_count, trusted_count FROM snapshots")[-1] == (2, 1)


def test_sitemap_with_a_new_date_in_its_index_is_read(site):
    site.step()
    site.put_index("/sitemap.xml", [("/a.xml", "2026-01-09"), ("/b.xml", None)])
    site.put("/a.xml", [("/news/0", "2026-01-09")])

    found = site.step(recheck_sitemaps=0)

    assert "/a.xml" in site.paths
    assert (found.removed, found.changed) == (4, 1)


def test_sitemaps_with_the_same_date_are_requested_in_turn(site):
    names = [f"/{n}.xml" for n in range(6)]
    site.put_index("/sitemap.xml", [(name, "2026-01-01") for name in names])
    for name in names:
        site.put(name, [(f"/docs{name}", None)])
    site.step()

    seen = []
    for _ in range(3):
        site.step(recheck_sitemaps=2)
        seen += [path for path in site.paths if path in names]

    assert sorted(seen) == names


def test_same_bytes_without_validators_are_unchanged(site):
    site.step()
    respond = site._respond
    site._respond = lambda request: respond(request._replace(etag=None))._replace(headers={})

    found = site.step()

    assert site.query("SELECT read_count, same_count FROM snapshots ORDER BY snapshot")[-1] == (
        0,
        3,
    )
    assert (found.added, found.removed, found.changed) == (0, 0, 0)


@pytest.mark.parametrize("failure", [403, 404, 410, 429, 500, 503, "<html>maintenance</html>"])
def test_failed_sitemap_is_not_a_removal(site, failure):
    site.step()
    before, site.documents["/b.xml"] = site.documents["/b.xml"], failure

    failed = site.step()

    assert (failed.urls, failed.unknown, failed.removed) == (10, 5, 0)
    assert not failed.is_complete
    assert f"{SITE}/b.xml" in failed.incomplete[0]
    assert {known for path, _, known in state_at(site, 2) if "/blog/" in path} == {False}
    assert {known for path, _, known in state_at(site, 2) if "/news/" in path} == {True}

    site.documents["/b.xml"] = before
    restored = site.step()

    assert (restored.unknown, restored.added, restored.removed) == (0, 0, 0)
    assert restored.is_complete


def test_failed_index_is_not_a_removal(site):
    site.step()
    site.documents["/sitemap.xml"] = 503

    found = site.step()

    assert (found.urls, found.unknown, found.removed) == (10, 10, 0)
    assert not found.is_complete


def test_failed_robots_txt_is_not_a_removal(tmp_path):
    site = SimulatedSite(tmp_path / "site.duckdb")
    site.put_robots(sitemap="/maps/all.xml")
    site.put("/maps/all.xml", [("/a", None)])
    site.step()
    site.documents["/robots.txt"] = 503

    found = site.step()

    assert (found.urls, found.unknown, found.removed) == (1, 1, 0)
    assert not found.is_complete


def test_url_that_may_have_moved_into_a_failed_sitemap_is_not_removed(site):
    site.step()
    site.put("/b.xml", [(f"/blog/{n}", "2026-01-01") for n in range(1, 5)])
    site.documents["/a.xml"] = 503

    found = site.step()

    assert (found.removed, found.unknown) == (0, 6)

    site.put(
        "/a.xml", [("/blog/0", "2026-01-01"), *((f"/news/{n}", "2026-01-01") for n in range(5))]
    )

    assert site.step().removed == 0
    assert site.query("SELECT DISTINCT missing_since FROM history WHERE last_snapshot IS NULL") == [
        (None,)
    ]


def test_removal_is_confirmed_once_all_sitemaps_can_be_read(site):
    site.step()
    site.put("/b.xml", [(f"/blog/{n}", "2026-01-01") for n in range(1, 5)])
    good, site.documents["/a.xml"] = site.documents["/a.xml"], 503
    site.step()
    site.documents["/a.xml"] = good

    found = site.step()

    assert [(c.change, c.loc) for c in found.examples] == [("removed", f"{SITE}/blog/0")]
    assert ("/blog/0", "01-01", False) in state_at(site, 2)


def test_sitemap_that_fails_for_long_does_not_hold_back_removals_for_ever(site):
    site.step()
    site.documents["/a.xml"] = 503
    for _ in range(3):
        site.step()
    site.put("/b.xml", [(f"/blog/{n}", "2026-01-01") for n in range(1, 5)])

    assert site.step().removed == 1


def test_unlisted_sitemap_removes_its_urls(site):
    site.step()
    site.put_index("/sitemap.xml", [("/a.xml", "2026-01-01")])

    found = site.step()

    assert (found.urls, found.removed) == (5, 5)


def test_sitemap_that_could_not_be_read_at_first_does_not_add_urls(site):
    good, site.documents["/b.xml"] = site.documents["/b.xml"], 503
    site.step()
    site.documents["/b.xml"] = good

    found = site.step()

    assert (found.urls, found.added) == (10, 0)


def test_site_without_sitemap_line_is_searched_once(tmp_path):
    site = SimulatedSite(tmp_path / "site.duckdb")
    site.documents["/robots.txt"] = "User-agent: *"
    site.put("/sitemap_index.xml", [("/a", None)])
    site.step()

    site.step()

    assert site.paths == ["/robots.txt", "/sitemap_index.xml"]


def test_step_without_any_answer_stores_an_incomplete_snapshot(site):
    site.step()
    site.documents = dict.fromkeys(site.documents, 503)

    found = site.step()

    assert (found.snapshot, found.unknown, found.removed) == (2, 10, 0)
    assert not found.is_complete


def test_first_step_without_a_sitemap_raises_and_leaves_no_store(tmp_path):
    site = SimulatedSite(tmp_path / "site.duckdb")

    with pytest.raises(urlset.SourceError, match=r"nothing could be read.*HTTP 404"):
        site.step()

    assert list(tmp_path.iterdir()) == []


def test_history_of_another_site_is_refused(site):
    site.step()

    with pytest.raises(
        urlset.StoreError,
        match=r"history of https://e\.org.* keep naming https://example\.com/ as long",
    ):
        site.step(site="https://e.org/")


def test_steps_count_what_was_observed_per_section(site):
    site.step(hours=1)
    site.put(
        "/b.xml", [("/blog/0", "2026-01-05T01:30:00Z"), ("/blog/1", "2026-01-01"), ("/new", None)]
    )

    site.step(hours=1, recheck_sitemaps=0)

    columns = (
        "name, gap_s, observed_count, changed_count, dated_count, age_s, added_count, removed_count"
    )
    assert site.query(
        f"SELECT {columns} FROM history_steps JOIN history_sections USING (section) "
        "WHERE snapshot = 2 ORDER BY name"
    ) == [("/", 3600, 0, 0, 0, 0.0, 1, 0), ("/blog/", 3600, 2, 1, 1, 1800.0, 0, 3)]


@pytest.fixture
def plain_site(tmp_path):
    """A site whose sitemap nothing names: it is at a usual path."""
    site = SimulatedSite(tmp_path / "site.duckdb")
    site.documents = {"/robots.txt": 404, "/": "<!doctype html><p>Tea", "/sitemap.xml": ""}
    site.put("/sitemap.xml", [("/tea", None), ("/mate", None)])
    return site


def test_a_sitemap_at_a_usual_path_that_is_missing_once_removes_nothing(plain_site):
    site, document = plain_site, plain_site.documents["/sitemap.xml"]
    site.step()
    site.documents["/sitemap.xml"] = 404

    missing = site.step()
    site.documents["/sitemap.xml"] = document
    back = site.step()

    assert (missing.urls, missing.unknown, missing.removed) == (2, 2, 0)
    assert missing.incomplete == (
        f"{SITE}/sitemap.xml: it was not found; the next step tries all usual paths",
    )
    assert (back.urls, back.unknown, back.added, back.is_complete) == (2, 0, 0, True)


def test_a_sitemap_that_moves_to_another_usual_path_is_found(plain_site):
    site = plain_site
    site.step()
    site.documents["/sitemap_index.xml"] = site.documents.pop("/sitemap.xml")

    site.step()
    found = site.step()
    after = site.step()

    assert (found.urls, found.unknown, found.added, found.removed) == (2, 0, 0, 0)
    assert site.paths == ["/robots.txt", "/sitemap_index.xml"]
    assert after.is_complete


def test_a_site_without_a_sitemap_for_some_steps_is_read_again(plain_site):
    site, document = plain_site, plain_site.documents["/sitemap.xml"]
    site.step()
    del site.documents["/sitemap.xml"]

    steps = [site.step() for _ in range(5)]
    site.documents["/sitemap.xml"] = document
    back = site.step()

    assert [(step.urls, step.removed) for step in steps] == [(2, 0)] * 3 + [(0, 2), (0, 0)]
    assert (back.urls, back.added, back.is_complete) == (2, 2, True)


@pytest.mark.parametrize("has_etag", [True, False])
def test_urls_of_a_sitemap_that_is_listed_again_are_listed_again(site, has_etag):
    site.documents["/robots.txt"] += f"\nSitemap: {SITE}/c.xml"
    site.put("/c.xml", [("/shop/1", None)])
    if not has_etag:
        respond = site._respond
        site._respond = lambda request: respond(request._replace(etag=None))
    site.step()
    site.put_robots()
    site.step()
    site.documents["/robots.txt"] += f"\nSitemap: {SITE}/c.xml"

    found = site.step()

    assert (found.urls, found.added) == (11, 1)


def test_unreadable_entries_hold_back_removals_for_three_steps(tmp_path):
    site = SimulatedSite(tmp_path / "site.duckdb")
    site.put("/sitemap.xml", [("/a", None), ("/b", None)])
    site.step()
    whole = str(site.documents["/sitemap.xml"])
    broken = whole.replace(f"{SITE}/b", "undefined/b")

    for _ in range(3):  # the second and the third are unchanged
        site.documents["/sitemap.xml"] = broken
        step = site.step()
        assert (step.removed, step.unknown) == (0, 1)
        assert "no readable URL" in step.incomplete[0] or "could not be read" in step.incomplete[0]

    step = site.step()
    assert (step.removed, step.unknown, step.incomplete) == (1, 0, ())

    site.documents["/sitemap.xml"] = whole
    assert site.step().added == 1
    site.put("/sitemap.xml", [("/a", None)])
    assert site.step().removed == 1


def test_entries_that_are_unreadable_for_long_hold_no_removals_back(tmp_path):
    site = SimulatedSite(tmp_path / "site.duckdb")

    def put(*paths):
        site.put("/sitemap.xml", [(path, None) for path in paths])
        site.documents["/sitemap.xml"] = str(site.documents["/sitemap.xml"]).replace(
            f"{SITE}/bad", "undefined/bad"
        )

    put("/a", "/b", "/c", "/bad1")
    assert site.step().incomplete == ()
    put("/a", "/b", "/bad1")
    assert site.step().removed == 1

    put("/a", "/bad1", "/bad2")
    step = site.step()
    assert (step.removed, step.unknown) == (0, 1)
    assert "2 entries have no readable URL" in step.incomplete[0]
