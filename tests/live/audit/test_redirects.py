"""Listed URLs that redirect to pages that cannot be read."""

from __future__ import annotations

import pytest

from tests.live_sites import audit, put_page, put_sitemap
from tests.site_box import hang_up, page, redirect


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
