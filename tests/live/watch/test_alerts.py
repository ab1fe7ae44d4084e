"""Alerts: raised once, ended when over, never for what could not be read."""

import pytest

from tests.live.watch.simulated_site import SITE, SimulatedSite


@pytest.fixture
def site(tmp_path):
    """A site with 30 news and 30 blog posts, in two sitemaps."""
    site = SimulatedSite(tmp_path / "site.duckdb")
    site.put_index("/sitemap.xml", [("/news.xml", None), ("/blog.xml", None)])
    put(site)
    return site


def put(site, news=30, blog=30, date=None):
    for name, count in (("news", news), ("blog", blog)):
        rows = [
            (f"/{name}/{n}", date or f"2025-{1 + n % 12:02}-{1 + n % 28:02}") for n in range(count)
        ]
        site.put(f"/{name}.xml", rows)


def new(found):
    return [(alert.kind, alert.subject) for alert in found.new_alerts]


def all_open(found):
    return [(alert.kind, alert.subject) for alert in found.alerts]


def test_quiet_site_has_no_alert(site):
    for _ in range(3):
        assert site.step().alerts == ()


def test_robots_txt_that_disallows_more_is_reported_once(site):
    site.step()
    site.put_robots("User-agent: *", "Disallow: /news/")

    found = site.step()

    assert new(found) == [("robots", f"{SITE}/robots.txt")]
    assert found.new_alerts[0].message == (
        f"{SITE}/robots.txt changed: new rule *: disallow /news/; removed rule *: allow /"
    )
    assert all_open(site.step()) == []


def test_change_of_robots_txt_ends_with_the_next_step_that_changes_it_again(site):
    site.step()
    for path in ("/news/", "/blog/"):
        site.put_robots("User-agent: *", f"Disallow: {path}")
        [alert] = site.step().alerts
        assert alert.is_new
        assert f"new rule *: disallow {path}" in alert.message

    assert site.step().alerts == ()


def test_removed_sitemap_line_is_reported(site):
    site.step()
    site.documents["/robots.txt"] = "User-agent: *\nAllow: /"

    found = site.step()

    assert "removed Sitemap line https://example.com/sitemap.xml" in found.new_alerts[0].message
    # The sitemap is at a well-known path, so nothing is removed.
    assert found.removed == 0


@pytest.mark.parametrize("failure", [500, 503, 429, 401, 403, 451])
def test_failed_robots_txt_is_no_change_of_it(site, failure):
    site.step()
    good = site.documents["/robots.txt"]
    site.documents["/robots.txt"] = failure
    assert new(site.step()) == []
    site.documents["/robots.txt"] = good

    assert new(site.step()) == []


def test_refused_robots_txt_is_reported_as_not_read(site):
    site.step()
    site.documents["/robots.txt"] = 403

    found = site.step()

    assert found.incomplete == (
        f"{SITE}/robots.txt: HTTP 403; it may exist, so its former content is kept",
    )


def test_a_maintenance_page_at_every_path_changes_and_removes_nothing(site):
    """Its status is 200, for robots.txt and the sitemaps, too, and it lasts for several steps."""
    site.step()
    good = dict(site.documents)
    page = "<!doctype html><title>Maintenance</title><p>We are back soon."
    for path in (*good, "/", "/sitemap_index.xml"):
        site.documents[path] = page

    for _ in range(5):
        found = site.step()
        assert (new(found), found.removed, found.unknown) == ([], 0, 60)
        assert "robots.txt: expected robots.txt, found an HTML page" in " ".join(found.incomplete)
    site.documents = good

    assert (new(site.step()), site.step().is_complete) == ([], True)


def test_robots_txt_that_begins_with_a_comment_of_html_is_compared(site):
    site.step()
    site.documents["/robots.txt"] = "<!-- ours -->\nUser-agent: GPTBot\nDisallow: /"

    found = site.step()

    assert "HTML page" not in " ".join(found.incomplete)


