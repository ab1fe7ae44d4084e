"""Responses that the phases of one run share: what is used again, and what is not."""

from __future__ import annotations

from typing import Any

import pytest

from urlset.http import Request, Response
from urlset.http import known_responses as module
from urlset.http.known_responses import MAX_AGE_S, KnownResponses

ROBOTS = Request("https://example.com/robots.txt", purpose="robots", scope="anywhere")
HOME = Request("https://example.com/", purpose="home", scope="anywhere")
PAGE = HOME._replace(purpose="page")


def response(request: Request, status: int | None = 200, **facts: Any) -> Response:
    return Response(request, request.url, status, **facts)


def test_a_robots_txt_is_used_again_with_the_request_of_the_later_phase():
    known = KnownResponses()
    known.keep(response(ROBOTS._replace(token="walk"), body=b"User-agent: *"))

    later = ROBOTS._replace(token="other", scope="public")
    found = known.take(later)

    assert found is not None
    assert (found.request, found.body) == (later, b"User-agent: *")


def test_a_robots_txt_that_fails_is_used_until_the_source_is_read_again():
    known = KnownResponses()
    known.keep(response(ROBOTS, 503, error="status"))
    assert known.take(ROBOTS) is not None

    known.forget_failures()

    assert known.take(ROBOTS) is None


@pytest.mark.parametrize("error", ["paused", "blocked", "bad-url"])
def test_a_robots_txt_that_was_not_requested_is_not_known(error: Any):
    known = KnownResponses()
    known.keep(response(ROBOTS, None, error=error))

    assert known.take(ROBOTS) is None


def test_a_robots_txt_is_not_used_for_longer_than_a_day():
    clock = [0.0]
    known = KnownResponses(lambda: clock[0])
    known.keep(response(ROBOTS))
    clock[0] = MAX_AGE_S - 1
    assert known.take(ROBOTS) is not None

    clock[0] = MAX_AGE_S + 1

    assert known.take(ROBOTS) is None


def test_a_robots_txt_of_a_private_host_is_not_used_for_links_of_public_documents():
    known = KnownResponses()
    known.keep(response(ROBOTS, scope="private"))

    assert known.take(ROBOTS) is not None
    assert known.take(ROBOTS._replace(scope="public")) is None


def test_the_bytes_of_robots_txt_files_are_bounded(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "MAX_KNOWN_BYTES", 10_000)
    known = KnownResponses()
    requests = [ROBOTS._replace(url=f"https://h{n}.example/robots.txt") for n in range(5)]
    for request in requests:
        known.keep(response(request, body=b"x" * 3_000))

    assert [known.take(request) is not None for request in requests] == [False] * 3 + [True] * 2


def test_the_home_page_is_used_for_one_visit():
    known = KnownResponses()
    known.keep(response(HOME, body=b"<html>"))

    assert known.take(HOME) is None, "a second search for sitemaps requests it"
    assert known.take(PAGE._replace(etag='"x"')) is not None
    assert known.take(PAGE) is None


@pytest.mark.parametrize(
    "facts",
    [
        {"status": 404, "error": "status"},
        {"redirects": ("https://example.com/old",)},
        {"is_whole": False, "error": "cut"},
        {"is_from_cache": True},
    ],
)
def test_an_incomplete_home_page_is_requested_again(facts: dict[str, Any]):
    known = KnownResponses()
    known.keep(response(HOME, **facts))

    assert known.take(PAGE) is None
