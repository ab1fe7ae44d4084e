# ruff: noqa: E501 - shapes are in rows
"""Hostile documents of many shapes: no reader takes more than linear time, or raises.

Each shape is read at two sizes; the ratio of the CPU times of 1:16 sizes is bounded.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable

import pytest

from tests.hostile import attacks

SMALL, LARGE = 16_384, 262_144
MAX_RATIO = 50
UNNOTICEABLE_S = 0.3

HTML: dict[str, tuple[str, str, str]] = {
    "blanks": ("<p>", " ", "x"),
    "open div": ("", "<div>", ""),
    "open b and p": ("", "<b><p>", ""),
    "html with attributes": ("", "<html a{n}=1 b>", ""),
    "body with attributes": ("", "<body a{n}=1 b>", ""),
    "body in capitals": ("", "<BODY\tA{n}=1>", ""),
    "html with a slash": ("", "<html/a{n}>", ""),
    "attributes": ("<a ", "b{n}=1 ", ">"),
    "attribute without an end": ('<a href="', "a", ""),
    "quotes": ("<a ", "\"'", ">"),
    "less than": ("", "<", ""),
    "tag starts": ("", "<a ", ""),
    "comments": ("", "<!--", ""),
    "comment ends": ("<!--", "--", ""),
    "cdata": ("", "<![CDATA[", ""),
    "scripts": ("", "<script>", ""),
    "script ends": ("<script>", "</script", ""),
    "textareas": ("", "<textarea><a href=x>", ""),
    "titles": ("", "<title>a", ""),
    "references": ("", "&#1", ""),
    "digits of a reference": ("<p>&#", "1", ";"),
    "zeros of a reference": ("<p>&#", "0", "65;"),
    "hexadecimal reference": ("<p>&#x", "f", ";"),
    "digits in a title": ("<title>&#", "9", ";</title>"),
    "digits in a link": ("<p>" * 5_000 + '<a href="&#', "9", ';">x</a>'),
    "names of references": ("<p>", "&aaaa", ";"),
    "srcset": ("<body><img srcset='", "a b c ", "'>"),
    "srcset of blanks": ("<body><img srcset='", " ", "x'>"),
    "srcset of commas": ("<body><img srcset='", ",", "x'>"),
    "srcsets": ("<body>", "<img srcset='a  1x, b'>", ""),
    "refresh": ("<head>", "<meta http-equiv=refresh content='0     '>", ""),
    "refresh of blanks": ("<head><meta http-equiv=refresh content='", " ", "'>"),
    "refresh of digits": ("<head><meta http-equiv=refresh content='", "1", "'>"),
    "robots of blanks": ("<head><meta name=robots content='", " ", "'>"),
    "robots": ("<head><meta name=robots content='", "a:", "'>"),
    "canonicals": ("<head>", "<link rel=canonical href=/{n}>", ""),
    "alternates": ("<head>", "<link rel=alternate hreflang=x{n} href=/>", ""),
    "json blanks": ("<script type=application/ld+json>", " ", "x</script>"),
    "json brackets": ("<script type=application/ld+json>", "[", "</script>"),
    "json digits": ("<script type=application/ld+json>", "1", "</script>"),
    "json comments": ("<script type=application/ld+json>", "/* ", "</script>"),
    "json lists": ("<script type=application/ld+json>[", '{"@type":"WebPage"},', "0]</script>"),
    "view counters": ("<p>", "page generated " + "1" * 300 + "<br>", ""),
    "clocks": ("<p>", "generated " + "1:11 " * 70 + "<br>", ""),
    "hashes of builds": ("<p>", "build " + "a" * 390 + "<br>", ""),
    "times": ("<body>", "<time datetime=2020-01-01>", ""),
    "roles": ("<body>", "<div role=main class='consent-", ""),
    "asset names": ("<body>", "<img src='/a.aaaaaaaa.aaaaaaaa.js'>", ""),
    "queries": ("<body><a href='/?", "v=1&", "'>x</a>"),
}
ROBOTS: dict[str, tuple[str, str, str]] = {
    "bare URL": ("https://", "sitemap", " x"),
    "bare endings": ("https://", ".xml", " x"),
    "commas": ("Sitemap: ", ",", "x"),
    "blanks": ("sitemap", " ", "x"),
    "fields": ("", " sitemap", ":"),
    "fields in a line": ("", " sitemap: a", ""),
    "hyphens": ("site-map", "-", ":"),
    "carriage returns": ("", "\r", "x"),
    "wildcards": ("User-agent: *\nDisallow: /", "*a", "$"),
    "rules": ("User-agent: *\n", "Disallow: /{n}*b\n", ""),
    "groups": ("", "User-agent: a{n}\nDisallow: /\n", ""),
    "percent signs": ("User-agent: *\nDisallow: /", "%", ""),
    "comments": ("", "#", "sitemap: x"),
    "quotes": ("Sitemap: ", '"', ""),
}
SITEMAP: dict[str, tuple[str, str, str]] = {
    "one line of a URL": ("", "https://example.com/a ", "\n"),
    "comments in a loc": ("<urlset><url><loc>https://a.example/", "<!--a-->x", "</loc></url></urlset>"),
    "instructions in a loc": ("<urlset><url><loc>https://a.example/", "<?", "</loc></url></urlset>"),
    "open urls": ("<urlset>", "<url><loc>", ""),
    "declarations": ("", "<?xml ", ""),
    "prefixes": ("<urlset ", "xmlns:a{n}='b' ", "/>"),
    "elements before the root": ("", "<a{n}>", "<urlset></urlset>"),
    "references": ("<urlset><url><loc>https://a.example/", "&#9", ";</loc></url></urlset>"),
    "feeds": ("<rss><channel>", "<item><link>", ""),
    "duration": ("<urlset><url><loc>https://a.example/</loc><lastmod>", "1", "</lastmod></url></urlset>"),
}  # fmt: skip


LLMS_TXT: dict[str, tuple[str, str, str]] = {
    "titles": ("", "# a\n", ""),
    "links": ("", "[a](b(c)) ", ""),
    "starts of links": ("# a\n", "](", ""),
    "starts of links in brackets": ("# a\n", "](<", ""),
    "open brackets": ("# a\n", "](a(b", ""),
    "code": ("# a\n\n", "`](a", ""),
    "fences": ("# a\n", "```\n", ""),
    "short lines": ("# a\n", "a\n", ""),
    "entities": ("[a](", "&amp;", ")"),
}


def text_of(shape: tuple[str, str, str], size: int) -> bytes:
    return attacks.shape(*shape)(size)


def read_html(data: bytes) -> None:
    from urlset.html.facts import WANTS, read_page
    from urlset.html.links import sitemaps_and_feeds_in_page

    read_page(data, "https://example.com/", wants=(*WANTS, "links"))
    sitemaps_and_feeds_in_page(data, "https://example.com/")


def read_robots_txt(data: bytes) -> None:
    from urlset.robots import read_robots

    robots = read_robots(data, "https://example.com/robots.txt")
    robots.allows("https://example.com/" + "a" * 1_000)
    robots.crawl_delay_s()


def read_llms_txt(data: bytes) -> None:
    from urlset.auditor.llms_txt_links import llms_txt_links

    list(llms_txt_links(data))


def check(data: bytes) -> None:
    import urlset

    list(urlset.check(data))


READERS: dict[str, tuple[Callable[[bytes], None], dict[str, tuple[str, str, str]]]] = {
    "html": (read_html, HTML),
    "robots": (read_robots_txt, ROBOTS),
    "sitemap": (check, SITEMAP),
    "llms.txt": (read_llms_txt, LLMS_TXT),
}

PROGRAM = """
import json, sys, time
from tests.hostile.test_shapes import LARGE, READERS, SMALL, text_of
read, shapes = READERS[sys.argv[1]]
shape = shapes[sys.argv[2]]
read(b"a")
times = []
for size in (SMALL, LARGE):
    data = text_of(shape, size)
    begin = time.process_time()
    read(data)
    times.append(time.process_time() - begin)
print(json.dumps(times))
"""


@pytest.mark.parametrize(
    ("reader", "name"),
    [(reader, name) for reader, (_, shapes) in READERS.items() for name in shapes],
)
def test_a_hostile_document_takes_linear_time(reader, name):
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM, reader, name],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip

    assert ran.returncode == 0, ran.stderr[-1_500:]
    small, large = json.loads(ran.stdout)
    assert large < max(UNNOTICEABLE_S, MAX_RATIO * small)
