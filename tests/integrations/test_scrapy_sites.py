"""Rows of the tolerances that are about sites: a real crawl by Scrapy, with its own downloader."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest

pytest.importorskip("scrapy", reason="Scrapy is not installed: pip install scrapy")

from tests.integrations.test_scrapy import ROWS
from tests.site_box import SiteBox, page

SPIDER = """
import json
from urlset.integrations.scrapy import SitemapSpider

class Spider(SitemapSpider):
    name = "tea"
    sitemap_urls = json.loads({urls!r})

    def parse(self, response):
        yield {{"url": response.url, **response.meta["sitemap"]}}
"""
NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def urls(*locs: str) -> str:
    return f"<urlset {NAMESPACE}>{''.join(f'<url><loc>{loc}</loc></url>' for loc in locs)}</urlset>"


def index(*locs: str) -> str:
    rows = "".join(f"<sitemap><loc>{loc}</loc></sitemap>" for loc in locs)
    return f"<sitemapindex {NAMESPACE}>{rows}</sitemapindex>"


class Crawled(NamedTuple):
    """URLs of the pages, with where each was found, and the log of Scrapy."""

    pages: dict[str, dict[str, str]]
    log: str


def crawl(folder: Path, *start: str, **settings: str) -> Crawled:
    """Run a spider with the command of Scrapy."""
    (folder / "spider.py").write_text(SPIDER.format(urls=json.dumps(start)))
    options = [f"--set={name}={value}" for name, value in settings.items()]
    done = subprocess.run(
        [sys.executable, "-m", "scrapy", "runspider", "spider.py", "--output=-:jsonlines",
         "--loglevel=INFO", *options],
        cwd=folder, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert max(Counter(row["url"] for row in rows).values(), default=1) == 1
    return Crawled({row.pop("url"): row for row in rows}, done.stderr)


def put_pages(box: SiteBox, *paths: str) -> None:
    for path in paths:
        box.put(path, f"<!doctype html><title>{path}</title>", kind="text/html")


def test_rows_50_to_52_indexes_children_and_redirects(box, tmp_path):
    with SiteBox(host="127.0.0.2") as other:
        put_pages(box, "/nested", "/feed", "/text", "/robots-child")
        put_pages(other, "/maps/moved")
        box.put("/cycle.xml", index("/cycle.xml", "/cycle-2.xml"))
        box.put("/cycle-2.xml", index("/cycle.xml", "/nested.xml", "/missing.xml"))
        box.put("/nested.xml", urls("/nested"))
        box.put("/kinds.xml", index("/feed.rss", "/list.txt", "/robots.txt", "/page.html"))
        box.put("/feed.rss", "<rss><channel><item><link>/feed</link></item></channel></rss>")
        box.put("/list.txt", box.url("/text\n"), kind="text/plain")
        box.put_robots("Sitemap: /of-robots.xml", f"Sitemap: {box.url('/kinds.xml')}")
        box.put("/of-robots.xml", urls("/robots-child"))
        box.put("/page.html", "<!doctype html><a href='/mined'>no sitemap</a>", kind="text/html")
        box.play("/moved.xml", page(b"", 301, location=other.url("/maps/new.xml")))
        other.put("/maps/new.xml", urls("moved"))
        box.play("/loop.xml", page(b"", 302, location=box.url("/loop.xml")))
        starts = ("/cycle.xml", "/kinds.xml", "/moved.xml", "/loop.xml")

        found = crawl(tmp_path, *map(box.url, starts))

        assert found.pages.keys() == {
            *map(box.url, ("/nested", "/feed", "/text", "/robots-child")),
            other.url("/maps/moved"),
        }
        assert found.pages[other.url("/maps/moved")]["source"] == other.url("/maps/new.xml")
        asked = Counter(box.paths)
        assert asked["/cycle-2.xml"] == asked["/nested.xml"] == 1
        assert asked["/cycle.xml"] <= 2  # Scrapy does not compare the first requests
    assert "Traceback" not in found.log


def test_row_59_robots_txt_in_odd_spellings(box, tmp_path):
    for number in range(1, 9):
        put_pages(box, f"/p{number}")
        box.put(f"/m{number}.xml", urls(f"/p{number}"))
    lines = (
        "\ufeffSite-map: /m1.xml",
        "SITEMAP : /m2.xml",
        "sitemap:/m3.xml # the third",
        f"Sitemap {box.url('/m4.xml')}",
        f"Sitemap: {box.url('/m5.xml')} Sitemap: {box.url('/m6.xml')}",
        f"\tsitemap:\t{box.url('/m7.xml')}\r",
        f"Sitemap: <{box.url('/m8.xml')}>",
        "Sitemap:",
    )
    box.put("/robots.txt", "\n".join(lines).encode(), kind="text/plain")

    found = crawl(tmp_path, box.url("/robots.txt"))

    assert found.pages.keys() == {box.url(f"/p{number}") for number in range(1, 9)}
    assert {each["how"] for each in found.pages.values()} == {"robots"}


@pytest.mark.parametrize(
    "path",
    ["/sitemap.xml", "/sitemap_index.xml", "/sitemap-index.xml", "/sitemap.xml.gz",
     "/wp-sitemap.xml"],
)  # fmt: skip
def test_row_60_without_a_line_in_robots_txt(path, box, tmp_path):
    put_pages(box, "/tea", "/")
    box.put(path, urls("/tea"))

    found = crawl(tmp_path, box.site, ROBOTSTXT_OBEY="True")

    assert found.pages.keys() == {box.url("/tea")}
    assert found.pages[box.url("/tea")]["how"] == "well-known"


def test_every_row_goes_through_the_spider():
    documents = {int(name[9:11]) for name in ROWS}

    assert documents | {50, 51, 52, 59, 60} == set(range(1, 61))
