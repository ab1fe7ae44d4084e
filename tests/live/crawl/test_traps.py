"""Traps: URLs without an end are cut, ordinary URLs never."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

import urlset
from tests.site_box import SiteBox
from urlset.live.crawl.traps import MAX_CALENDAR, MAX_FACETS, Traps

NOW = datetime(2026, 11, 22, tzinfo=UTC)
SITE = "https://example.com"


def cut(urls):
    """Return the kinds and patterns of the traps that some URLs belong to, in order."""
    traps = Traps(NOW)
    return [traps.trap_of(f"{SITE}{url}") for url in urls]


@pytest.mark.parametrize(
    ("url", "pattern"),
    [
        ("/a/b/a/b/a/b/c", "/a/b/*"),
        ("/x/img/img/img/", "/x/img/*"),
        ("/" + "/".join(f"s{n}" for n in range(25)), "/s0/s1/s2/*"),
        ("/events/2031/05/", "/events/*/*/"),
        ("/events?month=2031-05", "/events?month=*-*"),
    ],
)
def test_a_url_is_a_trap_by_itself(url, pattern):
    (trap,) = cut([url])

    assert trap is not None
    assert trap.pattern == SITE + pattern


@pytest.mark.parametrize(
    "url",
    [
        "/",
        "/blog/2026/11/22/a-post",
        "/2026/11/",
        "/docs/api/docs/guide/docs",
        "/tree/2/2/2/2",
        "/product?id=7&lang=de",
        "/search?sid=1",
        "/a/a/b",
        "/events?date=2026-11-22",
    ],
)
def test_an_ordinary_url_is_no_trap(url):
    assert cut([url]) == [None]


def test_a_page_is_visited_with_one_session_number():
    first, second, other = cut(
        ["/a?sid=0123456789ab", "/a?sid=ba9876543210&x=1", "/a?sid=ffffffffffff"]
    )

    assert (first, second) == (None, None)
    assert (other.kind, other.pattern) == ("session", f"{SITE}/a?sid=*")


def test_a_calendar_is_cut_after_a_year_of_days():
    days = [f"/cal?date=20{y:02}-{m:02}-{d:02}" for y in (24, 25) for m in range(1, 13)
            for d in range(1, 29)]  # fmt: skip

    found = cut(days)

    assert found[:MAX_CALENDAR] == [None] * MAX_CALENDAR
    assert {trap.kind for trap in found[MAX_CALENDAR:]} == {"calendar"}


def test_filters_in_any_combination_are_cut():
    names = "abcdefgh"
    urls = [
        f"/shop?{names[n % 8]}={n}&{names[n // 8 % 8]}={n}&{names[n // 64 % 8]}={n}"
        for n in range(400)
    ]

    found = cut(urls)

    assert found[:MAX_FACETS] == [None] * MAX_FACETS
    assert {trap.pattern for trap in found[MAX_FACETS:]} == {f"{SITE}/shop?*&*"}


def test_a_page_with_the_same_parameters_is_no_trap_however_many_there_are():
    assert set(cut(f"/product?id={n}&lang=de" for n in range(3_000))) == {None}


@given(st.lists(st.sampled_from("abcdefghijklmnop"), unique=True, max_size=10))
def test_paths_of_different_segments_are_no_trap(segments):
    assert cut(["/" + "/".join(segments)]) == [None]


@given(st.text(max_size=200))
def test_no_url_raises(text):
    Traps(NOW).trap_of(f"{SITE}/{text}")


def test_a_trap_is_reported_with_pattern_and_count():
    with SiteBox() as box:
        box.put(
            "/", '<a href="/x/y/x/y/x/y/">1</a><a href="/x/y/x/y/x/y/z">2</a>', kind="text/html"
        )
        with urlset.crawl(box.site, policy=urlset.Policy(proxies={}), read_sitemaps=False) as found:
            traps = list(found.traps)
            states = list(found.query("SELECT state, excluded_by FROM frontier WHERE depth = 1"))

    pattern = f"{box.site}/x/y/*"
    assert traps == [(pattern, "repeated-path", 2, f"{box.site}/x/y/x/y/x/y/")]
    assert states == [("excluded", f"repeated-path: {pattern}")] * 2
    assert found.incomplete == ("traps: 2 URLs of patterns without an end",)


def test_a_listed_url_is_never_cut():
    with SiteBox() as box:
        box.put("/a/b/a/b/a/b", "<html>", kind="text/html")
        box.put("/sitemap.txt", box.url("/a/b/a/b/a/b"), kind="text/plain")
        with urlset.crawl(box.site, policy=urlset.Policy(proxies={})) as found:
            verdicts = list(found.query("SELECT verdict FROM pages WHERE is_listed"))

    assert verdicts == [("ok",)]
