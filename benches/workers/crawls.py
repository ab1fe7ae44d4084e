"""The crawlers that visit every page of a site, each as its documentation shows.

Usage: ``crawls.py TASK URL FOLDER``. Prints the number of pages, the seconds, and the version. All
pauses between requests are off, and robots.txt is obeyed where a crawler can.
"""

# mypy: disable-error-code="import-not-found, import-untyped"

from __future__ import annotations

import json
import logging
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

Work = Callable[[str, Path], dict[str, Any]]

CONCURRENCY = 16


def advertools() -> Work:
    from advertools import crawl

    logging.disable()

    def work(url: str, folder: Path) -> dict[str, Any]:
        output = folder / "crawl.jl"
        settings = {
            "CONCURRENT_REQUESTS": CONCURRENCY,
            "CONCURRENT_REQUESTS_PER_DOMAIN": CONCURRENCY,
            "LOG_ENABLED": False,
            "ROBOTSTXT_OBEY": True,
        }
        crawl(url, str(output), follow_links=True, custom_settings=settings)
        with output.open("rb") as lines:
            return {"pages": sum(1 for _ in lines)}

    return work


def scrapy() -> Work:
    from scrapy.crawler import CrawlerProcess
    from scrapy.linkextractors import LinkExtractor
    from scrapy.spiders import CrawlSpider, Rule

    class Spider(CrawlSpider):
        """Take title, canonical, robots and date of every page that is linked."""

        name = "bench"
        count = 0
        rules = (Rule(LinkExtractor(), callback="parse_page", follow=True),)

        def parse_start_url(self, response):
            return self.parse_page(response)

        def parse_page(self, response):
            Spider.count += 1
            yield {
                "url": response.url,
                "title": response.css("title::text").get(),
                "canonical": response.css("link[rel=canonical]::attr(href)").get(),
                "robots": response.css("meta[name=robots]::attr(content)").get(),
                "date": response.css("meta[property*=modified_time]::attr(content)").get(),
            }

    def work(url: str, folder: Path) -> dict[str, Any]:
        Spider.start_urls = [f"{url}/"]
        settings = {
            "CONCURRENT_REQUESTS": CONCURRENCY,
            "CONCURRENT_REQUESTS_PER_DOMAIN": CONCURRENCY,
            "DOWNLOAD_DELAY": 0,
            "FEEDS": {str(folder / "pages.jl"): {"format": "jsonlines"}},
            "LOG_ENABLED": False,
            "ROBOTSTXT_OBEY": True,
            "TELNETCONSOLE_ENABLED": False,
        }
        process = CrawlerProcess(settings)
        process.crawl(Spider)
        process.start()
        return {"pages": Spider.count}

    return work


TASKS: dict[str, tuple[str, Callable[[], Work]]] = {
    "advertools": ("advertools", advertools),
    "scrapy": ("scrapy", scrapy),
}

if __name__ == "__main__":
    task, site, where = sys.argv[1:]
    package, prepare = TASKS[task]
    do = prepare()
    start = time.perf_counter()
    facts = do(site, Path(where))
    facts |= {"seconds": time.perf_counter() - start, "version": version(package)}
    print(json.dumps(facts))
