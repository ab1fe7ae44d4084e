"""Crawl a site: visit its pages, record their facts and links, and report what was not seen."""

from __future__ import annotations

from urlset.crawler.options import CrawlOptions
from urlset.crawler.page_urls import page_url, section_of
from urlset.crawler.result import Crawl
from urlset.crawler.runner import CrawlProgress, crawl

__all__ = ["Crawl", "CrawlOptions", "CrawlProgress", "crawl", "page_url", "section_of"]
