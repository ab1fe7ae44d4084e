"""With --live, removed URLs are requested: redirects are moves, and robots.txt is obeyed."""

from __future__ import annotations

import pytest

import urlset
from tests.http_walks import quick
from tests.site_box import SiteBox, page, redirect
from urlset.live.diff.rows import reason_text

HTML = b"<!doctype html><title>Tea</title><p>All about tea."


@pytest.fixture
def box():
    with SiteBox() as box:
        yield box


def listing(box: SiteBox, *paths: str) -> bytes:
    return "\n".join(map(box.url, paths)).encode()


def find(box: SiteBox, before: tuple[str, ...], after: tuple[str, ...], **options: object):
    known: dict[str, object] = {"live": True, "policy": quick()}
    return urlset.diff(listing(box, *before), listing(box, *after), **(known | options))  # type: ignore[arg-type]


def test_redirect_to_an_added_url_is_a_move(box):
    box.play("/old", redirect(box.url("/x/brand-new"), 301))
    box.put("/x/brand-new", HTML, kind="text/html")
    box.play("/gone", page(b"", 410))
    box.put("/unlisted", HTML, kind="text/html")

    with find(box, ("/old", "/gone", "/unlisted"), ("/x/brand-new",)) as found:
        rows = {c.change: (c.loc, c.why[0].reason) for c in found.of("moved")}
        removed = {c.loc: c.why[0].reason for c in found.of("removed")}

    assert rows == {"moved": (box.url("/x/brand-new"), "redirect")}
    assert removed == {box.url("/gone"): "gone", box.url("/unlisted"): "responds"}


def test_redirect_to_a_page_that_was_listed_before_is_a_removal(box):
    box.play("/old", redirect(box.url("/home"), 301))
    box.put("/home", HTML, kind="text/html")

    with find(box, ("/old", "/home"), ("/home", "/new")) as found:
        [removed] = found.of("removed")

    assert removed.why[0][:2] == ("redirect", box.url("/home"))
    assert reason_text(removed.why[0]) == f"redirects to {box.url('/home')}"


def test_redirects_of_several_urls_to_one_are_ambiguous(box):
    for path in ("/old-1", "/old-2"):
        box.play(path, redirect(box.url("/x/all"), 301))
    box.put("/x/all", HTML, kind="text/html")

    with find(box, ("/old-1", "/old-2"), ("/x/all",)) as found:
        assert found.counts.moved == 0
        assert {c.why[0].detail for c in found.of("removed")} == {box.url("/x/all")}


def test_redirect_to_a_page_that_robots_txt_disallows_is_a_move(box):
    box.put_robots("User-agent: *", "Disallow: /x/")
    box.play("/old", redirect(box.url("/x/brand-new"), 301))

    with find(box, ("/old",), ("/x/brand-new",)) as found:
        assert [(c.loc, c.why[0].reason) for c in found.of("moved")] == [
            (box.url("/x/brand-new"), "redirect")
        ]
    assert sorted(box.paths) == ["/old", "/robots.txt"]


def test_the_robots_txt_of_the_host_of_a_redirect_is_obeyed(box):
    with SiteBox() as other:
        other.put_robots("User-agent: *", "Disallow: /x/")
        box.play("/old", redirect(other.url("/x/new"), 301))
        box.play("/older", redirect(other.put("/y", HTML, kind="text/html"), 301))

        with find(box, ("/old", "/older"), ("/c",), policy=quick(allow_private=True)) as found:
            details = {c.why[0].detail for c in found.of("removed")}

    assert details == {other.url("/x/new"), other.url("/y")}
    assert other.paths == ["/robots.txt", "/y"]


def test_robots_txt_is_obeyed_and_nothing_is_requested_without_live(box):
    box.put_robots("User-agent: *", "Disallow: /private/")

    with find(box, ("/private/a", "/b"), ("/c/x",)) as found:
        reasons = {c.loc: c.why[0].reason for c in found.of("removed")}

    assert reasons[box.url("/private/a")] == "disallowed"
    assert sorted(box.paths) == ["/b", "/robots.txt"]
    with find(box, ("/b",), ("/c/x",), live=False):
        pass
    assert len(box.paths) == 2


def test_limit_of_requests(box):
    paths = tuple(f"/{n}" for n in range(9))

    with find(box, paths, (), max_requests=3) as found:
        assert found.notes == ["3 of 9 removed URLs were requested"]

    assert len([path for path in box.paths if path != "/robots.txt"]) == 3
