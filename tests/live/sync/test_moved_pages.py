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


def test_pages_that_have_moved_are_removed_while_a_sitemap_cannot_be_read(moved):
    moved.site.documents["/robots.txt"] += f"\nSitemap: {SITE}/dead.xml"

    runs = [moved.sync(recheck_pages=30) for _ in range(4)]

    counts = [(len(found.get("removed", ())), len(found["unknown"])) for found in runs]
    assert counts == [(0, 30)] * 3 + [(20, 10)]
    assert f"{SITE}/dead.xml: HTTP 404" in moved.last.incomplete


@pytest.mark.parametrize("home", [f"{SITE}/", f"{NEW}/"])
def test_a_redirect_of_everything_to_a_home_page_removes_that_of_the_home_page_only(index, home):
    """As of a server that redirects the pages that it does not find any more."""
    pages = [f"/p{n:02}" for n in range(30)]
    site = index.site
    site.put("/sitemap.xml", [(path, "2026-01-01") for path in pages])
    site.documents["/sitemap.xml"] = site.documents["/sitemap.xml"].replace(
        "</urlset>", "<url><loc>http://example.com/</loc></url></urlset>"
    )
    site.documents |= {path: page(path) for path in pages}
    site.documents["http://example.com/"] = page("home")
    index.sync()
    site.documents["/sitemap.xml"] = f"<urlset><url><loc>{home}</loc></url></urlset>"
    site.documents[home.removeprefix(SITE)] = page("home")
    respond = site._respond

    def redirect(request):
        if request.purpose == "page" and request.url != home:
            answer = respond(request._replace(url=home, etag=None))
            return answer._replace(
                request=request, url=home, redirects=(request.url,), redirect_statuses=(301,)
            )
        return respond(request)

    site._respond = redirect
    assert index.sync(recheck_pages=40)["removed"] == ["http://example.com/"]
    for _ in range(2):
        found = index.sync(recheck_pages=40)
        assert (sorted(found["unknown"]), "removed" in found) == (pages, False)


def test_pages_that_redirect_to_one_page_have_not_moved_there(moved):
    """As of a server that redirects what it does not have to its start page in a language."""
    site = moved.site
    rows = "".join(f"<url><loc>{NEW}{path}</loc></url>" for path in ("/p00", "/en/"))
    site.documents["/sitemap.xml"] = f"<urlset>{rows}</urlset>"
    site.documents[f"{NEW}/en/"] = page("start")
    respond = site._respond

    def redirect(request):
        if request.url.startswith(f"{SITE}/p") and request.url != f"{SITE}/p00":
            answer = respond(request._replace(url=f"{NEW}/en/", etag=None))
            return answer._replace(
                request=request, redirects=(request.url,), redirect_statuses=(301,)
            )
        return respond(request)

    site._respond = redirect

    for removed in (["/p00"], [], []):
        assert moved.sync(recheck_pages=30).get("removed", []) == removed
    assert moved.last.incomplete[1] == (
        "29 pages that are not listed any more redirect to 1 page: that does not confirm that they "
        "have moved; a higher max_removed_share removes them"
    )
    assert len(moved.last.incomplete) == 3


@pytest.mark.parametrize("batch_size", [2, 100])
@pytest.mark.parametrize("is_read", [True, False])
def test_pages_that_redirect_to_few_pages_have_not_moved_there(moved, batch_size, is_read):
    """As of a server with a start page in each of three languages: four pages redirect to each."""
    site = moved.site
    goals = [f"{NEW}/{name}/" for name in ("en", "de", "fr")]
    rows = "".join(f"<url><loc>{url}</loc></url>" for url in goals)
    site.documents["/sitemap.xml"] = f"<urlset>{rows}</urlset>"
    site.documents |= {url: page(url) for url in goals}
    if not is_read:
        site.documents["/robots.txt"] += f"\nSitemap: {SITE}/dead.xml"
    respond = site._respond

    def redirect(request):
        path = urlsplit(request.url).path
        if path.startswith("/p") and int(path[2:]) < 12:
            answer = respond(request._replace(url=goals[int(path[2:]) % 3], etag=None))
            return answer._replace(
                request=request, redirects=(request.url,), redirect_statuses=(301,)
            )
        return respond(request)

    site._respond = redirect
    way = "a higher max_removed_share removes them" if is_read else "they wait for the sitemaps"

    for _ in range(4):
        found = moved.sync(batch_size=batch_size)
        assert (len(found["unknown"]), "removed" in found) == (30, False)
    assert (
        "12 pages that are not listed any more redirect to 3 pages: that does not confirm that "
        f"they have moved; {way}"
    ) in moved.last.incomplete
    if is_read:
        assert len(moved.sync(max_removed_share=1)["removed"]) == 30


def test_pages_of_which_two_became_one_have_moved(moved):
    respond = moved.site._respond

    def redirect(request):
        path = urlsplit(request.url).path
        if request.url.startswith(f"{SITE}/p") and int(path[2:]) < 20:
            request = request._replace(url=f"{SITE}/p{int(path[2:]) // 2:02}")
        return respond(request)

    moved.site._respond = redirect
    moved.site.documents["/robots.txt"] += f"\nSitemap: {SITE}/dead.xml"

    assert [len(moved.sync().get("removed", ())) for _ in range(4)] == [0, 0, 0, 20]


@pytest.mark.parametrize("recheck_pages", [1, 2, 4])
def test_few_requests_confirm_no_move_to_a_page_of_another_name(moved, recheck_pages):
    """As of a server that redirects what it does not have to its start page in a language."""
    site = moved.site
    rows = "".join(f"<url><loc>{NEW}{path}</loc></url>" for path in ("/en/", "/de/"))
    site.documents["/sitemap.xml"] = f"<urlset>{rows}</urlset>"
    site.documents |= {f"{NEW}{path}": page(path) for path in ("/en/", "/de/")}
    respond = site._respond

    def redirect(request):
        path = urlsplit(request.url).path
        if request.url.startswith(f"{SITE}/p"):
            goal = f"{NEW}/{'en' if int(path[2:]) % 2 else 'de'}/"
            answer = respond(request._replace(url=goal, etag=None))
            return answer._replace(
                request=request, redirects=(request.url,), redirect_statuses=(301,)
            )
        return respond(request)

    site._respond = redirect

    for _ in range(6):
        assert "removed" not in moved.sync(recheck_pages=recheck_pages)
    assert any("does not confirm" in reason for reason in moved.last.incomplete)


def test_few_requests_confirm_a_move_to_a_page_of_the_same_name(moved):
    assert len(moved.sync(recheck_pages=1)["removed"]) == 1
