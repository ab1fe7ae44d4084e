"""Read one HTML page: metadata, main content and its hash, links, sitemaps and feeds."""

from __future__ import annotations

from urlset.engine.html_page import PageAnchor
from urlset.html.facts import (
    FACTS_VERSION,
    MAX_BYTES,
    WANTS,
    PageFacts,
    facts_from_text,
    facts_to_text,
    read_page,
)
from urlset.html.links import (
    PageLink,
    sitemaps_and_feeds_in_header,
    sitemaps_and_feeds_in_page,
)
from urlset.html.metadata import Canonical, PlacedAlternate, forbids_index, unavailable_after
from urlset.html.not_found import MAX_ERROR_TEXT

__all__ = [
    "FACTS_VERSION",
    "MAX_BYTES",
    "MAX_ERROR_TEXT",
    "WANTS",
    "Canonical",
    "PageAnchor",
    "PageFacts",
    "PageLink",
    "PlacedAlternate",
    "facts_from_text",
    "facts_to_text",
    "forbids_index",
    "read_page",
    "sitemaps_and_feeds_in_header",
    "sitemaps_and_feeds_in_page",
    "unavailable_after",
]
