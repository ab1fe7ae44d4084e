"""Responses that neither end nor send content, and headers that are not UTF-8."""

from __future__ import annotations

import asyncio
import gzip

import pytest

import urlset
from tests.site_box import SiteBox, urlset_of
from urlset.http import Policy, Request, Response
from urlset.http.client import Fetcher
from urlset.http.content_encoding import MAX_SMALL_MEMBERS, BodyDecoder

pytestmark = pytest.mark.guard

HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n"
CHUNKED = HEAD + b"transfer-encoding: chunked\r\n\r\n"


def fetch(box: SiteBox, path: str) -> Response:
    async def run() -> Response:
        policy = Policy(total_timeout_s=600, read_timeout_s=600, retries=0, allow_private=True)
        async with Fetcher(policy) as fetcher:
            return await asyncio.wait_for(fetcher.fetch(Request(box.url(path))), 60)

    return asyncio.run(run())


def raw(first: bytes, repeated: bytes = b"", *, is_open: bool = False):
    async def player(hit, wire):
        await wire.send(first)
        while repeated:
            await wire.send(repeated)
        if is_open:
            await wire.wait()
        return False

    return player


@pytest.mark.parametrize("size", [b"-5", b"f" * 18, b"x", b"0x5", b"5 5", b"\xff", b"+3"])
def test_an_invalid_size_of_a_chunk_ends_a_response_at_once(size):
    with SiteBox() as box:
        box.play("/a", raw(CHUNKED + b"5\r\nhello\r\n" + size + b"\r\nxx\r\n", is_open=True))
        response = fetch(box, "/a")

    assert (response.error, response.body) == ("cut", b"hello")
    assert not response.is_whole


@pytest.mark.parametrize(
    ("first", "repeated", "error"),
    [
        (CHUNKED + b"5;", b"a" * 65_536, "cut"),
        (CHUNKED + b"5\r\nhello\r\n0\r\n", b"a: b\r\n" * 10_000, "cut"),
        (b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 500, "protocol"),
        (b"", b"HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n" * 500, "protocol"),
    ],
    ids=["extension", "trailers", "100", "103"],
)
def test_a_response_without_content_ends(first, repeated, error):
    with SiteBox() as box:
        box.play("/a", raw(first, repeated))
        response = fetch(box, "/a")

    assert response.error == error
    assert not response.is_whole


def test_a_body_in_small_chunks_is_whole():
    body = b"".join(b"1\r\n%c\r\n" % (97 + number % 26) for number in range(40_000))
    with SiteBox() as box:
        box.play("/a", raw(CHUNKED + body + b"0\r\n\r\n"))
        response = fetch(box, "/a")

    assert (response.error, len(response.body), response.is_whole) == (None, 40_000, True)


@pytest.mark.parametrize("content", [b"", b"x", b"a" * 99])
@pytest.mark.parametrize("layers", [1, 2, 3])
def test_the_work_for_small_members_is_bounded(content, layers, monkeypatch):
    body = gzip.compress(content) * 20_000
    for _ in range(layers - 1):
        body = gzip.compress(body)
    decoder = BodyDecoder(", ".join(["gzip"] * layers), 1 << 30)
    decoder.feed(body)
    decoder.close()

    assert decoder.fault == "the gzip stream has more than 1,000 members of less than 256 bytes"
    assert decoder.is_cut
    assert decoder.body() == content * (MAX_SMALL_MEMBERS + 1)


def test_many_large_members_are_whole():
    body = gzip.compress(b"a" * 300) * 3_000
    decoder = BodyDecoder("gzip", 1 << 30)
    for start in range(0, len(body), 777):
        decoder.feed(body[start : start + 777])
    decoder.close()

    assert (decoder.fault, decoder.size) == (None, 900_000)


HEADERS = ("etag", "last-modified", "content-type", "x-robots-tag", "link", "server", "location",
           "content-usage", "cache-control", "retry-after", "content-encoding")  # fmt: skip


@pytest.mark.parametrize("name", HEADERS)
def test_a_header_that_is_not_utf8_is_clean_text(name, tmp_path):
    body = b"https://example.com/a\n"
    lines = name.encode() + b": a\x9b\xff\xed\xa0\x80b\r\n"
    with SiteBox() as box:
        for path in ("/", "/robots.txt", "/sitemap.txt", "/a"):
            head = HEAD if name != "content-type" else b"HTTP/1.1 200 OK\r\n"
            length = b"content-length: %d\r\n\r\n" % len(body)
            box.play(path, raw(head + lines + length + body))
        value = fetch(box, "/a").headers[name]
        urlset.check(box.url("/sitemap.txt"))
        urlset.read(box.url("/sitemap.txt")).to_duckdb(tmp_path / "x.duckdb")
        urlset.crawl(box.url("/"), tmp_path / "c.duckdb", confirm_after_s=0)

    assert value.encode().decode() == value
    assert "a" in value


@pytest.mark.parametrize("value", ["a\x01", "\x1b]0;x\x07", "a" * 30_000])
@pytest.mark.parametrize("name", ["etag", "last-modified"])
def test_a_validator_that_cannot_be_sent_back_makes_no_document_unreadable(name, value, tmp_path):
    with SiteBox() as box:
        body = urlset_of(box.url("/a"), 1)
        lines = f"{name}: {value}\r\ncontent-length: {len(body)}\r\n\r\n".encode()
        box.play("/s.xml", raw(b"HTTP/1.1 200 OK\r\n" + lines + body))
        for _ in range(2):
            assert len(list(urlset.read(box.url("/s.xml"), cache=tmp_path / "cache"))) == 1
            step = urlset.watch(box.url("/s.xml"), tmp_path / "w.duckdb")

        assert step.is_complete
        assert not [hit for hit in box.hits if any(key.startswith("if-") for key in hit.headers)]


def test_a_length_of_thousands_of_digits_is_no_internal_error():
    with SiteBox() as box:
        box.play("/a", raw(HEAD + b"content-length: " + b"1" * 5_000 + b"\r\n\r\nab"))
        response = fetch(box, "/a")

    assert response.error is not None
