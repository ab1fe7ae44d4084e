"""IndexNow against a fake engine on loopback: what is sent, and what each answer leads to."""

import json

import pytest

from tests.live.submit.fake_engines import (
    ENDPOINT,
    HOST,
    KEY,
    SITE,
    Bench,
    Drop,
    FakeSite,
    Reply,
    Web,
    added,
    removed,
)


@pytest.fixture
def bench(tmp_path):
    web = Web()
    with web.served() as policy:
        found = Bench(tmp_path, policy, web)
        for path in ("/a", "/b", "/c"):
            found.site.add_page(path)
        yield found


def refusal(status: int, code: str, message: str = "", **headers: str) -> Reply:
    return Reply.of({"errorCode": code, "message": message}, status, **headers)


def test_one_url_is_one_post_without_key_location(bench):
    result = bench.submit(added("/a"))

    assert bench.engine.posts == [{"host": HOST, "key": KEY, "urlList": [f"{SITE}/a"]}]
    assert (result.new, result.sent, result.has_failures) == (1, 1, False)
    [post] = bench.web.sent_to("api.indexnow.test")
    assert post.headers["content-type"] == "application/json; charset=utf-8"


def test_changes_file_of_a_build(bench, tmp_path):
    path = tmp_path / "changes.jsonl"
    path.write_text("".join(json.dumps(change) + "\n" for change in added("/a", "/b")))

    assert bench.submit(path).sent == 2
    assert bench.engine.urls == [f"{SITE}/a", f"{SITE}/b"]


def test_10_001_urls_are_two_posts(bench):
    result = bench.submit(added(*(f"/{n}" for n in range(10_001))), preflight=False)

    assert [len(post["urlList"]) for post in bench.engine.posts] == [10_000, 1]
    assert result.sent == 10_001


def test_two_hosts_are_two_posts(bench):
    other = FakeSite(bench.web, "shop.example.com", KEY[::-1])
    other.add_page("/tea")
    keys = {HOST: KEY, "shop.example.com": KEY[::-1]}

    bench.submit(added("/a") + added("/tea", host="shop.example.com"), keys=keys)

    assert [(post["host"], post["key"]) for post in bench.engine.posts] == [*keys.items()]


def test_foreign_url_without_a_key_is_refused_before_sending(bench):
    result = bench.submit(added("/a") + added("/x", host="foreign.example"))

    assert bench.engine.urls == [f"{SITE}/a"]
    assert result.has_failures
    assert "no key for foreign.example" in result.incomplete[0]
    assert bench.web.sent_to("foreign.example") == []


def test_a_single_key_is_that_of_the_input_while_another_host_waits(bench):
    other = {HOST: KEY, "shop.example.com": KEY[::-1]}
    bench.submit(added("/tea", host="shop.example.com"), keys=other)  # there is no key file

    result = bench.submit(added("/a"), keys=KEY)

    assert bench.engine.urls == [f"{SITE}/a"]
    assert "no key for shop.example.com" in result.incomplete[0]


def test_fragment_and_idn_are_normalized(bench):
    host = "xn--bcher-kva.example"
    FakeSite(bench.web, host).add_page("/%C3%A4")

    bench.submit([{"change": "added", "loc": "http://Bücher.example/ä#top"}], keys={host: KEY})

    assert bench.engine.posts[0]["host"] == host
    assert bench.engine.urls == [f"http://{host}/%C3%A4"]


def test_duplicates_are_sent_once(bench):
    bench.submit(added("/a", "/b", "/a", "/a#part"))

    assert sorted(bench.engine.urls) == [f"{SITE}/a", f"{SITE}/b"]


def test_same_change_twice_sends_nothing_the_second_time(bench):
    bench.submit(added("/a"))
    bench.clock.advance(days=1)

    result = bench.submit(added("/a"))

    assert len(bench.engine.posts) == 1
    assert (result.new, result.known, result.sent) == (0, 1, 0)


def test_removed_url_is_sent(bench):
    bench.submit(removed("/old"))

    assert bench.engine.urls == [f"{SITE}/old"]


def test_202_then_200(bench):
    bench.engine.replies = [Reply(202)]
    first = bench.submit(added("/a"))
    bench.clock.advance(days=1)

    second = bench.submit(added("/b"))

    assert (first.results[0].pending, second.results[0].accepted) == (1, 1)
    assert bench.engine.urls == [f"{SITE}/a", f"{SITE}/b"]
    assert states(bench) == {"/a": "accepted", "/b": "accepted"}


