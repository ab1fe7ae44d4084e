"""Search Console against a fake one: submission, state, refusals, quotas, inspections."""

import base64
import json
from datetime import UTC, datetime
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

import urlset
from tests.live.submit.fake_engines import HOST, Bench, Drop, Reply, Web
from urlset.live.submit.search_console import expect_property, read_credentials

PROPERTY = f"http://{HOST}/"
SITEMAP = f"http://{HOST}/sitemap.xml"
CANARY = "ya29-secret-canary"
BASE = "http://searchconsole.test"


class FakeSearchConsole:
    """Search Console with sitemaps and properties."""

    def __init__(self, web: Web):
        self.replies: list[Reply | type[Drop]] = []
        self.sitemaps: list[dict[str, object]] = []
        self.puts: list[tuple[str, str]] = []
        web.hosts["searchconsole.test"] = self

    def __call__(self, sent):
        assert sent.headers["authorization"] == f"Bearer {CANARY}"
        path = urlsplit(sent.url).path
        if path == "/webmasters/v3/sites":
            entry = {"siteUrl": "sc-domain:example.com", "permissionLevel": "siteOwner"}
            return Reply.of({"siteEntry": [entry]})
        if self.replies:
            reply = self.replies.pop(0)
            if not isinstance(reply, Reply):
                raise reply
            return reply
        if path == "/v1/urlInspection/index:inspect":
            status: dict[str, object] = {"verdict": "PASS"}
            status |= {"coverageState": "Submitted and indexed"}
            status |= {"sitemap": [SITEMAP], "lastCrawlTime": "2026-02-01T00:00:00Z"}
            return Reply.of({"inspectionResult": {"indexStatusResult": status}})
        parts = path.split("/")  # '', webmasters, v3, sites, PROPERTY, sitemaps, SITEMAP
        if sent.method == "PUT":
            self.puts.append((unquote(parts[4]), unquote(parts[6])))
            return Reply(200)
        return Reply.of({"sitemap": self.sitemaps})


def error(status: int, reason: str, message: str = "no") -> Reply:
    fields = {"code": status, "message": message, "errors": [{"reason": reason}]}
    return Reply.of({"error": fields}, status)


class Google(Bench):
    def __init__(self, path):
        super().__init__(path)
        self.console = FakeSearchConsole(self.web)

    def submit(self, updates=None, **settings):
        known = {"to": "google", "property": PROPERTY, "google_credentials": CANARY}
        known |= {"sitemaps": SITEMAP, "google_base": BASE}
        return super().submit(updates, **(known | settings))


@pytest.fixture
def google(tmp_path):
    return Google(tmp_path)


def test_retry_refused_finds_none_without_indexnow(google):
    result = google.submit(retry_refused=True)

    assert (result.retried, result.sent, result.incomplete) == (0, 1, ())


def test_both_path_parameters_are_encoded_whole(google):
    result = google.submit()

    [put] = google.web.sent_to("searchconsole.test")
    path = "/webmasters/v3/sites/http%3A%2F%2Fwww.example.com%2F/sitemaps/"
    assert put.url == f"{BASE}{path}http%3A%2F%2Fwww.example.com%2Fsitemap.xml"
    assert (put.method, put.body, result.sent) == ("PUT", b"", 1)


def test_sitemap_is_submitted_once_unless_requested(google):
    google.submit()
    second = google.submit(sitemaps=[SITEMAP, f"http://{HOST}/news.xml"])

    assert [sitemap for _, sitemap in google.console.puts] == [SITEMAP, f"http://{HOST}/news.xml"]
    assert (second.new, second.known) == (1, 1)
    google.submit(resubmit=True)
    assert len(google.console.puts) == 3


def test_sitemaps_of_robots_txt_are_the_default(google):
    google.site.pages["/robots.txt"] = Reply(200, f"Sitemap: {SITEMAP}\n")

    google.submit(sitemaps=())

    assert google.console.puts == [(PROPERTY, SITEMAP)]


def test_403_lists_what_the_account_sees(google):
    google.console.replies = [error(403, "forbidden", "User does not have sufficient permission")]

    result = google.submit()

    assert result.has_failures
    message = result.results[0].error
    assert "sc-domain:example.com (siteOwner)" in message
    assert "User does not have sufficient permission" in message


@pytest.mark.parametrize(
    "reply", [error(403, "quotaExceeded"), error(429, "rateLimitExceeded"), Reply(503), Drop]
)
def test_quota_and_failures_are_retried_with_backoff(google, reply):
    google.console.replies = [reply, reply]

    assert google.submit().sent == 1
    assert google.clock.waits == [5, 10]


def test_daily_quota_is_not_retried(google):
    google.console.replies = [error(429, "dailyLimitExceeded")]

    result = google.submit()

    assert (google.clock.waits, result.waiting, result.has_failures) == ([], 1, True)


def test_401_says_that_the_token_is_not_accepted(google):
    google.console.replies = [error(401, "authError")]

    assert "may have expired" in google.submit().results[0].error


def test_state_has_numbers_although_the_api_has_texts(google):
    google.console.sitemaps = [
        {
            "path": SITEMAP,
            "type": "SITEMAP",
            "isPending": False,
            "isSitemapsIndex": True,
            "warnings": "2",
            "errors": "0",
            "contents": [{"type": "web", "submitted": "1204"}, {"type": "image"}],
        },
        {"path": 3},
    ]

    [found] = google.submit(status=True).sitemaps

    assert (found["type"], found["warnings"], found["submitted"]) == ("sitemap", 2, 1204)


