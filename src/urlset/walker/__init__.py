"""From a site, or from sitemaps of it, to every document below: a walk that reads each one once."""

from __future__ import annotations

from urlset.walker.records import Fetched, SiteRecord, SiteVisit
from urlset.walker.walk import SiteWalk

__all__ = ["Fetched", "SiteRecord", "SiteVisit", "SiteWalk"]