def test_403_pending_twice_then_200(bench):
    bench.engine.replies = [refusal(403, "SiteVerificationNotCompleted")] * 2

    result = bench.submit(added("/a"))

    assert bench.clock.waits == [120, 240]
    assert (result.sent, result.has_failures) == (1, False)


def test_403_pending_for_ten_minutes_is_left_for_the_next_run(bench):
    bench.engine.replies = [refusal(403, "SiteVerificationNotCompleted")] * 4

    result = bench.submit(added("/a"))

    assert sum(bench.clock.waits) == 600
    assert (result.waiting, result.has_failures, result.is_delayed) == (1, False, True)
    assert bench.submit().sent == 1


def test_403_key_not_found_fails_without_retry(bench):
    bench.engine.replies = [refusal(403, "KeyNotFound", "no key")]

    result = bench.submit(added("/a"))

    assert (result.has_failures, len(bench.engine.posts), bench.clock.waits) == (True, 1, [])
    assert states(bench) == {"/a": "waiting"}


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_missing_key_file_is_named_with_the_scheme_of_the_site(bench, scheme):
    bench.engine.replies = [refusal(403, "KeyNotFound", "no key")]
    [change] = added("/a")

    loc = f"{scheme}://{HOST}/a"
    result = bench.submit([change | {"loc": loc}], preflight=False)

    assert f" {scheme}://{HOST}/{KEY}.txt: KeyNotFound" in result.results[0].error


def test_403_user_forbidden_names_a_new_key(bench):
    bench.engine.replies = [refusal(403, "UserForbiddedToAccessSite")]

    result = bench.submit(added("/a"))

    assert result.has_failures
    assert "urlset submit --new-key" in result.results[0].error
    assert bench.clock.waits == []


def test_429_with_retry_after(bench):
    bench.engine.replies = [Reply(429, headers={"Retry-After": "1"})]

    assert bench.submit(added("/a")).sent == 1
    assert bench.clock.waits == [1]


def test_429_without_retry_after_is_left_after_three_waits(bench):
    bench.engine.replies = [Reply(429)] * 4

    result = bench.submit(added("/a"))

    assert bench.clock.waits == [60, 120, 240]
    assert (result.has_failures, states(bench)) == (True, {"/a": "waiting"})


def test_time_out_is_retried(tmp_path):
    bench = Bench(tmp_path)  # in memory: no test waits for a time limit
    bench.engine.replies = [Drop]
    bench.site.add_page("/a")

    assert bench.submit(added("/a")).sent == 1
    assert bench.clock.waits == [5]


def test_connection_that_ends_without_an_answer_is_retried(bench):
    bench.engine.replies = [Drop]

    assert bench.submit(added("/a")).sent == 1
    assert bench.clock.waits == [5]


def test_500_is_retried_three_times(bench):
    bench.engine.replies = [Reply(500)] * 4

    result = bench.submit(added("/a"))

    assert (bench.clock.waits, result.waiting) == ([5, 10, 20], 1)


def test_400_invalid_request_parameters_fails(bench):
    bench.engine.replies = [refusal(400, "InvalidRequestParameters", "bad")]

    result = bench.submit(added("/a"))

    assert "please report it" in result.results[0].error
    assert (bench.clock.waits, result.waiting) == ([], 1)


def test_422_leaves_out_the_urls_that_are_refused(bench):
    def engine(sent):
        bench.engine.posts.append(sent.json)
        is_bad = f"{SITE}/b" in sent.json["urlList"]
        return Reply(422, "Invalid url") if is_bad else Reply(200)

    bench.web.hosts["api.indexnow.test"] = engine

    result = bench.submit(added("/a", "/b", "/c"))

    assert states(bench) == {"/a": "accepted", "/b": "refused", "/c": "accepted"}
    assert [(one.url, one.code) for one in result.excluded] == [(f"{SITE}/b", "http-422")]
    assert result.has_failures


def test_422_about_the_key_is_not_about_urls(bench):
    bench.engine.replies = [Reply(422, "Key must be at least 8 characters")]

    result = bench.submit(added("/a"))

    assert "Key must be at least 8 characters" in result.results[0].error
    assert states(bench) == {"/a": "waiting"}


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        (Reply(404, "<html>"), "returns HTTP 404"),
        (Reply(301, "", {"Location": "https://www.example.com/key"}), "redirects to"),
        (Reply(200, f"<html>{KEY}</html>", {"content-type": "text/html"}), "HTML page"),
        (Reply(200, "another key", {"content-type": "text/plain"}), "does not contain the key"),
        (Reply(200, f"{KEY} {KEY}"), "does not contain the key"),
        (Reply(503, ""), "could not be read"),
    ],
)
def test_preflight_refuses_a_key_file(bench, reply, words):
    bench.site.pages[f"/{KEY}.txt"] = reply

    result = bench.submit(added("/a"))

    assert bench.engine.posts == []
    assert words in result.results[0].error
    assert states(bench) == {"/a": "waiting"}


