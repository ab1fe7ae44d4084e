"""Content-Encoding: decoding in chunks, size limit, damaged and truncated streams."""

import gzip
import random
import zlib

import pytest

from tests import site_box
from tests.http_walks import fetch, quick
from tests.site_box import SiteBox, gz, urlset_of
from urlset.http.content_encoding import BodyDecoder

BODY = urlset_of("https://example.com", 50)


@pytest.mark.parametrize(
    ("name", "packed"),
    [
        ("gzip", gz(BODY)),
        ("x-gzip", gz(BODY)),
        ("GZIP, identity", gz(BODY)),
        ("gzip", gz(BODY[:100]) + gz(BODY[100:])),
        ("gzip", gz(BODY) + b"\0" * 50),
        ("deflate", zlib.compress(BODY)),
        ("deflate", zlib.compress(BODY, wbits=-15)),
        ("deflate", gz(BODY)),
        ("gzip, gzip", gz(gz(BODY))),
        ("gzip", BODY),  # a proxy unpacked it and left the header
        ("gzip", b""),
        ("gzip", b"x"),
    ],
)
@pytest.mark.parametrize("size", [1, 100_000])
def test_encoding_is_undone(box: SiteBox, name: str, packed: bytes, size: int):
    url = box.play("/a", site_box.chunked(packed, size, content_encoding=name))

    response = fetch(url)

    assert response.body == (BODY if len(packed) > 1 else packed)
    assert (response.error, response.is_whole) == (None, True)
    assert response.wire_size == len(packed)
    assert box.hits[0].headers["accept-encoding"] == "gzip, deflate"


def test_gzip_file_is_not_touched(box: SiteBox):
    url = box.put("/a.xml.gz", gz(BODY), kind="application/gzip")

    assert fetch(url).body == gz(BODY)


def test_encoding_that_ends_too_early_is_not_whole(box: SiteBox):
    packed = gz(random.Random(1).randbytes(4000))
    url = box.put("/a", packed[:2000], content_encoding="gzip")

    response = fetch(url)

    assert (response.error, response.is_whole, response.attempts) == ("encoding", False, 3)
    assert response.message == "the gzip stream ends before its end (3 attempts)"
    assert len(response.body) > 1900


def test_damaged_encoding_keeps_what_is_before_it(box: SiteBox):
    noise = random.Random(1).randbytes(4000)
    packed = bytearray(zlib.compress(noise, 0) + b"")
    packed[2005:] = b"\xff" * len(packed[2005:])
    url = box.put("/a", bytes(packed), content_encoding="deflate")

    response = fetch(url)

    assert (response.error, response.is_whole) == ("encoding", False)
    assert response.body.startswith(noise[:1900])


def test_encoding_that_was_not_asked_for(box: SiteBox):
    response = fetch(box.put("/a", b"\x0b\x02\x80", content_encoding="br"))

    assert response.error == "encoding"
    assert response.message == "Content-Encoding br was not requested and is not decoded"


def test_bomb_in_an_encoding_stops_at_the_cap(box: SiteBox):
    # Measured: 2 GB of memory for 1 MB on the wire in three of nine readers.
    bomb = gzip.compress(b"\0" * 50_000_000, 9)
    url = box.put("/a", bomb, content_encoding="gzip")

    response = fetch(url, quick(max_bytes=1_000_000))

    assert (response.error, response.is_whole, len(response.body)) == (
        "too-large",
        False,
        1_000_000,
    )


def test_bomb_is_not_unpacked_beyond_the_cap():
    # All at once: a piece from the network is small, but may hold a gigabyte.
    decoder = BodyDecoder("gzip, gzip", 1_000_000)

    decoder.feed(gz(gz(b"\0" * (1 << 20)) * 200))

    assert decoder.is_over
    assert len(decoder.body()) == 1_000_000
    assert sum(map(len, decoder._chunks)) <= 1_000_000 + (1 << 20)


def test_junk_without_an_end_behind_an_encoding_ends_at_the_cap_of_the_wire(box: SiteBox):
    # What is behind the end of the stream is not kept, so no other cap sees it.
    async def endless_junk(_hit: site_box.Hit, wire: site_box.Wire) -> bool:
        await wire.send(site_box.head(200, None, content_encoding="gzip") + gz(BODY))
        while True:
            await wire.send(b"junk" * 4_096)

    response = fetch(box.play("/a", endless_junk), quick(max_wire_bytes=100_000))

    assert (response.error, response.body) == ("too-large", BODY)
    assert response.wire_size < 2_000_000
