"""Many pages that no sitemap lists any more: those that have moved, or are gone, are removed."""

from urllib.parse import urlsplit

import pytest

from tests.live.sync.test_sync import Index, page
from tests.live.watch.simulated_site import SITE
from urlset.http import Response

NEW = "https://new.example"


@pytest.fixture
def index(tmp_path):
    return Index(tmp_path)


@pytest.fixture
def moved(index):
    """An index of 30 pages, of a site that redirects to 20 pages of another host."""
    index.put({f"/p{n:02}": (str(n), "2026-01-01") for n in range(30)})
    index.sync()
    site = index.site
    rows = "".join(f"<url><loc>{NEW}/p{n:02}</loc></url>" for n in range(20))
    site.documents["/sitemap.xml"] = f"<urlset>{rows}</urlset>"
    for n in range(20):
        site.documents[f"{NEW}/p{n:02}"] = page(str(n))
    index.status = 301
    respond = site._respond

    def redirect(request):
        if request.url.startswith(f"{SITE}/p"):
            url = NEW + urlsplit(request.url).path
            if url not in site.documents:
                return Response(request, request.url, status=200, body=page("old").encode())
            answer = respond(request._replace(url=url, etag=None))
            return answer._replace(
                request=request,
                url=url,
                redirects=(request.url,),
                redirect_statuses=(index.status,),
            )
        return respond(request)

    site._respond = redirect
    return index


def test_pages_that_redirect_to_listed_ones_are_removed_in_turn(moved):
    first = moved.sync(recheck_pages=8)
    assert (len(first["added"]), len(first["removed"]), len(first["unknown"])) == (20, 8, 22)
    assert "30 of 50 pages are not listed any more" in moved.last.incomplete[0]

    second = moved.sync(recheck_pages=8)
    assert len(second["removed"]) == 8

    # The rest is not above the share any more.
    assert len(moved.sync(recheck_pages=8)["removed"]) == 14
    assert moved.last.is_complete
    assert sorted(moved.texts) == [f"{NEW}/p{n:02}" for n in range(20)]


def test_a_removed_page_says_that_it_has_moved(moved):
    reasons = {
        update.reason
        for batch in moved.run(recheck_pages=30)
        for update in batch
        if update.change == "removed"
    }
    assert reasons == {"moved"}


def test_pages_that_redirect_for_now_or_still_exist_stay_unknown(moved):
    moved.status = 302
    for _ in range(3):
        found = moved.sync(recheck_pages=30)
        assert (len(found["unknown"]), "removed" in found) == (30, False)


def test_pages_that_are_gone_twice_are_removed_above_the_share(index):
    index.put({f"/p{n:02}": (str(n), "2026-01-01") for n in range(30)})
    index.sync()
    index.put({"/p00": ("0", "2026-01-01")})

    assert len(index.sync(recheck_pages=10)["unknown"]) == 29
    kinds = [len(index.sync(recheck_pages=29).get("removed", ())) for _ in range(2)]

    assert kinds == [10, 19]
