"""Read one HTML page: metadata, main content and its hash, links, sitemaps and feeds."""

from __future__ import annotations

from urlset.engine.html_page import MAX_ANCHORS, FilePage, OrdinaryPage, PageAnchor
from urlset.html.facts import (
    FACTS_VERSION,
    MAX_BYTES,
    WANTS,
    PageFacts,
    facts_from_text,
    facts_of_file,
    facts_to_text,
    origin_of,
    read_page,
    scan_files,
)
from urlset.html.links import (
    PageLink,
    sitemaps_and_feeds_in_header,
    sitemaps_and_feeds_in_page,
)
from urlset.html.metadata import Canonical, PlacedAlternate, forbids_index, unavailable_after
from urlset.html.not_found import MAX_ERROR_TEXT
from urlset.html.visited import VisitedFacts, read_visited_page

__all__ = [
    "FACTS_VERSION",
    "MAX_ANCHORS",
    "MAX_BYTES",
    "MAX_ERROR_TEXT",
    "WANTS",
    "Canonical",
    "FilePage",
    "OrdinaryPage",
    "PageAnchor",
    "PageFacts",
    "PageLink",
    "PlacedAlternate",
    "VisitedFacts",
    "facts_from_text",
    "facts_of_file",
    "facts_to_text",
    "forbids_index",
    "origin_of",
    "read_page",
    "read_visited_page",
    "scan_files",
    "sitemaps_and_feeds_in_header",
    "sitemaps_and_feeds_in_page",
    "unavailable_after",
]