def test_inspections_are_stored_and_limited_by_the_quota(google, tmp_path):
    store = tmp_path / "site.duckdb"
    urls = " ".join(f"http://{HOST}/s{n % 4}/{n}" for n in range(40))
    urlset.read(urls.encode()).to_duckdb(store)

    result = google.submit(inspect=8, inspect_store=store)

    with urlset.Store.open(store, read_only=True) as opened:
        rows = list(
            opened.query(
                "SELECT url_section(url), count(*), min(verdict) FROM inspections GROUP BY 1"
            )
        )
    assert result.inspected == 8
    assert sorted(rows) == [(f"/s{n}/", 2, "PASS") for n in range(4)]


def test_dry_run_needs_no_credentials_and_sends_nothing(google):
    result = google.submit(dry_run=True, google_credentials=None)

    assert google.web.log == []
    assert result.requests[0].startswith("PUT /webmasters/v3/sites/http%3A%2F%2Fwww")
    assert "Authorization: …" in result.requests[0]


@pytest.mark.parametrize("text", ["https://www.example.com", "example.com", "sc-domain:", ""])
def test_property_is_written_as_in_search_console(text):
    with pytest.raises(ValueError, match="as Search Console shows it"):
        expect_property(text)


class FakeTokens:
    """Token endpoint of Google, and the service account that it knows."""

    def __init__(self, web: Web):
        pytest.importorskip("google.auth", reason="urlset[google] is not installed")
        from cryptography.hazmat.primitives import serialization
        from cryptography.hazmat.primitives.asymmetric import rsa

        self.key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        pem = self.key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        ).decode()
        self.account = json.dumps(
            {
                "client_email": "robot@example.iam.gserviceaccount.com",
                "private_key": pem,
                "token_uri": "http://oauth.test/token",
            }
        )
        self.assertions: list[str] = []
        self.replies: list[Reply | type[Drop]] = []
        web.hosts["oauth.test"] = self

    def __call__(self, sent):
        self.assertions.append(parse_qs(sent.body.decode())["assertion"][0])
        reply = self.replies.pop(0) if self.replies else Reply.of({"access_token": CANARY})
        if not isinstance(reply, Reply):
            raise reply
        return reply


@pytest.fixture
def tokens(google):
    return FakeTokens(google.web)


def test_service_account_signs_a_token_request(google, tokens):
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import padding

    assert google.submit(google_credentials=tokens.account).sent == 1

    [assertion] = tokens.assertions
    unsigned, _, signature = assertion.rpartition(".")
    tokens.key.public_key().verify(
        base64.urlsafe_b64decode(signature + "=="),
        unsigned.encode(),
        padding.PKCS1v15(),
        hashes.SHA256(),
    )
    claims = json.loads(base64.urlsafe_b64decode(unsigned.split(".")[1] + "=="))
    assert claims["aud"] == "http://oauth.test/token"
    assert claims["exp"] - claims["iat"] == 3_600
    assert datetime.fromtimestamp(claims["iat"], UTC) == google.clock.time


@pytest.mark.parametrize("reply", [Reply(500), Reply(503), Reply(429), Drop])
def test_request_for_a_token_is_retried(google, tokens, reply):
    tokens.replies = [reply, reply]

    assert google.submit(google_credentials=tokens.account).sent == 1
    assert google.clock.waits == [5, 10]


@pytest.mark.parametrize("form", ["{}", '{{"error_description": "invalid: {}"}}'])
def test_error_of_the_token_endpoint_does_not_show_the_assertion(google, tokens, form):
    def repeat(sent):
        assertion = parse_qs(sent.body.decode())["assertion"][0]
        tokens.assertions.append(assertion)
        return Reply(400, form.format(assertion))

    google.web.hosts["oauth.test"] = repeat

    with pytest.raises(urlset.SourceError, match="issues no token") as caught:
        google.submit(google_credentials=tokens.account)

    assert tokens.assertions[0][:20] not in str(caught.value)


@pytest.mark.parametrize("token", ["", " ", "a b", "a\r\nX-Header: b", "a\0", "ü", 3, None])
def test_token_that_cannot_be_sent_is_refused(google, tokens, token):
    tokens.replies = [Reply.of({"access_token": token})]

    with pytest.raises(urlset.SourceError, match="expected a token in access_token"):
        google.submit(google_credentials=tokens.account)

    assert google.web.sent_to("searchconsole.test") == []


def test_token_that_expires_is_requested_again_once(google, tokens):
    google.console.replies = [error(401, "authError")]

    assert google.submit(google_credentials=tokens.account).sent == 1
    assert len(tokens.assertions) == 2

    google.console.replies = [error(401, "authError"), error(401, "authError")]
    refused = google.submit(google_credentials=tokens.account, resubmit=True)

    assert "may have expired" in refused.results[0].error
    assert len(tokens.assertions) == 4


def test_credentials_are_not_shown(tmp_path):
    assert CANARY not in repr(read_credentials(CANARY, "$TOKEN"))
    with pytest.raises(ValueError, match="expected") as caught:
        read_credentials(f'{{"private_key": "{CANARY}"', "$TOKEN")
    assert CANARY not in str(caught.value)
