"""Memory budget: transfers wait when no bytes are left, without a deadlock."""

import asyncio
import time

from tests import site_box
from tests.http_walks import RequestList, quick
from tests.site_box import SiteBox
from urlset.http import Request, drive_in_thread
from urlset.http.client import Fetcher
from urlset.http.content_encoding import BodyDecoder
from urlset.http.limits import Lease, MemoryBudget


def test_transfers_proceed_while_bytes_are_left():
    async def run() -> None:
        with Lease(budget := MemoryBudget(10)) as one, Lease(budget) as two:
            one.resize(4)
            two.resize(5)

            assert budget.may_proceed(one)
            assert budget.may_proceed(two)

    asyncio.run(run())


def test_oldest_transfer_proceeds_when_no_bytes_are_left():
    async def run() -> None:
        budget = MemoryBudget(0)
        with Lease(budget) as two:
            with Lease(budget) as one:
                pass  # the oldest one is whoever is there longest
            with Lease(budget) as three:
                assert [budget.may_proceed(lease) for lease in (two, three)] == [True, False]
        with Lease(budget) as three:
            assert budget.may_proceed(three)
            assert one is not two

    asyncio.run(run())


def test_transfers_wait_for_the_release_of_fetched_documents():
    # Note: else each would be the oldest in its turn, and all of them would be in memory.
    async def run() -> None:
        budget = MemoryBudget(10)
        budget.acquire(10)
        with Lease(budget) as lease:
            assert not budget.may_proceed(lease)
            async with asyncio.timeout(None) as clock:
                waiting = asyncio.create_task(lease.wait(clock))
                await asyncio.sleep(0)
                assert not waiting.done()
                budget.release(10)
                await waiting
            assert budget.may_proceed(lease)

    asyncio.run(run())


def test_empty_documents_block_transfers_until_released():
    async def run() -> None:
        budget = MemoryBudget(0)
        budget.acquire(0)
        with Lease(budget) as lease:
            assert not budget.may_proceed(lease)
            budget.release(0)
            assert budget.may_proceed(lease)

    asyncio.run(run())


def test_timeout_is_paused_while_a_transfer_waits():
    async def run() -> None:
        budget = MemoryBudget(1)
        budget.acquire(1)
        with Lease(budget) as lease:
            async with asyncio.timeout(5) as clock:
                before = clock.when() or 0.0
                waiting = asyncio.create_task(lease.wait(clock))
                await asyncio.sleep(0)
                assert clock.when() is None
                budget.release(1)
                waited = await waiting
                assert waited > 0
                assert clock.when() == before + waited

    asyncio.run(run())


def test_body_is_not_read_while_no_bytes_are_left():
    from aiohttp.base_protocol import BaseProtocol
    from aiohttp.streams import StreamReader

    from urlset.http import exchange

    async def run() -> None:
        loop = asyncio.get_running_loop()
        content = StreamReader(BaseProtocol(loop), 65_536, loop=loop)
        content.feed_data(b"what came")
        content.feed_eof()
        budget = MemoryBudget(1)
        budget.acquire(1)
        with Lease(budget) as lease:
            received = exchange._Received(lease)
            received.decoder = BodyDecoder(None, 1000)
            async with asyncio.timeout(None) as clock:
                taking = asyncio.create_task(exchange._receive_body(content, 1000, received, clock))
                for _ in range(5):
                    await asyncio.sleep(0)
                assert (taking.done(), received.decoder.size) == (False, 0)
                budget.release(1)
                await taking
            assert received.decoder.body() == b"what came"
            assert not budget.may_proceed(Lease(budget))  # 1 byte of room, 9 in it
        assert budget.may_proceed(Lease(budget))

    asyncio.run(run())


def test_budget_is_complete_after_all_documents_are_released(box: SiteBox):
    body = b"x" * 300_000
    cut, whole = site_box.cut(body, 200_000), site_box.page(body)
    urls = [box.play("/cut", site_box.in_turn(cut, whole)), box.play("/fails", cut)]
    urls += [box.play("/moved", site_box.redirect("/whole")), box.play("/whole", whole)]
    urls += [box.url("/gone"), "file:///etc/passwd"]

    async def run() -> None:
        async with Fetcher(quick(max_held_bytes=1_000_000)) as fetcher:
            for url in urls:
                response = await fetcher.fetch(Request(url, scope="anywhere"))
                assert fetcher._budget._left == 1_000_000 - len(response.body)
                fetcher.release(len(response.body))
            assert (fetcher._budget._left, fetcher._budget._documents) == (1_000_000, 0)

    asyncio.run(run())


def test_slow_consumer_gets_complete_documents_beyond_the_budget(box: SiteBox):
    body = b"x" * 1_500_000
    urls = [box.put(f"/{n}", body) for n in range(8)]
    walk = RequestList(*[Request(url, scope="anywhere") for url in urls])
    policy = quick(concurrency=8, per_host=8, max_held_bytes=1, total_timeout_s=1.0, retries=0)

    responses = []
    for response in drive_in_thread(walk, policy):
        responses.append((response.url, response.error, len(response.body)))
        time.sleep(0.2)

    assert sorted(responses) == [(url, None, len(body)) for url in urls]


def test_failed_attempts_free_their_bytes(box: SiteBox):
    body = b"x" * 300_000
    player = site_box.in_turn(site_box.cut(body, 200_000), site_box.page(body))
    urls = [box.play(f"/{n}", player) for n in range(6)]
    walk = RequestList(*[Request(url, scope="anywhere") for url in urls])

    found = list(drive_in_thread(walk, quick(max_held_bytes=1)))

    assert [(r.error, len(r.body)) for r in found] == [(None, len(body))] * 6
