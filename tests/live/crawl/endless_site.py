"""Large site whose pages are computed, with the number of requests for each; and kills of a crawl.

``/`` links to hubs, each hub to 1,000 pages, and each page to ten others. After all hubs were
visited the frontier has every page.
"""

from __future__ import annotations

import asyncio
import random
import signal
import subprocess
import sys
import threading
import time
from array import array
from pathlib import Path
from typing import NamedTuple

import urlset
from urlset.live.visits.page_worker import MAX_PENDING
from urlset.store import Store

PER_HUB = 1_000
CONCURRENCY = 16
IN_FLIGHT = 2 * CONCURRENCY + 1 + MAX_PENDING
"""Requests that are sent, responses that wait to be handled, and pages that a worker reads."""

CODE = f"""
import sys, urlset
policy = urlset.Policy(proxies={{}}, concurrency={CONCURRENCY}, per_host={CONCURRENCY})
limit = int(sys.argv[3])
urlset.crawl(sys.argv[1], sys.argv[2], policy=policy, confirm_after_s=0, read_sitemaps=False,
    max_pages=limit).close()
"""


class EndlessSite:
    """Server on loopback, in a thread.

    Attributes:
        hits: Requests for ``/p/N``, by N.
        total: Number of requests for pages.
    """

    def __init__(self, hubs: int):
        self.pages = hubs * PER_HUB
        self.hubs = hubs
        self.hits = array("B", bytes(self.pages))
        self.total = 0
        self.transports: set[asyncio.WriteTransport] = set()
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self.url = ""

    def __enter__(self) -> EndlessSite:
        self._thread.start()
        self._ready.wait()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def body(self, path: str) -> str | None:
        """Return a page, and count the request; None for a URL that has none."""
        kind, _, number = path[1:].partition("/")
        if path == "/":
            targets = [f"/h/{hub}" for hub in range(self.hubs)]
        elif kind == "h":
            first = int(number) * PER_HUB
            targets = [f"/p/{page}" for page in range(first, first + PER_HUB)]
        elif kind == "p":
            page = int(number)
            self.hits[page] += 1
            targets = [f"/p/{(page * 7 + step * 1_013) % self.pages}" for step in range(1, 11)]
        else:
            return None
        self.total += 1
        return "<html>" + "".join(f"<a href={target}>x</a>" for target in targets)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        server = self._loop.run_until_complete(
            self._loop.create_server(lambda: _Connection(self), "127.0.0.1", 0)
        )
        self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
        self._ready.set()
        self._loop.run_forever()
        server.close()
        for transport in list(self.transports):
            transport.abort()
        self._loop.run_until_complete(asyncio.sleep(0))
        self._loop.close()


class _Connection(asyncio.Protocol):
    def __init__(self, site: EndlessSite):
        self._site = site
        self._data = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.WriteTransport)
        self._transport = transport
        self._site.transports.add(transport)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002
        self._site.transports.discard(self._transport)

    def data_received(self, data: bytes) -> None:
        self._data += data
        while b"\r\n\r\n" in self._data:
            head, _, self._data = self._data.partition(b"\r\n\r\n")
            body = self._site.body(head.split(b" ", 2)[1].decode())
            status = "404 Not Found" if body is None else "200 OK"
            text = (body or "").encode()
            self._transport.write(
                f"HTTP/1.1 {status}\r\nContent-Type: text/html\r\n"
                f"Content-Length: {len(text)}\r\n\r\n".encode()
                + text
            )


class KilledCrawl(NamedTuple):
    """Result of a crawl that was killed and continued.

    Attributes:
        kills: Number of kills.
        least_frontier: Rows of the frontier after the first of them.
        again: Requests for pages that were requested before.
        visited: Different pages that were requested.
    """

    kills: int
    least_frontier: int
    again: int
    visited: int


def crawl_with_kills(
    site: EndlessSite, path: Path, *, kills: int, first: int, between: int, seed: int
) -> KilledCrawl:
    """Crawl, kill the process after ``first`` pages and then ``kills`` - 1 times, and continue.

    Args:
        site: The site.
        path: Path of the store.
        kills: Number of kills.
        first: Pages before the first kill.
        between: Largest number of pages between two kills.
        seed: Seed of the moments.
    """
    chance = random.Random(seed)
    limit, done, frontier = first + kills * between, 0, 0
    while done < kills:
        wanted = site.total + (first if not done else chance.randrange(1, between))
        process = _start(site, path, limit)
        while process.poll() is None and site.total < wanted:
            time.sleep(0.001)
        if process.poll() is not None:
            raise AssertionError(f"seed {seed}: the crawl ended: {process.communicate()[1]!r}")
        process.send_signal(signal.SIGKILL)
        process.communicate()
        done += 1
        if done == 1:
            with Store.open(path, read_only=True) as store:
                ((frontier,),) = store.query("SELECT count(*) FROM frontier")
    process = _start(site, path, limit)
    _, errors = process.communicate()
    assert process.returncode == 0, (seed, errors)
    again = sum(count - 1 for count in site.hits if count)
    return KilledCrawl(done, frontier, again, sum(map(bool, site.hits)))


def expect_nothing_lost(site: EndlessSite, path: Path, seed: int) -> None:
    """Compare the tables with the site: every page that was served, with all of its links."""
    with urlset.Crawl.open(path) as crawl:
        visited = {url for (url,) in crawl.query("SELECT url FROM pages WHERE status = 200")}
        served = {f"{site.url}p/{page}" for page, count in enumerate(site.hits) if count}
        assert {url for url in visited if "/p/" in url} == served, seed
        links = list(
            crawl.query(
                "SELECT l.count, f.waiting, f.total FROM (SELECT count(*) AS count FROM links) l, "
                "(SELECT count(*) FILTER (WHERE state = 'waiting') AS waiting, count(*) AS total "
                "FROM frontier) f"
            )
        )
        ((count, waiting, total),) = links
        hubs = sum("/h/" in url for url in visited)
        assert count == site.hubs + hubs * PER_HUB + len(served) * 10, seed
        assert waiting == total - len(visited), seed
        ((unknown,),) = crawl.query(
            "SELECT count(*) FROM (SELECT DISTINCT target FROM links) l "
            "WHERE NOT EXISTS (FROM frontier f WHERE f.url = l.target)"
        )
        assert unknown == 0, seed


def _start(site: EndlessSite, path: Path, limit: int) -> subprocess.Popen[bytes]:
    arguments = [sys.executable, "-c", CODE, site.url, str(path), str(limit)]
    return subprocess.Popen(arguments, stderr=subprocess.PIPE)
