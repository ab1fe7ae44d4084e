"""Connections that are used again: repeated requests, bytes between responses, silence."""

from __future__ import annotations

import asyncio
import time

import pytest

from tests import site_box
from tests.http_walks import fetch, quick
from tests.site_box import Hit, SiteBox, Wire, page
from urlset.http import Policy, Request, Response
from urlset.http.client import Fetcher

HEAD = b"HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n"


def in_sequence(policy: Policy, *urls: str, pause_s: float = 0.0) -> list[Response]:
    """Fetch URLs one after the other with one client."""

    async def run() -> list[Response]:
        responses = []
        async with Fetcher(policy) as fetcher:
            for url in urls:
                responses.append(await fetcher.fetch(Request(url, scope="anywhere")))
                fetcher.release(len(responses[-1].body))
                await asyncio.sleep(pause_s)
        return responses

    return asyncio.run(run())


def noting(player: site_box.Player, ports: list[object]) -> site_box.Player:
    """Play an answer, and note the port of the client."""

    async def play(hit: Hit, wire: Wire) -> bool:
        ports.append(wire._writer.get_extra_info("peername"))
        return await player(hit, wire)

    return play


@pytest.mark.parametrize("is_late", [False, True], ids=["at once", "later"])
@pytest.mark.parametrize("extra", [HEAD + b"evil", b"HTTP/1.1 200 OK\r\n", b"junk", b"\r\n"])
def test_bytes_after_a_response_are_not_the_next_one(box: SiteBox, extra: bytes, is_late: bool):
    async def play(_hit: Hit, wire: Wire) -> bool:
        await wire.send(HEAD + b"good" + (b"" if is_late else extra))
        if is_late:
            await asyncio.sleep(0.02)
            await wire.send(extra)
        return True

    first, second = box.play("/a", play), box.put("/b", b"mine")

    responses = in_sequence(quick(retries=0), first, second, pause_s=0.1)

    assert [response.body for response in responses] == [b"good", b"mine"]
    assert box.paths == ["/a", "/b"]


def test_spec_request_is_repeated_once_if_a_connection_in_use_is_closed(box: SiteBox):
    # "a client can retry if the connection is closed before any part of a response is received"
    # https://www.rfc-editor.org/rfc/rfc9112#section-9.3.1
    first = box.put("/first", b"x")
    url = box.play("/a", site_box.in_turn(site_box.hang_up, page(b"there")))

    _, response = in_sequence(quick(retries=0), first, url)

    assert (response.status, response.body, response.attempts) == (200, b"there", 1)
    assert box.paths == ["/first", "/a", "/a"]


@pytest.mark.parametrize("player", [site_box.hang_up, site_box.reset])
def test_request_is_not_repeated_twice(box: SiteBox, player: site_box.Player):
    first, url = box.put("/first", b"x"), box.play("/a", player)

    _, response = in_sequence(quick(retries=0), first, url)

    assert (response.status, response.error) == (None, "connect")
    assert box.paths == ["/first", "/a", "/a"]


def test_request_on_a_new_connection_is_not_repeated(box: SiteBox):
    url = box.play("/a", site_box.hang_up)

    response = fetch(url, quick(retries=0))

    assert (response.status, response.error) == (None, "connect")
    assert box.paths == ["/a"]


@pytest.mark.parametrize("part", [b"HTTP/1.1 20", HEAD[:-2]])
def test_a_response_without_the_end_of_its_headers_has_a_plain_message(box: SiteBox, part: bytes):
    async def play(_hit: Hit, wire: Wire) -> bool:
        await wire.send(part)
        return False

    first, url = box.put("/first", b"x"), box.play("/a", play)

    _, response = in_sequence(quick(retries=0), first, url)

    assert response.message == ("the response is not HTTP: it ends before the end of its headers")
    assert box.paths == ["/first", "/a"], "a part of a response was received"


def test_a_repeated_request_keeps_the_pace_of_its_host(box: SiteBox):
    first, url = box.put("/first", b"x"), box.play("/a", site_box.hang_up)

    in_sequence(quick(retries=0, delay_s=0.3), first, url)

    assert box.paths == ["/first", "/a", "/a"]
    assert box.hits[2].at - box.hits[1].at >= 0.2


def test_a_request_that_is_repeated_through_a_proxy_keeps_the_pace(box: SiteBox):
    box.otherwise = site_box.hang_up  # the box is the proxy
    policy = quick(retries=0, delay_s=0.3, proxies={"http": box.site})

    response = fetch("http://site.example/a", policy)

    assert response.error == "connect"
    assert box.paths == ["http://site.example/a"] * 2
    assert box.hits[1].at - box.hits[0].at >= 0.2


