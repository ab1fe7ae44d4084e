"""URLs that an engine refuses: they are not announced, and can be sent again."""

import pytest

from tests.live.submit.fake_engines import ENDPOINT, SITE, FakeIndexNow, Reply, added
from tests.live.submit.test_indexnow import bench, states

__all__ = ["bench"]  # a fixture


def refuses(bench, *paths):
    """Let the engine answer 422 to every request with one of these paths; without any, to all."""

    def engine(sent):
        bench.engine.posts.append(sent.json)
        urls = sent.json["urlList"]
        is_bad = not paths or any(f"{SITE}{path}" in urls for path in paths)
        return Reply(422, "Invalid url") if is_bad else Reply(200)

    bench.web.hosts["api.indexnow.test"] = engine


@pytest.mark.parametrize("count", [2, 3, 14, 200])
def test_422_for_every_url_is_one_failure_that_waits(bench, count):
    refuses(bench)
    paths = [f"/{n}" for n in range(count)]

    result = bench.submit(added(*paths), preflight=False)

    assert len(bench.engine.posts) <= 8
    assert set(states(bench).values()) == {"waiting"}
    assert (result.excluded, result.waiting, result.sent) == ([], count, 0)
    assert "refuses every URL" in result.results[0].error
    assert result.has_failures


def test_urls_that_wait_after_a_failure_are_sent_by_the_next_run(bench):
    refuses(bench)
    paths = [f"/{n}" for n in range(14)]
    bench.submit(added(*paths), preflight=False)
    bench.web.hosts["api.indexnow.test"] = bench.engine

    result = bench.submit(added(*paths), preflight=False)

    assert (result.sent, result.known, result.waiting_before) == (14, 0, 14)
    assert set(states(bench).values()) == {"accepted"}


def test_refused_url_is_not_announced_before_and_is_listed(bench):
    refuses(bench, "/b")
    bench.submit(added("/a", "/b", "/c"))

    result = bench.submit(added("/a", "/b", "/c"))

    assert (result.new, result.known, result.refused_before) == (0, 2, 1)
    assert [(one.url, one.status, one.code) for one in result.refused] == [
        (f"{SITE}/b", 422, "http-422")
    ]
    assert (result.refused_count, result.has_failures) == (1, True)
    assert result.incomplete == ("1 change was refused before, and not sent again (retry_refused)",)
    assert result.to_dict()["is_complete"] is False
    assert result.to_dict()["refused"][0]["url"] == f"{SITE}/b"


def test_later_run_without_the_refused_url_succeeds_and_lists_it(bench):
    refuses(bench, "/b")
    bench.submit(added("/a", "/b"))

    result = bench.submit(added("/c"))

    assert (result.sent, result.refused_count, result.has_failures) == (1, 1, False)


def test_urls_that_were_refused_before_are_counted_once_for_all_channels(bench):
    FakeIndexNow(bench.web, "yandex.test")
    settings = {"endpoints": [ENDPOINT, "http://yandex.test/indexnow"]}
    bench.site.add_page("/x", '<meta name="robots" content="noindex">')

    first = bench.submit(added("/a", "/x"), **settings)
    # This run excludes a URL for which there is no key, which the log does not have.
    later = bench.submit([*added("/b"), *added("/c", host="other.example")], **settings)
    again = bench.submit(None, retry_refused=True, **settings)

    assert (first.refused_count, first.refused_earlier) == (2, 0)
    assert (later.refused_count, later.refused_earlier) == (2, 1)
    assert again.refused_earlier == 0


def test_retry_refused_sends_what_was_refused(bench):
    refuses(bench, "/b")
    bench.submit(added("/a", "/b"))
    bench.web.hosts["api.indexnow.test"] = bench.engine
    bench.engine.posts.clear()

    result = bench.submit(None, retry_refused=True)

    assert [post["urlList"] for post in bench.engine.posts] == [[f"{SITE}/b"]]
    assert (result.retried, result.sent, result.refused_count) == (1, 1, 0)
    assert states(bench) == {"/a": "accepted", "/b": "accepted"}


def test_one_refused_url_of_a_host_that_accepted_others_before_is_refused(bench):
    bench.submit(added("/a"))
    refuses(bench, "/b")

    result = bench.submit(added("/b"))

    assert states(bench) == {"/a": "accepted", "/b": "refused"}
    assert [one.url for one in result.excluded] == [f"{SITE}/b"]


def test_one_refused_url_of_a_host_without_accepted_ones_waits(bench):
    refuses(bench)

    result = bench.submit(added("/b"))

    assert (states(bench), result.excluded) == ({"/b": "waiting"}, [])
