"""Bing Webmaster Tools against a fake one: quota first, batches, sitemaps, refusals."""

from urllib.parse import parse_qs, urlsplit

import pytest

from tests.submitter.fake_engines import HOST, SITE, Bench, Drop, Reply, added, removed

CANARY = "bing-secret-canary"
BASE = "http://ssl.bing.test/webmaster/api.svc/json"


class Bing(Bench):
    def __init__(self, path):
        super().__init__(path)
        self.quota: object = {"DailyQuota": 100, "MonthlyQuota": 3_000}
        self.calls: list[tuple[str, object]] = []
        self.replies: list[Reply | type[Drop]] = []
        self.web.hosts["ssl.bing.test"] = self.answer

    def answer(self, sent):
        parts = urlsplit(sent.url)
        assert parse_qs(parts.query)["apikey"] == [CANARY]
        method = parts.path.rpartition("/")[2]
        self.calls.append((method, sent.json if sent.body else None))
        if self.replies:
            reply = self.replies.pop(0)
            if not isinstance(reply, Reply):
                raise reply
            return reply
        return Reply.of({"d": self.quota if method == "GetUrlSubmissionQuota" else None})

    def submit(self, updates=None, **settings):
        known = {"to": "bing", "bing_site": f"{SITE}/", "bing_key": CANARY, "bing_base": BASE}
        return super().submit(updates, **(known | settings))


@pytest.fixture
def bing(tmp_path):
    return Bing(tmp_path)


def test_quota_is_requested_first(bing):
    result = bing.submit(added("/a", "/b"))

    assert [method for method, _ in bing.calls] == ["GetUrlSubmissionQuota", "SubmitUrlBatch"]
    body = bing.calls[1][1]
    assert body == {"siteUrl": f"{SITE}/", "urlList": [f"{SITE}/a", f"{SITE}/b"]}
    assert result.sent == 2


def test_batches_have_at_most_500_urls_and_end_at_the_quota(bing):
    bing.quota = {"DailyQuota": 700, "MonthlyQuota": 9_000}

    result = bing.submit(added(*(f"/{n}" for n in range(800))))

    assert [len(body["urlList"]) for _, body in bing.calls[1:]] == [500, 200]
    assert (result.sent, result.waiting, result.has_failures) == (700, 100, False)
    assert bing.submit().sent == 100


def test_removed_urls_and_those_of_other_hosts_are_not_sent(bing):
    bing.submit(added("/a") + removed("/b") + added("/c", host="other.example"))

    assert bing.calls[1][1]["urlList"] == [f"{SITE}/a"]


def test_sitemap_is_submitted_once(bing):
    sitemap = f"{SITE}/sitemap.xml"

    bing.submit(sitemaps=sitemap)
    bing.submit(sitemaps=sitemap)

    assert bing.calls == [("SubmitFeed", {"siteUrl": f"{SITE}/", "feedUrl": sitemap})]


def test_invalid_key_is_reported_without_the_key(bing):
    body = {"ErrorCode": 3, "Message": f"InvalidApiKey {CANARY}"}
    bing.replies = [Reply.of(body, 400)]

    result = bing.submit(added("/a"))

    assert "check the API key" in result.results[0].error
    assert CANARY not in str(result.to_dict())
    assert result.waiting == 1


@pytest.mark.parametrize(
    "reply", [Reply.of({"ErrorCode": 4, "Message": "ThrottleUser"}, 400), Drop]
)
def test_throttling_and_failures_are_retried(bing, reply):
    bing.replies = [reply]

    assert bing.submit(added("/a")).sent == 1
    assert bing.clock.waits == [5]


def test_error_in_a_body_with_status_200_is_an_error(bing):
    bing.quota = {"ErrorCode": 7, "Message": "InvalidUrl"}
    bing.replies = [Reply.of({"ErrorCode": 7, "Message": "InvalidUrl"})]

    assert bing.submit(added("/a")).has_failures


def test_quota_that_cannot_be_read_sends_nothing(bing):
    bing.quota = "<html>"

    assert bing.submit(added("/a")).waiting == 1
    assert len(bing.calls) == 1


def test_state_of_sitemaps_has_dates_of_the_json_api(bing):
    feed = {"Url": f"{SITE}/sitemap.xml", "Type": "Sitemap", "UrlCount": 12}
    feed |= {"Submitted": "/Date(1316156400000-0700)/", "LastCrawled": "/Date(x)/"}
    bing.replies = [Reply.of({"d": None}), Reply.of({"d": [feed, 3]})]

    [found] = bing.submit(status=True, sitemaps=feed["Url"]).sitemaps

    assert (found["path"], found["submitted"]) == (feed["Url"], 12)
    assert (found["last_submitted"], found["is_pending"]) == ("2011-09-16T07:00:00Z", True)


def test_dry_run_hides_the_key(bing):
    result = bing.submit(added("/a"), dry_run=True, bing_key=None)

    assert bing.web.log == []
    assert result.requests[0].startswith("POST /webmaster/api.svc/json/SubmitUrlBatch?apikey=… ")
    assert HOST in result.requests[0]
