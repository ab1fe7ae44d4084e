"""Concurrency, delays, secret headers, proxies and cancellation of the HTTP client."""

import asyncio
import contextlib
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from tests import site_box
from tests.http_walks import RequestList, fetch, quick
from tests.site_box import SiteBox, page, redirect, slow
from tests.waits import SOON_S
from urlset.http import (
    Policy,
    Request,
    Response,
    basic_auth,
    bearer_auth,
    drive,
    drive_in_thread,
    with_login,
)


def ask(walk: RequestList, policy: Policy) -> list[Response]:
    return list(drive_in_thread(walk, policy))


def requests(box: SiteBox, count: int, **facts: object) -> RequestList:
    made = [Request(box.url(f"/{n}"), scope="anywhere", **facts) for n in range(count)]  # type: ignore[arg-type]
    return RequestList(*made)


# Who it says it is, and to whom it says what.


def test_user_agent_names_urlset_and_can_be_set(box: SiteBox):
    url = box.put("/a", b"")

    fetch(url)
    fetch(url, quick(user_agent="mine/1"))

    first, second = (hit.headers["user-agent"] for hit in box.hits)
    assert first.startswith("urlset/")
    assert second == "mine/1"


def test_headers_for_everybody(box: SiteBox):
    fetch(box.put("/a", b""), quick(headers={"Accept-Language": "de"}))

    assert box.hits[0].headers["accept-language"] == "de"


@pytest.mark.parametrize("name", ["Authorization", "cookie", "Proxy-Authorization"])
def test_secrets_are_not_for_everybody(name: str):
    with pytest.raises(ValueError, match="must not be: auth or Policy"):
        Policy(headers={name: "x"})


@pytest.mark.parametrize("held", [{"headers": {"a": "b\r\nc: d"}}, {"site_headers": {"x": {}}}])
def test_bad_headers_are_reported(held):
    with pytest.raises(ValueError, match=r"control character|expected the origin"):
        Policy(**held)


def test_authorisation_goes_to_its_site_only(box: SiteBox):
    with SiteBox() as other:  # another port is another origin
        policy = quick(
            site_headers={f"{box.site}/ignored": {"Authorization": basic_auth("me", "pw")}}
        )
        box.play("/a", redirect(other.put("/b", b"")))
        box.put("/c", b"")
        other.play("/back", redirect(box.url("/c")))

        fetch(box.url("/a"), policy)
        fetch(other.url("/back"), policy)

        assert [hit.headers.get("authorization") for hit in box.hits] == ["Basic bWU6cHc="] * 2
        assert [hit.headers.get("authorization") for hit in other.hits] == [None, None]
    assert bearer_auth("x") == "Bearer x"
    with pytest.raises(ValueError, match=r'or a pair \("user", "password"\)'):
        with_login(Policy(), "https://example.com/", "user:password")
    wrong: list[tuple[Any, str]] = [
        (3, "found int"),
        (("user",), "found tuple of 1"),
        (b"x", "found bytes"),
    ]
    for auth, found in wrong:
        with pytest.raises(TypeError, match=rf"a pair \(user, password\), {found}"):
            with_login(Policy(), "https://example.com/", auth)


def test_authorisation_is_not_sent_to_another_name_of_the_host(box: SiteBox):
    policy = quick(site_headers={box.site: {"Authorization": "x"}})
    box.play("/a", redirect(f"http://localhost:{box.port}/b"))

    fetch(box.url("/a"), policy)

    assert [hit.headers.get("authorization") for hit in box.hits] == ["x", None]


def test_user_in_a_url_is_not_sent(box: SiteBox):
    box.put("/a", b"")

    response = fetch(box.url("/a").replace("http://", "http://me:pw@"))

    assert response.status == 200
    assert "authorization" not in box.hits[0].headers
    assert "me" not in response.url


def test_cookies_are_not_kept(box: SiteBox):
    box.play("/a", page(b"", set_cookie="a=b; Path=/"))
    box.put("/b", b"")

    ask(
        RequestList(*[Request(box.url(p), scope="anywhere") for p in ("/a", "/b")]),
        quick(concurrency=1),
    )

    assert all("cookie" not in hit.headers for hit in box.hits)


def test_proxy_of_the_environment(box: SiteBox, monkeypatch: pytest.MonkeyPatch):
    box.put("http://example.com/a", b"from the proxy")
    monkeypatch.setenv("http_proxy", box.site)
    monkeypatch.setenv("no_proxy", "127.0.0.1, .example.org")
    policy = quick(proxies=None)

    assert fetch("http://example.com/a", policy).body == b"from the proxy"
    assert fetch(box.put("/direct", b"direct"), policy).body == b"direct"
    assert box.paths == ["http://example.com/a", "/direct"]


