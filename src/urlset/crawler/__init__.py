"""Crawl a site: visit its pages, record their facts and links, and report gaps in the result."""

from __future__ import annotations

from urlset.crawler.options import CrawlOptions
from urlset.crawler.result import Crawl
from urlset.crawler.runner import crawl, crawl_into

__all__ = ["Crawl", "CrawlOptions", "crawl", "crawl_into"]
