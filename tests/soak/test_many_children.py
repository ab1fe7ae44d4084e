"""An index with 100,000 sitemaps on hosts whose names resolve slowly."""

import socket
import time
from collections import Counter

import pytest

import urlset
from tests.http_walks import quick
from tests.site_box import SiteBox, index_of, page, urlset_of
from urlset.http import transport

CHILDREN, HOSTS = 100_000, 50


def test_an_index_with_100_000_children_is_read(monkeypatch: pytest.MonkeyPatch):
    counts: Counter[str] = Counter()

    def lookup(host: str, port: int, _family: int) -> list[object]:
        counts[host] += 1
        time.sleep(0.5)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port))]

    monkeypatch.setattr(transport, "lookup", lookup)
    with SiteBox() as box:
        urls = (f"http://h{n % HOSTS}.example:{box.port}/{n}.xml" for n in range(CHILDREN))
        box.put("/s.xml", index_of(urls))
        box.otherwise = page(urlset_of("https://example.com", 1))
        started = time.monotonic()
        entries = urlset.read(f"http://h0.example:{box.port}/s.xml", policy=quick())

        assert sum(1 for _ in entries) == CHILDREN

    minutes = (time.monotonic() - started) / transport.DNS_TTL_S
    assert len(entries.documents) == CHILDREN + 1
    assert max(counts.values()) <= minutes + 1
