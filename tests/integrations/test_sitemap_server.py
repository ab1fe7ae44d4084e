"""What the ASGI and WSGI applications share: files, conditional requests, ranges, builds."""

import gzip
import logging
import os
import threading
import time
from itertools import count
from types import SimpleNamespace

import pytest

import urlset
from urlset.integrations import sitemap_server
from urlset.integrations.sitemap_server import SitemapServer

BASE = "https://example.com/"


@pytest.fixture
def built(tmp_path):
    urlset.write([f"/{n}" for n in range(25)], tmp_path, base_url=BASE, max_urls=10)
    return tmp_path


def get(server, name="sitemap.xml", method="GET", **headers):
    fields = {key.replace("_", "-"): value for key, value in headers.items()}
    return server.respond(method, name, fields)


def body(response):
    return b"".join(response.chunks())


def header(response, name):
    return dict(response.headers).get(name)


class Clock:
    """Replaces the clocks of the server."""

    def __init__(self, monkeypatch):
        self.seconds = 1_000.0
        start = time.time() - self.seconds
        clocks = SimpleNamespace(
            monotonic=lambda: self.seconds, time=lambda: start + self.seconds, sleep=time.sleep
        )
        monkeypatch.setattr(sitemap_server, "time", clocks)


@pytest.fixture
def clock(monkeypatch):
    return Clock(monkeypatch)


@pytest.fixture
def threads(monkeypatch):
    """Builds in the background run when the test says so."""
    started = []

    class Delayed:
        def __init__(self, target, args, daemon):
            assert daemon
            self.run = lambda: target(*args)

        def start(self):
            started.append(self.run)

    replaced = SimpleNamespace(Thread=Delayed, Lock=threading.Lock)
    monkeypatch.setattr(sitemap_server, "threading", replaced)
    return started


# ── files ──


def test_files_of_a_build_are_served(built):
    server = SitemapServer(built)

    index, child = get(server), get(server, "sitemap-2.xml")

    assert index.status == child.status == 200
    assert header(index, "Content-Type") == "application/xml"
    assert len(urlset.parse(body(index)).sitemaps) == 3
    assert body(child) == (built / "sitemap-2.xml").read_bytes()
    assert header(child, "Content-Length") == str(len(body(child)))


@pytest.mark.parametrize(
    "path",
    [
        "/../secret.xml", "/..\\secret.xml", "/sitemap/../../secret.xml", "//sitemap.xml",
        "/sitemap.xml/", "/sitemap.xml\0", "/sitemap.xml%00", "/.sitemap.xml", "/sitemap",
        "/sitemap.py", "/secret.xml", "/.urlset/ledger.duckdb", "/sitemap-link.xml",
        "/sitemap-folder.xml", f"/sitemap{'a' * 5000}.xml", "/sitemap.xml:stream", "",
        "sitemap.xml",
        "/sitemap-\ud800.xml", "/robots.txt",
    ],
)  # fmt: skip
def test_other_paths_are_not_found(built, tmp_path_factory, path):
    outside = tmp_path_factory.mktemp("outside") / "secret.xml"
    outside.write_text("secret")
    (built / "secret.xml").write_text("secret")
    (built / "sitemap-folder.xml").mkdir()
    if not (built / "sitemap-link.xml").exists():
        (built / "sitemap-link.xml").symlink_to(outside)
    server = SitemapServer(built)

    name = server.name_of(path)

    assert name is None or get(server, name) is None


def test_path_of_the_url_folder(built):
    server = SitemapServer(built, path="/maps")

    assert server.name_of("/maps/sitemap.xml") == "sitemap.xml"
    assert server.name_of("/sitemap.xml") is None


def test_packed_files_are_sent_as_they_are(tmp_path):
    urlset.write(["/a"], tmp_path, base_url=BASE, gzip=True)

    found = get(SitemapServer(tmp_path), "sitemap.xml.gz", accept_encoding="gzip")

    assert header(found, "Content-Type") == "application/gzip"
    assert header(found, "Content-Encoding") is None
    assert b"<loc>https://example.com/a</loc>" in gzip.decompress(body(found))


def test_gzip_twin(built):
    server = SitemapServer(built)

    plain, packed = get(server), get(server, accept_encoding="gzip, br")

    assert gzip.decompress(body(packed)) == body(plain)
    assert header(packed, "Content-Encoding") == "gzip"
    assert header(packed, "Content-Type") == "application/xml"
    assert header(packed, "Vary") == header(plain, "Vary") == "Accept-Encoding"
    assert header(packed, "ETag") != header(plain, "ETag")
    assert header(packed, "Content-Length") == str(len(body(packed)))
    assert body(get(server, accept_encoding="gzip")) == body(packed)


