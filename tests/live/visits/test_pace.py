"""Pace: requests slow down when a host answers more slowly, or asks for it."""

from hypothesis import given
from hypothesis import strategies as st

import urlset
from tests.site_box import SiteBox, page
from urlset.http import Policy, Request, Response
from urlset.live.visits.politeness import (
    MAX_DELAY_S,
    MAX_FAILURES,
    WINDOW,
    Budget,
    HostPace,
    Pace,
    Politeness,
)


def feed(pace, seconds, windows=1, interval=0.1, start=0.0):
    """Add responses, one every ``interval`` seconds; return the time after the last."""
    for _ in range(windows * WINDOW):
        start += interval
        pace.observe(seconds, start)
    return start


def test_twice_the_time_to_the_first_byte_halves_the_rate():
    pace = HostPace()
    now = feed(pace, 0.3)
    feed(pace, 0.7, start=now)

    assert round(pace.delay_s, 6) == 0.2  # one request in 0.1 s before


def test_a_slowly_rising_time_keeps_the_rate():
    pace = HostPace()
    feed(pace, 0.3)
    feed(pace, 0.5)

    assert pace.delay_s == 0


def test_a_fast_host_is_not_slowed_down_by_noise():
    pace = HostPace()
    feed(pace, 0.001)
    feed(pace, 0.1)

    assert pace.delay_s == 0


def test_the_rate_recovers_slowly_to_the_configured_delay():
    pace = HostPace(0.5)
    feed(pace, 0.3)
    feed(pace, 2.0)
    slow = pace.delay_s
    feed(pace, 0.3)
    step = pace.delay_s
    feed(pace, 0.3, windows=30)

    assert slow >= 1.0
    assert slow * 0.7 < step < slow
    assert pace.delay_s == 0.5


@given(st.lists(st.floats(0, 100), max_size=200), st.floats(0, 5))
def test_the_delay_stays_between_the_configured_one_and_the_maximum(times, delay):
    pace = HostPace(delay)
    for number, seconds in enumerate(times):
        pace.observe(seconds, float(number))
        assert delay <= pace.delay_s <= MAX_DELAY_S


def test_a_host_is_paused_for_the_time_that_it_asks_for():
    pace = Pace()
    pace.of("https://a.example").refuse(100.0, 30.0)

    assert pace.wait_s("https://a.example", 110.0) == 20.0
    assert pace.wait_s("https://a.example", 140.0) == 0.0
    assert pace.wait_s("https://b.example", 100.0) == 0.0


def test_a_burst_of_refusals_halves_the_rate_once():
    politeness = Politeness(Policy())
    url = "https://a.example/"
    pace = politeness.pace.of("https://a.example")
    burst = [Response(Request(url), url, 429) for _ in range(32)]  # all were on their way

    for response in burst:
        politeness.observe(response)
    after_burst = pace.delay_s
    for _ in range(3):
        politeness.observe(Response(Request(url, delay_s=pace.delay_s), url, 429))

    assert after_burst == 0.1
    assert pace.delay_s == 0.2


def test_slow_responses_that_were_on_their_way_halve_the_rate_once():
    politeness = Politeness(Policy())
    url = "https://a.example/"
    pace = politeness.pace.of("https://a.example")

    for first_byte_s in (0.3, 2.0, 2.0, 2.0):
        for _ in range(WINDOW):
            politeness.observe(Response(Request(url), url, 200, first_byte_s=first_byte_s))

    assert 0 < pace.delay_s < 0.1


def test_a_late_refusal_still_pauses_the_host():
    politeness = Politeness(Policy())
    politeness.clock = lambda: 100.0
    url = "https://a.example/"
    pace = politeness.pace.of("https://a.example")
    pace.require(5.0)

    politeness.observe(Response(Request(url), url, 429, headers={"retry-after": "30"}))

    assert politeness.pace.wait_s("https://a.example", 110.0) == 20.0


def test_crawl_delay_is_kept():
    assert Pace(0.5).of("https://a.example", crawl_delay_s=3.0).delay_s == 3.0
    assert Pace(5.0).of("https://a.example", crawl_delay_s=3.0).delay_s == 5.0


def test_requests_wait_as_robots_txt_and_retry_after_ask():
    with SiteBox() as box:
        box.put_robots("User-agent: *", "Crawl-delay: 0.2")
        box.put("/", '<a href="/a">a</a><a href="/b">b</a>', kind="text/html")
        refused = page(b"", 429, retry_after="1")
        good = page(b"<html>", kind="text/html")

        async def once(hit, wire):
            return await (refused if hit.number == 1 else good)(hit, wire)

        box.play("/a", once)
        box.play("/b", good)
        with urlset.crawl(
            box.site, policy=urlset.Policy(proxies={}), read_sitemaps=False, confirm_after_s=0
        ) as found:
            assert found.verdicts == {"ok": 3}
        times = {hit.path: hit.at for hit in box.hits}
        first = next(hit.at for hit in box.hits if hit.path == "/a")

    assert times["/b"] - times["/"] >= 0.2
    assert times["/a"] - first >= 0.95


def test_a_run_that_ended_without_responses_stays_unanswered_if_one_arrives_late():
    budget = Budget()
    for _ in range(MAX_FAILURES):
        budget.observe(is_answered=False)

    budget.observe(is_answered=True)

    assert budget.is_unanswered
    assert not budget.spend()
    assert budget.exceeded == "no response: the last 50 requests failed"


def test_a_request_that_would_wait_beyond_the_end_is_not_started():
    budget = Budget(max_minutes=1, clock=lambda: 100.0)

    assert budget.spend(wait_s=59.0)
    assert not budget.spend(wait_s=60.0)
    assert budget.exceeded == "limit of time (max-minutes)"
    assert budget.requests == 1


def test_a_crawl_delay_applies_to_a_host_that_responded_before_its_robots_txt():
    politeness = Politeness(Policy())
    page = "https://cdn.example/target"
    politeness.observe(Response(Request("https://example.com/a"), page, 200, first_byte_s=0.1))
    robots = politeness.robots_request("https://cdn.example")
    body = b"User-agent: *\nCrawl-delay: 10\n"

    politeness.receive_robots(Response(robots, robots.url, 200, body=body))

    assert politeness.pace.of("https://cdn.example").delay_s == 10
