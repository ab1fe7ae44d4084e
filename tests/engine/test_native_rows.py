"""The rows that the native engine makes: as named tuples made in Python are."""

from __future__ import annotations

import copy
import gc
import pickle
import sys
from operator import length_hint
from typing import Any

import pytest

import urlset
from urlset.engine import available

pytestmark = pytest.mark.skipif(
    "native" not in available(), reason="the native engine is not installed"
)

DOCUMENT = b"""<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"
  xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"
  xmlns:video="http://www.google.com/schemas/sitemap-video/1.1">
<url><loc>https://example.com/</loc><lastmod>2026-11-21</lastmod><priority>0.8</priority>
<image:image><image:loc>https://example.com/i</image:loc></image:image>
<video:video><video:title>T</video:title><video:tag>a</video:tag><video:tag>b</video:tag>
<video:price currency="EUR">1</video:price></video:video></url>
<url><loc>https://example.com/b</loc><lastmod>2026-11-21</lastmod><priority>0.8</priority></url>
</urlset>"""


def entries() -> list[urlset.Entry]:
    return list(urlset.parse(DOCUMENT, source="s", engine="native").entries)


def test_rows_are_as_if_made_in_python():
    for entry in entries():
        prices = [price for video in entry.videos for price in video.prices]
        rows: tuple[Any, ...] = (entry, *entry.images, *entry.videos, *prices)
        for row in rows:
            same = type(row)(*row)
            assert (row, hash(row), repr(row)) == (same, hash(same), repr(same))
            assert pickle.loads(pickle.dumps(row)) == copy.deepcopy(row) == row
            assert row._replace() == row


def test_rows_come_one_by_one_to_everybody_who_asks():
    rows = urlset.parse(DOCUMENT, engine="native").entries
    first, second = iter(rows), iter(rows)
    assert next(first) == next(second)
    assert length_hint(first) == 1
    assert [entry.loc for entry in first] == ["https://example.com/b"]
    assert next(first, None) is None
    assert [entry.loc for entry in second] == ["https://example.com/b"]
    assert iter(second) is second


def test_what_repeats_is_the_same_object():
    first, second = entries()
    for field in ("lastmod", "lastmod_text", "priority", "source"):
        assert getattr(first, field) is getattr(second, field)


def test_rows_leave_nothing_behind():
    urlset.parse(DOCUMENT, engine="native")
    list(entries())
    gc.collect()
    before = sys.getrefcount(None), sys.getrefcount(()), sys.getrefcount(urlset.Entry)
    for _ in range(1000):
        entries()
    after = sys.getrefcount(None), sys.getrefcount(()), sys.getrefcount(urlset.Entry)
    assert all(abs(was - now) < 100 for was, now in zip(before, after, strict=True))