# ── RFC 9110 ──


def test_conditional_requests(built):
    server = SitemapServer(built)
    first = get(server)
    tag, date = header(first, "ETag"), header(first, "Last-Modified")

    assert get(server, if_none_match=f'"x", W/{tag}').status == 304
    assert body(get(server, if_none_match=tag)) == b""
    assert get(server, if_none_match="*").status == 304
    assert get(server, if_modified_since=date).status == 304
    assert get(server, if_none_match='"x"', if_modified_since=date).status == 200
    assert get(server, if_modified_since="yesterday").status == 200
    assert get(server, if_modified_since="Mon, 01 Jan 1990 00:00:00 GMT").status == 200
    assert header(get(server, if_none_match=tag), "ETag") == tag


def test_etag_follows_the_content_and_not_the_time(built):
    server = SitemapServer(built)
    before = header(get(server), "ETag")

    os.utime(built / "sitemap.xml", (1, 1))
    assert header(get(server), "ETag") == before
    (built / "sitemap.xml").write_text("<urlset/>")
    assert header(get(server), "ETag") != before


@pytest.mark.parametrize(
    ("wanted", "status", "part"),
    [
        ("bytes=0-4", 206, slice(0, 5)),
        ("bytes=5-", 206, slice(5, None)),
        ("bytes=-7", 206, slice(-7, None)),
        ("bytes=0-999999999", 206, slice(0, None)),
        ("bytes=-999999999", 206, slice(0, None)),
        ("bytes=999999999-", 416, slice(0, 0)),
        ("bytes=-0", 416, slice(0, 0)),
        ("bytes=5-2", 200, slice(0, None)),
        ("bytes=-", 200, slice(0, None)),
        ("bytes=0-1,3-4", 200, slice(0, None)),
        ("lines=0-1", 200, slice(0, None)),
        ("bytes=" + "9" * 400 + "-", 200, slice(0, None)),
    ],
)
def test_range(built, wanted, status, part):
    server = SitemapServer(built)
    whole = body(get(server))

    found = get(server, range=wanted, accept_encoding="gzip" if status == 206 else "")

    assert found.status == status
    assert body(found) == whole[part]
    assert header(found, "Content-Length") == str(len(whole[part]))
    if status == 206:
        start, end, _ = part.indices(len(whole))
        assert header(found, "Content-Range") == f"bytes {start}-{end - 1}/{len(whole)}"


def test_range_with_a_condition(built):
    server = SitemapServer(built)
    first = get(server)

    for name in ("ETag", "Last-Modified"):
        assert get(server, range="bytes=0-1", if_range=header(first, name)).status == 206
    assert get(server, range="bytes=0-1", if_range='"x"').status == 200
    assert get(server, range="bytes=0-1", if_range="W/" + header(first, "ETag")).status == 200


def test_head_and_other_methods(built):
    server = SitemapServer(built)

    for encoding in ("", "gzip"):
        head = get(server, method="HEAD", accept_encoding=encoding)
        assert body(head) == b""
        assert head.headers == get(server, accept_encoding=encoding).headers
    for method in ("POST", "PUT", "DELETE", "OPTIONS", "get"):
        refused = get(server, method=method)
        assert refused.status == 405
        assert header(refused, "Allow") == "GET, HEAD"


def test_robots_txt_names_the_sitemap(built):
    server = SitemapServer(built, base_url=BASE, robots="User-agent: *\nDisallow: /private/\n")

    text = body(get(server, str(server.name_of("/robots.txt")))).decode()

    assert text.startswith("User-agent: *\nDisallow: /private/\n")
    assert "Sitemap: https://example.com/sitemap.xml\n" in text


# ── rows ──


def test_rows_are_built_at_the_first_request_and_again_when_due(clock, threads):
    numbers = count(1)
    server = SitemapServer(lambda: [f"/{next(numbers)}"], base_url=BASE, every="1h")

    assert b"/1<" in body(get(server))
    clock.seconds += 3_599
    assert b"/1<" in body(get(server))
    assert not threads
    clock.seconds += 2
    assert b"/1<" in body(get(server)), "the old version is served while the new one is built"
    assert b"/1<" in body(get(server))
    assert len(threads) == 1, "one build at a time"
    threads.pop()()
    assert b"/2<" in body(get(server))


