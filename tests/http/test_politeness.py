"""Manners of every verb: one pace for each host, whatever the phase; robots.txt; pauses."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import urlset
from tests.http_walks import quick
from tests.live_sites import html, put_page
from tests.site_box import Hit, SiteBox, Wire, page, urlset_of
from urlset.errors import UrlsetError
from urlset.protocol import WELL_KNOWN_PATHS

DELAY_S = 0.2
KEY = "73134416ae45434d98edc086e0bf6740"
PAGES = ("/a", "/b", "/c")

Verb = Callable[[SiteBox, Path, urlset.Policy], Any]


def read_site(box: SiteBox, folder: Path, policy: urlset.Policy) -> None:
    list(urlset.read(box.site, policy=policy))


def read_index(box: SiteBox, folder: Path, policy: urlset.Policy) -> None:
    list(urlset.read(box.url("/i.xml"), policy=policy))


def check(box: SiteBox, folder: Path, policy: urlset.Policy) -> None:
    list(urlset.check(box.site, policy=policy))


def crawl(box: SiteBox, folder: Path, policy: urlset.Policy) -> None:
    urlset.crawl(box.site, folder / "crawl.duckdb", policy=policy, confirm_after_s=0).close()


def audit(box: SiteBox, folder: Path, policy: urlset.Policy, **options: Any) -> None:
    quickly: dict[str, Any] = {"confirm_after_s": 0.0, "confirm_delay_s": 0.0}
    urlset.audit(box.site, policy=policy, **quickly, **options).close()


def audit_with_crawl(box: SiteBox, folder: Path, policy: urlset.Policy, **options: Any) -> None:
    audit(box, folder, policy, crawl=True, **options)


def diff_live(box: SiteBox, folder: Path, policy: urlset.Policy, **options: Any) -> None:
    before = [box.url(f"/gone-{n}") for n in range(3)]
    text = "\n".join(before).encode()
    urlset.diff(text, box.site, live=True, policy=policy, base_url=box.site, **options).close()


def watch(box: SiteBox, folder: Path, policy: urlset.Policy) -> None:
    urlset.watch(box.site, folder / "watch.duckdb", policy=policy)


def sync(box: SiteBox, folder: Path, policy: urlset.Policy, **options: Any) -> None:
    with urlset.sync(box.site, folder / "sync.duckdb", policy=policy, **options) as run:
        for batch in run:
            batch.commit()


def submit(box: SiteBox, folder: Path, policy: urlset.Policy) -> None:
    box.put(f"/{KEY}.txt", KEY, kind="text/plain")
    with SiteBox() as engine:
        engine.otherwise = page(b"", 202)
        urlset.submit(
            [{"change": "changed", "loc": box.url(path)} for path in PAGES],
            keys=KEY,
            endpoints=engine.url("/indexnow"),
            store=folder / "announcements.duckdb",
            policy=policy,
        )


VERBS: dict[str, Verb] = {
    "read": read_site,
    "read-index": read_index,
    "check": check,
    "crawl": crawl,
    "audit": audit,
    "audit-crawl": audit_with_crawl,
    "diff": diff_live,
    "watch": watch,
    "sync": sync,
    "submit": submit,
}
SEARCHING = [name for name in VERBS if name not in ("read-index", "submit")]


def put_site(box: SiteBox, *robots: str) -> None:
    """Put a site with two sitemaps, a feed of 404 pages, and pages that link to each other."""
    for path in ("/", *PAGES):
        put_page(box, path, *PAGES, "/unlisted")
    put_page(box, "/unlisted")
    box.put("/s1.xml", urlset_of(box.url("/a"), 0).replace(b"</urlset>", rows(box, "/a", "/b")))
    box.put("/s2.xml", urlset_of(box.url("/a"), 0).replace(b"</urlset>", rows(box, "/c")))
    box.put_index("/i.xml", ["/s1.xml", "/s2.xml"])
    box.put_robots("User-agent: *", *robots, "Allow: /", f"Sitemap: {box.url('/i.xml')}")


def rows(box: SiteBox, *paths: str) -> bytes:
    return "".join(f"<url><loc>{box.url(p)}</loc></url>" for p in paths).encode() + b"</urlset>"


def gaps(hits: list[Hit]) -> list[float]:
    times = sorted(hit.at for hit in hits)
    return [round(b - a, 3) for a, b in pairwise(times)]


def assert_paced(hits: list[Hit]) -> None:
    # A busy machine may deliver one request late, which shortens the next gap. Phases with clocks
    # of their own have gaps of some milliseconds.
    found = gaps(hits)
    told = list(zip([hit.path for hit in hits][1:], found, strict=False))
    assert min(found) >= DELAY_S * 0.5, told
    assert sum(found) >= len(found) * DELAY_S * 0.9, told


def assert_asked_once(box: SiteBox) -> None:
    assert box.paths.count("/robots.txt") == 1, box.paths
    assert box.paths.count("/") <= 1, box.paths


@pytest.mark.parametrize("name", VERBS)
def test_delay_applies_to_all_requests_of_a_run(name: str, box: SiteBox, tmp_path: Path):
    put_site(box)

    VERBS[name](box, tmp_path, quick(delay_s=DELAY_S))

    assert len(box.hits) >= 4
    assert_paced(box.hits)
    assert_asked_once(box)


@pytest.mark.parametrize("name", VERBS)
def test_crawl_delay_applies_from_robots_txt_on(name: str, box: SiteBox, tmp_path: Path):
    put_site(box, f"Crawl-delay: {DELAY_S}")

    VERBS[name](box, tmp_path, quick())

    first = next(n for n, hit in enumerate(box.hits) if hit.path == "/robots.txt")
    assert first <= 1, "only a sitemap that the user named comes before robots.txt"
    assert_paced(box.hits[first:])
    assert_asked_once(box)


@pytest.mark.parametrize("name", VERBS)
def test_after_retry_after_only_requests_in_flight_arrive(name: str, box: SiteBox, tmp_path: Path):
    put_site(box)
    for n in range(40):
        put_page(box, f"/p{n}", "/a")
    many = [*PAGES, *(f"/p{n}" for n in range(40))]
    box.put("/s1.xml", urlset_of(box.url("/a"), 0).replace(b"</urlset>", rows(box, *many)))
    refused: list[float] = []

    async def refuse(hit: Hit, wire: Wire) -> bool:
        refused.append(hit.at)
        return await page(b"", 429, retry_after="3600")(hit, wire)

    for path in ("/s2.xml", "/a", "/gone-1"):
        box.play(path, refuse)
    per_host = 4

    with suppress(UrlsetError):
        VERBS[name](box, tmp_path, quick(per_host=per_host))

    assert refused, "the refusing URL was requested"
    later = [hit.path for hit in box.hits if hit.at > min(refused)]
    assert len(later) <= per_host + 1, later


@pytest.mark.parametrize("name", ["read", "crawl", "audit", "sync"])
def test_requests_continue_when_the_pause_is_over(name: str, box: SiteBox, tmp_path: Path):
    put_site(box)
    box.play("/s2.xml", once_refused(page(urlset_of(box.url("/c"), 1)), "1"))

    VERBS[name](box, tmp_path, quick(total_timeout_s=10.0))

    [refusal, again] = [hit for hit in box.hits if hit.path == "/s2.xml"]
    assert again.at - refusal.at >= 0.9
    between = [hit.path for hit in box.hits if refusal.at < hit.at < refusal.at + 0.9]
    assert len(between) <= 4, between


def once_refused(player: Any, retry_after: str) -> Any:
    async def play(hit: Hit, wire: Wire) -> bool:
        refusal = page(b"", 429, retry_after=retry_after)
        return await (refusal if hit.number == 1 else player)(hit, wire)

    return play


@pytest.mark.parametrize("status", [500, 503])
@pytest.mark.parametrize("name", SEARCHING)
def test_spec_unreachable_robots_txt_disallows_everything(
    name: str, status: int, box: SiteBox, tmp_path: Path
):
    # "the crawler MUST assume complete disallow"
    # https://www.rfc-editor.org/rfc/rfc9309#section-2.3.1.4
    put_site(box)
    box.put("/robots.txt", "oops", status)

    with suppress(UrlsetError):
        VERBS[name](box, tmp_path, quick(retries=0))

    assert box.paths == ["/robots.txt"]
    assert not set(box.paths) & set(WELL_KNOWN_PATHS)


@pytest.mark.promise
@pytest.mark.parametrize("name", VERBS)
def test_no_verb_requests_a_page_that_robots_txt_disallows(name: str, box: SiteBox, tmp_path: Path):
    put_site(box, "Disallow: /b", "Disallow: /unlisted", "Disallow: /gone-2", "Disallow: /llms.txt")

    VERBS[name](box, tmp_path, quick())

    assert not set(box.paths) & {"/b", "/unlisted", "/gone-2", "/llms.txt"}
    assert_asked_once(box)


@pytest.mark.promise
@pytest.mark.parametrize("name", VERBS)
def test_no_verb_follows_a_redirect_to_a_page_that_robots_txt_disallows(
    name: str, box: SiteBox, tmp_path: Path
):
    put_site(box, "Disallow: /secret")
    for path, target in (("/a", "/secret"), ("/b", "/b1"), ("/b1", "/secret"), ("/c", "/d")):
        box.put(path, b"", 302, location=target)
    box.put("/gone-1", b"", 301, location="/secret")
    put_page(box, "/secret")
    put_page(box, "/d")

    VERBS[name](box, tmp_path, quick())

    assert "/secret" not in box.paths
    assert "/d" in box.paths or name not in ("audit", "sync")
    assert box.paths.count("/a") <= 1 + (name == "audit-crawl"), box.paths


LIMITED: dict[str, Callable[..., None]] = {
    "audit": audit,
    "audit-crawl": audit_with_crawl,
    "diff": diff_live,
    "sync": sync,
}


@pytest.mark.parametrize("limit", [1, 3, 6])
@pytest.mark.parametrize("name", LIMITED)
def test_redirects_retries_and_second_visits_count_for_the_limit_of_requests(
    name: str, limit: int, box: SiteBox, tmp_path: Path
):
    put_site(box)
    for path, target in (("/a", "/a1"), ("/a1", "/a2"), ("/gone-0", "/gone-3")):
        box.put(path, b"", 301, location=target)
    for path in ("/b", "/gone-1", "/c"):
        box.put(path, b"later", 503)
    free = {"/robots.txt", "/i.xml", "/s1.xml", "/s2.xml", "/"}

    LIMITED[name](box, tmp_path, quick(retries=2), max_requests=limit)

    counted = [path for path in box.paths if path not in free]
    assert len(counted) <= limit, counted
    assert len(counted) >= min(limit, 2) - (name == "audit-crawl"), "the limit is used"


def test_preflight_of_submit_obeys_robots_txt(box: SiteBox, tmp_path: Path):
    put_site(box)
    box.put_robots("User-agent: urlset", "Disallow: /")

    submit(box, tmp_path, quick())

    assert set(box.paths) == {"/robots.txt"}


def test_ignore_robots_is_about_sitemaps_and_never_about_pages(box: SiteBox, tmp_path: Path):
    put_site(box)
    box.put("/sitemap.xml", urlset_of(box.url("/a"), 0).replace(b"</urlset>", rows(box, *PAGES)))
    box.put_robots("User-agent: *", "Disallow: /")

    audit(box, tmp_path, quick(obey_robots=False))
    audit_with_crawl(box, tmp_path, quick(obey_robots=False))

    assert "/sitemap.xml" in box.paths
    assert not set(box.paths) & {*PAGES, "/unlisted"}


def test_crawl_delay_above_ten_seconds_is_kept_up_to_the_limit():
    assert urlset.Policy().max_delay_s == 60.0


def test_a_crawl_requests_the_home_page_once(box: SiteBox, tmp_path: Path):
    put_site(box)

    box.put("/", html("Home", *PAGES), kind="text/html", etag='"1"')

    crawl(box, tmp_path, quick())

    assert box.paths.count("/") == 1
    crawl(box, tmp_path, quick())
    assert box.paths.count("/") == 2
    with urlset.Store.open(tmp_path / "crawl.duckdb") as store:
        query = f"SELECT verdict, title FROM pages WHERE url = '{box.site}/'"
        assert list(store.query(query)) == [("ok", "Home")]


def test_the_message_of_a_proxy_that_is_down_names_it_and_the_variable(
    monkeypatch: pytest.MonkeyPatch,
):
    with SiteBox() as closed:
        place = f"{closed.host}:{closed.port}"
    for name in ("http_proxy", "HTTP_PROXY", "no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("http_proxy", f"http://user:s3cret@{place}")

    with pytest.raises(UrlsetError) as raised:
        list(urlset.read("http://shop.example/sitemap.xml", policy=quick(proxies=None, retries=0)))

    assert f"via the proxy http://{place}, which is set in $http_proxy" in str(raised.value)
    assert "s3cret" not in str(raised.value)
