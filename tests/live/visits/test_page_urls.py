"""Normalized URLs of pages: the short way for ordinary URLs, and the host of a URL."""

import random
import re

import pytest

from urlset.live.visits import page_urls
from urlset.live.visits.page_urls import UrlResolver, page_url

WORDS = (
    "a B é %7e %C3 %2f % / // ./ ../ . .. ? & = # : @ x.html 1 - _ ~ + http: https:// e.com "
    "www.e.com:80 :8080 [::1] 127.0.0.1 mailto: a:b/ \\ | < { ^ ٣ ! $ ' ( * , ;"
)
PARTS = [*WORDS.split(), "\t", " ", "\u200b"]
BASES = (
    "http://e.com/",
    "http://E.com:80/a/b.html",
    "https://e.com/%7ea/../b/c?x=/y",
    "http://e.com",
    "http://e.com?q/z",
    "http://[::1]:80/x/",
    "http://127.0.0.1:8000/s/p.html#top",
)


@pytest.mark.parametrize("seed", range(5))
def test_the_short_way_for_ordinary_urls_has_the_result_of_the_long_way(monkeypatch, seed):
    chance = random.Random(seed)
    urls = ["".join(chance.choices(PARTS, k=chance.randint(1, 7))) for _ in range(5_000)]
    bases = [chance.choice(BASES) for _ in urls]

    def results():
        resolver = UrlResolver()
        absolute = [page_url(f"http://{url}") for url in urls]
        pairs = zip(urls, bases, strict=True)
        return absolute + [resolver.resolve(url, base) for url, base in pairs]

    short = results()
    for name in ("_SIMPLE_URL", "_SIMPLE_PATH", "_SIMPLE_REFERENCE"):
        pattern = getattr(page_urls, name)
        assert any(pattern.fullmatch(url) for url in urls) or name == "_SIMPLE_URL"
        monkeypatch.setattr(page_urls, name, re.compile("(?!)"))
    assert short == results()
    assert len(set(short)) > len(urls) // 4


def test_dot_segments_after_an_empty_segment_do_not_change_the_host():
    urls = [page_url(f"https://example.com//{dots}/other.example/x") for dots in (".", "..")]

    assert urls == [
        "https://example.com//other.example/x",
        "https://example.com/other.example/x",
    ]