def test_proxy_that_does_not_answer():
    with SiteBox() as gone:
        pass
    response = fetch("http://example.com/", quick(proxies={"http": gone.site}, retries=0))

    assert response.error == "connect"


# Turns.


def test_connections_are_used_again(box: SiteBox):
    box.otherwise = page(b"")
    ports: set[object] = set()
    player = box.otherwise

    async def note(hit, wire) -> bool:
        ports.add(wire._writer.get_extra_info("peername"))
        return await player(hit, wire)

    box.otherwise = note

    ask(requests(box, 50), quick(per_host=2))

    assert len(ports) <= 2


def test_requests_at_once_are_bounded(box: SiteBox):
    box.otherwise = slow(0.02, page(b""))

    ask(requests(box, 30), quick(concurrency=8, per_host=3))

    assert box.open_most == 3


def test_requests_at_once_are_bounded_over_all_hosts():
    with SiteBox() as one, SiteBox("127.0.0.2") as two:
        one.otherwise = two.otherwise = slow(0.02, page(b""))
        walk = RequestList(
            *[Request(box.url(f"/{n}"), scope="anywhere") for n in range(15) for box in (one, two)]
        )

        ask(walk, quick(concurrency=3, per_host=3))

        assert one.open_most + two.open_most <= 6
        assert len(one.hits) + len(two.hits) == 30


@pytest.mark.parametrize(
    ("policy", "delay_s"), [({"delay_s": 0.1}, 0.0), ({}, 0.1), ({"max_delay_s": 0.1}, 5.0)]
)
def test_delay_between_requests(box: SiteBox, policy: dict[str, float], delay_s: float):
    box.otherwise = page(b"")

    began = time.monotonic()
    ask(requests(box, 4, delay_s=delay_s), quick(**policy))

    # A server that is delayed gets a request later, never earlier.
    late = [hit.at - began - 0.1 * number for number, hit in enumerate(box.hits)]
    assert len(late) == 4
    assert min(late) > -0.01, late


async def drive_all(walk: RequestList, policy: Policy) -> list[Response]:
    return [response async for response in drive(walk, policy)]


@pytest.mark.parametrize("per_host", [2, 4])
@pytest.mark.parametrize("is_async", [False, True])
def test_slow_host_does_not_stop_another(per_host: int, is_async: bool):
    with SiteBox() as one, SiteBox("127.0.0.2") as two:
        one.otherwise = two.otherwise = page(b"")
        lazy = [Request(one.url(f"/{n}"), scope="anywhere", delay_s=0.2) for n in range(6)]
        swift = [Request(two.url(f"/{n}"), scope="anywhere") for n in range(6)]

        walk, policy = RequestList(*lazy, *swift), quick(concurrency=4, per_host=per_host)
        answers = asyncio.run(drive_all(walk, policy)) if is_async else ask(walk, policy)

        assert [r.request for r in answers[:8]].count(lazy[-1]) == 0
        assert {r.request.url for r in answers[:8]} >= {r.url for r in swift}


def test_host_that_fails_does_not_stop_another():
    with SiteBox() as one, SiteBox("127.0.0.2") as two:
        one.otherwise, two.otherwise = page(b"", 503), page(b"")
        failing = [Request(one.url(f"/{n}"), scope="anywhere") for n in range(4)]
        swift = Request(two.url("/"), scope="anywhere")

        policy = quick(concurrency=2, per_host=2, backoff_s=0.5)
        answers = ask(RequestList(*failing, swift), policy)

        assert answers[0].request == swift


def test_no_request_is_taken_that_would_wait_for_the_others(box: SiteBox):
    box.otherwise = page(b"")
    walk = requests(box, 20)
    taken = walk._requests

    answers = drive_in_thread(walk, quick(concurrency=3, per_host=3))

    assert [len(taken) for _ in answers][:17] == [17 - n for n in range(17)]


def test_what_waits_for_the_caller_is_bounded(box: SiteBox):
    box.otherwise = page(b"x" * 1000)

    answers = drive_in_thread(requests(box, 40), quick(concurrency=3, per_host=3))
    next(answers)
    time.sleep(0.3)

    # One is in the caller's hands, two wait, and no more is fetched before they are taken.
    assert len(box.hits) == 3
    assert len(list(answers)) == 39
    assert len(box.hits) == 40


