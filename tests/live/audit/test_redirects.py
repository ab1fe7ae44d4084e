"""Listed URLs that redirect to pages that cannot be read."""

from __future__ import annotations

import pytest

from tests.http_walks import quick
from tests.live_sites import SITEMAPS, audit, put_page, put_sitemap
from tests.site_box import SiteBox, hang_up, page, redirect


@pytest.mark.parametrize("crawl", [False, True])
@pytest.mark.parametrize("target", ["closes", "refuses"])
def test_a_permanent_redirect_stands_if_its_target_cannot_be_read(box, crawl, target):
    put_sitemap(box, ["/", "/moved", "/found"])
    put_page(box, "/", "/moved", "/found")
    box.play("/moved", redirect("/new", 301))
    box.play("/found", redirect("/new", 302))
    box.play("/new", hang_up if target == "closes" else page("no", 403))

    with audit(box, crawl=crawl) as result:
        rules = {
            str(finding.loc).removeprefix(box.site): finding.rule for finding in result.findings
        }
        messages = {finding.rule: finding.message for finding in result.findings}

    assert rules["/moved"] == "url-redirect"
    assert "403" not in messages["url-redirect"].replace(box.site, "")
    if not crawl:
        # A temporary one may lead to the challenge page of a firewall.
        assert rules["/found"] == ("url-unknown" if target == "closes" else "url-forbidden")


@pytest.mark.parametrize("crawl", [False, True])
def test_a_redirect_to_a_page_that_robots_txt_disallows_is_reported_and_not_followed(box, crawl):
    put_sitemap(box, ["/", "/moved", "/twice"])
    put_page(box, "/", "/moved", "/twice")
    box.put_robots("User-agent: *", "Disallow: /secret", f"Sitemap: {box.url('/sitemap.xml')}")
    box.play("/moved", redirect("/secret", 301))
    box.play("/twice", redirect("/then", 301))
    box.play("/then", redirect("/secret", 302))

    with audit(box, crawl=crawl) as result:
        found = {
            (finding.rule, str(finding.loc).removeprefix(box.site)): finding.message
            for finding in result.findings
        }

    assert found["url-redirect", "/moved"].endswith(f" {box.url('/secret')} (HTTP 301)")
    assert box.url("/secret") in found["redirect-chain", "/twice"]
    assert "/secret" not in box.paths


def test_an_image_that_redirects_to_a_page_that_robots_txt_disallows_has_no_fault(box):
    image = "http://www.google.com/schemas/sitemap-image/1.1"
    entry = f"<url><loc>{box.url('/')}</loc><i:image><i:loc>{box.url('/i.png')}</i:loc></i:image>"
    box.put("/sitemap.xml", f'<urlset xmlns="{SITEMAPS}" xmlns:i="{image}">{entry}</url></urlset>')
    box.put_robots("User-agent: *", "Disallow: /secret", f"Sitemap: {box.url('/sitemap.xml')}")
    put_page(box, "/")
    box.play("/i.png", redirect("/secret.png"))

    with audit(box) as result:
        rules = {finding.rule for finding in result.findings}

    assert "/i.png" in box.paths
    assert "/secret.png" not in box.paths
    assert not any("image" in rule or "media" in rule for rule in rules), rules


def test_the_robots_txt_of_another_host_is_read_once_before_a_redirect_is_followed(box):
    put_sitemap(box, ["/", "/secret-1", "/secret-2", "/open-1", "/open-2", "/twice"])
    put_page(box, "/")
    with SiteBox() as other, SiteBox() as third:
        other.put_robots("User-agent: *", "Disallow: /secret")
        third.put_robots("User-agent: *", "Disallow: /secret")
        put_page(other, "/open")
        for number in (1, 2):
            box.play(f"/secret-{number}", redirect(other.url("/secret"), 301))
            box.play(f"/open-{number}", redirect(other.url("/open"), 301))
        box.play("/twice", redirect(other.url("/then"), 301))
        other.play("/then", redirect(third.url("/secret"), 301))

        with audit(box, policy=quick(allow_private=True)) as result:
            messages = {str(each.loc).removeprefix(box.site): each for each in result.findings}

        assert other.paths.count("/robots.txt") == 1
        assert other.paths[0] == "/robots.txt"
        assert "/secret" not in other.paths
        assert "/open" in other.paths
        assert third.paths == ["/robots.txt"]
    assert messages["/secret-1"].rule == messages["/open-2"].rule == "url-redirect"
    assert not result.incomplete


def test_a_redirect_to_a_host_that_does_not_exist_is_followed_to_say_why(box):
    put_sitemap(box, ["/", "/moved"])
    put_page(box, "/")
    box.play("/moved", redirect("https://nowhere.invalid/", 302))

    with audit(box) as result:
        findings = {str(each.loc).removeprefix(box.site): each for each in result.findings}

    assert findings["/moved"].rule == "url-unknown"
    message = findings["/moved"].message
    assert "redirects to https://nowhere.invalid/: the host has no address" in message
