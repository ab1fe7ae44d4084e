"""Crawl and audit give the same verdict for the same responses."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial

import pytest

import urlset
from tests.live_sites import audit, crawl, html, put_site, put_sitemap
from tests.site_box import Player, SiteBox, cut, hang_up, in_turn, page, redirect
from urlset.live.visits import page_worker

HTML = "text/html"
TEXT = html("Tea")


def answer(status: int, body: str = "x", **headers: str) -> Player:
    return page(body, status, kind=HTML, **headers)


def responses() -> dict[str, tuple[Player, tuple[str, str | None]]]:
    """Return a response for each path, with the verdict and its reason."""
    return {
        "/ok": (answer(200, TEXT), ("ok", None)),
        "/203": (answer(203, TEXT), ("ok", None)),
        "/206": (answer(206, TEXT), ("unknown", "http-206")),
        "/not-found": (answer(404), ("gone", None)),
        "/gone": (answer(410), ("gone", None)),
        "/teapot": (answer(418), ("client-error", None)),
        "/login": (answer(401), ("unknown", "http-401")),
        "/forbidden": (answer(403), ("unknown", "http-403")),
        "/too-many": (answer(429), ("unknown", "http-429")),
        "/legal": (answer(451), ("unknown", "http-451")),
        "/error": (answer(500), ("server-error", None)),
        "/gateway": (answer(502), ("server-error", None)),
        "/busy": (answer(503), ("unknown", "http-503")),
        "/empty": (answer(200, " "), ("unknown", "empty")),
        "/challenge": (answer(403, TEXT, cf_mitigated="challenge"), ("unknown", "challenge")),
        "/no-answer": (hang_up, ("unreachable", None)),
        "/cut": (cut(TEXT.encode(), 20), ("unknown", "cut")),
        "/once-busy": (in_turn(answer(503), answer(200, TEXT)), ("ok", None)),
        "/once-no-answer": (in_turn(hang_up, answer(200, TEXT)), ("ok", None)),
        "/once-empty": (in_turn(answer(200, " "), answer(200, TEXT)), ("ok", None)),
        "/redirect": (redirect("/ok"), ("redirect", None)),
        "/loop": (redirect("/loop"), ("redirect-loop", None)),
        "/error-page": (answer(200, html("Page not found")), ("soft-404", "says-not-found")),
        "/private": (answer(200, TEXT), ("disallowed", "robots")),
    }


Visit = Callable[..., AbstractContextManager[urlset.Crawl | urlset.Audit]]
VERBS: dict[str, Visit] = {
    "crawl": partial(crawl, output=None),
    "audit": partial(audit, llms_txt=False),
    "audit-crawl": partial(audit, llms_txt=False, crawl=True),
}


def verdicts(result: urlset.Crawl | urlset.Audit, box: SiteBox) -> dict[str, tuple[str, str]]:
    """Return verdict and reason of each page by its path."""
    query = "SELECT url, verdict, unknown_reason FROM pages"
    rows = result.query(query) if isinstance(result, urlset.Crawl) else result.store.query(query)
    return {url.removeprefix(box.site): (verdict, reason) for url, verdict, reason in rows}


@pytest.mark.parametrize("worker_from", [1, 1_000])
@pytest.mark.parametrize("verb", VERBS)
def test_the_verdict_of_a_response_is_the_same(
    verb: str, worker_from: int, box: SiteBox, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(page_worker, "WORKER_FROM", worker_from)
    known = responses()
    put_site(box, {"/": known}, ["/", *known])
    box.put_robots("User-agent: *", "Disallow: /private", f"Sitemap: {box.url('/sitemap.xml')}")
    for path, (player, _) in known.items():
        box.play(path, player)

    with VERBS[verb](box, retries=0) as result:
        found = verdicts(result, box)

    expected = {path: verdict for path, (_, verdict) in known.items()}
    assert {path: found[path] for path in expected} == expected
    assert {box.paths.count(path) for path in ("/203", "/error-page", "/gone")} == {1}
    twice = ("/forbidden", "/busy", "/error", "/empty", "/once-busy")
    assert {box.paths.count(path) for path in twice} == {2}


@pytest.mark.parametrize("verb", VERBS)
def test_pages_are_unknown_if_robots_txt_cannot_be_read(verb: str, box: SiteBox):
    listed = box.url("/listed.xml")
    put_site(box, {"/": ["/page"], "/page": []})
    put_sitemap(box, ["/", "/page"], "/listed.xml")
    box.put("/robots.txt", "", 503)

    options = {"read_sitemaps": False} if verb == "crawl" else {"start": listed}
    with VERBS[verb](box, retries=0, **options) as result:
        found = verdicts(result, box)

    assert found.pop("/") == ("unknown", "robots")
    assert set(found.values()) <= {("unknown", "robots")}
    assert not {"/", "/page"} & set(box.paths)


@pytest.mark.parametrize("verb", VERBS)
def test_a_host_that_never_responds_says_nothing_about_its_pages(verb: str, box: SiteBox):
    listed = box.url("/listed.xml")
    put_sitemap(box, ["/", "/page"], "/listed.xml")
    box.put("/robots.txt", "", 404)
    box.play("/", hang_up)
    box.play("/page", hang_up)

    options = {"read_sitemaps": False} if verb == "crawl" else {"start": listed}
    with VERBS[verb](box, retries=0, **options) as result:
        found = verdicts(result, box)

    assert found.pop("/") == ("unknown", "connect")
    assert set(found.values()) <= {("unknown", "connect")}
