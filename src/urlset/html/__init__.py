"""Read one HTML page: links in its head, facts for a sitemap, fingerprint of its content."""

from __future__ import annotations

from urlset.html.facts import (
    FACTS_VERSION,
    MAX_BYTES,
    WANTS,
    PageFacts,
    facts_from_text,
    facts_to_text,
    read_page,
)
from urlset.html.links import PageLink, links_in_header, links_in_page
from urlset.html.metadata import Canonical, PlacedAlternate, forbids_index, unavailable_after
from urlset.html.page_links import PageAnchor

__all__ = [
    "FACTS_VERSION",
    "MAX_BYTES",
    "WANTS",
    "Canonical",
    "PageAnchor",
    "PageFacts",
    "PageLink",
    "PlacedAlternate",
    "facts_from_text",
    "facts_to_text",
    "forbids_index",
    "links_in_header",
    "links_in_page",
    "read_page",
    "unavailable_after",
]
