"""Hosts that documents name and that do not respond do not hold up a run."""

from __future__ import annotations

import pytest

import urlset
from tests.http_walks import quick
from tests.site_box import SiteBox
from urlset.http import Request, Response
from urlset.http.silent_hosts import MAX_ATTEMPTS, MAX_HOSTS, PATIENCE_S, SilentHosts

OTHER = "cdn.example"


class Clock:
    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


def result(status: int | None = None, error: str | None = "connect") -> Response:
    return Response(Request(f"https://{OTHER}/"), f"https://{OTHER}/", status, error=error)  # type: ignore[arg-type]


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def hosts(clock):
    return SilentHosts(clock)


def fail(hosts: SilentHosts, *names: str) -> None:
    for name in names:
        assert hosts.refusal(name, is_named=False) is None
        hosts.observe(name, result())


def test_a_host_is_given_up_after_attempts_in_sequence_while_others_respond(hosts):
    fail(hosts, *[OTHER] * MAX_ATTEMPTS)
    assert hosts.refusal(OTHER, is_named=False) is None, "the network may be down"

    hosts.observe("example.com", result(200, None))

    refusal = hosts.refusal(OTHER, is_named=False) or ""
    assert "did not respond to 20 attempts; to read what is on it, name it" in refusal
    assert hosts.refusal("other.example", is_named=False) is None


def test_a_host_is_given_up_after_some_time_in_which_no_host_responds(hosts, clock):
    fail(hosts, *[OTHER] * MAX_ATTEMPTS)
    clock.seconds = PATIENCE_S

    assert hosts.refusal(OTHER, is_named=False) is not None


@pytest.mark.parametrize("response", [result(503, "status"), result(None, "protocol")])
def test_any_response_begins_a_new_sequence(hosts, clock, response):
    fail(hosts, *[OTHER] * (MAX_ATTEMPTS - 1))
    hosts.observe(OTHER, response)
    fail(hosts, OTHER)
    clock.seconds = PATIENCE_S

    assert hosts.refusal(OTHER, is_named=False) is None


def test_many_hosts_without_a_response_are_the_last_ones(hosts, clock):
    fail(hosts, *[f"{number}.example" for number in range(MAX_HOSTS)])
    clock.seconds = PATIENCE_S

    assert "50 hosts that documents of the site name" in (
        hosts.refusal("new.example", is_named=False) or ""
    )
    assert hosts.refusal("example.com", is_named=True) is None


def test_a_host_that_the_user_named_is_requested_in_any_case(hosts, clock):
    for _ in range(MAX_ATTEMPTS):
        assert hosts.refusal(OTHER, is_named=True) is None
        hosts.observe(OTHER, result())
    clock.seconds = PATIENCE_S

    assert hosts.refusal(OTHER, is_named=False) is None


def test_a_robots_txt_with_many_hosts_that_do_not_exist(monkeypatch):
    with SiteBox() as box:
        box.put_urlset("/a.xml", 3)
        lines = [f"Sitemap: https://host-{number}.invalid/s.xml" for number in range(60)]
        box.put_robots(f"Sitemap: {box.url('/a.xml')}", *lines)
        names: list[str] = []
        monkeypatch.setattr("urlset.http.silent_hosts.MAX_HOSTS", 5)
        monkeypatch.setattr("urlset.http.silent_hosts.PATIENCE_S", 0.0)
        record(monkeypatch, names)

        entries = urlset.read(box.site, policy=quick(retries=0))

        assert len(list(entries)) == 3
        failed = [each for each in entries.documents if each.error]
        asked = len(names)
        assert len(list(entries)) == 3
        assert len(names) > asked, "they are requested again when the site is read again"
    assert len(failed) == 60
    assert any(
        "hosts that documents of the site name did not respond" in str(each.error)
        for each in failed
    )
    assert 5 <= len(set(names)) <= 20


def record(monkeypatch, names: list[str]) -> None:
    """Record the hosts that are looked up."""
    from urlset.http import exchange

    real = exchange.transfer

    async def transfer(sessions, request, hop, policy, budget):
        if ".invalid" in hop.url:
            names.append(hop.origin)
        return await real(sessions, request, hop, policy, budget)

    monkeypatch.setattr("urlset.http.client.transfer", transfer)
