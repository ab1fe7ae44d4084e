"""Retries and redirects of the HTTP client."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from tests import site_box
from tests.http_walks import RequestList, fetch, quick
from tests.site_box import SiteBox, page, redirect, urlset_of
from urlset.http import Request, drive_in_thread
from urlset.http.retry import retry_after_s

BODY = urlset_of("https://example.com", 50)

# Retries.


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
def test_passing_status_is_retried(box: SiteBox, status: int):
    url = box.play("/a", site_box.in_turn(page(b"", status), page(b"", status), page(BODY)))

    response = fetch(url)

    assert (response.body, response.attempts, response.error) == (BODY, 3, None)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410, 451, 501, 505])
def test_lasting_status_is_not_retried(box: SiteBox, status: int):
    # Measured: Crawlee for JavaScript asks four times for a 404.
    response = fetch(box.play("/a", page(b"", status)))

    assert (response.status, response.error, response.attempts) == (status, "status", 1)


def test_retries_end(box: SiteBox):
    response = fetch(box.play("/a", page(b"busy", 503)), quick(retries=3))

    assert response.attempts == len(box.hits) == 4
    assert response.message == "HTTP 503 Service Unavailable (4 attempts)"


@pytest.mark.parametrize("silence", [site_box.silent, site_box.reset])
def test_status_is_reported_though_a_retry_gets_no_response(box: SiteBox, silence):
    url = box.play("/a", site_box.in_turn(page(b"oops", 500), silence))

    response = fetch(url, quick(retries=1, read_timeout_s=0.2))

    assert (response.error, response.status, response.attempts) == ("status", 500, 2)
    assert response.message == "HTTP 500 Internal Server Error (2 attempts)"


@pytest.mark.parametrize("is_first", [True, False])
def test_part_of_a_document_is_better_than_a_longer_error_page(box: SiteBox, is_first: bool):
    part, error = site_box.cut(BODY, 700), page(b"x" * 2_000, 503)
    players = (part, error) if is_first else (error, part)

    response = fetch(box.play("/a", site_box.in_turn(*players)), quick(retries=1))

    assert (response.error, response.body) == ("cut", BODY[:700])


def test_last_of_two_statuses_is_reported(box: SiteBox):
    url = box.play("/a", site_box.in_turn(page(b"a longer page", 500), page(b"", 503)))

    assert fetch(url, quick(retries=1)).status == 503


def test_retry_after_is_waited_for(box: SiteBox):
    url = box.play("/a", site_box.in_turn(page(b"", 429, retry_after="1"), page(BODY)))

    response = fetch(url)

    assert response.body == BODY
    assert box.hits[1].at - box.hits[0].at > 0.95


def test_retry_after_holds_for_the_whole_host(box: SiteBox):
    box.play("/busy", site_box.in_turn(page(b"", 503, retry_after="1"), page(BODY)))
    box.put("/other", BODY)
    urls = [box.url("/busy"), *[box.url("/other")] * 3]
    walk = RequestList(*[Request(url, scope="anywhere") for url in urls])

    list(drive_in_thread(walk, quick(concurrency=1)))

    assert box.hits[1].at - box.hits[0].at > 0.95


def test_retry_after_too_long_is_not_waited_for(box: SiteBox):
    url = box.play("/a", page(b"", 429, retry_after="3600"))

    response = fetch(url)

    assert len(box.hits) == 1
    assert response.message == (
        "HTTP 429 Too Many Requests; the server asks to retry after 3,600 s"
    )


def test_retry_after_has_a_cap_of_its_own(box: SiteBox):
    url = box.play("/a", page(b"", 503, retry_after="1"))

    response = fetch(url, quick(max_retry_after_s=0.5, total_timeout_s=60.0))

    assert (len(box.hits), response.attempts) == (1, 1)


@pytest.mark.parametrize("seconds", ["9999999999", "9223372036854775807", "9" * 400, "1" * 5_000])
def test_retry_after_of_many_digits_is_long(box: SiteBox, seconds: str):
    url = box.play("/a", page(b"", 429, retry_after=seconds))

    response = fetch(url)

    assert len(box.hits) == 1
    assert response.message == (
        "HTTP 429 Too Many Requests; the server asks to retry after 2,147,483,648 s"
    )


def test_retry_after_as_a_date():
    now = datetime(2026, 1, 1, tzinfo=UTC)

    assert retry_after_s(format_datetime(now + timedelta(seconds=90), usegmt=True), now) == 90
    assert retry_after_s(format_datetime(now - timedelta(days=1), usegmt=True), now) == 0
    assert retry_after_s("-5") is None


# Redirects.


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirect_is_followed(box: SiteBox, status: int):
    url = box.play("/a", redirect("b?x#y", status))
    box.put("/b?x", BODY)

    response = fetch(url)

    assert (response.body, response.url, response.redirects) == (BODY, box.url("/b?x"), (url,))


def test_ten_redirects_are_followed_and_no_more(box: SiteBox):
    for n in range(12):
        box.play(f"/{n}", redirect(f"/{n + 1}"))
    box.put("/12", BODY)

    assert fetch(box.url("/2")).body == BODY
    response = fetch(box.url("/1"))
    assert (response.error, len(response.redirects)) == ("too-many-redirects", 10)
    assert response.message == "more than 10 redirects"


def test_redirect_loop_is_reported(box: SiteBox):
    box.play("/a", redirect("/b"))
    box.play("/b", redirect("/a"))

    response = fetch(box.url("/a"))

    assert response.error == "redirect-loop"
    assert response.message == f"redirects in a circle: back to {box.url('/a')}"
    assert box.paths == ["/a", "/b"]


@pytest.mark.parametrize("to", ["file:///etc/passwd", "ftp://127.0.0.1/", "http://", "mailto:a@b"])
def test_redirect_to_another_scheme_is_not_followed(box: SiteBox, to: str):
    response = fetch(box.play("/a", redirect(to)))

    assert (response.error, response.body) == ("bad-redirect", b"")


def test_redirect_without_a_target(box: SiteBox):
    assert fetch(box.put("/a", b"", 302)).error == "bad-redirect"


@pytest.mark.parametrize("raw", ["/é".encode(), "/é".encode("latin-1")])
def test_redirect_to_a_path_in_raw_bytes(box: SiteBox, raw: bytes):
    box.play("/a", redirect(raw.decode("utf-8", "surrogateescape")))
    box.put("/%C3%A9", BODY)

    assert fetch(box.url("/a")).body == BODY
