"""The peers that read a whole site from its URL, each as its documentation shows.

Usage: ``sites.py TASK URL``. Prints the number of entries, the seconds, and the version of the
peer. Imports are not measured, and each peer has to return every entry.
"""

# mypy: disable-error-code="import-not-found, import-untyped"

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

Work = Callable[[str], int]


def ours_to_arrow() -> Work:
    import urlset
    import urlset.http.client
    from urlset.arrow import open_stream

    assert urlset.http.client
    return lambda url: sum(batch.num_rows for batch in open_stream(urlset.read(url)))


def ours_to_objects() -> Work:
    import urlset
    import urlset.http.client

    assert urlset.http.client

    def work(url: str) -> int:
        count = 0
        for entry in urlset.read(url):
            _ = (entry.loc, entry.lastmod, entry.changefreq, entry.priority)
            _ = (entry.images, entry.videos, entry.news, entry.alternates)
            count += 1
        return count

    return work


def ultimate_sitemap_parser() -> Work:
    import logging

    from usp.tree import sitemap_tree_for_homepage

    logging.disable()

    def work(url: str) -> int:
        count = 0
        for page in sitemap_tree_for_homepage(url, use_known_paths=False).all_pages():
            _ = (page.url, page.last_modified, page.change_frequency, page.priority)
            _ = (page.images, page.news_story, page.alternates)
            count += 1
        return count

    return work


def advertools() -> Work:
    import logging

    from advertools import sitemap_to_df

    logging.disable()
    # It returns a row for each URL of an index or a robots.txt, and chooses its own threads.
    return lambda url: int(sitemap_to_df(f"{url}/robots.txt")["loc"].notna().sum())


def scrapy() -> Work:
    from scrapy.spiders import SitemapSpider

    return spider(SitemapSpider)


def our_spider() -> Work:
    from urlset.integrations.scrapy import SitemapSpider

    return spider(SitemapSpider)


def spider(base: Any) -> Work:
    from scrapy.crawler import CrawlerProcess

    class Spider(base):  # type: ignore[misc]  # one of two bases
        """Count the entries in the filter hook, and fetch no page."""

        name = "bench"
        count = 0

        def sitemap_filter(self, entries):
            for entry in entries:
                if entries.type == "sitemapindex":
                    yield entry
                elif entry["loc"]:
                    Spider.count += 1

    def work(url: str) -> int:
        Spider.sitemap_urls = [f"{url}/robots.txt"]
        process = CrawlerProcess({"LOG_ENABLED": False, "TELNETCONSOLE_ENABLED": False})
        process.crawl(Spider)
        process.start()
        return Spider.count

    return work


TASKS: dict[str, tuple[str, Callable[[], Work]]] = {
    "arrow": ("urlset", ours_to_arrow),
    "objects": ("urlset", ours_to_objects),
    "advertools": ("advertools", advertools),
    "scrapy": ("scrapy", scrapy),
    "spider": ("urlset", our_spider),
    "ultimate-sitemap-parser": ("ultimate-sitemap-parser", ultimate_sitemap_parser),
}

if __name__ == "__main__":
    task, site = sys.argv[1:]
    package, prepare = TASKS[task]
    do = prepare()
    start = time.perf_counter()
    entries = do(site)
    seconds = time.perf_counter() - start
    print(json.dumps({"entries": entries, "times": [seconds], "version": version(package)}))
