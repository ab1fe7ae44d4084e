"""Webhook: one POST for new alerts, in the format of its host; its URL is a secret."""

import json

import pytest

from tests.live.watch.simulated_site import SITE, SimulatedSite
from tests.site_box import SiteBox
from urlset.http import Request, Response
from urlset.live.watch.webhook import Hook

SECRET = "https://hooks.slack.com/services/T0/B0/secret-token"


@pytest.fixture
def site(tmp_path):
    site = SimulatedSite(tmp_path / "site.duckdb")
    site.put("/sitemap.xml", [(f"/a/{n}", None) for n in range(40)])
    return site


class Receiver:
    """Receive the POST of a step, and answer it with a status."""

    def __init__(self, site, status=200):
        self.status = status
        self.requests: list[Request] = []
        respond = site._respond

        def answer(request):
            if request.purpose != "webhook":
                return respond(request)
            self.requests.append(request)
            return Response(request, request.url, status=self.status)

        site._respond = answer


def test_new_alerts_are_posted_once(site):
    receiver = Receiver(site)
    site.step(webhook=SECRET)
    site.put_robots("User-agent: *", "Disallow: /")
    found = site.step(webhook=SECRET)
    site.step(webhook=SECRET)

    (request,) = receiver.requests
    assert (request.method, request.is_secret) == ("POST", True)
    text = json.loads(request.body or b"")["text"]
    assert text.startswith(f"{SITE}/: 1 new alert\n• {SITE}/robots.txt changed")
    assert found.webhook_error is None


def test_refused_alerts_are_sent_again(site):
    receiver = Receiver(site, status=503)
    site.step(webhook=SECRET)
    site.put_robots("User-agent: *", "Disallow: /")

    found = site.step(webhook=SECRET)

    assert found.webhook_error == (
        "the webhook at https://hooks.slack.com did not accept the alerts: HTTP 503"
    )
    receiver.status = 200
    again = site.step(webhook=SECRET)
    assert (len(again.new_alerts), again.webhook_error) == (1, None)
    assert site.step(webhook=SECRET).alerts == ()
    assert len(receiver.requests) == 2


@pytest.mark.parametrize(
    ("url", "format_"),
    [
        (SECRET, "slack"),
        ("https://discord.com/api/webhooks/1/x", "discord"),
        ("https://ntfy.sh/topic", "ntfy"),
        ("https://example.com/hook", "json"),
        ("https://notdiscord.com/hook", "json"),
    ],
)
def test_format_is_that_of_the_host(url, format_):
    assert Hook(url).format == format_
    assert Hook(url, "json").format == "json"


def body_for(site, url):
    receiver = Receiver(site)
    site.step()
    site.put_robots("User-agent: *", "Disallow: /<!channel>@everyone")
    site.step(webhook=url)
    (request,) = receiver.requests
    return (request.body or b"").decode(), dict(request.headers)


def test_slack_message_escapes_its_marks(site):
    body, headers = body_for(site, SECRET)

    assert "<!channel>" not in json.loads(body)["text"]
    assert headers["Content-Type"] == "application/json"


def test_discord_message_mentions_nobody(site):
    body, _ = body_for(site, "https://discord.com/api/webhooks/1/x")

    assert json.loads(body)["allowed_mentions"] == {"parse": []}
    assert len(json.loads(body)["content"]) <= 2_000


def test_ntfy_message_is_text(site):
    body, headers = body_for(site, "https://ntfy.sh/topic")

    assert body.startswith(f"{SITE}/: 1 new alert\n")
    assert headers["Content-Type"].startswith("text/plain")


def test_plain_json_has_the_numbers(site):
    receiver = Receiver(site)
    site.step()
    site.put("/sitemap.xml", [("/a/1", None)])
    site.step(webhook="https://example.com/hook")

    (alert,) = json.loads(receiver.requests[0].body or b"")["alerts"]
    assert (alert["kind"], alert["observed"], alert["low"]) == ("shrink", 1.0, 40.0)


@pytest.mark.parametrize(("url", "format_"), [("ftp://e.com/secret", None), ("secret", None)])
def test_invalid_url_is_not_repeated_in_the_error(url, format_):
    with pytest.raises(ValueError, match="webhook: expected an http or https URL") as caught:
        Hook(url, format_)

    assert "secret" not in str(caught.value)


def test_secret_is_neither_stored_nor_logged(site, caplog, tmp_path):
    caplog.set_level("DEBUG", logger="urlset")
    with SiteBox() as box:
        box.put("/services/secret-token", b"", status=500)
        site.step()
        site.put_robots("User-agent: *", "Disallow: /")
        drive = site.drive

        def mixed(walk, policy):
            from urlset.http import drive_in_thread

            is_hook = type(walk).__name__ == "RequestWalk"
            yield from (drive_in_thread if is_hook else drive)(walk, policy)

        site.drive = mixed
        found = site.step(webhook=box.url("/services/secret-token"))

        assert box.hits[0].method == "POST"
    assert "HTTP 500" in str(found.webhook_error)
    assert "secret-token" not in caplog.text + repr(found)
    assert b"secret-token" not in (tmp_path / "site.duckdb").read_bytes()