@pytest.mark.parametrize(("concurrency", "per_host"), [(1, 1), (2, 1), (3, 2)])
def test_few_places_are_enough_for_redirects_between_hosts(concurrency: int, per_host: int):
    # Who has a place must not wait for a host whose turns wait for a place.
    with SiteBox() as one, SiteBox("127.0.0.2") as two:
        walk: list[Request] = []
        for n in range(20):
            for box, other in ((one, two), (two, one)):
                box.play(f"/{n}", redirect(other.url(f"/to/{n}")))
                box.play(f"/to/{n}", site_box.in_turn(page(b"", 503), page(b"there")))
                walk.append(Request(box.url(f"/{n}"), scope="anywhere"))

        answers = ask(RequestList(*walk), quick(concurrency=concurrency, per_host=per_host))

        assert [r.body for r in answers] == [b"there"] * 40


# The end.


def endless_requests(box: SiteBox) -> Iterator[Request]:
    n = 0
    while True:
        n += 1
        yield Request(box.url(f"/{n}"), scope="anywhere")


class Endless(RequestList):
    def __init__(self, box: SiteBox):
        self._more = endless_requests(box)

    def next_request(self) -> Request:
        return next(self._more)


@pytest.mark.parametrize("player", [site_box.silent, site_box.endless(b"", b"x", 0.05)])
def test_leaving_early_ends_at_once(box: SiteBox, player: site_box.Player):
    box.play("/1", page(b"first"))
    box.otherwise = player
    answers = drive_in_thread(Endless(box), Policy(proxies={}))
    assert next(answers).body == b"first"

    began = time.monotonic()
    answers.close()

    assert time.monotonic() - began < SOON_S
    assert not [t for t in threading.enumerate() if t.name == "urlset fetcher"]


def test_leaving_early_with_a_name_server_that_hangs(box: SiteBox, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("urlset.http.transport.lookup", lambda *_: threading.Event().wait(30) or [])
    one, two = Request(box.put("/a", b""), scope="anywhere"), Request("http://hangs.example/")
    answers = drive_in_thread(RequestList(one, two), Policy(proxies={}))
    next(answers)

    began = time.monotonic()
    answers.close()

    assert time.monotonic() - began < SOON_S
    assert all(thread.daemon for thread in threading.enumerate() if "lookup" in thread.name)


def test_interrupt_is_raised_in_the_consumer_of_the_results(box: SiteBox):
    class Interrupted(RequestList):
        def handle(self, _: Response) -> list[Response]:
            raise KeyboardInterrupt

    walk = Interrupted(Request(box.put("/a", b""), scope="anywhere"))

    with pytest.raises(KeyboardInterrupt):
        ask(walk, quick())
    assert not [t for t in threading.enumerate() if t.name == "urlset fetcher"]


def test_drive_in_a_loop(box: SiteBox):
    box.otherwise = page(b"x")

    async def run() -> list[Response]:
        return [response async for response in drive(requests(box, 20), quick())]

    answers = asyncio.run(run())

    assert sorted(r.request.url for r in answers) == sorted(box.url(f"/{n}") for n in range(20))


def test_drive_in_a_loop_can_be_left(box: SiteBox):
    box.play("/1", page(b"first"))
    box.otherwise = site_box.silent

    async def run() -> bytes:
        async with contextlib.aclosing(drive(Endless(box), Policy(proxies={}))) as answers:
            async for response in answers:
                return response.body
        return b""

    began = time.monotonic()
    assert asyncio.run(run()) == b"first"
    assert time.monotonic() - began < SOON_S


def test_drive_in_a_loop_can_be_cancelled(box: SiteBox):
    box.otherwise = site_box.silent

    async def run() -> None:
        async with asyncio.timeout(0.2):
            async for _ in drive(Endless(box), Policy(proxies={})):
                pass

    began = time.monotonic()
    with pytest.raises(TimeoutError):
        asyncio.run(run())
    assert time.monotonic() - began < SOON_S


def test_ctrl_c_ends_at_once_and_keeps_what_was_read(box: SiteBox):
    first = box.put("/first", b"what was read")
    never = box.play("/never", site_box.silent)
    program = f"""
from tests.http_walks import RequestList
from urlset.http import Policy, Request, drive_in_thread
walk = RequestList(Request({first!r}, scope="anywhere"), Request({never!r}, scope="anywhere"))
for response in drive_in_thread(walk, Policy(proxies={{}})):
    print(response.body, flush=True)
"""
    run = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert run.stdout is not None
    assert run.stdout.readline() == "b'what was read'\n"

    began = time.monotonic()
    run.send_signal(signal.SIGINT)
    _, errors = run.communicate(timeout=10)

    assert time.monotonic() - began < SOON_S
    assert errors.rstrip().endswith("KeyboardInterrupt")
    assert "never retrieved" not in errors


def test_fetcher_is_cheap_until_it_fetches():
    code = "import sys, urlset.reader.site_walk; print(*{n.split('.')[0] for n in sys.modules})"

    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert not {"aiohttp", "yarl", "idna"} & set(run.stdout.split())