def test_a_part_of_the_headers_from_a_proxy_has_a_plain_message(box: SiteBox):
    async def play(_hit: Hit, wire: Wire) -> bool:
        await wire.send(HEAD[:-2])
        return False

    box.otherwise = play
    response = fetch("http://site.example/a", quick(retries=0, proxies={"http": box.site}))

    assert response.message is not None
    assert response.message.startswith(
        "no connection: it was closed before the end of the headers; via the proxy"
    )


def test_a_repeated_request_counts_for_the_limit_of_requests(box: SiteBox):
    first, url = box.put("/first", b"x"), box.play("/a", site_box.hang_up)

    async def run() -> Response:
        async with Fetcher(quick(retries=0)) as fetcher:
            await fetcher.fetch(Request(first, scope="anywhere"))
            request = Request(url, scope="anywhere", may_continue=lambda: False)
            return await fetcher.fetch(request)

    assert asyncio.run(run()).error == "limit"
    assert box.paths == ["/first", "/a"]


def test_post_is_not_repeated(box: SiteBox):
    url = box.play("/a", site_box.hang_up)

    response = fetch(url, quick(retries=0), method="POST", body=b"x")

    assert response.error == "connect"
    assert box.paths == ["/a"]


def test_silence_is_measured_from_the_request_on_a_used_connection(box: SiteBox):
    ports: list[object] = []
    box.play("/a", noting(page(b"first"), ports))
    box.play("/b", noting(site_box.silent, ports))
    policy = quick(retries=0, read_timeout_s=0.5)

    began = time.monotonic()
    responses = in_sequence(policy, box.url("/a"), box.url("/b"), pause_s=0.3)

    assert [response.error for response in responses] == [None, "stalled"]
    assert responses[1].message == "no response for 0.5 s"
    assert time.monotonic() - began >= 0.8
    assert len(set(ports)) == 1


def test_a_connection_may_be_idle_for_longer_than_the_read_timeout(box: SiteBox):
    ports: list[object] = []
    box.otherwise = noting(page(b"x"), ports)
    policy = quick(retries=0, read_timeout_s=0.2)

    responses = in_sequence(policy, *(box.url(f"/{n}") for n in range(3)), pause_s=0.4)

    assert [response.status for response in responses] == [200] * 3
    assert len(set(ports)) == 1


def test_a_body_that_is_not_read_to_its_end_closes_the_connection(box: SiteBox):
    ports: list[object] = []
    box.otherwise = noting(page(b"x" * 500_000), ports)

    responses = in_sequence(quick(max_bytes=1_000), box.url("/a"), box.url("/b"))

    assert [response.error for response in responses] == ["too-large"] * 2
    assert len(set(ports)) == 2


def test_large_and_small_bodies_in_turn_are_whole(box: SiteBox):
    sizes = [10, 3_000_000, 65_536, 1, 262_144, 700_000, 0, 5]
    for size in sizes:
        box.put(f"/{size}", bytes(number % 251 for number in range(size)))

    responses = in_sequence(quick(), *(box.url(f"/{size}") for size in sizes))

    assert [len(response.body) for response in responses] == sizes
    assert all(
        response.body == bytes(n % 251 for n in range(len(response.body))) for response in responses
    )


def test_headers_of_a_request_replace_common_ones_in_any_case(box: SiteBox):
    url = box.put("/a", b"")
    headers = (("user-AGENT", "mine/1"), ("HOST", "example.com"))

    fetch(url, quick(headers={"accept": "text/html"}), headers=headers)

    sent = box.hits[0].headers
    assert (sent["user-agent"], sent["host"], sent["accept"]) == (
        "mine/1",
        "example.com",
        "text/html",
    )


@pytest.mark.parametrize("mark", ["\r\n", "\n", "\0", "\x7f"])
def test_control_character_in_a_header_is_not_sent(box: SiteBox, mark: str):
    response = fetch(box.put("/a", b""), quick(retries=0), headers=(("x", f"a{mark}x-evil: b"),))

    assert response.error is not None
    assert box.hits == []


def test_cancelled_request_closes_its_connection(box: SiteBox):
    ports: list[object] = []
    box.play("/a", noting(site_box.silent, ports))
    box.play("/b", noting(page(b"mine"), ports))

    async def run() -> Response:
        async with Fetcher(quick()) as fetcher:
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.2):
                    await fetcher.fetch(Request(box.url("/a"), scope="anywhere"))
            return await fetcher.fetch(Request(box.url("/b"), scope="anywhere"))

    assert asyncio.run(run()).body == b"mine"
    assert len(set(ports)) == 2
