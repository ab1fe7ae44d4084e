# ruff: noqa: E501 - what is sent is read in rows
"""Attacks over the network, and on the process that reads: each attempt ends and is reported."""

from __future__ import annotations

import asyncio
import gc
import os
import subprocess
import sys
import threading
import tracemalloc
from pathlib import Path

import pyarrow
import pytest
from arro3.core import Array, DataType

import urlset
from tests import site_box
from tests.cli.test_process import posix
from tests.cpu_time import growth
from tests.forks import forked
from tests.http_walks import fetch, quick
from tests.site_box import Hit, SiteBox, Wire, gz, head, index_of, page, redirect, urlset_of
from urlset.engine import available
from urlset.errors import SourceError
from urlset.http import response_cache
from urlset.robots import read_robots


def read(url: str, **options):
    return urlset.read(url, **({"policy": quick(concurrency=8, per_host=8)} | options))


def raw(data: bytes) -> site_box.Player:
    """These bytes instead of an answer."""

    async def play(_hit: Hit, wire: Wire) -> bool:
        await wire.send(data)
        return False

    return play


def drip(data: bytes, pause_s: float) -> site_box.Player:
    """An answer a byte at a time, its head too."""

    async def play(_hit: Hit, wire: Wire) -> bool:
        for number in range(len(data)):
            await wire.send(data[number : number + 1])
            await wire.wait(pause_s)
        return False

    return play


def fetcher_threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "urlset fetcher"]


def wait_for_no_fetcher() -> None:
    gc.collect()
    for thread in fetcher_threads():
        thread.join(5)
    assert fetcher_threads() == []


# Secrets.


def test_secret_goes_to_no_other_host_by_redirect_index_or_robots():
    with SiteBox() as box, SiteBox() as other:
        for stranger in (other, box):
            stranger.put_urlset("/a.xml", 1)
        box.put_robots(f"Sitemap: {other.url('/a.xml')}", "Sitemap: /s.xml")
        box.put_index("/s.xml", ["/to-other.xml", other.url("/b.xml"), "/a.xml"])
        box.play("/to-other.xml", redirect(other.url("/c.xml")))
        other.play("/b.xml", redirect(box.url("/back.xml")))
        other.put_urlset("/c.xml")
        box.put_urlset("/back.xml")

        list(read(box.site, auth=("me", "sekrit"), read_robots=True))

        assert other.hits
        assert [hit.path for hit in other.hits if "authorization" in hit.headers] == []
        assert {hit.path for hit in box.hits if "authorization" in hit.headers} >= {
            "/s.xml",
            "/a.xml",
        }


def test_secret_goes_to_no_other_port_or_scheme_of_the_host():
    with SiteBox() as box, SiteBox() as other:
        box.play("/s.xml", redirect(f"http://me:sekrit@127.0.0.1:{other.port}/s.xml"))
        other.put_urlset("/s.xml")

        list(read(f"http://me:sekrit@127.0.0.1:{box.port}/s.xml"))

        assert [hit.headers.get("authorization") for hit in other.hits] == [None]


@pytest.mark.parametrize(
    "loc",
    ["/a.xml&#13;&#10;X-Evil:%20yes", "/a.xml\r\nX-Evil: yes", "/a%0D%0AX-Evil:yes", "/a&#10;&#10;GET /evil",
     "/a HTTP/1.1&#13;&#10;X-Evil: yes&#13;&#10;"],
)  # fmt: skip
def test_line_break_in_a_url_is_no_header(box: SiteBox, loc: str):
    box.put("/s.xml", f"<sitemapindex><sitemap><loc>{box.site}{loc}</loc></sitemap></sitemapindex>")
    list(read(box.url("/s.xml")))
    box.play("/r.xml", redirect(box.url(loc.replace("\r\n", "%0D%0A"))))
    fetch(box.url("/r.xml"), quick(retries=0))

    assert box.hits
    assert not any("x-evil" in hit.headers for hit in box.hits)
    assert not any(hit.path == "/evil" for hit in box.hits)


# Too much, and too slow.


def test_bomb_in_layers_stops_at_the_limit(box: SiteBox):
    """Gzip in gzip in gzip, as a file and as an encoding: 1 GB from 3 KB."""
    bomb = gz(gz(gz(b"<urlset>" + bytes(300_000_000))))
    box.put("/file.xml.gz", bomb)
    box.put("/encoded.xml", bomb, content_encoding="gzip")
    box.put("/many.xml", bomb, content_encoding="gzip, gzip, gzip")
    box.put_index("/s.xml", ["/file.xml.gz", "/encoded.xml", "/many.xml"])
    del bomb

    tracemalloc.start()
    try:
        entries = read(box.url("/s.xml"), max_bytes=1_000_000, policy=quick(max_bytes=1_000_000))
        assert list(entries) == []
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert all(record.error for record in entries.documents[1:])
    # The reference engine needs more for the megabyte that it parses; the bombs have 300 MB each.
    assert peak < (40_000_000 if "native" in available() else 60_000_000)


