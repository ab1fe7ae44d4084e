"""A robots.txt, and a sitemap that nothing declares, that answer a page for many steps."""

import pytest

from tests.live.watch.simulated_site import SITE, SimulatedSite

ROBOTS = f"{SITE}/robots.txt"
PAGE = "<!doctype html><title>Maintenance</title><p>We are back soon."


@pytest.fixture
def site(tmp_path):
    """A sitemap that robots.txt alone names, with ten URLs."""
    site = SimulatedSite(tmp_path / "site.duckdb")
    site.put_robots("User-agent: *", "Disallow: /cart/", sitemap="/maps/all.xml")
    site.put("/maps/all.xml", [(f"/{n}", None) for n in range(10)])
    return site


def robots_alerts(found):
    return [alert.message for alert in found.new_alerts if alert.kind == "robots"]


@pytest.mark.parametrize(
    ("answer", "reason", "alert"),
    [
        (PAGE, "found an HTML page", "it is an HTML page, so that crawlers find no rules"),
        (403, "HTTP 403", "the server refuses it"),
    ],
)
def test_robots_txt_without_content_has_no_rules_after_three_steps(site, answer, reason, alert):
    site.step()
    good, site.documents["/robots.txt"] = site.documents["/robots.txt"], answer

    for _ in range(3):
        found = site.step()
        assert (found.unknown, robots_alerts(found)) == (0, [])
        assert len(found.incomplete) == 1
        assert reason in found.incomplete[0]

    found = site.step()
    assert found.is_complete
    assert alert in robots_alerts(found)[0]
    assert "removed rule *: disallow /cart/" in robots_alerts(found)[0]
    assert "Sitemap line" not in robots_alerts(found)[0]
    for _ in range(2):
        found = site.step()
        assert (found.is_complete, found.alerts, found.urls, found.removed) == (True, (), 10, 0)

    site.documents["/robots.txt"] = good
    [message] = robots_alerts(site.step())
    assert "it can be read again; new rule *: disallow /cart/" in message


def test_sitemaps_of_a_robots_txt_without_content_are_read(site):
    site.step()
    site.documents["/robots.txt"] = 403
    site.put("/maps/all.xml", [(f"/{n}", None) for n in range(12)])

    assert site.step().added == 2


def test_sitemaps_of_a_private_robots_txt_without_content_are_read(site):
    """They are on the addresses that the user has named, as those of one that is read."""
    respond = site._respond
    site._respond = lambda request: respond(request)._replace(scope="anywhere")
    site.step()
    site.documents["/robots.txt"] = 403
    site.step()

    assert {request.purpose: request.scope for request in site.requests}["robots"] == "anywhere"


def test_robots_txt_is_unknown_for_a_day_at_least(site):
    site.step()
    site.documents["/robots.txt"] = 403

    assert [site.step(hours=6).is_complete for _ in range(5)] == [False] * 4 + [True]


@pytest.mark.parametrize("answer", [PAGE, 403, 404])
def test_former_sitemap_that_does_not_answer_is_not_listed_if_there_is_another_one(site, answer):
    site.step()
    site.documents |= {"/robots.txt": 403, "/maps/all.xml": answer}
    site.put("/sitemap.xml", [(f"/{n}", None) for n in range(8)])

    found = [site.step() for _ in range(6)]

    assert [each.removed for each in found] == [0, 0, 0, 0, 2, 0]
    assert [each.is_complete for each in found] == [False] * 4 + [True] * 2


def test_robots_txt_that_is_read_again_within_three_steps_is_no_change(site):
    site.step()
    good, site.documents["/robots.txt"] = site.documents["/robots.txt"], 403
    site.step()
    site.step()
    site.documents["/robots.txt"] = good

    found = site.step()

    assert (found.is_complete, found.alerts) == (True, ())


def test_robots_txt_that_changes_from_refused_to_a_page_is_one_alert(site):
    site.step()
    site.documents["/robots.txt"] = 403
    alerts = [message for _ in range(5) for message in robots_alerts(site.step())]
    site.documents["/robots.txt"] = PAGE

    assert (len(alerts), robots_alerts(site.step())) == (1, [])


def test_robots_txt_does_not_change_while_no_sitemap_can_be_read(site):
    site.step()
    good = dict(site.documents)
    site.documents |= dict.fromkeys([*good, "/"], 403)

    for _ in range(6):
        found = site.step()
        assert (found.removed, found.unknown, found.alerts) == (0, 10, ())
    site.documents = good
    assert (site.step().alerts, site.step().is_complete) == ((), True)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [(PAGE, "expected a sitemap, found an HTML page"), (403, "HTTP 403"), (503, "HTTP 503")],
)
def test_undeclared_sitemap_that_does_not_answer_is_not_removed(tmp_path, answer, reason):
    site = SimulatedSite(tmp_path / "site.duckdb")
    site.documents = {"/robots.txt": 404, "/": PAGE}
    site.put("/sitemap.xml", [(f"/{n}", None) for n in range(10)])
    site.step()
    good, site.documents["/sitemap.xml"] = site.documents["/sitemap.xml"], answer

    for _ in range(5):
        found = site.step()
        assert (found.removed, found.unknown, found.alerts) == (0, 10, ())
        assert f"{SITE}/sitemap.xml: {reason}" in found.incomplete
    site.documents["/sitemap.xml"] = good
    found = site.step()
    assert (found.is_complete, found.added, found.unknown) == (True, 0, 0)


