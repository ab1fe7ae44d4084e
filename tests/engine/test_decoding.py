"""Bytes that are not UTF-8: each is read as windows-1252, and keeps its offset."""

from __future__ import annotations

import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

import urlset
from urlset.engine import available, source_offset
from urlset.formats import encoding
from urlset.formats.encoding import decode

_PIECES = [
    b"a",
    b"<",
    "ä".encode(),
    "€".encode(),
    "𝒳".encode(),
    b"\xff",
    b"\xc3",
    b"\x80",
    b"\xe2\x82",
]


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _naive(data: bytes) -> tuple[str, list[int]]:
    """Return the text, and the offset in the original of each of its characters."""
    text, offsets, position = "", [], 0
    while position < len(data):
        for size in (1, 2, 3, 4):
            if _is_utf8(data[position : position + size]) and position + size <= len(data):
                text += data[position : position + size].decode()
                break
        else:
            size = 1
            text += data[position : position + 1].decode("cp1252", "urlset-controls")
        offsets.append(position)
        position += size
    return text, offsets


@given(st.lists(st.sampled_from(_PIECES), max_size=40))
def test_bytes_that_are_not_utf8_keep_their_offsets(pieces):
    data = b"<urlset>" + b"".join(pieces) + b"\xff"
    text, offsets = _naive(data)

    decoded = decode(data, "utf-8", _is_utf8)

    assert decoded.text.decode() == text
    places = [len(text[:number].encode()) for number in range(len(text))]
    assert [source_offset(place, decoded.runs) for place in places] == offsets


@given(st.lists(st.sampled_from(_PIECES), max_size=40))
def test_offsets_of_a_binary_file_are_within_it(pieces):
    data = b"<urlset>" + b"".join(pieces) + b"\xff"

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(encoding, "_MAX_RUNS", 3)
        decoded = decode(data, "utf-8", _is_utf8)

    assert decoded.text.decode() == _naive(data)[0]
    for place in range(len(decoded.text)):
        assert 0 <= source_offset(place, decoded.runs) < len(data)


def test_binary_file_takes_memory_in_proportion_to_its_bytes():
    data = b"<urlset>" + b"a\xff" * 1_000_000

    tracemalloc.start()
    decode(data, "utf-8", _is_utf8)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert peak < 50 * len(data)  # it was 270 times as much


@pytest.mark.guard
@pytest.mark.skipif("native" not in available(), reason="the reference engine makes objects")
def test_a_document_is_parsed_where_it_is():
    rows = b"".join(b"<url><loc>https://e.com/%d</loc></url>\n" % number for number in range(9_000))
    data = b'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">' + rows + b"</urlset>"
    urlset.parse(data, engine="native")

    tracemalloc.start()
    urlset.parse(data, engine="native")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert peak < len(data) / 2  # a copy took a third of the time
