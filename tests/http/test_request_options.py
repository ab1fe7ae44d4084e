"""Options of a request: redirects as responses, an end after the head, own retries."""

import pytest

from tests.http_walks import RequestList, quick
from tests.site_box import SiteBox, page
from urlset.http import Request, drive_in_thread, redirect_target


def get(url, **options):
    walk = RequestList(Request(url, scope="anywhere", **options))
    (response,) = drive_in_thread(walk, quick())
    return response


@pytest.fixture
def box():
    with SiteBox() as box:
        yield box


def test_redirects_have_the_status_of_each_hop(box):
    box.play("/a", page(b"", 301, location="/b"))
    box.play("/b", page(b"", 307, location="/c"))
    box.put("/c", b"end")

    response = get(box.url("/a"))

    assert response.redirects == (box.url("/a"), box.url("/b"))
    assert response.redirect_statuses == (301, 307)


def test_a_redirect_can_be_the_response(box):
    box.play("/a", page(b"", 302, location="b?c"))

    response = get(box.url("/a"), follows_redirects=False)

    assert (response.status, response.error) == (302, None)
    assert redirect_target(response) == box.url("/b?c")
    assert box.paths == ["/a"]


def test_a_request_has_its_own_number_of_retries(box):
    box.put("/a", b"", 503)

    get(box.url("/a"), retries=0)

    assert box.paths == ["/a"]


def test_a_transfer_may_end_after_the_head(box):
    head = b"<html><head><title>T</title></HEAD >"
    box.put("/a", head + b"x" * 2_000_000, kind="text/html")

    response = get(box.url("/a"), ends_at_head=True)

    assert response.body.startswith(head)
    assert response.wire_size < 1_500_000
    assert (response.is_whole, response.error) == (False, None)


def test_a_body_is_posted(box):
    box.put("/hook", b"ok")

    response = get(
        box.url("/hook"),
        method="POST",
        body=b'{"a": 1}',
        headers=(("Content-Type", "application/json"),),
    )

    assert response.status == 200
    (hit,) = box.hits
    assert (hit.method, hit.body) == ("POST", b'{"a": 1}')
    assert hit.headers["content-type"] == "application/json"


def test_a_redirect_of_a_post_is_not_followed(box):
    box.play("/hook", page(b"", 307, location="/other"))

    response = get(box.url("/hook"), method="POST", body=b"{}")

    assert response.status == 307
    assert box.paths == ["/hook"]


def test_a_secret_url_is_not_logged(box, caplog):
    caplog.set_level("DEBUG", logger="urlset")
    box.put("/hook/token-1?key=token-2", b"", status=503)

    response = get(box.url("/hook/token-1?key=token-2"), method="POST", body=b"{}", is_secret=True)

    assert response.attempts == 3
    assert box.site in caplog.text
    assert "token" not in caplog.text
    assert "token" not in str(response.message)