def test_former_sitemap_that_is_gone_is_not_listed_once_robots_txt_is_refused_for_good(site):
    """The site has moved its sitemap to a usual path."""
    site.step()
    site.documents |= {"/robots.txt": 403, "/maps/all.xml": 404}
    site.put("/sitemap.xml", [(f"/{n}", None) for n in range(8)])

    found = [site.step() for _ in range(7)]

    assert [each.removed for each in found] == [0, 0, 0, 0, 2, 0, 0]
    assert [each.is_complete for each in found] == [False] * 4 + [True] * 3
    assert {alert.kind for each in found for alert in each.alerts} == {"robots"}


def test_former_sitemap_that_is_gone_is_kept_while_no_other_one_is_found(site):
    site.step()
    site.documents["/robots.txt"] = 403
    for _ in range(4):
        site.step()
    site.documents["/maps/all.xml"] = 404

    for _ in range(5):
        found = site.step()
        assert (found.removed, found.unknown, found.alerts) == (0, 10, ())


@pytest.mark.parametrize("answer", [PAGE, 403])
def test_feed_does_not_replace_a_sitemap_that_does_not_answer(tmp_path, answer):
    site = SimulatedSite(tmp_path / "site.duckdb")
    home = '<!doctype html><link rel="alternate" type="application/rss+xml" href="/feed/">'
    site.documents = {"/robots.txt": 404, "/": home}
    site.put("/sitemap.xml", [(f"/{n}", None) for n in range(50)])
    items = "".join(f"<item><link>{SITE}/{n}</link></item>" for n in range(5))
    site.documents["/feed/"] = f'<rss version="2.0"><channel>{items}</channel></rss>'
    site.step()
    good, site.documents["/sitemap.xml"] = site.documents["/sitemap.xml"], answer

    for _ in range(3):
        found = site.step()
        assert (found.removed, found.unknown, found.alerts) == (0, 50, ())
    site.documents["/sitemap.xml"] = good
    found = site.step()
    assert (found.urls, found.unknown, found.added, found.is_complete) == (50, 0, 0, True)


def test_undeclared_sitemap_that_robots_txt_disallows_is_not_removed(tmp_path):
    site = SimulatedSite(tmp_path / "site.duckdb")
    site.documents = {"/robots.txt": "User-agent: *\nAllow: /"}
    site.put("/sitemap.xml", [(f"/{n}", None) for n in range(10)])
    site.step()
    site.documents["/robots.txt"] = "User-agent: *\nDisallow: /"

    for _ in range(4):
        found = site.step()
        assert (found.removed, found.unknown) == (0, 10)
    assert any("robots.txt disallows it for urlset" in reason for reason in found.incomplete)


def test_undeclared_sitemap_that_moved_to_another_path_is_not_waited_for(tmp_path):
    """The old path answers a page with status 200, as on servers without real 404 pages."""
    site = SimulatedSite(tmp_path / "site.duckdb")
    site.documents = {"/robots.txt": 404, "/": PAGE}
    site.put("/sitemap.xml", [(f"/{n}", None) for n in range(10)])
    site.step()
    site.documents["/sitemap.xml"] = PAGE
    site.put("/sitemap_index.xml", [(f"/{n}", None) for n in range(8)])
    site.step()

    assert (site.step().removed, site.step().is_complete) == (2, True)


def test_sitemap_that_the_home_page_names_no_more_is_waited_for_three_steps(tmp_path):
    site = SimulatedSite(tmp_path / "site.duckdb")
    home = '<!doctype html><link rel="sitemap" href="/maps/all.xml">'
    site.documents = {"/robots.txt": 404, "/": home}
    site.put("/maps/all.xml", [(f"/{n}", None) for n in range(10)])
    site.step()
    site.documents["/"] = PAGE

    found = [site.step(hours=25) for _ in range(4)]

    assert [each.removed for each in found] == [0, 0, 0, 10]
    source = f"{SITE}/maps/all.xml: nothing names it any more"
    assert found[0].incomplete == (f"{source}; the next step tries all usual paths",)
    why = f"{source}, and the site has no other sitemap; its URLs are kept for three steps"
    assert f"{why}, and for a day at least" in found[1].incomplete


@pytest.mark.parametrize("home", ['<link rel="sitemap" href="/sitemap.xml">', ""])
def test_maintenance_of_some_hours_removes_nothing_in_many_steps(tmp_path, home):
    """A page with status 200 instead of the home page, which may name the sitemap; else 404."""
    site = SimulatedSite(tmp_path / "site.duckdb")
    site.documents = {"/robots.txt": 404, "/": f"<!doctype html>{home}"}
    site.put("/sitemap.xml", [(f"/{n}", None) for n in range(10)])
    site.step()
    good = site.documents
    site.documents = {"/": PAGE}

    found = [site.step(hours=6) for _ in range(4)]
    assert {(each.removed, each.unknown, each.alerts) for each in found} == {(0, 10, ())}
    assert site.step(hours=6).removed == 10
    site.documents = good
    assert (site.step().added, site.step().is_complete) == (10, True)


def test_robots_txt_with_a_server_error_disallows_everything_also_after_30_days(site):
    """RFC 9309 section 2.3.1.4: a crawler MUST assume complete disallow; after 30 days it MAY not.

    https://www.rfc-editor.org/rfc/rfc9309#section-2.3.1.4
    """
    site.step()
    good, site.documents["/robots.txt"] = site.documents["/robots.txt"], 503

    for _ in range(5):
        found = site.step(hours=24 * 15)
        assert (found.removed, found.unknown, found.alerts) == (0, 10, ())
        assert f"{ROBOTS}: HTTP 503" in found.incomplete
    site.documents["/robots.txt"] = good
    found = site.step()
    assert (found.urls, found.unknown, found.is_complete) == (10, 0, True)
