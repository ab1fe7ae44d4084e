"""When the redirect of a page to another host is followed; without a network."""

from __future__ import annotations

import pytest

from urlset.http import Policy, Request, Response
from urlset.live.diff.redirects import RedirectWalk
from urlset.live.visits.polite_walk import VisitTarget
from urlset.live.visits.politeness import Politeness

PAGES = ("https://example.com/a", "https://example.com/b")
OTHER = "https://other.example"


def answer(request: Request | None, status: int, **facts: object) -> Response:
    assert request is not None
    error = "status" if status >= 400 else None
    return Response(request, request.url, status, error=error, **facts)  # type: ignore[arg-type]


def redirected(request: Request | None, path: str = "/new") -> Response:
    return answer(request, 301, headers={"location": OTHER + path})


@pytest.fixture
def walk():
    targets = (VisitTarget(url, ends_at_head=True) for url in PAGES)
    walk = RedirectWalk(targets, Politeness(Policy()))
    list(walk.handle(answer(walk.next_request(), 404)))  # robots.txt
    return walk


def test_both_pages_wait_for_one_robots_txt(walk):
    first, second = walk.next_request(), walk.next_request()
    assert not first.may_follow(f"{OTHER}/new")
    assert list(walk.handle(redirected(first))) == list(walk.handle(redirected(second))) == []

    robots = walk.next_request()
    assert robots.url == f"{OTHER}/robots.txt"
    assert walk.next_request() is None
    list(walk.handle(answer(robots, 404)))

    assert {walk.next_request().url, walk.next_request().url} == set(PAGES)
    assert first.may_follow(f"{OTHER}/new")


def test_a_redirect_that_arrives_after_the_robots_txt_is_followed_once_more(walk):
    first, second = walk.next_request(), walk.next_request()
    late = redirected(second)  # as the client decided before it knew the robots.txt
    list(walk.handle(redirected(first)))
    list(walk.handle(answer(walk.next_request(), 404)))

    assert list(walk.handle(late)) == []

    again = [walk.next_request(), walk.next_request()]
    assert [each.url for each in again] == [first.url, second.url]
    (result,) = walk.handle(redirected(again[1]))
    assert result.url == second.url, "it is not requested without end"


def test_a_redirect_to_a_disallowed_page_is_the_result(walk):
    first = walk.next_request()
    list(walk.handle(redirected(first)))
    rules = answer(walk.next_request(), 200, body=b"User-agent: *\nDisallow: /new")
    list(walk.handle(rules))

    (result,) = walk.handle(redirected(walk.next_request()))

    assert (result.verdict, result.final_url) == ("redirect", f"{OTHER}/new")
