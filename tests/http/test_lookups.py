"""The names of hosts are looked up once in a run, also where that is slow; the costs are linear."""

import asyncio
import socket
import threading
import time
import tracemalloc
from collections import Counter
from collections.abc import Iterator

import pytest

import urlset
from tests.http_walks import RequestList, quick
from tests.site_box import SiteBox, index_of, page, urlset_of
from urlset.http import Request, drive_in_thread, transport


class SlowNames:
    """Resolver of ``*.example`` to loopback, which counts and may wait for a signal."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.go = threading.Event()
        self.go.set()
        self.failing = 0

    def lookup(self, host: str, port: int, family: int) -> list[object]:  # noqa: ARG002
        self.counts[host] += 1
        self.go.wait(10)
        if self.failing:
            self.failing -= 1
            raise socket.gaierror(socket.EAI_AGAIN, "temporary failure")
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port))]


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> Iterator[SlowNames]:
    found = SlowNames()
    monkeypatch.setattr(transport, "lookup", found.lookup)
    yield found
    found.go.set()


def put_index(box: SiteBox, number: int, hosts: int = 1) -> str:
    """Serve an index on ``h0.example``, whose children are on several hosts."""
    box.put(
        "/s.xml",
        index_of(f"http://h{n % hosts}.example:{box.port}/{n}.xml" for n in range(number)),
    )
    box.otherwise = page(urlset_of("https://example.com", 1))
    return f"http://h0.example:{box.port}/s.xml"


@pytest.mark.parametrize("hosts", [1, 7])
def test_each_name_is_looked_up_once(box: SiteBox, names: SlowNames, hosts: int):
    url = put_index(box, 300, hosts)

    entries = urlset.read(url, policy=quick())

    assert (len(list(entries)), len(entries.documents)) == (300, 301)
    assert names.counts == {f"h{n}.example": 1 for n in range(hosts)}


def test_a_name_is_looked_up_once_without_open_connections(box: SiteBox, names: SlowNames):
    url = put_index(box, 60)

    async def closes(hit, wire):
        await page(urlset_of("https://example.com", 1))(hit, wire)
        return False

    box.otherwise = closes

    entries = urlset.read(url, policy=quick())

    assert (len(list(entries)), names.counts) == (60, {"h0.example": 1})


def test_requests_that_start_together_share_a_slow_lookup(box: SiteBox, names: SlowNames):
    names.go.clear()
    threading.Timer(0.2, names.go.set).start()
    urls = [f"http://h0.example:{box.port}/{n}" for n in range(20)]
    box.otherwise = page(b"a")

    walk = RequestList(*(Request(url, scope="anywhere") for url in urls))
    statuses = [response.status for response in drive_in_thread(walk, quick())]

    assert (statuses, names.counts) == ([200] * 20, {"h0.example": 1})


def test_a_lookup_that_fails_is_repeated(box: SiteBox, names: SlowNames):
    names.failing = 1
    box.otherwise = page(b"a")

    walk = RequestList(Request(f"http://h0.example:{box.port}/", scope="anywhere"))
    (response,) = drive_in_thread(walk, quick(retries=1))

    assert (response.status, response.attempts, names.counts) == (200, 2, {"h0.example": 2})


def test_addresses_are_kept_for_their_time_and_for_a_number_of_names(
    names: SlowNames, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(transport, "MAX_NAMES", 3)

    async def ask(*hosts: str) -> None:
        resolver = transport._Resolver()
        for host in hosts:
            found = await resolver.resolve(host, 8080)
            assert [(one["host"], one["port"]) for one in found] == [("127.0.0.1", 8080)]
            assert len(resolver._lookups) <= 3

    asyncio.run(ask("a", "a", "b", "a", "c", "d", "a"))
    assert names.counts == {"a": 2, "b": 1, "c": 1, "d": 1}

    monkeypatch.setattr(transport, "DNS_TTL_S", 0)
    asyncio.run(ask("e", "e"))
    assert names.counts["e"] == 2


def test_a_request_that_is_cancelled_leaves_the_lookup_to_the_others(names: SlowNames):
    names.go.clear()

    async def ask() -> int:
        resolver = transport._Resolver()
        first, second = (asyncio.ensure_future(resolver.resolve("a", 80)) for _ in range(2))
        await asyncio.sleep(0)
        first.cancel()
        await asyncio.sleep(0)
        names.go.set()
        return len(await second)

    assert (asyncio.run(ask()), names.counts) == (1, {"a": 1})


def cost(number: int) -> tuple[float, int]:
    """Return the CPU time and the peak of memory for an index with a number of children."""
    with SiteBox() as box:
        url = put_index(box, number)
        tracemalloc.start()
        started = time.process_time()
        try:
            entries = urlset.read(url, policy=quick())
            assert sum(1 for _ in entries) == number
            return time.process_time() - started, tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()


@pytest.mark.slow
def test_time_and_memory_are_linear_in_the_children(names: SlowNames):
    (small_s, small), (large_s, large) = cost(1_000), cost(6_000)

    assert large_s < small_s * 15  # 6 if it is linear, 36 if it is quadratic
    assert large < small * 15
    assert names.counts == {"h0.example": 2}
