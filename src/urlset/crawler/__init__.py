"""Crawl a site: visit its pages, record their facts and links, and report gaps in the result."""

from __future__ import annotations

from urlset.crawler.options import CrawlOptions
from urlset.crawler.page_urls import page_url, section_of
from urlset.crawler.result import Crawl
from urlset.crawler.runner import crawl, crawl_into
from urlset.crawler.walk import MAX_FAILURES

__all__ = ["MAX_FAILURES", "Crawl", "CrawlOptions", "crawl", "crawl_into", "page_url", "section_of"]
