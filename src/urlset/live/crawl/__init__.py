"""Crawl a site: visit its pages, record their facts and links, and report gaps in the result."""

from __future__ import annotations

from urlset.live.crawl.crawled_pages import CrawledPages
from urlset.live.crawl.options import CrawlOptions
from urlset.live.crawl.result import Crawl
from urlset.live.crawl.runner import crawl, crawl_into

__all__ = ["Crawl", "CrawlOptions", "CrawledPages", "crawl", "crawl_into"]
