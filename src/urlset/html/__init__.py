"""What one HTML page says: links in its head, facts for a sitemap, a fingerprint of its content."""

from __future__ import annotations

from urlset.html.facts import FACTS_VERSION, MAX_BYTES, WANTS, PageFacts, read_page
from urlset.html.links import PageLink, links_in_header, links_in_page
from urlset.html.meta_robots import forbids_index

__all__ = [
    "FACTS_VERSION",
    "MAX_BYTES",
    "WANTS",
    "PageFacts",
    "PageLink",
    "forbids_index",
    "links_in_header",
    "links_in_page",
    "read_page",
]