@pytest.mark.parametrize("body", [f"\ufeff{KEY}", f"{KEY}\n", f"{KEY}\r\n"])
def test_preflight_accepts_a_byte_order_mark_and_a_line_break(bench, body):
    bench.site.pages[f"/{KEY}.txt"] = Reply(200, body.encode())

    assert bench.submit(added("/a")).sent == 1


def test_preflight_refuses_a_key_file_that_robots_txt_disallows(bench):
    bench.site.pages["/robots.txt"] = Reply(200, "User-agent: *\nDisallow: /*.txt$\n")

    result = bench.submit(added("/a"))

    assert bench.engine.posts == []
    assert "is disallowed for bingbot" in result.results[0].error


@pytest.mark.parametrize(
    "page",
    [
        {"head": '<meta name="robots" content="noindex">'},
        {"x-robots-tag": "noindex"},
    ],
)
def test_page_with_noindex_is_excluded_with_a_reason(bench, page):
    bench.site.add_page("/b", **page)

    result = bench.submit(added("/a", "/b"))

    assert bench.engine.urls == [f"{SITE}/a"]
    (excluded,) = result.excluded
    assert (excluded.url, excluded.code) == (f"{SITE}/b", "noindex")
    assert result.incomplete == (f"{SITE}/b: {excluded.reason}",)
    assert not result.is_complete
    assert states(bench)["/b"] == "refused"


def test_removed_urls_wait_if_all_sampled_ones_are_still_there(bench):
    """As of a sitemap that was empty for a day: changes elsewhere say nothing about its pages."""
    gone = [f"/shop/{n}" for n in range(30)]
    for path in gone:
        bench.site.add_page(path)

    result = bench.submit([*added("/a"), *removed(*gone)])

    assert bench.engine.urls == [f"{SITE}/a"]
    assert result.excluded == []
    assert (result.waiting, result.has_failures) == (30, True)
    [fault] = result.faults
    assert "30 removed URLs of www.example.com wait: none of the 10 sampled ones" in fault
    assert "it is removed, but still answers 200" in fault

    for path in gone:
        del bench.site.pages[path]
    assert bench.submit().sent == 30


def test_added_urls_wait_if_no_sampled_one_is_there(bench):
    new = [f"/shop/{n}" for n in range(30)]

    result = bench.submit([*added(*new), *removed("/old")])

    assert bench.engine.urls == [f"{SITE}/old"]
    assert (result.waiting, len(result.faults)) == (30, 1)


def test_dry_run_sends_nothing_and_prints_requests_byte_for_byte(bench):
    dry = bench.submit(added("/a"), dry_run=True)
    assert bench.web.log == []
    assert "the key file and the pages were not checked" in dry.notes[0]
    assert not bench.submit(added("/a"), dry_run=True, preflight=False).notes
    assert not (bench.path / "announcements.duckdb").exists()

    bench.submit(added("/a"))

    [post] = bench.web.sent_to("api.indexnow.test")
    # A proxy is sent the whole URL, an engine the path.
    sent = post.raw.decode().replace(f"POST {ENDPOINT} ", "POST /indexnow ")
    assert dry.requests == [sent]


def states(bench) -> dict[str, str]:
    """The last state of each path."""
    from urlset.store import ScratchDatabase

    with ScratchDatabase() as db:
        db.attach_copy(str(bench.path / "announcements.duckdb"), "log")
        rows = db.rows("SELECT url, state FROM log.announcements ORDER BY number")
    return {url.removeprefix(SITE): state for url, state in rows}


def test_excluded_urls_are_counted_by_reason(bench):
    bench.site.add_page("/b", head='<meta name="robots" content="noindex">')
    paths = [f"/{n}" for n in range(5)]
    foreign = added(*paths, host="foreign.example.org")

    dry = bench.submit([*added("/a"), *foreign], dry_run=True)
    result = bench.submit([*added("/a", "/b"), *foreign])

    assert "; 5 URLs excluded (5 no-key); nothing was sent" in dry.summary
    assert len(result.excluded) == 4  # the first three of a host without a key
    assert result.excluded_counts == {"no-key": 5, "noindex": 1}
    assert result.to_dict()["excluded_counts"] == {"no-key": 5, "noindex": 1}
    assert "; 6 URLs excluded (5 no-key, 1 noindex); 1 URL sent" in result.summary