def test_head_that_drips_ends_with_the_whole_time(box: SiteBox):
    url = box.play("/s.xml", drip(head(200, 8) + b"<urlset>", 0.05))

    response = fetch(url, quick(total_timeout_s=0.6, read_timeout_s=0.5, retries=0))

    assert response.error == "timeout"


@pytest.mark.parametrize(
    ("piece", "count"),
    [(b"X-A: " + b"a" * 1_000 + b"\r\n", 50_000), (b"a" * 100_000, 500), (b"X: y\r\n", 1_000_000)],
)
def test_flood_of_headers_ends(box: SiteBox, piece: bytes, count: int):
    """50 MB of headers, of one header, and a million headers."""

    async def flood(_hit: Hit, wire: Wire) -> bool:
        await wire.send(b"HTTP/1.1 200 OK\r\n")
        batch = piece * max(1, 100_000 // len(piece))
        for _ in range(max(1, len(piece) * count // len(batch))):
            await wire.send(batch)
        await wire.send(b"\r\n\r\n<urlset/>")
        return False

    url = box.play("/s.xml", flood)
    tracemalloc.start()
    try:
        response = fetch(url, quick(retries=0, read_timeout_s=5.0, total_timeout_s=8.0))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert response.error in ("protocol", "timeout", "connect")
    assert peak < 60_000_000


def test_huge_and_many_cookies_are_taken_and_forgotten(box: SiteBox):
    cookies = b"".join(b"Set-Cookie: c%d=%s\r\n" % (n, b"x" * 4_000) for n in range(60))
    body = urlset_of("http://e.com", 1)
    box.play(
        "/s.xml",
        raw(b"HTTP/1.1 200 OK\r\n" + cookies + b"Content-Length: %d\r\n\r\n" % len(body) + body),
    )
    box.put_index("/i.xml", ["/s.xml", "/t.xml"])
    box.put_urlset("/t.xml")

    assert len(list(read(box.url("/i.xml")))) >= 1
    assert not any("cookie" in hit.headers for hit in box.hits)


@pytest.mark.parametrize(
    "length", ["-5", "5, 6", "abc", "99999999999999999999999", "0x10", "+9", ""]
)
def test_content_length_that_is_none_ends(box: SiteBox, length: str):
    url = box.play(
        "/s.xml", raw(f"HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n<urlset/>".encode())
    )

    response = fetch(url, quick(retries=0))

    assert response.error is not None or response.body == b"<urlset/>"


@pytest.mark.parametrize(
    "data",
    [b"<urlset><url><loc>https://e.com/</loc></url></urlset>", b"\x00" * 1_000, b"HTTP/9.9 200 OK\r\n\r\nx",
     b"HTTP/1.1 99999 Odd\r\n\r\n", b"HTTP/1.1 200\r\n\x00: \x01\r\n\r\n", b"ICY 200 OK\r\n\r\n", b"\r\n" * 5_000,
     b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked"
     b"\r\n\r\nffffffffffffffff\r\nx", b"HTTP/1.1 101 Switching\r\n\r\n", b"HTTP/1.1 100 Continue\r\n\r\n" * 1_000],
)  # fmt: skip
def test_garbage_instead_of_an_answer_is_reported(box: SiteBox, data: bytes):
    response = fetch(box.play("/s.xml", raw(data)), quick(retries=0, total_timeout_s=2.0))

    assert response.error is not None or not response.has_document
    assert len(response.body) < 2


def test_redirects_in_a_circle_between_hosts_end():
    with SiteBox() as box, SiteBox() as other:
        box.otherwise = redirect(other.url("/x"))
        other.otherwise = redirect(box.url("/x"))
        grows = SiteBox()
        with grows:

            async def longer(hit: Hit, wire: Wire) -> bool:
                return await redirect(grows.url(hit.path + "a"))(hit, wire)

            grows.otherwise = longer

            errors = [fetch(site.url("/x"), quick(retries=0)).error for site in (box, grows)]

    assert errors == ["redirect-loop", "too-many-redirects"]


@pytest.mark.parametrize(
    "line",
    [
        "a",
        "Allow: /a",
        "Sitemap: /a",
        "User-agent: *",
        "Disallow: /*a*b*c$",
        "Crawl-delay: 9",
        ":",
        "#",
    ],
)
def test_robots_txt_of_a_million_lines_is_linear(line: str):
    """Eight times as many lines take eight times as long, not sixty-four."""

    def read(count: int) -> None:
        robots = read_robots(f"{line}\n".encode() * count, "https://e.com/robots.txt")
        robots.allows("https://e.com/abc")
        robots.crawl_delay_s()

    assert growth(read, 5_000, 40_000) < 24


# The process.

LIMITED = """
import resource, sys
resource.setrlimit(getattr(resource, sys.argv[1]), (int(sys.argv[2]),) * 2)
import urlset
entries = urlset.read(sys.argv[3], policy=urlset.Policy(concurrency=16, per_host=16, proxies={}))
print(sum(1 for _ in entries), sum(bool(r.error) for r in entries.documents))
"""


@posix
@pytest.mark.parametrize(("limit", "value"), [("RLIMIT_NOFILE", 64), ("RLIMIT_AS", 400 << 20)])
def test_site_is_read_within_narrow_limits(box: SiteBox, limit: str, value: int):
    """64 open files, or 400 MB of memory."""
    box.put_index("/s.xml", [f"/{n}.xml" for n in range(150)])
    box.otherwise = page(urlset_of("http://e.com/" + "x" * 200, 2_000))

    ran = subprocess.run(
        [sys.executable, "-c", LIMITED, limit, str(value), box.url("/s.xml")],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )

    assert (ran.stdout, ran.stderr) == ("300000 0\n", "")


def test_abandoned_readings_leave_no_thread(box: SiteBox):
    """Four are abandoned: all of them together make fewer requests than one that is read to its end."""
    sitemaps = 3_000
    box.put_index("/s.xml", [f"/{n}.xml" for n in range(sitemaps)])
    box.otherwise = page(urlset_of("http://e.com", 1))

    next(iter(read(box.url("/s.xml"))))
    next(read(box.url("/s.xml")).visits())
    next(read(box.url("/s.xml")).batches())
    wait_for_no_fetcher()

    stream = pyarrow.RecordBatchReader.from_stream(read(box.url("/s.xml")))
    stream.read_next_batch()
    del stream
    # pyarrow releases it without the interpreter lock: arro3 drops what it holds when it is used next.
    Array([1], DataType.uint64())
    wait_for_no_fetcher()
    assert len(box.paths) < sitemaps


def test_streaming_client_that_leaves_closes_the_session(box: SiteBox):
    """A task that is cancelled, a loop that ends, a break: no session is left open."""
    box.put_index("/s.xml", [f"/{n}.xml" for n in range(500)])
    box.otherwise = page(urlset_of("http://e.com", 1))

    async def leave() -> None:
        async for _ in read(box.url("/s.xml")):
            break

    async def cancelled() -> None:
        async def all_of_it() -> None:
            async for _ in read(box.url("/s.xml")):
                await asyncio.sleep(0.01)

        task = asyncio.create_task(all_of_it())
        await asyncio.sleep(0.1)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    asyncio.run(leave())
    asyncio.run(cancelled())
    gc.collect()  # an open session would warn here, and warnings are errors


@posix
def test_fork_after_use_reads_and_takes_nothing_from_its_parent(
    box: SiteBox, tmp_path, monkeypatch
):
    """What a child process forgets, its parent still has."""
    monkeypatch.setattr(response_cache, "MAX_MEMORY", 0)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    box.put_index("/s.xml", ["/a.xml", "/b.xml"])
    box.otherwise = page(urlset_of("http://e.com", 2))
    entries = read(box.url("/s.xml"))
    first = list(entries)
    count = len(box.hits)

    child = forked(os.fork)
    if child == 0:
        try:
            is_good = list(entries) == first and len(list(urlset.read(box.url("/a.xml")))) == 2
            del entries
            gc.collect()
            os._exit(0 if is_good else 1)
        finally:
            os._exit(2)

    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert list(entries) == first
    assert len(box.hits) == count + 1


def test_site_that_is_gone_is_reported_and_tried_again(box: SiteBox):
    entries = read(box.url("/s.xml"), policy=quick(retries=0))
    box.play("/s.xml", site_box.in_turn(page(b"", 503), page(urlset_of("http://e.com", 1))))

    with pytest.raises(SourceError):
        list(entries)
    assert len(list(entries)) == 1


def rss() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="no /proc on this system")
def test_memory_stays_flat_over_many_parses(engine):
    documents = [urlset_of(f"http://e.com/{n}", 20) for n in range(10)] + [
        b"<urlset><url>",
        b"\x1f\x8b\0",
    ]
    sizes = []
    for number in range(3_000):
        document = urlset.parse(documents[number % len(documents)], engine=engine.name)
        assert len(document.entries) >= 0
        if number % 1_000 == 999:
            gc.collect()
            sizes.append(rss())

    assert sizes[-1] - sizes[0] < 8_000_000


def test_index_of_children_that_do_not_exist_ends(box: SiteBox):
    box.put("/s.xml", index_of(box.url(f"/{n}.xml") for n in range(3_000)))
    box.otherwise = page(b"gone", 410)

    entries = read(box.url("/s.xml"))

    assert list(entries) == []
    assert [r.source for r in entries.documents][1:4] == [box.url(f"/{n}.xml") for n in range(3)]
    assert len(entries.documents) == 3_001