def test_robots_txt_that_was_refused_at_first_is_no_new_one(site):
    good = site.documents["/robots.txt"]
    site.documents["/robots.txt"] = 403
    assert site.step().incomplete == ()
    site.documents["/robots.txt"] = good

    assert new(site.step()) == []


def test_sitemap_that_only_a_refused_robots_txt_names_is_not_removed(site):
    site.put_robots(sitemap="/maps/all.xml")
    site.put("/maps/all.xml", [("/a", None), ("/b", None)])
    del site.documents["/sitemap.xml"]
    site.step()
    site.documents["/robots.txt"] = 403

    found = site.step()

    assert found.removed == 0
    assert new(found) == []


def test_comments_and_order_in_robots_txt_are_no_change(site):
    site.put_robots("User-agent: *", "Disallow: /a", "Disallow: /b")
    site.step()
    site.put_robots("# new", "User-agent: *", "Disallow: /b", "", "Disallow: /a")

    assert new(site.step()) == []


def test_shrink_is_reported_in_the_step(site):
    site.step()
    put(site, blog=5)

    found = site.step()

    assert new(found) == [("shrink", "site")]
    assert found.new_alerts[0].message == "60 URLs became 35 in one step: 42% are removed"


def test_a_rename_of_most_urls_is_reported_in_the_step_and_once(site):
    site.step()
    for name in ("news", "blog"):
        site.put(f"/{name}.xml", [(f"/{name}/{n}.html", "2025-01-01") for n in range(30)])

    found = site.step()

    assert new(found) == [("shrink", "site")]
    assert found.new_alerts[0].message.startswith(
        "60 of 60 URLs were removed in one step, and 60 added; if the pages have new URLs"
    )
    put(site)
    assert new(site.step()) == []  # no greater loss than before


def test_a_rename_of_half_of_the_urls_is_no_alert(site):
    site.step()
    site.put("/news.xml", [(f"/news/{n}.html", "2025-01-01") for n in range(30)])

    assert new(site.step()) == []


def test_failed_sitemap_is_no_shrink(site):
    site.step()
    site.documents["/blog.xml"] = 503

    assert site.step().alerts == ()


def test_one_404_after_other_failures_is_no_alert(site):
    site.step()
    site.documents["/blog.xml"] = 500
    site.step()
    site.documents["/blog.xml"] = 404

    assert new(site.step()) == []
    assert new(site.step()) == [("sitemap-gone", f"{SITE}/blog.xml")]


def test_sitemap_that_answers_404_twice_is_gone_until_it_is_back(site):
    site.step()
    good, site.documents["/blog.xml"] = site.documents["/blog.xml"], 404

    assert new(site.step()) == []
    found = site.step()
    assert new(found) == [("sitemap-gone", f"{SITE}/blog.xml")]
    assert "it had 30 entries" in found.new_alerts[0].message
    later = site.step()
    assert (new(later), all_open(later)) == ([], [("sitemap-gone", f"{SITE}/blog.xml")])

    site.documents["/blog.xml"] = good
    assert all_open(site.step()) == []


def test_sitemap_that_is_not_listed_any_more_is_reported(site):
    site.put("/more.xml", [(f"/more/{n}", None) for n in range(200)])
    site.put_index("/sitemap.xml", [(f"/{n}.xml", None) for n in ("news", "blog", "more")])
    site.step()
    site.put_index("/sitemap.xml", [("/more.xml", None), ("/news.xml", None)])

    found = site.step()

    assert new(found) == [("sitemap-dropped", f"{SITE}/blog.xml")]


def test_urls_that_move_to_another_sitemap_are_no_alert(site):
    site.step()
    rows = [(f"/{name}/{n}", None) for name in ("news", "blog") for n in range(30)]
    site.put("/all.xml", rows)
    site.put_index("/sitemap.xml", [("/all.xml", None)])

    found = site.step()

    assert (found.added, found.removed) == (0, 0)
    assert new(found) == []