def test_rows_that_fail_midway_leave_the_old_version(clock, threads, caplog):
    state = {"fails": False}

    def rows():
        yield "/a"
        if state["fails"]:
            raise RuntimeError("the database is gone")

    server = SitemapServer(rows, base_url=BASE)
    before = body(get(server))
    state["fails"] = True
    clock.seconds += 4_000
    get(server)
    threads.pop()()

    assert body(get(server)) == before
    assert "the database is gone" in caplog.text
    assert not threads, "the next try is a minute later"
    clock.seconds += 61
    get(server)
    assert len(threads) == 1


def test_rows_that_fail_at_first_are_unavailable_and_tried_again(clock):
    state = {"fails": True, "calls": 0}

    def rows():
        state["calls"] += 1
        yield from [f"/{n}" for n in range(10_000)]
        if state["fails"]:
            raise RuntimeError("the database is gone")

    server = SitemapServer(rows, base_url=BASE)

    for _ in range(3):
        refused = get(server)
        assert (refused.status, header(refused, "Retry-After")) == (503, "60")
    assert state["calls"] == 1
    state["fails"] = False
    clock.seconds += 61
    assert get(server).status == 200


def test_set_without_rows_is_not_published(clock, threads):
    found = ["/a"]
    server = SitemapServer(lambda: list(found), base_url=BASE)
    before = body(get(server))
    found.clear()
    clock.seconds += 4_000
    get(server)
    threads.pop()()

    assert body(get(server)) == before


def test_odd_entries_cost_one_entry_each(caplog):
    rows = [
        "/ok", "/a\x00b", "ftp://example.com/", {"loc": "/&<>'\""}, {"loc": None}, {"loc": "/ok"},
        {"loc": "/image", "images": [urlset.Image("/<&>.jpg")]},
    ]  # fmt: skip
    with caplog.at_level(logging.WARNING, "urlset.serve"):
        server = SitemapServer(lambda: rows, base_url=BASE)
        document = urlset.parse(body(get(server)))

    assert not document.problems
    assert len(document.entries) == 3
    assert len(caplog.records) == 4


def test_many_rows_are_split_with_an_index():
    server = SitemapServer(lambda: (f"/{n}" for n in range(100)), base_url=BASE, max_urls=30)

    index = urlset.parse(body(get(server)))
    found = [
        entry.loc
        for sitemap in index.sitemaps
        for entry in urlset.parse(body(get(server, sitemap.loc.rpartition("/")[2]))).entries
    ]

    assert len(index.sitemaps) == 4
    assert len(set(found)) == 100


def test_first_requests_at_once_build_once(tmp_path):
    calls = count()
    barrier = threading.Barrier(8)
    server = SitemapServer(lambda: [f"/{next(calls)}"], base_url=BASE, folder=tmp_path / "files")
    found = []

    def ask():
        barrier.wait()
        found.append(get(server).status)

    asking = [threading.Thread(target=ask) for _ in range(8)]
    for thread in asking:
        thread.start()
    for thread in asking:
        thread.join()

    assert found == [200] * 8
    assert next(calls) == 1


def test_processes_share_a_folder(tmp_path, clock, threads):
    SitemapServer(lambda: ["/a"], base_url=BASE, folder=tmp_path).respond("GET", "sitemap.xml", {})

    def rows():
        raise AssertionError("the files of the other process are served")

    other = SitemapServer(rows, base_url=BASE, folder=tmp_path)

    assert b"/a<" in body(get(other))
    for run in threads:
        run()
    assert b"/a<" in body(get(other))


def test_rows_with_a_ledger_are_published_by_build(tmp_path, clock, threads):
    rows = [f"/{n}" for n in range(100)]
    server = SitemapServer(
        lambda: list(rows), base_url=BASE, folder=tmp_path / "maps", ledger=tmp_path / "l.duckdb"
    )
    before = body(get(server))
    del rows[10:]
    clock.seconds += 4_000
    get(server)
    threads.pop()()

    assert body(get(server)) == before, "the gate `shrunk` keeps the old version"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "expected base_url"),
        ({"base_url": BASE, "every": "soon"}, "expected every as"),
        ({"base_url": BASE, "path": "maps"}, 'expected path to begin with "/"'),
    ],
)
def test_invalid_options(options, message):
    with pytest.raises(ValueError, match=message):
        SitemapServer(list, **options)