def test_dates_that_all_move_to_one_time_are_reported_until_they_differ(site):
    site.step()
    put(site, date="2026-01-05T03:00:00Z")

    found = site.step()

    assert new(found) == [("lastmod-mass", "/blog/"), ("lastmod-mass", "/news/")]
    assert "since 2026-01-05 100% of 30 dates are equal" in found.new_alerts[0].message

    put(site, date="2026-01-05T04:00:00Z")
    later = site.step()
    assert new(later) == []
    assert len(later.alerts) == 2

    put(site)
    assert site.step().alerts == ()


def test_removals_of_a_section_that_is_empty_since_then_are_over_after_some_days(site):
    put(site, news=200)
    for _ in range(32):
        site.step(hours=24)
    put(site, news=200, blog=0)
    steps = [new(site.step(hours=24)) for _ in range(4)]  # an empty sitemap is waited for
    assert steps == [[], [], [], [("removals", "/blog/")]]

    lasted = [all_open(site.step(hours=24)) for _ in range(5)]

    assert lasted[0] == [("removals", "/blog/")]
    assert lasted[-1] == []


@pytest.mark.slow
@pytest.mark.parametrize("is_renamed", [True, False])
def test_section_whose_urls_were_renamed_is_not_silent(site, is_renamed):
    for day in range(24):
        put(site, news=30 + day)
        site.step(hours=24)
    raised = []
    for day in range(24, 34):
        if is_renamed:
            site.put("/news.xml", [(f"/stories/{n}", "2025-01-01") for n in range(30 + day)])
        raised += new(site.step(hours=24))

    assert raised == [("shrink", "site") if is_renamed else ("silence", "/news/")]


@pytest.mark.slow
def test_latest_pages_that_expire_while_another_section_shrinks_are_silent(site):
    def put_latest(first, last, blog):
        site.put("/news.xml", [(f"/news/{n}", None) for n in range(first, last)])
        site.put("/blog.xml", [(f"/blog/{n}", None) for n in range(blog)])

    for day in range(30):
        put_latest(3 * day, 3 * day + 6, blog=100)
        site.step(hours=24)
    put_latest(90, 93, blog=100)
    site.step(hours=1)
    put_latest(0, 0, blog=40)

    assert new(site.step(hours=1)) == [("shrink", "site"), ("removals", "/blog/")]
    assert ("silence", "/news/") in [each for _ in range(5) for each in new(site.step(hours=24))]
    assert all_open(site.step(hours=24))[0] == ("silence", "/news/")


@pytest.mark.slow
def test_silence_goes_on_when_the_urls_of_its_empty_sitemap_are_removed(site):
    site.put("/blog.xml", [(f"/blog/{n}", None) for n in range(300)])
    for day in range(40):
        site.put("/news.xml", [(f"/news/{n}", None) for n in range(5 * day, 5 * day + 40)])
        site.step(hours=24)
    site.put("/news.xml", [])

    found = [site.step(hours=24) for _ in range(9)]

    assert [each for step in found for each in new(step)] == [
        ("silence", "/news/"),
        ("removals", "/news/"),
    ]
    assert all_open(found[-1]) == [("silence", "/news/")]


def test_site_whose_dates_are_always_those_of_the_build_has_no_alert(site):
    put(site, date="2026-01-05T00:30:00Z")
    site.step()
    put(site, date="2026-01-05T01:30:00Z")

    assert site.step().alerts == ()


def test_sitemap_near_a_limit_is_reported_while_it_is(site):
    site.step()
    put(site, blog=45_001)

    found = site.step()

    assert new(found) == [("size", f"{SITE}/blog.xml")]
    assert found.new_alerts[0].message.endswith("45,001 entries, near the limit of 50,000")
    put(site, blog=45_002)
    assert new(site.step()) == []


def test_site_that_fills_its_sitemaps_has_no_alert_about_sizes(site):
    put(site, news=45_001, blog=45_001)

    assert site.step().alerts == ()
